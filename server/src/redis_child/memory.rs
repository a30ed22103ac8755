//! How much memory the embedded Redis may use. At this limit it accepts nothing new, but jobs can still be cancelled; without
//! a limit the system would kill it.

use std::path::Path;

/// Where Linux says what memory there is.
const MEMINFO: &str = "/proc/meminfo";
const CGROUPS: &str = "/sys/fs/cgroup";
const OWN_CGROUP: &str = "/proc/self/cgroup";

/// Three quarters of the memory that this process may use, in bytes. The rest is for this program, and for Redis while it
/// rewrites its file. 0, which is no limit, if the system does not say how much memory there is.
pub(super) fn limit() -> u64 {
    let read = |path: &str| std::fs::read_to_string(path).ok();
    let machine = read(MEMINFO).and_then(|text| of_machine(&text));
    let group = read(OWN_CGROUP).and_then(|text| of_group(Path::new(CGROUPS), &text));
    machine.into_iter().chain(group).min().unwrap_or(0) / 4 * 3
}

/// `MemTotal`, in bytes.
fn of_machine(meminfo: &str) -> Option<u64> {
    let line = meminfo.lines().find_map(|line| line.strip_prefix("MemTotal:"))?;
    let kilobytes: u64 = line.trim().strip_suffix("kB")?.trim().parse().ok()?;
    kilobytes.checked_mul(1_024)
}

/// The lowest limit of this process's control group and its parents.
fn of_group(root: &Path, own: &str) -> Option<u64> {
    let path = own.lines().find_map(|line| line.strip_prefix("0::/"))?;
    let groups = root.join(path);
    let groups = groups.ancestors().take_while(|group| group.starts_with(root));
    groups
        .filter_map(|group| std::fs::read_to_string(group.join("memory.max")).ok()?.trim().parse().ok())
        .min()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_lowest_limit_counts() {
        let root = std::env::temp_dir().join(format!("reprieve-memory-{}", std::process::id()));
        let inner = root.join("system.slice/reprieve.service");
        std::fs::create_dir_all(&inner).unwrap();
        std::fs::write(root.join("system.slice/memory.max"), "2147483648\n").unwrap();
        std::fs::write(inner.join("memory.max"), "max\n").unwrap();

        assert_eq!(of_group(&root, "0::/system.slice/reprieve.service\n"), Some(2_147_483_648));
        assert_eq!(of_group(&root, "0::/\n"), None);
        assert_eq!(of_group(&root, "7:memory:/old\n"), None);
        assert_eq!(of_machine("MemTotal:       24626248 kB\nMemFree: 1 kB\n"), Some(25_217_277_952));
        assert_eq!(of_machine("nonsense"), None);
        std::fs::remove_dir_all(&root).unwrap();
    }
}
