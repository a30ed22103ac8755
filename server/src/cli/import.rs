//! `reprieve import`: foreign queues, observed, shadowed, taken over, rolled back, followed.

use super::exit::Failure;
use super::named::Reason;
use super::output::counted;
use super::session::{self, Run, Session};
use crate::config::{read_certificates, read_pair, read_span};
use app::format::{number, rfc3339};
use clap::{Args, ValueEnum};
use reprieve::model::{Delay, Kind};
use reprieve_import::{
    BullmqSource, Comparison, ImportName, ImportWarning, ImportWarningCode, Importer, Layout, Observation,
    RolledBack, Source, TakenOver, Unreadable,
};
use serde_json::{Map, Value, json};
use std::time::Duration;
use tokio::signal::ctrl_c;
use tokio_util::sync::CancellationToken;

/// Between two looks of a shadow.
const LOOK_EVERY: Duration = Duration::from_secs(1);

/// The format of a source.
#[derive(Debug, Clone, Copy, PartialEq, Eq, ValueEnum)]
enum Format {
    /// A plain sorted set, its scores the due times
    Zset,
    /// A topic of delayq
    Delayq,
    /// Queues of asynq
    Asynq,
    /// Queues of BullMQ
    Bullmq,
    /// Queues of Sidekiq 6 to 8
    Sidekiq,
    /// Queues of RQ 2 and 3
    Rq,
    /// Queues of arq, by the keys of their sorted sets
    Arq,
    /// Queues of Bee-Queue
    BeeQueue,
    /// Queues of Celery 4 and later
    Celery,
}

/// What to do with it.
#[derive(Debug, Clone, Copy, PartialEq, Eq, ValueEnum)]
enum Step {
    /// Show what is there; changes nothing
    Observe,
    /// Watch what its workers do beside what Reprieve would do; changes nothing
    Shadow,
    /// Take over everything that can become a job
    TakeOver,
    /// Roll back: return what has not run and was not changed here
    RollBack,
    /// Keep taking over what arrives, until stopped
    Follow,
    /// Show how far the import is
    Standing,
    /// Finalize: rollback is no longer possible
    Finish,
}

/// A foreign queue, and what to do with it.
#[derive(Debug, Clone, Args)]
pub(crate) struct Import {
    /// The system that the queue is of
    #[arg(value_enum)]
    format: Format,
    /// What to do
    #[arg(value_enum)]
    step: Step,
    /// The Redis of the foreign queue [default: the one that holds the jobs]
    #[arg(long, value_name = "URL")]
    from: Option<String>,
    /// Certificate authorities to trust for that Redis: a PEM file [default: the usual ones]
    #[arg(long, value_name = "PATH", requires = "from")]
    from_ca_file: Option<String>,
    /// Client certificate for that Redis, if it asks for one
    #[arg(long, value_name = "PATH", requires = "from", requires = "from_key_file")]
    from_cert_file: Option<String>,
    /// Private key of the client certificate
    #[arg(long, value_name = "PATH", requires = "from_cert_file")]
    from_key_file: Option<String>,
    /// Name of this import, the same for every step [default: the format's]
    #[arg(long, value_name = "NAME")]
    name: Option<ImportName>,
    /// How long a shadow watches
    #[arg(long = "for", value_name = "SPAN", value_parser = read_span, default_value = "1m")]
    watch: Delay,
    /// How long a follower can roll an item back
    #[arg(long, value_name = "SPAN", value_parser = read_span, default_value = "30d")]
    keep: Delay,
    #[command(flatten)]
    reason: Reason,
    /// Take over despite these warnings of `observe`: their codes, separated by commas
    #[arg(long, value_name = "CODES", value_delimiter = ',')]
    accept_warnings: Vec<ImportWarningCode>,
    #[command(flatten)]
    layout: LayoutArgs,
}

