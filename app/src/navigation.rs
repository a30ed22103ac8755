//! How wide the navigation stands.

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
    #[must_use]
    pub const fn as_str(self) -> &'static str {
        match self {
            Self::Wide => "wide",
            Self::Narrow => "narrow",
        }
    }

    /// The other one.
    #[must_use]
    pub const fn other(self) -> Self {
        match self {
            Self::Wide => Self::Narrow,
            Self::Narrow => Self::Wide,
        }
    }

    /// The width on this page: from the cookie on the server, from the markup in the browser.
    #[must_use]
    pub fn current() -> Self {
        #[cfg(feature = "ssr")]
        let word = crate::cookie::read("navigation");
        #[cfg(not(feature = "ssr"))]
        let word = leptos::prelude::document()
            .document_element()
            .and_then(|html| html.get_attribute("data-navigation"));
        match word.as_deref() {
            Some("narrow") => Self::Narrow,
            _ => Self::Wide,
        }
    }
}

impl fmt::Display for Width {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(self.as_str())
    }
}
