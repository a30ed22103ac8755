//! The files of the site: a fixed table, read once, so that no address can name anything else.
//!
//! All of them are served below `/assets/<hash of all>/`, where an address never changes its content
//! and browsers may keep it for ever. Those a browser asks for by itself (`/favicon.ico`) are also
//! served at the root, with an `ETag`.

mod answer;
mod source;

pub(crate) use answer::{asset, root_file};

use axum::body::Bytes;
use http::HeaderValue;
use sha2::{Digest, Sha256};
use std::collections::BTreeMap;

/// Where the files are, below the hash of all.
pub(crate) const ASSETS: &str = "/assets/";
/// Letters of a hash that go into addresses: 64 bits, plenty to tell two builds apart.
const HASH_LETTERS: usize = 16;

/// Every file of the site by its path, without a slash at the start.
#[derive(Debug, Default)]
pub(crate) struct Site {
    files: BTreeMap<String, SiteFile>,
    hash: String,
}

/// One file and its compressed forms.
#[derive(Debug)]
struct SiteFile {
    plain: Bytes,
    brotli: Option<Bytes>,
    gzip: Option<Bytes>,
    content_type: HeaderValue,
    etag: HeaderValue,
}

impl Site {
    /// The site this program was built with, or the one beside its sources if none was built in.
    pub(crate) fn load() -> Self {
        let site = Self::from_files(source::files());
        if site.files.is_empty() {
            tracing::warn!(
                "the dashboard has no style sheet and no script yet; build them with: cargo xtask site"
            );
        }
        site
    }

    fn from_files(mut all: BTreeMap<String, Bytes>) -> Self {
        let mut whole = Sha256::new();
        for (path, content) in &all {
            whole.update(path.as_bytes());
            whole.update([0]);
            whole.update(content);
        }
        let names: Vec<String> =
            all.keys().filter(|name| !name.ends_with(".br") && !name.ends_with(".gz")).cloned().collect();
        let mut files = BTreeMap::new();
        for name in names {
            let Some(plain) = all.remove(&name) else { continue };
            let file = SiteFile {
                brotli: all.remove(&format!("{name}.br")),
                gzip: all.remove(&format!("{name}.gz")),
                content_type: HeaderValue::from_static(content_type(&name)),
                etag: etag(&plain),
                plain,
            };
            files.insert(name, file);
        }
        Self { files, hash: short_hex(&whole.finalize()) }
    }

    /// Names this build: the hash over all files.
    pub(crate) fn build(&self) -> &str {
        &self.hash
    }

    /// Where pages find the files, without a slash at the end.
    pub(crate) fn root(&self) -> String {
        format!("{ASSETS}{}", self.hash)
    }
}

fn short_hex(digest: &[u8]) -> String {
    let mut hex: String = digest.iter().map(|byte| format!("{byte:02x}")).collect();
    hex.truncate(HASH_LETTERS);
    hex
}

fn etag(content: &[u8]) -> HeaderValue {
    let quoted = format!("\"{}\"", short_hex(&Sha256::digest(content)));
    HeaderValue::from_str(&quoted).unwrap_or_else(|_| HeaderValue::from_static("\"\""))
}

/// By the end of the name; what is not listed is a plain file to download.
fn content_type(name: &str) -> &'static str {
    match name.rsplit('.').next().unwrap_or_default() {
        "js" => "text/javascript; charset=utf-8",
        "css" => "text/css; charset=utf-8",
        "svg" => "image/svg+xml",
        "png" => "image/png",
        "ico" => "image/x-icon",
        "woff2" => "font/woff2",
        "txt" => "text/plain; charset=utf-8",
        "webmanifest" => "application/manifest+json",
        _ => "application/octet-stream",
    }
}
