//! What the browser loads: `target/site`.
//!
//! Flat, because the server puts all of it below one address that never
//! changes its content: `app.js`, `app_bg.wasm`, `main.css` and what lies in
//! `public`, each with a `.br` and a `.gz` beside it.

use std::collections::BTreeMap;
use std::io::Write;
use std::path::{Path, PathBuf};

use anyhow::{Context, Result, ensure};
use wasm_bindgen_cli_support::Bindgen;

use crate::install::WASM;
use crate::split;
use crate::step::{Step, cargo, root, target_dir};
use crate::style;

/// How much work goes into a small download.
#[derive(Clone, Copy, PartialEq, Eq)]
pub(crate) enum Profile {
    /// Compiles in seconds, is ten times larger, and is not compressed.
    Dev,
    /// What ships, and what is tested.
    Release,
}

/// The files of the site by their path below its root.
type Files = BTreeMap<PathBuf, Vec<u8>>;

/// Where the server finds the site when it is built.
pub(crate) fn folder() -> PathBuf {
    root().join("target/site")
}

/// Builds the site. Files whose content did not change are left alone, so that
/// neither they are compressed again nor the server that embeds them compiled again.
pub(crate) fn build(profile: Profile) -> Result<()> {
    let (cargo_profile, feature) = match profile {
        Profile::Dev => ("dev", "hydrate"),
        Profile::Release => ("wasm-release", "split"),
    };
    let mut compile = cargo(["rustc", "--locked", "--package", "app", "--lib", "--target", WASM]);
    compile.args(["--no-default-features", "--features", feature, "--profile", cargo_profile]);
    if profile == Profile::Dev {
        // Half the size of what is not optimised at all. A browser compiles it at every visit: the tests there take a
        // sixth less.
        compile.args(["--config", "profile.dev.opt-level=1"]);
    } else {
        // Who calls whom stays in the library: it says what can be cut off.
        compile.args(["--crate-type", "cdylib", "--", "-C", "link-arg=--emit-relocs"]);
    }
    Step::new(format!("compiling the browser's part ({cargo_profile})")).run(&mut compile)?;
    Step::new("building the site").measure(|| {
        let mut files = Files::new();
        bindings(profile, &mut files)?;
        files.insert("main.css".into(), style::join(&root().join("style"))?.into_bytes());
        collect(&root().join("public"), Path::new(""), &mut files)?;
        write(&folder(), &files, profile)
    })
}

/// Adds `app.js` and `app_bg.wasm`: the compiled library with the JavaScript that loads it.
fn bindings(profile: Profile, files: &mut Files) -> Result<()> {
    // Cargo keeps the profile `dev` in `debug`.
    let built_in = match profile {
        Profile::Dev => "debug",
        Profile::Release => "wasm-release",
    };
    let compiled = target_dir().join(WASM).join(built_in).join("app.wasm");
    let folder = fresh(target_dir().join("xtask/bindings"))?;
    let library = match profile {
        Profile::Dev => compiled,
        Profile::Release => {
            let between = fresh(target_dir().join("xtask/pieces"))?;
            let pieces = split::split(&compiled, &root().join("app/locales"), &between)?;
            files.extend(pieces.files);
            pieces.main
        }
    };
    Bindgen::new()
        .input_path(library)
        .out_name("app")
        .web(true)?
        .typescript(false)
        // The pieces find what they share by its name.
        .keep_lld_exports(profile == Profile::Release)
        .demangle(profile == Profile::Dev)
        .remove_name_section(profile == Profile::Release)
        .remove_producers_section(true)
        .generate(&folder)?;
    collect(&folder, Path::new(""), files)
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

/// Makes `folder` hold exactly these files and their compressed forms.
fn write(folder: &Path, files: &Files, profile: Profile) -> Result<()> {
    let mut present = Files::new();
    collect(folder, Path::new(""), &mut present)?;
    for (name, content) in files {
        let [brotli, gzip] = ["br", "gz"].map(|suffix| with_suffix(name, suffix));
        let same = present.remove(name).is_some_and(|old| old == *content);
        let compressed = [present.remove(&brotli), present.remove(&gzip)].iter().all(Option::is_some);
        let target = folder.join(name);
        if let Some(parent) = target.parent() {
            std::fs::create_dir_all(parent)?;
        }
        if !same {
            std::fs::write(&target, content)?;
        }
        match profile {
            Profile::Release if !(same && compressed) => {
                std::fs::write(folder.join(brotli), compress_brotli(content)?)?;
                std::fs::write(folder.join(gzip), compress_gzip(content)?)?;
            }
            // A compressed form of older content would win over the new file.
            Profile::Dev if compressed => {
                std::fs::remove_file(folder.join(brotli))?;
                std::fs::remove_file(folder.join(gzip))?;
            }
            _ => {}
        }
        if !same {
            eprintln!("  {} {} bytes{}", name.display(), content.len(), wire_size(folder, name));
        }
    }
    for gone in present.keys() {
        std::fs::remove_file(folder.join(gone))?;
    }
    Ok(())
}

fn wire_size(folder: &Path, name: &Path) -> String {
    match std::fs::metadata(folder.join(with_suffix(name, "br"))) {
        Ok(file) => format!(", {} over the wire", file.len()),
        Err(_) => String::new(),
    }
}

fn with_suffix(name: &Path, suffix: &str) -> PathBuf {
    let mut name = name.as_os_str().to_owned();
    name.push(".");
    name.push(suffix);
    name.into()
}

fn compress_brotli(content: &[u8]) -> Result<Vec<u8>> {
    // Quality 11 costs three seconds once and a tenth of the download each time.
    let parameters = brotli::enc::BrotliEncoderParams { quality: 11, lgwin: 22, ..Default::default() };
    let mut compressed = Vec::with_capacity(content.len() / 3);
    brotli::BrotliCompress(&mut &content[..], &mut compressed, &parameters)?;
    Ok(compressed)
}

fn compress_gzip(content: &[u8]) -> Result<Vec<u8>> {
    let mut encoder = flate2::write::GzEncoder::new(Vec::new(), flate2::Compression::best());
    encoder.write_all(content)?;
    Ok(encoder.finish()?)
}
