//! JSON as a tree that folds.

use leptos::prelude::*;
use serde_json::Value;

use crate::t;

/// Deeper levels are shown as text: nobody folds that far, and the page must not overflow its stack.
const DEPTH_MAX: usize = 12;
/// Entries of one level; the raw text has all.
const ENTRIES_MAX: usize = 200;
/// Longer texts are cut here; the raw text has all.
const TEXT_CHARS_MAX: usize = 2_000;

/// The value and what is in it.
pub(super) fn tree(value: &Value) -> AnyView {
    branch(value, 0)
}

fn branch(value: &Value, depth: usize) -> AnyView {
    match value {
        _ if depth >= DEPTH_MAX => view! { <code>{value.to_string()}</code> }.into_any(),
        Value::Object(map) if !map.is_empty() => {
            let entries = map.iter().take(ENTRIES_MAX).map(|(name, value)| entry(name.clone(), value, depth));
            view! { <ul class="tree">{entries.collect_view()} {rest(map.len())}</ul> }.into_any()
        }
        Value::Array(list) if !list.is_empty() => {
            let entries = list
                .iter()
                .take(ENTRIES_MAX)
                .enumerate()
                .map(|(n, value)| entry(n.to_string(), value, depth));
            view! { <ul class="tree">{entries.collect_view()} {rest(list.len())}</ul> }.into_any()
        }
        leaf => {
            let (sort, text) = match leaf {
                Value::String(text) => ("string", cut(text)),
                Value::Number(number) => ("number", number.to_string()),
                Value::Bool(truth) => ("bool", truth.to_string()),
                Value::Null => ("null", "null".to_owned()),
                empty => ("empty", empty.to_string()),
            };
            view! { <code class="leaf" data-sort=sort>{text}</code> }.into_any()
        }
    }
}

fn entry(name: String, value: &Value, depth: usize) -> AnyView {
    let inside = match value {
        Value::Object(map) if !map.is_empty() => Some(format!("{{{}}}", map.len())),
        Value::Array(list) if !list.is_empty() => Some(format!("[{}]", list.len())),
        _ => None,
    };
    match inside {
        Some(size) => view! {
            <li>
                <details open=depth < 2>
                    <summary><span class="leaf-name">{name}</span> <small>{size}</small></summary>
                    {branch(value, depth + 1)}
                </details>
            </li>
        }
        .into_any(),
        None => {
            view! { <li><span class="leaf-name">{name}</span> {branch(value, depth + 1)}</li> }.into_any()
        }
    }
}

fn rest(all: usize) -> Option<impl IntoView> {
    (all > ENTRIES_MAX)
        .then(|| view! { <li><small>{t!("job-tree-more", count = all - ENTRIES_MAX)}</small></li> })
}

fn cut(text: &str) -> String {
    match text.char_indices().nth(TEXT_CHARS_MAX) {
        Some((end, _)) => format!("{}…", &text[..end]),
        None => text.to_owned(),
    }
}
