//! When all connections to one Redis are given up and opened anew: its name may lead to another server by now.

use redis::{RedisError, RedisResult, Value};
use std::sync::atomic::{AtomicU32, AtomicU64, Ordering};
use std::sync::{Mutex, MutexGuard, PoisonError};
use std::time::{Duration, Instant};

/// Time-outs with no answer between them after which a server counts as dead: one alone is a slow command.
const TIMEOUTS_MAX: u32 = 2;
/// Shortest and longest pause between two renewals: a Redis that is a replica for good is not to be hammered.
const PAUSE_MIN: Duration = Duration::from_millis(100);
const PAUSE_MAX: Duration = Duration::from_secs(2);
/// After so long without a renewal the pause is short again.
const CALM: Duration = Duration::from_secs(10);

/// How a server says that it is not the one to talk to: it is no master, or is about to be another one.
const WRONG_SERVER: [&str; 4] = ["READONLY", "MASTERDOWN", "LOADING", "UNBLOCKED"];
/// The first of them as a script passes it on, without its code.
const READONLY_IN_SCRIPT: &str = "READONLY You can't write against a read only replica";

/// Counts the rounds of the connections to one Redis. A holder of a connection of an earlier round opens a new one, which
/// looks the address up again.
#[derive(Debug, Default)]
pub(crate) struct Renewal {
    round: AtomicU64,
    timeouts: AtomicU32,
    pace: Mutex<Pace>,
    /// Why the server refused the latest connections: what only says that a connection is gone does not hide it.
    refusal: Mutex<Option<RedisError>>,
}

#[derive(Debug, Default)]
struct Pace {
    latest: Option<Instant>,
    pause: Duration,
}

impl Renewal {
    /// The present round.
    pub(super) fn round(&self) -> u64 {
        self.round.load(Ordering::Acquire)
    }

    /// Draws its conclusion from how a call ended on a connection of that round. What the server refuses stands among the
    /// values.
    pub(super) fn judge_values(&self, round: u64, result: Result<&[Value], &RedisError>) {
        match result {
            Ok(values) => {
                self.answered();
                let is_wrong = |value: &Value| match value {
                    Value::ServerError(error) => is_wrong_server(Some(error.code()), error.details()),
                    _ => false,
                };
                if values.iter().any(is_wrong) {
                    self.renew(round);
                }
            }
            Err(error) => self.judge::<()>(round, &Err(error.clone())),
        }
    }

    /// The same from an answer that was read.
    pub(super) fn judge<T>(&self, round: u64, result: &RedisResult<T>) {
        match result {
            Ok(_) => self.answered(),
            Err(error) if error.is_timeout() => self.timed_out(round),
            Err(error) if error.is_io_error() => {}
            Err(error) => {
                self.answered();
                if is_wrong_server(error.code(), error.detail()) {
                    self.renew(round);
                }
            }
        }
    }

    /// The same for a call that was given up.
    pub(super) fn timed_out(&self, round: u64) {
        if round == self.round() && self.timeouts.fetch_add(1, Ordering::AcqRel) + 1 >= TIMEOUTS_MAX {
            self.renew(round);
        }
    }

    fn answered(&self) {
        // Read first: every call comes by, and most find nothing to write.
        if self.timeouts.load(Ordering::Relaxed) > 0 {
            self.timeouts.store(0, Ordering::Release);
        }
    }

    fn renew(&self, round: u64) {
        let mut pace = self.pace.lock().unwrap_or_else(PoisonError::into_inner);
        let since = pace.latest.map(|latest| latest.elapsed());
        // A sign that comes too early is seen again: the server goes on as it is.
        if round != self.round() || since.is_some_and(|since| since < pace.pause) {
            return;
        }
        let is_calm = since.is_none_or(|since| since > CALM);
        pace.pause = if is_calm { PAUSE_MIN } else { (pace.pause * 2).min(PAUSE_MAX) };
        pace.latest = Some(Instant::now());
        self.timeouts.store(0, Ordering::Release);
        self.round.fetch_add(1, Ordering::AcqRel);
        tracing::debug!("the connections to redis are opened anew: its address may lead to another server");
    }

