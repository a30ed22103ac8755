//! Taking foreign queues over, step by step.
//!
//! Each step is a call of its own with the source as a whole, so that a wizard can be left and resumed with nothing
//! but its address: what was done is in the journal beside the source.

use reprieve_access::allowance::BULK;
use std::time::Duration;

use leptos::prelude::*;
use reprieve::model::{InvalidName, Kind, QueueName};
use reprieve_import::{
    AsynqSource, BullmqSource, Comparison, DelayqSource, ImportName, ImportStanding, Layout, Observation,
    QueuesSource, RolledBack, Source, TakenOver, ZsetSource,
};
use serde::{Deserialize, Serialize};

use super::answer::{self, Why};
use super::bulk::TYPED_FROM;
use super::{sources, typed_count};
use crate::call::Post;
use crate::done::Done;
use crate::error::ApiError;
use crate::{access, i18n, t};

/// A foreign queue as the wizard names it. Texts that are empty were not filled in.
#[derive(Debug, Clone, PartialEq, Eq, Default, Serialize, Deserialize)]
#[serde(default)]
pub struct Wanted {
    /// On which Redis: what [`connect_source`](super::sources::connect_source) answered; empty is the one Reprieve is on.
    pub from: String,
    /// A word of [`ImportFormat`](reprieve_import::ImportFormat).
    pub format: String,
    /// Tells two imports apart; every step of one uses the same.
    pub name: String,
    /// zset: the key. delayq: the topic. Others: the queues, see [`place_of_queue`]; none is all that the system has a list of.
    pub place: String,
    /// zset: the kind of its jobs. delayq: the same, or empty for one made of the topic.
    pub kind: String,
    /// zset and delayq: the queue of its jobs.
    pub queue: String,
    /// zset: the unit of its scores: `auto`, `s`, `ms` or `us`.
    pub unit: String,
    /// zset: where in a JSON member the id is.
    pub id: String,
    /// Where in a JSON payload the subject is.
    pub subject: String,
}

impl Wanted {
    /// The name of the import: that of its format where nobody gave it one, as in a shell.
    pub fn named(&self) -> &str {
        Some(self.name.trim()).filter(|name| !name.is_empty()).unwrap_or(&self.format)
    }
}

/// How a queue stands in [`Wanted::place`]: queues have commas between, and blanks around them mean nothing; what
/// belongs to the name of one has a backslash before it.
pub fn place_of_queue(queue: &str) -> String {
    let (start, end) = (queue.len() - queue.trim_start().len(), queue.trim_end().len());
    let mut place = String::with_capacity(queue.len());
    for (at, c) in queue.char_indices() {
        if matches!(c, ',' | '\\') || at < start || at >= end {
            place.push('\\');
        }
        place.push(c);
    }
    place
}

/// The queues that stand in [`Wanted::place`].
fn queues_of_place(place: &str) -> Vec<String> {
    let (mut queues, mut name, mut kept) = (Vec::new(), String::new(), 0);
    let mut rest = place.chars().peekable();
    while let Some(c) = rest.next() {
        let meant = match c {
            '\\' => rest.next_if(|&next| matches!(next, ',' | '\\') || next.is_whitespace()),
            _ => None,
        };
        match (c, meant) {
            (',', None) => {
                name.truncate(kept);
                queues.push(std::mem::take(&mut name));
                kept = 0;
                continue;
            }
            (c, None) if c.is_whitespace() && name.is_empty() => continue,
            (c, meant) => name.push(meant.unwrap_or(c)),
        }
        if meant.is_some() || !c.is_whitespace() {
            kept = name.len();
        }
    }
    name.truncate(kept);
    queues.push(name);
    queues.retain(|name| !name.is_empty());
    queues
}

/// How far an importer is, and what taking over would write.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Looked {
    /// What is there.
    pub observation: Observation,
    /// How far it is.
    pub standing: ImportStanding,
}

/// Looks at a source without changing anything: counts, samples, what cannot be taken. Needs `ImportJobs`.
pub async fn observe_import(wanted: &Wanted) -> Result<Looked, ApiError> {
    let import = import(wanted)?;
    let observation = import.observe().await.map_err(trouble_of(&import))?;
    let standing = import.standing().await.map_err(trouble_of(&import))?;
    Ok(Looked { observation, standing })
}

