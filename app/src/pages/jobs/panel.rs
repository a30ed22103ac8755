//! The job beside its list: a panel that the address opens with `open`. Without scripts, and where there is no room, a row
//! leads to the job's own page.

use http::StatusCode;
use leptos::prelude::*;
use leptos_axum::ResponseOptions;
use reprieve::model::JobId;

use crate::components::icons::{Icon, icon};
use crate::light::suspended;
use crate::list::Address;
use crate::pages::job;
use crate::{routes, t};

/// What the address calls it.
pub(crate) const OPEN: &str = "open";

/// The panel with a job.
#[component]
pub(crate) fn Panel(id: JobId, address: Address) -> impl IntoView {
    let (own, list, name) = (routes::job(&id), address.href(), id.to_string());
    let own_id = format!("beside:{id}");
    view! {
        <aside id="job-panel" class="job-panel" aria-label=t!("job-page") tabindex="-1" data-open=name>
            <div class="job-panel-bar">
                <button type="button" class="button" data-tone="quiet" data-key="[" data-walk="-1" title=t!("job-previous-key") aria-label=t!("job-previous-key")>
                    {icon(Icon::ArrowUp)}
                </button>
                <button type="button" class="button" data-tone="quiet" data-key="]" data-walk="1" title=t!("job-next-key") aria-label=t!("job-next-key")>
                    {icon(Icon::ArrowDown)}
                </button>
                <a class="button" data-tone="quiet" href=own>{t!("job-own-page")}</a>
                <a class="button" data-tone="quiet" data-key="Escape" data-here="" href=list title=t!("job-close-key") aria-label=t!("job-close-key")>
                    {icon(Icon::Close)}
                </a>
            </div>
            // By its id it is another element for another job: what was typed about one is not said of the next.
            <div id=own_id>{suspended(beside(id))}</div>
        </aside>
    }
}

/// The job, or what became of it. That it is gone is no fault of the list, whose status the page has.
async fn beside(id: JobId) -> AnyView {
    let response = use_context::<ResponseOptions>();
    let job = job::one(id.to_string(), false).await;
    if let Some(response) = response {
        let mut parts = response.0.write().unwrap_or_else(std::sync::PoisonError::into_inner);
        parts.status = parts.status.filter(|status| *status != StatusCode::NOT_FOUND);
    }
    job
}
