//! The sentences of the screens: one folder of Fluent files for each language, one file for each area.

use std::sync::LazyLock;

use fluent_bundle::concurrent::FluentBundle;
use fluent_bundle::{FluentArgs, FluentResource, FluentValue};

use super::language::Language;
use super::pseudo;
use crate::format;

type Words = FluentBundle<FluentResource>;

/// The text of all files of a language, `texts!("en")`.
macro_rules! texts {
    ($language:literal) => {
        texts!($language: account acts audit dead bulk errors forecast filter frame job jobs live
            queue overview rights schedules import settings states support time redis workers)
    };
    ($language:literal: $($area:ident)+) => {
        [$(include_str!(concat!("../../locales/", $language, "/", stringify!($area), ".ftl"))),+]
    };
}

static ENGLISH: LazyLock<Words> = LazyLock::new(|| words(Language::English, &texts!("en")));
static CHINESE: LazyLock<Words> = LazyLock::new(|| words(Language::Chinese, &texts!("zh-CN")));
static PSEUDO: LazyLock<Words> = LazyLock::new(|| words(Language::Pseudo, &texts!("en")));

fn of(language: Language) -> &'static Words {
    match language {
        Language::English => &ENGLISH,
        Language::Chinese => &CHINESE,
        Language::Pseudo => &PSEUDO,
    }
}

/// The sentences of a language.
fn words(language: Language, files: &[&str]) -> Words {
    let mut words = Words::new_concurrent(vec![language.identifier()]);
    // The marks that keep texts of two directions apart stand in the way when somebody copies a sentence.
    words.set_use_isolating(false);
    words.set_formatter(Some(grouped));
    if language == Language::Pseudo {
        words.set_transform(Some(pseudo::accented));
    }
    for file in files {
        // What reads well is kept even where one message is wrong; a test finds the wrong one.
        let resource = FluentResource::try_new((*file).to_owned()).unwrap_or_else(|(resource, _)| resource);
        words.add_resource_overriding(resource);
    }
    words
}

/// Whole numbers with their thousands apart.
fn grouped<M>(value: &FluentValue<'_>, _: &M) -> Option<String> {
    let FluentValue::Number(number) = value else { return None };
    let whole = number.value.fract() == 0.0 && number.value >= 0.0;
    whole.then(|| number.as_string().parse().ok().map(format::number)).flatten()
}

/// The English sentences of one line, by key, as their files have them.
pub(super) fn english() -> impl Iterator<Item = (&'static str, &'static str)> {
    let lines = texts!("en").into_iter().flat_map(str::lines);
    lines.filter_map(|line| line.split_once(" = ")).filter(|(_, sentence)| !sentence.ends_with("->"))
}

/// The sentence of a key in the language of this page; the key itself where there is none.
pub fn say(key: &str, arguments: Option<&FluentArgs<'_>>) -> String {
    said(Language::current(), key, arguments).unwrap_or_else(|| key.to_owned())
}

/// The sentence in one language, or in English; `None` for a key that neither knows.
fn said(language: Language, key: &str, arguments: Option<&FluentArgs<'_>>) -> Option<String> {
    [language, Language::English].into_iter().find_map(|language| sentence(of(language), key, arguments))
}

fn sentence(words: &Words, key: &str, arguments: Option<&FluentArgs<'_>>) -> Option<String> {
    let pattern = words.get_message(key)?.value()?;
    // What an argument lacks stands as its name in the sentence.
    let mut mistakes = Vec::new();
    Some(words.format_pattern(pattern, arguments, &mut mistakes).into_owned())
}

/// What one of a closed set of words is called in the language of this page: of `cancel_plan` among `audit-verb` the sentence
/// `audit-verb-cancel-plan`. The word itself where nobody has another.
pub(crate) fn word(set: &str, word: &str) -> String {
    known(set, word).unwrap_or_else(|| word.to_owned())
}

/// The same; `None` where nobody has another.
pub(super) fn known(set: &str, word: &str) -> Option<String> {
    known_with(set, word, None)
}

/// The same with what is filled in.
pub(super) fn known_with(set: &str, word: &str, arguments: Option<&FluentArgs<'_>>) -> Option<String> {
    said(Language::current(), &key_of(set, word), arguments)
}

/// A sentence of a set with a count in it; the word itself where there is none.
pub(crate) fn counted(set: &str, word: &str, count: u64) -> String {
    let mut arguments = FluentArgs::new();
    arguments.set("count", count);
    known_with(set, word, Some(&arguments)).unwrap_or_else(|| word.to_owned())
}

/// The key of a word of a set: a dash stands for whatever is between its letters and digits.
fn key_of(set: &str, word: &str) -> String {
    let parts = word.split(|c: char| !c.is_ascii_alphanumeric()).filter(|part| !part.is_empty());
    std::iter::once(set).chain(parts).collect::<Vec<_>>().join("-").to_lowercase()
}

/// A sentence in the language of this page: `t!("jobs-empty")`, `t!("jobs-cancelled", count = 3)`.
///
/// Numbers are grouped and choose the plural; everything else is given as text.
#[macro_export]
macro_rules! t {
    ($key:literal) => {
        $crate::i18n::say($key, None)
    };
    ($key:literal, $($name:ident = $value:expr),+ $(,)?) => {{
        let mut arguments = $crate::i18n::FluentArgs::new();
        $(arguments.set(stringify!($name), $value);)+
        $crate::i18n::say($key, Some(&arguments))
    }};
}

#[cfg(test)]
mod tests;
