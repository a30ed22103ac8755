//! When the screen must not move: somebody is in the middle of something.

/// Whether a menu, popover or dialog is open, or text is selected. Never on the server.
///
/// A hidden tab needs no word here: its stream is closed.
#[must_use]
pub fn is_quiet() -> bool {
    #[cfg(feature = "hydrate")]
    {
        use leptos::prelude::{document, window};
        // A browser that does not know the selector has no open popover either.
        let open = document().query_selector(":popover-open, dialog[open]").ok().flatten().is_some();
        let selecting = window().get_selection().ok().flatten().is_some_and(|text| !text.is_collapsed());
        open || selecting
    }
    #[cfg(not(feature = "hydrate"))]
    false
}
