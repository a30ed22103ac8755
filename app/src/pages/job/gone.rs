//! A job that is gone: its receipt.

use leptos::prelude::*;
use reprieve::model::{JobState, Receipt, Subject};

use super::Heading;
use crate::components::badge::Badge;
use crate::components::time::{Time, TimeStyle};
use crate::light::Told;
use crate::pages::not_found::answer_not_found;
use crate::{i18n, routes, t};

/// What became of a job that was removed, and where the rest of its subject is. With the status 404.
#[component]
pub(super) fn Gone(
    subject: Subject,
    receipt: Receipt,
    /// Whether it is the page itself.
    is_page: bool,
) -> impl IntoView {
    answer_not_found();
    let Receipt { id, kind, queue, state, at, by, why, purged, .. } = receipt;
    let ended_by = match state {
        JobState::Cancelled => t!("job-gone-cancelled-by"),
        _ => t!("job-gone-ended-by"),
    };
    let why = (!why.is_empty()).then(|| view! { <dt>{t!("job-gone-why")}</dt><dd>{i18n::why(&why)}</dd> });
    view! {
        <Heading text=t!("job-gone") is_page/>
        <Told of=t!("job-gone") text=t!("job-gone")/>
        <p class="job-id"><code>{id.to_string()}</code></p>
        <p>{t!("job-gone-what")}</p>
        <section class="panel" aria-label=t!("job-gone-receipt")>
            <div class="panel-head"><h2>{t!("job-gone-receipt")}</h2></div>
            <dl class="facts">
                <dt>{t!("job-gone-kind")}</dt><dd>{kind.to_string()}</dd>
                <dt>{t!("job-gone-subject")}</dt><dd><a href=routes::desk(&subject)>{subject.to_string()}</a></dd>
                <dt>{t!("job-queue")}</dt><dd><a href=routes::queue(&queue)>{queue.to_string()}</a></dd>
                <dt>{t!("job-gone-state")}</dt><dd><Badge state/></dd>
                <dt>{t!("job-gone-ended")}</dt><dd><Time at style=TimeStyle::Exact/></dd>
                <dt>{ended_by}</dt><dd>{by}</dd>
                {why}
                <dt>{t!("job-gone-purged")}</dt><dd><Time at=purged style=TimeStyle::Exact/></dd>
            </dl>
        </section>
    }
    .into_any()
}
