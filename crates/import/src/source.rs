//! Where foreign jobs are, and what they are to become.

use super::score::ScoreUnit;
use super::{check, translate};
use reprieve::Result;
use reprieve::internals::{TlsFiles, invalid};
use reprieve::model::{Kind, QueueName};
use serde::{Deserialize, Serialize};
use std::collections::BTreeMap;

/// How our own keys begin: a set of waiting jobs looks like anybody's.
pub(super) const OURS: [&str; 2] = ["reprieve:", "reprieve-import:"];

/// A foreign queue: on which Redis, and what of it.
#[derive(Clone, PartialEq, Eq, Serialize, Deserialize)]
#[non_exhaustive]
pub struct Source {
    /// The address of its Redis; `None` is the one Reprieve is on.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub url: Option<String>,
    /// Who is trusted to sign for its server: certificates in PEM. `None` is the usual authorities.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub authority: Option<String>,
    /// What we show of ourselves to its server, where it wants a client certificate: in PEM, with its key.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub client_certificate: Option<String>,
    /// The key to the client certificate, in PEM.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub client_key: Option<String>,
    /// What lies there.
    #[serde(flatten)]
    pub layout: Layout,
}

impl std::fmt::Debug for Source {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        // An address may hold a password.
        f.debug_struct("Source")
            .field("url", &self.url.as_deref().map(reprieve::internals::redact))
            .field("layout", &self.layout)
            .finish()
    }
}

impl Source {
    /// On the Redis that Reprieve is on.
    #[must_use]
    pub const fn here(layout: Layout) -> Self {
        Self { url: None, authority: None, client_certificate: None, client_key: None, layout }
    }

    /// On another Redis.
    #[must_use]
    pub fn at(url: impl Into<String>, layout: Layout) -> Self {
        Self { url: Some(url.into()), ..Self::here(layout) }
    }

    /// What TLS needs to reach it.
    pub(super) fn tls(&self) -> TlsFiles {
        let pem = |text: &String| text.as_bytes().to_vec();
        TlsFiles {
            authorities: self.authority.as_ref().map(pem),
            client: self.client_certificate.as_ref().map(pem).zip(self.client_key.as_ref().map(pem)),
        }
    }
}

/// What lies at a source, by its format.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(tag = "format", rename_all = "lowercase")]
#[non_exhaustive]
pub enum Layout {
    /// One sorted set.
    Zset(ZsetSource),
    /// One topic of delayq.
    Delayq(DelayqSource),
    /// Queues of asynq.
    Asynq(AsynqSource),
    /// Queues of BullMQ.
    Bullmq(BullmqSource),
    /// Queues of Sidekiq.
    Sidekiq(QueuesSource),
    /// Queues of RQ.
    Rq(QueuesSource),
    /// Queues of arq, by the keys of their sorted sets.
    Arq(QueuesSource),
    /// Queues of Bee-Queue.
    #[serde(rename = "bee-queue")]
    BeeQueue(QueuesSource),
    /// Queues of Celery.
    Celery(QueuesSource),
}

/// A sorted set whose scores are due times.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
#[non_exhaustive]
pub struct ZsetSource {
    /// Its key.
    pub key: String,
    /// The kind of its jobs.
    pub kind: Kind,
    /// The queue of its jobs.
    #[serde(default)]
    pub queue: QueueName,
    /// The unit of its scores.
    #[serde(default)]
    pub unit: ScoreUnit,
    /// Where in a JSON member the job's id is, as a JSON pointer; `None` makes one of the whole member.
    #[serde(default)]
    pub id: Option<String>,
    /// Where in a JSON member the job's subject is, as a JSON pointer.
    #[serde(default)]
    pub subject: Option<String>,
    /// How many attempts a job has; `None` is 25.
    #[serde(default)]
    pub max_attempts: Option<u32>,
}

impl ZsetSource {
    /// The set under that key, its members jobs of that kind in the default queue.
    #[must_use]
    pub fn new(key: impl Into<String>, kind: Kind) -> Self {
        Self {
            key: key.into(),
            kind,
            queue: QueueName::default(),
            unit: ScoreUnit::default(),
            id: None,
            subject: None,
            max_attempts: None,
        }
    }
}