/// Watches for a few seconds what they do, beside what we would do. Changes nothing. Needs `ImportJobs`.
pub async fn shadow_import(wanted: &Wanted) -> Result<Comparison, ApiError> {
    /// Looks of one call, and the time between: as long as a request may take, and enough to see things leave.
    const LOOKS: u32 = 6;
    const BETWEEN: Duration = Duration::from_secs(1);
    let import = import(wanted)?;
    let mut shadow = import.shadow();
    let mut seen = shadow.look().await.map_err(trouble_of(&import))?;
    for _ in 1..LOOKS {
        tokio::time::sleep(BETWEEN).await;
        seen = shadow.look().await.map_err(trouble_of(&import))?;
    }
    Ok(seen)
}

/// Takes everything over that can become a job. `typed` is how many the person was told; another number is refused, and a
/// reason of less than ten characters. `accepted` names the warnings that the person has ticked, with commas between; one
/// that is not among them is refused. Needs `ImportJobs`.
#[server(prefix = "/api/fn", endpoint = "take_over_import", protocol = Post)]
pub async fn take_over_import(
    wanted: Wanted,
    announced: u64,
    #[server(default)] typed: String,
    #[server(default)] accepted: String,
    #[server(flatten)] why: Why,
    #[server(default)] back: Option<String>,
) -> Result<TakenOver, ApiError> {
    let said = |taken: &TakenOver| Some(Done::said(i18n::taken_over(announced, taken)));
    answer::to_with(back, |_| "import.taken".to_owned(), said, async move {
        let import = import(&wanted)?;
        let why = why.whole()?;
        if typed_count::read(&typed) != Some(announced) {
            return Err(ApiError::wrong("typed", t!("import-typed-wrong")));
        }
        access::caller()?.spend(BULK, "take_over_import", wanted.named()).await?;
        let accepted: Vec<_> = accepted.split(',').filter_map(|code| code.parse().ok()).collect();
        let taken = import.because(why).accepting(&accepted).take_over(|_| ()).await;
        taken.map_err(|error| match error {
            reprieve::Error::Invalid { field: "accept_warnings", .. } => {
                ApiError::wrong("accepted", t!("import-accept-missing"))
            }
            error => trouble_of(&import)(error),
        })
    })
    .await
}

/// Puts back what has not run and was not changed here. From 26 items on `typed` is how many may be put back, as the person
/// was told; a reason of less than ten characters is refused. Needs `ImportJobs`.
#[server(prefix = "/api/fn", endpoint = "roll_back_import", protocol = Post)]
pub async fn roll_back_import(
    wanted: Wanted,
    #[server(default)] announced: u64,
    #[server(default)] typed: String,
    #[server(flatten)] why: Why,
    #[server(default)] back: Option<String>,
) -> Result<RolledBack, ApiError> {
    let said = |back: &RolledBack| Some(Done::said(i18n::rolled_back(back)));
    answer::to_with(back, |_| "import.restored".to_owned(), said, async move {
        let import = import(&wanted)?;
        let why = why.whole()?;
        let standing = import.standing().await.map_err(trouble_of(&import))?;
        let asks = standing.moved.saturating_add(standing.parked) >= TYPED_FROM;
        if asks && (announced < TYPED_FROM || typed_count::read(&typed) != Some(announced)) {
            return Err(ApiError::wrong("typed", t!("import-typed-wrong")));
        }
        access::caller()?.spend(BULK, "roll_back_import", wanted.named()).await?;
        import.because(why).roll_back(|_| ()).await.map_err(trouble_of(&import))
    })
    .await
}

/// What an importer's trouble is to people.
fn trouble_of(import: &reprieve_import::Importer) -> impl Fn(reprieve::Error) -> ApiError + use<> {
    let is_elsewhere = import.source().url.is_some();
    move |error| sources::trouble_at(is_elsewhere, error)
}

/// What is wrong with a name, at its field.
fn bad(field: &'static str) -> impl Fn(InvalidName) -> ApiError {
    move |wrong| ApiError::wrong(field, i18n::bad_name(&wrong))
}

