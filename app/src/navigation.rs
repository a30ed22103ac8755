//! How wide the navigation stands, and whether it has the saved views.

use serde::{Deserialize, Serialize};
use std::fmt;

/// The choice, kept in the cookie `navigation`.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum Width {
    /// Pictures with their names.
    #[default]
    Wide,
    /// Pictures alone.
    Narrow,
}

impl Width {
    /// Its word in the cookie and in `<html data-navigation>`.
    pub const fn as_str(self) -> &'static str {
        match self {
            Self::Wide => "wide",
            Self::Narrow => "narrow",
        }
    }

    /// The other one.
    pub const fn other(self) -> Self {
        match self {
            Self::Wide => Self::Narrow,
            Self::Narrow => Self::Wide,
        }
    }

    /// The width that the cookie asks for.
    pub fn current() -> Self {
        let word = crate::cookie::read("navigation");
        match word.as_deref() {
            Some("narrow") => Self::Narrow,
            _ => Self::Wide,
        }
    }
}

/// Whether the saved views stand in the navigation, kept in the cookie `views`. Folded they cost nothing.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum ViewsFold {
    /// Their heading alone.
    #[default]
    Folded,
    /// Each with how many jobs it has.
    Open,
}

impl ViewsFold {
    /// Its word in the cookie.
    pub const fn as_str(self) -> &'static str {
        match self {
            Self::Folded => "folded",
            Self::Open => "open",
        }
    }

    /// The other one.
    pub const fn other(self) -> Self {
        match self {
            Self::Folded => Self::Open,
            Self::Open => Self::Folded,
        }
    }

    /// What the cookie says.
    pub(crate) fn of_request() -> Self {
        match crate::cookie::read("views").as_deref() {
            Some("open") => Self::Open,
            _ => Self::Folded,
        }
    }
}

impl fmt::Display for Width {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(self.as_str())
    }
}
