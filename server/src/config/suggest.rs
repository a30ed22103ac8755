//! "Did you mean …?" for names that are nearly right.

/// How many letters may differ before a suggestion would be a guess.
const DISTANCE_MAX: usize = 2;

/// The known name closest to what was written, if any is close.
pub(crate) fn closest<'a>(written: &str, known: &[&'a str]) -> Option<&'a str> {
    known
        .iter()
        .map(|name| (distance(written, name), *name))
        .filter(|(distance, _)| *distance <= DISTANCE_MAX)
        .min_by_key(|(distance, _)| *distance)
        .map(|(_, name)| name)
}

/// Levenshtein's distance: letters to insert, remove or change.
fn distance(a: &str, b: &str) -> usize {
    let b: Vec<char> = b.chars().collect();
    let mut row: Vec<usize> = (0..=b.len()).collect();
    for (i, from) in a.chars().enumerate() {
        let mut diagonal = row[0];
        row[0] = i + 1;
        for (j, to) in b.iter().enumerate() {
            let changed = diagonal + usize::from(from != *to);
            diagonal = row[j + 1];
            row[j + 1] = changed.min(row[j] + 1).min(diagonal + 1);
        }
    }
    row[b.len()]
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_slip_of_the_finger_finds_its_name() {
        let known = ["listen", "data", "namespace"];

        assert_eq!(closest("lisen", &known), Some("listen"));
        assert_eq!(closest("name_space", &known), Some("namespace"));
        assert_eq!(closest("colour", &known), None);
    }
}
