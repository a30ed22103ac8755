//! What `reprieve enqueue` says about repeats, lateness and spreading.

use super::exit::Failure;
use crate::config::read_span;
use clap::{Args, ValueEnum};
use reprieve::model::{Delay, UniqueKey};
use reprieve::{LatePolicy, Lateness, NewJob, Spread, UniqueMode, content_key};

/// Which jobs are the same work, and when it is too late for one.
#[derive(Debug, Clone, Args)]
pub(super) struct Repeats {
    /// A key that at most one live job holds
    #[arg(long, value_name = "KEY", requires = "unique_for")]
    unique: Option<UniqueKey>,
    /// The same, with a key made of kind and payload
    #[arg(long, conflicts_with = "unique", requires = "unique_for")]
    unique_content: bool,
    /// For how long it holds that key at most
    #[arg(long, value_name = "SPAN", value_parser = read_span)]
    unique_for: Option<Delay>,
    /// Who wins when a second job names the key
    #[arg(long, value_name = "MODE", value_enum, default_value_t, requires = "unique_for")]
    unique_mode: Mode,
    /// With debounce: how long it may be put off at most
    #[arg(long, value_name = "SPAN", value_parser = read_span, requires = "unique_for")]
    max_wait: Option<Delay>,
    /// How late it may start, such as 1h
    #[arg(long, value_name = "SPAN", value_parser = read_span)]
    late: Option<Delay>,
    /// What becomes of it then: skip, dead or run
    #[arg(long, value_name = "WORD", default_value = "skip", requires = "late", value_parser = |text: &str| text.parse::<LatePolicy>())]
    then: LatePolicy,
    /// Let it start outside the delivery windows of its kind too
    #[arg(long)]
    any_window: bool,
    /// Move it, or each job of the file, later by a part of that span that its id decides
    #[arg(long, value_name = "SPAN", value_parser = read_span)]
    pub(super) spread: Option<Delay>,
}

/// Who wins when a second job names a key.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default, ValueEnum)]
enum Mode {
    /// The first, as long as it lives
    #[default]
    WhileLive,
    /// The first, for the whole time
    Throttle,
    /// The last: the waiting job gets its payload and due time
    Debounce,
}

impl Repeats {
    /// Says it of a job whose kind and payload are there.
    pub(super) fn apply(self, job: &mut NewJob) -> Result<(), Failure> {
        if self.max_wait.is_some() && self.unique_mode != Mode::Debounce {
            return Err(Failure::Usage("--max-wait is for --unique-mode debounce".to_owned()));
        }
        let key = if self.unique_content { Some(content_key(&job.kind, &job.payload)) } else { self.unique };
        if key.is_none() && self.unique_for.is_some() {
            return Err(Failure::Usage("--unique-for needs --unique or --unique-content".to_owned()));
        }
        job.unique = key.zip(self.unique_for);
        job.unique_mode = match self.unique_mode {
            Mode::WhileLive => UniqueMode::WhileLive,
            Mode::Throttle => UniqueMode::Throttle,
            Mode::Debounce => UniqueMode::Debounce { max_wait: self.max_wait },
        };
        job.lateness = self.late.map(|most| Lateness { most, policy: self.then });
        job.any_window = self.any_window;
        job.spread = self.spread.map(Spread::ById);
        Ok(())
    }
}
