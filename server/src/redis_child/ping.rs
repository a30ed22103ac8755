//! Two words of Redis's protocol, spoken without a client: enough to know whether it is there.

use std::io::{Read, Write};
use std::os::unix::net::UnixStream;
use std::path::Path;
use std::time::Duration;

/// A server that answers later than this is busy, not gone.
const TIMEOUT: Duration = Duration::from_secs(1);

/// What came back.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Answer {
    /// It takes commands.
    Ready,
    /// It reads its files, or is busy.
    NotYet,
    /// Nobody listens.
    Nobody,
}

/// Asks whether a server takes commands.
pub(super) fn ping(socket: &Path) -> Answer {
    match say(socket, b"PING\r\n") {
        Ok(reply) if reply.starts_with(b"+PONG") => Answer::Ready,
        Ok(_) => Answer::NotYet,
        Err(why) if why.kind() == std::io::ErrorKind::ConnectionRefused => Answer::Nobody,
        Err(why) if why.kind() == std::io::ErrorKind::NotFound => Answer::Nobody,
        Err(_) => Answer::NotYet,
    }
}

/// Tells a server to keep everything and end. Whether it did shows at its lock.
pub(super) fn shutdown(socket: &Path) -> std::io::Result<()> {
    say(socket, b"SHUTDOWN\r\n").map(|_| ())
}

fn say(socket: &Path, words: &[u8]) -> std::io::Result<Vec<u8>> {
    let mut stream = UnixStream::connect(socket)?;
    stream.set_read_timeout(Some(TIMEOUT))?;
    stream.set_write_timeout(Some(TIMEOUT))?;
    stream.write_all(words)?;
    let mut reply = [0; 64];
    let read = stream.read(&mut reply)?;
    Ok(reply[..read].to_vec())
}
