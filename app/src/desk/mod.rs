//! What the support desk says: its answers in words, and the subjects that somebody may mean. What it shows and does is the
//! engine's.

pub(crate) mod lookup;

use reprieve::desk::{DeskAnswer, DeskOutcome, DeskVerb, StepOutcome};
use reprieve::model::{Kind, Subject, Timestamp};

use crate::i18n::{self, Said};
use crate::{access, format, t};

/// What a kind of work is called here.
pub(crate) fn named(kind: &Kind) -> String {
    access::vocabulary().step(kind)
}

/// A subject that may be the one that is looked for.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Hit {
    /// The subject.
    pub subject: Subject,
    /// What people call it.
    pub label: String,
    /// When the latest of it was begun; `None` where that is not kept.
    pub since: Option<Timestamp>,
    /// Something of it is still to come.
    pub pending: bool,
    /// The next step of it and its time; `None` where nothing is to come.
    pub next: Option<(String, Timestamp)>,
}

/// What a search on the desk found.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Finding {
    /// What was looked for, without blanks around it.
    pub asked: String,
    /// What was found.
    pub hits: Vec<Hit>,
    /// They are called what was asked for; otherwise they only begin so.
    pub exact: bool,
    /// There was more to look through than one search does: what begins like that may be elsewhere.
    pub partly: bool,
    /// More match than are shown.
    pub cut: bool,
}

/// `desk.<word>`: what the address carries after a plain form was sent.
pub(crate) const fn code(answer: &DeskAnswer) -> &'static str {
    match (answer.outcome, answer.verb) {
        (DeskOutcome::Past, _) => "desk.past",
        (DeskOutcome::Conflict, _) => "desk.conflict",
        (DeskOutcome::Nothing, DeskVerb::PutBack) => "desk.nothing_back",
        (DeskOutcome::Nothing, _) => "desk.nothing",
        (DeskOutcome::Partly, _) => "desk.partly",
        (DeskOutcome::GoesOn, _) => "desk.goes_on",
        (DeskOutcome::Done, DeskVerb::CallOff) => "desk.called_off",
        (DeskOutcome::Done, DeskVerb::PutBack) => "desk.put_back",
        (DeskOutcome::Done, DeskVerb::Postpone) => "desk.postponed",
        (DeskOutcome::Done, DeskVerb::Hold) => "desk.held",
        (DeskOutcome::Done, DeskVerb::Release) => "desk.released",
    }
}

/// What has no time left is done at once or stays called off, as somebody chose.
fn said_of_put_back(answer: &DeskAnswer) -> Option<Said> {
    let all = |outcome| {
        let labels = answer.steps.iter().filter(|told| told.outcome == outcome).map(|told| named(&told.kind));
        format::list(labels)
    };
    let (at_once, left) = (all(StepOutcome::AtOnce), all(StepOutcome::Past));
    match (at_once.is_empty(), left.is_empty()) {
        (false, _) => Some(Said::plain(t!("support-said-back-at-once", list = at_once))),
        (true, false) => Some(Said::plain(t!("support-said-back-rest", list = left))),
        (true, true) => i18n::said(code(answer)),
    }
}

/// What came of it, with the names of the steps that go on all the same, which an address does not carry.
pub(crate) fn said(answer: &DeskAnswer) -> Option<Said> {
    let going_on = answer.steps.iter().filter(|told| told.outcome == StepOutcome::GoesOn);
    let list = format::list(going_on.map(|told| named(&told.kind)));
    match answer.outcome {
        DeskOutcome::Partly => Some(Said::plain(t!("support-said-partly", list = list))),
        DeskOutcome::GoesOn => Some(Said::bad(t!("support-said-goes-on", list = list))),
        DeskOutcome::Done if answer.verb == DeskVerb::PutBack => said_of_put_back(answer),
        _ => i18n::said(code(answer)),
    }
}
