//! What of an acknowledged write survives which accident, as the server is set up.

use redis::InfoDict;

/// How the server keeps its data, weakest first.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub(super) enum Kept {
    Memory,
    Snapshots,
    Unknown,
    System,
    EverySecond,
    Always,
}

impl Kept {
    /// From `INFO` and from `CONFIG GET save appendfsync`, which a server may refuse to tell.
    pub(super) fn read(info: &InfoDict, save: Option<&str>, appendfsync: Option<&str>) -> Self {
        if info.get::<String>("aof_enabled").as_deref() != Some("1") {
            return if save == Some("") { Self::Memory } else { Self::Snapshots };
        }
        match appendfsync {
            Some("always") => Self::Always,
            Some("everysec") => Self::EverySecond,
            Some("no") => Self::System,
            _ => Self::Unknown,
        }
    }

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

/// The whole in words: the disk, then the replicas, then what is confirmed.
pub(super) fn in_words(kept: Kept, replicas: u32, needed: u32, confirmed_by: u32) -> String {
    let mut text = kept.in_words().to_owned();
    let s = |count: u32| if count == 1 { "" } else { "s" };
    if replicas > 0 {
        text += &format!("; {replicas} replica{}, which may lag by what a failover then costs", s(replicas));
    }
    if needed > 0 {
        text += &format!("; no writes with fewer than {needed} replica{}", s(needed));
    }
    if confirmed_by > 0 {
        text += &format!("; what people do is confirmed by {confirmed_by} replica{}", s(confirmed_by));
    }
    text
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_words_begin_with_the_class() {
        let info = |aof: &str| InfoDict::new(&format!("aof_enabled:{aof}\r\n"));
        let class = |aof, save, fsync| Kept::read(&info(aof), save, fsync);
        assert_eq!(class("0", Some(""), None), Kept::Memory);
        assert_eq!(class("0", Some("60 1"), Some("always")), Kept::Snapshots);
        assert_eq!(class("0", None, None), Kept::Snapshots);
        assert_eq!(class("1", Some(""), Some("everysec")), Kept::EverySecond);
        assert_eq!(class("1", None, Some("always")), Kept::Always);
        assert_eq!(class("1", None, None), Kept::Unknown);
        assert!(in_words(Kept::Always, 0, 0, 0).starts_with("always: "));
        let all = in_words(Kept::EverySecond, 2, 1, 1);
        assert!(all.starts_with("every second: ") && all.ends_with("confirmed by 1 replica"), "{all}");
    }

    #[test]
    fn the_weakest_of_several_servers_counts() {
        assert_eq!([Kept::Always, Kept::Memory, Kept::EverySecond].into_iter().min(), Some(Kept::Memory));
    }
}
