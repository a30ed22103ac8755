//! How a visitor likes the screens, kept in cookies so that the server writes them so at once.

use leptos::prelude::*;
use serde::{Deserialize, Serialize};
use std::fmt;

use crate::zone::Zone;

/// How close the rows of tables stand.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum Density {
    /// Two lines a row.
    #[default]
    Roomy,
    /// As many rows as fit.
    Compact,
}

impl Density {
    /// Its word in the cookie and in `<html data-density>`.
    #[must_use]
    pub const fn as_str(self) -> &'static str {
        match self {
            Self::Roomy => "roomy",
            Self::Compact => "compact",
        }
    }

    /// The one of that word.
    #[must_use]
    pub fn from_word(word: &str) -> Option<Self> {
        [Self::Roomy, Self::Compact].into_iter().find(|density| density.as_str() == word)
    }
}

impl fmt::Display for Density {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(self.as_str())
    }
}

/// What a visitor chose beside theme and language. The server knows it at once and sends it along with the page.
#[derive(Debug, Clone, PartialEq, Eq, Default, Serialize, Deserialize)]
pub struct Preferences {
    /// The name of a zone, such as `Asia/Shanghai`; empty for that of the browser.
    pub zone: String,
    /// From which instant on which distance from UTC holds there; empty without a name.
    pub changes: Vec<(i64, i32)>,
    /// The server's time when the page was written, ms.
    pub now_ms: i64,
    /// Whether hours are counted to twelve.
    pub hour12: bool,
    /// How close rows stand.
    pub density: Density,
}

impl Preferences {
    /// Provides them to every component below.
    pub fn provide() {
        provide_context(SharedValue::new(Self::of_request).into_inner());
    }

    /// Those of this page.
    #[must_use]
    pub fn get() -> Self {
        use_context().unwrap_or_default()
    }

    /// The zone they name; `None` for that of the browser.
    ///
    /// The changes are kept for good: once a page in the browser, once a zone on the server.
    #[must_use]
    pub fn chosen_zone(&self) -> Option<Zone> {
        if self.changes.is_empty() {
            return None;
        }
        Some(Zone::named(kept(&self.zone, &self.changes), self.now_ms).counting(self.hour12))
    }

    #[cfg(feature = "ssr")]
    pub(crate) fn of_request() -> Self {
        let cookie = |name| crate::cookie::read(name).unwrap_or_default();
        let now_ms = std::time::SystemTime::now()
            .duration_since(std::time::UNIX_EPOCH)
            .ok()
            .and_then(|since| i64::try_from(since.as_millis()).ok())
            .unwrap_or_default();
        let zone = cookie("zone");
        let changes = if zone.is_empty() { None } else { crate::zone::calendar::changes(&zone, now_ms) };
        Self {
            // A name that is none is as if nobody had chosen.
            zone: if changes.is_some() { zone } else { String::new() },
            changes: changes.unwrap_or_default(),
            now_ms,
            hour12: cookie("clock") == "12",
            density: Density::from_word(&cookie("density")).unwrap_or_default(),
        }
    }

    /// The page always carries them.
    #[cfg(not(feature = "ssr"))]
    fn of_request() -> Self {
        Self::default()
    }
}

/// The changes of a zone for as long as the process lives: at most one copy for each name there is and day.
fn kept(name: &str, changes: &[(i64, i32)]) -> &'static [(i64, i32)] {
    use std::collections::HashMap;
    use std::sync::{LazyLock, Mutex, PoisonError};
    type Kept = HashMap<String, &'static [(i64, i32)]>;
    static KEPT: LazyLock<Mutex<Kept>> = LazyLock::new(Mutex::default);
    let mut kept = KEPT.lock().unwrap_or_else(PoisonError::into_inner);
    // The first change is the beginning of what is told and moves with the time; the others tell whether it is the same.
    if let Some(known) = kept.get(name)
        && known.get(1..) == changes.get(1..)
    {
        return known;
    }
    let leaked: &'static [(i64, i32)] = Box::leak(changes.to_vec().into_boxed_slice());
    kept.insert(name.to_owned(), leaked);
    leaked
}
