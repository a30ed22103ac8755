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
    pub const fn as_str(self) -> &'static str {
        match self {
            Self::Roomy => "roomy",
            Self::Compact => "compact",
        }
    }

    /// The one of that word.
    pub fn from_word(word: &str) -> Option<Self> {
        [Self::Roomy, Self::Compact].into_iter().find(|density| density.as_str() == word)
    }
}

impl fmt::Display for Density {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(self.as_str())
    }
}

/// What a visitor writes for the zone of the browser where the namespace has another one.
pub(crate) const OF_BROWSER: &str = "browser";

/// What a visitor chose beside theme and language. The server knows it at once and sends it along with the page.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub(crate) struct Preferences {
    /// The zone they chose, such as `Asia/Shanghai` or [`OF_BROWSER`]; empty for that of the namespace.
    pub chosen: String,
    /// The name of the zone to write times in: the chosen one, else that of the namespace; empty for that of the browser.
    pub zone: String,
    /// The zone of the browser, where that is the one and known.
    pub of_browser: String,
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
    pub(crate) fn provide() {
        provide_context(Self::of_request());
    }

    /// Those of this page.
    pub(crate) fn get() -> Self {
        use_context().unwrap_or_default()
    }

    /// The zone to write times in; `None` for that of the browser.
    ///
    /// The changes are kept for good, once a zone.
    pub(crate) fn chosen_zone(&self) -> Option<Zone> {
        if self.changes.is_empty() {
            return None;
        }
        let name = if self.zone.is_empty() { &self.of_browser } else { &self.zone };
        Some(Zone::named(kept(name, &self.changes), self.now_ms).counting(self.hour12))
    }

    /// The zone that the answer to this request is written in.
    pub(crate) fn zone_of_request() -> Zone {
        let preferences = Self::of_request();
        preferences.chosen_zone().unwrap_or(Zone::UTC.counting(preferences.hour12))
    }

    /// The name of the zone that times of the page are written in.
    pub(crate) fn zone_name(&self) -> String {
        let name = if self.zone.is_empty() { &self.of_browser } else { &self.zone };
        if self.changes.is_empty() { "UTC".to_owned() } else { name.clone() }
    }

    pub(crate) fn of_request() -> Self {
        let cookie = |name| crate::cookie::read(name).unwrap_or_default();
        let now_ms = std::time::SystemTime::now()
            .duration_since(std::time::UNIX_EPOCH)
            .ok()
            .and_then(|since| i64::try_from(since.as_millis()).ok())
            .unwrap_or_default();
        let (chosen, of_namespace) = (cookie("zone"), crate::access::settings().look.zone.clone());
        let (zone, changes) = zone_of(&chosen, &of_namespace, now_ms).unwrap_or_default();
        // What the script of a page has told of the browser.
        let of_browser = if changes.is_empty() { cookie("browser-zone") } else { String::new() };
        let changes = crate::zone::calendar::changes(&of_browser, now_ms).unwrap_or(changes);
        Self {
            of_browser,
            // A name that is none is as if nobody had chosen.
            chosen: if chosen == zone || chosen == OF_BROWSER { chosen } else { String::new() },
            zone,
            changes,
            now_ms,
            hour12: cookie("clock") == "12",
            density: Density::from_word(&cookie("density")).unwrap_or_default(),
        }
    }
}

/// A zone by its name, with its changes: the one somebody chose, else that of the namespace; `None` for that of the browser.
fn zone_of(chosen: &str, of_namespace: &str, now_ms: i64) -> Option<(String, Vec<(i64, i32)>)> {
    let named = |name: &str| Some((name.to_owned(), crate::zone::calendar::changes(name, now_ms)?));
    let wanted = [chosen, of_namespace].into_iter().take(if chosen == OF_BROWSER { 0 } else { 2 });
    wanted.filter(|name| !name.is_empty()).find_map(named)
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

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_zone_of_the_namespace_holds_for_a_person_who_chose_none() {
        let name =
            |chosen, of_namespace| zone_of(chosen, of_namespace, 1_786_525_200_000).map(|(name, _)| name);
        assert_eq!(name("", "Asia/Shanghai").as_deref(), Some("Asia/Shanghai"));
        assert_eq!(name("UTC", "Asia/Shanghai").as_deref(), Some("UTC"));
        assert_eq!(name("Mars/Olympus", "Asia/Shanghai").as_deref(), Some("Asia/Shanghai"));
        assert_eq!(name(OF_BROWSER, "Asia/Shanghai"), None);
        assert_eq!(name("", ""), None);
    }
}
