//! Which keys do what, and the switch for those without a modifier.

use leptos::prelude::*;
use leptos::server_fn::ServerFn;

use super::fields::BackField;
use super::icons::{Icon, icon};
use crate::api::settings::SetAppearance;
use crate::preferences::SingleKeys;
use crate::t;

/// The popover's id, for the key that opens it.
pub(crate) const HELP: &str = "key-help";

/// The keys with what they do, page after page.
fn groups() -> [(String, Vec<(&'static str, String)>); 3] {
    [
        (
            t!("frame-keys-everywhere"),
            vec![
                ("/", t!("frame-key-search")),
                ("Ctrl K", t!("frame-key-palette")),
                ("?", t!("frame-key-help")),
                ("p", t!("frame-key-pause")),
                ("t", t!("frame-key-theme")),
                ("u", t!("frame-key-undo")),
                ("Esc", t!("frame-key-close")),
                ("Ctrl Enter", t!("frame-key-confirm")),
            ],
        ),
        (
            t!("frame-keys-lists"),
            vec![
                ("j k", t!("frame-key-rows")),
                ("Enter", t!("frame-key-open")),
                ("x", t!("frame-key-tick")),
                ("Shift X", t!("frame-key-range")),
                ("a", t!("frame-key-all")),
                (".", t!("frame-key-new")),
                ("[ ]", t!("frame-key-walk")),
            ],
        ),
        (
            t!("frame-keys-job"),
            vec![
                ("r", t!("frame-key-run")),
                ("e", t!("frame-key-reschedule")),
                ("h", t!("frame-key-hold")),
                ("Shift C", t!("frame-key-cancel")),
                ("Shift D", t!("frame-key-delete")),
            ],
        ),
    ]
}

/// The button of the top bar and what it opens.
#[component]
pub(crate) fn KeyHelp() -> impl IntoView {
    let line = |(key, what): (&'static str, String)| {
        let keys = key.split(' ').map(|key| view! { <kbd>{key}</kbd> " " }).collect_view();
        view! { <dt>{keys}</dt><dd>{what}</dd> }
    };
    let group = move |(heading, lines): (String, Vec<(&'static str, String)>)| {
        view! {
            <section>
                <h3>{heading}</h3>
                <dl>{lines.into_iter().map(line).collect_view()}</dl>
            </section>
        }
    };
    let go = super::navigation::keys(crate::session::Session::get().role).into_iter().map(|(key, name)| {
        view! { <dt><kbd>"g"</kbd> " " <kbd>{key}</kbd></dt><dd>{name}</dd> }
    });
    view! {
        <button
            type="button"
            class="top-bar-button"
            popovertarget=HELP
            data-key="?"
            title=t!("frame-help-key")
            aria-label=t!("frame-help-key")
        >
            {icon(Icon::Question)}
        </button>
        <div id=HELP class="popover key-help" popover="auto" role="dialog" aria-label=t!("frame-help")>
            <h2>{t!("frame-help")}</h2>
            <div class="key-groups">
                {groups().map(group)}
                <section>
                    <h3>{t!("frame-keys-go")}</h3>
                    <dl>{go.collect_view()}</dl>
                </section>
            </div>
            <KeySwitch/>
        </div>
    }
}

/// Single letters can be switched off; a cookie keeps that, with or without script.
#[component]
fn KeySwitch() -> impl IntoView {
    let current = SingleKeys::current();
    let (text, wanted) = match current {
        SingleKeys::On => (t!("frame-keys-on"), t!("frame-keys-turn-off")),
        SingleKeys::Off => (t!("frame-keys-off"), t!("frame-keys-turn-on")),
    };
    view! {
        <form class="key-switch" method="post" action=SetAppearance::PATH>
            <BackField/>
            <p>{text}</p>
            <button type="submit" class="button" name="keys" value=current.other().as_str()>{wanted}</button>
        </form>
    }
}
