//! Where a typed word leads, as links.

use leptos::prelude::*;
use reprieve::model::{Hits, JobRow};

use super::badge::Badge;
use super::icons::{Icon, icon};
use crate::{routes, t};

/// One link of a list of hits: where it leads, its picture, its name, and what it is.
#[derive(Clone, PartialEq)]
pub struct Hit {
    /// Where it leads.
    pub href: String,
    /// Its picture.
    pub picture: Icon,
    /// Its name.
    pub name: String,
    /// What sort of thing it is.
    pub sort: String,
    /// The job behind it, for its state.
    pub job: Option<JobRow>,
}

/// The hits in the order in which they are meant: the job, the subject's jobs, queues, kinds.
#[must_use]
pub fn links(hits: Hits) -> Vec<Hit> {
    let job = |row: JobRow, sort: String| Hit {
        href: routes::job(&row.id),
        picture: Icon::of_state(row.state),
        name: format!("{} · {}", row.kind, row.id),
        sort,
        job: Some(row),
    };
    let mut links: Vec<Hit> = hits.job.into_iter().map(|row| job(row, t!("frame-hit-job"))).collect();
    if let Some((subject, rows)) = hits.subject {
        let about = |row| job(row, t!("frame-hit-subject", subject = subject.to_string()));
        links.extend(rows.into_iter().map(about));
    }
    links.extend(hits.queues.iter().map(|queue| Hit {
        href: routes::queue(queue),
        picture: Icon::Tray,
        name: queue.to_string(),
        sort: t!("frame-hit-queue"),
        job: None,
    }));
    links.extend(hits.kinds.iter().map(|kind| Hit {
        href: routes::jobs_matching(&format!("kind:{kind}")),
        picture: Icon::List,
        name: kind.to_string(),
        sort: t!("frame-hit-kind"),
        job: None,
    }));
    links
}

/// One hit as a link.
#[component]
pub fn HitLink(
    /// What it leads to.
    hit: Hit,
) -> impl IntoView {
    let badge = hit.job.map(|row| view! { <Badge state=row.state/> });
    view! {
        <a class="hit" href=hit.href>
            {icon(hit.picture)}
            <span class="hit-name">{hit.name}</span>
            {badge}
            <small>{hit.sort}</small>
        </a>
    }
}
