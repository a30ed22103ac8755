//! Known advisories against the lock file, by a dated copy of the RustSec database.
//!
//! The copy holds the advisories of the packages we lock, and in `names` the name of every package that has any. A
//! package that is new in the lock file and stands in `names` fails the check until the copy is renewed, so that the
//! copy can be small and nothing slips through.

use anyhow::{Context as _, Result, bail};
use rustsec::advisory::{Id, Informational};
use rustsec::report::{Report, Settings};
use rustsec::{Database, Lockfile};
use serde::Deserialize;
use std::collections::{BTreeMap, BTreeSet};
use std::fs;
use std::path::{Path, PathBuf};

/// An advisory that is known and does not reach us, or has no mend yet.
#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct Exception {
    /// When it was looked at, `YYYY-MM-DD`.
    looked_at: String,
    /// Why it may stay.
    reason: String,
}

/// The workspace's folder.
fn root() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("..")
}

fn copy() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("advisories")
}

/// A line for each open advisory, each exception that excepts nothing, and each package that the copy does not know.
pub(crate) fn wrong() -> Result<Vec<String>> {
    let lock = Lockfile::load(root().join("Cargo.lock")).context("Cargo.lock cannot be read")?;
    let text =
        fs::read_to_string(copy().join("exceptions.toml")).context("exceptions.toml cannot be read")?;
    let exceptions: BTreeMap<String, Exception> =
        toml::from_str(&text).context("exceptions.toml is not as it should be")?;
    judge(&lock, &copy(), &exceptions)
}

fn judge(lock: &Lockfile, copy: &Path, exceptions: &BTreeMap<String, Exception>) -> Result<Vec<String>> {
    let names =
        fs::read_to_string(copy.join("names")).context("the names of the advisories cannot be read")?;
    let names: BTreeSet<&str> = names.lines().collect();
    let mut wrong: Vec<String> = lock
        .packages
        .iter()
        .map(|package| package.name.as_str())
        .filter(|name| names.contains(name) && !copy.join("crates").join(name).is_dir())
        .map(|name| format!("{name} has advisories that the copy lacks: renew it (supply renew)"))
        .collect();

    let found = found(lock, copy)?;
    for (id, what) in &found {
        match exceptions.get(id) {
            None => wrong.push(format!("{id}: {what}")),
            Some(exception) if exception.reason.trim().is_empty() || exception.looked_at.len() != 10 => {
                wrong.push(format!("{id} is excepted without a date or a reason"));
            }
            Some(exception) => {
                println!("{id}: {what}; excepted on {}: {}", exception.looked_at, exception.reason);
            }
        }
    }
    wrong.extend(exceptions.keys().filter(|id| !found.contains_key(*id)).map(|id| {
        format!("{id} is excepted and does not concern us any more: take it out of exceptions.toml")
    }));
    Ok(wrong)
}

/// Advisories that concern the lock file: what each is about, by its id.
fn found(lock: &Lockfile, copy: &Path) -> Result<BTreeMap<String, String>> {
    let database = Database::open(copy).context("the advisories cannot be read")?;
    let settings = Settings {
        informational_warnings: vec![
            Informational::Notice,
            Informational::Unmaintained,
            Informational::Unsound,
        ],
        ..Settings::default()
    };
    let report = Report::generate(&database, lock, &settings);
    let mut found = BTreeMap::new();
    for vulnerability in report.vulnerabilities.list {
        found.insert(
            vulnerability.advisory.id.to_string(),
            format!(
                "{} {}: {}",
                vulnerability.package.name, vulnerability.package.version, vulnerability.advisory.title
            ),
        );
    }
    for warning in report.warnings.into_values().flatten() {
        let Some(advisory) = warning.advisory else { continue };
        found.insert(
            advisory.id.to_string(),
            format!("{} {}: {}", warning.package.name, warning.package.version, advisory.title),
        );
    }
    Ok(found)
}

