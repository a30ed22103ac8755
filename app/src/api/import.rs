//! Taking foreign queues over, step by step.
//!
//! Each step is a call of its own with the source as a whole, so that a wizard can be left and resumed with nothing
//! but its address: what was done is in the journal beside the source.

use leptos::prelude::*;
use reprieve::model::{Comparison, InletStanding, Observation, RolledBack, TakenOver};
use serde::{Deserialize, Serialize};

use crate::call::Post;
use crate::error::ApiError;

/// A foreign queue as the wizard names it. Texts that are empty were not filled in.
#[derive(Debug, Clone, PartialEq, Eq, Default, Serialize, Deserialize)]
#[serde(default)]
pub struct Wanted {
    /// On which Redis: what [`connect_source`](super::connect_source) answered; empty is the one Reprieve is on.
    pub from: String,
    /// `zset`, `delayq` or `asynq`.
    pub format: String,
    /// Tells two ways in apart; every step of one uses the same.
    pub name: String,
    /// zset: the key. delayq: the topic. asynq: the queues, with commas between; none is all.
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
    /// The name of the way in: that of its format where nobody gave it one, as in a shell.
    #[must_use]
    pub fn named(&self) -> &str {
        Some(self.name.trim()).filter(|name| !name.is_empty()).unwrap_or(&self.format)
    }
}

/// How far an inlet is, and what taking over would write.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct Looked {
    /// What is there.
    pub observation: Observation,
    /// How far it is.
    pub standing: InletStanding,
}

/// Looks at a source without changing anything: counts, samples, what cannot be taken. Needs `ImportJobs`.
#[server(prefix = "/api/fn", endpoint = "observe_inlet", protocol = Post)]
pub async fn observe_inlet(wanted: Wanted) -> Result<Looked, ApiError> {
    super::answer::read(async move {
        let inlet = inlet(&wanted)?;
        Ok(Looked { observation: inlet.observe().await?, standing: inlet.standing().await? })
    })
    .await
}

/// Watches for a few seconds what they do, beside what we would do. Changes nothing. Needs `ImportJobs`.
#[server(prefix = "/api/fn", endpoint = "shadow_inlet", protocol = Post)]
pub async fn shadow_inlet(wanted: Wanted) -> Result<Comparison, ApiError> {
    use std::time::Duration;
    /// Looks of one call, and the time between: as long as a request may take, and enough to see things leave.
    const LOOKS: u32 = 6;
    const BETWEEN: Duration = Duration::from_secs(1);
    super::answer::read(async move {
        let mut shadow = inlet(&wanted)?.shadow();
        let mut seen = shadow.look().await?;
        for _ in 1..LOOKS {
            tokio::time::sleep(BETWEEN).await;
            seen = shadow.look().await?;
        }
        Ok(seen)
    })
    .await
}

/// Takes everything over that can become a job. `typed` is how many the person was told; another number is refused.
/// Needs `ImportJobs`.
#[server(prefix = "/api/fn", endpoint = "take_over_inlet", protocol = Post)]
pub async fn take_over_inlet(
    wanted: Wanted,
    announced: u64,
    #[server(default)] typed: String,
    #[server(default)] back: Option<String>,
) -> Result<TakenOver, ApiError> {
    super::answer::to(back, |_: &TakenOver| "import.taken".to_owned(), async move {
        let typed: String = typed.chars().filter(char::is_ascii_digit).collect();
        if typed.parse() != Ok(announced) {
            return Err(ApiError::wrong("typed", crate::t!("import-typed-wrong")));
        }
        Ok(inlet(&wanted)?.take_over(|_| ()).await?)
    })
    .await
}

/// Puts back what has not run and was not changed here. Needs `ImportJobs`.
#[server(prefix = "/api/fn", endpoint = "roll_back_inlet", protocol = Post)]
pub async fn roll_back_inlet(
    wanted: Wanted,
    #[server(default)] back: Option<String>,
) -> Result<RolledBack, ApiError> {
    let code = |_: &RolledBack| "import.restored".to_owned();
    super::answer::to(back, code, async move { Ok(inlet(&wanted)?.roll_back(|_| ()).await?) }).await
}

/// The inlet that a wizard is about.
#[cfg(feature = "ssr")]
fn inlet(wanted: &Wanted) -> Result<reprieve::inlet::Inlet, ApiError> {
    use reprieve::inlet::{AsynqSource, DelayqSource, Layout, Source, ZsetSource};
    use reprieve::model::{InletName, Kind, QueueName};
    let bad = |field: &'static str| {
        move |wrong: reprieve::model::InvalidName| ApiError::wrong(field, crate::i18n::bad_name(&wrong))
    };
    let filled = |text: &str| Some(text.trim().to_owned()).filter(|text| !text.is_empty());
    let kind = filled(&wanted.kind).map(Kind::new).transpose().map_err(bad("kind"))?;
    let queue = filled(&wanted.queue).map(QueueName::new).transpose().map_err(bad("queue"))?;
    let subject = filled(&wanted.subject);
    let layout = match wanted.format.as_str() {
        "zset" => {
            let kind = kind.ok_or_else(|| ApiError::wrong("kind", crate::t!("import-kind-missing")))?;
            let mut source = ZsetSource::new(wanted.place.trim(), kind);
            (source.queue, source.id, source.subject) =
                (queue.unwrap_or_default(), filled(&wanted.id), subject);
            source.unit = serde_json::from_value(wanted.unit.clone().into()).unwrap_or_default();
            Layout::Zset(source)
        }
        "delayq" => {
            let mut source = DelayqSource::new(wanted.place.trim());
            (source.kind, source.queue, source.subject) = (kind, queue, subject);
            Layout::Delayq(source)
        }
        "asynq" => {
            let mut source = AsynqSource::default();
            let queues = wanted.place.split(',').map(str::trim).filter(|name| !name.is_empty());
            (source.queues, source.subject) = (queues.map(ToOwned::to_owned).collect(), subject);
            Layout::Asynq(source)
        }
        other => return Err(ApiError::Invalid { why: crate::t!("import-format-unknown", format = other) }),
    };
    let name = InletName::new(wanted.named()).map_err(bad("name"))?;
    let engine = crate::access::importer()?;
    let source = match super::sources::known(&wanted.from)? {
        Some(known) => known.source(layout),
        None => Source::here(layout),
    };
    Ok(engine.inlet(name, source)?.by(crate::access::principal().actor()))
}
