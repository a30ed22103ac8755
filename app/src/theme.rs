//! Light, dark, or as the system says.

use serde::{Deserialize, Serialize};
use std::fmt;

/// The choice, kept in the cookie `theme`.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum Theme {
    /// Whatever the system prefers.
    #[default]
    System,
    /// Dark on light.
    Light,
    /// Light on dark.
    Dark,
}

impl Theme {
    /// All of them, in the order of the switch.
    pub const ALL: [Self; 3] = [Self::System, Self::Light, Self::Dark];

    /// Its word in the cookie and in `<html data-theme>`.
    pub const fn as_str(self) -> &'static str {
        match self {
            Self::System => "system",
            Self::Light => "light",
            Self::Dark => "dark",
        }
    }

    /// The theme of a word; the system's own for an unknown one.
    pub fn from_word(word: &str) -> Self {
        Self::ALL.into_iter().find(|theme| theme.as_str() == word).unwrap_or_default()
    }

    /// The theme of this page, from the cookie.
    pub fn current() -> Self {
        let word = crate::cookie::read("theme");
        word.as_deref().map(Self::from_word).unwrap_or_default()
    }
}

impl fmt::Display for Theme {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(self.as_str())
    }
}
