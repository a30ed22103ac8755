//! The sentences of the screens: one folder of Fluent files for each language, one file for each area.

use fluent_bundle::concurrent::FluentBundle;
use fluent_bundle::{FluentArgs, FluentResource, FluentValue};
use std::borrow::Cow;

use super::language::Language;
use super::pseudo;
use crate::format;

type Words = FluentBundle<FluentResource>;

/// The text of all files of a language, `texts!("en")`.
macro_rules! texts {
    ($language:literal) => {
        [
            include_str!(concat!("../../locales/", $language, "/account.ftl")),
            include_str!(concat!("../../locales/", $language, "/acts.ftl")),
            include_str!(concat!("../../locales/", $language, "/audit.ftl")),
            include_str!(concat!("../../locales/", $language, "/dead.ftl")),
            include_str!(concat!("../../locales/", $language, "/bulk.ftl")),
            include_str!(concat!("../../locales/", $language, "/errors.ftl")),
            include_str!(concat!("../../locales/", $language, "/forecast.ftl")),
            include_str!(concat!("../../locales/", $language, "/filter.ftl")),
            include_str!(concat!("../../locales/", $language, "/frame.ftl")),
            include_str!(concat!("../../locales/", $language, "/job.ftl")),
            include_str!(concat!("../../locales/", $language, "/jobs.ftl")),
            include_str!(concat!("../../locales/", $language, "/live.ftl")),
            include_str!(concat!("../../locales/", $language, "/queue.ftl")),
            include_str!(concat!("../../locales/", $language, "/overview.ftl")),
            include_str!(concat!("../../locales/", $language, "/rights.ftl")),
            include_str!(concat!("../../locales/", $language, "/schedules.ftl")),
            include_str!(concat!("../../locales/", $language, "/import.ftl")),
            include_str!(concat!("../../locales/", $language, "/settings.ftl")),
            include_str!(concat!("../../locales/", $language, "/states.ftl")),
            include_str!(concat!("../../locales/", $language, "/support.ftl")),
            include_str!(concat!("../../locales/", $language, "/time.ftl")),
            include_str!(concat!("../../locales/", $language, "/redis.ftl")),
            include_str!(concat!("../../locales/", $language, "/workers.ftl")),
        ]
    };
}

#[cfg(not(feature = "split"))]
mod kept {
    //! Where nothing is loaded piece by piece, all languages are there.

    use std::sync::LazyLock;

    use super::{Language, Words, words};

    static ENGLISH: LazyLock<Words> = LazyLock::new(|| words(Language::English, &texts!("en")));
    static CHINESE: LazyLock<Words> = LazyLock::new(|| words(Language::Chinese, &texts!("zh-CN")));
    static PSEUDO: LazyLock<Words> = LazyLock::new(|| words(Language::Pseudo, &texts!("en")));

    pub(super) fn of(language: Language) -> Option<&'static Words> {
        Some(match language {
            Language::English => &ENGLISH,
            Language::Chinese => &CHINESE,
            Language::Pseudo => &PSEUDO,
        })
    }
}

#[cfg(feature = "split")]
mod kept {
    //! The texts of each language are a module of their own: a page loads those of its language.

    use std::sync::OnceLock;

    use wasm_split_helpers::SplitLoaderError;

    use super::{Language, Words, words};

    static OF_PAGE: OnceLock<Words> = OnceLock::new();

    #[wasm_split_helpers::wasm_split(english, fallible)]
    fn english() -> Result<&'static [&'static str], SplitLoaderError> {
        Ok(&texts!("en"))
    }

    #[wasm_split_helpers::wasm_split(chinese, fallible)]
    fn chinese() -> Result<&'static [&'static str], SplitLoaderError> {
        Ok(&texts!("zh-CN"))
    }

    pub(super) fn of(language: Language) -> Option<&'static Words> {
        OF_PAGE.get().filter(|_| language == Language::current())
    }

    /// Loads the sentences of this page's language. Until they are there, what is said is the key.
    ///
    /// # Errors
    /// When they do not come.
    pub(crate) async fn load() -> Result<(), SplitLoaderError> {
        let language = Language::current();
        let texts = match language {
            Language::English | Language::Pseudo => english().await?,
            Language::Chinese => chinese().await?,
        };
        OF_PAGE.get_or_init(|| words(language, texts));
        Ok(())
    }
}

#[cfg(feature = "split")]
pub(crate) use kept::load;

fn words(language: Language, files: &[&str]) -> Words {
    let mut words = Words::new_concurrent(vec![language.identifier()]);
    // The marks that keep texts of two directions apart stand in the way of whoever copies a sentence.
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

/// The sentence of a key in the language of this page; the key itself where there is none.
#[must_use]
pub fn say(key: &str, arguments: Option<&FluentArgs<'_>>) -> String {
    said(Language::current(), key, arguments).map_or_else(|| key.to_owned(), Cow::into_owned)
}

/// The sentence in one language, or in English; `None` for a key that neither knows.
fn said<'a>(language: Language, key: &str, arguments: Option<&'a FluentArgs<'_>>) -> Option<Cow<'a, str>> {
    [language, Language::English].into_iter().find_map(|language| {
        let words = kept::of(language)?;
        let pattern = words.get_message(key)?.value()?;
        // What an argument lacks stands as its name in the sentence.
        let mut mistakes = Vec::new();
        Some(Cow::Owned(words.format_pattern(pattern, arguments, &mut mistakes).into_owned()))
    })
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
#[path = "words_tests.rs"]
mod tests;
