//! The part of an address behind the `?`, parameter by parameter, every mistake told together.

use crate::problem::{Mistakes, Problem};
use reprieve::model::Timestamp;
use std::collections::BTreeMap;
use std::fmt::Display;
use std::str::FromStr;

/// The parameters of one request.
pub(crate) struct Query {
    given: BTreeMap<String, String>,
    /// The names of those that were asked for.
    known: Vec<&'static str>,
    mistakes: Mistakes,
}

/// How much is asked for: 1 to `MOST`. Anything else is a mistake, not the nearest that would do.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Size<const MOST: u16>(pub(crate) u16);

impl<const MOST: u16> FromStr for Size<MOST> {
    type Err = String;

    fn from_str(text: &str) -> Result<Self, String> {
        let size = text.parse().ok().filter(|size| (1..=MOST).contains(size));
        size.map(Self).ok_or_else(|| format!("a number from 1 to {MOST} is expected"))
    }
}

/// A time in ms.
pub(crate) struct Millis(pub(crate) Timestamp);

impl FromStr for Millis {
    type Err = &'static str;

    fn from_str(text: &str) -> Result<Self, Self::Err> {
        let time = text.parse().ok().and_then(Timestamp::from_millis);
        time.map(Self).ok_or("a time in ms between 1970 and 9999 is expected")
    }
}

impl Query {
    /// Reads `a=b&c=d`; an empty value counts as absent, a second one of a name as a mistake.
    pub(crate) fn read(text: Option<&str>) -> Self {
        let mut query = Self { given: BTreeMap::new(), known: Vec::new(), mistakes: Mistakes::default() };
        for (name, value) in url::form_urlencoded::parse(text.unwrap_or_default().as_bytes()) {
            if query.given.insert(name.to_string(), value.into_owned()).is_some() {
                query.mistakes.parameter(&*name, "doubled", format!("`{name}` is given twice"));
            }
        }
        query
    }

    /// One parameter; `None` if it is absent, empty, or a mistake that was noted.
    pub(crate) fn take<T: FromStr<Err: Display>>(&mut self, name: &'static str) -> Option<T> {
        if self.given.get(name).is_some_and(String::is_empty) {
            self.given.remove(name);
        }
        self.number(name)
    }

    /// The same of a number, which is not empty.
    pub(crate) fn number<T: FromStr<Err: Display>>(&mut self, name: &'static str) -> Option<T> {
        self.known.push(name);
        let text = self.given.remove(name)?;
        text.parse().map_err(|why: T::Err| self.mistakes.parameter(name, "invalid", why.to_string())).ok()
    }

    /// Notes that a parameter reads well and cannot be used.
    pub(crate) fn refuse(&mut self, name: &str, why: impl Into<String>) {
        self.mistakes.parameter(name, "invalid", why);
    }

    /// How much is asked for, by the parameter of that name: 1 to `MOST`, and `usual` without one.
    pub(crate) fn size<const MOST: u16>(&mut self, name: &'static str, usual: u16) -> u16 {
        self.number::<Size<MOST>>(name).map_or(usual, |size| size.0)
    }

    /// `Err` with every mistake, those of names nobody asked for among them.
    pub(crate) fn finish(mut self) -> Result<(), Problem> {
        let known = self.known.join(", ");
        for name in self.given.keys() {
            let why = format!("there is no parameter {name:?} here; known are {known}");
            self.mistakes.parameter(name, "unknown_parameter", why);
        }
        self.mistakes.into_result()
    }
}
