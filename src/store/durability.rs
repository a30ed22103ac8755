//! How a server keeps its data, from what it says of itself.

use crate::model::Kept;
use redis::InfoDict;

/// From `INFO` and from `CONFIG GET save appendfsync`, which a server may refuse to tell.
pub(super) fn kept(info: &InfoDict, save: Option<&str>, appendfsync: Option<&str>) -> Kept {
    if info.get::<String>("aof_enabled").as_deref() != Some("1") {
        return if save == Some("") { Kept::Memory } else { Kept::Snapshots };
    }
    match appendfsync {
        Some("always") => Kept::Always,
        Some("everysec") => Kept::EverySecond,
        Some("no") => Kept::System,
        _ => Kept::Unknown,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_server_is_taken_at_its_word() {
        let info = |aof: &str| InfoDict::new(&format!("aof_enabled:{aof}\r\n"));
        let class = |aof, save, fsync| kept(&info(aof), save, fsync);
        assert_eq!(class("0", Some(""), None), Kept::Memory);
        assert_eq!(class("0", Some("60 1"), Some("always")), Kept::Snapshots);
        assert_eq!(class("0", None, None), Kept::Snapshots);
        assert_eq!(class("1", Some(""), Some("everysec")), Kept::EverySecond);
        assert_eq!(class("1", None, Some("always")), Kept::Always);
        assert_eq!(class("1", None, None), Kept::Unknown);
    }
}
