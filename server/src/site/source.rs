//! Where the files come from: built into the library, or the folder `site` beside its sources.

use axum::body::Bytes;
use std::collections::BTreeMap;

/// Files by their path.
type Files = BTreeMap<String, Bytes>;

/// Every file by its path, as it was when this was compiled.
#[cfg(feature = "embed")]
pub(super) fn files() -> Files {
    use std::borrow::Cow;

    #[derive(rust_embed::RustEmbed)]
    #[folder = "site"]
    struct Embedded;

    let read = |name: Cow<'static, str>| {
        let content = match Embedded::get(&name)?.data {
            Cow::Borrowed(content) => Bytes::from_static(content),
            Cow::Owned(content) => Bytes::from(content),
        };
        Some((name.into_owned(), content))
    };
    Embedded::iter().filter_map(read).collect()
}

/// Every file by its path, as it is on the disk now.
#[cfg(not(feature = "embed"))]
pub(super) fn files() -> Files {
    use std::path::Path;

    let mut files = Files::new();
    let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("site");
    for entry in folder.read_dir().into_iter().flatten().flatten() {
        match std::fs::read(entry.path()) {
            Ok(content) => {
                files.insert(entry.file_name().to_string_lossy().into_owned(), content.into());
            }
            Err(why) => tracing::warn!("{} cannot be read: {why}", entry.path().display()),
        }
    }
    files
}