/// What lies there. What a format does not have is refused.
#[derive(Debug, Clone, Args)]
#[command(next_help_heading = "What lies there")]
struct LayoutArgs {
    /// A queue; may be repeated [default: all that the system lists; `arq:queue`; `celery`]. zset, delayq: the queue of its jobs
    #[arg(long = "queue", value_name = "QUEUE", required_if_eq("format", "bullmq"))]
    queues: Vec<String>,
    /// Kind for a type of work, NAME=KIND; may be repeated [default: made of its name]. zset, delayq: KIND of all jobs
    #[arg(long = "kind", value_name = "[NAME=]KIND", required_if_eq("format", "zset"))]
    kinds: Vec<String>,
    /// RQ, arq: kind of jobs whose function cannot be read. Bee-Queue: kind of all [default: made of the queue]
    #[arg(long, value_name = "KIND")]
    kind_of_others: Option<Kind>,
    /// Prefix of the keys of all queues, if not the usual one
    #[arg(long, value_name = "PREFIX")]
    prefix: Option<String>,
    /// JSON pointer to the job's subject in the payload, such as /order/id
    #[arg(long, value_name = "POINTER")]
    subject: Option<String>,
    /// zset: its key
    #[arg(long, value_name = "KEY", required_if_eq("format", "zset"))]
    key: Option<String>,
    /// zset: unit of its scores [default: guessed from their size]
    #[arg(long, value_name = "UNIT", value_parser = ["auto", "s", "ms", "us"])]
    unit: Option<String>,
    /// zset: JSON pointer to the job's id in a member, such as /order/id [default: derived from the whole member]
    #[arg(long, value_name = "POINTER")]
    id: Option<String>,
    /// zset: attempts of a job [default: 25]
    #[arg(long, value_name = "COUNT", value_parser = clap::value_parser!(u32).range(1..))]
    max_attempts: Option<u32>,
    /// delayq: the topic
    #[arg(long, value_name = "TOPIC", required_if_eq("format", "delayq"))]
    topic: Option<String>,
    /// delayq: also take what its workers have in progress; only while they are stopped
    #[arg(long)]
    processing: bool,
    /// asynq: also take archived tasks, as dead jobs
    #[arg(long)]
    archived: bool,
    /// asynq: also take completed tasks, as done jobs with their results
    #[arg(long)]
    completed: bool,
    /// Also take jobs that have failed for good, as dead jobs
    #[arg(long)]
    failed: bool,
    /// Celery: also take messages with a due time that workers have received; only when they are stopped
    #[arg(long)]
    unacked: bool,
}

impl LayoutArgs {
    /// As the HTTP API takes it, without what was not said.
    fn read(self, format: Format) -> Result<Map<String, Value>, String> {
        let (mut kinds, mut kind) = (Map::new(), self.kind_of_others.map(|kind| kind.to_string()));
        for given in self.kinds {
            match given.rsplit_once('=') {
                Some((name, kind)) => drop(kinds.insert(name.to_owned(), kind.into())),
                None if kind.is_none() => kind = Some(given),
                None => {
                    return Err(format!("--kind {given}: write NAME=KIND, such as email:welcome=welcome"));
                }
            }
        }
        let (queue, queues) = match (format, self.queues.as_slice()) {
            (Format::Zset | Format::Delayq, [.., _, _]) => return Err("its jobs have one --queue".to_owned()),
            (Format::Zset | Format::Delayq, queue) => (queue.first().cloned(), Vec::new()),
            _ => (None, self.queues),
        };
        let mut layout = Map::new();
        for (name, value) in [
            ("queue", json!(queue)),
            ("queues", json!(queues)),
            ("kind", json!(kind)),
            ("kinds", json!(kinds)),
            ("prefix", json!(self.prefix)),
            ("subject", json!(self.subject)),
            ("key", json!(self.key)),
            ("unit", json!(self.unit)),
            ("id", json!(self.id)),
            ("max_attempts", json!(self.max_attempts)),
            ("topic", json!(self.topic)),
            ("processing", json!(self.processing)),
            ("archived", json!(self.archived)),
            ("completed", json!(self.completed)),
            ("failed", json!(self.failed)),
            ("unacked", json!(self.unacked)),
        ] {
            if ![Value::Null, json!(false), json!([]), json!({})].contains(&value) {
                layout.insert(name.to_owned(), value);
            }
        }
        Ok(layout)
    }
}

