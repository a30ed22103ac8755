//! Where the files come from: built into the program, or `target/site` beside its sources.

use axum::body::Bytes;
use std::collections::BTreeMap;

/// The site as the program was built with it.
#[cfg(feature = "embed")]
#[derive(rust_embed::RustEmbed)]
#[folder = "../target/site"]
struct Embedded;

/// Every file by its path.
#[cfg(feature = "embed")]
pub(super) fn files() -> BTreeMap<String, Bytes> {
    use std::borrow::Cow;
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
pub(super) fn files() -> BTreeMap<String, Bytes> {
    use std::path::Path;

    fn collect(folder: &Path, below: &str, files: &mut BTreeMap<String, Bytes>) {
        for entry in folder.read_dir().into_iter().flatten().flatten() {
            let name = format!("{below}{}", entry.file_name().to_string_lossy());
            match entry.path() {
                path if path.is_dir() => collect(&path, &format!("{name}/"), files),
                path => match std::fs::read(&path) {
                    Ok(content) => drop(files.insert(name, Bytes::from(content))),
                    Err(why) => tracing::warn!("{} cannot be read: {why}", path.display()),
                },
            }
        }
    }

    let mut files = BTreeMap::new();
    collect(Path::new(concat!(env!("CARGO_MANIFEST_DIR"), "/../target/site")), "", &mut files);
    files
}
