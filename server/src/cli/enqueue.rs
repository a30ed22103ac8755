//! `reprieve enqueue`: one job from the command line, or many from a file of JSON lines.

use super::effort::Effort;
use super::exit::{Failure, fresh_operation, run_again, under};
use super::output::counted;
use super::repeats::Repeats;
use super::session::{Run, Session, actor};
use super::tally::Tally;
use super::when::When;
use crate::http_api::new_job;
use crate::strict;
use crate::text::{self, NotText};
use app::format::distance;
use clap::Args;
use indicatif::ProgressBar;
use reprieve::model::{ConcurrencyKey, Delay, Enqueued, JobId, Kind, QueueName, Subject};
use reprieve::{Begun, Client, Error, Ids, NewJob, PAYLOAD_BYTES_MAX, Spread};
use sha2::{Digest as _, Sha256};
use std::fmt::Display;
use std::io::{BufRead, BufReader, Read};
use std::path::{Path, PathBuf};

/// Jobs sent in one step: as many as one call to Redis takes, so that what broke off is known to that call.
const BATCH: usize = 100;
/// Longest line of a file without its end, in bytes: a payload at its limit in base64, with room for the rest. So much of
/// standard input is read for one payload, too.
const LINE_BYTES_MAX: u64 = 512 * 1_024;

/// What is said of one job: each line of a file says it of its own.
const OF_ONE_JOB: [&str; 22] = [
    "at",
    "in_",
    "id",
    "queue",
    "subject",
    "concurrency_key",
    "priority",
    "max_attempts",
    "unlimited",
    "timeout",
    "retention",
    "unique",
    "unique_content",
    "unique_for",
    "unique_mode",
    "max_wait",
    "late",
    "then",
    "any_window",
    "tag",
    "header",
    "replace",
];

/// Adds a job, or many from a file.
#[derive(Debug, Clone, Args)]
#[command(group = clap::ArgGroup::new("what").args(["kind", "file"]).required(true))]
pub(crate) struct Enqueue {
    /// What sort of work it is; chooses the handler or webhook
    #[arg(conflicts_with = "file", value_name = "KIND")]
    kind: Option<Kind>,
    /// The payload, any JSON; `-` reads it from standard input [default: null]
    #[arg(value_name = "JSON")]
    payload: Option<String>,
    /// Many jobs: a file with one JSON object a line, as the HTTP API takes them; `-` is standard input. What else is said
    /// here is of one job, but for --spread
    #[arg(long, value_name = "FILE", value_hint = clap::ValueHint::FilePath, conflicts_with_all = OF_ONE_JOB)]
    file: Option<PathBuf>,
    #[command(flatten)]
    when: When,
    /// Your own id for the job: a repeat with the same id changes nothing
    #[arg(long, value_name = "ID")]
    id: Option<JobId>,
    /// The queue
    #[arg(long, value_name = "NAME", default_value = "default")]
    queue: QueueName,
    /// What it is about, such as resource:4711
    #[arg(long, value_name = "SUBJECT")]
    subject: Option<Subject>,
    /// Whose job it is (a tenant, say): jobs with the same key share the limit for each key of their queue
    #[arg(long, value_name = "KEY")]
    concurrency_key: Option<ConcurrencyKey>,
    #[command(flatten)]
    effort: Effort,
    #[command(flatten)]
    repeats: Repeats,
    /// A tag; may be repeated
    #[arg(long, value_name = "TAG")]
    tag: Vec<String>,
    /// A text for the handler; may be repeated
    #[arg(long, value_name = "NAME=TEXT", value_parser = header)]
    header: Vec<(String, String)>,
    /// Overwrite a waiting job of the same id and queue
    #[arg(long, requires = "id")]
    replace: bool,
    /// A key of your own for this command: running it again with the same key takes no job in twice
    #[arg(long, value_name = "NAME")]
    idempotency_key: Option<String>,
}

/// The key of a command, and the ids that its jobs have under it.
struct Keyed {
    key: String,
    ids: Ids,
}

impl Keyed {
    /// That of these jobs, under a key that somebody gave or under a new one.
    async fn new(session: &Session, given: Option<String>, jobs: &[Numbered]) -> Result<Self, Failure> {
        /// The same key for something else is another one.
        const SCOPE: &str = "reprieve enqueue";
        let answers = session.engine.answers();
        let Some(key) = given else {
            let key = fresh_operation();
            return Ok(Self { ids: answers.ids(SCOPE, &key), key });
        };
        let mut content = Sha256::new();
        for Numbered { job, .. } in jobs {
            content.update(format!("{job:?}"));
            content.update(&job.payload);
        }
        match answers.begin(SCOPE, &key, &content.finalize()).await? {
            Begun::Open(ticket) => Ok(Self { key, ids: ticket.ids() }),
            _ => {
                let why =
                    format!("--idempotency-key {key} was used for other jobs within a day; choose another");
                Err(Failure::Usage(why))
            }
        }
    }

    /// Gives each job without an id the one it has under the key.
    fn identify(&self, jobs: &mut [Numbered]) {
        for (index, Numbered { job, .. }) in jobs.iter_mut().enumerate() {
            job.fresh_id = self.ids.job_id(index);
        }
    }
}

