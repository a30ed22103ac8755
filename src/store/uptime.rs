//! The clocks of this machine: how long it has been up, in ms, the time that it slept included; and the time of day.

use std::time::{SystemTime, UNIX_EPOCH};

/// Runs on while the machine sleeps, as the clock of a Redis does; `Instant` would stand still.
#[cfg(target_os = "linux")]
pub(crate) fn uptime_ms() -> i64 {
    let time = rustix::time::clock_gettime(rustix::time::ClockId::Boottime);
    time.tv_sec.saturating_mul(1_000).saturating_add(time.tv_nsec / 1_000_000)
}

/// Where the system is not asked for such a clock: since this process first asked.
#[cfg(not(target_os = "linux"))]
pub(crate) fn uptime_ms() -> i64 {
    static FIRST: std::sync::LazyLock<std::time::Instant> = std::sync::LazyLock::new(std::time::Instant::now);
    i64::try_from(FIRST.elapsed().as_millis()).unwrap_or(i64::MAX)
}

/// The clock of this machine, in ms since 1970.
pub(super) fn wall_ms() -> i64 {
    let since = SystemTime::now().duration_since(UNIX_EPOCH).unwrap_or_default();
    i64::try_from(since.as_millis()).unwrap_or(i64::MAX)
}
