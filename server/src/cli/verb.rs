//! The verbs. Each is a file with its arguments and what it does, and a line here.

use super::exit::Failure;
use super::output::complain;
use super::session::{OneOf, Reach, Run, Session};
use super::{
    act, audit, batch, bulk, cron, edit, enqueue, halt, import, job, jobs, limit, log, people, plan, queues,
    retention, reveal, rule, search, settings, subject, token, workers,
};
use clap::{Args, Subcommand};

/// A verb's own arguments, and what every verb takes.
#[derive(Debug, Clone, Args)]
pub(crate) struct With<A: Args> {
    #[command(flatten)]
    verb: A,
    #[command(flatten)]
    reach: Reach,
}

impl<A: Args + Run> With<A> {
    async fn run(self) -> (bool, Result<(), Failure>) {
        let session = if self.verb.only_looks() {
            Session::look(&self.reach).await
        } else {
            Session::open(&self.reach).await
        };
        let done = match session {
            Ok(session) => self.verb.run(&session).await,
            Err(failure) => Err(failure),
        };
        (self.reach.json, done)
    }
}

macro_rules! verbs {
    ($($(#[$doc:meta])* $verb:ident($arguments:ty),)+) => {
        /// What the command line does to jobs, queues and subjects.
        #[derive(Debug, Clone, Subcommand)]
        #[expect(private_interfaces, reason = "the arguments of a verb are its own business")]
        #[non_exhaustive]
        pub enum Verb {
            $($(#[$doc])* $verb(With<$arguments>),)+
        }

        impl Verb {
            /// Does it, says what went wrong, and returns what the shell sees.
            pub async fn run(self) -> u8 {
                let (json, done) = match self { $(Self::$verb(with) => with.run().await,)+ };
                let Err(failure) = done else { return 0 };
                complain(&failure.line(json));
                failure.exit()
            }
        }
    };
}

verbs! {
    /// Add a job, or many from a file
    Enqueue(enqueue::Enqueue),
    /// Cancel jobs
    Cancel(act::Cancel),
    /// Undo a cancel, at the original due time or another
    Reinstate(act::Reinstate),
    /// Run waiting, dead or cancelled jobs now
    Retry(act::Retry),
    /// Change the due time of waiting jobs
    Reschedule(act::Reschedule),
    /// Hold delayed jobs: they do not run until somebody unholds them
    Hold(act::Hold),
    /// Unhold jobs: they run at their due time again
    Unhold(act::Unhold),
    /// Change the payload of a waiting or dead job
    Edit(edit::Edit),
    /// Show one hidden part of a payload
    Reveal(reveal::Reveal),
    /// Remove ended jobs before their retention is over
    Purge(act::Purge),
    /// List jobs
    Jobs(jobs::Jobs),
    /// Show one job with its attempts and history
    Job(job::Show),
    /// Show everything about one subject, or cancel its jobs
    Subject(subject::About),
    /// Find jobs by queue, state, kind, tag, time and error
    Search(search::Find),
    /// Show who did what, and check that nobody changed the audit
    Audit(OneOf<audit::Act>),
    /// List workers, or quiet, resume and stop them
    Workers(workers::Workers),
    /// Make, list and revoke tokens for the HTTP API
    Token(OneOf<token::Act>),
    /// Add, list and change the people who may sign in
    People(OneOf<people::Act>),
    /// Plans: several jobs of one subject, timed from one anchor
    Plan(OneOf<plan::Act>),
    /// Batches: jobs that are counted together, and one that runs after all of them
    Batch(OneOf<batch::Act>),
    /// List queues with their counts
    Queues(queues::Queues),
    /// Import the jobs of a sorted set or of another system, or roll that back
    Import(import::Import),
    /// Pause queues: their jobs do not start
    Pause(queues::Pause),
    /// Resume paused queues
    Resume(queues::Resume),
    /// Show whether jobs start, or end a halt
    Halt(OneOf<halt::Act>),
    /// Change many jobs at once, with a preview first
    Bulk(OneOf<bulk::Act>),
    /// Show what a job wrote while it ran
    Log(log::Log),
    /// Show what became of a subject's jobs that were removed
    Receipts(log::Receipts),
    /// Erase what is kept about a subject
    Erase(log::Erase),
    /// Set how much of a queue may run at once, and how fast
    Limit(limit::Limit),
    /// Rules of a kind: when its jobs may start, and how late
    Rule(OneOf<rule::Act>),
    /// Show or change how long ended jobs are kept
    Retention(OneOf<retention::Act>),
    /// Show or change settings of the namespace: look, redaction, reasons, alerts
    Settings(OneOf<settings::Act>),
    /// Schedules: jobs that are enqueued again and again
    Cron(OneOf<cron::Act>),
}
