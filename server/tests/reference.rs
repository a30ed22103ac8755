//! The pages of the reference name what the program has, and nothing that it has not.

use crate::support::{Running, directory, program};
use reprieve::model::{Permission, Role};
use std::collections::BTreeSet;
use std::process::Command;

fn page(name: &str) -> String {
    let path = format!("{}/../docs/reference/{name}.md", env!("CARGO_MANIFEST_DIR"));
    std::fs::read_to_string(path).unwrap()
}

/// The cells of a table's rows.
fn rows(page: &str) -> impl Iterator<Item = Vec<&str>> {
    let rows = page.lines().filter(|line| line.starts_with("| ") && !line.starts_with("|--"));
    rows.map(|row| row.trim_matches('|').split(" | ").map(str::trim).collect())
}

/// What stands in a text between backticks.
fn names(text: &str) -> impl Iterator<Item = &str> {
    text.split('`').skip(1).step_by(2)
}

#[test]
fn the_permissions_are_those_of_the_matrix_with_their_roles() {
    let page = page("permissions");
    let told: BTreeSet<(String, String)> = rows(&page)
        .filter(|cells| cells[0].starts_with('`'))
        .map(|cells| (cells[0].trim_matches('`').to_owned(), cells[2].to_owned()))
        .collect();
    let first =
        |permission: Permission| Role::ALL.into_iter().find(|role| role.permissions().contains(&permission));
    let known: BTreeSet<(String, String)> = Permission::ALL
        .into_iter()
        .map(|permission| (permission.to_string(), first(permission).unwrap().to_string()))
        .collect();
    assert_eq!(told, known);
}

#[test]
fn the_configuration_has_every_flag_of_the_server() {
    let page = page("configuration");
    let told: BTreeSet<&str> =
        rows(&page).flat_map(|cells| names(cells[0])).filter_map(|name| name.split(' ').next()).collect();
    let mut known = BTreeSet::new();
    for verb in ["serve", "demo"] {
        let help = Command::new(program()).args([verb, "--help"]).output().unwrap();
        let help = String::from_utf8(help.stdout).unwrap();
        let flags = help.lines().map(str::trim_start).filter(|line| line.starts_with('-'));
        let names =
            flags.flat_map(|line| line.split([' ', ',', '=', ']']).filter(|word| word.starts_with("--")));
        known.extend(names.map(str::to_owned));
    }
    known.remove("--help");
    let told: BTreeSet<String> =
        told.into_iter().filter(|name| name.starts_with("--")).map(str::to_owned).collect();
    assert_eq!(told, known);
}

/// `reprieve_{a,b}_total{queue}` as two names, and `_c` as `reprieve_c`.
fn metrics(name: &str) -> Vec<String> {
    let name = if name.starts_with('_') { format!("reprieve{name}") } else { name.to_owned() };
    let (before, rest) = name.split_once('{').unwrap_or((&name, ""));
    let (inside, after) = rest.split_once('}').unwrap_or(("", ""));
    // Behind the whole name are its labels.
    if before.ends_with('_') {
        let after = after.split('{').next().unwrap_or_default();
        return inside.split(',').map(|part| format!("{before}{part}{after}")).collect();
    }
    vec![before.to_owned()]
}

#[test]
fn the_metrics_are_those_that_a_scrape_has() {
    let page = page("metrics");
    let told: BTreeSet<String> =
        rows(&page).flat_map(|cells| names(cells[0]).flat_map(metrics).collect::<Vec<_>>()).collect();
    let directory = directory();
    let running = Running::start(&directory.path().join("data"), &[]);
    let (_, scrape) = running.get("/metrics");
    let known: BTreeSet<String> = scrape
        .lines()
        .filter_map(|line| line.strip_prefix("# TYPE ")?.split(' ').next())
        .map(str::to_owned)
        .collect();
    assert_eq!(told, known);
    assert!(running.terminate().success());
}
