//! Which subjects somebody may mean by what they typed, pasted or scanned.

use reprieve::model::Subject;

use super::vocabulary::Vocabulary;

/// Subjects that one search looks up, each with a few reads.
pub(crate) const CANDIDATES_MAX: usize = 12;

/// The text of a scanner or a clipboard, without what is not seen: blanks around it, tabs, line ends.
pub(crate) fn cleaned(text: &str) -> String {
    let spaced: String = text.chars().map(|c| if c.is_control() { ' ' } else { c }).collect();
    spaced.split_whitespace().collect::<Vec<_>>().join(" ")
}

/// The subjects that may be meant, the likeliest first.
pub(crate) fn candidates(asked: &str, vocabulary: &Vocabulary) -> Vec<Subject> {
    let asked = cleaned(asked);
    if asked.is_empty() {
        return Vec::new();
    }
    let lower = asked.to_lowercase();
    let mut texts = vec![asked.clone(), asked.replace(' ', ":"), lower.replace(' ', ":")];
    for (sort, words) in vocabulary.sorts() {
        for word in words.map(str::to_lowercase).chain([sort.to_lowercase()]) {
            if let Some(rest) = lower.strip_prefix(&word) {
                let rest = rest.trim_start_matches([' ', ':', '#', '-', '：']);
                // The number as it was written: capitals may matter.
                let tail = asked.get(asked.len().saturating_sub(rest.len())..).unwrap_or(rest);
                texts.push(format!("{sort}:{tail}"));
            }
        }
    }
    if !asked.contains(':') {
        let compact = asked.replace(' ', "");
        texts.extend(vocabulary.sorts().map(|(sort, _)| format!("{sort}:{compact}")));
    }
    texts.push(asked.replace([' ', '-', '(', ')'], ""));
    let mut found: Vec<Subject> = Vec::new();
    for subject in texts.into_iter().filter_map(|text| Subject::new(text).ok()) {
        if !found.contains(&subject) && found.len() < CANDIDATES_MAX {
            found.push(subject);
        }
    }
    found
}

#[cfg(test)]
mod tests {
    use super::super::vocabulary::Word;
    use super::*;

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
        ] {
            let found = candidates(text, &words);
            assert!(found.iter().any(|subject| subject.as_str() == "resource:4711"), "{text:?}: {found:?}");
        }
        assert!(candidates("+49 (170) 55-66", &words).is_empty(), "a plus is no part of a subject");
        assert_eq!(candidates("0170 55 66", &words).last().unwrap().as_str(), "01705566");
        assert!(candidates("\u{1d}\t ", &words).is_empty());
    }
}
