//! What this process is, for those who look at it from elsewhere.

use rand::Rng;

/// The machine's name, made of characters that fit into an id; `host` when it has none.
pub fn host() -> String {
    let name = std::fs::read_to_string("/etc/hostname").ok().or_else(|| std::env::var("HOSTNAME").ok());
    let name: String = name
        .unwrap_or_default()
        .trim()
        .chars()
        .filter(|c| c.is_ascii_alphanumeric() || matches!(c, '.' | '-' | '_'))
        .take(40)
        .collect();
    if name.is_empty() { "host".to_owned() } else { name }
}

/// Host, process id and a random part, so that two services of one process differ too.
pub fn process_id() -> String {
    let random: u32 = rand::rng().random_range(0..0x0100_0000);
    format!("{}-{}-{random:06x}", host(), std::process::id())
}

/// Memory this process holds, in bytes; `None` where the system has no `/proc`.
pub fn memory_bytes() -> Option<u64> {
    let status = std::fs::read_to_string("/proc/self/status").ok()?;
    resident_bytes(&status)
}

/// The line `VmRSS:     1234 kB` of proc(5).
fn resident_bytes(status: &str) -> Option<u64> {
    let line = status.lines().find_map(|line| line.strip_prefix("VmRSS:"))?;
    line.split_whitespace().next()?.parse::<u64>().ok()?.checked_mul(1_024)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn resident_memory_is_read_from_the_systems_words() {
        assert_eq!(resident_bytes("VmPeak:\t 9 kB\nVmRSS:\t   2048 kB\nThreads:\t3\n"), Some(2_097_152));
        assert_eq!(resident_bytes("Name:\tx\n"), None);
        assert_eq!(resident_bytes("VmRSS:\tmuch\n"), None);
    }
}