/// The source, whose format is called so.
fn source(format: &str, mut layout: Map<String, Value>) -> Result<Source, String> {
    layout.insert("format".to_owned(), format.into());
    let is_prefixed = layout.contains_key("prefix");
    let mut source: Source =
        serde_json::from_value(Value::Object(layout)).map_err(|why| format!("{format}: {why}"))?;
    if let Layout::Bullmq(bullmq) = &mut source.layout {
        // A queue may be named with its prefix.
        let named = BullmqSource::new(std::mem::take(&mut bullmq.queues));
        bullmq.queues = named.queues;
        if !is_prefixed {
            bullmq.prefix = named.prefix;
        }
    }
    Ok(source)
}

impl Run for Import {
    async fn run(self, session: &Session) -> Result<(), Failure> {
        let format = self.format.to_possible_value();
        let format = format.as_ref().map_or("", |format| format.get_name());
        let layout = self.layout.read(self.format);
        let mut source = layout.and_then(|layout| source(format, layout)).map_err(Failure::Usage)?;
        source.url = self.from;
        let authority = self.from_ca_file.as_deref().map(read_certificates);
        source.authority = authority.transpose().map_err(Failure::Usage)?;
        if let (Some(certificate), Some(key)) = (&self.from_cert_file, &self.from_key_file) {
            let (certificate, key) = read_pair(certificate, key).map_err(Failure::Usage)?;
            (source.client_certificate, source.client_key) = (Some(certificate), Some(key));
        }
        let name = match self.name {
            Some(name) => name,
            None => ImportName::new(format).map_err(|why| Failure::Usage(why.to_string()))?,
        };
        let import =
            Importer::new(&session.engine, name, source)?.by(session::actor()).because(self.reason.text);
        let accepted = self.accept_warnings;
        let import = import.accepting(&accepted);
        match self.step {
            Step::Observe => observe(session, &import).await,
            Step::Shadow => shadow(session, &import, self.watch).await,
            Step::TakeOver => take_over(session, &import, &accepted).await,
            Step::RollBack => roll_back(session, &import).await,
            Step::Follow => follow(session, &import, &accepted, self.keep).await,
            Step::Standing => standing(session, &import).await,
            Step::Finish => finish(session, &import).await,
        }
    }
}

async fn observe(session: &Session, import: &Importer) -> Result<(), Failure> {
    let seen: Observation = import.observe().await?;
    let out = &session.out;
    let is_known = !seen.places.is_empty() || import.is_known().await?;
    if out.json {
        out.value(&seen);
        return is_something(&seen, is_known);
    }
    let place = |place: &reprieve_import::PlaceCount| {
        let becomes = if place.taken { "jobs".to_owned() } else { format!("stay: {}", place.why) };
        vec![place.place.clone(), number(place.count), becomes]
    };
    out.table(&["PLACE", "ITEMS", "BECOME"], seen.places.iter().map(place).collect(), "nothing is there");
    if !seen.samples.is_empty() {
        out.say("");
    }
    let rows = seen.samples.iter().map(|sample| {
        let due = sample.due.map_or_else(|| "now".to_owned(), rfc3339);
        vec![sample.name.clone(), sample.id.clone(), sample.queue.clone(), sample.kind.clone(), due]
    });
    if !seen.samples.is_empty() {
        out.table(&["ITEM", "JOB", "QUEUE", "KIND", "DUE"], rows.collect(), "");
    }
    say_left(session, &seen.unreadable, seen.unreadable_count);
    for note in &seen.notes {
        out.say(format!("note: {note}"));
    }
    for ImportWarning { code, detail, .. } in &seen.warnings {
        out.say(format!("warning: {code}: {detail}"));
    }
    let all = if seen.complete { "" } else { "; the rest was only counted" };
    out.say(format!(
        "{} of {} looked at would become jobs, {} of them due by now{all}",
        number(seen.takeable),
        counted(seen.looked_at, "item", "items"),
        number(seen.overdue)
    ));
    is_something(&seen, is_known)
}

