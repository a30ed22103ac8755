//! JSON as a tree that folds.

use std::cell::Cell;

use leptos::prelude::*;
use reprieve::model::{JobId, PartPath, is_hidden};
use serde_json::value::RawValue;

use super::json::Json;
use super::reveal::Reveal;
use crate::{format, t};

/// Deeper levels are shown as text: nobody folds that far, and the page must not overflow its stack.
const DEPTH_MAX: usize = 12;
/// Entries of one level; the raw text has all.
const ENTRIES_MAX: usize = 200;
/// Longer texts fold here.
const TEXT_CHARS_OPEN: usize = 2_000;
/// Hidden parts that can be looked at on the page, each with a form of its own; the others over the API.
const LOOKS_MAX: usize = 40;

/// The value and what is in it. With the job whose payload it is, its hidden parts can be looked at.
pub(super) fn tree(value: &RawValue, payload_of: Option<&JobId>) -> AnyView {
    let tree = Tree { payload_of, looks: Cell::new(0) };
    tree.branch(value, 0, &PartPath::default())
}

/// What is being drawn.
struct Tree<'a> {
    payload_of: Option<&'a JobId>,
    /// How many hidden parts there were so far.
    looks: Cell<usize>,
}

impl Tree<'_> {
    fn branch(&self, value: &RawValue, depth: usize, at: &PartPath) -> AnyView {
        if depth >= DEPTH_MAX {
            return view! { <code>{value.get().to_owned()}</code> }.into_any();
        }
        match Json::of(value) {
            Json::Object(members) if !members.is_empty() => {
                let entries = members.iter().take(ENTRIES_MAX).map(|(name, value)| {
                    let at = at.below(name);
                    self.entry(name.clone(), value, depth, &at)
                });
                view! { <ul class="tree">{entries.collect_view()} {rest(members.len())}</ul> }.into_any()
            }
            Json::List(items) if !items.is_empty() => {
                let entries = items.iter().take(ENTRIES_MAX).enumerate().map(|(n, value)| {
                    let name = n.to_string();
                    let at = at.below(&name);
                    self.entry(name, value, depth, &at)
                });
                view! { <ul class="tree">{entries.collect_view()} {rest(items.len())}</ul> }.into_any()
            }
            leaf => {
                let (sort, text) = match &leaf {
                    Json::Text(text) => ("string", text.as_str()),
                    Json::Number(digits) => ("number", *digits),
                    Json::Word(word @ "null") => ("null", *word),
                    Json::Word(word) => ("bool", *word),
                    Json::Object(_) | Json::List(_) => ("empty", value.get()),
                };
                let (open, rest) = text.split_at(match leaf {
                    Json::Text(_) => format::end_of_open(text, TEXT_CHARS_OPEN),
                    _ => text.len(),
                });
                let folded = (!rest.is_empty()).then(|| folded(rest));
                let look = is_hidden(text).then(|| self.look(at));
                view! { <code class="leaf" data-sort=sort>{open.to_owned()}</code> {folded} {look} }
                    .into_any()
            }
        }
    }

    fn entry(&self, name: String, value: &RawValue, depth: usize, at: &PartPath) -> AnyView {
        let inside = match Json::of(value) {
            Json::Object(members) if !members.is_empty() => Some(format!("{{{}}}", members.len())),
            Json::List(items) if !items.is_empty() => Some(format!("[{}]", items.len())),
            _ => None,
        };
        let branch = self.branch(value, depth + 1, at);
        match inside {
            Some(size) => view! {
                <li>
                    <details open=depth < 2>
                        <summary><span class="leaf-name">{name}</span> <small>{size}</small></summary>
                        {branch}
                    </details>
                </li>
            }
            .into_any(),
            None => view! { <li><span class="leaf-name">{name}</span> {branch}</li> }.into_any(),
        }
    }

    /// The way to look behind the mark of something hidden.
    fn look(&self, at: &PartPath) -> Option<AnyView> {
        let id = self.payload_of?.clone();
        let number = self.looks.get();
        if number >= LOOKS_MAX {
            return None;
        }
        self.looks.set(number + 1);
        Some(view! { <Reveal id part=at.clone() number/> }.into_any())
    }
}

fn rest(all: usize) -> Option<impl IntoView> {
    (all > ENTRIES_MAX)
        .then(|| view! { <li><small>{t!("job-tree-more", count = all - ENTRIES_MAX)}</small></li> })
}

/// What of a long text one has to unfold.
fn folded(rest: &str) -> impl IntoView + use<> {
    let count = rest.chars().count();
    view! {
        <details class="leaf-rest">
            <summary>{t!("job-rest-of-text", count = count)}</summary>
            <code class="leaf" data-sort="string">{rest.to_owned()}</code>
        </details>
    }
}
