//! How a visitor likes the screens, kept in cookies so that the server writes them so at once.

use leptos::prelude::*;

use crate::zone::Zone;

/// A choice between words, kept in a cookie. One of them is the `#[default]`.
macro_rules! choice {
    ($(#[$doc:meta])* $name:ident in $cookie:literal { $($words:tt)+ }) => {
        reprieve::words! {
            $(#[$doc])*
            #[derive(Default)]
            pub enum $name or "one of " {
                $($words)+
            }
        }

        impl $name {
            /// That of this page, from the cookie.
            pub fn current() -> Self {
                crate::cookie::read($cookie).and_then(|word| word.parse().ok()).unwrap_or_default()
            }

            /// The next one of them, and after the last the first.
            pub fn other(self) -> Self {
                let behind = Self::ALL.into_iter().skip_while(|&one| one != self).nth(1);
                behind.unwrap_or(Self::ALL[0])
            }
        }
    };
}

choice! {
    /// Light, dark, or as the system says.
    Theme in "theme" {
        /// Whatever the system prefers.
        #[default]
        System = "system",
        /// Dark on light.
        Light = "light",
        /// Light on dark.
        Dark = "dark",
    }
}

choice! {
    /// How close the rows of tables stand.
    Density in "density" {
        /// Two lines a row.
        #[default]
        Roomy = "roomy",
        /// As many rows as fit.
        Compact = "compact",
    }
}

choice! {
    /// Whether letters without Ctrl, Alt or Meta are commands. Somebody who speaks to the computer wants them off.
    SingleKeys in "keys" {
        /// Letters are commands unless somebody types.
        #[default]
        On = "on",
        /// Letters do nothing.
        Off = "off",
    }
}

choice! {
    /// How wide the navigation stands.
    Width in "navigation" {
        /// Pictures with their names.
        #[default]
        Wide = "wide",
        /// Pictures alone.
        Narrow = "narrow",
    }
}

choice! {
    /// Whether the saved views stand in the navigation. Folded they cost nothing.
    ViewsFold in "views" {
        /// Their heading alone.
        #[default]
        Folded = "folded",
        /// Each with how many jobs it has.
        Open = "open",
    }
}

/// What a visitor writes for the zone of the browser where the namespace has another one.
pub(crate) const OF_BROWSER: &str = "browser";

/// What a visitor chose beside theme and language. The server knows it at once and sends it along with the page.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub(crate) struct Preferences {
    /// The zone they chose, such as `Asia/Shanghai` or [`OF_BROWSER`]; empty for that of the namespace.
    pub chosen: String,
    /// The name of the zone that times are written in.
    pub zone_name: String,
    /// That zone: the chosen one, else that of the namespace, else that of the browser.
    pub zone: Zone,
    /// The server's time when the page was written, ms.
    pub now_ms: i64,
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

    pub(crate) fn of_request() -> Self {
        let cookie = |name| crate::cookie::read(name).unwrap_or_default();
        let now_ms = std::time::SystemTime::now()
            .duration_since(std::time::UNIX_EPOCH)
            .ok()
            .and_then(|since| i64::try_from(since.as_millis()).ok())
            .unwrap_or_default();
        let chosen = cookie("zone");
        // What the script of a page has told of the browser comes last.
        let of_browser = cookie("browser-zone");
        let (zone_name, zone) = zone_of(&chosen, &crate::access::settings().look.zone, &of_browser);
        Self {
            // A name that is none is as if nobody had chosen.
            chosen: if chosen == zone_name || chosen == OF_BROWSER { chosen } else { String::new() },
            zone_name,
            zone: zone.counting(cookie("clock") == "12"),
            now_ms,
            density: Density::current(),
        }
    }
}

/// The first zone there is, and its name: the one somebody chose, that of the namespace unless they chose that of the
/// browser, that of the browser; else UTC.
fn zone_of(chosen: &str, of_namespace: &str, of_browser: &str) -> (String, Zone) {
    let of_namespace = if chosen == OF_BROWSER { "" } else { of_namespace };
    let named = |name: &str| Some((name.to_owned(), Zone::named(name)?));
    [chosen, of_namespace, of_browser, "UTC"].into_iter().find_map(named).unwrap_or_default()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_zone_of_the_namespace_holds_for_a_person_who_chose_none() {
        let name = |chosen, of_namespace| zone_of(chosen, of_namespace, "Europe/Berlin").0;
        assert_eq!(name("", "Asia/Shanghai"), "Asia/Shanghai");
        assert_eq!(name("UTC", "Asia/Shanghai"), "UTC");
        assert_eq!(name("Mars/Olympus", "Asia/Shanghai"), "Asia/Shanghai");
        assert_eq!(name(OF_BROWSER, "Asia/Shanghai"), "Europe/Berlin");
        assert_eq!(name("", ""), "Europe/Berlin");
        assert_eq!(zone_of("", "", ""), ("UTC".to_owned(), Zone::UTC));
    }

    #[test]
    fn the_other_of_two_choices_is_the_one_that_is_not_made() {
        for keys in SingleKeys::ALL {
            assert_ne!(keys.other(), keys);
            assert_eq!(keys.other().other(), keys);
        }
    }
}
