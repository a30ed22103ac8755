//! What `reprieve enqueue` and `reprieve cron put` say alike of a job: its rank, its attempts and how long it is kept.

use crate::config::read_span;
use clap::Args;
use reprieve::model::{Delay, Priority};

/// What is spent on a job. What is not said is `None`.
#[derive(Debug, Clone, Args)]
pub(super) struct Effort {
    /// 0 (first) to 9 (last) among ready jobs [default: 5]
    #[arg(long, value_name = "NUMBER", value_parser = priority)]
    pub(super) priority: Option<Priority>,
    /// How many attempts [default: 25]
    #[arg(long, value_name = "NUMBER", value_parser = clap::value_parser!(u32).range(1..))]
    max_attempts: Option<u32>,
    /// As many attempts as it takes
    #[arg(long, conflicts_with = "max_attempts")]
    unlimited: bool,
    /// How long one attempt may take, such as 90s
    #[arg(long, value_name = "SPAN", value_parser = read_span)]
    pub(super) timeout: Option<Delay>,
    /// How long a job is kept once ended, such as 7d
    #[arg(long, value_name = "SPAN", value_parser = read_span)]
    pub(super) retention: Option<Delay>,
}

impl Effort {
    /// How many attempts were said, where as many as it takes are `Some(None)`.
    pub(super) fn attempts(&self) -> Option<Option<u32>> {
        (self.unlimited || self.max_attempts.is_some()).then_some(self.max_attempts)
    }
}

fn priority(text: &str) -> Result<Priority, String> {
    text.parse().ok().and_then(Priority::new).ok_or_else(|| "a priority is 0 (first) to 9 (last)".to_owned())
}
