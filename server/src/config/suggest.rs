//! "Did you mean …?" for names that are nearly right.

/// How many letters may differ before a suggestion would be a guess.
const DISTANCE_MAX: usize = 2;

/// The known name closest to what was written, if any is close.
pub(crate) fn closest<'a>(written: &str, known: &[&'a str]) -> Option<&'a str> {
    known
        .iter()
        .map(|name| (strsim::levenshtein(written, name), *name))
        .filter(|(distance, _)| *distance <= DISTANCE_MAX)
        .min_by_key(|(distance, _)| *distance)
        .map(|(_, name)| name)
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
