//! Names of functions in the code, for pages that name tests.

use std::collections::BTreeSet;
use std::fs;
use std::path::Path;

/// Names of all functions below a folder.
pub(crate) fn functions(folder: &Path, found: &mut BTreeSet<String>) {
    for entry in fs::read_dir(folder).unwrap() {
        let path = entry.unwrap().path();
        if path.is_dir() {
            functions(&path, found);
        } else if path.extension().is_some_and(|it| it == "rs") {
            let text = fs::read_to_string(&path).unwrap();
            let after = text.split("fn ").skip(1);
            found.extend(after.filter_map(|rest| Some(rest.split_once('(')?.0.to_owned())));
        }
    }
}
