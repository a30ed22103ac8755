//! What the engine and its scripts write in English, in the language of the page. It is recognised by the English sentences of
//! the screens, which say the same.

use std::cmp::Reverse;

use fluent_bundle::{FluentArgs, FluentValue};

use super::words::{english, say};

/// A sentence of the engine's, and the key of the same among those of the screens.
struct Sentence {
    key: &'static str,
    /// What it begins with.
    start: &'static str,
    /// The names of what is filled in, each with the text behind it.
    places: Vec<(&'static str, &'static str)>,
}

impl Sentence {
    /// Reads it as a Fluent file has it: `job { $id } is running here`.
    fn new((key, text): (&'static str, &'static str)) -> Self {
        let mut pieces = text.split("{ $");
        let start = pieces.next().unwrap_or_default();
        Self { key, start, places: pieces.filter_map(|piece| piece.split_once(" }")).collect() }
    }

    /// How much of it is the same whatever is filled in.
    fn letters(&self) -> usize {
        self.start.len() + self.places.iter().map(|(_, behind)| behind.len()).sum::<usize>()
    }

    /// What is filled in; `None` for another sentence.
    fn read<'a>(&self, said: &'a str) -> Option<Vec<(&'static str, &'a str)>> {
        let mut rest = said.strip_prefix(self.start)?;
        let Some(((last, end), places)) = self.places.split_last() else {
            return rest.is_empty().then(Vec::new);
        };
        let mut values = Vec::new();
        for (name, behind) in places {
            let (value, others) = rest.split_once(behind)?;
            values.push((*name, value));
            rest = others;
        }
        values.push((*last, rest.strip_suffix(end)?));
        Some(values)
    }
}

/// The sentences that the engine has about something.
pub(super) struct Sentences(Vec<Sentence>);

impl Sentences {
    /// Those whose keys begin so. What the screens say otherwise in English than the engine stands in `otherwise`.
    pub(super) fn new(keys: &'static str, otherwise: &[(&'static str, &'static str)]) -> Self {
        let all = english().filter(|(key, _)| key.starts_with(keys)).chain(otherwise.iter().copied());
        let mut all: Vec<_> = all.map(Sentence::new).collect();
        // What fits two is the one that says more itself.
        all.sort_by_key(|sentence| Reverse(sentence.letters()));
        Self(all)
    }

    /// A sentence in the language of the page, with what `filled` makes of each name and value in it; `None` for a sentence that
    /// is none of these, or where one of its values is `None`.
    pub(super) fn said(
        &self,
        said: &str,
        filled: impl Fn(&str, &str) -> Option<FluentValue<'static>>,
    ) -> Option<String> {
        self.0.iter().find_map(|sentence| {
            let mut arguments = FluentArgs::new();
            for (name, value) in sentence.read(said)? {
                arguments.set(name, filled(name, value)?);
            }
            Some(say(sentence.key, Some(&arguments)))
        })
    }
}
