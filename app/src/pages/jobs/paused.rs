//! That nothing of this queue starts, above each of its lists.

use leptos::prelude::*;

use super::address::Address;
use crate::api::get_queue;
use crate::components::icons::{Icon, icon};
use crate::components::time::Time;
use crate::live::Live;
use crate::live::reading::Reading;
use crate::{i18n, routes, t};

/// How often to look whether it is still so, in seconds.
const PULSE_SECONDS: i64 = 5;

/// Who paused the queue that was chosen, since when and why; nothing where all queues are shown or it runs.
#[component]
pub(crate) fn PausedBanner(
    /// The list on screen.
    address: Memo<Address>,
) -> impl IntoView {
    let pulse = Live::get().pulse(PULSE_SECONDS);
    let queue = Memo::new(move |_| address.with(|address| address.queue.clone()));
    let read = Reading::new(
        move || (queue.get(), pulse.get()),
        // An outage is told where the rows would be.
        |(queue, _)| async move { get_queue(queue?).await.ok() },
    );
    let banner = move || {
        Suspend::new(async move {
            let summary = read.await?.queue;
            let paused = summary.paused?;
            let why = (!paused.why.is_empty()).then(|| format!(" · {}", i18n::why(&paused.why)));
            let href = routes::queue(&summary.name);
            Some(view! {
                <p class="paused-banner" role="note">
                    {icon(Icon::PausedCircle)}
                    <span>{t!("jobs-paused", queue = summary.name.to_string(), name = paused.by)} {why} " · " <Time at=paused.at/></span>
                    <a href=href>{t!("jobs-paused-open")}</a>
                </p>
            })
        })
    };
    view! { <Transition>{banner}</Transition> }
}
