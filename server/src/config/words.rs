//! What this place calls its kinds of work and the things they are about: `[[kind]]` and `[[subject]]`.

use super::document::Section;
use app::vocabulary::{KindWords, Vocabulary, Word};
use reprieve::model::{Kind, Subject};

/// Reads every `[[kind]]` and `[[subject]]`.
pub(super) fn read(root: &Section<'_>) -> Vocabulary {
    let kinds = root.tables("kind", |section| {
        let name = section.read_required("name", str::parse::<Kind>);
        let words = KindWords {
            step: word(section, ["step", "step_zh"]),
            noun: word(section, ["noun", "noun_zh"]),
            hidden: section.truth("hidden") == Some(true),
        };
        Some((name?, words))
    });
    let subjects = root.tables("subject", |section| {
        let name = section.read_required("name", |text| match text.parse::<Subject>() {
            Ok(_) if text.contains(':') => {
                Err("a subject is named without its colon: \"resource\" for resource:4711".to_owned())
            }
            Ok(_) => Ok(text.to_owned()),
            Err(why) => Err(why.to_string()),
        });
        let word = word(section, ["word", "word_zh"]);
        Some((name?, word))
    });
    let of_kinds =
        kinds.into_iter().fold(Vocabulary::default(), |all, (name, words)| all.kind(name.as_str(), words));
    subjects.into_iter().fold(of_kinds, |all, (name, word)| all.subject(name, word))
}

/// A word in English and in Chinese.
fn word(section: &Section<'_>, [english, chinese]: [&'static str; 2]) -> Word {
    let text = |key| section.text(key).map(|given| given.value).unwrap_or_default();
    Word::new(text(english), text(chinese))
}
