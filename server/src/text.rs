//! Text from outside: bodies, files, standard input, secrets. One reader, so that all of them take the same.

use std::fmt;
use std::fs::File;
use std::io::Read;
use std::path::Path;

/// By this some editors mark UTF-8. It is no part of the text.
const MARK: &[u8] = "\u{feff}".as_bytes();

/// Bytes as text, without the byte order mark that may stand in front.
pub(crate) fn of(bytes: Vec<u8>) -> Result<String, NotText> {
    if let Some(what) = foreign(&bytes) {
        return Err(what);
    }
    let mut text = String::from_utf8(bytes)
        .map_err(|error| NotText::NotUtf8 { at: error.utf8_error().valid_up_to() })?;
    if text.as_bytes().starts_with(MARK) {
        text.drain(..MARK.len());
    }
    Ok(text)
}

/// The bytes behind a byte order mark.
pub(crate) fn unmarked(bytes: &[u8]) -> &[u8] {
    bytes.strip_prefix(MARK).unwrap_or(bytes)
}

/// All that a reader has, as text; so many bytes at most.
///
/// # Errors
/// A sentence that begins with what it is, as `it is UTF-16: …`.
pub(crate) fn read(source: impl Read, bytes_max: u64) -> Result<String, String> {
    let mut bytes = Vec::new();
    source.take(bytes_max.saturating_add(1)).read_to_end(&mut bytes).map_err(|why| why.to_string())?;
    if u64::try_from(bytes.len()).is_ok_and(|read| read > bytes_max) {
        return Err(format!("it has more than {bytes_max} bytes"));
    }
    of(bytes).map_err(|why| why.to_string())
}

/// The text of a file; so many bytes at most.
///
/// # Errors
/// A sentence without the file's name.
pub(crate) fn of_file(path: &Path, bytes_max: u64) -> Result<String, String> {
    read(File::open(path).map_err(|why| why.to_string())?, bytes_max)
}

/// What bytes are that are no text in UTF-8.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum NotText {
    Utf16,
    /// Compressed, with what that is called.
    Packed(&'static str),
    NotUtf8 {
        /// The first byte that does not fit.
        at: usize,
    },
}

impl fmt::Display for NotText {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Utf16 => f.write_str("it is UTF-16: save or send it as UTF-8"),
            Self::Packed(with) => write!(f, "it is compressed with {with}: unpack it first"),
            Self::NotUtf8 { at } => write!(f, "it is not UTF-8: byte {} does not fit", at + 1),
        }
    }
}

/// What the first bytes tell. No text of ours has a zero byte: one of the first two without the other is a
/// letter of UTF-16.
const fn foreign(bytes: &[u8]) -> Option<NotText> {
    match bytes {
        [0xff, 0xfe, ..] | [0xfe, 0xff, ..] => Some(NotText::Utf16),
        [0x1f, 0x8b, ..] => Some(NotText::Packed("gzip")),
        [0x28, 0xb5, 0x2f, 0xfd, ..] => Some(NotText::Packed("zstd")),
        [0xfd, b'7', b'z', b'X', b'Z', 0, ..] => Some(NotText::Packed("xz")),
        [b'P', b'K', 3, 4, ..] => Some(NotText::Packed("zip")),
        [0, second, ..] if *second != 0 => Some(NotText::Utf16),
        [first, 0, ..] if *first != 0 => Some(NotText::Utf16),
        _ => None,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_mark_is_dropped_and_what_is_no_utf_8_is_named() {
        for (bytes, read) in [
            (&b"\xef\xbb\xbf{}"[..], Ok("{}")),
            (b"{}", Ok("{}")),
            (b"", Ok("")),
            (b"\xef\xbb\xbf", Ok("")),
            ("Jürgen".as_bytes(), Ok("Jürgen")),
            (b"\xff\xfe{\0}\0", Err(NotText::Utf16)),
            (b"\xfe\xff\0{\0}", Err(NotText::Utf16)),
            (b"{\0}\0", Err(NotText::Utf16)),
            (b"\0{\0}", Err(NotText::Utf16)),
            (b"\x1f\x8b\x08", Err(NotText::Packed("gzip"))),
            (b"\x28\xb5\x2f\xfd\x04", Err(NotText::Packed("zstd"))),
            (b"\xfd7zXZ\0", Err(NotText::Packed("xz"))),
            (b"PK\x03\x04", Err(NotText::Packed("zip"))),
            (b"a\xfc", Err(NotText::NotUtf8 { at: 1 })),
        ] {
            assert_eq!(of(bytes.to_vec()).as_deref(), read.as_ref().copied(), "{bytes:?}");
        }
    }

    #[test]
    fn no_more_is_read_than_may_be() {
        assert_eq!(read(&b"abc"[..], 3).as_deref(), Ok("abc"));
        assert_eq!(read(std::io::repeat(b'a'), 3), Err("it has more than 3 bytes".to_owned()));
    }
}
