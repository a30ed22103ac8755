//! Long texts as they stand in a page, and in a field of several lines.

/// A text as the content of a `textarea`.
///
/// Leptos writes the content of these elements into the page as it is, as it does with scripts: a text with
/// `</textarea>` in it would leave the field and become part of the page. The browser reads the characters back; where
/// it makes the field itself it is given the text.
#[must_use]
pub(crate) fn in_field(text: String) -> String {
    if cfg!(feature = "ssr") { escaped(&text) } else { text }
}

/// Characters of one piece: of two units each at most, where a browser that reads a page ends a node at 65,536 of them.
const PIECE_CHARS: usize = 32_000;

/// A text of any length, in pieces that stay as they are: of a longer one the browser would make several nodes, where the
/// application, which takes the page over, expects one.
#[must_use]
pub(crate) fn in_pieces(text: &str) -> Vec<String> {
    let mut pieces = Vec::new();
    let mut rest = text;
    while !rest.is_empty() {
        let (piece, behind) = rest.split_at(crate::format::end_of_open(rest, PIECE_CHARS));
        pieces.push(piece.to_owned());
        rest = behind;
    }
    pieces
}

fn escaped(text: &str) -> String {
    text.replace('&', "&amp;").replace('<', "&lt;").replace('>', "&gt;")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn no_piece_is_longer_than_a_node_and_nothing_is_lost_between_them() {
        for text in [String::new(), "ä".repeat(PIECE_CHARS), "😀".repeat(3 * PIECE_CHARS + 1)] {
            let pieces = in_pieces(&text);
            assert!(pieces.iter().all(|piece| (1..=65_536).contains(&piece.encode_utf16().count())));
            assert_eq!(pieces.concat(), text);
        }
    }

    #[test]
    fn no_text_leaves_its_field_and_none_is_read_as_another() {
        assert_eq!(escaped("</textarea><script>1"), "&lt;/textarea&gt;&lt;script&gt;1");
        assert_eq!(escaped("a &lt; b"), "a &amp;lt; b");
    }
}
