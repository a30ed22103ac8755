//! What this place calls its kinds of work and the things they are about: `[[kind]]` and `[[subject]]`.

use super::document::Section;
use super::mistake::Mistakes;
use app::vocabulary::{KindWords, Vocabulary, Word};
use reprieve::model::{Kind, Subject};

/// What one `[[kind]]` may say.
const OF_A_KIND: [&str; 6] = ["name", "step", "step_zh", "noun", "noun_zh", "hidden"];
/// What one `[[subject]]` may say.
const OF_A_SUBJECT: [&str; 3] = ["name", "word", "word_zh"];

/// Reads every `[[kind]]` and `[[subject]]`.
pub(crate) fn read(root: &Section<'_>, mistakes: &mut Mistakes) -> Vocabulary {
    let mut vocabulary = Vocabulary::default();
    for section in root.sections("kind", mistakes) {
        section.refuse_unknown(&OF_A_KIND, mistakes);
        let name = section.required("name", "kind", mistakes);
        let name = mistakes.read(name.as_ref(), |text| text.parse::<Kind>());
        let words = KindWords {
            step: word(&section, ["step", "step_zh"], mistakes),
            noun: word(&section, ["noun", "noun_zh"], mistakes),
            hidden: section.flag("hidden", mistakes).is_some_and(|given| given.value),
        };
        if let Some(name) = name {
            vocabulary = vocabulary.kind(name.as_str(), words);
        }
    }
    for section in root.sections("subject", mistakes) {
        section.refuse_unknown(&OF_A_SUBJECT, mistakes);
        let name = section.required("name", "subject", mistakes);
        let name = mistakes.read(name.as_ref(), |text| match text.parse::<Subject>() {
            Ok(_) if text.contains(':') => {
                Err("a subject is named without its colon: \"resource\" for resource:4711".to_owned())
            }
            Ok(_) => Ok(text.to_owned()),
            Err(why) => Err(why.to_string()),
        });
        let word = word(&section, ["word", "word_zh"], mistakes);
        if let Some(name) = name {
            vocabulary = vocabulary.subject(name, word);
        }
    }
    vocabulary
}

/// A word in English and in Chinese.
fn word(section: &Section<'_>, [english, chinese]: [&str; 2], mistakes: &mut Mistakes) -> Word {
    let mut text = |key: &str| section.text(key, mistakes).map(|given| given.value).unwrap_or_default();
    Word::new(text(english), text(chinese))
}
