//! Ports nobody uses, and plain commands to what listens there.

use reprieve::testing::cluster;
use std::net::TcpListener;
use std::ops::Range;
use std::sync::Mutex;
use std::time::{Duration, Instant};

pub(crate) use reprieve::testing::cluster::tell as command;

/// Far longer than anything here takes, even on a busy machine.
pub(crate) const TIMEOUT: Duration = Duration::from_secs(60);

/// Below those that a system gives to programs that connect or ask for any port: until a server listens on one that was
/// found free, nobody gets it by chance.
const RANGE: Range<u16> = 12_000..32_000;

/// How many were looked at so far: a port looks free until its server listens there, and is given once.
static LOOKED_AT: Mutex<u16> = Mutex::new(0);

/// That many free ports on loopback, each given once. Another process begins to look elsewhere.
pub(crate) fn free(count: usize) -> Vec<u16> {
    let mut looked_at = LOOKED_AT.lock().unwrap();
    let length = RANGE.end - RANGE.start;
    let first = u16::try_from(std::process::id() % u32::from(length)).unwrap();
    let mut ports = Vec::new();
    while ports.len() < count {
        let port = RANGE.start + (first + *looked_at) % length;
        *looked_at += 1;
        if TcpListener::bind(("127.0.0.1", port)).is_ok() {
            ports.push(port);
        }
    }
    ports
}

/// Whether a server tells that of itself. One that is made master cuts its connections, and is asked again.
pub(crate) fn tells(port: u16, section: &str, what: &str) -> bool {
    cluster::text(port, &["INFO", section]).is_ok_and(|told| told.contains(what))
}

/// Looks until it is so: servers agree among themselves, and tell nobody when they have.
pub(crate) fn until(what: &str, mut holds: impl FnMut() -> bool) {
    let began = Instant::now();
    while !holds() {
        assert!(began.elapsed() < TIMEOUT, "{what} takes too long");
        std::thread::sleep(Duration::from_millis(20));
    }
}
