//! Which jobs a run is about, in words.

use leptos::prelude::*;
use reprieve::model::BulkRun;

use crate::components::time::{HERE, TimeStyle, TimedSentence};
use crate::{i18n, t};

/// `matching kind:sms due:<24h`, or what it was made from instead.
#[component]
pub(super) fn Which(run: BulkRun) -> impl IntoView {
    let Some(filter) = &run.filter else { return t!("bulk-undo-of").into_any() };
    if filter.picked.is_some() {
        return t!("bulk-picked").into_any();
    }
    let mut parts: Vec<String> =
        filter.matching.iter().map(ToString::to_string).filter(|text| !text.is_empty()).collect();
    parts.extend(filter.queue.iter().map(|queue| format!("queue:{queue}")));
    parts.extend(filter.kind.iter().map(|kind| format!("kind:{kind}")));
    parts.extend(filter.subject.iter().map(|subject| format!("subject:{subject}")));
    parts.extend(filter.tag.iter().map(|tag| format!("tag:{tag}")));
    parts.extend(filter.error.iter().map(|error| format!("error:\"{error}\"")));
    parts.extend(filter.died_of.iter().map(|failure| format!("error:\"{}\"", failure.mask)));
    let due = [
        (filter.due_from, t!("bulk-due-from", at = HERE)),
        (filter.due_before, t!("bulk-due-before", at = HERE)),
    ];
    let due: Vec<_> = due
        .into_iter()
        .filter_map(|(at, text)| {
            let at = at?;
            Some(view! { " " <TimedSentence text at style=TimeStyle::Absolute/> })
        })
        .collect();
    let states: Vec<String> = filter.states.iter().map(|state| i18n::state(*state)).collect();
    let words = match (parts.is_empty(), due.is_empty()) {
        (false, _) => t!("bulk-matching", filter = parts.join(" ")),
        (true, true) => t!("bulk-everything"),
        // Their due time is all that is asked of them.
        (true, false) => String::new(),
    };
    view! { <span>{words} {due}</span> " " <small>{states.join(" · ")}</small> }.into_any()
}
