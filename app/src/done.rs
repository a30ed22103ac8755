//! What a form achieved, in full, and the way on and back: for the page that it leads to.
//!
//! The address has a word for it alone. The sentence, its link and the act that takes it back wait in a cookie that is read
//! once: an address could say anything, and offer any act.

use serde::{Deserialize, Serialize};

use crate::cookie;
use crate::next_page::next_page;

/// Its cookie, and for how long it waits, in seconds.
const COOKIE: &str = "done";
const KEPT_S: u32 = 60;
/// Browsers keep cookies of 4,096 bytes, with their names and the rest.
const BYTES_MAX: usize = 3_900;

/// What a form achieved.
#[derive(Debug, Clone, PartialEq, Eq, Default, Serialize, Deserialize)]
pub(crate) struct Done {
    /// The sentence, in the sender's language; empty where the word in the address says it all.
    pub text: String,
    /// What it made, as a link: its address and its words.
    pub link: Option<(String, String)>,
    /// What takes it back, where something does.
    pub undo: Option<Undo>,
}

/// The opposite of an act: a server function with its arguments.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub(crate) struct Undo {
    /// The address of the function.
    pub(crate) path: String,
    /// Its arguments by their names.
    pub(crate) fields: Vec<(String, String)>,
}

impl Undo {
    /// The call of the function at `path` with these arguments.
    pub(crate) fn new(path: &str, fields: &[(&str, String)]) -> Self {
        let fields = fields.iter().map(|(name, value)| ((*name).to_owned(), value.clone())).collect();
        Self { path: path.to_owned(), fields }
    }
}

impl Done {
    /// What the sentence says.
    pub(crate) fn said(text: String) -> Self {
        Self { text: cookie::shortened(text), ..Self::default() }
    }

    /// What can be taken back, where its word in the address says all else.
    pub(crate) fn undone_by(undo: Undo) -> Self {
        Self { undo: Some(undo), ..Self::default() }
    }

    /// What made something that has a page, where its word in the address says all else.
    pub(crate) fn made(page: String, words: String) -> Self {
        Self { link: Some((page, words)), ..Self::default() }
    }

    /// Leaves it for the page that the form of this request leads to. What is too much for a cookie, such as a payload to
    /// put back, is done without.
    pub(crate) fn leave(self) {
        let fits = |done: &Self| cookie::escaped(done).filter(|text| text.len() <= BYTES_MAX);
        if let Some(text) = fits(&self).or_else(|| fits(&Self { undo: None, ..self })) {
            cookie::lend(COOKIE, &text, KEPT_S);
        }
    }

    /// What was left for the page of this request; it is forgotten with that.
    pub(crate) fn of_request() -> Option<Self> {
        let done: Self = cookie::take_back(COOKIE, |_, _| true)?;
        let is_act = |undo: &Undo| undo.path.starts_with("/api/fn/");
        let is_page = |(page, _): &(String, String)| next_page(page) == page;
        Some(Self { link: done.link.filter(is_page), undo: done.undo.filter(is_act), ..done })
    }
}
