//! What a typed word leads to.

use leptos::prelude::*;
use leptos_router::hooks::use_query_map;
use reprieve::Inspector;
use reprieve::model::{Hits, JobRow, Role, Subject};

use crate::access;
use crate::api::desk::{self, finding};
use crate::components::empty::Empty;
use crate::components::error_panel::ErrorPanel;
use crate::components::hits::{Hit, HitLink};
use crate::components::icons::Icon;
use crate::components::page_head::PageHead;
use crate::error::ApiError;
use crate::light::suspended;
use crate::{routes, t};

/// The answers to the search field.
#[component]
pub(crate) fn SearchPage() -> impl IntoView {
    let text = use_query_map().get_untracked().get("find").unwrap_or_default();
    let list = suspended(async move {
        if text.trim().is_empty() {
            return view! { <Empty text=t!("frame-search-begin")/> }.into_any();
        }
        match find(&text).await {
            Ok((hits, _)) if hits.is_empty() => {
                view! { <Empty text=t!("frame-search-none", text = text)/> }.into_any()
            }
            Ok((hits, more)) => {
                let hits = hits.into_iter().map(|hit| view! { <li><HitLink hit/></li> });
                let more = more.then(|| view! { <p class="quiet hits-more">{t!("frame-search-more")}</p> });
                view! { <ul class="hits panel">{hits.collect_view()}</ul> {more} }.into_any()
            }
            Err(error) => view! { <ErrorPanel error/> }.into_any(),
        }
    });
    view! {
        <PageHead title=t!("frame-search") every=0/>
        {list}
    }
    .into_any()
}

/// Links to everything of that name, and whether there is more: a job, subjects, queues, schedules, kinds; to support, what the
/// desk knows by it.
async fn find(text: &str) -> Result<(Vec<Hit>, bool), ApiError> {
    let inspector = access::caller()?.inspector_of_seen()?;
    if access::principal().role == Some(Role::Support) {
        return at_the_desk(&inspector, text).await;
    }
    let of_receipt = desk::of_receipt(&inspector, text).await?;
    let link = |subject: Subject| of_subject(&subject, subject.to_string(), t!("frame-hit-receipt"));
    let hits = inspector.hits(text).await?;
    let more = hits.more;
    Ok((of_receipt.into_iter().map(link).chain(links(hits)).collect(), more))
}

/// The hits in the order in which they are meant: the job, the subject's jobs, subjects, queues, schedules, kinds.
fn links(hits: Hits) -> Vec<Hit> {
    let job = |row: JobRow, what: String| Hit {
        href: routes::job(&row.id),
        name: format!("{} · {}", row.kind, row.id),
        what,
        picture: Icon::of_state(row.state),
        state: Some(row.state),
    };
    let of =
        |href, name: &str, what, picture| Hit { href, name: name.to_owned(), what, picture, state: None };
    let about = |subject: &Subject| of_subject(subject, subject.to_string(), t!("frame-hit-about"));
    let mut links: Vec<Hit> = hits.job.into_iter().map(|row| job(row, t!("frame-hit-job"))).collect();
    if let Some((subject, rows)) = hits.subject {
        let what = t!("frame-hit-subject", subject = subject.to_string());
        links.extend(rows.into_iter().map(|row| job(row, what.clone())));
        links.push(about(&subject));
    }
    links.extend(hits.subjects.iter().map(about));
    let queues = hits.queues.iter();
    links
        .extend(queues.map(|name| of(routes::queue(name), name.as_str(), t!("frame-hit-queue"), Icon::Tray)));
    let schedules = hits.schedules.iter();
    links.extend(
        schedules
            .map(|name| of(routes::schedule(name), name.as_str(), t!("frame-hit-schedule"), Icon::Repeat)),
    );
    links.extend(hits.kinds.iter().map(|kind| {
        let href = routes::jobs_matching(&format!("kind:{kind}"));
        of(href, kind.as_str(), t!("frame-hit-kind"), Icon::List)
    }));
    links
}

/// What the desk finds, in its words.
async fn at_the_desk(inspector: &Inspector, text: &str) -> Result<(Vec<Hit>, bool), ApiError> {
    if text.trim().is_empty() {
        return Ok((Vec::new(), false));
    }
    let finding = finding(inspector, text).await?;
    let link = |hit: crate::desk::Hit| of_subject(&hit.subject, hit.label, pending(hit.pending));
    Ok((finding.hits.into_iter().map(link).collect(), finding.cut))
}

fn pending(pending: bool) -> String {
    if pending { t!("support-pending") } else { t!("support-nothing-pending") }
}

fn of_subject(subject: &Subject, name: String, what: String) -> Hit {
    Hit { href: routes::desk(subject), name, what, picture: Icon::Lifebuoy, state: None }
}
