//! `reprieve import`: foreign queues, observed, shadowed, taken over, rolled back, followed.

use super::exit::Failure;
use super::session::{self, Run, Session};
use crate::config::{read_certificates, read_key, read_span};
use app::format::{number, rfc3339};
use clap::{Args, Subcommand, ValueEnum};
use reprieve::model::{Delay, Kind, QueueName};
use reprieve_import::{
    AsynqSource, BullmqSource, Comparison, DelayqSource, ImportName, ImportWarning, ImportWarningCode,
    Importer, Layout, Observation, QueuesSource, RolledBack, ScoreUnit, Source, TakenOver, Unreadable,
    ZsetSource,
};
use std::time::Duration;
use tokio::signal::ctrl_c;
use tokio_util::sync::CancellationToken;

/// Between two looks of a shadow.
const LOOK_EVERY: Duration = Duration::from_secs(1);

/// The format of the source.
#[derive(Debug, Clone, Args)]
pub(crate) struct Import {
    #[command(subcommand)]
    format: Format,
}

#[derive(Debug, Clone, Subcommand)]
enum Format {
    /// A plain sorted set, its scores the due times
    Zset(ZsetArgs),
    /// A topic of delayq
    Delayq(DelayqArgs),
    /// Queues of asynq
    Asynq(AsynqArgs),
    /// Queues of BullMQ
    Bullmq(BullmqArgs),
    /// Queues of Sidekiq 6 to 8
    Sidekiq(QueuesArgs),
    /// Queues of RQ 2 and 3
    Rq(QueuesArgs),
    /// Queues of arq, by the keys of their sorted sets
    Arq(QueuesArgs),
    /// Queues of Bee-Queue
    BeeQueue(QueuesArgs),
    /// Queues of Celery 4 and later
    Celery(QueuesArgs),
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

/// What all formats take.
#[derive(Debug, Clone, Args)]
struct Common {
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
    /// Reason, for the audit
    #[arg(long, value_name = "TEXT", default_value = "")]
    reason: String,
    /// Take over despite these warnings of `observe`: their codes, separated by commas
    #[arg(long, value_name = "CODES", value_delimiter = ',')]
    accept_warnings: Vec<ImportWarningCode>,
}

#[derive(Debug, Clone, Args)]
struct ZsetArgs {
    #[command(flatten)]
    common: Common,
    /// Its key
    #[arg(long, value_name = "KEY")]
    key: String,
    /// Kind of its jobs
    #[arg(long, value_name = "KIND")]
    kind: Kind,
    /// Queue of its jobs
    #[arg(long, value_name = "QUEUE", default_value = "default")]
    queue: QueueName,
    /// Unit of its scores
    #[arg(long, value_enum, default_value = "auto")]
    unit: Unit,
    /// JSON pointer to the job's id in a member, such as /order/id [default: derived from the whole member]
    #[arg(long, value_name = "POINTER")]
    id: Option<String>,
    /// JSON pointer to the job's subject in a member, such as /order/id
    #[arg(long, value_name = "POINTER")]
    subject: Option<String>,
    /// Attempts of a job [default: 25]
    #[arg(long, value_name = "COUNT", value_parser = clap::value_parser!(u32).range(1..))]
    max_attempts: Option<u32>,
}

/// Unit of a score.
#[derive(Debug, Clone, Copy, PartialEq, Eq, ValueEnum)]
enum Unit {
    /// Guessed from the size
    Auto,
    /// Seconds
    S,
    /// Milliseconds
    Ms,
    /// Microseconds
    Us,
}

#[derive(Debug, Clone, Args)]
struct DelayqArgs {
    #[command(flatten)]
    common: Common,
    /// The topic
    #[arg(long, value_name = "TOPIC")]
    topic: String,
    /// Kind of its jobs [default: made of the topic]
    #[arg(long, value_name = "KIND")]
    kind: Option<Kind>,
    /// Queue of its jobs [default: made of the topic]
    #[arg(long, value_name = "QUEUE")]
    queue: Option<QueueName>,
    /// JSON pointer to the job's subject in the body
    #[arg(long, value_name = "POINTER")]
    subject: Option<String>,
    /// Also take what its workers have in progress; only while they are stopped
    #[arg(long)]
    processing: bool,
}

#[derive(Debug, Clone, Args)]
struct AsynqArgs {
    #[command(flatten)]
    common: Common,
    /// A queue; may be repeated [default: all of them]
    #[arg(long = "queue", value_name = "QUEUE")]
    queues: Vec<String>,
    /// JSON pointer to the job's subject in the payload
    #[arg(long, value_name = "POINTER")]
    subject: Option<String>,
    /// Also take archived tasks, as dead jobs
    #[arg(long)]
    archived: bool,
    /// Also take completed tasks, as done jobs with their results
    #[arg(long)]
    completed: bool,
    /// Kind for a task type; may be repeated [default: made of the type]
    #[arg(long = "kind", value_name = "TYPE=KIND", value_parser = read_kind)]
    kinds: Vec<(String, Kind)>,
}

#[derive(Debug, Clone, Args)]
struct BullmqArgs {
    #[command(flatten)]
    common: Common,
    /// A queue; may be repeated
    #[arg(long = "queue", value_name = "QUEUE", required = true)]
    queues: Vec<String>,
    /// Prefix of the keys of all its queues [default: bull]
    #[arg(long, value_name = "PREFIX")]
    prefix: Option<String>,
    /// JSON pointer to the job's subject in the data
    #[arg(long, value_name = "POINTER")]
    subject: Option<String>,
    /// Also take failed jobs, as dead jobs
    #[arg(long)]
    failed: bool,
    /// Kind for a job's name; may be repeated [default: made of the name]
    #[arg(long = "kind", value_name = "NAME=KIND", value_parser = read_kind)]
    kinds: Vec<(String, Kind)>,
}

/// What most systems have.
#[derive(Debug, Clone, Args)]
struct QueuesArgs {
    #[command(flatten)]
    common: Common,
    /// A queue; may be repeated [default: all that Sidekiq or RQ lists; `arq:queue`; `celery`]
    #[arg(long = "queue", value_name = "QUEUE")]
    queues: Vec<String>,
    /// Prefix of the keys of all queues, if not the usual one
    #[arg(long, value_name = "PREFIX")]
    prefix: Option<String>,
    /// JSON pointer to the job's subject in the payload
    #[arg(long, value_name = "POINTER")]
    subject: Option<String>,
    /// Also take jobs that have failed for good, as dead jobs
    #[arg(long)]
    failed: bool,
    /// Celery: also take messages with a due time that workers have received; only when they are stopped
    #[arg(long)]
    unacked: bool,
    /// RQ, arq: kind of jobs whose function cannot be read. Bee-Queue: kind of all [default: made of the queue]
    #[arg(long, value_name = "KIND")]
    kind_of_others: Option<Kind>,
    /// Kind for a type of work; may be repeated [default: made of its name]
    #[arg(long = "kind", value_name = "NAME=KIND", value_parser = read_kind)]
    kinds: Vec<(String, Kind)>,
}

impl QueuesArgs {
    fn layout(
        self,
        format: &'static str,
        layout: fn(QueuesSource) -> Layout,
    ) -> (Common, &'static str, Layout) {
        let mut source = QueuesSource::default();
        (source.queues, source.prefix, source.subject) = (self.queues, self.prefix, self.subject);
        (source.failed, source.unacked) = (self.failed, self.unacked);
        (source.kind, source.kinds) = (self.kind_of_others, self.kinds.into_iter().collect());
        (self.common, format, layout(source))
    }
}

fn read_kind(text: &str) -> Result<(String, Kind), String> {
    let (of, kind) = text.rsplit_once('=').ok_or("is a name and its kind, such as email:welcome=welcome")?;
    Ok((of.to_owned(), Kind::new(kind).map_err(|why| why.to_string())?))
}

impl Format {
    fn read(self) -> (Common, &'static str, Layout) {
        match self {
            Self::Zset(args) => {
                let mut zset = ZsetSource::new(args.key, args.kind);
                zset.queue = args.queue;
                zset.unit = match args.unit {
                    Unit::Auto => ScoreUnit::Auto,
                    Unit::S => ScoreUnit::S,
                    Unit::Ms => ScoreUnit::Ms,
                    Unit::Us => ScoreUnit::Us,
                };
                (zset.id, zset.subject, zset.max_attempts) = (args.id, args.subject, args.max_attempts);
                (args.common, "zset", Layout::Zset(zset))
            }
            Self::Delayq(args) => {
                let mut delayq = DelayqSource::new(args.topic);
                (delayq.kind, delayq.queue) = (args.kind, args.queue);
                (delayq.subject, delayq.processing) = (args.subject, args.processing);
                (args.common, "delayq", Layout::Delayq(delayq))
            }
            Self::Asynq(args) => {
                let mut asynq = AsynqSource::default();
                (asynq.queues, asynq.subject) = (args.queues, args.subject);
                (asynq.archived, asynq.completed) = (args.archived, args.completed);
                asynq.kinds = args.kinds.into_iter().collect();
                (args.common, "asynq", Layout::Asynq(asynq))
            }
            Self::Bullmq(args) => {
                let mut bullmq = BullmqSource::new(args.queues);
                (bullmq.subject, bullmq.failed) = (args.subject, args.failed);
                if let Some(prefix) = args.prefix {
                    bullmq.prefix = prefix;
                }
                bullmq.kinds = args.kinds.into_iter().collect();
                (args.common, "bullmq", Layout::Bullmq(bullmq))
            }
            Self::Sidekiq(args) => args.layout("sidekiq", Layout::Sidekiq),
            Self::Rq(args) => args.layout("rq", Layout::Rq),
            Self::Arq(args) => args.layout("arq", Layout::Arq),
            Self::BeeQueue(args) => args.layout("bee-queue", Layout::BeeQueue),
            Self::Celery(args) => args.layout("celery", Layout::Celery),
        }
    }
}

impl Run for Import {
    async fn run(self, session: &Session) -> Result<(), Failure> {
        let (common, format, layout) = self.format.read();
        let source = match common.from {
            Some(url) => Source::at(url, layout),
            None => Source::here(layout),
        };
        let source = match common.from_ca_file {
            Some(path) => source.trusting(read_certificates(&path).map_err(Failure::Usage)?),
            None => source,
        };
        let source = match common.from_cert_file.zip(common.from_key_file) {
            Some((certificate, key)) => {
                let certificate = read_certificates(&certificate).map_err(Failure::Usage)?;
                source.showing(certificate, read_key(&key).map_err(Failure::Usage)?)
            }
            None => source,
        };
        let name = match common.name {
            Some(name) => name,
            None => ImportName::new(format).map_err(|why| Failure::Usage(why.to_string()))?,
        };
        let import =
            Importer::new(&session.engine, name, source)?.by(session::actor()).because(common.reason);
        let accepted = common.accept_warnings;
        let import = import.accepting(&accepted);
        match common.step {
            Step::Observe => observe(session, &import).await,
            Step::Shadow => shadow(session, &import, common.watch).await,
            Step::TakeOver => take_over(session, &import, &accepted).await,
            Step::RollBack => roll_back(session, &import).await,
            Step::Follow => follow(session, &import, &accepted, common.keep).await,
            Step::Standing => standing(session, &import).await,
            Step::Finish => finish(session, &import).await,
        }
    }
}

async fn observe(session: &Session, import: &Importer) -> Result<(), Failure> {
    let seen: Observation = import.observe().await?;
    let out = &session.out;
    if out.json {
        out.value(&seen);
        return is_something(&seen);
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
        "{} of {} items looked at would become jobs, {} of them due by now{all}",
        number(seen.takeable),
        number(seen.looked_at),
        number(seen.overdue)
    ));
    is_something(&seen)
}

