//! Which subjects somebody may mean by what they typed, pasted or scanned.

use reprieve::model::Subject;

use crate::vocabulary::Vocabulary;

/// Subjects that one search looks up in the sorts that the configuration names, each with a few reads.
const CANDIDATES_MAX: usize = 64;
/// And in those that are around, of which there may be any number.
const AROUND_MAX: usize = 12;

/// How far full-width signs are from those of ASCII, which they follow in the same order.
const WIDER_BY: u32 = 0xFEE0;
/// What is written around a number or before it, and is never part of a subject.
const AROUND: [char; 15] =
    ['#', '№', '"', '\'', '`', '“', '”', '„', '‘', '’', '«', '»', '「', '」', '\u{feff}'];
/// Sorts of subjects, and words for them, that are numbers of telephones.
const TELEPHONES: [&str; 9] =
    ["phone", "phone number", "telephone", "tel", "mobile", "msisdn", "电话", "电话号码", "手机号"];

/// The text of a scanner, a clipboard or an input method, without what is not seen or not meant: blanks around it, tabs,
/// line ends, quotation marks, and with the digits of ASCII.
pub(crate) fn cleaned(text: &str) -> String {
    let plain = |c: char| match c {
        '\u{ff01}'..='\u{ff5e}' => char::from_u32(u32::from(c) - WIDER_BY).unwrap_or(c),
        c => c,
    };
    let seen = |c: char| if c.is_control() || AROUND.contains(&c) { ' ' } else { c };
    let spaced: String = text.chars().map(|c| seen(plain(c))).collect();
    spaced.split_whitespace().collect::<Vec<_>>().join(" ")
}

/// The digits of a telephone number, however they are grouped; `None` for what is none.
fn telephone(asked: &str) -> Option<String> {
    let is_number = asked.chars().all(|c| c.is_ascii_digit() || " +-()/.".contains(c));
    let digits: String = asked.chars().filter(char::is_ascii_digit).collect();
    (is_number && !digits.is_empty()).then_some(digits)
}

/// The subjects that may be meant, the likeliest first.
pub(crate) fn candidates(typed: &str, vocabulary: &Vocabulary) -> Vec<Subject> {
    let asked = cleaned(typed);
    if asked.is_empty() {
        return Vec::new();
    }
    let lower = asked.to_lowercase();
    let mut texts = vec![typed.trim().to_owned(), asked.clone()];
    texts.extend([asked.replace(' ', ":"), lower.replace(' ', ":")]);
    for (sort, words) in vocabulary.sorts() {
        let words: Vec<String> = words.map(str::to_lowercase).chain([sort.to_lowercase()]).collect();
        let is_telephone = words.iter().any(|word| TELEPHONES.contains(&word.as_str()));
        for word in &words {
            if let Some(rest) = lower.strip_prefix(word) {
                let rest = rest.trim_start_matches([' ', ':', '-']);
                // The number as it was written: capitals may matter.
                let tail = asked.get(asked.len().saturating_sub(rest.len())..).unwrap_or(rest);
                texts.extend([format!("{sort}:{tail}"), format!("{sort}:{}", tail.replace(' ', ""))]);
                let digits = telephone(tail).filter(|_| is_telephone);
                texts.extend(digits.map(|digits| format!("{sort}:{digits}")));
            }
        }
    }
    if !asked.contains(':') {
        let compact = asked.replace(' ', "");
        texts.extend(vocabulary.sorts().map(|(sort, _)| format!("{sort}:{compact}")));
    }
    if let Some(digits) = telephone(&asked) {
        for (sort, mut words) in vocabulary.sorts() {
            let is_telephone = |word: &str| TELEPHONES.contains(&word.to_lowercase().as_str());
            if is_telephone(sort) || words.any(is_telephone) {
                texts.push(format!("{sort}:{digits}"));
            }
        }
    }
    texts.push(asked.replace(' ', ""));
    let mut found = subjects(texts);
    found.truncate(CANDIDATES_MAX);
    found
}

/// Whether a text says no sort: a number alone may be meant in any.
pub(crate) fn is_bare(asked: &str, vocabulary: &Vocabulary) -> bool {
    let lower = asked.to_lowercase();
    let is_said = |word: &str| lower.starts_with(&word.to_lowercase());
    !asked.contains(':') && !vocabulary.sorts().any(|(sort, mut words)| is_said(sort) || words.any(is_said))
}

