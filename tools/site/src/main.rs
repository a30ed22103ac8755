//! Makes what the browser loads out of the compiled application, the packed script, the style sheets and `public`:
//! `site COMPILED SCRIPT FOLDER`.
//!
//! Flat, because the server puts all of it below one address that never changes its content: `app.js`, `app_bg.wasm`,
//! `live.js`, `main.css` and what lies in `public`. With the feature `ship` the application is cut in pieces, and each file has a
//! `.br` and a `.gz` beside it. `cargo xtask site` compiles the application and calls this.

#[cfg(feature = "ship")]
mod compress;
#[cfg(feature = "ship")]
mod merge;
#[cfg(feature = "ship")]
mod shims;
#[cfg(feature = "ship")]
mod snip;
#[cfg(feature = "ship")]
mod split;
mod style;
#[cfg(feature = "ship")]
mod words;

use std::collections::BTreeMap;
use std::path::{Path, PathBuf};

use anyhow::{Context, Result, bail, ensure};
use wasm_bindgen_cli_support::Bindgen;

/// Whether this makes what ships.
const SHIPS: bool = cfg!(feature = "ship");
/// What a compressed form of a file is called behind its name.
const COMPRESSED: [&str; 2] = ["br", "gz"];

/// The files of the site by their path below its root.
type Files = BTreeMap<PathBuf, Vec<u8>>;

fn main() -> Result<()> {
    let arguments: Vec<PathBuf> = std::env::args_os().skip(1).map(PathBuf::from).collect();
    let [compiled, script, folder] = arguments.as_slice() else {
        bail!("usage: site COMPILED SCRIPT FOLDER")
    };
    let root = Path::new(env!("CARGO_MANIFEST_DIR")).ancestors().nth(2).unwrap_or(Path::new("."));
    let between = folder.with_extension("pieces");
    let mut files = Files::new();
    bindings(compiled, root, &between, &mut files)?;
    std::fs::remove_dir_all(&between)?;
    files.insert("live.js".into(), std::fs::read(script).with_context(|| script.display().to_string())?);
    files.insert("main.css".into(), style::join(&root.join("style"))?.into_bytes());
    collect(&root.join("public"), Path::new(""), &mut files)?;
    write(folder, &files)
}

/// Adds `app.js` and `app_bg.wasm`: the compiled library with the JavaScript that loads it. `between` is for what is made
/// on the way.
fn bindings(compiled: &Path, root: &Path, between: &Path, files: &mut Files) -> Result<()> {
    let library = library(compiled, root, &fresh(between.join("pieces"))?, files)?;
    let folder = fresh(between.join("bindings"))?;
    Bindgen::new()
        .input_path(library)
        .out_name("app")
        .web(true)?
        .typescript(false)
        // The pieces find what they share by its name.
        .keep_lld_exports(SHIPS)
        .demangle(!SHIPS)
        .remove_name_section(SHIPS)
        .remove_producers_section(true)
        .generate(&folder)?;
    collect(&folder, Path::new(""), files)
}

/// The library that bindings are made for; what was cut off it is among the files.
#[cfg(feature = "ship")]
fn library(compiled: &Path, root: &Path, pieces: &Path, files: &mut Files) -> Result<PathBuf> {
    let split = split::split(compiled, &root.join("app/locales"), pieces)?;
    files.extend(split.files);
    Ok(split.main)
}

#[cfg(not(feature = "ship"))]
#[expect(clippy::unnecessary_wraps, reason = "cutting can fail")]
fn library(compiled: &Path, _root: &Path, _pieces: &Path, _files: &mut Files) -> Result<PathBuf> {
    Ok(compiled.to_owned())
}

/// The folder, with nothing in it.
fn fresh(folder: PathBuf) -> Result<PathBuf> {
    if folder.exists() {
        std::fs::remove_dir_all(&folder)?;
    }
    std::fs::create_dir_all(&folder)?;
    Ok(folder)
}

/// Adds every file below `folder`; a folder that does not exist has none.
fn collect(folder: &Path, below: &Path, files: &mut Files) -> Result<()> {
    if !folder.exists() {
        return Ok(());
    }
    for entry in folder.read_dir().with_context(|| folder.display().to_string())? {
        let entry = entry?;
        let name = below.join(entry.file_name());
        if entry.file_type()?.is_dir() {
            collect(&entry.path(), &name, files)?;
        } else {
            let other = files.insert(name.clone(), std::fs::read(entry.path())?);
            ensure!(other.is_none(), "two files want to be {}", name.display());
        }
    }
    Ok(())
}

/// Makes `folder` hold exactly these files and their compressed forms. Files whose content did not change are left alone,
/// so that neither they are compressed again nor the server that embeds them compiled again.
fn write(folder: &Path, files: &Files) -> Result<()> {
    let mut present = Files::new();
    collect(folder, Path::new(""), &mut present)?;
    for (name, content) in files {
        let compressed = COMPRESSED.map(|suffix| with_suffix(name, suffix));
        let same = present.get(name).is_some_and(|old| old == content);
        let target = folder.join(name);
        if let Some(parent) = target.parent() {
            std::fs::create_dir_all(parent)?;
        }
        if !same {
            std::fs::write(&target, content)?;
        }
        present.remove(name);
        #[cfg(feature = "ship")]
        {
            let there = compressed.iter().all(|file| present.contains_key(file));
            if !(same && there) {
                std::fs::write(folder.join(&compressed[0]), compress::brotli(content)?)?;
                std::fs::write(folder.join(&compressed[1]), compress::gzip(content)?)?;
            }
            compressed.iter().for_each(|file| drop(present.remove(file)));
        }
        if !same {
            eprintln!("  {} {} bytes{}", name.display(), content.len(), wire_size(folder, &compressed[0]));
        }
    }
    // Among them a compressed form of older content: it would win over the new file.
    for gone in present.keys() {
        std::fs::remove_file(folder.join(gone))?;
    }
    Ok(())
}

fn wire_size(folder: &Path, compressed: &Path) -> String {
    match std::fs::metadata(folder.join(compressed)) {
        Ok(file) if SHIPS => format!(", {} over the wire", file.len()),
        _ => String::new(),
    }
}

fn with_suffix(name: &Path, suffix: &str) -> PathBuf {
    let mut name = name.as_os_str().to_owned();
    name.push(".");
    name.push(suffix);
    name.into()
}
