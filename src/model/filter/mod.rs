//! The language of filters: `kind:delete_resource due:<24h tag:eu -queue:sms payload.amount:>10 "gave up"`.
//!
//! Terms stand apart by blanks and must all hold; values of a term stand apart by commas and one of them must hold;
//! a dash in front turns a term round. What is no term is text to look for. docs/reference/filters.md tells it to people.

mod decimal;
mod error;
mod field;
mod moment;
mod page;
mod parse;
mod sealed;
mod term;
mod words;

pub use decimal::Decimal;
pub use error::{FilterError, FilterProblem};
pub use field::Field;
pub use moment::{Moment, Span};
pub use page::{Counted, Facets, FilteredPage, FilteredQuery, FilteredRow, GroupPlace, TALLIES_MAX, Tally};
pub use sealed::{SEAL_DIGITS_MIN, SEAL_MARK, SEALED_BYTES_MAX, is_open, seals, unsealed};
pub use term::{Compare, Pattern, PayloadPath, PayloadTest, Term, Test, TimeField};

use super::state::JobState;
use serde::{Deserialize, Serialize};
use std::fmt;
use std::str::FromStr;

/// Longest filter, bytes: one line of an address, and more than anybody types.
pub const FILTER_BYTES_MAX: usize = 500;
/// Terms of a filter.
pub const TERMS_MAX: usize = 20;
/// Values of one term.
pub const VALUES_MAX: usize = 20;

/// What jobs must be like: all terms hold. Without terms every job fits.
#[derive(Debug, Clone, PartialEq, Eq, Default, Serialize, Deserialize)]
#[serde(try_from = "String", into = "String")]
pub struct Filter {
    terms: Vec<Term>,
}

impl Filter {
    /// Its terms, in the order they were written.
    #[must_use]
    pub fn terms(&self) -> &[Term] {
        &self.terms
    }

    /// Whether every job fits.
    #[must_use]
    pub const fn is_empty(&self) -> bool {
        self.terms.is_empty()
    }

    /// The filter without one of its terms.
    #[must_use]
    pub fn without(&self, index: usize) -> Self {
        let kept = self.terms.iter().enumerate().filter(|(place, _)| *place != index);
        Self { terms: kept.map(|(_, term)| term.clone()).collect() }
    }

    /// The filter with one more term, unless it has that already, or as many as a line may have.
    #[must_use]
    pub fn and(&self, term: Term) -> Self {
        let mut terms = self.terms.clone();
        if !terms.contains(&term) && terms.len() < TERMS_MAX {
            terms.push(term);
        }
        Self { terms }
    }

    /// The filter without its terms on that field.
    #[must_use]
    pub fn without_field(&self, field: Field) -> Self {
        let kept = self.terms.iter().filter(|term| term.test.field() != Some(field));
        Self { terms: kept.cloned().collect() }
    }

    /// The states that its terms on states leave.
    #[must_use]
    pub fn states(&self) -> Vec<JobState> {
        let lets_in = |state: &JobState| {
            self.terms.iter().all(|term| match &term.test {
                Test::State(states) => states.contains(state) != term.not,
                _ => true,
            })
        };
        JobState::ALL.into_iter().filter(lets_in).collect()
    }
}

impl Extend<Test> for Filter {
    /// Narrows it to the jobs of which all of these hold as well. It may have more terms than a line that is read.
    fn extend<T: IntoIterator<Item = Test>>(&mut self, tests: T) {
        self.terms.extend(tests.into_iter().map(Term::new));
    }
}

impl FromIterator<Test> for Filter {
    /// For the jobs of which all of these hold.
    fn from_iter<T: IntoIterator<Item = Test>>(tests: T) -> Self {
        let mut filter = Self::default();
        filter.extend(tests);
        filter
    }
}

impl fmt::Display for Filter {
    /// As it is written: what is shown reads back as the same filter.
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        for (place, term) in self.terms.iter().enumerate() {
            if place > 0 {
                f.write_str(" ")?;
            }
            write!(f, "{term}")?;
        }
        Ok(())
    }
}

impl FromStr for Filter {
    type Err = FilterError;

    fn from_str(text: &str) -> Result<Self, FilterError> {
        let filter = Self { terms: parse::filter(text)? };
        // In addresses and saved views it stands as it is shown, with quotation marks, and has to read there too.
        if sealed::is_too_long(&filter.to_string()) {
            return Err(FilterError { at: text.len(), bytes: 0, problem: FilterProblem::TooLong });
        }
        Ok(filter)
    }
}

as_text!(Filter);

#[cfg(test)]
#[path = "tests.rs"]
mod tests;
