//! Which keys do what, and the switch for those without a modifier.

use leptos::prelude::*;
use leptos::server_fn::ServerFn;

use super::fields::BackField;
use super::icons::{Icon, icon};
use crate::api::settings::SetAppearance;
use crate::preferences::SingleKeys;
use crate::{i18n, t};

/// The popover's id, for the key that opens it.
pub(crate) const HELP: &str = "key-help";

/// What keys do, and where.
pub(crate) const DO: &str = "frame-key";
pub(crate) const WHERE: &str = "frame-keys";

/// The keys with the words for what they do, and the word for where they do it.
#[rustfmt::skip]
pub(crate) const GROUPS: [(&str, &[(&str, &str)]); 3] = [
    ("everywhere", &[
        ("/", "search"), ("Ctrl K", "palette"), ("?", "help"), ("p", "pause"), ("t", "theme"), ("u", "undo"),
        ("Esc", "close"), ("Ctrl Enter", "confirm"),
    ]),
    ("lists", &[
        ("j k", "rows"), ("Enter", "open"), ("x", "tick"), ("Shift X", "range"), ("a", "all"), (".", "new"),
        ("[ ]", "walk"),
    ]),
    ("job", &[("r", "run"), ("e", "reschedule"), ("h", "hold"), ("Shift C", "cancel"), ("Shift D", "delete")]),
];

/// The button of the top bar and what it opens.
#[component]
pub(crate) fn KeyHelp() -> impl IntoView {
    let line = |&(keys, what): &(&str, &str)| {
        let keys = keys.split(' ').map(|key| view! { <kbd>{key.to_owned()}</kbd> " " }).collect_view();
        view! { <dt>{keys}</dt><dd>{i18n::word(DO, what)}</dd> }
    };
    let group = move |(place, lines): (&str, &[(&str, &str)])| {
        view! {
            <section>
                <h3>{i18n::word(WHERE, place)}</h3>
                <dl>{lines.iter().map(line).collect_view()}</dl>
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
                {GROUPS.map(group)}
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
