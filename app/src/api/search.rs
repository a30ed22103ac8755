//! The search field of every page.

use leptos::prelude::*;

use crate::call::Get;
use crate::components::hits::Hit;
use crate::error::ApiError;

/// Links to everything of that name: a job, subjects, queues, schedules, kinds; to whoever is support, what the desk
/// knows by it. Needs `View`.
#[server(prefix = "/api/fn", endpoint = "find", protocol = Get)]
pub async fn find(#[server(default)] text: String) -> Result<Vec<Hit>, ApiError> {
    super::answer::read(async {
        let inspector = crate::access::inspector().await?;
        if crate::access::principal().role == Some(reprieve::model::Role::Support) {
            return ssr::at_the_desk(&inspector, &text).await;
        }
        Ok(ssr::links(inspector.hits(&text).await?))
    })
    .await
}

mod ssr {
    use reprieve::Inspector;
    use reprieve::model::{Hits, JobRow, Subject};

    use crate::components::hits::{Hit, Sort};
    use crate::error::ApiError;
    use crate::{api, routes, t};

    /// The hits in the order in which they are meant: the job, the subject's jobs, subjects, queues, schedules, kinds.
    pub(super) fn links(hits: Hits) -> Vec<Hit> {
        let job = |row: JobRow, what: String| Hit {
            href: routes::job(&row.id),
            name: format!("{} · {}", row.kind, row.id),
            what,
            sort: Sort::Job(row.state),
        };
        let mut links: Vec<Hit> = hits.job.into_iter().map(|row| job(row, t!("frame-hit-job"))).collect();
        if let Some((subject, rows)) = hits.subject {
            let what = t!("frame-hit-subject", subject = subject.to_string());
            links.extend(rows.into_iter().map(|row| job(row, what.clone())));
            links.push(of_subject(&subject, subject.to_string(), t!("frame-hit-about")));
        }
        let about = |subject: &Subject| of_subject(subject, subject.to_string(), t!("frame-hit-about"));
        links.extend(hits.subjects.iter().map(about));
        links.extend(hits.queues.iter().map(|queue| Hit {
            href: routes::queue(queue),
            name: queue.to_string(),
            what: t!("frame-hit-queue"),
            sort: Sort::Queue,
        }));
        links.extend(hits.schedules.iter().map(|schedule| Hit {
            href: routes::schedule(schedule),
            name: schedule.to_string(),
            what: t!("frame-hit-schedule"),
            sort: Sort::Schedule,
        }));
        links.extend(hits.kinds.iter().map(|kind| Hit {
            href: routes::jobs_matching(&format!("kind:{kind}")),
            name: kind.to_string(),
            what: t!("frame-hit-kind"),
            sort: Sort::Kind,
        }));
        links
    }

    /// What the desk finds, in its words.
    pub(super) async fn at_the_desk(inspector: &Inspector, text: &str) -> Result<Vec<Hit>, ApiError> {
        if text.trim().is_empty() {
            return Ok(Vec::new());
        }
        let finding = api::desk::finding(inspector, text).await?;
        let link = |hit: crate::desk::Hit| of_subject(&hit.subject, hit.label, pending(hit.pending));
        Ok(finding.hits.into_iter().map(link).collect())
    }

    fn pending(pending: bool) -> String {
        if pending { t!("support-pending") } else { t!("support-nothing-pending") }
    }

    fn of_subject(subject: &Subject, name: String, what: String) -> Hit {
        Hit { href: routes::desk(subject), name, what, sort: Sort::Subject }
    }
}
