//! `reprieve cron`: entries that enqueue a job again and again.

use super::effort::Effort;
use super::enqueue::{checked, header};
use super::exit::{Failure, fresh_operation, under};
use super::named::Reason;
use super::session::{Run, Session};
use crate::http_api::{CronFireView, CronView, TickView};
use app::format::distance;
use clap::{Args, Subcommand};
use reprieve::model::{
    CronChanged, CronEntry, CronFire, CronName, CronOutcome, CronState, Enqueued, Kind, Missed, Overlap,
    QueueName, Subject, Tick, TickNote, Timestamp,
};
use reprieve::{CronAct, CronSchedule};
use serde_json::json;

/// Jobs that are enqueued again and again.
#[derive(Debug, Clone, Subcommand)]
pub(crate) enum Act {
    /// List schedules by their next run
    List,
    /// Show one schedule, its next runs and the results of the latest ones
    Show {
        /// Its name
        #[arg(value_name = "NAME")]
        name: CronName,
    },
    /// Make a schedule, or change the one of that name: what you leave out stays as it is
    Put(Box<Put>),
    /// Show when a schedule would run
    Preview {
        /// Such as '30 2 * * *', '@daily' or '@every 90s'
        #[arg(value_name = "SCHEDULE")]
        schedule: String,
        /// IANA name of the zone
        #[arg(long, value_name = "ZONE", default_value = "UTC")]
        zone: String,
        /// How many runs
        #[arg(long, value_name = "NUMBER", default_value_t = 10, value_parser = clap::value_parser!(u16).range(1..=100))]
        limit: u16,
    },
    /// Pause a schedule
    Pause(Said),
    /// Resume a paused schedule
    Resume(Said),
    /// Remove a schedule
    Remove(Said),
    /// Enqueue the job of a schedule now
    Run(Said),
}

/// An entry, and why somebody acts on it.
#[derive(Debug, Clone, Args)]
pub(crate) struct Said {
    /// Its name
    #[arg(value_name = "NAME")]
    name: CronName,
    #[command(flatten)]
    reason: Reason,
    /// A key of your own for this act: running it again with the same key returns the first answer
    #[arg(long = "idempotency-key", value_name = "NAME", default_value = "")]
    operation: String,
}

/// An entry as it is to be.
#[derive(Debug, Clone, Args)]
pub(crate) struct Put {
    #[command(flatten)]
    said: Said,
    /// Such as '30 2 * * *', '@daily' or '@every 90s'
    #[arg(value_name = "SCHEDULE")]
    schedule: String,
    /// What sort of work it enqueues
    #[arg(value_name = "KIND")]
    kind: Kind,
    /// The payload, any JSON [default: null]
    #[arg(value_name = "JSON")]
    payload: Option<String>,
    /// Start from the defaults, not from the schedule of that name
    #[arg(long)]
    anew: bool,
    /// Time zone of the fields, by its IANA name [default: UTC]
    #[arg(long, value_name = "ZONE")]
    zone: Option<String>,
    /// The queue [default: default]
    #[arg(long, value_name = "NAME")]
    queue: Option<QueueName>,
    /// What the jobs are about
    #[arg(long, value_name = "SUBJECT")]
    subject: Option<Subject>,
    /// Skip a run while the job of an earlier one is live
    #[arg(long)]
    skip_overlap: bool,
    /// What to do about runs that were missed: skip, once or all [default: skip]
    #[arg(long, value_name = "RULE", value_parser = missed)]
    missed: Option<Missed>,
    #[command(flatten)]
    effort: Effort,
    /// A tag; may be repeated. Replaces all tags it had
    #[arg(long, value_name = "TAG")]
    tag: Vec<String>,
    /// A text for the handler; may be repeated. Replaces all headers it had
    #[arg(long, value_name = "NAME=TEXT", value_parser = header)]
    header: Vec<(String, String)>,
}

fn missed(text: &str) -> Result<Missed, String> {
    match text {
        "skip" => Ok(Missed::Skip),
        "once" => Ok(Missed::Once),
        "all" => Ok(Missed::All),
        _ => Err("it is skip, once or all".to_owned()),
    }
}

impl Run for Act {
    fn only_looks(&self) -> bool {
        matches!(self, Act::List | Act::Show { .. } | Act::Preview { .. })
    }

