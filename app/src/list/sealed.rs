//! Filters in addresses: what they search payloads for stands there sealed, and only the server can read it.
//!
//! The address of a list, and every link made of it, has the sealed line. What reads a filter on the server opens it
//! first; the screen is told what it says, to show it to the person who typed it.

use std::collections::BTreeMap;

use leptos::prelude::*;
use reprieve::model::Filter;
use reprieve::model::filter::{seals, unsealed};

use crate::error::ApiError;

/// What stands for a sealed text that is not known here, or that nobody can open any more.
const HIDDEN: &str = "…";

/// What the sealed texts of an address say; `None` for those that were not sealed here. Put into the request by a layer
/// of the server, which has the key.
#[derive(Debug, Clone, Default)]
pub struct Opened(pub BTreeMap<String, Option<String>>);

/// What the sealed texts of the address say.
#[derive(Debug, Clone)]
pub(crate) struct Unsealed(BTreeMap<String, Option<String>>);

impl Unsealed {
    /// Provides it to the parts of a page.
    pub(crate) fn provide() -> Self {
        let request = use_context::<http::request::Parts>();
        let opened = request.and_then(|parts| parts.extensions.get::<Opened>().cloned()).unwrap_or_default();
        let unsealed = Self(opened.0);
        provide_context(unsealed.clone());
        unsealed
    }

    /// Those of this page.
    pub(crate) fn get() -> Self {
        expect_context()
    }

    /// The line as it was typed. What cannot be opened stays sealed in it.
    pub(crate) fn line(&self, sealed: &str) -> String {
        unsealed(sealed, |seal| self.text(seal).unwrap_or_else(|| seal.to_owned()))
    }

    /// The line to be shown, with a mark in place of what is not known.
    pub(crate) fn said(&self, sealed: &str) -> String {
        unsealed(sealed, |seal| self.text(seal).unwrap_or_else(|| HIDDEN.to_owned()))
    }

    /// Whether the line has texts that nobody can open here.
    pub(crate) fn is_lapsed(&self, sealed: &str) -> bool {
        seals(sealed).into_iter().any(|place| matches!(self.0.get(&sealed[place]), Some(None)))
    }

    /// Whether the line is a filter.
    pub(crate) fn reads(&self, sealed: &str) -> bool {
        !self.is_lapsed(sealed) && self.line(sealed).parse::<Filter>().is_ok()
    }

    fn text(&self, seal: &str) -> Option<String> {
        self.0.get(seal).cloned().flatten()
    }
}

/// The filter that a line of an address is.
///
/// # Errors
/// `Lapsed`; `Invalid` for one that does not read; `Unavailable`.
pub(crate) async fn filter(line: &str) -> Result<Filter, ApiError> {
    let invalid =
        |wrong: reprieve::model::FilterError| ApiError::Invalid { why: crate::i18n::filter_problem(&wrong) };
    if seals(line).is_empty() {
        return line.parse().map_err(invalid);
    }
    let line = crate::access::caller()?.seals().await?.open_line(line).map_err(|_| ApiError::Lapsed)?;
    line.parse().map_err(invalid)
}

/// Saved views with their filters as addresses have them.
///
/// # Errors
/// `Unavailable`.
pub(crate) async fn views(
    mut views: Vec<reprieve::model::SavedView>,
) -> Result<Vec<reprieve::model::SavedView>, ApiError> {
    if views.iter().any(|view| view.filter.is_open()) {
        let seals = crate::access::caller()?.seals().await?;
        views.iter_mut().for_each(|view| view.filter = seals.seal_filter(&view.filter));
    }
    Ok(views)
}

#[cfg(test)]
mod tests {
    use super::*;
    use reprieve::model::filter::{SEAL_DIGITS_MIN, SEAL_MARK};

    fn seal(digit: &str) -> String {
        format!("{SEAL_MARK}{}", digit.repeat(SEAL_DIGITS_MIN))
    }

    fn opened(known: &[(&str, Option<&str>)]) -> Unsealed {
        let known = known.iter().map(|(digit, text)| (seal(digit), text.map(ToOwned::to_owned)));
        Unsealed(known.collect())
    }

    #[test]
    fn a_line_is_shown_as_it_was_typed() {
        let line = format!("kind:a payload.phone:{} -{}", seal("1"), seal("2"));
        let part = opened(&[("1", Some("138"))]);
        assert_eq!(part.said(&line), "kind:a payload.phone:138 -…");
        let all = opened(&[("1", Some("138")), ("2", Some("\"gave up\""))]);
        assert_eq!(all.line(&line), "kind:a payload.phone:138 -\"gave up\"");
        assert!(all.reads(&line));
        assert_eq!(all.line("kind:a"), "kind:a");
    }

    #[test]
    fn what_nobody_can_open_is_no_filter() {
        let line = format!("payload.phone:{}", seal("1"));
        let lapsed = opened(&[("1", None)]);
        assert!(lapsed.is_lapsed(&line) && !lapsed.reads(&line));
        assert_eq!(lapsed.said(&line), "payload.phone:…");
        assert_eq!(lapsed.line(&line), line, "it is not taken for something else when it is sent again");
    }

    #[test]
    fn a_line_that_does_not_read_is_known_as_that_when_it_is_open() {
        assert!(!opened(&[("1", Some("kind:"))]).reads(&seal("1")));
        assert!(!opened(&[]).reads("kind:"));
    }
}
