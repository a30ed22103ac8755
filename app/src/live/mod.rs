//! The live view: one stream of events per tab, turned into signals.
//!
//! Events invalidate, they do not carry the data: pages key their resources on
//! [`Live::revision`]. Only counts come as data. The stream rests while the tab is
//! hidden and while somebody paused it; on return everything is read once.

pub mod quiet;
#[cfg(feature = "hydrate")]
mod source;

pub mod effect;
pub mod paced;
pub mod reading;
pub mod voice;

use std::collections::BTreeMap;

use leptos::prelude::*;
use reprieve::model::{Counts, Event, QueueName, Timestamp};
use serde::{Deserialize, Serialize};

use crate::clock::Clock;

/// How the stream is.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Link {
    /// Not open yet: before hydration, in a hidden tab, or just connecting.
    Opening,
    /// The server sends what happens.
    Open,
    /// Broken; the browser tries again.
    Lost {
        /// Since when, by the server's clock, ms.
        since_ms: i64,
    },
}

/// Why nothing moves: somebody asked for quiet.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Paused {
    /// Since when, by the server's clock, ms; what the screen shows is from then.
    pub since_ms: i64,
}

/// The counts as the server sends them, at most once a second.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct LiveCounts {
    /// By queue.
    pub queues: BTreeMap<QueueName, Counts>,
    /// Of all queues.
    pub total: Counts,
    /// When they were read, by Redis's clock.
    #[serde(rename = "at_ms")]
    pub at: Timestamp,
}

/// What the server says first.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct Hello {
    /// The server's clock.
    pub now_ms: Timestamp,
    /// Which build answers; another one than before means the page is old.
    #[serde(default)]
    pub build: String,
    /// Who opened the stream, and what is theirs; another one than the page was made for means it is not for them.
    #[serde(default)]
    pub who: String,
}

/// The signals of the stream.
#[derive(Clone, Copy)]
pub struct Live {
    link: RwSignal<Link>,
    paused: RwSignal<Option<Paused>>,
    revision: RwSignal<u64>,
    /// How many of its steps were acts of this page.
    own: RwSignal<u64>,
    waiting: RwSignal<u64>,
    counts: RwSignal<Option<LiveCounts>>,
    /// The latest counts that came while paused.
    counts_waiting: RwSignal<Option<LiveCounts>>,
    events: RwSignal<Vec<Event>>,
    bad: RwSignal<u64>,
    outdated: RwSignal<bool>,
    /// The page was made for somebody else.
    foreign: RwSignal<bool>,
}

impl Live {
    /// Provides the live view to every component below; the stream opens in the browser.
    pub fn provide(clock: Clock) -> Self {
        let live = Self {
            link: RwSignal::new(Link::Opening),
            paused: RwSignal::new(None),
            revision: RwSignal::new(0),
            own: RwSignal::new(0),
            waiting: RwSignal::new(0),
            counts: RwSignal::new(None),
            counts_waiting: RwSignal::new(None),
            events: RwSignal::new(Vec::new()),
            bad: RwSignal::new(0),
            outdated: RwSignal::new(false),
            foreign: RwSignal::new(false),
        };
        provide_context(live);
        #[cfg(feature = "hydrate")]
        source::start(live, clock);
        #[cfg(not(feature = "hydrate"))]
        let _ = clock;
        live
    }

    /// The live view of this page.
    #[must_use]
    pub fn get() -> Self {
        expect_context()
    }

    /// How the stream is.
    #[must_use]
    pub fn link(self) -> Link {
        self.link.get()
    }

    /// Since when somebody wants quiet; `None` while the screen moves.
    #[must_use]
    pub fn paused(self) -> Option<Paused> {
        self.paused.get()
    }

    /// Whether nothing is to be asked that nobody waits for: somebody wants quiet, or looks at another tab. Wakes no reader.
    pub(crate) fn rests(self) -> bool {
        self.paused.try_get_untracked().flatten().is_some() || quiet::is_hidden()
    }

    /// Grows when something changed, at most once a second but for acts of this page. Resources are keyed on it.
    #[must_use]
    pub fn revision(self) -> u64 {
        self.revision.get()
    }

    /// The same, without waking the reader when it grows.
    #[must_use]
    pub fn revision_untracked(self) -> u64 {
        self.revision.get_untracked()
    }

