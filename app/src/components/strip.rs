//! The four numbers that stand above every page of jobs.

use leptos::prelude::*;
use reprieve::model::{Counts, StateGroup, Timestamp};

use super::icons::{Icon, icon};
use crate::api::{CountsRead, get_counts};
use crate::live::Live;
use crate::live::paced::Paced;
use crate::live::reading::Reading;
use crate::{format, i18n, routes, t};

/// The live queues, in the order of every screen.
pub const LIVE_QUEUES: [StateGroup; 4] =
    [StateGroup::Delay, StateGroup::Ready, StateGroup::Active, StateGroup::Dead];

/// Delay, Ready, Active, Dead: how many, and the way there. Moves at most once a second.
#[component]
pub fn Strip() -> impl IntoView {
    let live = Live::get();
    let counts = Reading::new(move || live.revision(), |_| get_counts(None));
    // All four move together.
    let paced = Paced::new();
    let number = move |group: StateGroup, read: Option<CountsRead>| {
        let read_at = read.map_or(Timestamp::EPOCH, |read| read.read_at);
        let told: Option<Counts> = live.counts_since(read_at, |told| Some(told.total));
        let known = paced.show(told.or(read.map(|read| read.counts)));
        known.map_or_else(|| "–".to_owned(), |counts| format::number(counts.group(group)))
    };
    let strip = move || {
        Suspend::new(async move {
            // An outage is told by the page below; the strip then keeps what the stream has told, and asks again.
            let read = counts.await.inspect_err(|error| counts.refetch_after(error)).ok();
            LIVE_QUEUES.map(|group| {
                view! {
                    <a class="strip-number" href=routes::jobs(group, None) data-group=group.as_str()>
                        {icon(Icon::of_group(group))}
                        <span>{i18n::group(group)}</span>
                        <strong>{move || number(group, read)}</strong>
                    </a>
                }
            })
        })
    };
    view! {
        <nav class="strip" aria-label=t!("states-live-queues")>
            <Transition>{strip}</Transition>
        </nav>
    }
}
