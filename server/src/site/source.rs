//! Where the files come from: built into the program, or `target/site` beside its sources.

use axum::body::Bytes;
use std::collections::BTreeMap;
use std::path::Path;
use std::sync::OnceLock;

/// Files by their path.
type Files = BTreeMap<String, Bytes>;

static BUILT_IN: OnceLock<fn() -> Files> = OnceLock::new();

/// Serves these files instead of what lies in `target/site`. For a program with the site inside: to be called before
/// [`serve`](crate::serve).
pub fn build_in(files: fn() -> BTreeMap<String, Bytes>) {
    // A program has one site; a second call says the same.
    BUILT_IN.set(files).ok();
}

/// Every file by its path.
pub(super) fn files() -> Files {
    BUILT_IN.get().map_or_else(on_disk, |built_in| built_in())
}

/// Every file as it is on the disk now.
fn on_disk() -> Files {
    let mut files = Files::new();
    collect(Path::new(concat!(env!("CARGO_MANIFEST_DIR"), "/../target/site")), "", &mut files);
    files
}

fn collect(folder: &Path, below: &str, files: &mut Files) {
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
