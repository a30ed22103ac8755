//! How many other jobs failed like this one.

use leptos::prelude::*;
use leptos::task::spawn_local;
use reprieve::model::{Alike, JobDetail};

use crate::api::get_same_error;
use crate::live::effect::effect;
use crate::{routes, t};

/// The links to those that are dead and to those that are to be tried again. Asked once the page is there: it looks through many jobs.
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
        let Alike { mask, others, retrying, more, .. } = alike.get()?;
        let dead = (others > 0).then(|| {
            let text = match more {
                false => t!("job-same-error", count = others),
                true => t!("job-same-error-at-least", count = others),
            };
            view! { <a class="same-error" href=routes::dead_of(None, &mask)>{text}</a> }
        });
        let retrying = (retrying > 0).then(|| {
            let text = match more {
                false => t!("job-same-error-retrying", count = retrying),
                true => t!("job-same-error-retrying-at-least", count = retrying),
            };
            view! { <a class="same-error" href=routes::retrying_of(&mask)>{text}</a> }
        });
        Some(view! { {dead} " " {retrying} })
    }
}
