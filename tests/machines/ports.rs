//! Ports nobody uses, and plain commands to whoever listens there.

use reprieve::testing::cluster;
use std::collections::BTreeSet;
use std::net::TcpListener;
use std::sync::Mutex;
use std::time::{Duration, Instant};

pub(crate) use reprieve::testing::cluster::tell as command;

/// Far longer than anything here takes, even on a busy machine.
pub(crate) const PATIENCE: Duration = Duration::from_secs(60);

/// Those that a test was given: until its server listens there, a port looks free to the next who asks.
static GIVEN: Mutex<BTreeSet<u16>> = Mutex::new(BTreeSet::new());

/// That many free ports on loopback, each given once.
pub(crate) fn free(count: usize) -> Vec<u16> {
    let mut given = GIVEN.lock().unwrap();
    // Held together, so that no two are the same.
    let (mut listeners, mut ports) = (Vec::new(), Vec::new());
    while ports.len() < count {
        let listener = TcpListener::bind("127.0.0.1:0").unwrap();
        let port = listener.local_addr().unwrap().port();
        listeners.push(listener);
        if given.insert(port) {
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
        assert!(began.elapsed() < PATIENCE, "{what} takes too long");
        std::thread::sleep(Duration::from_millis(20));
    }
}
