//! Saved views: a list, a filter and columns under a name.

use super::filter::Filter;
use super::list::StateGroup;
use serde::{Deserialize, Serialize};

/// Longest name, characters: what a link of a row of views still shows.
pub const VIEW_NAME_CHARS_MAX: usize = 40;

/// What somebody wants to see again.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[non_exhaustive]
pub struct SavedView {
    /// Its name, its owner's choice: 1 to 40 characters.
    pub name: String,
    /// Who saved it, and may remove it; one that everybody sees may also be removed by a person who manages people.
    pub owner: String,
    /// Whether everybody sees it.
    pub shared: bool,
    /// Which list.
    pub list: StateGroup,
    /// Which jobs of it.
    pub filter: Filter,
    /// Columns from payloads and words of the screens' own, parted by commas: eight paths and 1,024 bytes at most.
    pub columns: String,
}

impl SavedView {
    /// A view of one's own.
    #[must_use]
    pub fn new(name: impl Into<String>, list: StateGroup, filter: Filter) -> Self {
        Self { name: name.into(), owner: String::new(), shared: false, list, filter, columns: String::new() }
    }
}
