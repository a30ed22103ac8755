//! Another view of the page that a job is on, which need not be its own.

use leptos::prelude::*;
use leptos_router::hooks::use_location;

/// What a form leaves in the address that it leads to.
const SAID: &str = "said";

/// The address of this page with another value of a word in its query, or without that word.
pub(super) fn with(word: &str, value: Option<String>) -> String {
    let location = use_location();
    let mut query = location.query.get_untracked();
    query.remove(SAID);
    query.remove(word);
    if let Some(value) = value {
        query.insert(word.to_owned(), value);
    }
    format!("{}{}", location.pathname.get_untracked(), query.to_query_string())
}

/// The hidden fields of a form that asks for this page with other values of these words.
pub(super) fn fields_but(words: &'static [&str]) -> impl IntoView {
    let query = use_location().query.get_untracked();
    query
        .into_iter()
        .filter(|(word, _)| word != SAID && !words.contains(&word.as_ref()))
        .map(|(word, value)| view! { <input type="hidden" name=word.to_string() value=value/> })
        .collect_view()
}

/// The path of this page.
pub(super) fn path() -> String {
    use_location().pathname.get_untracked()
}
