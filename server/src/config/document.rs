//! A TOML file read key by key, so that every mistake is found and each has its line.

use super::mistake::{Given, Notes, Origin};
use super::suggest::closest;
use std::cell::RefCell;
use std::collections::BTreeSet;
use std::fmt::Display;
use std::ops::RangeInclusive;
use std::path::{Path, PathBuf};
use toml::Spanned;
use toml::de::{DeTable, DeValue};

/// The text of a file and the name people know it by.
#[derive(Default)]
pub(super) struct Document {
    path: PathBuf,
    text: String,
}

impl Document {
    pub(super) fn new(path: &Path, text: String) -> Self {
        Self { path: path.to_owned(), text }
    }

    /// Hands the root table to `read`, after noting what is not TOML at all.
    pub(super) fn read<T>(&self, notes: &Notes, read: impl FnOnce(&Section<'_>) -> T) -> T {
        let (table, errors) = DeTable::parse_recoverable(&self.text);
        for error in errors {
            let offset = error.span().map_or(0, |span| span.start);
            notes.add(&self.origin(offset), error.message());
        }
        let (name, table, asked) = (String::new(), Some(table.get_ref()), RefCell::default());
        Section { document: self, notes, name, table, offset: 0, asked }.read_all(read)
    }

    fn origin(&self, offset: usize) -> Origin {
        let before = &self.text.as_bytes()[..offset.min(self.text.len())];
        let line = 1 + before.iter().filter(|byte| **byte == b'\n').count();
        Origin::File { path: self.path.clone(), line }
    }
}

/// One table of the file. Keys that nobody asked for are mistakes.
pub(super) struct Section<'a> {
    document: &'a Document,
    pub(super) notes: &'a Notes,
    /// As it is written in the file, brackets included.
    name: String,
    /// `None` if the file does not have it.
    table: Option<&'a DeTable<'a>>,
    /// Where the table begins, for what is missing in it.
    offset: usize,
    asked: RefCell<BTreeSet<&'static str>>,
}

impl<'a> Section<'a> {
    /// Where this table begins.
    pub(super) fn origin(&self) -> Origin {
        self.document.origin(self.offset)
    }

    /// Notes what is wrong with the table as a whole.
    pub(super) fn note(&self, what: impl Into<String>) {
        self.notes.add(&self.origin(), what);
    }

    /// Takes keys as known that are not asked for.
    pub(super) fn know(&self, keys: &[&'static str]) {
        self.asked.borrow_mut().extend(keys);
    }

    /// Notes every key that nobody asked for, with the name that was probably meant.
    fn refuse_unknown(&self) {
        let asked: Vec<&str> = self.asked.borrow().iter().copied().collect();
        for key in self.table.iter().flat_map(|table| table.keys()) {
            let name: &str = key.get_ref();
            if asked.contains(&name) {
                continue;
            }
            let hint = match closest(name, &asked) {
                Some(meant) => format!("did you mean {meant:?}?"),
                None => format!("known here are {}", asked.join(", ")),
            };
            let origin = self.document.origin(key.span().start);
            self.notes.add(&origin, format!("unknown key {name:?}; {hint}"));
        }
    }

    /// A text.
    pub(super) fn text(&self, key: &'static str) -> Option<Given<String>> {
        self.get(key, "a text in quotes", |value| match value {
            DeValue::String(text) => Some(text.to_string()),
            _ => None,
        })
    }

    /// A text that must be there if the table is.
    pub(super) fn required(&self, key: &'static str) -> Option<Given<String>> {
        if self.table.is_some_and(|table| !table.contains_key(key)) {
            self.note(format!("this {} has no {key}", self.name));
        }
        self.text(key)
    }

    /// A text read with `read`.
    pub(super) fn read<T, E: Display>(
        &self,
        key: &'static str,
        read: impl FnOnce(&str) -> Result<T, E>,
    ) -> Option<T> {
        self.notes.read(self.text(key).as_ref(), read)
    }

    /// A text that must be there, read with `read`.
    pub(super) fn read_required<T, E: Display>(
        &self,
        key: &'static str,
        read: impl FnOnce(&str) -> Result<T, E>,
    ) -> Option<T> {
        self.notes.read(self.required(key).as_ref(), read)
    }

    /// `true` or `false`.
    pub(super) fn truth(&self, key: &'static str) -> Option<bool> {
        let given = self.get(key, "true or false", |value| match value {
            DeValue::Boolean(truth) => Some(*truth),
            _ => None,
        });
        given.map(|given| given.value)
    }

    /// A whole number that is not negative.
    pub(super) fn number(&self, key: &'static str) -> Option<Given<u64>> {
        self.get(key, "a whole number", |value| match value {
            DeValue::Integer(number) => u64::from_str_radix(number.as_str(), number.radix()).ok(),
            _ => None,
        })
    }

    /// The same as text, for settings that flags and variables have too.
    pub(super) fn digits(&self, key: &'static str) -> Option<Given<String>> {
        let Given { value, origin } = self.number(key)?;
        Some(Given { value: value.to_string(), origin })
    }

    /// A whole number between two others.
    pub(super) fn number_in<N: TryFrom<u64> + PartialOrd + Display>(
        &self,
        key: &'static str,
        range: RangeInclusive<N>,
    ) -> Option<N> {
        let given = self.number(key)?;
        let number = N::try_from(given.value).ok().filter(|number| range.contains(number));
        if number.is_none() {
            let (least, most) = range.into_inner();
            self.notes.add(&given.origin, format!("{key} must be between {least} and {most}"));
        }
        number
    }

    /// A list of texts; one that is no text is noted and left out.
    pub(super) fn texts(&self, key: &'static str) -> Vec<Given<String>> {
        let Some(value) = self.value(key) else { return Vec::new() };
        let wanted = format!("{key} must be a list of texts");
        let DeValue::Array(items) = value.get_ref() else {
            self.notes.add(&self.document.origin(value.span().start), wanted);
            return Vec::new();
        };
        let mut texts = Vec::new();
        for item in items.iter() {
            let origin = self.document.origin(item.span().start);
            match item.get_ref() {
                DeValue::String(text) => texts.push(Given { value: text.to_string(), origin }),
                _ => self.notes.add(&origin, &*wanted),
            }
        }
        texts
    }

    /// A list of texts, each read with `read`.
    pub(super) fn read_texts<T, E: Display>(
        &self,
        key: &'static str,
        read: impl Fn(&str) -> Result<T, E>,
    ) -> Vec<T> {
        self.notes.read_all(&self.texts(key), read)
    }

    /// A `[table]`, if the file has it.
    pub(super) fn table<T>(&self, key: &'static str, read: impl FnOnce(&Section<'a>) -> T) -> Option<T> {
        let section = self.child(key, format!("[{}]", self.path(key)), self.value(key)?);
        section.table.map(|_| section.read_all(read))
    }

