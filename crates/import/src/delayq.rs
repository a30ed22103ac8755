//! delayq: a topic's delay set, job pool, ready list, and the set of what is
//! being worked on. Times are whole seconds; a job's body is base64 under the
//! name its authors gave it.

use super::check;
use super::door::{Answer, Format};
use super::score::SECONDS;
use super::script;
use super::source::DelayqSource;
use super::translate::{self, Raw};
use super::unit::{Call, Place, Unit, unless};
use crate::ImportFormat;
use base64::Engine as _;
use base64::engine::general_purpose::STANDARD;
use reprieve::internals::{Adoptee, Foreign, Past};
use reprieve::model::{Delay, JobState, Timestamp};
use reprieve::{Due, NewJob, Result};
use serde::Deserialize;

/// Retries without end.
const UNLIMITED: i64 = -1;

/// A job as delayq writes it. Fields it does not have are nothing, as Go reads them; others are not ours to mind and
/// stay in the journal.
#[derive(Debug, Default, PartialEq, Eq, Deserialize)]
#[serde(rename_all = "PascalCase", default)]
struct Message {
    topic: String,
    #[serde(rename = "ID")]
    id: String,
    /// Seconds it was to wait; the score has the instant.
    delay: i64,
    /// Retries after the first attempt; -1 is unlimited.
    max_retry: i64,
    retry_count: i64,
    /// Seconds an attempt may take; 0 is unlimited.
    #[serde(rename = "TTR")]
    ttr: i64,
    /// The body, misspelt by its authors.
    boday: Option<String>,
}

#[derive(Debug, Clone)]
pub(super) struct Delayq(pub(super) DelayqSource);

/// The key of a topic.
fn key(what: &str, topic: &str) -> String {
    format!("delayq:{what}:{topic}")
}

/// The topic whose delayed jobs lie under a key; `None` for any other key.
pub(super) fn topic_of(key: &str) -> Option<&str> {
    key.strip_prefix("delayq:dq:").filter(|topic| !topic.is_empty())
}

impl Delayq {
    fn keys(unit: &Unit) -> Vec<String> {
        let topic = ["dq", "jp", "rq", "process"].map(|what| key(what, &unit.base));
        std::iter::once(unit.journal.clone()).chain(topic).collect()
    }
}

impl Format for Delayq {
    fn format(&self) -> ImportFormat {
        ImportFormat::Delayq
    }

    fn shown(&self) -> String {
        format!("delayq {}", self.0.topic)
    }

    fn check(&self) -> Result<()> {
        check::filled("topic", &self.0.topic)?;
        check::pointer("subject", self.0.subject.as_ref())
    }

    fn units<'a>(&'a self, _source: &'a Foreign) -> Answer<'a, Vec<String>> {
        Box::pin(async { Ok(vec![self.0.topic.clone()]) })
    }

    fn due(&self, raw: &Raw) -> Option<Timestamp> {
        translate::due(&raw.score, SECONDS).ok()
    }

    /// What is ready first: it is due, and then nothing but ghosts is left to look through for other occurrences.
    fn places(&self, unit: &Unit) -> Vec<Place> {
        let place = |name, what, shape, stays| Place {
            name,
            key: key(what, &unit.base),
            shape,
            stays,
            waits: shape == "zset",
        };
        let working = unless(
            self.0.processing,
            "its workers may be working on them; stop them and ask for these as well, or let them end",
        );
        vec![
            place("ready", "rq", "list", ""),
            place("process", "process", "set", working),
            place("delay", "dq", "zset", ""),
        ]
    }

    fn look(&self, unit: &Unit, place: &Place) -> Call {
        let keys = vec![place.key.clone(), key("jp", &unit.base), key("dq", &unit.base)];
        Call { arguments: vec![place.shape.to_owned()], ..Call::new(&script::DELAYQ_LOOK, keys) }
    }

    fn park(&self, unit: &Unit) -> Call {
        Call::new(&script::DELAYQ_PARK, Self::keys(unit))
    }

    fn restore(&self, unit: &Unit) -> Call {
        Call::new(&script::DELAYQ_RESTORE, Self::keys(unit))
    }

