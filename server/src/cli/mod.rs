//! The command line.
//!
//! `serve`, `demo` and `worker` are programs that stay; every other verb does one thing and ends. Those reach the
//! engine directly, by the same settings as `serve` (`session`); what the shell sees of the end is in `exit`.

mod exit;
mod output;
mod session;
mod verb;
mod when;

mod acl;
mod act;
mod batch;
mod bulk;
mod cron;
mod doctor;
mod enqueue;
mod import;
mod job;
mod jobs;
mod limit;
mod log;
mod plan;
mod queues;
mod retention;
mod rule;
mod search;
mod shell;
mod subject;
mod token;
mod workers;

pub use acl::Acl;
pub use doctor::Doctor;
pub use session::Reach;
pub use shell::{Completions, Man};
pub use verb::Verb;

use crate::demo::Speed;
use clap::{Args, Parser, Subcommand};
use std::ffi::OsString;
use std::path::PathBuf;

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

/// What `serve`, `demo` and `worker` have in common.
///
/// Texts are checked together with the configuration file, so that all mistakes show at once.
#[derive(Debug, Clone, Default, Args)]
#[non_exhaustive]
pub struct Flags {
    /// Address of the dashboard, on this machine [default: 127.0.0.1:8080]
    #[arg(long, value_name = "ADDRESS")]
    pub listen: Option<String>,
    /// Directory of the embedded Redis [default: ./reprieve-data]
    #[arg(long, value_name = "DIRECTORY")]
    pub data: Option<String>,
    /// Use this Redis instead of the embedded one: redis://, rediss://, unix:, redis+cluster:// or redis+sentinel://
    #[arg(long, value_name = "URL")]
    pub redis: Option<String>,
    /// Trust only a Redis that one of these certificates has signed for
    #[arg(long, value_name = "FILE")]
    pub redis_ca_file: Option<String>,
    /// Cells of the namespace, fixed at its first use [default: 1]
    #[arg(long, value_name = "NUMBER")]
    pub cells: Option<String>,
    /// Answer what people do once that many replicas have it [default: 0]
    #[arg(long, value_name = "NUMBER")]
    pub confirm_replicas: Option<String>,
    /// Namespace of the jobs [default: default]
    #[arg(long, value_name = "NAME")]
    pub namespace: Option<String>,
    /// Configuration file [default: reprieve.toml, if it is there]
    #[arg(long, value_name = "FILE")]
    pub config: Option<String>,
    /// Do not work on due jobs here
    #[arg(long)]
    pub no_work: bool,
    /// Log one JSON object a line
    #[arg(long)]
    pub json: bool,
    /// Whether the HTTP API asks for a token: off or required [default: off, as only this machine reaches it]
    #[arg(long, value_name = "WHEN")]
    pub api_auth: Option<String>,
    /// Send jobs of these kinds to this URL; may be repeated
    #[arg(long, value_name = "KIND_GLOB=URL")]
    pub webhook: Vec<String>,
    /// Let the webhooks of --webhook reach private addresses and this machine
    #[arg(long)]
    pub webhook_allow_private: bool,
    /// Answer to this host name too, for instance behind a proxy; may be repeated
    #[arg(long, value_name = "NAME")]
    pub allow_host: Vec<String>,
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
