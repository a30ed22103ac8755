//! Moves jobs to ready at their due time: never early, late by a millisecond or two.
//!
//! It sleeps until the lowest due time, or until a token tells it of an earlier job, or a
//! second at most, so that losing every token costs a second and nothing else.

use super::duty::Told;
use crate::constants::FORWARDER_SLEEP_MAX_MS;
use crate::error::Result;
use crate::model::{ForwarderInfo, Timestamp};
use crate::process;
use crate::store::{DueReader, ForwardTick, Store};
use crate::zones;
use std::sync::Arc;
use std::time::Duration;
use tokio::sync::Notify;
use tokio::time::Instant;
use tokio_util::sync::CancellationToken;

/// The longest sleep: what it costs to miss a token.
const SLEEP_MAX: Duration = Duration::from_millis(FORWARDER_SLEEP_MAX_MS);
/// Jobs a call: about two milliseconds of Redis, which serves others in between.
const BATCH: u32 = 100;
/// The longest rest after a call that took long, so that jobs are not late by more than that for it.
const REST_MAX: Duration = Duration::from_millis(10);
/// A call that took less needs no rest after it: the next due millisecond is kept to.
const CHEAP: Duration = Duration::from_millis(1);
/// Wait after a failed call.
const RETRY_DELAY: Duration = Duration::from_millis(250);
/// How long Redis keeps the question for a token: an idle forwarder asks seldom.
const LISTEN: Duration = Duration::from_secs(5);

/// Between signs of life: a screen that shows them need not be more exact.
const SIGN_PERIOD: Duration = Duration::from_secs(4);

/// What this process calls its forwarders where people see them.
pub(super) fn sign() -> String {
    let mut info = ForwarderInfo::new(process::process_id(), process::host(), std::process::id());
    info.zones.clone_from(&zones::version().version);
    serde_json::to_string(&info).unwrap_or_default()
}

pub(super) async fn run(store: Store, sign: Arc<str>, stop: CancellationToken) {
    let called = Notify::new();
    tokio::join!(
        stop.run_until_cancelled(listen(DueReader::new(store.clone()), &called)),
        forward(&store, &sign, &called, &stop),
    );
}

/// Waits for tokens and passes them on.
async fn listen(mut tokens: DueReader, called: &Notify) {
    loop {
        match tokens.wait(LISTEN).await {
            Ok(true) => called.notify_one(),
            Ok(false) => {}
            Err(_) => tokio::time::sleep(RETRY_DELAY).await,
        }
    }
}

async fn forward(store: &Store, sign: &str, called: &Notify, stop: &CancellationToken) {
    let mut turn = 0_u32;
    let mut signed: Option<Instant> = None;
    let mut told = Told::nothing();
    while !stop.is_cancelled() {
        turn = turn.wrapping_add(1);
        let began = Instant::now();
        let tick = store.forward(BATCH, turn % 1_024).await;
        let took = began.elapsed();
        told.tell(tick.as_ref().ok().and_then(|tick| tick.damage.as_deref()));
        if tick.is_ok() && signed.is_none_or(|at| at.elapsed() >= SIGN_PERIOD) {
            // Not said is not lost: it is said again.
            let _ = store.tick(sign, false).await;
            let is_first = signed.replace(Instant::now()).is_none();
            // It may have found queues of which an earlier version has said nothing.
            if is_first {
                continue;
            }
        }
        let plan = Plan::after(&tick, took);
        if plan.at_once {
            tokio::task::yield_now().await;
            continue;
        }
        stop.run_until_cancelled(plan.sleep(called)).await;
    }
    let _ = store.tick(sign, true).await;
}

/// When to look again.
struct Plan {
    /// A batch came back full: there is more.
    at_once: bool,
    wake: Instant,
    /// Before that it does not look again, whatever is due: where a look takes long, because there are many queues or
    /// Redis is slow, Redis is left to others half of the time.
    earliest: Instant,
}

