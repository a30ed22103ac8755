//! How many other jobs failed like this one.

use leptos::prelude::*;
use leptos::task::spawn_local;
use reprieve::model::JobDetail;

use crate::api::get_same_error;
use crate::{routes, t};

/// The link to the dead jobs by error. Asked once the page is there: it looks through many jobs.
#[component]
pub(super) fn SameError(
    /// The job.
    detail: RwSignal<JobDetail>,
) -> impl IntoView {
    let id = StoredValue::new(detail.with_untracked(|detail| detail.job.id.clone()));
    let failed = Memo::new(move |_| detail.with(|detail| detail.job.last_error.clone()));
    let others = RwSignal::new(None::<(u64, bool)>);
    Effect::new(move |_| {
        if failed.with(String::is_empty) {
            return;
        }
        spawn_local(async move {
            if let Ok(found) = get_same_error(id.get_value()).await {
                let _ = others.try_set(found);
            }
        });
    });
    let text = move || {
        others.get().filter(|(count, _)| *count > 0).map(|(count, more)| match more {
            false => t!("job-same-error", count = count),
            true => t!("job-same-error-at-least", count = count),
        })
    };
    move || text().map(|text| view! { <a class="same-error" href=routes::DEAD>{text}</a> })
}
