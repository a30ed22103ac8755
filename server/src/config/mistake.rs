//! What is wrong with a configuration, and where: all of it at once.

use reprieve::model::first_bytes;
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
pub(crate) struct Given<T> {
    /// The value as written.
    pub(crate) value: T,
    /// Where it was written.
    pub(crate) origin: Origin,
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
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Mistakes(Vec<Mistake>);

impl Mistakes {
    /// The mistakes in the order they were found.
    #[must_use]
    pub fn all(&self) -> &[Mistake] {
        &self.0
    }

    pub(crate) const fn is_empty(&self) -> bool {
        self.0.is_empty()
    }

    pub(crate) fn note(&mut self, origin: &Origin, what: impl Into<String>) {
        // It goes to a terminal, which obeys what it is sent.
        let printable = |c: char| if c.is_control() { ' ' } else { c };
        let mut what: String = what.into().chars().map(printable).collect();
        if what.len() > WHAT_BYTES_MAX {
            what = format!("{}…", first_bytes(&what, WHAT_BYTES_MAX - 1));
        }
        self.0.push(Mistake { origin: origin.clone(), what });
    }

    /// Reads a given text with `read`; a refusal is noted and `None` comes back.
    pub(crate) fn read<T, E: fmt::Display>(
        &mut self,
        given: Option<&Given<String>>,
        read: impl FnOnce(&str) -> Result<T, E>,
    ) -> Option<T> {
        let given = given?;
        match read(&given.value) {
            Ok(value) => Some(value),
            Err(why) => {
                self.note(&given.origin, why.to_string());
                None
            }
        }
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
        let mut mistakes = Mistakes::default();
        mistakes.note(&Origin::Flag("--listen"), format!("\u{1b}[2J\n{}", "é".repeat(WHAT_BYTES_MAX)));
        let told = &mistakes.all()[0].what;
        assert!(told.starts_with(" [2J é"), "{told}");
        assert!(told.len() <= WHAT_BYTES_MAX + '…'.len_utf8() && told.ends_with('…'), "{told}");
    }
}
