//! The languages of the screens, and which one a visitor sees.

use serde::{Deserialize, Serialize};
use std::fmt;
use unic_langid::LanguageIdentifier;

/// A language of the screens. The choice is kept in the account, and in the cookie `language` for a visitor who is
/// not signed in; without one the browser's wish decides.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, Default, Serialize, Deserialize)]
pub enum Language {
    /// English.
    #[default]
    #[serde(rename = "en")]
    English,
    /// Simplified Chinese.
    #[serde(rename = "zh-CN")]
    Chinese,
    /// English with every letter accented and longer: what is not translated stands out. For tests only.
    #[serde(rename = "en-XA")]
    Pseudo,
}

impl Language {
    /// Those a visitor can choose.
    pub const OFFERED: [Self; 2] = [Self::English, Self::Chinese];
    /// All there are.
    pub const ALL: [Self; 3] = [Self::English, Self::Chinese, Self::Pseudo];

    /// Its tag by BCP 47, as in `<html lang>` and in the cookie.
    pub const fn tag(self) -> &'static str {
        match self {
            Self::English => "en",
            Self::Chinese => "zh-CN",
            Self::Pseudo => "en-XA",
        }
    }

    /// What it calls itself.
    pub const fn own_name(self) -> &'static str {
        match self {
            Self::English => "English",
            Self::Chinese => "简体中文",
            Self::Pseudo => "Ƥşḗŭḓǿ",
        }
    }

    /// The language of a tag; English for an unknown one.
    pub fn from_tag(tag: &str) -> Self {
        Self::ALL.into_iter().find(|language| language.tag() == tag).unwrap_or_default()
    }

    /// The tag as rules of plurals want it.
    pub(super) fn identifier(self) -> LanguageIdentifier {
        self.tag().parse().unwrap_or_default()
    }

    /// The language of this page.
    pub fn current() -> Self {
        leptos::prelude::use_context::<Self>().unwrap_or_else(Self::of_request)
    }

    /// What the request asks for: the choice in the account of the sender, else its cookie, else its
    /// `Accept-Language`.
    pub(crate) fn of_request() -> Self {
        let of_account = Some(crate::request::principal().language).filter(|tag| !tag.is_empty());
        if let Some(tag) = of_account.or_else(|| crate::cookie::read("language")) {
            return Self::from_tag(&tag);
        }
        let header = leptos::prelude::use_context::<http::request::Parts>().and_then(|parts| {
            parts.headers.get(http::header::ACCEPT_LANGUAGE)?.to_str().ok().map(ToOwned::to_owned)
        });
        header.map(|wishes| negotiate(&wishes)).unwrap_or_default()
    }
}

/// The offered language that the wishes of an `Accept-Language` header fit best.
fn negotiate(wishes: &str) -> Language {
    use fluent_langneg::{NegotiationStrategy, accepted_languages, negotiate_languages};
    let wanted = accepted_languages::parse(wishes);
    let offered = Language::OFFERED.map(Language::identifier);
    let default = Language::default().identifier();
    let found = negotiate_languages(&wanted, &offered, Some(&default), NegotiationStrategy::Lookup);
    found.first().map(|tag| Language::from_tag(&tag.to_string())).unwrap_or_default()
}

impl fmt::Display for Language {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(self.tag())
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_browsers_wish_finds_the_language_that_fits_best() {
        for (wishes, language) in [
            ("zh-CN,zh;q=0.9,en;q=0.8", Language::Chinese),
            ("zh", Language::Chinese),
            ("en-GB,en;q=0.9", Language::English),
            ("de-DE,de;q=0.9", Language::English),
            ("de, zh-CN;q=0.5", Language::Chinese),
            ("", Language::English),
            (";;;,,q=", Language::English),
        ] {
            assert_eq!(negotiate(wishes), language, "{wishes}");
        }
    }

    #[test]
    fn a_tag_and_its_language_belong_together() {
        for language in Language::ALL {
            assert_eq!(Language::from_tag(language.tag()), language);
        }
        assert_eq!(Language::from_tag("xx"), Language::English);
    }
}
