//! What is wrong with a configuration, and where: all of it at once.

use reprieve::model::first_bytes;
use std::cell::RefCell;
use std::fmt;
use std::path::PathBuf;

/// Longest sentence about a mistake, in bytes: what it repeats may be a whole file.
const WHAT_BYTES_MAX: usize = 600;

/// Where a setting came from, so that a reader of the mistake knows where to look.
#[derive(Debug, Clone, PartialEq, Eq)]
#[non_exhaustive]
pub enum Origin {
    /// A line of the configuration file, counted from one.
    File {
        /// The file as it was named.
        path: PathBuf,
        /// The line, counted from one.
        line: usize,
    },
    /// An environment variable.
    Variable(&'static str),
    /// A command-line flag, dashes included.
    Flag(&'static str),
}

impl fmt::Display for Origin {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::File { path, line } => write!(f, "{} line {line}", path.display()),
            Self::Variable(name) => f.write_str(name),
            Self::Flag(name) => f.write_str(name),
        }
    }
}

/// A value with the place it came from.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) struct Given<T> {
    /// The value as written.
    pub(super) value: T,
    /// Where it was written.
    pub(super) origin: Origin,
}

/// One thing that is wrong, in words that name the next step.
#[derive(Debug, Clone, PartialEq, Eq)]
#[non_exhaustive]
pub struct Mistake {
    /// Where.
    pub origin: Origin,
    /// What.
    pub what: String,
}

/// Every mistake of a configuration. An error only when it is not empty.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Mistakes(Vec<Mistake>);

impl Mistakes {
    /// The mistakes in the order they were found.
    #[must_use]
    pub fn all(&self) -> &[Mistake] {
        &self.0
    }
}

/// The mistakes found so far.
#[derive(Default)]
pub(super) struct Notes(RefCell<Vec<Mistake>>);

impl Notes {
    pub(super) fn add(&self, origin: &Origin, what: impl Into<String>) {
        // It goes to a terminal, which obeys what it is sent.
        let printable = |c: char| if c.is_control() { ' ' } else { c };
        let mut what: String = what.into().chars().map(printable).collect();
        if what.len() > WHAT_BYTES_MAX {
            what = format!("{}…", first_bytes(&what, WHAT_BYTES_MAX - 1));
        }
        self.0.borrow_mut().push(Mistake { origin: origin.clone(), what });
    }

    /// How many there are.
    pub(super) fn count(&self) -> usize {
        self.0.borrow().len()
    }

    /// The value, unless there are mistakes.
    pub(super) fn or_mistakes<T>(self, value: T) -> Result<T, Mistakes> {
        let mistakes = self.0.into_inner();
        if mistakes.is_empty() { Ok(value) } else { Err(Mistakes(mistakes)) }
    }

    /// Reads a given text with `read`; a refusal is noted and `None` comes back.
    pub(super) fn read<T, E: fmt::Display>(
        &self,
        given: Option<&Given<String>>,
        read: impl FnOnce(&str) -> Result<T, E>,
    ) -> Option<T> {
        let given = given?;
        read(&given.value).map_err(|why| self.add(&given.origin, why.to_string())).ok()
    }

    /// Reads each of these texts with `read`; those that are refused are left out.
    pub(super) fn read_all<T, E: fmt::Display>(
        &self,
        given: &[Given<String>],
        read: impl Fn(&str) -> Result<T, E>,
    ) -> Vec<T> {
        given.iter().filter_map(|given| self.read(Some(given), &read)).collect()
    }
}

impl fmt::Display for Mistakes {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self.0.len() {
            1 => write!(f, "one mistake in the configuration:")?,
            n => write!(f, "{n} mistakes in the configuration:")?,
        }
        for mistake in &self.0 {
            write!(f, "\n  {}: {}", mistake.origin, mistake.what)?;
        }
        Ok(())
    }
}

impl std::error::Error for Mistakes {}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_mistake_does_not_repeat_a_whole_file() {
        let notes = Notes::default();
        notes.add(&Origin::Flag("--listen"), format!("\u{1b}[2J\n{}", "é".repeat(WHAT_BYTES_MAX)));
        let mistakes = notes.or_mistakes(()).unwrap_err();
        let told = &mistakes.all()[0].what;
        assert!(told.starts_with(" [2J é"), "{told}");
        assert!(told.len() <= WHAT_BYTES_MAX + '…'.len_utf8() && told.ends_with('…'), "{told}");
    }
}
