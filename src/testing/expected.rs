//! What a test expects to be enqueued, and what it says when it is not.

use crate::model::{self, Delay, Timestamp};
use crate::worker::Job;
use serde::Serialize;
use serde_json::Value;
use std::fmt::Write as _;

/// Jobs that a message lists; a test with more has to name a queue or a subject.
const LISTED_MAX: usize = 20;
/// Bytes of a payload that a message shows.
const PAYLOAD_SHOWN_MAX: usize = 200;

/// What a test expects of an enqueued job. What is not said may be anything.
#[derive(Debug, Clone, Default)]
#[must_use]
pub struct Expected {
    kind: Option<String>,
    queue: Option<String>,
    subject: Option<String>,
    id: Option<String>,
    due: Option<Due>,
    payload: Option<Value>,
    times: Option<usize>,
}

#[derive(Debug, Clone, Copy)]
enum Due {
    At(Timestamp),
    In(Delay),
}

impl Expected {
    /// A job of that kind.
    pub fn kind(kind: impl Into<String>) -> Self {
        Self { kind: Some(kind.into()), ..Self::default() }
    }

    /// A job of that type with that content.
    pub fn job<J: Job>(job: &J) -> Self {
        Self::kind(J::KIND).payload(job)
    }

    /// In that queue.
    pub fn queue(mut self, queue: impl Into<String>) -> Self {
        self.queue = Some(queue.into());
        self
    }

    /// About that thing.
    pub fn subject(mut self, subject: impl Into<String>) -> Self {
        self.subject = Some(subject.into());
        self
    }

    /// Under that id.
    pub fn id(mut self, id: impl Into<String>) -> Self {
        self.id = Some(id.into());
        self
    }

    /// Due at that time, to the millisecond.
    pub const fn due_at(mut self, due: Timestamp) -> Self {
        self.due = Some(Due::At(due));
        self
    }

    /// Due that long after the sandbox's clock shows now, to the millisecond.
    pub const fn due_in(mut self, delay: Delay) -> Self {
        self.due = Some(Due::In(delay));
        self
    }

    /// With this as its payload, compared as JSON: the order of fields does not matter.
    ///
    /// # Panics
    /// When it cannot be written as JSON.
    #[expect(clippy::expect_used, reason = "a test that expects what cannot be sent can only fail")]
    pub fn payload(mut self, payload: impl Serialize) -> Self {
        self.payload = Some(serde_json::to_value(payload).expect("the expected payload is JSON"));
        self
    }

    /// Exactly so many times; at least once without this.
    pub const fn times(mut self, times: usize) -> Self {
        self.times = Some(times);
        self
    }

    /// What is wrong with these live jobs; `None` when nothing is.
    pub(super) fn breach(&self, jobs: &[model::Job], now: Timestamp) -> Option<String> {
        let found = jobs.iter().filter(|job| self.differences(job, now).is_empty()).count();
        let fits = self.times.map_or(found > 0, |times| found == times);
        (!fits).then(|| {
            let wanted = self.times.map_or_else(String::new, |times| format!("{times} times: "));
            format!(
                "expected {wanted}{}\n{found} such jobs are enqueued; {}",
                self.described(now),
                listed(self, jobs, now)
            )
        })
    }

    /// The same when no such job must be there.
    pub(super) fn presence(&self, jobs: &[model::Job], now: Timestamp) -> Option<String> {
        let found: Vec<_> =
            jobs.iter().filter(|job| self.differences(job, now).is_empty()).cloned().collect();
        (!found.is_empty()).then(|| {
            format!("expected that there is not {}\n{}", self.described(now), listed(self, &found, now))
        })
    }