    async fn run(self, session: &Session) -> Result<(), Failure> {
        let operator = session.operator();
        match self {
            Act::List => list(session).await,
            Act::Show { name } => show(session, &name).await,
            Act::Put(put) => {
                let said = put.said.clone();
                let stands = operator.cron_entry_whole(&said.name).await?;
                // What stays is what was read: an entry that somebody else changes meanwhile is not put.
                let seen = stands.as_ref().filter(|_| said.operation.is_empty()).map(|stands| stands.version);
                let entry = put.entry(stands.map(|stands| stands.entry))?;
                change(session, operator.put_cron(entry).seen_if(seen), &said, "changed").await
            }
            Act::Preview { schedule, zone, limit } => preview(session, &schedule, &zone, limit.into()).await,
            Act::Pause(said) => change(session, operator.pause_cron(&said.name), &said, "paused").await,
            Act::Resume(said) => change(session, operator.resume_cron(&said.name), &said, "resumed").await,
            Act::Remove(said) => change(session, operator.remove_cron(&said.name), &said, "removed").await,
            Act::Run(said) => run_now(session, &said).await,
        }
    }
}

impl Put {
    /// The entry that stands under the name, with all that is said.
    fn entry(self, stands: Option<CronEntry>) -> Result<CronEntry, Failure> {
        let mut entry = match stands.filter(|_| !self.anew) {
            Some(mut stands) => {
                (stands.schedule, stands.kind) = (self.schedule, self.kind);
                stands
            }
            None => {
                let mut entry = CronEntry::new(self.said.name, self.schedule, self.kind);
                entry.payload = b"null".to_vec();
                entry
            }
        };
        if let Some(payload) = self.payload {
            checked(&payload)?;
            entry.payload = payload.into_bytes();
        }
        entry.zone = self.zone.unwrap_or(entry.zone);
        entry.queue = self.queue.unwrap_or(entry.queue);
        entry.subject = self.subject.or(entry.subject);
        if self.skip_overlap {
            entry.overlap = Overlap::Skip;
        }
        entry.missed = self.missed.unwrap_or(entry.missed);
        entry.priority = self.effort.priority.unwrap_or(entry.priority);
        entry.max_attempts = self.effort.attempts().unwrap_or(entry.max_attempts);
        entry.timeout = self.effort.timeout.or(entry.timeout);
        entry.retention = self.effort.retention.or(entry.retention);
        if !self.tag.is_empty() {
            entry.tags = self.tag;
        }
        if !self.header.is_empty() {
            entry.headers = self.header.into_iter().collect();
        }
        Ok(entry)
    }
}

async fn list(session: &Session) -> Result<(), Failure> {
    let entries = session.engine.inspector().cron().await?;
    let now = session.engine.now().await?;
    let row = |state: &CronState| {
        let entry = &state.entry;
        let next = match (&state.paused, state.next) {
            (Some(paused), _) => format!("paused by {} {}", paused.by, paused.why).trim_end().to_owned(),
            (None, Some(next)) => distance(next, now.as_millis()),
            (None, None) => "never".to_owned(),
        };
        vec![
            entry.name.to_string(),
            entry.schedule.clone(),
            entry.zone.clone(),
            entry.kind.to_string(),
            entry.queue.to_string(),
            next,
            state.last.map(|last| distance(last, now.as_millis())).unwrap_or_default(),
        ]
    };
    let head = ["NAME", "SCHEDULE", "ZONE", "KIND", "QUEUE", "NEXT", "LAST"];
    session.out.list(
        entries,
        CronView::from,
        &head,
        row,
        "no cron entries yet; `reprieve cron put` makes one",
    );
    Ok(())
}

async fn show(session: &Session, name: &CronName) -> Result<(), Failure> {
    let inspector = session.engine.inspector();
    let Some(state) = inspector.cron_entry(name).await? else { return Err(missing(name)) };
    let history = inspector.cron_history(name, 20).await?;
    let ticks = inspector.cron_preview(&state.entry.schedule, &state.entry.zone, 5).await?;
    if session.out.json {
        let history: Vec<_> = history.into_iter().map(CronFireView::from).collect();
        let ticks: Vec<_> = ticks.into_iter().map(TickView::from).collect();
        session.out.value(&json!({ "entry": CronView::from(state), "next": ticks, "history": history }));
        return Ok(());
    }
    let now = session.engine.now().await?;
    let words = CronSchedule::parse(&state.entry.schedule, &state.entry.zone)?.describe();
    session.out.say(format!("{name}  {}  {words}", state.entry.schedule));
    let CronEntry { kind, queue, zone, overlap, missed, payload, .. } = &state.entry;
    let payload = String::from_utf8_lossy(payload);
    let of_ticks = format!("zone {zone}, overlap {overlap}, missed {missed}");
    session.out.say(format!("{kind} {payload} in queue {queue}, {of_ticks}"));
    if let Some(paused) = &state.paused {
        session.out.say(format!("paused by {} {}: what follows is left out", paused.by, paused.why));
    }
    upcoming(session, &ticks, now);
    let row = |fire: &CronFire| {
        vec![
            session.out.time(fire.tick, now),
            outcome(fire.outcome).to_owned(),
            fire.job.as_ref().map(ToString::to_string).unwrap_or_default(),
            fire.state.map(|state| session.out.state(state)).unwrap_or_default(),
        ]
    };
    session.out.table(
        &["TICK", "OUTCOME", "JOB", "STATE"],
        history.iter().map(row).collect(),
        "it has not fired yet",
    );
    Ok(())
}