/// Whether there is a queue at all: a name that is misspelled looks like an empty one.
fn is_something(seen: &Observation, is_known: bool) -> Result<(), Failure> {
    if let Some(wrong) = seen.places.iter().find(|place| place.holds.is_some()) {
        return Err(Failure::Failed(wrong.why.clone()));
    }
    if is_known { Ok(()) } else { Err(nothing_there()) }
}

fn nothing_there() -> Failure {
    let why = "nothing is there: the name may be another one, or the queue is empty just now";
    Failure::NotFound(why.to_owned())
}

/// Refuses to take over what `observe` warns of, unless each warning was accepted.
fn check_warnings(seen: &Observation, accepted: &[ImportWarningCode]) -> Result<(), Failure> {
    if seen.warnings.iter().all(|warning| accepted.contains(&warning.code)) {
        return Ok(());
    }
    let said = seen.warnings.iter().map(|warning| warning.detail.as_str()).collect::<Vec<_>>().join("; ");
    let codes = seen.warnings.iter().map(|warning| warning.code.as_str()).collect::<Vec<_>>().join(",");
    Err(Failure::Refused(format!(
        "{said}; nothing was taken over. If that is meant, add --accept-warnings {codes}"
    )))
}

async fn shadow(session: &Session, import: &Importer, watch: Delay) -> Result<(), Failure> {
    let mut shadow = import.shadow();
    let seconds = u64::try_from(watch.as_millis() / 1_000).unwrap_or(0).max(1);
    let bar = session.out.progress(seconds, "watching");
    let mut said: Comparison = shadow.look().await?;
    for _ in 0..seconds {
        tokio::time::sleep(LOOK_EVERY).await;
        said = shadow.look().await?;
        bar.inc(1);
    }
    bar.finish_and_clear();
    let late = |ms: Option<u64>| ms.map_or_else(|| "–".to_owned(), |ms| format!("{ms} ms"));
    say_left(session, &said.differences, 0);
    session.out.answer(
        &said,
        format!(
            "{} watched; {} came due: we would have forwarded all of them, they did {}, {} still wait\n\
             theirs left {} (p50), {} (p99), {} (max) after their due time; {} left before it, {} got another one",
            counted(said.seen, "item", "items"),
            number(said.ours_by_now),
            number(said.theirs_by_now),
            number(said.overdue),
            late(said.late_ms_p50),
            late(said.late_ms_p99),
            late(said.late_ms_max),
            number(said.early),
            number(said.rescheduled)
        ),
    );
    Ok(())
}

async fn take_over(
    session: &Session,
    import: &Importer,
    accepted: &[ImportWarningCode],
) -> Result<(), Failure> {
    let seen = import.observe().await?;
    check_warnings(&seen, accepted)?;
    if seen.places.is_empty() && !import.is_known().await? {
        return Err(nothing_there());
    }
    let total = seen.places.iter().filter(|place| place.taken).map(|place| place.count).sum();
    let bar = session.out.progress(total, "taking over");
    let taken: TakenOver = import.take_over(|so_far| bar.set_position(so_far.taken)).await?;
    bar.finish_and_clear();
    say_left(session, &taken.left, taken.left_count);
    for note in &taken.notes {
        session.out.say(format!("note: {note}"));
    }
    session.out.answer(
        &taken,
        format!(
            "{} now, {} of them in place of an earlier one; {} from an earlier run; {} there",
            counted(taken.taken, "item is a job", "items are jobs"),
            number(taken.replaced),
            number(taken.resumed),
            counted(taken.left_count, "stays", "stay")
        ),
    );
    Ok(())
}

