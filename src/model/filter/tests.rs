//! Filters read back as they were written, and what cannot be read is pointed at.

use super::*;
use crate::model::list::{Cursor, StateGroup};
use proptest::prelude::*;

fn problem(text: &str) -> (usize, usize, FilterProblem) {
    let error = text.parse::<Filter>().unwrap_err();
    (error.at, error.bytes, error.problem)
}

#[test]
fn every_example_reads() {
    for field in Field::ALL {
        let filter: Filter = field.example().parse().unwrap();
        assert_eq!(filter.terms()[0].test.field(), Some(field), "{field}");
        assert_eq!(filter.to_string(), field.example());
    }
}

#[test]
fn a_filter_is_shown_as_it_is_written() {
    for (written, shown) in [
        ("", ""),
        ("  kind:a,b*   -queue:sms ", "kind:a,b* -queue:sms"),
        ("state:delay", "state:delayed,retrying"),
        ("payload.amount:>10 payload.items.0.id:4711", "payload.amount:>10 payload.items.0.id:4711"),
        ("payload.name:\"Ann B\"*,c* payload.x:*", "payload.name:\"Ann B\"*,c* payload.x:*"),
        ("payload.x:*,a", "payload.x:*,a"),
        ("error:\"timed out\",refused", "error:\"timed out\",refused"),
        ("resource:4711", "\"resource:4711\""),
        ("\"state:dead\" -\"a \\\"b\\\"\"", "\"state:dead\" -\"a \\\"b\\\"\""),
        ("due:1h..2h ended:<=2026-08-12T09:00+08:00", "due:1h..2h ended:<=2026-08-12T09:00+08:00"),
        ("任务 by:me attempt:>=2", "任务 by:me attempt:>=2"),
    ] {
        let filter: Filter = written.parse().unwrap();
        assert_eq!(filter.to_string(), shown);
        assert_eq!(shown.parse::<Filter>().unwrap(), filter);
    }
}

#[test]
fn an_error_points_at_its_place() {
    use FilterProblem::*;
    for (text, at, bytes, wrong) in [
        ("kind:a stat:dead", 7, 4, UnknownField { meant: Field::State }),
        ("tags:eu", 0, 4, UnknownField { meant: Field::Tag }),
        ("State:dead", 0, 5, UnknownField { meant: Field::State }),
        ("kind:", 5, 0, NoValue),
        ("kind:a,", 7, 0, NoValue),
        ("kind:a,,b", 7, 0, NoValue),
        ("a -", 2, 1, NoValue),
        ("error:\"\"", 6, 2, NoValue),
        ("state:dead,gone", 11, 4, UnknownState),
        ("queue:a{b", 6, 3, BadName),
        ("id:a*", 3, 2, BadName),
        ("due:soon", 4, 4, BadTime),
        ("due:24h", 4, 3, BadTime),
        ("due:<1h,>2h", 8, 3, TooManyValues),
        ("attempt:many", 8, 4, BadNumber),
        ("payload.amount:>ten", 15, 4, BadNumber),
        ("payload.a..b:1", 0, 14, BadPath),
        ("payload:1", 0, 9, BadPath),
        ("kind:a \"open", 7, 5, OpenQuote),
    ] {
        assert_eq!(problem(text), (at, bytes, wrong), "{text}");
    }
    assert_eq!(problem(&"a".repeat(501)), (500, 1, TooLong));
    // The place is between characters, and a filter that is too long only when it is shown is too long as well.
    assert_eq!(problem(&format!("x{}", "é".repeat(251))), (499, 4, TooLong));
    assert_eq!(problem(&format!("a{}", "\\".repeat(400))), (401, 0, TooLong));
    assert_eq!(problem(&"a ".repeat(21)), (40, 1, TooManyTerms));
    assert_eq!(problem(&format!("kind:{}", vec!["a"; 21].join(","))).2, TooManyValues);
}

#[test]
fn terms_on_states_leave_the_states_that_all_of_them_let_in() {
    let states = |text: &str| text.parse::<Filter>().unwrap().states();
    assert_eq!(states("state:delay -state:retrying"), [JobState::Delayed]);
    assert_eq!(states("state:dead state:done"), []);
    assert_eq!(states("kind:a").len(), 8);
}

#[test]
fn terms_come_and_go() {
    let filter: Filter = "kind:a state:dead -tag:x".parse().unwrap();
    assert_eq!(filter.without(1).to_string(), "kind:a -tag:x");
    assert_eq!(filter.without_field(Field::Kind).to_string(), "state:dead -tag:x");
    let same = filter.and(filter.terms()[0].clone());
    assert_eq!(same, filter);
    assert_eq!(
        filter.and(Term::new(Test::Text("a b".into()))).to_string(),
        "kind:a state:dead -tag:x \"a b\""
    );
    let mut narrowed = filter;
    narrowed.extend([Test::Queue(Pattern::only("mail"))]);
    assert_eq!(narrowed.to_string(), "kind:a state:dead -tag:x queue:mail");
}

#[test]
fn a_place_reads_back_from_its_text() {
    let behind = Some(Cursor { score: 7, id: "a/b:c".parse().unwrap() });
    for place in [GroupPlace::new(StateGroup::Dead, None), GroupPlace::new(StateGroup::Delay, behind)] {
        assert_eq!(place.to_string().parse(), Ok(place));
    }
    assert!("gone~1~a".parse::<GroupPlace>().is_err());
}

proptest! {
    #[test]
    fn whatever_reads_is_shown_as_something_that_reads_the_same(text in "(-?(kind|state|queue|due|payload\\.a|error|by|tag|id|subject|x)?:?[a-z0-9<>=.,*\"\\\\ :\u{e9}-]{0,12} ?){0,4}") {
        match text.parse::<Filter>() {
            Ok(filter) => {
                let shown = filter.to_string();
                prop_assert_eq!(shown.parse::<Filter>().map_err(|e| format!("{shown:?}: {e}")), Ok(filter));
            }
            Err(error) => {
                prop_assert!(text.get(error.at..error.at + error.bytes).is_some(), "{text:?} {error:?}");
            }
        }
    }

    #[test]
    fn any_text_is_read_or_pointed_at(text in "\\PC{0,60}") {
        if let Err(error) = text.parse::<Filter>() {
            prop_assert!(text.get(error.at..error.at + error.bytes).is_some(), "{text:?} {error:?}");
        }
    }
}