pub(super) fn header(text: &str) -> Result<(String, String), String> {
    let (name, value) = text.split_once('=').ok_or_else(|| "a header looks like NAME=TEXT".to_owned())?;
    Ok((name.to_owned(), value.to_owned()))
}

/// Refuses a payload that no producer over HTTP could send.
pub(super) fn checked(payload: &str) -> Result<(), Failure> {
    strict::check(payload).map_err(|why| {
        Failure::Usage(format!(
            "the payload cannot be used: {why}; JSON is wanted, so a text needs quotes inside the shell's own"
        ))
    })
}

impl Run for Enqueue {
    async fn run(self, session: &Session) -> Result<(), Failure> {
        match self.file.clone() {
            Some(file) => many(session, &file, self.repeats.spread, self.idempotency_key).await,
            None => one(session, self).await,
        }
    }
}

async fn one(session: &Session, arguments: Enqueue) -> Result<(), Failure> {
    let given = arguments.idempotency_key.clone();
    let mut jobs = [Numbered { line: 1, job: arguments.job()? }];
    let keyed = Keyed::new(session, given, &jobs).await?;
    keyed.identify(&mut jobs);
    let jobs = jobs.map(|numbered| numbered.job).to_vec();
    let answers = session.engine.client().enqueue_batch(jobs).await;
    let answers = answers.map_err(|error| under(&keyed.key, error))?;
    let Some(answer) = answers.into_iter().next() else { return Ok(()) };
    let Some(standing) = answer.standing() else {
        session.out.refused(&answer);
        return Err(Failure::Refused(refusal(&answer)));
    };
    let due = distance(standing.due, standing.at.as_millis());
    let known = match answer {
        Enqueued::Exists(_) => ", was known before and is unchanged",
        Enqueued::Replaced(_) => ", in place of the job that had its id",
        Enqueued::Debounced(_) => ", an earlier job that now has this payload and time",
        _ => "",
    };
    session.out.answer(&answer, format!("{}  {}, due {due}{known}", standing.id, standing.state));
    Ok(())
}

impl Enqueue {
    fn job(self) -> Result<NewJob, Failure> {
        let Some(kind) = self.kind else {
            return Err(Failure::Usage("say which kind of job, or name a file with --file".to_owned()));
        };
        let payload = match self.payload.as_deref() {
            Some("-") => from_standard_input()?,
            given => given.unwrap_or("null").to_owned(),
        };
        checked(&payload)?;
        let mut job = NewJob::new(kind, payload.trim().as_bytes());
        job.id = self.id;
        job.queue = self.queue;
        job.subject = self.subject;
        job.concurrency_key = self.concurrency_key;
        job.due = self.when.due().unwrap_or_default();
        job.priority = self.effort.priority.unwrap_or_default();
        job.max_attempts = self.effort.attempts().unwrap_or(job.max_attempts);
        job.timeout = self.effort.timeout;
        job.retention = self.effort.retention;
        job.tags = self.tag;
        job.headers = self.header.into_iter().collect();
        job.replace = self.replace;
        job.by = Some(actor());
        self.repeats.apply(&mut job)?;
        Ok(job)
    }
}

/// The payload of one job. Of one that is too long no more is read than shows it.
fn from_standard_input() -> Result<String, Failure> {
    let mut bytes = Vec::new();
    let read = std::io::stdin().take(LINE_BYTES_MAX + 1).read_to_end(&mut bytes);
    let unreadable = |why: &dyn Display| Failure::Failed(format!("standard input cannot be read: {why}"));
    if is_beyond(read.map_err(|why| unreadable(&why))?) {
        return Err(Failure::Usage(format!(
            "the payload has more than {LINE_BYTES_MAX} bytes, at most {PAYLOAD_BYTES_MAX} are allowed"
        )));
    }
    text::of(bytes).map_err(|why| unreadable(&why))
}

/// Whether that many bytes were read because there are more than a line may have.
fn is_beyond(read: usize) -> bool {
    u64::try_from(read).is_ok_and(|read| read > LINE_BYTES_MAX)
}

/// Reads the whole file first: a mistake on any line, and no job of it is taken in.
async fn many(
    session: &Session,
    file: &Path,
    spread: Option<Delay>,
    key: Option<String>,
) -> Result<(), Failure> {
    let mut jobs = read(file, spread)?;
    let keyed = Keyed::new(session, key, &jobs).await?;
    keyed.identify(&mut jobs);
    let bar = session.out.progress(u64::try_from(jobs.len()).unwrap_or(u64::MAX), "enqueue");
    let mut tally = Tally::default();
    let sent = send(session, &jobs, &bar, &mut tally).await;
    bar.finish_and_clear();
    if let Err(broken) = sent {
        return Err(end_of(broken, &tally, session.engine.shard_count(), &keyed.key));
    }
    session.out.say(tally.sentence());
    if tally.refused > 0 {
        return Err(Failure::Refused(format!(
            "{} not taken in",
            counted(tally.refused, "job was", "jobs were")
        )));
    }
    Ok(())
}