/// Takes from a whole database what concerns the lock file.
pub(crate) fn renew(database: &Path) -> Result<()> {
    let lock = Lockfile::load(root().join("Cargo.lock")).context("Cargo.lock cannot be read")?;
    let theirs = database.join("crates");
    let mut names = BTreeSet::new();
    for entry in
        fs::read_dir(&theirs).with_context(|| format!("{} is no advisory database", database.display()))?
    {
        names.insert(
            entry?
                .file_name()
                .into_string()
                .map_err(|name| anyhow::anyhow!("odd name {}", name.display()))?,
        );
    }
    let ours = copy().join("crates");
    if ours.exists() {
        fs::remove_dir_all(&ours)?;
    }
    let locked: BTreeSet<&str> = lock.packages.iter().map(|package| package.name.as_str()).collect();
    let mut taken = 0;
    for name in names.iter().filter(|name| locked.contains(name.as_str())) {
        fs::create_dir_all(ours.join(name))?;
        for advisory in fs::read_dir(theirs.join(name))? {
            let path = advisory?.path();
            let file = path.file_name().context("an advisory without a name")?;
            let Some(stem) = path.file_stem().and_then(|stem| stem.to_str()) else { continue };
            if stem.parse::<Id>().is_err() {
                bail!("{} is not an advisory", path.display());
            }
            fs::copy(&path, ours.join(name).join(file))?;
            taken += 1;
        }
    }
    let lines: Vec<&str> = names.iter().map(String::as_str).collect();
    fs::write(copy().join("names"), lines.join("\n") + "\n")?;
    println!(
        "{taken} advisories taken, of {} packages that have any; write its date into advisories/README.md",
        names.len()
    );
    Ok(())
}

#[cfg(test)]
mod tests {
    use super::{Exception, copy, judge, root};
    use rustsec::Lockfile;
    use std::collections::BTreeMap;

    /// Our lock file, were these the packages of others in it.
    fn lock(packages: &[(&str, &str)]) -> Lockfile {
        let mut lock = Lockfile::load(root().join("Cargo.lock")).unwrap();
        let foreign = lock.packages.iter().find(|package| package.source.is_some()).unwrap().clone();
        lock.packages = packages
            .iter()
            .map(|(name, version)| {
                let mut package = foreign.clone();
                package.name = name.parse().unwrap();
                package.version = version.parse().unwrap();
                package
            })
            .collect();
        lock
    }

    fn exception(reason: &str) -> Exception {
        Exception { looked_at: "2026-01-01".to_owned(), reason: reason.to_owned() }
    }

    #[test]
    fn an_affected_version_is_found_and_a_patched_one_is_not() {
        let wrong = judge(&lock(&[("tokio", "1.7.1")]), &copy(), &BTreeMap::new()).unwrap();
        assert!(wrong.iter().any(|line| line.starts_with("RUSTSEC-2021-0124: tokio 1.7.1")), "{wrong:?}");
        let wrong = judge(&lock(&[("tokio", "1.54.0")]), &copy(), &BTreeMap::new()).unwrap();
        assert!(wrong.is_empty(), "{wrong:?}");
    }

    #[test]
    fn an_exception_needs_a_reason_and_something_to_except() {
        let affected = lock(&[("paste", "1.0.15")]);
        let id = "RUSTSEC-2024-0436".to_owned();
        assert_eq!(judge(&affected, &copy(), &BTreeMap::new()).unwrap().len(), 1);
        let excepted = BTreeMap::from([(id.clone(), exception("it works"))]);
        assert!(judge(&affected, &copy(), &excepted).unwrap().is_empty());
        let without = BTreeMap::from([(id, exception(" "))]);
        assert_eq!(judge(&affected, &copy(), &without).unwrap().len(), 1);
        let gone = judge(&lock(&[("tokio", "1.54.0")]), &copy(), &excepted).unwrap();
        assert!(gone[0].contains("does not concern us any more"), "{gone:?}");
    }

    #[test]
    fn a_new_package_that_has_advisories_asks_for_a_newer_copy() {
        let wrong = judge(&lock(&[("openssl", "0.10.80")]), &copy(), &BTreeMap::new()).unwrap();
        assert!(wrong[0].starts_with("openssl has advisories that the copy lacks"), "{wrong:?}");
    }
}