/// A topic of delayq.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
#[non_exhaustive]
pub struct DelayqSource {
    /// The topic.
    pub topic: String,
    /// The kind of its jobs; `None` makes one of the topic.
    #[serde(default)]
    pub kind: Option<Kind>,
    /// The queue of its jobs; `None` makes one of the topic.
    #[serde(default)]
    pub queue: Option<QueueName>,
    /// Where in a JSON body the job's subject is, as a JSON pointer.
    #[serde(default)]
    pub subject: Option<String>,
    /// Also take what its workers are said to be working on. Only when they are stopped: delayq itself would
    /// start those jobs again.
    #[serde(default)]
    pub processing: bool,
}

impl DelayqSource {
    /// That topic, its name the kind and the queue of its jobs.
    #[must_use]
    pub fn new(topic: impl Into<String>) -> Self {
        Self { topic: topic.into(), kind: None, queue: None, subject: None, processing: false }
    }
}

/// Queues of asynq.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
#[non_exhaustive]
pub struct AsynqSource {
    /// Which queues; none is all of them.
    #[serde(default)]
    pub queues: Vec<String>,
    /// Where in a JSON payload the job's subject is, as a JSON pointer.
    #[serde(default)]
    pub subject: Option<String>,
    /// Also take archived tasks, as dead jobs.
    #[serde(default)]
    pub archived: bool,
    /// Also take completed tasks, as done jobs with their results.
    #[serde(default)]
    pub completed: bool,
    /// Kinds for task types; others are made of the type.
    #[serde(default)]
    pub kinds: BTreeMap<String, Kind>,
    /// Queues for asynq's queues; others are made of the name.
    #[serde(default)]
    pub queue_names: BTreeMap<String, QueueName>,
}

impl AsynqSource {
    /// What its names become here.
    pub(super) const fn names(&self) -> Names<'_> {
        Names { kinds: &self.kinds, queues: &self.queue_names }
    }
}

/// Queues of BullMQ.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
#[non_exhaustive]
pub struct BullmqSource {
    /// Which queues.
    pub queues: Vec<String>,
    /// What the keys of all its queues begin with.
    #[serde(default = "bull")]
    pub prefix: String,
    /// Where in JSON data the job's subject is, as a JSON pointer.
    #[serde(default)]
    pub subject: Option<String>,
    /// Also take failed jobs, as dead jobs.
    #[serde(default)]
    pub failed: bool,
    /// Kinds for names of jobs; others are made of the name.
    #[serde(default)]
    pub kinds: BTreeMap<String, Kind>,
    /// Queues for BullMQ's queues; others are made of the name.
    #[serde(default)]
    pub queue_names: BTreeMap<String, QueueName>,
}

/// BullMQ's prefix, unless somebody has chosen another.
fn bull() -> String {
    "bull".to_owned()
}

impl BullmqSource {
    /// These queues, with the usual prefix, or with that which is named before each of them: `shop:mail`.
    #[must_use]
    pub fn new(mut queues: Vec<String>) -> Self {
        let mut prefixes =
            queues.iter().map(|queue| queue.rsplit_once(':').map(|(prefix, _)| prefix.to_owned()));
        let prefix =
            prefixes.next().flatten().filter(|first| prefixes.all(|other| other.as_ref() == Some(first)));
        if let Some(prefix) = &prefix {
            queues.iter_mut().for_each(|queue| drop(queue.drain(..=prefix.len())));
        }
        Self {
            queues,
            prefix: prefix.unwrap_or_else(bull),
            subject: None,
            failed: false,
            kinds: BTreeMap::new(),
            queue_names: BTreeMap::new(),
        }
    }

    /// What its names become here.
    pub(super) const fn names(&self) -> Names<'_> {
        Names { kinds: &self.kinds, queues: &self.queue_names }
    }
}

/// Queues of a system that has nothing to set but this. What a system does not know is refused.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(default, deny_unknown_fields)]
#[non_exhaustive]
pub struct QueuesSource {
    /// Which queues; none is all that the system has a list of.
    pub queues: Vec<String>,
    /// What the keys of all queues begin with, where that is not the usual.
    pub prefix: Option<String>,
    /// Where in a JSON payload the job's subject is, as a JSON pointer.
    pub subject: Option<String>,
    /// Also take jobs that have failed for good, as dead jobs.
    pub failed: bool,
    /// Also take messages with a due time that workers have received. Only when they are stopped: workers keep these in
    /// memory, and would start them.
    pub unacked: bool,
    /// The kind of jobs whose type of work cannot be read, or of all where the system has no types.
    pub kind: Option<Kind>,
    /// Kinds for what the system calls its types of work; others are made of the name.
    pub kinds: BTreeMap<String, Kind>,
    /// Queues for those of the system; others are made of the name.
    pub queue_names: BTreeMap<String, QueueName>,
}

