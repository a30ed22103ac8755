//! Which licences and sources packages may have.

use cargo_metadata::Metadata;
use spdx::{Expression, ParseMode};

/// Licences that ask for no more than to be named. Where an expression offers a choice, one of these is enough.
const ALLOWED: [&str; 12] = [
    "0BSD",
    "Apache-2.0",
    "BSD-2-Clause",
    "BSD-3-Clause",
    "BSL-1.0",
    "CC0-1.0",
    "CDLA-Permissive-2.0",
    "ISC",
    "MIT",
    "MIT-0",
    "Unicode-3.0",
    "Zlib",
];

/// A line for each package of others with a licence that is not allowed, or from elsewhere than the public registry.
pub(crate) fn wrong(parts: &Metadata) -> Vec<String> {
    let mut wrong = Vec::new();
    for part in parts.packages.iter().filter(|part| !parts.workspace_members.contains(&part.id)) {
        if !part.source.as_ref().is_some_and(cargo_metadata::Source::is_crates_io) {
            wrong.push(format!("{} {} does not come from the public registry", part.name, part.version));
        }
        match part.license.as_deref() {
            None => wrong.push(format!("{} {} names no licence", part.name, part.version)),
            Some(licence) if !allowed(licence) => {
                wrong.push(format!(
                    "{} {} is licensed as {licence}, which is not allowed",
                    part.name, part.version
                ));
            }
            Some(_) => {}
        }
    }
    wrong
}

fn allowed(licence: &str) -> bool {
    Expression::parse_mode(licence, ParseMode::LAX).is_ok_and(|expression| {
        expression.evaluate(|asked| {
            asked.license.id().is_some_and(|id| ALLOWED.contains(&id.name)) && asked.addition.is_none()
        })
    })
}

#[cfg(test)]
mod tests {
    use super::allowed;

    #[test]
    fn one_allowed_choice_is_enough_and_every_part_of_an_and_counts() {
        for licence in ["MIT", "MIT/Apache-2.0", "GPL-2.0-only OR MIT", "Apache-2.0 AND ISC"] {
            assert!(allowed(licence), "{licence}");
        }
        for licence in ["GPL-3.0-only", "MIT AND GPL-3.0-only", "AGPL-3.0", "of my own", ""] {
            assert!(!allowed(licence), "{licence}");
        }
    }
}
