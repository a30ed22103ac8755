//! One job: what happened to it, what will, and what one can do about it.

mod attempts;
mod detail;
mod diagram;
mod facts;
mod history;
mod payload;
mod sentence;
mod siblings;
mod tree;

use leptos::prelude::*;
use leptos_meta::Title;
use leptos_router::hooks::use_params_map;
use reprieve::model::JobId;

use self::detail::Detail;
use crate::api::get_job;
use crate::components::acts::{Acted, provide_operations};
use crate::components::empty::Empty;
use crate::components::error_panel::ErrorPanel;
use crate::components::strip::Strip;
use crate::error::ApiError;
use crate::live::Live;
use crate::routes;

/// One job.
#[component]
pub fn JobPage() -> impl IntoView {
    provide_operations();
    Acted::provide();
    let params = use_params_map();
    let id = Memo::new(move |_| params.with(|params| params.get("id").unwrap_or_default()));
    let job = Resource::new(
        move || id.get(),
        |text| async move {
            match JobId::new(text.clone()) {
                Ok(id) => (text, get_job(id).await),
                Err(_) => (text, Err(ApiError::NotFound)),
            }
        },
    );
    let detail = move || {
        Suspend::new(async move {
            match job.await {
                (_, Ok(detail)) => view! { <Detail detail/> }.into_any(),
                (id, Err(ApiError::NotFound)) => view! { <Unknown id/> }.into_any(),
                (_, Err(error)) => {
                    view! { <Title text="Job · Reprieve"/> <Unread error again=move || job.refetch()/> }
                        .into_any()
                }
            }
        })
    };
    view! {
        <Strip/>
        <Transition>{detail}</Transition>
    }
}

/// No such job, or no more. With the status 404.
#[component]
fn Unknown(
    /// The id that was asked for, whatever it is.
    id: String,
) -> impl IntoView {
    #[cfg(feature = "ssr")]
    if let Some(response) = use_context::<leptos_axum::ResponseOptions>() {
        response.set_status(http::StatusCode::NOT_FOUND);
    }
    view! {
        <Title text="No such job · Reprieve"/>
        <h1 tabindex="-1">"There is no such job"</h1>
        <p class="job-id"><code>{id}</code></p>
        <Empty text="It was never enqueued here, or it ended and its retention is over: then nothing of it is kept.">
            <a class="button" href=routes::JOBS>"To the jobs"</a>
        </Empty>
    }
}

/// What stands in place of a job that could not be read; tries again as soon as anything changes.
#[component]
fn Unread(error: ApiError, again: impl Fn() + 'static) -> impl IntoView {
    let live = Live::get();
    Effect::new(move |before: Option<u64>| {
        let revision = live.revision();
        if before.is_some_and(|before| before != revision) {
            again();
        }
        revision
    });
    view! { <h1 tabindex="-1">"Job"</h1> <ErrorPanel error/> }
}
