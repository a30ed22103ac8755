//! Ports nobody uses, and plain commands to whoever listens there.

use std::net::TcpListener;
use std::time::{Duration, Instant};

/// Far longer than anything here takes, even on a busy machine.
pub(crate) const PATIENCE: Duration = Duration::from_secs(20);

/// That many free ports on loopback. They are held together, so that no two are the same.
pub(crate) fn free(count: usize) -> Vec<u16> {
    let listeners: Vec<_> = (0..count).map(|_| TcpListener::bind("127.0.0.1:0").unwrap()).collect();
    listeners.iter().map(|listener| listener.local_addr().unwrap().port()).collect()
}

/// A plain command to one server.
pub(crate) fn command(port: u16, words: &[&str]) -> redis::RedisResult<redis::Value> {
    let client = redis::Client::open(format!("redis://127.0.0.1:{port}/"))?;
    let mut connection = client.get_connection_with_timeout(Duration::from_secs(2))?;
    connection.set_read_timeout(Some(Duration::from_secs(10)))?;
    let mut command = redis::cmd(words[0]);
    for word in &words[1..] {
        command.arg(*word);
    }
    command.query(&mut connection)
}

/// What a command answers, as text.
pub(crate) fn text(port: u16, words: &[&str]) -> String {
    redis::from_redis_value(command(port, words).unwrap()).unwrap()
}

/// Looks until it is so: servers agree among themselves, and tell nobody when they have.
pub(crate) fn until(what: &str, mut holds: impl FnMut() -> bool) {
    let began = Instant::now();
    while !holds() {
        assert!(began.elapsed() < PATIENCE, "{what} takes too long");
        std::thread::sleep(Duration::from_millis(20));
    }
}
