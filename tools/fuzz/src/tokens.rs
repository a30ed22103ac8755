//! What stands for something else, a text a part: API tokens, traces, places in lists and streams, ids, codes.

use crate::bounds::parts;
use reprieve::model::filter::GroupPlace;
use reprieve::model::{
    AuditPlace, Cursor, EventId, JobId, Permission, Role, RunId, Subject, Timestamp, TokenName, UniqueKey,
};
use reprieve::{CronSchedule, TraceParent};
use reprieve_access::fuzzing;
use std::fmt::{Debug, Display};
use std::str::FromStr;

/// Hexadecimal digits of an API token's secret.
const SECRET_DIGITS: usize = 64;
/// Ticks of a schedule that are looked at: to search for them takes most of the time.
const TICKS: usize = 2;

/// What reads is written as something that reads as the same, and where there is one way of writing it, as it was.
pub fn check(data: &[u8]) {
    let texts: Vec<&str> = parts(data).map(|part| std::str::from_utf8(part).unwrap_or_default()).collect();
    for text in &texts {
        token(text);
        trace(text);
        same::<Cursor>(text);
        same::<GroupPlace>(text);
        same::<EventId>(text);
        same::<AuditPlace>(text);
        verbatim::<JobId>(text);
        verbatim::<Subject>(text);
        verbatim::<UniqueKey>(text);
        verbatim::<TokenName>(text);
        verbatim::<RunId>(text);
        verbatim::<Role>(text);
        verbatim::<Permission>(text);
        schedule(text);
    }
    if let [kept, code, last, ..] = texts.as_slice() {
        code_of(kept, code, last);
    }
}

/// A token is its prefix, its name and its secret, and nothing else.
fn token(text: &str) {
    let Some(name) = fuzzing::token_name(text) else { return };
    let secret = text.strip_prefix(&format!("rpv_{name}_")).expect("its name stands in it");
    assert!(secret.len() == SECRET_DIGITS && secret.bytes().all(|byte| byte.is_ascii_hexdigit()), "{text}");
}

fn trace(text: &str) {
    let Ok(parent) = text.parse::<TraceParent>() else { return };
    assert!(parent.trace_id() != 0 && parent.span_id() != 0);
    assert_eq!(parent.to_string().parse(), Ok(parent));
    assert_eq!(text.get(2..53), parent.to_string().get(2..53), "it is passed on as it came");
}

/// What is written of it reads as the same.
fn same<T: FromStr + Display + Debug + PartialEq>(text: &str) {
    let Ok(value) = text.parse::<T>() else { return };
    let written = value.to_string();
    let read = written.parse::<T>().unwrap_or_else(|_| panic!("{text:?} was written as {written:?}"));
    assert_eq!(read, value, "{text:?} was written as {written:?}");
}

/// There is one way of writing it.
fn verbatim<T: FromStr + Display>(text: &str) {
    if let Ok(value) = text.parse::<T>() {
        assert_eq!(value.to_string(), text);
    }
}

/// Ticks come one after the other.
fn schedule(text: &str) {
    let Ok(schedule) = CronSchedule::parse(text, "UTC") else { return };
    assert!(!schedule.describe().is_empty() && !schedule.describe_in_chinese().is_empty());
    let mut at = Timestamp::EPOCH;
    for _ in 0..TICKS {
        let Some(next) = schedule.next_after(at) else { break };
        assert!(next > at, "{text:?} goes from {at:?} to {next:?}");
        at = next;
    }
}

/// A code is six digits, and good for a later step than the last; a recovery code takes one hash along.
fn code_of(kept: &str, code: &str, last: &str) {
    let now = Timestamp::saturating_from_millis(59_000);
    if let Ok(Some(step)) = fuzzing::code_step(kept, code, now, last) {
        assert_eq!(code.chars().filter(char::is_ascii_digit).count(), 6, "{code:?}");
        assert!(last.parse::<u64>().is_ok_and(|last| step > last) || last.parse::<u64>().is_err());
    }
    if let Some(left) = fuzzing::without_recovery_code(kept, code) {
        assert!(left.split_whitespace().count() < kept.split_whitespace().count());
    }
}
