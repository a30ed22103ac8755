//! How many other jobs failed like this one.

use leptos::prelude::*;
use leptos::task::spawn_local;
use reprieve::model::{Alike, JobDetail};

use crate::api::get_same_error;
use crate::live::effect::effect;
use crate::{routes, t};

/// The link to those that are dead. Asked once the page is there: it looks through many jobs.
#[component]
pub(super) fn SameError(
    /// The job.
    detail: RwSignal<JobDetail>,
) -> impl IntoView {
    let id = StoredValue::new(detail.with_untracked(|detail| detail.job.id.clone()));
    let failed = Memo::new(move |_| detail.with(|detail| detail.job.last_error.clone()));
    let alike = RwSignal::new(None::<Alike>);
    effect(move || {
        if failed.with(String::is_empty) {
            return;
        }
        spawn_local(async move {
            if let Ok(found) = get_same_error(id.get_value()).await {
                let _ = alike.try_set(found);
            }
        });
    });
    move || {
        let Alike { mask, others, more, .. } = alike.get().filter(|alike| alike.others > 0)?;
        let text = match more {
            false => t!("job-same-error", count = others),
            true => t!("job-same-error-at-least", count = others),
        };
        Some(view! { <a class="same-error" href=routes::dead_of(None, &mask)>{text}</a> })
    }
}
