//! One job: what happened to it, what will, and what one can do about it.

mod as_of;
mod attempts;
mod detail;
mod diagram;
pub(crate) mod edit;
mod facts;
mod gone;
mod here;
mod history;
mod json;
mod log;
mod more;
pub(crate) mod payload;
mod recipe;
mod reveal;
mod same_error;
mod sentence;
mod siblings;
mod trace;
mod tree;

use leptos::prelude::*;
use leptos_router::hooks::{use_params_map, use_query_map};
use reprieve::model::{Alike, JobDetail, JobId, JobLog, Receipt, Subject};

use self::as_of::Looked;
use self::detail::Detail;
use self::log::Part;
use crate::api::detail::get_log;
use crate::api::jobs::{get_job, get_receipt};
use crate::components::empty::Empty;
use crate::components::error_panel::ErrorPanel;
use crate::components::page_head::PageTitle;
use crate::components::strip::Strip;
use crate::error::ApiError;
use crate::light::suspended;
use crate::pages::not_found::answer_not_found;
use crate::{routes, t};

/// One job.
#[component]
pub fn JobPage() -> impl IntoView {
    let id = use_params_map().get_untracked().get("id").unwrap_or_default();
    view! {
        <Strip/>
        {suspended(one(id, true))}
    }
    .into_any()
}

/// Everything of one job, or why it is not there: on its page, which it names then, and beside a list. What the address says
/// of its log and its history it says on both.
pub(crate) fn one(id: String, is_page: bool) -> impl Future<Output = AnyView> {
    let query = use_query_map().get_untracked();
    let (part, looked) = (Part::of(&query), Looked::of(&query));
    async move {
        let asked = match JobId::new(id.clone()) {
            Ok(id) => Asked::of(id, part).await,
            Err(_) => Asked::Unknown,
        };
        match asked {
            Asked::There(there) => view! { <Detail there=*there part looked is_page/> }.into_any(),
            Asked::Gone(subject, receipt) => view! { <gone::Gone subject receipt is_page/> }.into_any(),
            Asked::Unknown => view! { <Unknown id is_page/> }.into_any(),
            Asked::Unread(error) => {
                view! { <Heading text=t!("job-page") is_page/> <ErrorPanel error/> }.into_any()
            }
        }
    }
}

/// What is known of a job that was asked for.
enum Asked {
    There(Box<There>),
    /// What became of it.
    Gone(Subject, Receipt),
    Unknown,
    Unread(ApiError),
}

/// A job, the lines of its log that were asked for, and the jobs that failed like it.
struct There {
    detail: JobDetail,
    log: JobLog,
    alike: Option<Alike>,
}

impl Asked {
    async fn of(id: JobId, part: Part) -> Self {
        match read(id.clone(), part).await {
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

async fn read(id: JobId, part: Part) -> Result<There, ApiError> {
    let detail = get_job(id.clone()).await?;
    let (after, most) = part.lines(detail.job.log_lines);
    let log = match most {
        0 => JobLog::new(Vec::new(), 0, None),
        most => get_log(id.clone(), after, most).await?,
    };
    let alike = same_error::ask(&detail).await;
    Ok(There { detail, log, alike })
}

/// What a job that is not there has for a name: the page's, or beside a list, which names the page, that of a part of it.
#[component]
fn Heading(
    text: String,
    /// Whether it is the page itself.
    is_page: bool,
) -> impl IntoView {
    if is_page {
        view! { <PageTitle title=text.clone()/> <h1 tabindex="-1">{text}</h1> }.into_any()
    } else {
        view! { <h2 class="job-title" tabindex="-1">{text}</h2> }.into_any()
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
