//! One job: what happened to it, what will, and what one can do about it.

mod as_of;
mod attempts;
mod detail;
mod diagram;
pub(crate) mod edit;
mod facts;
mod gone;
mod history;
mod json;
mod log;
mod more;
pub mod panel;
pub(crate) mod payload;
mod recipe;
mod reveal;
mod same_error;
mod sentence;
mod siblings;
mod trace;
mod tree;

use leptos::prelude::*;
use leptos_meta::Title;
use leptos_router::hooks::{use_params_map, use_query_map};
use reprieve::model::{JobDetail, JobId, JobLog, Receipt, Subject};
use serde::{Deserialize, Serialize};

use self::detail::Detail;
use self::log::{LOG, lines_asked};
use crate::api::{get_job, get_log, get_receipt};
use crate::components::acts::{Acted, provide_operations};
use crate::components::empty::Empty;
use crate::components::error_panel::ErrorPanel;
use crate::components::loading::{Loading, Shape};
use crate::components::strip::Strip;
use crate::error::ApiError;
use crate::live::Live;
use crate::live::reading::{AGAIN_EVERY, Reading, is_to_be_asked_again};
use crate::{routes, t};

/// One job.
#[component]
pub fn JobPage() -> impl IntoView {
    provide_operations();
    Acted::provide();
    let params = use_params_map();
    let id = Memo::new(move |_| params.with(|params| params.get("id").unwrap_or_default()));
    let query = use_query_map();
    let lines = Memo::new(move |_| query.with(|query| lines_asked(query.get_str(LOG))));
    let job = Reading::new(
        move || (id.get(), lines.get()),
        |(text, lines)| async move {
            match JobId::new(text.clone()) {
                Ok(id) => (text, Asked::of(id, lines).await),
                Err(_) => (text, Asked::Unknown),
            }
        },
    );
    let detail = move || {
        Suspend::new(async move {
            let (id, asked) = job.await;
            view! { <Told id asked is_page=true again=move || job.refetch()/> }
        })
    };
    view! {
        <Strip/>
        <Loading shape=Shape::Job>{detail}</Loading>
    }
    .into_any()
}

/// What is known of a job that was asked for.
#[derive(Clone, Serialize, Deserialize)]
enum Asked {
    There(Box<(JobDetail, JobLog)>),
    /// What became of it.
    Gone(Subject, Receipt),
    Unknown,
    Unread(ApiError),
}

impl Asked {
    /// With that many of the latest lines of its log.
    async fn of(id: JobId, lines: u16) -> Self {
        match read(id.clone(), lines).await {
            Ok(there) => Self::There(Box::new(there)),
            Err(ApiError::NotFound) => match get_receipt(id).await {
                Ok(Some((subject, receipt))) => Self::Gone(subject, receipt),
                Ok(None) | Err(ApiError::NotFound | ApiError::Forbidden { .. }) => Self::Unknown,
                Err(error) => Self::Unread(error),
            },
            Err(error) => Self::Unread(error),
        }
    }
}

/// The job, or why it is not there.
#[component]
fn Told(
    /// The id that was asked for, whatever it is.
    id: String,
    /// What is known of it.
    asked: Asked,
    /// Whether it is the page itself, and names it.
    is_page: bool,
    /// Asks again.
    again: impl Fn() + 'static,
) -> impl IntoView {
    match asked {
        Asked::There(there) => view! { <There there=*there is_page/> }.into_any(),
        Asked::Gone(subject, receipt) => view! { <gone::Gone subject receipt is_page/> }.into_any(),
        Asked::Unknown => view! { <Unknown id is_page/> }.into_any(),
        Asked::Unread(error) => view! { <Unread error is_page again/> }.into_any(),
    }
}

/// A job in elements of its own. Those of another are not taken over: they may hold what was typed about it, or the focus.
#[component]
fn There(
    /// The job, and the latest lines of its log.
    there: (JobDetail, JobLog),
    /// Whether it is the page itself.
    is_page: bool,
) -> impl IntoView {
    view! {
        <For each=move || Some(there.clone()) key=|(detail, _)| detail.job.id.clone() let:read>
            <Detail detail=read.0 log=read.1 is_page/>
        </For>
    }
}

/// What a job that is not there has for a name: the page's, or beside a list, which names the page, that of a part of it.
#[component]
fn Heading(
    /// The words.
    text: String,
    /// Whether it is the page itself.
    is_page: bool,
) -> impl IntoView {
    if is_page {
        view! { <Title text=format!("{text} · Reprieve")/> <h1 tabindex="-1">{text}</h1> }.into_any()
    } else {
        view! { <h2 class="job-title" tabindex="-1">{text}</h2> }.into_any()
    }
}

/// A job with the latest lines of its log, at most so many.
async fn read(id: JobId, most: u16) -> Result<(JobDetail, JobLog), ApiError> {
    let detail = get_job(id.clone()).await?;
    let lines = detail.job.log_lines;
    if lines == 0 {
        return Ok((detail, JobLog::new(Vec::new(), 0, None)));
    }
    let log = get_log(id, lines.saturating_sub(most.into()), most).await?;
    Ok((detail, log))
}

/// Answers with the status 404: whatever is on screen, there is no such job now.
fn answer_not_found() {
    #[cfg(feature = "ssr")]
    if let Some(response) = use_context::<leptos_axum::ResponseOptions>() {
        response.set_status(http::StatusCode::NOT_FOUND);
    }
}

/// No such job, or no more. With the status 404.
#[component]
fn Unknown(
    /// The id that was asked for, whatever it is.
    id: String,
    /// Whether it is the page itself.
    is_page: bool,
) -> impl IntoView {
    answer_not_found();
    view! {
        <Heading text=t!("job-unknown") is_page/>
        <p class="job-id"><code>{id}</code></p>
        <Empty text=t!("job-unknown-why")>
            <div class="empty-ways">
                <a class="button" href=routes::JOBS>{t!("job-to-the-jobs")}</a>
                <a class="button" href=routes::DESK>{t!("job-to-the-desk")}</a>
            </div>
        </Empty>
    }
}

/// What stands in place of a job that could not be read; tries again as soon as anything changes, and every two seconds
/// where it may be there by then.
#[component]
fn Unread(error: ApiError, is_page: bool, again: impl Fn() + 'static) -> impl IntoView {
    let live = Live::get();
    let may_pass = is_to_be_asked_again(Some(&error));
    let pulse = live.pulse(AGAIN_EVERY);
    Effect::new(move |before: Option<(u64, i64)>| {
        let now = (live.revision(), if may_pass { pulse.get() } else { 0 });
        if before.is_some_and(|before| before != now) {
            again();
        }
        now
    });
    view! { <Heading text=t!("job-page") is_page/> <ErrorPanel error/> }
}

/// A job beside its list.
#[cfg(feature = "ssr")]
#[component]
pub(crate) fn Beside(
    /// Which job.
    id: JobId,
) -> impl IntoView {
    view! { <p>{id.to_string()}</p> }
}
