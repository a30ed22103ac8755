//! The browser's part in pieces: what every page needs, and a file for each area of pages with the rest.
//!
//! Where to cut is marked in `app/src/pages/lazy.rs`. The tool that cuts makes a part of its own for each combination of
//! areas that share code, a few hundred; those that are needed together become one. Those of one area lie in one file,
//! `jobs.parts`, and what it says in one file for each language.

use std::collections::BTreeMap;
use std::path::{Path, PathBuf};

use anyhow::{Result, anyhow, ensure};

use crate::merge::{self, Group};
use crate::{shims, snip, words};

/// What loads the file of an area, but for what is where.
const LOADER: &str = include_str!("split.js");
/// Where the names of the areas go.
const AREAS: &str = "/* areas */";
/// Where the parts go.
const PARTS: &str = "/* parts */";
/// Areas that there may be: each is a bit of a number in JavaScript.
const AREAS_MAX: usize = 31;

/// The pieces.
pub(crate) struct Pieces {
    /// What every page needs, still without the JavaScript that loads it.
    pub(crate) main: PathBuf,
    /// The file of each area, the sentences of each, and the script that loads them.
    pub(crate) files: BTreeMap<PathBuf, Vec<u8>>,
}

/// Cuts the compiled library, which was linked with `--emit-relocs`. `locales` has the sentences, `folder` is for what comes
/// in between.
pub(crate) fn split(compiled: &Path, locales: &Path, folder: &Path) -> Result<Pieces> {
    let library = snip::snipped(&std::fs::read(compiled)?)?;
    let main = folder.join("app.wasm");
    let mut options = wasm_split_cli_support::Options::new(&library);
    options.output_dir = folder;
    options.main_out_path = &main;
    options.main_module = "./app.js";
    options.link_name = "./split.js";
    let cut = wasm_split_cli_support::transform(options).map_err(|error| anyhow!("{error:#}"))?;
    let areas = cut.prefetch_map.into_iter().collect::<BTreeMap<_, _>>();
    let groups = groups(&areas, folder)?;
    let mut pieces = BTreeMap::new();
    for (bit, area) in areas.keys().enumerate() {
        let of_area = groups.iter().filter(|(owners, _)| owners >> bit & 1 == 1);
        pieces.insert(area.as_str(), of_area.map(|(_, module)| &module[..]).collect::<Vec<_>>());
    }
    let mut files = words::files(locales, &std::fs::read(&main)?, &pieces)?;
    for (area, pieces) in pieces {
        files.insert(format!("{area}.parts").into(), pieces.concat());
    }
    let names = areas.keys().collect::<Vec<_>>();
    let parts = groups.iter().map(|(owners, module)| (module.len(), owners)).collect::<Vec<_>>();
    let mut loader = LOADER
        .replace(AREAS, &serde_json::to_string(&names)?)
        .replace(PARTS, &serde_json::to_string(&parts)?);
    for area in names {
        loader += &format!("export const __wasm_split_load_{area} = loader('{area}');\n");
    }
    files.insert("split.js".into(), loader.into_bytes());
    Ok(Pieces { main, files })
}

/// The parts as the browser gets them, each with the areas that need it: a bit for each, in the order of their names.
fn groups(areas: &BTreeMap<String, Vec<String>>, folder: &Path) -> Result<Vec<(u64, Vec<u8>)>> {
    ensure!(areas.len() <= AREAS_MAX, "{} areas are more than a number has bits", areas.len());
    let mut needed_by = BTreeMap::<&String, u64>::new();
    for (bit, parts) in areas.values().enumerate() {
        for part in parts {
            *needed_by.entry(part).or_default() |= 1 << bit;
        }
    }
    let mut alone = Vec::new();
    for (part, areas) in needed_by {
        let module = shims::inlined(&std::fs::read(folder.join(part).with_extension("wasm"))?)?;
        alone.push(Group { areas, size: module.len(), parts: vec![module] });
    }
    let together = merge::grouped(alone).into_iter();
    together.map(|group| Ok((group.areas, merge::merged(&group.parts)?))).collect()
}
