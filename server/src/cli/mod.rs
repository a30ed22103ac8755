//! The command line.
//!
//! `serve`, `demo` and `worker` are programs that stay; every other verb does one thing and ends. Those reach the
//! engine directly, by the same settings as `serve` (`session`); what the shell sees of the end is in `exit`.

mod exit;
mod file;
mod named;
mod output;
mod own;
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
mod halt;
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
mod rows;
mod rule;
mod search;
mod settings;
mod shell;
mod subject;
mod tally;
mod token;
mod workers;

pub use acl::Acl;
pub use doctor::Doctor;
pub use session::Reach;
pub use shell::{Completions, Man};
pub use verb::Verb;

use crate::config::Flags;
use crate::demo::{Speed, span};
use crate::redis_child::guard::GuardFlags;
use clap::error::{ContextKind, ContextValue};
use clap::{Args, Parser, Subcommand};
use std::ffi::OsString;
use std::sync::LazyLock;
use std::time::Duration;

/// What `--version` says: also the commit, and by which rules of time zones a process on this machine goes.
static LONG_VERSION: LazyLock<String> = LazyLock::new(|| {
    let zones = &reprieve::zones::version().version;
    format!("{}\ncommit {}\ntime zones {zones}", app::VERSION, app::COMMIT)
});

/// Delayed jobs on Redis that can be cancelled until they start.
#[derive(Debug, Parser)]
#[command(name = "reprieve", version, long_version = LONG_VERSION.as_str(), about, max_term_width = 100, after_help = "To look around: reprieve demo. To begin: reprieve serve --login off. What to do about a Redis: reprieve doctor.")]
pub struct Cli {
    /// What to do.
    #[command(subcommand)]
    pub command: Command,
}

impl Cli {
    /// Reads a command line; a mistake ends the program, as do help and version.
    #[must_use]
    pub fn of(words: impl IntoIterator<Item = OsString>) -> Self {
        Self::try_parse_from(behind_the_verb(words)).unwrap_or_else(|mut mistake| {
            // To take an option that is none for a value would pause a queue of that name.
            if let Some(ContextValue::StyledStrs(tips)) = mistake.remove(ContextKind::Suggested) {
                let kept = tips.into_iter().filter(|tip| !tip.to_string().contains("as a value")).collect();
                mistake.insert(ContextKind::Suggested, ContextValue::StyledStrs(kept));
            }
            mistake.exit()
        })
    }
}

/// What every verb takes may stand before it as well: `reprieve --json jobs` is `reprieve jobs --json`.
fn behind_the_verb(words: impl IntoIterator<Item = OsString>) -> Vec<OsString> {
    let reach = Reach::augment_args(clap::Command::new("reach"));
    let takes_value = |word: &str| {
        let (name, value) = word.split_once('=').map_or((word, None), |(name, value)| (name, Some(value)));
        let name = name.strip_prefix("--")?;
        let flag = reach.get_arguments().find(|flag| flag.get_long() == Some(name))?;
        Some(flag.get_action().takes_values() && value.is_none())
    };
    let mut words = words.into_iter();
    let mut all: Vec<OsString> = words.next().into_iter().collect();
    let mut early = Vec::new();
    while let Some(word) = words.next() {
        match word.to_str().and_then(takes_value) {
            Some(takes_value) => {
                early.push(word);
                early.extend(takes_value.then(|| words.next()).flatten());
            }
            None => {
                all.push(word);
                break;
            }
        }
    }
    all.append(&mut early);
    all.extend(words);
    all
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
    #[command(alias = "status")]
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

#[cfg(test)]
mod tests {
    use super::*;
    use clap::CommandFactory;

    #[test]
    fn what_every_verb_takes_may_stand_before_it() {
        let moved = |line: &str| {
            let words = behind_the_verb(line.split(' ').map(OsString::from));
            words.iter().map(|word| word.to_str().unwrap()).collect::<Vec<_>>().join(" ")
        };
        for (written, read) in [
            ("reprieve --json jobs dead", "reprieve jobs --json dead"),
            ("reprieve --redis unix:/x --json bulk start r", "reprieve bulk --redis unix:/x --json start r"),
            ("reprieve --namespace=a jobs", "reprieve jobs --namespace=a"),
            ("reprieve jobs --json", "reprieve jobs --json"),
            ("reprieve --version", "reprieve --version"),
            ("reprieve --json", "reprieve --json"),
            ("reprieve", "reprieve"),
        ] {
            assert_eq!(moved(written), read);
        }
    }

    #[test]
    fn the_version_names_the_commit_and_the_rules_of_time_zones() {
        let zones = &reprieve::zones::version().version;
        let said = Cli::command().render_long_version();
        assert_eq!(said, format!("reprieve {}\ncommit {}\ntime zones {zones}\n", app::VERSION, app::COMMIT));
    }

    #[test]
    fn the_command_line_is_well_formed() {
        Cli::command().debug_assert();
    }
}
