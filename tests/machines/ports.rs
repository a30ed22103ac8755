//! Ports nobody uses, and plain commands to whoever listens there.

use reprieve::testing::cluster;
use std::net::TcpListener;
use std::time::{Duration, Instant};

pub(crate) use reprieve::testing::cluster::tell as command;

/// Far longer than anything here takes, even on a busy machine.
pub(crate) const PATIENCE: Duration = Duration::from_secs(20);

/// That many free ports on loopback. They are held together, so that no two are the same.
pub(crate) fn free(count: usize) -> Vec<u16> {
    let listeners: Vec<_> = (0..count).map(|_| TcpListener::bind("127.0.0.1:0").unwrap()).collect();
    listeners.iter().map(|listener| listener.local_addr().unwrap().port()).collect()
}

/// Whether a server tells that of itself. One that is made master cuts its connections, and is asked again.
pub(crate) fn tells(port: u16, section: &str, what: &str) -> bool {
    cluster::text(port, &["INFO", section]).is_ok_and(|told| told.contains(what))
}

/// Looks until it is so: servers agree among themselves, and tell nobody when they have.
pub(crate) fn until(what: &str, mut holds: impl FnMut() -> bool) {
    let began = Instant::now();
    while !holds() {
        assert!(began.elapsed() < PATIENCE, "{what} takes too long");
        std::thread::sleep(Duration::from_millis(20));
    }
}
