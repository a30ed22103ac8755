//! Judging one job: whether it fits a term, and what its payload has at a path.

use crate::model::Timestamp;
use crate::model::filter::{Decimal, Pattern, PayloadPath, PayloadTest, Term, Test, TimeField};
use crate::store::Candidate;
use crate::store::codec;
use crate::tree::{self, Tree};
use std::cell::OnceCell;

/// Longest text of a column, characters: what a shard shows.
const COLUMN_CHARS_MAX: usize = 120;

/// A job being judged; its payload is parsed once, if at all.
pub(crate) struct Judged<'a> {
    candidate: &'a Candidate,
    payload: OnceCell<Option<Tree>>,
}

impl<'a> Judged<'a> {
    pub(crate) const fn new(candidate: &'a Candidate) -> Self {
        Self { candidate, payload: OnceCell::new() }
    }

    /// Whether it fits every one of the terms.
    pub(crate) fn fits(&self, terms: &[Term], now: Timestamp, me: &str) -> bool {
        terms.iter().all(|term| self.holds(&term.test, now, me) != term.not)
    }

    /// What a column shows, with an ellipsis where there is more; empty where there is nothing.
    pub(crate) fn column(&self, path: &PayloadPath) -> String {
        let text = self.whole(path);
        let mut signs = text.chars().map(|c| if c.is_control() { ' ' } else { c });
        let mut shown: String = signs.by_ref().take(COLUMN_CHARS_MAX).collect();
        if signs.next().is_some() {
            shown.pop();
            shown.push('…');
        }
        shown
    }

    /// All of what the payload has at a path; empty where there is nothing.
    pub(crate) fn whole(&self, path: &PayloadPath) -> String {
        self.at(path).map(Tree::text).unwrap_or_default()
    }

    fn holds(&self, test: &Test, now: Timestamp, me: &str) -> bool {
        let Candidate { row, tags, .. } = self.candidate;
        let any = |list: &[Pattern], name: &str| list.iter().any(|pattern| pattern.fits(name));
        match test {
            Test::State(states) => states.contains(&row.state),
            Test::Queue(list) => any(list, row.queue.as_str()),
            Test::Kind(list) => any(list, row.kind.as_str()),
            Test::Subject(list) => row.subject.as_ref().is_some_and(|subject| {
                any(list, subject.as_str())
                    || list.iter().any(|start| start.and_more && start.fits(&subject.readable()))
            }),
            Test::Worker(list) => row.worker.as_ref().is_some_and(|worker| any(list, worker)),
            Test::Tag(list) => tags.iter().any(|tag| any(list, tag)),
            Test::Id(ids) => ids.contains(&row.id),
            Test::Error(texts) => texts.iter().any(|text| self.error_contains(text)),
            Test::By(names) => names.iter().any(|name| row.by == if name == "me" { me } else { name }),
            Test::Time(field, span) => {
                let at = match field {
                    TimeField::Due => Some(row.due),
                    TimeField::Created => Some(row.created),
                    TimeField::Running => row.started.filter(|_| row.state == crate::model::JobState::Active),
                    TimeField::Ended => row.ended.filter(|_| row.state.is_final()),
                };
                at.is_some_and(|at| span.holds(at, now))
            }
            Test::Attempt(compare, count) => compare.holds(row.attempt.cmp(count)),
            Test::Payload(path, test) => self.at(path).is_some_and(|value| payload_holds(test, value)),
            Test::Text(text) => {
                contains(row.id.as_str(), text)
                    || row.subject.as_ref().is_some_and(|subject| {
                        contains(subject.as_str(), text) || contains(&subject.readable(), text)
                    })
                    || contains(row.kind.as_str(), text)
                    || self.error_contains(text)
                    || self.payload_contains(text)
            }
        }
    }

    /// Whether the latest error holds a text, as it was written or as it is shown: what people search for they have read.
    fn error_contains(&self, text: &str) -> bool {
        let error = &self.candidate.error;
        contains(error, text) || contains(&codec::shown_error(error), text)
    }

    /// Whether the payload holds a text, as it is written or as what it says.
    fn payload_contains(&self, text: &str) -> bool {
        let Ok(payload) = std::str::from_utf8(&self.candidate.payload) else { return false };
        // Many programs write `\u4efb` for whatever is no ASCII.
        contains(payload, text)
            || payload.contains('\\') && self.parsed().is_some_and(|whole| says(whole, text))
    }

    fn at(&self, path: &PayloadPath) -> Option<&Tree> {
        tree::at(path, self.parsed()?)
    }

    fn parsed(&self) -> Option<&Tree> {
        self.payload.get_or_init(|| tree::read_last(&self.candidate.payload)).as_ref()
    }
}

/// Whether a name or a text in a payload holds a text. Values that were read are not nested deeply.
fn says(whole: &Tree, text: &str) -> bool {
    match whole {
        Tree::Text(said) => contains(said, text),
        Tree::List(items) => items.iter().any(|item| says(item, text)),
        Tree::Object(fields) => fields.iter().any(|(name, value)| contains(name, text) || says(value, text)),
        _ => false,
    }
}

/// Whether a text holds another, in whatever case.
fn contains(text: &str, part: &str) -> bool {
    text.to_lowercase().contains(&part.to_lowercase())
}

fn payload_holds(test: &PayloadTest, value: &Tree) -> bool {
    match test {
        PayloadTest::Exists => *value != Tree::Null,
        PayloadTest::Is(list) => {
            let text = value.text();
            let is_number = |pattern: &Pattern| {
                !pattern.and_more
                    && matches!(value, Tree::Number(_))
                    && Decimal::compared(&text, &pattern.text).is_some_and(std::cmp::Ordering::is_eq)
            };
            list.iter().any(|pattern| pattern.fits(&text) || is_number(pattern))
        }
        PayloadTest::Number(compare, number) => match value {
            // Ids of 64 bits travel as text.
            Tree::Number(_) | Tree::Text(_) => {
                Decimal::compared(&value.text(), number).is_some_and(|ordering| compare.holds(ordering))
            }
            _ => false,
        },
    }
}