async fn roll_back(session: &Session, import: &Importer) -> Result<(), Failure> {
    let standing = import.standing().await?;
    let bar = session.out.progress(standing.parked + standing.moved, "rolling back");
    let back: RolledBack =
        import.roll_back(|so_far| bar.set_position(so_far.restored + so_far.kept_count)).await?;
    bar.finish_and_clear();
    say_left(session, &back.kept, back.kept_count);
    let done = if back.restored + back.kept_count == 0 {
        "nothing is left to put back: nothing was taken over, or it was finished".to_owned()
    } else {
        let restored = counted(back.restored, "item is back as it was", "items are back as they were");
        format!("{restored}, {} here", counted(back.kept_count, "stays", "stay"))
    };
    let sentence = format!("{done}; the importer is closed until it takes over again");
    session.out.answer(&back, sentence);
    Ok(())
}

async fn follow(
    session: &Session,
    import: &Importer,
    accepted: &[ImportWarningCode],
    keep: Delay,
) -> Result<(), Failure> {
    check_warnings(&import.observe().await?, accepted)?;
    // Opens what a roll back has closed, and says at once what does not work.
    let first = import.take_over(|_| ()).await?;
    session.out.answer(
        &first,
        format!("{} now; following until stopped", counted(first.taken, "item is a job", "items are jobs")),
    );
    let stop = CancellationToken::new();
    let (import, token) = (import.clone(), stop.clone());
    let following = tokio::spawn(async move { import.follow(keep, token).await });
    ctrl_c().await.map_err(|why| Failure::Failed(format!("signals cannot be listened for: {why}")))?;
    stop.cancel();
    following.await.map_err(|why| Failure::Failed(why.to_string()))
}

async fn standing(session: &Session, import: &Importer) -> Result<(), Failure> {
    let standing = import.standing().await?;
    let open = if standing.closed { "closed by a roll back" } else { "open" };
    let staying = &standing.staying;
    let reasons = [
        (staying.cancelled, "cancelled"),
        (staying.changed, "changed or held"),
        (staying.active, "running"),
        (staying.ended, "ended"),
        (staying.gone, "ended and gone"),
    ];
    let mut why = reasons
        .iter()
        .filter(|(count, _)| *count > 0)
        .map(|(count, why)| format!("{} {why}", number(*count)))
        .collect::<Vec<_>>()
        .join(", ");
    if !why.is_empty() {
        why = format!(" ({why})");
    }
    let rest = match standing.moved.saturating_sub(standing.asked()) {
        0 => String::new(),
        rest => format!("; {} not looked at", counted(rest, "earlier one was", "earlier ones were")),
    };
    session.out.answer(
        &standing,
        format!(
            "importer {} is {open}: {} be put back, {} here{why}, {} here{rest}",
            standing.name,
            counted(standing.returnable, "item can", "items can"),
            counted(staying.total(), "stays", "stay"),
            counted(standing.parked, "is on its way", "are on their way"),
        ),
    );
    Ok(())
}

async fn finish(session: &Session, import: &Importer) -> Result<(), Failure> {
    let removed = import.finish().await?;
    session.out.answer(
        &json!({ "removed": removed }),
        format!("{} no longer be rolled back", counted(removed, "item can", "items can")),
    );
    Ok(())
}

/// Items with their reasons; how many more there are.
fn say_left(session: &Session, items: &[Unreadable], count: u64) {
    for item in items {
        session.out.say(format!("{} {}: {}", item.place, item.name, item.reason));
    }
    let named = u64::try_from(items.len()).unwrap_or(u64::MAX);
    if count > named {
        session.out.say(format!("… and {} more", number(count - named)));
    }
}
