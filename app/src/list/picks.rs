//! The fields that write terms of a filter: due times, an error, a subject.

use leptos_router::params::ParamsMap;
use reprieve::model::filter::{Pattern, Term, Test};

use crate::when;

/// The fields, as the address of a form without script names them.
pub(crate) const FROM: &str = "from";
pub(crate) const BEFORE: &str = "before";
pub(crate) const ERROR: &str = "error";
pub(crate) const SUBJECT: &str = "subject";
/// In which zone the times are.
pub(crate) const ZONE: &str = "zone";

/// The line as it was typed, with a term for each field that was filled in.
pub(super) fn with_picks(line: &str, picked: &ParamsMap) -> String {
    let pick = |name| picked.get(name).map(|text| text.trim().to_owned()).filter(|text| !text.is_empty());
    let zone = pick(ZONE).unwrap_or_else(|| "UTC".to_owned());
    let at = |name| pick(name).map(|text| when::in_zone(&text, &zone));
    let due = match (at(FROM), at(BEFORE)) {
        (Some(from), Some(before)) => Some(format!("due:>={from} due:<{before}")),
        (Some(from), None) => Some(format!("due:>={from}")),
        (None, Some(before)) => Some(format!("due:<{before}")),
        (None, None) => None,
    };
    let error = pick(ERROR).map(|text| Term::new(Test::Error(vec![text])).to_string());
    let subject = pick(SUBJECT).map(|text| {
        let pattern = match text.strip_suffix('*') {
            Some(start) => Pattern::starting(start),
            None => Pattern::exactly(text),
        };
        Term::new(Test::Subject(vec![pattern])).to_string()
    });
    let terms = [due, error, subject].into_iter().flatten();
    let all = std::iter::once(line.trim().to_owned()).chain(terms).filter(|part| !part.is_empty());
    all.collect::<Vec<_>>().join(" ")
}

#[cfg(test)]
mod tests {
    use super::*;
    use reprieve::model::Filter;

    fn picked(fields: &[(&'static str, &str)]) -> ParamsMap {
        let mut map = ParamsMap::new();
        for (name, value) in fields {
            map.insert(*name, (*value).to_owned());
        }
        map
    }

    #[test]
    fn what_was_picked_is_said_in_the_line() {
        let with = |line: &str, fields: &[(&'static str, &str)]| with_picks(line, &picked(fields));
        assert_eq!(with("kind:a", &[]), "kind:a");
        assert_eq!(with("", &[(ERROR, " gave up: \"no\" ")]), r#"error:"gave up: \"no\"""#);
        assert_eq!(with("kind:a", &[(SUBJECT, "customer:7*"), (ERROR, "")]), "kind:a subject:customer:7*");
        assert_eq!(
            with("", &[(FROM, "2026-08-12T09:00"), (BEFORE, "2026-08-12T17:00+08:00")]),
            "due:>=2026-08-12T09:00:00Z due:<2026-08-12T17:00+08:00"
        );
        assert_eq!(
            with("", &[(FROM, "2026-08-12T09:00"), (ZONE, "Europe/Berlin")]),
            "due:>=2026-08-12T07:00:00Z"
        );
        for line in [with("", &[(FROM, "2026-08-12T09:00:30-03:30")]), with("", &[(SUBJECT, "a b*c")])] {
            assert!(line.parse::<Filter>().is_ok(), "{line}");
        }
    }

    #[test]
    fn a_line_that_does_not_read_stays_as_it_was_typed() {
        assert_eq!(with_picks("kind:", &picked(&[(ERROR, "x")])), "kind: error:x");
    }
}
