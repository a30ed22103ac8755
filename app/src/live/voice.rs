//! The one polite voice of a page, for screen readers: what changed by itself, told seldom and once.
//!
//! What somebody did is answered at once, by the same voice. Errors are alerts and stand where they happen.

use std::collections::BTreeMap;

use leptos::prelude::*;

use super::{Live, quiet};
use crate::clock::Clock;
use crate::live::effect::effect;

/// At least this long from one message to the next, in milliseconds: whoever listens hears one to its end.
const PACE_MS: i64 = 5_000;

/// What was said last.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct Message {
    /// Grows with every message: the same words said again are said again.
    pub number: u64,
    /// The words; empty before the first message.
    pub text: String,
}

/// Says what changes on a page.
#[derive(Clone, Copy)]
pub struct Voice {
    pace: StoredValue<Pace>,
    message: RwSignal<Message>,
    clock: Clock,
}

impl Voice {
    /// Provides the voice to every component below. It is silent while the screen is stopped, or rests.
    pub fn provide(live: Live, clock: Clock) -> Self {
        let voice = Self {
            pace: StoredValue::new(Pace::default()),
            message: RwSignal::new(Message::default()),
            clock,
        };
        provide_context(voice);
        effect(move || {
            let (now_ms, paused) = (clock.now_ms(), live.paused().is_some());
            let has_news = voice.pace.try_with_value(Pace::has_news).unwrap_or_default();
            let Some(now_ms) = now_ms.filter(|_| has_news && !paused && !quiet::is_quiet()) else { return };
            if let Some(text) = voice.pace.try_update_value(|pace| pace.due(now_ms)).flatten() {
                voice.say(text);
            }
        });
        voice
    }

    /// The voice of this page.
    #[must_use]
    pub fn get() -> Self {
        expect_context()
    }

    /// What was said last.
    #[must_use]
    pub fn message(self) -> Message {
        self.message.get()
    }

    /// Answers whoever has just done something: at once, whatever else waits.
    pub fn answer(self, text: String) {
        let now_ms = self.clock.now_ms_untracked().unwrap_or_default();
        let _ = self.pace.try_update_value(|pace| pace.said_ms = Some(now_ms));
        self.say(text);
    }

    /// Tells what `text` gives whenever that changes, for as long as its component stands; nothing of what it gives
    /// first, and nothing where it gives nothing.
    pub fn follow(self, text: impl Fn() -> Option<String> + 'static) {
        let Some(topic) = self.pace.try_update_value(Pace::topic) else { return };
        effect(move || {
            let now = text();
            let _ = self.pace.try_update_value(|pace| pace.learn(topic, now));
        });
        on_cleanup(move || {
            let _ = self.pace.try_update_value(|pace| pace.topics.remove(&topic));
        });
    }

    fn say(self, text: String) {
        let _ = self.message.try_update(|message| *message = Message { number: message.number + 1, text });
    }
}

/// What is told when.
#[derive(Debug, Default)]
struct Pace {
    topics: BTreeMap<u64, Topic>,
    last_topic: u64,
    /// When something was said last, by the server's clock, ms.
    said_ms: Option<i64>,
}

/// One thing that changes.
#[derive(Debug)]
struct Topic {
    /// What whoever listens takes for true.
    known: Option<String>,
    now: Option<String>,
}

impl Topic {
    /// Whether it changed and was not told yet.
    fn is_news(&self) -> bool {
        self.now.is_some() && self.now != self.known
    }
}

impl Pace {
    /// A name for something new.
    fn topic(&mut self) -> u64 {
        self.last_topic += 1;
        self.last_topic
    }

    /// What there is to tell of something; what comes first is taken for known.
    fn learn(&mut self, topic: u64, now: Option<String>) {
        let topic = self.topics.entry(topic).or_insert_with(|| Topic { known: now.clone(), now: None });
        if now.is_none() {
            topic.known = None;
        }
        topic.now = now;
    }

    /// Whether anything changed that was not told yet.
    fn has_news(&self) -> bool {
        self.topics.values().any(Topic::is_news)
    }

    /// All that changed and was not told yet, unless something was said a moment ago.
    fn due(&mut self, now_ms: i64) -> Option<String> {
        // A clock that was set back must not silence it.
        let waits = |said_ms: i64| (0..PACE_MS).contains(&now_ms.saturating_sub(said_ms));
        if self.said_ms.is_some_and(waits) {
            return None;
        }
        let changed = self.topics.values_mut().filter(|topic| topic.is_news());
        let told = changed.filter_map(|topic| {
            topic.known.clone_from(&topic.now);
            topic.now.clone()
        });
        let text = told.collect::<Vec<_>>().join(" ");
        (!text.is_empty()).then(|| {
            self.said_ms = Some(now_ms);
            text
        })
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn text(text: &str) -> Option<String> {
        Some(text.to_owned())
    }

    #[test]
    fn what_is_there_first_is_not_told() {
        let mut pace = Pace::default();
        let state = pace.topic();
        pace.learn(state, text("delayed"));
        assert_eq!(pace.due(0), None);
        pace.learn(state, text("active"));
        assert_eq!(pace.due(0), text("active"));
    }

    #[test]
    fn of_many_changes_one_is_told_in_five_seconds_and_it_is_the_last() {
        let mut pace = Pace::default();
        let new = pace.topic();
        pace.learn(new, None);
        let mut told = Vec::new();
        for second in 0..=12 {
            pace.learn(new, Some(format!("{second} new")));
            told.extend(pace.due(second * 1_000));
        }
        assert_eq!(told, ["0 new", "5 new", "10 new"]);
    }

    #[test]
    fn what_is_the_same_again_is_not_told() {
        let mut pace = Pace::default();
        let state = pace.topic();
        pace.learn(state, text("ready"));
        pace.learn(state, text("active"));
        pace.learn(state, text("ready"));
        assert_eq!(pace.due(0), None, "nobody has heard of the change");
        pace.learn(state, text("active"));
        assert_eq!(pace.due(1_000), text("active"));
        pace.learn(state, text("active"));
        assert_eq!(pace.due(60_000), None);
    }

    #[test]
    fn what_is_gone_before_its_turn_is_not_told_and_its_return_is() {
        let mut pace = Pace::default();
        let new = pace.topic();
        pace.learn(new, None);
        pace.learn(new, text("1 new"));
        pace.learn(new, None);
        assert_eq!(pace.due(0), None);
        pace.learn(new, text("1 new"));
        assert_eq!(pace.due(0), text("1 new"));
        pace.learn(new, None);
        pace.learn(new, text("1 new"));
        assert_eq!(pace.due(PACE_MS), text("1 new"));
    }

    #[test]
    fn two_changes_are_one_message() {
        let mut pace = Pace::default();
        let (state, new) = (pace.topic(), pace.topic());
        for topic in [state, new] {
            pace.learn(topic, None);
        }
        pace.learn(new, text("3 new"));
        pace.learn(state, text("Moved."));
        assert_eq!(pace.due(0), text("Moved. 3 new"));
        assert_eq!(pace.due(PACE_MS), None);
    }

    #[test]
    fn after_an_answer_changes_wait_for_their_turn_even_if_the_clock_goes_back() {
        let mut pace = Pace::default();
        let new = pace.topic();
        pace.learn(new, None);
        pace.said_ms = Some(100_000);
        pace.learn(new, text("1 new"));
        assert_eq!(pace.due(104_999), None);
        assert_eq!(pace.due(90_000), text("1 new"));
    }
}
