//! How long something is kept, as a field of a form has it: `7` days, `12h`, `30min`; and how many: `100,000`.

use reprieve::model::retention::KEPT_MOST_MAX;
use reprieve::model::{Delay, RetentionChange, RetentionRule};

const MINUTE_MS: i64 = 60_000;
const HOUR_MS: i64 = 60 * MINUTE_MS;
const DAY_MS: i64 = 24 * HOUR_MS;
/// The longest that may be asked for, in days: a century.
const DAYS_MAX: i64 = 36_500;

/// As the field shows it; whole days are a bare number.
pub(crate) fn text(kept: Delay) -> String {
    let ms = kept.as_millis();
    match ms {
        _ if ms % DAY_MS == 0 => (ms / DAY_MS).to_string(),
        _ if ms % HOUR_MS == 0 => format!("{}h", ms / HOUR_MS),
        // Rounded up: nothing is kept shorter than it was said to be because somebody saved the page.
        _ => format!("{}min", ms.saturating_add(MINUTE_MS - 1) / MINUTE_MS),
    }
}

/// A rule as the fields of its form have it when the page is read: done, dead, cancelled, and how many of the first two.
pub(crate) fn shown(rule: &RetentionRule) -> [String; 5] {
    let span = |kept: Option<Delay>| kept.map(text).unwrap_or_default();
    let most = |most: Option<u64>| most.map(|most| most.to_string()).unwrap_or_default();
    [span(rule.done), span(rule.dead), span(rule.cancelled), most(rule.done_most), most(rule.dead_most)]
}

/// What a form changes of the rule that it showed: what nobody touched stays as it is, also where the field rounds it.
pub(crate) fn changed(rule: &RetentionRule, seen: &[String; 5]) -> RetentionChange {
    let ([done, dead, cancelled, done_most, dead_most], now) = (seen, shown(rule));
    let [now_done, now_dead, now_cancelled, now_done_most, now_dead_most] = &now;
    let mut change = RetentionChange::default();
    change.done = (now_done != done).then_some(rule.done);
    change.dead = (now_dead != dead).then_some(rule.dead);
    change.cancelled = (now_cancelled != cancelled).then_some(rule.cancelled);
    change.done_most = (now_done_most != done_most).then_some(rule.done_most);
    change.dead_most = (now_dead_most != dead_most).then_some(rule.dead_most);
    change
}

/// What somebody typed; `None` when it is no span.
pub(crate) fn read(text: &str) -> Option<Delay> {
    let text = text.trim();
    let digits = text.find(|c: char| !c.is_ascii_digit()).unwrap_or(text.len());
    let (number, unit) = text.split_at(digits);
    let unit_ms = match unit.trim() {
        "" | "d" => DAY_MS,
        "h" => HOUR_MS,
        "m" | "min" => MINUTE_MS,
        _ => return None,
    };
    let ms = number.parse::<i64>().ok()?.checked_mul(unit_ms)?;
    (ms <= DAYS_MAX * DAY_MS).then(|| Delay::millis(ms))
}

/// How many somebody typed, with or without commas; `None` when it is no number that a rule may have.
pub(crate) fn read_most(text: &str) -> Option<u64> {
    let number = text.replace(',', "").trim().parse().ok()?;
    (1..=KEPT_MOST_MAX).contains(&number).then_some(number)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_form_changes_what_somebody_touched_and_nothing_else() {
        let mut rule = RetentionRule::default();
        // Its field says 61min.
        rule.done = Some(Delay::millis(60 * MINUTE_MS + 1));
        rule.dead_most = Some(1_000);
        let seen = shown(&rule);
        assert_eq!(seen, ["61min", "", "", "", "1000"]);
        let mut typed = rule;
        typed.done = read("61min");
        assert_eq!(changed(&typed, &seen), RetentionChange::default());
        (typed.dead, typed.dead_most) = (read("24h"), None);
        let mut expected = RetentionChange::default();
        (expected.dead, expected.dead_most) = (Some(Some(Delay::days(1))), Some(None));
        assert_eq!(changed(&typed, &seen), expected);
    }

    #[test]
    fn how_many_are_kept_is_a_number_with_or_without_commas() {
        assert_eq!([" 100,000 ", "1"].map(read_most), [Some(100_000), Some(1)]);
        for bad in ["", "0", "-1", "1.5", "1 000", "many", "1e3", "2000000000", "９"] {
            assert_eq!(read_most(bad), None, "{bad:?}");
        }
    }

    #[test]
    fn what_a_field_shows_is_what_it_reads() {
        for kept in [Delay::days(7), Delay::hours(12), Delay::minutes(10), Delay::days(90)] {
            assert_eq!(read(&text(kept)), Some(kept));
        }
        assert_eq!([Delay::days(7), Delay::hours(36), Delay::minutes(10)].map(text), ["7", "36h", "10min"]);
        assert_eq!(text(Delay::millis(90_001)), "2min");
    }

    #[test]
    fn what_is_no_span_is_not_guessed_at() {
        for bad in ["", "d", "-1", "7 weeks", "1.5", "99999999999", "40000", "９"] {
            assert_eq!(read(bad), None, "{bad:?}");
        }
        assert_eq!(read(" 3 d "), Some(Delay::days(3)));
    }
}
