//! The pseudo-language of tests: accented, so that what is not translated stands out, and two fifths longer,
//! so that what does not fit stands out.

use std::borrow::Cow;

const PLAIN: &str = "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ";
const ACCENTED: &str = "áƀćđéƒǵħíĵķĺɱńóƥɋŕśťúṽŵẋýźÁɃĆĐÉƑǴĦÍĴĶĹḾŃÓƤɊŔŚŤÚṼŴẊÝŹ";
/// Every so many letters one is said twice.
const STRETCH: usize = 3;

/// A text in the pseudo-language.
pub(super) fn accented(text: &str) -> Cow<'_, str> {
    let mut letters = 0;
    let mut accented = String::with_capacity(text.len() * 3);
    for plain in text.chars() {
        let letter = PLAIN.find(plain).and_then(|place| ACCENTED.chars().nth(place));
        accented.push(letter.unwrap_or(plain));
        if let Some(letter) = letter {
            letters += 1;
            if letters % STRETCH == 0 && plain.is_lowercase() {
                accented.push(letter);
            }
        }
    }
    Cow::Owned(accented)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn letters_are_accented_and_texts_get_longer() {
        let text = accented("Cancel 3 jobs");
        assert_eq!(text, "Ćáńńćéĺĺ 3 ĵóƀƀś");
        assert_eq!(PLAIN.chars().count(), ACCENTED.chars().count());
    }
}