impl Plan {
    fn after(tick: &Result<ForwardTick>, took: Duration) -> Self {
        let now = Instant::now();
        let Ok(tick) = tick else {
            return Self { at_once: false, wake: now + RETRY_DELAY, earliest: now };
        };
        let rest = if took < CHEAP { Duration::ZERO } else { took.min(REST_MAX) };
        let earliest = now + rest;
        let until_due = |due: Timestamp| u64::try_from(due.millis_since(tick.now)).unwrap_or(0);
        // A script's clock has no fraction: at the same millisecond the due time has come.
        let ahead = tick.next_due.map_or(SLEEP_MAX, |due| Duration::from_millis(until_due(due)));
        let wake = (now + ahead.min(SLEEP_MAX)).max(earliest);
        Self { at_once: tick.moved >= u64::from(BATCH), wake, earliest }
    }

    /// Sleeps, unless it is called for a job that is due earlier than planned.
    async fn sleep(self, called: &Notify) {
        tokio::select! {
            () = tokio::time::sleep_until(self.wake) => {}
            () = called.notified() => tokio::time::sleep_until(self.earliest).await,
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::error::Error;

    fn time(ms: i64) -> Timestamp {
        Timestamp::from_millis(1_000_000 + ms).unwrap()
    }

    /// Makes a plan, which has to wake up so long after it was made.
    fn assert_sleeps(tick: &Result<ForwardTick>, wanted: Duration) {
        let before = Instant::now();
        let plan = Plan::after(tick, Duration::ZERO);
        let made = before..=Instant::now();
        assert!(made.contains(&(plan.wake - wanted)), "{tick:?}: {:?}", plan.wake - before);
    }

    fn tick(next_due: Option<i64>) -> Result<ForwardTick> {
        Ok(ForwardTick { moved: 0, next_due: next_due.map(time), now: time(0), damage: None })
    }

    #[test]
    fn it_sleeps_until_the_lowest_due_time_and_a_second_at_most() {
        let expected =
            [(None, 1_000), (Some(3_600_000), 1_000), (Some(300), 300), (Some(0), 0), (Some(-5), 0)];
        for (next_due, wanted_ms) in expected {
            assert_sleeps(&tick(next_due), Duration::from_millis(wanted_ms));
        }
    }

    #[test]
    fn a_redis_that_fails_is_left_alone_for_a_while() {
        let failed = Err(Error::Unavailable { what: "away".to_owned() });
        assert_sleeps(&failed, RETRY_DELAY);
        assert!(!Plan::after(&failed, Duration::ZERO).at_once);
    }

    #[test]
    fn only_a_full_batch_has_more_behind_it() {
        for (moved, at_once) in [(0, false), (u64::from(BATCH) - 1, false), (u64::from(BATCH), true)] {
            let tick = Ok(ForwardTick { moved, next_due: None, now: time(0), damage: None });
            assert_eq!(Plan::after(&tick, REST_MAX).at_once, at_once, "{moved}");
        }
    }

    #[tokio::test]
    async fn a_call_ends_the_sleep_and_not_the_rest() {
        let called = Notify::new();
        let mut plan = Plan::after(&tick(None), Duration::from_millis(4));
        let (earliest, minute) = (plan.earliest, Duration::from_secs(60));
        plan.wake += minute;
        called.notify_one();
        tokio::time::timeout(minute, plan.sleep(&called)).await.unwrap();
        assert!(Instant::now() >= earliest);
    }

    #[test]
    fn it_rests_as_long_as_a_look_took_and_ten_milliseconds_at_most() {
        let expected = [(0, 0), (999, 0), (1_000, 1_000), (4_000, 4_000), (10_000, 10_000), (70_000, 10_000)];
        for (took_us, rest_us) in expected {
            let (took, rest) = (Duration::from_micros(took_us), Duration::from_micros(rest_us));
            let plan = Plan::after(&tick(Some(0)), took);
            assert_eq!(plan.wake, plan.earliest, "{took_us}");
            let later = Plan::after(&tick(Some(300)), took);
            let until_due = Duration::from_millis(300) - rest;
            assert_eq!(later.wake - later.earliest, until_due, "{took_us}: what is due later is due then");
        }
    }
}