/// A job, and the line it stands on.
struct Numbered {
    line: usize,
    job: NewJob,
}

/// Where sending broke off: nothing from that line on is known to be taken in.
struct Broken {
    line: usize,
    error: Error,
}

/// What a file ends with that broke off, and how to go on. One shard takes in a step as a whole or not at all; of several, some
/// may have taken their part.
fn end_of(broken: Broken, tally: &Tally, shards: u16, key: &str) -> Failure {
    let Broken { line, error } = broken;
    if tally.is_empty() && shards == 1 {
        return under(key, error);
    }
    let why = format!("{error}; nothing from line {line} on is known to be taken in");
    let why = if error.is_transient() { run_again(&why, key) } else { why };
    tally.broken(&why, Some(("line", line)), matches!(error, Error::OutcomeUnknown { .. }))
}

async fn send(
    session: &Session,
    jobs: &[Numbered],
    bar: &ProgressBar,
    tally: &mut Tally,
) -> Result<(), Broken> {
    let client: Client = session.engine.client();
    for batch in jobs.chunks(BATCH) {
        let line = batch.first().map_or(1, |first| first.line);
        let answers = client.enqueue_batch(batch.iter().map(|numbered| numbered.job.clone()).collect()).await;
        for answer in answers.map_err(|error| Broken { line, error })? {
            tally.count(&answer);
            if answer.standing().is_none() {
                bar.suspend(|| session.out.say(refusal(&answer)));
            }
            if session.out.json {
                session.out.value(&answer);
            }
        }
        bar.inc(u64::try_from(batch.len()).unwrap_or(u64::MAX));
    }
    Ok(())
}

fn read(file: &Path, spread: Option<Delay>) -> Result<Vec<Numbered>, Failure> {
    let unreadable = |why| Failure::Failed(format!("{} cannot be read: {why}", file.display()));
    let reader: Box<dyn Read> = match file.to_str() {
        Some("-") => Box::new(std::io::stdin()),
        _ => Box::new(std::fs::File::open(file).map_err(unreadable)?),
    };
    let mut lines = BufReader::new(reader);
    let (mut jobs, mut mistakes, mut line) = (Vec::new(), Vec::new(), Vec::new());
    for number in 1_usize.. {
        line.clear();
        let read =
            lines.by_ref().take(LINE_BYTES_MAX + 1).read_until(b'\n', &mut line).map_err(unreadable)?;
        if read == 0 {
            break;
        }
        let is_cut = is_beyond(read) && !line.ends_with(b"\n");
        if is_cut {
            // Passed over without being kept: what is left of a line is no line of its own.
            lines.skip_until(b'\n').map_err(unreadable)?;
        }
        match text::of(std::mem::take(&mut line)) {
            _ if is_cut => mistakes.push(format!(
                "line {number} has more than {LINE_BYTES_MAX} bytes, at most so many are allowed"
            )),
            Ok(text) if text.trim().is_empty() => {}
            Ok(text) => match job_of(text.trim(), spread) {
                Ok(job) => jobs.push(Numbered { line: number, job }),
                Err(why) => mistakes.push(format!("line {number}: {why}")),
            },
            Err(why) => {
                mistakes.push(format!("line {number} cannot be read: {why}"));
                // No other line of such a file can be read either.
                if !matches!(why, NotText::NotUtf8 { .. }) {
                    break;
                }
            }
        }
        if mistakes.len() >= 20 {
            break;
        }
    }
    if mistakes.is_empty() {
        Ok(jobs)
    } else {
        Err(Failure::Usage(format!("nothing was taken in: {}", mistakes.join("; "))))
    }
}

/// The job of a line, checked as it will be when it is sent.
fn job_of(text: &str, spread: Option<Delay>) -> Result<NewJob, String> {
    let mut job = new_job::from_text(text)?;
    job.spread = job.spread.or(spread.map(Spread::ById));
    job.by = Some(actor());
    job.check().map_err(|why| why.to_string())?;
    Ok(job)
}

fn refusal(answer: &Enqueued) -> String {
    match answer {
        Enqueued::Duplicate { id, holder } => {
            format!("{id}  was not taken in: job {holder} holds its unique key")
        }
        Enqueued::SubjectFull { id } => {
            format!("{id}  was not taken in: its subject has its limit of live jobs")
        }
        Enqueued::IdConflict { id } => format!(
            "{id}  was not taken in: the job of this id has another subject and is in another shard; cancel that one and \
             take another id"
        ),
        other => format!("{}  was not taken in", other.id()),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_file_of_which_the_end_is_not_known_names_the_key_to_run_it_again_under() {
        let lost = || Broken {
            line: 101,
            error: Error::OutcomeUnknown { what: "no answer".to_owned(), is_once: false },
        };
        let mut some = Tally::default();
        some.taken = 100;
        for (tally, shards) in [(Tally::default(), 1), (Tally::default(), 4), (some, 1)] {
            let end = end_of(lost(), &tally, shards, "K");
            assert_eq!(end.exit(), 5, "{end}");
            assert!(end.to_string().contains("run it again with --idempotency-key K"), "{end}");
        }
    }
}