async fn preview(session: &Session, schedule: &str, zone: &str, limit: usize) -> Result<(), Failure> {
    let ticks = session.engine.inspector().cron_preview(schedule, zone, limit).await?;
    if session.out.json {
        ticks.into_iter().map(TickView::from).for_each(|tick| session.out.value(&tick));
        return Ok(());
    }
    session.out.say(CronSchedule::parse(schedule, zone)?.describe());
    upcoming(session, &ticks, session.engine.now().await?);
    Ok(())
}

fn upcoming(session: &Session, ticks: &[Tick], now: Timestamp) {
    let row = |tick: &Tick| {
        vec![tick.local.clone(), distance(tick.at, now.as_millis()), note(tick.note).to_owned()]
    };
    session.out.table(
        &["NEXT", "", "DAYLIGHT SAVING"],
        ticks.iter().map(row).collect(),
        "there is no tick before the year 10000",
    );
}

const fn note(note: Option<TickNote>) -> &'static str {
    match note {
        None => "",
        Some(TickNote::Shifted) => "its time does not exist that day: first instant after the gap",
        Some(TickNote::FirstOfTwo) => "its time comes twice that day: the first",
        Some(TickNote::SecondOfTwo) => "its time comes twice that day: the second",
    }
}

const fn outcome(outcome: CronOutcome) -> &'static str {
    match outcome {
        CronOutcome::Enqueued => "enqueued",
        CronOutcome::Overlapped => "passed over: this one was live",
        CronOutcome::Missed => "missed from here on",
        CronOutcome::Refused => "refused: no room",
        CronOutcome::RunNow => "run by hand",
        _ => "unknown",
    }
}

/// What it was named, or a name of its own.
fn operation_of(said: &Said) -> String {
    if said.operation.is_empty() { fresh_operation() } else { said.operation.clone() }
}

/// Carries an act out; `done` is the word for it where something changed.
async fn change(session: &Session, act: CronAct, said: &Said, done: &str) -> Result<(), Failure> {
    let operation = operation_of(said);
    let changed = act.because(&said.reason.text).operation(&operation).await;
    let changed = changed.map_err(|error| under(&operation, error))?;
    let name = &said.name;
    let (outcome, version) = match changed {
        CronChanged::Created { version } => ("created", version),
        CronChanged::Changed { version } => (done, version),
        CronChanged::Unchanged { version } => ("unchanged", version),
        CronChanged::Conflict { version } => {
            return Err(Failure::Refused(format!("{name} is at version {version} now; nothing was changed")));
        }
        CronChanged::Full => {
            return Err(Failure::Refused(
                "there are 1,000 cron entries already; remove one first".to_owned(),
            ));
        }
        _ => return Err(missing(name)),
    };
    let value = json!({ "name": name, "outcome": outcome, "version": version });
    session.out.answer(&value, format!("{name}  {outcome}"));
    Ok(())
}

async fn run_now(session: &Session, said: &Said) -> Result<(), Failure> {
    let operation = operation_of(said);
    let ran = session.operator().run_cron(&said.name, None, &said.reason.text, &operation).await;
    let ran = ran.map_err(|error| under(&operation, error))?;
    let Ok(enqueued) = ran else { return Err(missing(&said.name)) };
    if let Enqueued::Duplicate { holder, .. } = &enqueued {
        let why = format!("job {holder} of {} is live, and the entry allows no second one", said.name);
        return Err(Failure::Refused(why));
    }
    let Some(standing) = enqueued.standing() else {
        return Err(Failure::Refused("its subject has its limit of live jobs".to_owned()));
    };
    session.out.answer(&enqueued, format!("{}  {}", standing.id, standing.state));
    Ok(())
}

fn missing(name: &CronName) -> Failure {
    Failure::NotFound(format!("there is no cron entry {name}; `reprieve cron list` shows them"))
}