    /// What is said of a connection that did not come about: the refusal before it, where this one only tells that the
    /// connection is gone.
    pub(super) fn first_cause(&self, error: RedisError, is_refusal: bool) -> RedisError {
        let mut refusal = self.refusal();
        if is_refusal {
            *refusal = Some(error.clone());
            return error;
        }
        let is_bare = error.is_connection_dropped() && !error.is_connection_refusal();
        match &*refusal {
            Some(first) if is_bare => first.clone(),
            _ => error,
        }
    }

    /// A connection came about.
    pub(super) fn connected(&self) {
        *self.refusal() = None;
    }

    fn refusal(&self) -> MutexGuard<'_, Option<RedisError>> {
        self.refusal.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

fn is_wrong_server(code: Option<&str>, detail: Option<&str>) -> bool {
    code.is_some_and(|code| WRONG_SERVER.contains(&code))
        || detail.is_some_and(|detail| detail.contains(READONLY_IN_SCRIPT))
}

#[cfg(test)]
mod tests {
    use super::*;
    use redis::ErrorKind;
    use std::io;

    fn said(word: &str) -> RedisResult<()> {
        Err(redis::make_extension_error(word.to_owned(), Some("by a test".to_owned())))
    }

    fn timeout() -> RedisResult<()> {
        Err(RedisError::from(io::Error::from(io::ErrorKind::TimedOut)))
    }

    #[test]
    fn each_sign_of_a_wrong_server_renews_and_no_other_answer_does() {
        for word in ["READONLY", "MASTERDOWN", "LOADING", "UNBLOCKED"] {
            let renewal = Renewal::default();
            renewal.judge(0, &said(word));
            assert_eq!(renewal.round(), 1, "{word}");
        }
        let renewal = Renewal::default();
        for word in ["OOM", "BUSY", "NOPERM", "MISCONF", "ERR"] {
            renewal.judge(0, &said(word));
        }
        let in_script = format!("script: on @user_function: {READONLY_IN_SCRIPT}");
        assert_eq!(renewal.round(), 0);
        renewal.judge::<()>(0, &Err(redis::make_extension_error("ERR".to_owned(), Some(in_script))));
        assert_eq!(renewal.round(), 1);
    }

    #[test]
    fn time_outs_renew_when_nothing_was_answered_between_them() {
        let renewal = Renewal::default();
        renewal.judge(0, &timeout());
        renewal.judge(0, &Ok(()));
        renewal.judge(0, &timeout());
        renewal.judge(0, &said("OOM"));
        renewal.timed_out(0);
        assert_eq!(renewal.round(), 0);
        renewal.timed_out(0);
        assert_eq!(renewal.round(), 1);
        renewal.timed_out(0);
        renewal.timed_out(0);
        assert_eq!(renewal.round(), 1, "on connections that are given up already");
    }

    #[test]
    fn a_server_that_refuses_for_ever_is_not_hammered() {
        let renewal = Renewal::default();
        let began = Instant::now();
        while began.elapsed() < PAUSE_MIN * 4 {
            renewal.judge(renewal.round(), &said("READONLY"));
            std::thread::yield_now();
        }
        // At once, and after pauses of 100 and 200 ms.
        assert!((2..=3).contains(&renewal.round()), "{}", renewal.round());
    }

    #[test]
    fn a_refusal_outlives_the_lost_connections_behind_it() {
        let renewal = Renewal::default();
        let lost = || RedisError::from(io::Error::from(io::ErrorKind::BrokenPipe));
        let refusal = RedisError::from((ErrorKind::AuthenticationFailed, "refused"));
        assert!(renewal.first_cause(lost(), false).to_string().contains("broken pipe"));
        renewal.first_cause(refusal, true);
        assert!(renewal.first_cause(lost(), false).to_string().contains("refused"));
        let away = RedisError::from(io::Error::from(io::ErrorKind::ConnectionRefused));
        assert!(renewal.first_cause(away, false).is_connection_refusal(), "it says more");
        renewal.connected();
        assert!(renewal.first_cause(lost(), false).to_string().contains("broken pipe"));
    }
}
