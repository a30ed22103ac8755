//! What is wrong with a filter, and where.

use super::field::Field;
use serde::{Deserialize, Serialize};
use std::fmt;

/// What cannot be read, and where it stands in the text.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[non_exhaustive]
pub struct FilterError {
    /// Its first byte.
    pub at: usize,
    /// How many bytes it has; 0 where something is missing.
    pub bytes: usize,
    /// What is wrong.
    pub problem: FilterProblem,
}

impl FilterError {
    pub(super) const fn new(at: usize, bytes: usize, problem: FilterProblem) -> Self {
        Self { at, bytes, problem }
    }
}

/// What is wrong with a part of a filter.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[non_exhaustive]
pub enum FilterProblem {
    /// No field has that name, but one has nearly that name.
    UnknownField {
        /// The field that may be meant.
        meant: Field,
    },
    /// Nothing stands behind the colon or the dash.
    NoValue,
    /// No state has that name.
    UnknownState,
    /// It holds characters that such a name never has.
    BadName,
    /// Neither a span of time nor a date.
    BadTime,
    /// Not a number.
    BadNumber,
    /// Not a path into a payload.
    BadPath,
    /// A quotation mark is open.
    OpenQuote,
    /// The filter is too long.
    TooLong,
    /// It has too many terms.
    TooManyTerms,
    /// A term has too many values.
    TooManyValues,
}

impl fmt::Display for FilterError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "at byte {}: ", self.at)?;
        match &self.problem {
            FilterProblem::UnknownField { meant } => write!(f, "no such field; did you mean {meant}:?"),
            FilterProblem::NoValue => f.write_str("a value is missing"),
            FilterProblem::UnknownState => f.write_str(
                "no such state; states are delayed, held, ready, active, retrying, done, dead, cancelled, and delay",
            ),
            FilterProblem::BadName => f.write_str("such a name holds only A-Z a-z 0-9 . _ - : / @, and a star at its end"),
            FilterProblem::BadTime => {
                f.write_str("not a time; write <24h, >2d, 1h..3h, 2026-08-12 or 2026-08-12T09:00+08:00")
            }
            FilterProblem::BadNumber => f.write_str("not a number"),
            FilterProblem::BadPath => f.write_str("not a path; write payload.order.id"),
            FilterProblem::OpenQuote => f.write_str("the quotation mark is not closed"),
            FilterProblem::TooLong => write!(f, "a filter has at most {} bytes", super::FILTER_BYTES_MAX),
            FilterProblem::TooManyTerms => write!(f, "a filter has at most {} terms", super::TERMS_MAX),
            FilterProblem::TooManyValues => write!(f, "a term has at most {} values", super::VALUES_MAX),
        }
    }
}

impl std::error::Error for FilterError {}
