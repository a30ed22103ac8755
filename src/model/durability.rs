//! What of an acknowledged write survives which accident.

use serde::{Deserialize, Serialize};
use std::fmt;

/// How a server keeps its data, weakest first.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Default, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
#[non_exhaustive]
pub enum Kept {
    /// In memory alone.
    Memory,
    /// In memory, with snapshots on disk from time to time.
    Snapshots,
    /// In a log; how often it is synced, the server does not tell.
    #[default]
    Unknown,
    /// In a log that the system writes when it sees fit.
    System,
    /// In a log that is synced every second.
    EverySecond,
    /// In a log that is synced before a write is answered.
    Always,
}

/// How Redis is set up to keep what it has acknowledged.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default, Serialize, Deserialize)]
#[non_exhaustive]
pub struct Durability {
    /// What is on disk, and when.
    pub kept: Kept,
    /// How many replicas follow.
    pub replicas: u32,
    /// With fewer replicas than these it takes no writes; 0 where it needs none.
    pub needed: u32,
    /// By how many replicas what people do is confirmed; 0 where nobody waits for any.
    pub confirmed_by: u32,
}

impl Durability {
    /// For the engine and for tests of screens.
    #[must_use]
    pub const fn new(kept: Kept, replicas: u32, needed: u32, confirmed_by: u32) -> Self {
        Self { kept, replicas, needed, confirmed_by }
    }
}

impl Kept {
    const fn in_words(self) -> &'static str {
        match self {
            Self::Memory => "memory: a crash costs everything",
            Self::Snapshots => "snapshots: a crash may cost everything since the last one",
            Self::System => "logged: a power loss may cost what the system had not written yet",
            Self::EverySecond => "every second: a power loss may cost the last two seconds",
            Self::Always => "always: every write is on disk before it is answered",
            Self::Unknown => "logged: how often the log is synced is not known",
        }
    }
}

/// In English: the disk, then the replicas, then what is confirmed.
impl fmt::Display for Durability {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let s = |count: u32| if count == 1 { "" } else { "s" };
        let Self { kept, replicas, needed, confirmed_by } = *self;
        f.write_str(kept.in_words())?;
        if replicas > 0 {
            write!(f, "; {replicas} replica{}, which may lag by what a failover then costs", s(replicas))?;
        }
        if needed > 0 {
            write!(f, "; no writes with fewer than {needed} replica{}", s(needed))?;
        }
        if confirmed_by > 0 {
            write!(f, "; what people do is confirmed by {confirmed_by} replica{}", s(confirmed_by))?;
        }
        Ok(())
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_words_begin_with_the_disk_and_end_with_what_is_confirmed() {
        assert!(Durability::new(Kept::Always, 0, 0, 0).to_string().starts_with("always: "));
        let all = Durability::new(Kept::EverySecond, 2, 1, 1).to_string();
        assert!(all.starts_with("every second: ") && all.ends_with("confirmed by 1 replica"), "{all}");
    }

    #[test]
    fn the_weakest_of_several_servers_counts() {
        assert_eq!([Kept::Always, Kept::Memory, Kept::EverySecond].into_iter().min(), Some(Kept::Memory));
    }
}
