//! The command line.
//!
//! `serve`, `demo` and `worker` are programs that stay; every other verb does one thing and ends. Those reach the
//! engine directly, by the same settings as `serve` (`session`); what the shell sees of the end is in `exit`.

mod exit;
mod file;
mod flags;
mod output;
mod session;
mod verb;
mod when;

mod acl;
mod act;
mod audit;
mod batch;
mod besides;
mod bulk;
mod cron;
mod doctor;
mod edit;
mod effort;
mod enqueue;
mod import;
mod job;
mod jobs;
mod limit;
mod log;
mod people;
mod plan;
mod queues;
mod repeats;
mod retention;
mod reveal;
mod rule;
mod search;
mod settings;
mod shell;
mod standstill;
mod subject;
mod tally;
mod token;
mod workers;

pub use acl::Acl;
pub use doctor::Doctor;
pub use flags::Flags;
pub use session::Reach;
pub use shell::{Completions, Man};
pub use verb::Verb;

use crate::demo::{Speed, span};
use clap::{Args, Parser, Subcommand};
use std::ffi::OsString;
use std::path::PathBuf;
use std::time::Duration;

/// Delayed jobs on Redis that can be called off.
#[derive(Debug, Parser)]
#[command(name = "reprieve", version, about, max_term_width = 100)]
pub struct Cli {
    /// What to do.
    #[command(subcommand)]
    pub command: Command,
}

/// What to do.
#[derive(Debug, Subcommand)]
#[non_exhaustive]
pub enum Command {
    /// The dashboard, the HTTP API, the scheduler and the webhooks.
    Serve(Flags),
    /// The same on seeded data: a small shop whose resources expire, in fast time.
    Demo(DemoFlags),
    /// The scheduler and the webhooks without the dashboard.
    Worker(Flags),
    /// Anything that does one thing and ends.
    #[command(flatten)]
    Verb(Box<Verb>),
    /// Look at the Redis that holds the jobs, and say what to do about what is found
    Doctor(Doctor),
    /// Print the command that makes a Redis user with the least rights
    Acl(Acl),
    /// Print the completion script of a shell
    Completions(Completions),
    /// Write the manual pages into a directory
    Man(Man),
    /// Binds a redis-server to its parent's life, then becomes it. The program calls this itself.
    #[command(hide = true)]
    RedisGuard(GuardFlags),
}

/// What `demo` takes.
#[derive(Debug, Clone, Args)]
#[non_exhaustive]
pub struct DemoFlags {
    /// What every command takes.
    #[command(flatten)]
    pub flags: Flags,
    /// How fast the shop's time runs: a span of it per span of ours, or `real`
    #[arg(long, value_name = "SPAN/SPAN", default_value = "30d/min")]
    pub speed: Speed,
    /// For how long the demo keeps what visitors do before it begins anew
    #[arg(long, value_name = "SPAN", default_value = "24h", value_parser = span)]
    pub day: Duration,
}

/// What the guard takes; see `redis_child::guard`.
#[derive(Debug, Clone, Args)]
pub struct GuardFlags {
    /// Process that must be the parent
    #[arg(long)]
    pub(crate) parent: i32,
    /// File whose lock goes along into the server, held as long as it lives
    #[arg(long)]
    pub(crate) lock: PathBuf,
    /// The server and its arguments
    #[arg(last = true, required = true)]
    pub(crate) command: Vec<OsString>,
}

#[cfg(test)]
mod tests {
    use super::*;
    use clap::CommandFactory;

    #[test]
    fn the_command_line_is_well_formed() {
        Cli::command().debug_assert();
    }
}
