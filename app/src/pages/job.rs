//! One job: what happened to it, and what will.

use leptos::prelude::*;
use leptos_meta::Title;
use leptos_router::hooks::use_params_map;
use reprieve::model::{JobDetail, JobId};

use crate::api::get_job;
use crate::components::badge::Badge;
use crate::components::error_panel::ErrorPanel;
use crate::components::strip::Strip;
use crate::components::time::{Time, TimeStyle};
use crate::error::ApiError;
use crate::i18n;
use crate::live::Live;

/// One job.
#[component]
pub fn JobPage() -> impl IntoView {
    let live = Live::get();
    let params = use_params_map();
    let id = Memo::new(move |_| params.with(|params| params.get("id").unwrap_or_default()));
    let job = Resource::new(
        move || (id.get(), live.revision()),
        |(id, _)| async move {
            match JobId::new(id) {
                Ok(id) => get_job(id).await,
                Err(_) => Err(ApiError::NotFound),
            }
        },
    );
    let detail = move || {
        Suspend::new(async move {
            match job.await {
                Ok(detail) => view! { <Detail detail/> }.into_any(),
                Err(error) => view! { <Title text="Job · Reprieve"/> <ErrorPanel error/> }.into_any(),
            }
        })
    };
    view! {
        <Strip/>
        <Transition>{detail}</Transition>
    }
}

#[component]
fn Detail(detail: JobDetail) -> impl IntoView {
    let job = detail.job;
    let history = detail.history.into_iter().map(|entry| {
        view! {
            <tr>
                <td><Time at=entry.at style=TimeStyle::Exact/></td>
                <td>{i18n::state(entry.to)}</td>
                <td>{entry.by}</td>
                <td>{entry.why}</td>
            </tr>
        }
    });
    view! {
        <Title text=format!("{} · Reprieve", job.kind)/>
        <h1>{job.kind.to_string()} " " <Badge state=job.state/></h1>
        <dl class="facts">
            <dt>"Id"</dt><dd>{job.id.to_string()}</dd>
            <dt>"Queue"</dt><dd>{job.queue.to_string()}</dd>
            <dt>"Due"</dt><dd><Time at=job.due style=TimeStyle::Exact/></dd>
        </dl>
        <pre class="payload">{String::from_utf8_lossy(&job.payload).into_owned()}</pre>
        <table class="table">
            <thead>
                <tr><th scope="col">"When"</th><th scope="col">"To"</th><th scope="col">"By"</th><th scope="col">"Why"</th></tr>
            </thead>
            <tbody>{history.collect_view()}</tbody>
        </table>
    }
}
