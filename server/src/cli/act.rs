//! Verbs on jobs: cancel, reinstate, retry, reschedule, hold, unhold. Each takes any number of ids.

use super::exit::Failure;
use super::file;
use super::named::Named;
use super::session::{Run, Session};
use super::when::When;
use app::format::distance;
use clap::Args;
use reprieve::model::{JobId, JobState, Standing, Version};
use reprieve::{Due, Error};
use serde::{Deserialize, Serialize};
use serde_json::json;

/// Fewer are done before a bar could be read.
const PROGRESS_FROM: usize = 50;

/// What is said about an act.
#[derive(Debug, Clone, Args)]
pub(crate) struct Saying {
    /// The jobs; `-` reads ids from standard input, one a line, or the lines of `jobs --json`
    #[arg(required = true, value_name = "ID")]
    ids: Vec<JobId>,
    #[command(flatten)]
    terms: Terms,
}

/// What an act on a job depends on.
#[derive(Debug, Clone, Args)]
pub(crate) struct Terms {
    #[command(flatten)]
    pub(crate) named: Named,
    /// Only if the job is still at this version
    #[arg(long = "if-version", value_name = "VERSION")]
    pub(crate) seen: Option<u64>,
}

/// Applies what was said to an act and carries it out.
macro_rules! tell {
    ($act:expr, $saying:expr) => {
        $act.seen_if($saying.terms.seen.map(Version))
            .because($saying.terms.named.reason.text.clone())
            .operation($saying.terms.named.key.operation.clone())
            .await
    };
}

