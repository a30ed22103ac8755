//! The bill of materials: what is shipped, as CycloneDX 1.5 JSON.

use crate::parts;
use anyhow::{Context as _, Result, bail};
use cargo_metadata::Package;
use cyclonedx_bom::models::component::Classification;
use cyclonedx_bom::models::hash::{Hash, HashAlgorithm, HashValue, Hashes};
use cyclonedx_bom::models::license::{LicenseChoice, Licenses};
use cyclonedx_bom::prelude::{Bom, Component, Components, Metadata, Purl, SpecVersion, Validate as _};
use rustsec::Lockfile;
use std::collections::BTreeMap;
use std::fs::File;
use std::path::Path;

/// Writes it into a file.
pub(crate) fn write(path: &Path) -> Result<()> {
    let parts = parts::all()?;
    let lock =
        Lockfile::load(parts.workspace_root.join("Cargo.lock")).context("Cargo.lock cannot be read")?;
    let sums: BTreeMap<(String, String), String> = lock
        .packages
        .iter()
        .filter_map(|package| {
            let sum = package.checksum.as_ref()?.to_string();
            Some(((package.name.to_string(), package.version.to_string()), sum))
        })
        .collect();
    let shipped = parts::shipped(&parts)?;
    let (ours, theirs): (Vec<&Package>, Vec<&Package>) =
        shipped.into_iter().partition(|part| parts.workspace_members.contains(&part.id));
    let program =
        ours.into_iter().find(|part| part.name == "reprieve-server").context("the program is missing")?;

    let mut components = Vec::with_capacity(theirs.len());
    for part in theirs {
        components.push(component(part, Classification::Library, &sums)?);
    }
    let count = components.len();
    let bill = Bom {
        metadata: Some(Metadata {
            component: Some(component(program, Classification::Application, &sums)?),
            ..Metadata::default()
        }),
        components: Some(Components(components)),
        ..Bom::default()
    };
    let judged = bill.validate_version(SpecVersion::V1_5);
    if !judged.passed() {
        bail!("the bill is not valid: {judged:?}");
    }
    let mut file = File::create(path).with_context(|| format!("{} cannot be written", path.display()))?;
    bill.output_as_json_v1_5(&mut file).context("the bill cannot be written")?;
    println!("{count} packages are in {}", path.display());
    Ok(())
}

fn component(
    part: &Package,
    what: Classification,
    sums: &BTreeMap<(String, String), String>,
) -> Result<Component> {
    let version = part.version.to_string();
    let name = part.name.to_string();
    let purl = Purl::new("cargo", &name, &version).with_context(|| format!("{name} has no package URL"))?;
    let mut component = Component::new(what, &name, &version, Some(format!("{name}@{version}")));
    component.purl = Some(purl);
    // Some write "MIT/Apache-2.0", which is no expression.
    component.licenses = part
        .license
        .as_ref()
        .map(|licence| Licenses(vec![LicenseChoice::expression(&licence.replace('/', " OR "))]));
    component.hashes = sums
        .get(&(name, version))
        .map(|sum| Hashes(vec![Hash { alg: HashAlgorithm::SHA_256, content: HashValue(sum.clone()) }]));
    Ok(component)
}
