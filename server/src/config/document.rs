//! A TOML file read key by key, so that every mistake is found and each has its line.

use super::mistake::{Given, Mistakes, Origin};
use super::suggest::closest;
use std::path::{Path, PathBuf};
use toml::Spanned;
use toml::de::{DeTable, DeValue};

/// The text of a file and the name people know it by.
pub(crate) struct Document {
    path: PathBuf,
    text: String,
}

impl Document {
    pub(crate) fn new(path: &Path, text: String) -> Self {
        Self { path: path.to_owned(), text }
    }

    /// Hands the root table to `read`, after noting what is not TOML at all.
    pub(crate) fn read<T>(
        &self,
        mistakes: &mut Mistakes,
        read: impl FnOnce(&Section<'_>, &mut Mistakes) -> T,
    ) -> T {
        let (table, errors) = DeTable::parse_recoverable(&self.text);
        for error in errors {
            let offset = error.span().map_or(0, |span| span.start);
            mistakes.note(&self.origin(offset), error.message());
        }
        read(&Section { document: self, table: table.get_ref(), offset: 0 }, mistakes)
    }

    fn origin(&self, offset: usize) -> Origin {
        let before = &self.text.as_bytes()[..offset.min(self.text.len())];
        let line = 1 + before.iter().filter(|byte| **byte == b'\n').count();
        Origin::File { path: self.path.clone(), line }
    }
}

/// One table of the file.
pub(crate) struct Section<'a> {
    document: &'a Document,
    table: &'a DeTable<'a>,
    /// Where the table begins, for what is missing in it.
    offset: usize,
}

impl<'a> Section<'a> {
    /// Where this table begins.
    pub(crate) fn origin(&self) -> Origin {
        self.document.origin(self.offset)
    }

    /// Notes every key that is not `known`, with the name that was probably meant.
    pub(crate) fn refuse_unknown(&self, known: &[&str], mistakes: &mut Mistakes) {
        for key in self.table.keys() {
            let name: &str = key.get_ref();
            if known.contains(&name) {
                continue;
            }
            let hint = match closest(name, known) {
                Some(meant) => format!("did you mean {meant:?}?"),
                None => format!("known here are {}", known.join(", ")),
            };
            mistakes.note(&self.document.origin(key.span().start), format!("unknown key {name:?}; {hint}"));
        }
    }

    /// A text.
    pub(crate) fn text(&self, key: &str, mistakes: &mut Mistakes) -> Option<Given<String>> {
        self.get(key, "a text in quotes", mistakes, |value| match value {
            DeValue::String(text) => Some(text.to_string()),
            _ => None,
        })
    }

    /// A text that must be there; `what` names the table in the sentence that says it is not.
    pub(crate) fn required(&self, key: &str, what: &str, mistakes: &mut Mistakes) -> Option<Given<String>> {
        if !self.table.contains_key(key) {
            mistakes.note(&self.origin(), format!("this {what} has no {key}"));
        }
        self.text(key, mistakes)
    }

    /// `true` or `false`.
    pub(crate) fn flag(&self, key: &str, mistakes: &mut Mistakes) -> Option<Given<bool>> {
        self.get(key, "true or false", mistakes, |value| match value {
            DeValue::Boolean(flag) => Some(*flag),
            _ => None,
        })
    }

    /// A whole number that is not negative.
    pub(crate) fn number(&self, key: &str, mistakes: &mut Mistakes) -> Option<Given<u64>> {
        self.get(key, "a whole number", mistakes, |value| match value {
            DeValue::Integer(number) => u64::from_str_radix(number.as_str(), number.radix()).ok(),
            _ => None,
        })
    }

    /// A list of texts; one that is no text is noted and left out.
    pub(crate) fn texts(&self, key: &str, mistakes: &mut Mistakes) -> Vec<Given<String>> {
        let Some(value) = self.table.get(key) else { return Vec::new() };
        let DeValue::Array(items) = value.get_ref() else {
            mistakes
                .note(&self.document.origin(value.span().start), format!("{key} must be a list of texts"));
            return Vec::new();
        };
        let mut texts = Vec::new();
        for item in items.iter() {
            let origin = self.document.origin(item.span().start);
            match item.get_ref() {
                DeValue::String(text) => texts.push(Given { value: text.to_string(), origin }),
                _ => mistakes.note(&origin, format!("{key} must be a list of texts")),
            }
        }
        texts
    }

    /// A `[table]`.
    pub(crate) fn section(&self, key: &str, mistakes: &mut Mistakes) -> Option<Self> {
        let value = self.table.get(key)?;
        self.as_section(key, value, mistakes)
    }

    /// Every `[[table]]` of that name.
    pub(crate) fn sections(&self, key: &str, mistakes: &mut Mistakes) -> Vec<Self> {
        let Some(value) = self.table.get(key) else { return Vec::new() };
        match value.get_ref() {
            DeValue::Array(items) => {
                items.iter().filter_map(|item| self.as_section(key, item, mistakes)).collect()
            }
            _ => {
                let origin = self.document.origin(value.span().start);
                mistakes.note(&origin, format!("write [[{key}]], with two brackets: there may be several"));
                Vec::new()
            }
        }
    }

    fn as_section(
        &self,
        key: &str,
        value: &'a Spanned<DeValue<'a>>,
        mistakes: &mut Mistakes,
    ) -> Option<Self> {
        let offset = value.span().start;
        match value.get_ref() {
            DeValue::Table(table) => Some(Self { document: self.document, table, offset }),
            _ => {
                mistakes.note(&self.document.origin(offset), format!("{key} must be a table"));
                None
            }
        }
    }

    fn get<T>(
        &self,
        key: &str,
        wanted: &str,
        mistakes: &mut Mistakes,
        read: impl FnOnce(&DeValue<'_>) -> Option<T>,
    ) -> Option<Given<T>> {
        let value = self.table.get(key)?;
        let origin = self.document.origin(value.span().start);
        match read(value.get_ref()) {
            Some(value) => Some(Given { value, origin }),
            None => {
                mistakes.note(&origin, format!("{key} must be {wanted}"));
                None
            }
        }
    }
}
