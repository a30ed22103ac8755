//! A value that an option sets or, by the word `none`, takes away. An option that is left out changes nothing.

/// What takes a value away.
pub(super) const NONE: &str = "none";

/// A value of its own, or none.
#[derive(Debug, Clone, Copy)]
pub(super) struct Own<T>(pub(super) Option<T>);

impl<T> Own<T> {
    /// `none`, or what `read` makes of the text.
    pub(super) fn read(text: &str, read: impl FnOnce(&str) -> Result<T, String>) -> Result<Self, String> {
        if text == NONE { Ok(Self(None)) } else { read(text).map(|value| Self(Some(value))) }
    }
}
