//! Texts of others as people are shown them.

/// The start of a text: so many bytes at most, cut between characters.
#[must_use]
pub fn first_bytes(text: &str, bytes_max: usize) -> &str {
    let end = (0..=bytes_max.min(text.len())).rev().find(|&end| text.is_char_boundary(end));
    &text[..end.unwrap_or(0)]
}

/// A text as people are shown it: without control characters, without the colours that programs write for terminals, and
/// without the marks that turn around what stands after them (Unicode, annex 9), by which `exe.png` may read `gnp.exe`.
#[must_use]
pub fn without_escapes(text: &str) -> String {
    let mut shown = String::with_capacity(text.len());
    let mut signs = text.chars();
    while let Some(sign) = signs.next() {
        match sign {
            '\u{1b}' => skip_sequence(&mut signs),
            // The same sequence, begun by one character.
            '\u{9b}' => skip_parameters(&mut signs),
            '\u{202a}'..='\u{202e}' | '\u{2066}'..='\u{2069}' => {}
            _ if sign.is_control() && !sign.is_whitespace() => {}
            _ => shown.push(sign),
        }
    }
    shown
}

/// Passes over what follows an escape: ECMA-48, 5.3 to 5.6.
fn skip_sequence(signs: &mut std::str::Chars<'_>) {
    match signs.next() {
        Some('[') => skip_parameters(signs),
        // A string for the terminal, such as a title or a link: up to a bell, or an escape and a backslash.
        Some(']' | 'P' | 'X' | '^' | '_') => {
            let mut before = ' ';
            let _ = signs.find(|sign| {
                let ends = *sign == '\u{7}' || (before == '\u{1b}' && *sign == '\\');
                before = *sign;
                ends
            });
        }
        _ => {}
    }
}

fn skip_parameters(signs: &mut std::str::Chars<'_>) {
    let _ = signs.find(|sign| ('@'..='~').contains(sign));
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn colours_of_terminals_are_not_shown() {
        let shown = |text: &str| without_escapes(text);
        assert_eq!(shown("\u{1b}[1;31merror\u{1b}[0m: no\tuser\n"), "error: no\tuser\n");
        assert_eq!(shown("\u{1b}]8;;http://a\u{7}link\u{1b}]8;;\u{1b}\\ \u{9b}2Jx\0"), "link x");
        // What is never ended takes nothing else along than what it begins.
        assert_eq!(shown("a\u{1b}[31"), "a");
        assert_eq!(shown("[31m 任务"), "[31m 任务");
    }

    #[test]
    fn nothing_turns_around_what_stands_after_it() {
        assert_eq!(without_escapes("a\u{202e}gnp.exe\u{2069} שלום"), "agnp.exe שלום");
    }
}
