//! The address of the audit: everything that restores the screen.

use leptos::prelude::*;
use leptos_router::hooks::use_query_map;
use leptos_router::params::ParamsMap;

use crate::api::audit::Asked;
use crate::{routes, when};

/// Which acts, from which place on.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub(super) struct Address {
    pub(super) asked: Asked,
    /// Where the page begins; empty for the newest.
    pub(super) before: String,
    /// Whether the chain is to be checked.
    pub(super) check: bool,
}

impl Address {
    /// The address on screen.
    pub(super) fn current() -> Self {
        use_query_map().with_untracked(Self::read)
    }

    fn read(query: &ParamsMap) -> Self {
        let text = |name| query.get(name).map(|text| text.trim().to_owned()).unwrap_or_default();
        // A form sends them as they are on the clocks of its zone.
        let moment = |name| when::in_zone(&text(name), &text("zone"));
        let asked = Asked {
            by: text("by"),
            verb: text("verb"),
            queue: text("queue"),
            subject: text("subject"),
            within: text("within"),
            from: moment("from"),
            to: moment("to"),
            only: text("only"),
        };
        Self { asked, before: text("before"), check: text("check") == "1" }
    }

    /// Whether nothing is left out.
    pub(super) fn is_plain(&self) -> bool {
        self.wanted().iter().all(|(_, text)| text.is_empty())
    }

    /// What is asked for, as pairs of a query.
    pub(super) fn wanted(&self) -> [(&'static str, &str); 8] {
        let Asked { by, verb, queue, subject, within, from, to, only } = &self.asked;
        [
            ("by", by),
            ("verb", verb),
            ("queue", queue),
            ("subject", subject),
            ("within", within),
            ("from", from),
            ("to", to),
            ("only", only),
        ]
    }

    /// The same from that place on.
    pub(super) fn before(&self, place: String) -> Self {
        Self { before: place, check: false, ..self.clone() }
    }

    /// The same from the newest act on.
    pub(super) fn newest(&self) -> Self {
        self.before(String::new())
    }

    /// The address as a link.
    pub(super) fn href(&self) -> String {
        routes::query(routes::AUDIT, self.wanted().into_iter().chain([("before", self.before.as_str())]))
    }

    /// All that fits as a file.
    pub(super) fn export_href(&self, format: &str) -> String {
        routes::query(&format!("/export/audit.{format}"), self.wanted())
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn moments_are_read_in_the_zone_of_the_form() {
        let mut query = ParamsMap::new();
        query.insert("from", "2031-01-15T09:00".to_owned());
        query.insert("zone", "Europe/Berlin".to_owned());
        let address = Address::read(&query);
        assert_eq!(address.href(), "/audit?from=2031-01-15T08:00:00Z");
        assert_eq!(Address::read(&ParamsMap::new()), Address::default());
    }

    #[test]
    fn an_address_restores_the_screen() {
        let asked = Asked { by: "ann & co".to_owned(), queue: "mail".to_owned(), ..Asked::default() };
        let address = Address { asked, before: "5-0-0".to_owned(), check: false };
        assert_eq!(address.href(), "/audit?by=ann+%26+co&queue=mail&before=5-0-0");
        assert_eq!(address.newest().href(), "/audit?by=ann+%26+co&queue=mail");
        assert_eq!(address.export_href("csv"), "/export/audit.csv?by=ann+%26+co&queue=mail");
        assert!(!address.is_plain() && Address::default().is_plain());
        assert_eq!(Address::default().href(), "/audit");
    }
}