    /// Changes that came while paused.
    #[must_use]
    pub fn waiting(self) -> u64 {
        self.waiting.get()
    }

    /// The latest counts; `None` until the first came.
    #[must_use]
    pub fn counts(self) -> Option<LiveCounts> {
        self.counts.get()
    }

    /// What `of` finds in the latest counts, unless the page has read others since, at `read_at`: the newer ones are shown.
    /// The stream says nothing while nothing changes, and while it is lost.
    #[must_use]
    pub fn counts_since<T>(self, read_at: Timestamp, of: impl FnOnce(&LiveCounts) -> Option<T>) -> Option<T> {
        self.counts.with(|counts| counts.as_ref().filter(|counts| counts.at >= read_at).and_then(of))
    }

    /// The transitions of the latest message, in order. An effect that reads it sees every message.
    #[must_use]
    pub fn events(self) -> Vec<Event> {
        self.events.get()
    }

    /// Messages that could not be read.
    #[must_use]
    pub fn bad(self) -> u64 {
        self.bad.get()
    }

    /// The server was replaced by another build since the page was loaded.
    #[must_use]
    pub fn outdated(self) -> bool {
        self.outdated.get()
    }

    /// Somebody else is signed in than the page was made for, or the same person with other rights. Only where something
    /// would be lost by loading the page again: elsewhere that is done.
    #[must_use]
    pub fn foreign(self) -> bool {
        self.foreign.get()
    }

    /// Stops the screen; the stream goes on and changes are counted.
    pub fn pause(self) {
        if self.paused.get_untracked().is_none() {
            let since_ms = Clock::get().now_ms_untracked().unwrap_or_default();
            self.waiting.set(0);
            self.paused.set(Some(Paused { since_ms }));
        }
    }

    /// Lets the screen move again and reads everything once.
    pub fn resume(self) {
        if self.paused.get_untracked().is_some() {
            self.paused.set(None);
            self.waiting.set(0);
            // The server says them again only once they have changed.
            if let Some(counts) = self.counts_waiting.try_update(Option::take).flatten() {
                self.counts.set(Some(counts));
            }
            self.refresh();
        }
    }

    /// Takes counts in; while paused they wait for the end of that.
    #[cfg_attr(
        not(any(feature = "hydrate", test)),
        expect(dead_code, reason = "only a browser has a stream")
    )]
    pub(crate) fn counted(self, counts: LiveCounts) {
        let paused = self.paused.try_get_untracked().flatten().is_some();
        let place = if paused { self.counts_waiting } else { self.counts };
        let _ = place.try_set(Some(counts));
    }

    /// Changes whenever counts are to be read because the stream says none, as to whoever is bound to queues.
    #[must_use]
    pub fn uncounted(self) -> Memo<(u64, u64)> {
        let calm = self.calm();
        Memo::new(move |before: Option<&(u64, u64)>| match before {
            Some(before) if self.counts.with(Option::is_some) => *before,
            _ => calm.get(),
        })
    }

    /// Changes as [`revision`](Self::revision) grows, but not while somebody is in the middle of something, unless by an
    /// act of this page. Looks once a second whether they still are.
    #[must_use]
    pub fn calm(self) -> Memo<(u64, u64)> {
        let clock = Clock::get();
        Memo::new(move |before: Option<&(u64, u64)>| {
            let now = (self.revision.get(), self.own.get());
            let _ = clock.now_ms();
            let rests = |before: &&(u64, u64)| **before != now && before.1 == now.1 && quiet::is_quiet();
            before.filter(rests).copied().unwrap_or(now)
        })
    }

    /// Counts up every `seconds` from 0 unless paused, or somebody is in the middle of something: for what ages although
    /// nothing happens. What the server wrote is not read again because the page has learnt what time it is.
    #[must_use]
    pub fn pulse(self, seconds: i64) -> Memo<i64> {
        let clock = Clock::get();
        let periods = StoredValue::new(Periods::default());
        Memo::new(move |before: Option<&i64>| {
            let paused = self.paused.get().is_some();
            let now_ms = clock.now_ms();
            let passed = periods.try_update_value(|periods| periods.passed(now_ms, seconds));
            let passed = passed.unwrap_or_default();
            let rests = |before: &&i64| **before != passed && (paused || quiet::is_quiet());
            before.filter(rests).copied().unwrap_or(passed)
        })
    }

    /// Has every resource read again, as after an act of this page.
    pub fn refresh(self) {
        let _ = self.own.try_update(|own| *own += 1);
        self.changed();
    }

    /// Has every resource read again that does not rest.
    fn changed(self) {
        let _ = self.revision.try_update(|revision| *revision += 1);
    }
}

