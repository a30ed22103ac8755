//! The four numbers that stand above every page of jobs.

use leptos::prelude::*;
use reprieve::model::StateGroup;

use super::icons::{Icon, icon};
use crate::api::overview::get_counts;
use crate::light::suspended;
use crate::{format, i18n, routes, t};

/// The live queues, in the order of every screen.
pub(crate) const LIVE_QUEUES: [StateGroup; 4] =
    [StateGroup::Delay, StateGroup::Ready, StateGroup::Active, StateGroup::Dead];

/// Delay, Ready, Active, Dead: how many, and the way there. An outage is told by the page below.
#[component]
pub(crate) fn Strip() -> impl IntoView {
    let numbers = suspended(async {
        let counts = get_counts(None).await.ok();
        LIVE_QUEUES.map(|group| {
            let number = counts.map_or_else(|| "–".to_owned(), |counts| format::number(counts.group(group)));
            view! {
                <a class="strip-number" href=routes::jobs(group, None) data-group=group.as_str()>
                    {icon(Icon::of_group(group))}
                    <span>{i18n::group(group)}</span>
                    <strong>{number}</strong>
                </a>
            }
        })
    });
    view! {
        <nav class="strip" aria-label=t!("states-live-queues")>
            {numbers}
        </nav>
    }
}