    /// delayq overwrites a job of the same id; so a job that still waits is replaced.
    fn translate(&self, unit: &Unit, raw: &Raw) -> std::result::Result<Adoptee, String> {
        let body =
            raw.body.as_deref().ok_or("it has no job in the pool: called off after it was forwarded")?;
        let message: Message =
            serde_json::from_slice(body).map_err(|error| translate::no_json("delayq", &error))?;
        if message.id.as_bytes() != raw.name {
            return Err("its job in the pool says that it has another id".to_owned());
        }
        if !message.topic.is_empty() && message.topic != unit.base {
            return Err("its job in the pool says that it is of another topic".to_owned());
        }
        let payload = STANDARD
            .decode(message.boday.as_deref().unwrap_or_default())
            .map_err(|error| format!("its body is no base64: {error}"))?;
        let retried =
            u32::try_from(message.retry_count).map_err(|_| "its RetryCount is no count".to_owned())?;

        let topic = &self.0;
        let kind = topic.kind.clone().map_or_else(|| translate::kind(&unit.base), Ok)?;
        let mut job = NewJob::new(kind, payload);
        job.queue = topic.queue.clone().map_or_else(|| translate::queue(&unit.base), Ok)?;
        job.subject = translate::subject(&job.payload, topic.subject.as_ref())?;
        job.due = if raw.score.is_empty() { Due::Now } else { Due::At(translate::due(&raw.score, SECONDS)?) };
        job.max_attempts = match message.max_retry {
            UNLIMITED => None,
            most => {
                let most =
                    u32::try_from(most).map_err(|_| "its MaxRetry is neither a count nor -1".to_owned())?;
                // What it has used up is used up, but taking it over is no reason to give up on it.
                Some(most.max(retried).saturating_add(1))
            }
        };
        job.timeout = match message.ttr {
            0 => None,
            ttr if ttr > 0 => Some(Delay::seconds(ttr)),
            _ => return Err("its TTR is negative".to_owned()),
        };
        job.replace = true;
        let waits_again = retried > 0 && !raw.score.is_empty();
        let past =
            Past { state: waits_again.then_some(JobState::Retrying), attempt: retried, ..Past::default() };
        Ok(Adoptee { id: translate::job_id(&unit.base, &raw.name), job, past })
    }

    fn notes<'a>(
        &'a self,
        source: &'a Foreign,
        unit: &'a Unit,
        notes: &'a mut Vec<String>,
    ) -> Answer<'a, ()> {
        let mut command = redis::cmd("SCARD");
        command.arg(key("process", &unit.base));
        Box::pin(async move {
            // A key of another type was named when it was counted.
            let working: u64 = source.query(&command).await.unwrap_or(0);
            if working > 0 {
                notes.push(format!(
                    "ids in the set of what is worked on: {working}; delayq leaves those there that were called off \
                     too late or have used up their retries"
                ));
            }
            Ok(())
        })
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    fn translate(body: &str, score: &str) -> std::result::Result<Adoptee, String> {
        let door = Delayq(DelayqSource::new("sms"));
        let unit = Unit { label: "sms".to_owned(), base: "sms".to_owned(), journal: String::new() };
        let raw = Raw {
            place: "delay".to_owned(),
            name: b"a1".to_vec(),
            score: score.to_owned(),
            body: Some(body.as_bytes().to_vec()),
            ..Raw::default()
        };
        door.translate(&unit, &raw)
    }

    #[test]
    fn every_field_has_its_place() {
        let body =
            r#"{"Topic":"sms","ID":"a1","Delay":60,"MaxRetry":5,"RetryCount":2,"TTR":30,"Boday":"aGk="}"#;
        let Adoptee { id, job, past } = translate(body, "4000000000").unwrap();
        assert_eq!((id.as_str(), job.kind.as_str(), job.queue.as_str()), ("a1", "sms", "sms"));
        assert_eq!((job.payload.as_slice(), job.max_attempts), (b"hi".as_slice(), Some(6)));
        assert_eq!((job.timeout, job.replace), (Some(Delay::seconds(30)), true));
        assert_eq!((past.state, past.attempt), (Some(JobState::Retrying), 2));
    }

    #[test]
    fn unlimited_stays_unlimited_and_nothing_is_nothing() {
        let Adoptee { job, past, .. } = translate(r#"{"ID":"a1","MaxRetry":-1,"Boday":null}"#, "1").unwrap();
        assert_eq!((job.max_attempts, job.timeout, job.payload.len()), (None, None, 0));
        assert_eq!(past, Past::default());
    }

    #[test]
    fn half_written_jobs_are_refused_with_a_reason() {
        let reason = |body: &str| translate(body, "1").unwrap_err();
        assert!(reason("{\"ID\":").starts_with("its job is no JSON of delayq's"));
        let text = reason(&format!("\"{}\"", "n".repeat(9_000)));
        assert!(text.starts_with("its job is no JSON of delayq's: invalid type: string") && text.len() < 300);
        assert_eq!(reason(r#"{"ID":"b2"}"#), "its job in the pool says that it has another id");
        assert_eq!(
            reason(r#"{"ID":"a1","Topic":"mail"}"#),
            "its job in the pool says that it is of another topic"
        );
        assert!(reason(r#"{"ID":"a1","Boday":"%%"}"#).starts_with("its body is no base64"));
        assert_eq!(reason(r#"{"ID":"a1","MaxRetry":-2}"#), "its MaxRetry is neither a count nor -1");
        assert_eq!(reason(r#"{"ID":"a1","RetryCount":-1}"#), "its RetryCount is no count");
        assert_eq!(reason(r#"{"ID":"a1","TTR":-1}"#), "its TTR is negative");
    }

    proptest! {
        #[test]
        fn any_body_is_a_job_or_a_reason(body in "\\PC{0,200}", score in any::<f64>()) {
            if let Err(why) = translate(&body, &score.to_string()) {
                prop_assert!(!why.is_empty());
            }
        }
    }
}