/// A verb whose outcomes are all alike: done unless the word says otherwise. It says which jobs it takes.
macro_rules! verb {
    ($(#[$doc:meta])* $verb:ident, $act:ident, $takes:literal) => {
        $(#[$doc])*
        #[derive(Debug, Clone, Args)]
        pub(crate) struct $verb {
            #[command(flatten)]
            saying: Saying,
        }

        impl Run for $verb {
            async fn run(self, session: &Session) -> Result<(), Failure> {
                let operator = session.operator();
                each(session, &self.saying, async |id| {
                    let outcome = tell!(operator.$act(id), self.saying)?;
                    Ok(Told::of(&outcome, outcome.word(), outcome.standing(), $takes))
                })
                .await
            }
        }
    };
}

verb!(
    /// Cancels jobs.
    Cancel, cancel,
    "cancel takes jobs that have not ended"
);
verb!(
    /// Runs waiting, dead or cancelled jobs now.
    Retry, retry_now,
    "retry takes jobs that are delayed, held, retrying, dead or cancelled"
);
verb!(
    /// Removes ended jobs before their retention is over.
    Purge, purge,
    "purge takes jobs that are done, dead or cancelled"
);
verb!(
    /// Holds delayed jobs.
    Hold, hold,
    "hold takes jobs that are delayed"
);
verb!(
    /// Unholds jobs.
    Unhold, unhold,
    "unhold takes jobs that are held"
);

/// Undoes a cancel, at the original due time or another.
#[derive(Debug, Clone, Args)]
pub(crate) struct Reinstate {
    #[command(flatten)]
    saying: Saying,
    #[command(flatten)]
    when: When,
}

/// Changes the due time of waiting jobs.
#[derive(Debug, Clone, Args)]
pub(crate) struct Reschedule {
    #[command(flatten)]
    saying: Saying,
    #[command(flatten)]
    when: When,
}

impl Run for Reinstate {
    async fn run(self, session: &Session) -> Result<(), Failure> {
        let operator = session.operator();
        let at = match self.when.due() {
            Some(due @ Due::In(delay)) => {
                due.check("--in")?;
                Some(session.engine.now().await? + delay)
            }
            Some(Due::At(at)) => Some(at),
            _ => None,
        };
        each(session, &self.saying, async |id| {
            let mut act = operator.reinstate(id);
            if let Some(at) = at {
                act = act.at(at);
            }
            let outcome = tell!(act, self.saying)?;
            let takes = "reinstate takes jobs that are cancelled";
            Ok(Told::of(&outcome, outcome.word(), outcome.standing(), takes))
        })
        .await
    }
}

impl Run for Reschedule {
    async fn run(self, session: &Session) -> Result<(), Failure> {
        let Some(due) = self.when.due() else {
            return Err(Failure::Usage("say when: --at TIME or --in SPAN".to_owned()));
        };
        let operator = session.operator();
        each(session, &self.saying, async |id| {
            let outcome = tell!(operator.reschedule(id, due), self.saying)?;
            let takes = "reschedule takes jobs that are delayed, held or retrying";
            Ok(Told::of(&outcome, outcome.word(), outcome.standing(), takes))
        })
        .await
    }
}

/// What became of one job.
struct Told {
    value: serde_json::Value,
    sentence: String,
    done: bool,
}

impl Told {
    fn of(outcome: &impl Serialize, word: &str, standing: &Standing, takes: &str) -> Self {
        let Standing { id, state, version, due, at, .. } = standing;
        let due = distance(*due, at.as_millis());
        let sentence = match word {
            "purged" => format!("{id}  is gone with everything that belonged to it; it was {state}"),
            "requested" => format!("{id}  is running; its worker is asked to stop"),
            "already_finished" => format!("{id}  is {state} already; nothing was changed"),
            "wrong_state" => format!("{id}  is {state}; {takes}"),
            "overdue" => format!("{id}  was due {due}; name a new time with --in, or run it now with retry"),
            "cancelled" => format!("{id}  {state}, version {version}; it was due {due}"),
            _ => format!("{id}  {state}, due {due}, version {version}"),
        };
        let done = match word {
            // A job that was cancelled before is as it was asked for.
            "already_finished" => *state == JobState::Cancelled,
            _ => !matches!(word, "wrong_state" | "overdue"),
        };
        Self { value: serde_json::to_value(outcome).unwrap_or_default(), sentence, done }
    }
}

/// The jobs, with those of standard input where `-` stands. A mistake on any line, and nothing is done to
/// any.
fn named(words: &[JobId]) -> Result<Vec<JobId>, Failure> {
    let mut ids = Vec::with_capacity(words.len());
    for word in words {
        if word.as_str() == "-" {
            let text = file::standard_input(file::FILE_BYTES_MAX)?;
            for (number, line) in (1..).zip(text.lines().map(str::trim)).filter(|(_, line)| !line.is_empty())
            {
                let id = id_of(line).map_err(|why| {
                    Failure::Usage(format!("line {number} of standard input: {why}; nothing was done"))
                })?;
                ids.push(id);
            }
        } else {
            ids.push(word.clone());
        }
    }
    Ok(ids)
}

/// An id by itself, or the one of a line of JSON.
fn id_of(line: &str) -> Result<JobId, String> {
    #[derive(Deserialize)]
    struct Row {
        id: String,
    }
    let id = if line.starts_with('{') {
        serde_json::from_str::<Row>(line).map_err(|why| why.to_string())?.id
    } else {
        line.to_owned()
    };
    JobId::new(id).map_err(|why| why.to_string())
}

/// Does it to one job after the other. Every job gets its line; the worst of them decides the end.
async fn each(
    session: &Session,
    saying: &Saying,
    act: impl AsyncFn(&JobId) -> Result<Told, Error>,
) -> Result<(), Failure> {
    let ids = named(&saying.ids)?;
    let many = u64::try_from(ids.len()).unwrap_or(u64::MAX);
    let bar = (ids.len() >= PROGRESS_FROM).then(|| session.out.progress(many, "jobs"));
    let mut worst: Option<Failure> = None;
    let mut note = |failure: Failure| {
        worst = Some(match worst.take() {
            Some(known) => known.worse(failure),
            None => failure,
        });
    };
    // What was not done to a single job is what the command ends with.
    let of_several = |value: &serde_json::Value, sentence: &str| match many {
        1 => session.out.refused(value),
        _ => session.out.answer(value, sentence),
    };
    let mut not_done = 0_usize;
    for id in &ids {
        match act(id).await {
            Ok(told) if told.done => session.out.answer(&told.value, &told.sentence),
            Ok(told) => {
                not_done += 1;
                of_several(&told.value, &told.sentence);
                note(Failure::Refused(told.sentence));
            }
            Err(error) => {
                not_done += 1;
                let failure = saying.terms.named.key.failure(error);
                of_several(&json!({ "id": id, "error": failure.to_string() }), &format!("{id}  {failure}"));
                note(failure);
            }
        }
        if let Some(bar) = &bar {
            bar.inc(1);
        }
    }
    match worst {
        None => Ok(()),
        Some(only) if ids.len() == 1 => Err(only),
        Some(unknown @ Failure::Unknown(_)) => Err(unknown.because(format!(
            "{not_done} of {many} were not done, or nobody knows yet: run it again with --idempotency-key {}",
            saying.terms.named.key.operation
        ))),
        Some(worst) => {
            let were = if not_done == 1 { "was" } else { "were" };
            Err(worst.because(format!("{not_done} of {many} {were} not done")))
        }
    }
}