/// Whether there is a queue at all: a name that is misspelled looks like an empty one.
fn is_something(seen: &Observation) -> Result<(), Failure> {
    if let Some(wrong) = seen.places.iter().find(|place| place.holds.is_some()) {
        return Err(Failure::Failed(wrong.why.clone()));
    }
    if seen.places.is_empty() {
        return Err(Failure::NotFound(
            "nothing is there: the name may be another one, or the queue is empty just now".to_owned(),
        ));
    }
    Ok(())
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
            "{} items watched; {} came due: we would have handed out all of them, they did {}, {} still wait\n\
             theirs left {} (p50), {} (p99), {} (max) after their due time; {} left before it, {} got another one",
            number(said.seen),
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
            "{} items are jobs now, {} of them in place of an earlier one; {} from an earlier run; {} stay there",
            number(taken.taken),
            number(taken.replaced),
            number(taken.resumed),
            number(taken.left_count)
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
        let (restored, kept) = (number(back.restored), number(back.kept_count));
        format!("{restored} items are back as they were, {kept} stay here")
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
    session
        .out
        .answer(&first, format!("{} items are jobs now; following until stopped", number(first.taken)));
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
    session.out.answer(
        &standing,
        format!(
            "importer {} is {open}: {} items can be put back, {} are on their way here",
            standing.name,
            number(standing.moved),
            number(standing.parked)
        ),
    );
    Ok(())
}

async fn finish(session: &Session, import: &Importer) -> Result<(), Failure> {
    let removed = import.finish().await?;
    let value = serde_json::json!({ "removed": removed });
    session.out.answer(&value, format!("{} items can no longer be rolled back", number(removed)));
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