    /// A `[table]`, without any keys if the file does not have it.
    pub(super) fn table_or_empty<T>(&self, key: &'static str, read: impl FnOnce(&Section<'a>) -> T) -> T {
        let name = format!("[{}]", self.path(key));
        let section = match self.value(key) {
            Some(value) => self.child(key, name, value),
            None => self.named(name, None, 0),
        };
        section.read_all(read)
    }

    /// Every `[[table]]` of that name, as far as `read` has a value for it.
    pub(super) fn tables<T>(
        &self,
        key: &'static str,
        mut read: impl FnMut(&Section<'a>) -> Option<T>,
    ) -> Vec<T> {
        let Some(value) = self.value(key) else { return Vec::new() };
        let name = format!("[[{}]]", self.path(key));
        let DeValue::Array(items) = value.get_ref() else {
            let origin = self.document.origin(value.span().start);
            self.notes.add(&origin, format!("write {name}, with two brackets: there may be several"));
            return Vec::new();
        };
        let sections = items.iter().map(|item| self.child(key, name.clone(), item));
        let sections = sections.filter(|section| section.table.is_some());
        sections.filter_map(|section| section.read_all(&mut read)).collect()
    }

    /// The same where no two may have the same name.
    pub(super) fn tables_by_name<T>(
        &self,
        key: &'static str,
        read: impl Fn(&Section<'a>) -> Option<T>,
        name: impl Fn(&T) -> &str,
    ) -> Vec<T> {
        let mut names = BTreeSet::new();
        self.tables(key, |section| {
            let value = read(section)?;
            if !names.insert(name(&value).to_owned()) {
                section.note(format!("there are two {} named {}", section.name, name(&value)));
            }
            Some(value)
        })
    }

    /// Reads all that is in the table; what is left then is unknown.
    fn read_all<T>(self, read: impl FnOnce(&Section<'a>) -> T) -> T {
        let value = read(&self);
        self.refuse_unknown();
        value
    }

    /// A table in this one; empty, and noted, if the value is none.
    fn child(&self, key: &str, name: String, value: &'a Spanned<DeValue<'a>>) -> Section<'a> {
        let offset = value.span().start;
        let DeValue::Table(table) = value.get_ref() else {
            self.notes.add(&self.document.origin(offset), format!("{key} must be a table"));
            return self.named(name, None, offset);
        };
        self.named(name, Some(table), offset)
    }

    fn named(&self, name: String, table: Option<&'a DeTable<'a>>, offset: usize) -> Section<'a> {
        Section { document: self.document, notes: self.notes, name, table, offset, asked: RefCell::default() }
    }

    /// A key of this table as it is called in brackets.
    fn path(&self, key: &str) -> String {
        match self.name.trim_matches(['[', ']']) {
            "" => key.to_owned(),
            path => format!("{path}.{key}"),
        }
    }

    fn value(&self, key: &'static str) -> Option<&'a Spanned<DeValue<'a>>> {
        self.asked.borrow_mut().insert(key);
        self.table?.get(key)
    }

    fn get<T>(
        &self,
        key: &'static str,
        wanted: &str,
        read: impl FnOnce(&DeValue<'_>) -> Option<T>,
    ) -> Option<Given<T>> {
        let value = self.value(key)?;
        let origin = self.document.origin(value.span().start);
        match read(value.get_ref()) {
            Some(value) => Some(Given { value, origin }),
            None => {
                self.notes.add(&origin, format!("{key} must be {wanted}"));
                None
            }
        }
    }
}
