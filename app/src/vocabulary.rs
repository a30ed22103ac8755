//! What a place calls its kinds of work, and the things they are about.

use std::collections::BTreeMap;

use reprieve::desk::DeskKinds;
use reprieve::model::{Kind, Subject};

use crate::i18n::Language;

/// A word in each language; without a Chinese one the English one stands for it.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct Word {
    /// In English.
    pub english: String,
    /// In Simplified Chinese; empty where nobody said.
    pub chinese: String,
}

impl Word {
    /// A word in both languages.
    pub fn new(english: impl Into<String>, chinese: impl Into<String>) -> Self {
        Self { english: english.into(), chinese: chinese.into() }
    }

    fn said(&self) -> String {
        match Language::current() {
            Language::Chinese if !self.chinese.is_empty() => self.chinese.clone(),
            _ => self.english.clone(),
        }
    }

    fn each(&self) -> impl Iterator<Item = &str> {
        [self.english.as_str(), self.chinese.as_str()].into_iter().filter(|word| !word.is_empty())
    }
}

/// What a kind of work is called where nobody knows of jobs.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct KindWords {
    /// What it does, as a line of a list: `Deletion of the resource`.
    pub step: Word,
    /// What can be called off, as in "Call off deletion"; empty for what nobody would name, as a notice.
    pub noun: Word,
    /// Work that is of no interest to a customer, such as a backup: the desk neither shows nor touches it.
    pub hidden: bool,
}

/// The words of a place.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct Vocabulary {
    kinds: BTreeMap<String, KindWords>,
    subjects: BTreeMap<String, Word>,
}

impl Vocabulary {
    /// Adds the words for a kind.
    pub fn kind(mut self, kind: impl Into<String>, words: KindWords) -> Self {
        self.kinds.insert(kind.into(), words);
        self
    }

    /// Adds the word for what stands before the first colon of a subject: `resource` of `resource:4711`.
    pub fn subject(mut self, sort: impl Into<String>, word: Word) -> Self {
        self.subjects.insert(sort.into(), word);
        self
    }

    /// What a kind does, in words; of one that nobody named, its own name with blanks.
    pub(crate) fn step(&self, kind: &Kind) -> String {
        match self.kinds.get(kind.as_str()).map(|words| words.step.said()) {
            Some(said) if !said.is_empty() => said,
            _ => readable(kind.as_str()),
        }
    }

    /// What can be called off of that kind; empty where nobody said.
    pub(crate) fn noun(&self, kind: &Kind) -> String {
        self.kinds.get(kind.as_str()).map(|words| words.noun.said()).unwrap_or_default()
    }

    /// What the desk goes by: what has a noun is what a plan comes to.
    pub(crate) fn desk_kinds(&self) -> DeskKinds {
        let named = |is: fn(&KindWords) -> bool| {
            self.kinds.iter().filter(|(_, words)| is(words)).map(|(kind, _)| kind.clone()).collect()
        };
        let main = named(|words| words.noun.each().next().is_some());
        DeskKinds { main, hidden: named(|words| words.hidden) }
    }

    /// The kinds that are no business of a customer's, and those that have words.
    pub(crate) fn kinds(&self) -> (Vec<String>, Vec<String>) {
        let named = |hidden: bool| {
            let of = self.kinds.iter().filter(move |(_, words)| words.hidden == hidden);
            of.map(|(kind, _)| kind.clone()).collect()
        };
        (named(true), named(false))
    }

    /// What people call a subject: `Resource 4711`.
    pub(crate) fn label(&self, subject: &Subject) -> String {
        let text = subject.readable();
        match text.split_once(':') {
            Some((sort, rest)) => {
                let word = self.subjects.get(sort).map_or_else(|| readable(sort), Word::said);
                format!("{word} {rest}")
            }
            None => text,
        }
    }

    /// What the sorts of subjects are called.
    pub(crate) fn subject_words(&self) -> Vec<String> {
        self.subjects.values().map(Word::said).filter(|word| !word.is_empty()).collect()
    }

    /// The sorts of subjects there are, with what they are called.
    pub(crate) fn sorts(&self) -> impl Iterator<Item = (&str, impl Iterator<Item = &str>)> {
        self.subjects.iter().map(|(sort, word)| (sort.as_str(), word.each()))
    }
}

/// `resource.expiry_notice` as `Resource expiry notice`.
fn readable(name: &str) -> String {
    let text = name.replace(['.', '_', '-'], " ");
    let mut chars = text.chars();
    chars.next().map(|first| first.to_uppercase().chain(chars).collect()).unwrap_or_default()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_nobody_named_is_readable_all_the_same() {
        let words = Vocabulary::default();
        assert_eq!(words.step(&Kind::new("resource.expiry_notice").unwrap()), "Resource expiry notice");
        assert_eq!(words.label(&Subject::new("order:7/a").unwrap()), "Order 7/a");
        assert_eq!(words.label(&Subject::new("7").unwrap()), "7");
        assert_eq!(words.label(&Subject::new("ann+test@example.com").unwrap()), "ann+test@example.com");
        assert_eq!(words.noun(&Kind::new("x").unwrap()), "");
    }
}