/// What lies at the source. Names of keys, topics and queues are as they are: a blank at an end may belong to one.
fn layout(wanted: &Wanted) -> Result<Layout, ApiError> {
    let filled = |text: &str| Some(text.trim().to_owned()).filter(|text| !text.is_empty());
    let kind = filled(&wanted.kind).map(Kind::new).transpose().map_err(bad("kind"))?;
    let queue = filled(&wanted.queue).map(QueueName::new).transpose().map_err(bad("queue"))?;
    let subject = filled(&wanted.subject);
    Ok(match wanted.format.as_str() {
        "zset" => {
            let kind = kind.ok_or_else(|| ApiError::wrong("kind", t!("import-kind-missing")))?;
            let mut source = ZsetSource::new(wanted.place.as_str(), kind);
            (source.queue, source.id, source.subject) =
                (queue.unwrap_or_default(), filled(&wanted.id), subject);
            source.unit = serde_json::from_value(wanted.unit.clone().into()).unwrap_or_default();
            Layout::Zset(source)
        }
        "delayq" => {
            let mut source = DelayqSource::new(wanted.place.as_str());
            (source.kind, source.queue, source.subject) = (kind, queue, subject);
            Layout::Delayq(source)
        }
        "asynq" => {
            let mut source = AsynqSource::default();
            (source.queues, source.subject) = (queues_of_place(&wanted.place), subject);
            Layout::Asynq(source)
        }
        "bullmq" => {
            let mut source = BullmqSource::new(queues_of_place(&wanted.place));
            source.subject = subject;
            Layout::Bullmq(source)
        }
        "sidekiq" => Layout::Sidekiq(queues(wanted, None)),
        "rq" => Layout::Rq(queues(wanted, kind)),
        "arq" => Layout::Arq(queues(wanted, kind)),
        "bee-queue" => Layout::BeeQueue(queues(wanted, kind)),
        "celery" => Layout::Celery(queues(wanted, None)),
        other => return Err(ApiError::Invalid { why: t!("import-format-unknown", format = other) }),
    })
}

/// Queues, with what all systems that have nothing else to set have in common.
fn queues(wanted: &Wanted, kind: Option<Kind>) -> QueuesSource {
    let mut source = QueuesSource::default();
    (source.queues, source.kind) = (queues_of_place(&wanted.place), kind);
    source.subject = Some(wanted.subject.trim().to_owned()).filter(|subject| !subject.is_empty());
    source
}

/// The importer that a wizard is about.
fn import(wanted: &Wanted) -> Result<reprieve_import::Importer, ApiError> {
    let layout = layout(wanted)?;
    let name = ImportName::new(wanted.named()).map_err(bad("name"))?;
    let engine = access::caller()?.importer()?;
    let source = match sources::known(&wanted.from)? {
        Some(known) => known.source(layout),
        None => Source::here(layout),
    };
    Ok(reprieve_import::Importer::new(&engine, name, source)?.by(access::principal().actor()))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn names_of_queues_stand_in_a_place_whatever_is_in_them() {
        assert_eq!(place_of_queue("mail"), "mail");
        let names = ["mail", "a,b", " both ends ", "\\", "back\\slash", "\\,", "a  b", "\u{3000}wide"];
        let place = names.map(place_of_queue).join(", ");
        assert_eq!(queues_of_place(&place), names, "{place}");
    }

    #[test]
    fn a_place_that_a_person_typed_reads_as_they_meant_it() {
        assert_eq!(queues_of_place(" mail ,, reports,"), ["mail", "reports"]);
        assert_eq!(queues_of_place("dir\\name, x"), ["dir\\name", "x"], "a backslash before a letter is one");
        assert_eq!(queues_of_place(" , "), [""; 0]);
    }

    #[test]
    fn blanks_at_the_ends_of_a_key_or_a_topic_are_part_of_it() {
        use reprieve_import::Layout;
        let wanted = |format: &str| Wanted {
            format: format.to_owned(),
            place: " due ".to_owned(),
            kind: "k".to_owned(),
            ..Wanted::default()
        };
        let Ok(Layout::Zset(zset)) = layout(&wanted("zset")) else { panic!("a sorted set") };
        let Ok(Layout::Delayq(delayq)) = layout(&wanted("delayq")) else { panic!("a topic") };
        assert_eq!((zset.key.as_str(), delayq.topic.as_str()), (" due ", " due "));
    }
}
