//! Why a plain form was not done as it was sent, for the page that it comes back to.
//!
//! The word in the address says what sort of mistake it was. What exactly is wrong, and where, comes along in a cookie that
//! is read once: an address could put any text on the page.

use http::HeaderValue;
use http::request::Parts;
use leptos::prelude::{Owner, provide_context, use_context};
use reprieve::model::InvalidName;
use serde::{Deserialize, Serialize};

use crate::error::ApiError;
use crate::{cookie, i18n, t};

/// What was refused, and why.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct Refused {
    /// The word for it in the address, behind `said=`.
    pub said: String,
    /// Where the form was sent.
    pub action: String,
    /// The name of the field that is at fault, if one is.
    pub field: Option<String>,
    /// What is wrong and what to do, in the language of the sender.
    pub text: String,
}

/// What can be wrong in the forms of people and tokens, which are sent to routes of their own.
#[derive(Debug)]
pub enum PeopleFault {
    /// The name of a person.
    Name(InvalidName),
    /// The name of a token.
    TokenName(InvalidName),
    /// One of the names of queues.
    Queue(String, InvalidName),
    /// Not that many days.
    Days {
        /// For how many a token may be good.
        most: i64,
    },
    /// Refused by the engine for a reason with this word.
    Word(&'static str),
    /// Nothing that the form of the page sends.
    Unreadable,
}

impl PeopleFault {
    /// Behind `said=` in the address.
    pub fn said(&self) -> String {
        match self {
            Self::Word(word) => format!("people.{word}"),
            _ => "people.invalid".to_owned(),
        }
    }

    fn field(&self) -> Option<&'static str> {
        match self {
            Self::Name(_) | Self::TokenName(_) | Self::Word("taken" | "token_taken") => Some("name"),
            Self::Queue(..) => Some("queues"),
            Self::Days { .. } => Some("days"),
            Self::Word(_) | Self::Unreadable => None,
        }
    }

    fn text(&self) -> String {
        match self {
            Self::Name(wrong) => t!("account-said-name", wrong = i18n::bad_name(wrong)),
            Self::TokenName(wrong) => t!("account-said-token-name", wrong = i18n::bad_name(wrong)),
            Self::Queue(name, wrong) => {
                t!("account-said-queue", name = name.clone(), wrong = i18n::bad_name(wrong))
            }
            Self::Days { most } => t!("account-said-days", days = *most),
            Self::Word(_) | Self::Unreadable => {
                i18n::said(&self.said()).map_or_else(String::new, |said| said.text)
            }
        }
    }
}

/// Its cookie.
const COOKIE: &str = "refused";
/// For how long it waits for its page, in seconds.
const KEPT_S: u32 = 60;

impl Refused {
    /// Leaves it for the page that the form of this request comes back to, and returns its word.
    ///
    /// Of a setting that has changed meanwhile the word says all: the page shows how it stands now, and what was
    /// typed is not put back over it.
    pub(crate) fn leave(error: &ApiError) -> String {
        Self::leave_saying(error, error.in_full())
    }

    /// The same in other words.
    pub(crate) fn leave_saying(error: &ApiError, text: String) -> String {
        let refused = Self::new(format!("error.{}", error.code()), error.field(), text);
        let is_shown = *error == ApiError::SettingChanged;
        if let Some(text) = cookie::escaped(&refused).filter(|_| !is_shown) {
            cookie::lend(COOKIE, &text, KEPT_S);
        }
        refused.said
    }

    /// The same for a form of people and tokens: its word, and the cookie to answer with. It is said in the language of
    /// the sender of the request.
    pub fn of_people(parts: &Parts, fault: &PeopleFault) -> (String, Option<HeaderValue>) {
        Self::sent(parts, || Self::new(fault.said(), fault.field(), fault.text()))
    }

    /// The same for a form of one's own account, where the word in the address says all but which field is at fault.
    pub fn of_account(parts: &Parts, word: &str, field: &str) -> (String, Option<HeaderValue>) {
        Self::sent(parts, || {
            let text = i18n::said(word).map_or_else(String::new, |said| said.text);
            Self::new(word.to_owned(), Some(field), text)
        })
    }

    fn sent(parts: &Parts, refused: impl FnOnce() -> Self) -> (String, Option<HeaderValue>) {
        let refused = Owner::new().with(|| {
            provide_context(parts.clone());
            refused()
        });
        let cookie = cookie::escaped(&refused).and_then(|text| cookie::lent(COOKIE, &text, KEPT_S));
        (refused.said, cookie)
    }

    fn new(said: String, field: Option<&str>, text: String) -> Self {
        // With what tells the form from others of its kind.
        let sent_to = |parts: Parts| parts.uri.path_and_query().map(ToString::to_string);
        let action = use_context::<Parts>().and_then(sent_to).unwrap_or_default();
        Self { said, action, field: field.map(str::to_owned), text: cookie::shortened(text) }
    }

    /// What was left for the page of this request; it is forgotten with that.
    pub(crate) fn of_request() -> Option<Self> {
        cookie::take_back(COOKIE, |refused: &Self, said| said == refused.said)
    }
}
