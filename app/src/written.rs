//! A text in a field of several lines.

/// A text as the content of a `textarea`.
///
/// Leptos writes the content of these elements into the page as it is, as it does with scripts: a text with
/// `</textarea>` in it would leave the field and become part of the page. The browser reads the characters back.
pub(crate) fn in_field(text: &str) -> String {
    text.replace('&', "&amp;").replace('<', "&lt;").replace('>', "&gt;")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn no_text_leaves_its_field_and_none_is_read_as_another() {
        assert_eq!(in_field("</textarea><script>1"), "&lt;/textarea&gt;&lt;script&gt;1");
        assert_eq!(in_field("a &lt; b"), "a &amp;lt; b");
    }
}
