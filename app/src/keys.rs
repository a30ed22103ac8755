//! Whether letters without Ctrl, Alt or Meta are commands.

use serde::{Deserialize, Serialize};
use std::fmt;

/// The choice, kept in the cookie `keys`. Somebody who speaks to the computer wants them off.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum SingleKeys {
    /// Letters are commands unless somebody types.
    #[default]
    On,
    /// Letters do nothing.
    Off,
}

impl SingleKeys {
    /// Its word in the cookie and in `<html data-keys>`.
    pub const fn as_str(self) -> &'static str {
        match self {
            Self::On => "on",
            Self::Off => "off",
        }
    }

    /// The other one.
    pub const fn other(self) -> Self {
        match self {
            Self::On => Self::Off,
            Self::Off => Self::On,
        }
    }

    /// The choice on this page, from the cookie.
    pub fn current() -> Self {
        let word = crate::cookie::read("keys");
        match word.as_deref() {
            Some("off") => Self::Off,
            _ => Self::On,
        }
    }
}

impl fmt::Display for SingleKeys {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(self.as_str())
    }
}
