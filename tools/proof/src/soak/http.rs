//! As much of HTTP as visitors need: one request a connection. It blocks its thread.

use anyhow::{Context, Result};
use std::io::{Read, Write};
use std::net::{SocketAddr, TcpStream};
use std::time::Duration;

/// Longest anybody waits for an answer.
pub(super) const TIMEOUT: Duration = Duration::from_secs(30);

/// An answer.
#[derive(Debug)]
pub(super) struct Answer {
    pub(super) status: u16,
    text: String,
}

impl Answer {
    fn read(bytes: &[u8]) -> Result<Self> {
        let text = String::from_utf8_lossy(bytes).into_owned();
        let status = text.strip_prefix("HTTP/1.1 ").and_then(|rest| rest.get(..3)?.parse().ok());
        Ok(Self { status: status.context("this is no answer")?, text })
    }

    /// The value of the session cookie that it sets.
    pub(super) fn session(&self) -> Option<String> {
        let head = self.text.split("\r\n\r\n").next()?;
        let value = head.lines().find_map(|line| line.strip_prefix("set-cookie: rp="))?;
        value.split(';').next().map(ToOwned::to_owned)
    }
}

/// The header that sends a session along.
pub(super) fn cookie_header(session: &str) -> String {
    format!("Cookie: rp={session}\r\n")
}

/// A request as text. Each of the `headers` ends with a line end.
pub(super) fn request(method: &str, path: &str, headers: &str, body: &str) -> String {
    let length = body.len();
    format!(
        "{method} {path} HTTP/1.1\r\nHost: localhost\r\nConnection: close\r\nContent-Length: {length}\r\n{headers}\r\n{body}"
    )
}

/// Sends a request over a connection of its own and reads all of the answer.
pub(super) fn ask(address: SocketAddr, request: &str) -> Result<Answer> {
    let mut stream = TcpStream::connect_timeout(&address, TIMEOUT)?;
    stream.set_read_timeout(Some(TIMEOUT))?;
    stream.write_all(request.as_bytes())?;
    let mut bytes = Vec::new();
    stream.read_to_end(&mut bytes)?;
    Answer::read(&bytes)
}

#[cfg(test)]
#[allow(clippy::unwrap_used, reason = "a test that cannot go on says where")]
mod tests {
    use super::*;

    #[test]
    fn an_answer_has_a_status_and_a_session() {
        let text = b"HTTP/1.1 303 See Other\r\nset-cookie: rp=ab; Path=/\r\n\r\nset-cookie: rp=y";
        let answer = Answer::read(text).unwrap();
        assert_eq!((answer.status, answer.session().as_deref()), (303, Some("ab")));
        assert!(Answer::read(b"SSH-2.0").is_err());
    }
}