    /// Which of the things that were said do not hold for a job.
    fn differences(&self, job: &model::Job, now: Timestamp) -> Vec<&'static str> {
        let differs =
            |expected: &Option<String>, found: &str| expected.as_ref().is_some_and(|text| text != found);
        let subject = job.subject.as_ref().map_or("", |subject| subject.as_str());
        let payload = || serde_json::from_slice::<Value>(&job.payload).ok();
        [
            ("kind", differs(&self.kind, job.kind.as_str())),
            ("queue", differs(&self.queue, job.queue.as_str())),
            ("subject", differs(&self.subject, subject)),
            ("id", differs(&self.id, job.id.as_str())),
            ("due", self.due_by(now).is_some_and(|due| due != job.due)),
            ("payload", self.payload.is_some() && payload() != self.payload),
        ]
        .into_iter()
        .filter_map(|(name, differs)| differs.then_some(name))
        .collect()
    }

    fn due_by(&self, now: Timestamp) -> Option<Timestamp> {
        self.due.map(|due| match due {
            Due::At(time) => time,
            Due::In(delay) => now + delay,
        })
    }

    fn described(&self, now: Timestamp) -> String {
        let mut text =
            self.kind.as_ref().map_or_else(|| "a job".to_owned(), |kind| format!("a job of kind {kind}"));
        let named = [("id", &self.id), ("queue", &self.queue), ("subject", &self.subject)];
        for (name, value) in named.into_iter().filter_map(|(name, value)| Some((name, value.as_ref()?))) {
            let _ = write!(text, ", {name} {value}");
        }
        if let Some(due) = self.due_by(now) {
            let _ = write!(text, ", due {}", moment(due, now));
        }
        if let Some(payload) = &self.payload {
            let _ = write!(text, ", payload {payload}");
        }
        text
    }
}

/// What is there, the most alike first, each with what differs.
fn listed(expected: &Expected, jobs: &[model::Job], now: Timestamp) -> String {
    if jobs.is_empty() {
        return "nothing is enqueued".to_owned();
    }
    let mut lines: Vec<_> = jobs.iter().map(|job| (expected.differences(job, now), job)).collect();
    lines.sort_by_key(|(differs, job)| (differs.len(), job.due));
    let mut text = "enqueued are:".to_owned();
    for (differs, job) in lines.iter().take(LISTED_MAX) {
        let subject = job
            .subject
            .as_ref()
            .map_or_else(|| "no subject".to_owned(), |subject| format!("subject {subject}"));
        let _ = write!(
            text,
            "\n  {} {} in {}, {subject}, {}, due {}, payload {}",
            job.kind,
            job.id,
            job.queue,
            job.state,
            moment(job.due, now),
            shown(&job.payload)
        );
        if !differs.is_empty() {
            let _ = write!(text, "\n    differs in {}", differs.join(", "));
        }
    }
    if lines.len() > LISTED_MAX {
        let _ = write!(text, "\n  and {} more", lines.len() - LISTED_MAX);
    }
    text
}

fn shown(payload: &[u8]) -> String {
    let text: String = String::from_utf8_lossy(payload).chars().take(PAYLOAD_SHOWN_MAX).collect();
    if text.len() < payload.len() { format!("{text}…") } else { text }
}

/// An instant for people: by the calendar, and how far it is from now.
fn moment(time: Timestamp, now: Timestamp) -> String {
    let calendar = jiff::Timestamp::from_millisecond(time.as_millis())
        .map_or_else(|_| time.to_string(), |instant| instant.to_string());
    match time.millis_since(now) {
        0 => format!("{calendar} (now)"),
        ahead if ahead > 0 => format!("{calendar} (in {})", span(ahead)),
        ago => format!("{calendar} ({} ago)", span(-ago)),
    }
}

/// A span in its two largest units.
fn span(ms: i64) -> String {
    let units = [("d", 86_400_000), ("h", 3_600_000), ("min", 60_000), ("s", 1_000), ("ms", 1)];
    let mut left = ms;
    let parts = units.into_iter().filter_map(|(unit, size)| {
        let count = left / size;
        left -= count * size;
        (count > 0).then(|| format!("{count} {unit}"))
    });
    parts.take(2).collect::<Vec<_>>().join(" ")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn spans_and_moments_read_as_people_say_them() {
        assert_eq!(span(90_061_001), "1 d 1 h");
        assert_eq!(span(1_500), "1 s 500 ms");
        let now = Timestamp::saturating_from_millis(1_893_456_000_000);
        assert_eq!(moment(now, now), "2030-01-01T00:00:00Z (now)");
        assert_eq!(moment(now + Delay::days(30), now), "2030-01-31T00:00:00Z (in 30 d)");
    }
}