/// The subjects that a number without its sort may mean where subjects of these sorts are around, and whether there are more
/// than one search looks up.
pub(crate) fn of_sorts(asked: &str, sorts: &[String]) -> (Vec<Subject>, bool) {
    let asked = cleaned(asked);
    if asked.is_empty() || asked.contains(':') {
        return (Vec::new(), false);
    }
    let compact = asked.replace(' ', "");
    let mut found = subjects(sorts.iter().map(|sort| format!("{sort}:{compact}")));
    let is_more = found.len() > AROUND_MAX;
    found.truncate(AROUND_MAX);
    (found, is_more)
}

/// What can be a subject, each once.
fn subjects(texts: impl IntoIterator<Item = String>) -> Vec<Subject> {
    let mut found: Vec<Subject> = Vec::new();
    for subject in texts.into_iter().filter_map(|text| Subject::new(text).ok()) {
        if !found.contains(&subject) {
            found.push(subject);
        }
    }
    found
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::vocabulary::Word;

    #[test]
    fn a_number_is_looked_for_in_the_sorts_that_are_around() {
        let sorts = ["order".to_owned(), "resource".to_owned()];
        let found = |text: &str| of_sorts(text, &sorts).0.iter().map(ToString::to_string).collect::<Vec<_>>();
        assert_eq!(found(" #47 11\n"), ["order:4711", "resource:4711"]);
        assert!(found("order:4711").is_empty(), "its sort is known");
        assert!(found("").is_empty());
        let many: Vec<String> = (0..100).map(|n| format!("s{n}")).collect();
        let (found, is_more) = of_sorts("1", &many);
        assert_eq!((found.len(), is_more), (AROUND_MAX, true));
        assert!(!of_sorts("1", &sorts).1);
    }

    #[test]
    fn a_number_is_looked_for_in_every_sort_that_the_configuration_names() {
        let sorts: Vec<String> = (b'a'..=b'o').map(|letter| format!("sort-{}", char::from(letter))).collect();
        let words = sorts.iter().fold(Vocabulary::default(), |words, sort| {
            words.subject(sort.clone(), Word::new(sort.to_uppercase(), ""))
        });
        let words = words.subject("z-caller", Word::new("Phone", "电话"));
        let found = |text: &str| -> Vec<String> {
            candidates(text, &words).iter().map(ToString::to_string).collect()
        };
        for sort in &sorts {
            assert!(found("4711").contains(&format!("{sort}:4711")), "{sort}");
        }
        assert!(found("+49 (170) 55-66").contains(&"z-caller:491705566".to_owned()));
    }

    #[test]
    fn a_subject_is_found_however_it_is_written() {
        let words = Vocabulary::default()
            .subject("resource", Word::new("Resource", "资源"))
            .subject("order", Word::new("Order", "订单"));
        for text in [
            "resource:4711",
            "Resource 4711",
            " resource  4711\r\n",
            "4711",
            "资源 4711",
            "资源4711",
            "RESOURCE #4711",
            "４７１１",
            "资源：４７１１",
            "#4711",
            "“4711”",
            "\"resource 4711\"",
            "「4711」",
        ] {
            let found = candidates(text, &words);
            assert!(found.iter().any(|subject| subject.as_str() == "resource:4711"), "{text:?}: {found:?}");
        }
        let is_telephone = |subject: &Subject| subject.as_str().ends_with("491705566");
        let found = candidates("+49 (170) 55-66", &words);
        assert!(!found.iter().any(is_telephone), "no such number is known here: {found:?}");
        let with_phones = words.clone().subject("caller", Word::new("Phone", "电话"));
        let found = candidates("+49 (170) 55-66", &with_phones);
        assert!(found.iter().any(is_telephone), "{found:?}");
        let found = candidates("Phone +49 170 55 66", &with_phones);
        assert!(found.iter().any(|subject| subject.as_str() == "caller:491705566"), "{found:?}");
        assert!(is_bare("47 11", &words) && !is_bare("resource 47", &words) && !is_bare("订单47", &words));
        let found = candidates("Resource 47 11", &words);
        assert!(found.iter().any(|subject| subject.as_str() == "resource:4711"), "{found:?}");
        assert_eq!(candidates("0170 55 66", &words).last().unwrap().as_str(), "01705566");
        assert!(candidates("\u{1d}\t ", &words).is_empty());
        for text in ["ann+test@example.com", " ann@2Btest@40example.com\n"] {
            let found = candidates(text, &words);
            assert_eq!(found.first().map(Subject::as_str), Some("ann@2Btest@40example.com"), "{text:?}");
        }
    }
}
