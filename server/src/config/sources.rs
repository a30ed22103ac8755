//! Where a setting may be written: the file, the environment, the command line. A later one wins.

use super::document::Section;
use super::flags::Flags;
use super::mistake::{Given, Notes, Origin};

/// Everything that says something about settings.
pub(super) struct Sources<'a> {
    pub(super) notes: &'a Notes,
    /// The file.
    pub(super) root: &'a Section<'a>,
    /// `[serve]` in the file.
    pub(super) serve: &'a Section<'a>,
    pub(super) environment: &'a dyn Fn(&str) -> Option<String>,
    pub(super) flags: &'a Flags,
}

impl Sources<'_> {
    /// A variable that is not empty.
    ///
    /// Nobody asks which others begin with `REPRIEVE_`: Kubernetes sets some for a service of that name (`REPRIEVE_PORT`),
    /// and no one could silence a complaint about them.
    pub(super) fn variable(&self, name: &'static str) -> Option<Given<String>> {
        let value = (self.environment)(name).filter(|value| !value.is_empty())?;
        Some(Given { value, origin: Origin::Variable(name) })
    }

    /// The parts of a variable, with commas between them.
    pub(super) fn variables(&self, name: &'static str) -> Vec<Given<String>> {
        let Some(Given { value, origin }) = self.variable(name) else { return Vec::new() };
        let parts = value.split(',').map(str::trim).filter(|part| !part.is_empty());
        parts.map(|part| Given { value: part.to_owned(), origin: origin.clone() }).collect()
    }

    /// A variable that is true or false.
    pub(super) fn variable_truth(&self, name: &'static str) -> Option<bool> {
        self.notes.read(self.variable(name).as_ref(), |text| match text {
            "true" | "1" => Ok(true),
            "false" | "0" => Ok(false),
            other => Err(format!("{other:?} is neither true nor false")),
        })
    }
}

/// A flag of the command line. `name` has its dashes.
pub(super) fn flag(name: &'static str, value: Option<&String>) -> Option<Given<String>> {
    Some(Given { value: value?.clone(), origin: Origin::Flag(name) })
}

/// A flag that may be repeated.
pub(super) fn flags(name: &'static str, values: &[String]) -> Vec<Given<String>> {
    values.iter().filter_map(|value| flag(name, Some(value))).collect()
}