impl QueuesSource {
    /// Checks it, and that it sets none of these, which the system does not know.
    pub(super) fn check(&self, system: &str, unknown: &[&'static str]) -> Result<()> {
        for field in unknown {
            let is_set = match *field {
                "prefix" => self.prefix.is_some(),
                "failed" => self.failed,
                "unacked" => self.unacked,
                "kind" => self.kind.is_some(),
                _ => false,
            };
            if is_set {
                return Err(invalid(field, format!("is nothing that {system} has")));
            }
        }
        if self.queues.iter().any(String::is_empty) {
            return Err(invalid("queues", "none is empty"));
        }
        check::count(&self.queues)?;
        check::pointer("subject", self.subject.as_ref())
    }

    /// The queues it names, or the one that the system has unless somebody has chosen others.
    pub(super) fn queues_or(&self, usual: &str) -> Vec<String> {
        if self.queues.is_empty() { vec![usual.to_owned()] } else { self.queues.clone() }
    }

    /// The key behind the prefix; the usual one is none.
    pub(super) fn key(&self, name: &str) -> String {
        format!("{}{name}", self.prefix.as_deref().unwrap_or_default())
    }

    /// What its names become here.
    pub(super) const fn names(&self) -> Names<'_> {
        Names { kinds: &self.kinds, queues: &self.queue_names }
    }

    /// Our kind for one of their types, if that can be read.
    pub(super) fn kind_of(&self, theirs: Option<&str>) -> std::result::Result<Kind, String> {
        match (theirs, &self.kind) {
            (Some(theirs), _) => self.names().kind(theirs),
            (None, Some(kind)) => Ok(kind.clone()),
            (None, None) => Err("its function cannot be read; `kind` names a kind for such jobs".to_owned()),
        }
    }
}

/// What names of a system become here: what the settings say, else one made of the name.
pub(super) struct Names<'a> {
    kinds: &'a BTreeMap<String, Kind>,
    queues: &'a BTreeMap<String, QueueName>,
}

impl Names<'_> {
    /// Our queue for one of theirs.
    pub(super) fn queue(&self, theirs: &str) -> std::result::Result<QueueName, String> {
        self.queues.get(theirs).cloned().map_or_else(|| translate::queue(theirs), Ok)
    }

    /// Our kind for one of their types.
    pub(super) fn kind(&self, theirs: &str) -> std::result::Result<Kind, String> {
        self.kinds.get(theirs).cloned().map_or_else(|| translate::kind(theirs), Ok)
    }

    /// A type and a queue of theirs, each only if the settings do not say what it becomes.
    pub(super) fn unset(&self, kind: Option<String>, queue: Option<String>) -> [Option<String>; 2] {
        [
            kind.filter(|name| !self.kinds.contains_key(name)),
            queue.filter(|name| !self.queues.contains_key(name)),
        ]
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::ImportFormat;

    #[test]
    fn no_set_of_ours_is_a_source() {
        let check =
            |key: &str| Source::here(Layout::Zset(ZsetSource::new(key, Kind::new("k").unwrap()))).check();
        for key in ["reprieve:{default}:q:mail:delayed", "reprieve-import:default:legacy:due:all"] {
            assert_eq!(
                check(key).map_err(|error| error.to_string()),
                Err("key is one of Reprieve's own".to_owned())
            );
        }
        assert_eq!(check("reprieved"), Ok(()));
    }

    #[test]
    fn a_source_reads_from_json_and_refuses_what_it_does_not_know() {
        let read = |text: &str| serde_json::from_str::<Source>(text).map_err(|error| error.to_string());
        let source = read(r#"{"format":"zset","key":"due","kind":"mail","unit":"ms"}"#).unwrap();
        assert_eq!(source.format(), ImportFormat::Zset);
        assert_eq!(source.check(), Ok(()));
        assert!(read(r#"{"format":"zset","key":"due"}"#).is_err());
        assert!(read(r#"{"format":"kafka"}"#).is_err());
        let pointer = read(r#"{"format":"delayq","topic":"t","subject":"order"}"#).unwrap();
        assert_eq!(
            pointer.check().map_err(|error| error.to_string()),
            Err("subject is a JSON pointer such as /order/id, beginning with a slash".to_owned())
        );
    }
}
