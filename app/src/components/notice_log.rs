//! The bell: everything that was said on this page, with the way back where there is one.

use leptos::html;
use leptos::prelude::*;
use reprieve::model::Timestamp;

use super::icons::{Icon, icon};
use super::prove::ProveLink;
use crate::clock::Clock;
use crate::notice::{Notice, Notices};
use crate::{format, light, t};

/// The popover's id.
const LOG: &str = "notice-log";

/// The bell of the top bar. Nothing rings where no script runs: outcomes then stand above the page.
#[component]
pub fn NoticeLog() -> impl IntoView {
    if light::is_on() {
        return view! {
            <button type="button" class="top-bar-button bell" popovertarget=LOG title=t!("frame-notices") aria-label=t!("frame-notices") data-own>
                {icon(Icon::Bell)}
                <span class="bell-count" aria-hidden="true" hidden></span>
            </button>
            <div id=LOG class="popover notice-log" popover="auto" role="dialog" aria-label=t!("frame-notices") data-own>
                <h2>{t!("frame-notices")}</h2>
                <p class="quiet">{t!("frame-notices-none")}</p>
                <ul></ul>
            </div>
        }
        .into_any();
    }
    let notices = Notices::get();
    let list = NodeRef::<html::Div>::new();
    let unread = move || Some(notices.unread()).filter(|&count| count > 0);
    let name = move || match unread() {
        None => t!("frame-notices"),
        Some(count) => t!("frame-notices-new", count = count),
    };
    let empty = Memo::new(move |_| notices.log().is_empty());
    view! {
        <button type="button" class="top-bar-button bell" popovertarget=LOG title=name aria-label=name on:click=move |_| notices.read()>
            {icon(Icon::Bell)}
            {move || unread().map(|count| view! { <span class="bell-count" aria-hidden="true">{count.min(99)}</span> })}
        </button>
        <div id=LOG class="popover notice-log" popover="auto" role="dialog" aria-label=t!("frame-notices") node_ref=list>
            <h2>{t!("frame-notices")}</h2>
            <p class="quiet" hidden=move || !empty.get()>{t!("frame-notices-none")}</p>
            <ul>
                <For each=move || notices.log() key=|notice| (notice.id, notice.undo.is_some()) let:notice>
                    <Line notice/>
                </For>
            </ul>
        </div>
    }
    .into_any()
}

#[component]
fn Line(notice: Notice) -> impl IntoView {
    let (notices, clock) = (Notices::get(), Clock::get());
    let Notice { id, said, next_step, prove, undo, at_ms, .. } = notice;
    let at = move || at_ms.and_then(Timestamp::from_millis).map(|at| format::clock(at, clock.zone()));
    let undo = undo.map(|_| {
        let take_back = move |_| {
            notices.undo(id);
        };
        view! { <button type="button" class="button" data-size="small" on:click=take_back>{t!("live-undo")}</button> }
    });
    view! {
        <li data-tone=said.tone.as_str()>
            <small>{at}</small>
            <p>{said.text} " " {next_step} {prove.then(|| view! { " " <ProveLink/> })}</p>
            {undo}
        </li>
    }
}
