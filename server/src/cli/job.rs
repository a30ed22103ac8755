//! `reprieve job`: one job with all that is kept of it.

use super::exit::Failure;
use super::session::{Run, Session};
use crate::http_api::JobView;
use app::format::span;
use clap::Args;
use reprieve::Error;
use reprieve::model::{Delay, HistoryEntry, JobDetail, JobId};

/// Shows one job.
#[derive(Debug, Clone, Args)]
pub(crate) struct Show {
    /// The job
    #[arg(value_name = "ID")]
    id: JobId,
}

impl Run for Show {
    const LOOKS: bool = true;

    async fn run(self, session: &Session) -> Result<(), Failure> {
        let Some(detail) = session.engine.inspector().job(&self.id).await? else {
            return Err(Error::NotFound { id: self.id }.into());
        };
        if session.out.json {
            session.out.value(&JobView::from(detail));
        } else {
            print(session, &detail);
        }
        Ok(())
    }
}

fn print(session: &Session, detail: &JobDetail) {
    let (out, job, now) = (&session.out, &detail.job, detail.read_at);
    let time = |at| out.time(at, now);
    let most = job.max_attempts.map_or_else(|| "unlimited".to_owned(), |most| most.to_string());
    let mut facts = vec![
        ("state", format!("{} at version {}", out.state(job.state), job.version)),
        ("kind", job.kind.to_string()),
        ("queue", format!("{}, priority {}", job.queue, job.priority.as_u8())),
        ("due", time(job.due)),
        ("created", time(job.created)),
        ("attempts", format!("{} of {most}", job.attempt)),
    ];
    let mut add = |name, value: Option<String>| facts.extend(value.map(|value| (name, value)));
    add("subject", job.subject.as_ref().map(ToString::to_string));
    add("started", job.started.map(time));
    add("ended", job.ended.map(time));
    add("kept until", job.kept_until.map(time));
    add("lease until", job.lease_until.map(time));
    add("worker", job.worker.clone());
    add("timeout", job.timeout.map(Delay::as_millis).map(span));
    add("unique key", job.unique_key.as_ref().map(ToString::to_string));
    add("tags", (!job.tags.is_empty()).then(|| job.tags.join(", ")));
    add("changed by", Some(format!("{} {}", job.by, out.dim(&job.why))).filter(|text| text.len() > 1));
    add("error", Some(job.last_error.clone()).filter(|text| !text.is_empty()));
    add("payload", Some(payload(&job.payload)));
    out.say(out.dim("job ") + job.id.as_str());
    let rows = facts.into_iter().map(|(name, value)| vec![out.dim(name), value]).collect();
    out.table(&["", ""], rows, "");
    let attempts = detail.attempts.iter().map(|attempt| {
        let took = span(attempt.ended.millis_since(attempt.started));
        vec![
            attempt.number.to_string(),
            attempt.result.as_str().to_owned(),
            time(attempt.started),
            took,
            attempt.worker.clone(),
            attempt.error.lines().next().unwrap_or_default().to_owned(),
        ]
    });
    if attempts.len() > 0 {
        out.say("");
        out.table(&["ATTEMPT", "RESULT", "STARTED", "TOOK", "WORKER", "ERROR"], attempts.collect(), "");
    }
    let changes = detail.history.iter().map(|change| {
        let from = change.from.map(|state| format!("{state} ")).unwrap_or_default();
        vec![
            time(change.at),
            format!("{from}→ {}{}", out.state(change.to), edited(change)),
            change.by.clone(),
            change.why.clone(),
        ]
    });
    out.say("");
    out.table(&["WHEN", "CHANGE", "BY", "WHY"], changes.collect(), "no history");
}

/// That the payload is another one since, and in which parts; or that somebody asked it to stop.
fn edited(change: &HistoryEntry) -> String {
    match (change.edited, change.parts.as_str()) {
        (false, _) if change.asks_to_stop() => ", asked to stop".to_owned(),
        (false, _) => String::new(),
        (true, "") => ", new payload".to_owned(),
        (true, parts) => format!(", new payload: {parts}"),
    }
}

/// A payload as far as a screen goes; all of it with `--json`.
fn payload(bytes: &[u8]) -> String {
    const SHOWN: usize = 2_000;
    match std::str::from_utf8(bytes) {
        Ok(text) if text.chars().count() <= SHOWN => text.to_owned(),
        Ok(text) => format!("{} … ({} bytes)", text.chars().take(SHOWN).collect::<String>(), bytes.len()),
        Err(_) => format!("{} bytes that are no text", bytes.len()),
    }
}
