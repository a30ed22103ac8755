//! When the screen must not move: somebody is in the middle of something.

/// Whether a menu, popover or dialog is open, text is selected, or a row is ticked. Never on the server.
///
/// A hidden tab needs no word here: its stream is closed. To answer takes the layout of the page: ask of what would move,
/// and of nothing else.
#[must_use]
pub fn is_quiet() -> bool {
    is_engaged() || has_ticks()
}

/// The same without the ticks: while only they are there, what is new is still counted.
#[must_use]
pub fn is_engaged() -> bool {
    #[cfg(feature = "hydrate")]
    {
        use leptos::prelude::window;
        let selecting = window().get_selection().ok().flatten().is_some_and(|text| !text.is_collapsed());
        // A browser that does not know the selector has no open popover either.
        selecting || is_there(":popover-open, dialog[open]")
    }
    #[cfg(not(feature = "hydrate"))]
    false
}

/// Whether nobody can see the page: its tab is behind others.
pub(super) fn is_hidden() -> bool {
    #[cfg(feature = "hydrate")]
    return leptos::prelude::document().hidden();
    #[cfg(not(feature = "hydrate"))]
    false
}

/// Whether a row of a list is ticked.
fn has_ticks() -> bool {
    #[cfg(feature = "hydrate")]
    return is_there(".job-table tbody .cell-tick input:checked");
    #[cfg(not(feature = "hydrate"))]
    false
}

#[cfg(feature = "hydrate")]
fn is_there(selector: &str) -> bool {
    leptos::prelude::document().query_selector(selector).ok().flatten().is_some()
}