/// Counts periods from the first moment whose time is known.
#[derive(Debug, Default)]
struct Periods {
    first: Option<i64>,
}

impl Periods {
    fn passed(&mut self, now_ms: Option<i64>, seconds: i64) -> i64 {
        let Some(now_ms) = now_ms else { return 0 };
        let number = now_ms / (seconds.max(1) * 1_000);
        number - *self.first.get_or_insert(number)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_page_that_learns_what_time_it_is_has_let_no_period_pass() {
        let mut periods = Periods::default();
        let times =
            [None, Some(1_799_999_999), Some(1_800_000_000), Some(1_800_004_999), Some(1_800_005_000)];
        assert_eq!(times.map(|now_ms| periods.passed(now_ms, 5)), [0, 0, 1, 1, 2]);
        assert_eq!(periods.passed(Some(1_799_990_000), 5), -1, "a clock that was set back is a change too");
    }

    #[test]
    fn counts_are_read_as_the_server_writes_them() {
        let text = r#"{"queues":{"mail":{"delayed":3,"held":0,"ready":1,"active":0,"retrying":0,"done":9,"dead":0,"cancelled":0}},
            "total":{"delayed":3,"held":0,"ready":1,"active":0,"retrying":0,"done":9,"dead":0,"cancelled":0},"at_ms":1763690000000}"#;
        let counts: LiveCounts = serde_json::from_str(text).unwrap();
        assert_eq!(counts.total.delayed, 3);
        assert_eq!(counts.queues[&QueueName::new("mail").unwrap()].done, 9);
        assert_eq!(counts.at.as_millis(), 1_763_690_000_000);
    }

    fn counted(delayed: u64) -> LiveCounts {
        let mut total = Counts::default();
        total.delayed = delayed;
        LiveCounts { queues: BTreeMap::new(), total, at: Timestamp::EPOCH }
    }

    #[test]
    fn counts_that_come_while_paused_are_shown_on_return() {
        let owner = Owner::new();
        owner.set();
        let live = Live::provide(Clock::provide());
        let shown = || live.counts.get_untracked().map(|counts| counts.total.delayed);
        live.counted(counted(1));
        live.pause();
        live.counted(counted(2));
        live.counted(counted(3));
        assert_eq!(shown(), Some(1), "the screen stands still");
        live.resume();
        assert_eq!(shown(), Some(3));
        live.pause();
        live.resume();
        assert_eq!(shown(), Some(3), "nothing came meanwhile");
    }

    #[test]
    fn a_screen_rests_while_it_is_paused() {
        let owner = Owner::new();
        owner.set();
        let live = Live::provide(Clock::provide());
        assert!(!live.rests());
        live.pause();
        assert!(live.rests());
        live.resume();
        assert!(!live.rests());
    }

    #[test]
    fn counts_of_the_stream_are_shown_until_newer_ones_are_read() {
        let owner = Owner::new();
        owner.set();
        let live = Live::provide(Clock::provide());
        let at = |ms| Timestamp::from_millis(ms).unwrap();
        let shown = |read_at| live.counts_since(at(read_at), |counts| Some(counts.total.delayed));
        assert_eq!(shown(0), None, "nothing was said");
        live.counted(LiveCounts { at: at(5), ..counted(3) });
        assert_eq!([4, 5, 6].map(shown), [Some(3), Some(3), None]);
    }

    #[test]
    fn counts_are_read_anew_only_for_whom_the_stream_says_none() {
        let owner = Owner::new();
        owner.set();
        let live = Live::provide(Clock::provide());
        let uncounted = live.uncounted();
        let before = uncounted.get_untracked();
        live.changed();
        let after = uncounted.get_untracked();
        assert_ne!(after, before);
        live.counted(counted(1));
        live.changed();
        assert_eq!(uncounted.get_untracked(), after);
    }

    #[test]
    fn a_greeting_may_lack_the_build() {
        let hello: Hello = serde_json::from_str(r#"{"now_ms":5}"#).unwrap();
        assert_eq!(hello.now_ms.as_millis(), 5);
    }
}
