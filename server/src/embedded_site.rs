//! The site inside the program. It belongs to the binary and not to the library, so that a change of the script or the
//! style sheet does not compile the library anew.

use axum::body::Bytes;
use std::borrow::Cow;
use std::collections::BTreeMap;

#[derive(rust_embed::RustEmbed)]
#[folder = "../target/site"]
struct Embedded;

/// Every file by its path.
pub(crate) fn files() -> BTreeMap<String, Bytes> {
    let read = |name: Cow<'static, str>| {
        let content = match Embedded::get(&name)?.data {
            Cow::Borrowed(content) => Bytes::from_static(content),
            Cow::Owned(content) => Bytes::from(content),
        };
        Some((name.into_owned(), content))
    };
    Embedded::iter().filter_map(read).collect()
}
