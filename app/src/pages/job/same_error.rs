//! How many other jobs failed like this one.

use leptos::prelude::*;
use reprieve::model::{Alike, JobDetail};

use crate::api::detail::get_same_error;
use crate::{light, routes, t};

/// The jobs that failed like this one, asked once for each page that is loaded: it looks through many jobs. The page keeps
/// the answer when it asks for itself again.
pub(super) async fn ask(detail: &JobDetail) -> Option<Alike> {
    if detail.job.last_error.is_empty() || light::is_read_again() {
        return None;
    }
    get_same_error(detail.job.id.clone()).await.ok().flatten()
}

/// The links to those that are dead and to those that are to be tried again.
#[component]
pub(super) fn SameError(alike: Option<Alike>) -> impl IntoView {
    let links = alike.map(|Alike { mask, others, retrying, more, .. }| {
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
        view! { {dead} " " {retrying} }
    });
    view! { <span id="same-error" data-own="">{links}</span> }
}
