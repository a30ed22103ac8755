//! What was recognised on a Redis: each source with the keys and the items that show it.

use leptos::prelude::*;
use reprieve_import::{FoundItem, FoundSource, ImportFormat, SetOfOthers};

use crate::api::import::place_of_queue;
use crate::api::sources::Around;
use crate::components::error_panel::or_why;
use crate::components::section::Section;
use crate::components::time::{Time, TimeStyle};
use crate::error::ApiError;
use crate::{i18n, routes, t};

/// The sources, each with a link that fills it into the form below.
#[component]
pub(super) fn Found(
    answer: Result<Around, ApiError>,
    /// On which Redis.
    from: String,
) -> impl IntoView {
    let body = or_why(answer.map(|Around { address, recognised }| {
        let connected = if address.is_empty() {
            t!("import-connected-here")
        } else {
            t!("import-connected", address = address)
        };
        let none = recognised.found.is_empty().then(|| view! { <p>{t!("import-recognised-none")}</p> });
        let more = (recognised.more > 0)
            .then(|| view! { <p>{t!("import-recognised-more", count = recognised.more)}</p> });
        let others = (recognised.others > 0)
            .then(|| view! { <p class="settings-hint">{t!("import-recognised-others", count = recognised.others)}</p> });
        let partly = (!recognised.complete)
            .then(|| view! { <p class="settings-hint">{t!("import-recognised-partly", count = recognised.scanned)}</p> });
        let known = (!recognised.known.is_empty()).then(|| {
            let sets = recognised.known.iter().map(known_set).collect_view();
            view! { <h3>{t!("import-known")}</h3> <ul class="import-named">{sets}</ul> }
        });
        let list = recognised.found.into_iter().map(|found| line(found, &from)).collect_view();
        view! {
            <p role="status"><strong>{connected}</strong></p>
            {none}
            <ul class="import-found">{list}</ul>
            {more}
            {known}
            {others}
            {partly}
        }
    }));
    view! { <Section id="import-recognised" title=t!("import-recognised")>{body}</Section> }
}

/// One source: what it is, how many items, which keys say so, and the first of its items.
fn line(found: FoundSource, from: &str) -> impl IntoView + use<> {
    let name = match found.format {
        ImportFormat::Zset => t!("import-is-zset", place = found.place.as_str()),
        ImportFormat::Delayq => t!("import-is-delayq", place = found.place.as_str()),
        format if found.place.is_empty() => format.system().to_owned(),
        format => t!("import-is-queue", place = found.place.as_str(), system = format.system()),
    };
    let place = match found.format {
        ImportFormat::Zset | ImportFormat::Delayq => found.place.clone(),
        _ => place_of_queue(&found.place),
    };
    let href = format!(
        "{}?from={from}&format={}&place={}",
        routes::IMPORT,
        found.format.as_str(),
        in_address(&place)
    );
    let named = if found.place.is_empty() { name.as_str() } else { found.place.as_str() };
    let label = t!("import-use-named", name = named);
    let keys = found.keys.into_iter().map(|key| view! { <li><code>{key}</code></li> }).collect_view();
    let samples = found.samples.into_iter().map(sample).collect_view();
    let due = found.items.saturating_sub(found.waiting);
    let due = (due > 0).then(|| format!(" · {}", t!("import-items-due", count = due)));
    let set = found.set.as_ref().map(|set| view! { <p class="settings-hint">{i18n::known_set(set)}</p> });
    view! {
        <li>
            <div class="import-found-head">
                <strong>{name}</strong>
                <span>{t!("import-items", count = found.waiting)} {due}</span>
                <a class="button" data-size="small" href=href aria-label=label>{t!("import-use")}</a>
            </div>
            {set}
            <details>
                <summary>{t!("import-evidence")}</summary>
                <ul class="import-named">{keys}</ul>
                <ul class="import-named">{samples}</ul>
            </details>
        </li>
    }
}

/// A set that is named for what it is.
fn known_set(SetOfOthers { key, set, .. }: &SetOfOthers) -> impl IntoView + use<> {
    view! { <li><code>{key.clone()}</code> ": " {i18n::known_set(set)}</li> }
}

fn sample(item: FoundItem) -> impl IntoView {
    let due = item.due.map(|at| view! { " → " <Time at style=TimeStyle::Absolute/> });
    view! { <li><code class="import-preview">{item.text}</code> " " <code>{item.score}</code> {due}</li> }
}

/// Every byte of a key that means something in an address, as `%XX`.
fn in_address(text: &str) -> String {
    text.bytes()
        .map(|byte| match byte {
            b'a'..=b'z' | b'A'..=b'Z' | b'0'..=b'9' | b'-' | b'_' | b'.' | b':' => {
                char::from(byte).to_string()
            }
            other => format!("%{other:02X}"),
        })
        .collect()
}

#[cfg(test)]
mod tests {
    use super::in_address;

    #[test]
    fn a_key_stands_in_an_address_whatever_is_in_it() {
        assert_eq!(in_address("due:orders"), "due:orders");
        assert_eq!(in_address("a b&c={ü}"), "a%20b%26c%3D%7B%C3%BC%7D");
    }
}
