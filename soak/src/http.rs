//! As much of HTTP as visitors here need: one request a connection, and what came back.

use anyhow::{Context as _, Result, bail};
use std::net::{IpAddr, Ipv4Addr, SocketAddr};
use std::time::Duration;
use tokio::io::{AsyncReadExt as _, AsyncWriteExt as _};
use tokio::net::{TcpSocket, TcpStream};

/// Longest anybody waits for an answer.
pub(crate) const PATIENCE: Duration = Duration::from_secs(30);

/// An answer.
#[derive(Debug)]
pub(crate) struct Answer {
    pub(crate) status: u16,
    pub(crate) text: String,
}

impl Answer {
    /// Reads one as it came over the wire.
    pub(crate) fn read(bytes: &[u8]) -> Result<Self> {
        let text = String::from_utf8_lossy(bytes).into_owned();
        let status = text.strip_prefix("HTTP/1.1 ").and_then(|rest| rest.get(..3)?.parse().ok());
        Ok(Self { status: status.context("this is no answer")?, text })
    }

    /// The value of a cookie that it sets.
    pub(crate) fn cookie(&self, name: &str) -> Option<String> {
        let head = self.text.split("\r\n\r\n").next()?;
        let set = head.lines().filter_map(|line| line.strip_prefix("set-cookie: "));
        let mut values = set.filter_map(|text| text.strip_prefix(name)?.strip_prefix('=')?.split(';').next());
        values.next().map(ToOwned::to_owned)
    }
}

/// A request as text. `headers` end in a line end each.
pub(crate) fn text(method: &str, path: &str, headers: &str, body: &str) -> String {
    let length = if body.is_empty() && method == "GET" {
        String::new()
    } else {
        format!("Content-Length: {}\r\n", body.len())
    };
    format!("{method} {path} HTTP/1.1\r\nHost: localhost\r\nConnection: close\r\n{length}{headers}\r\n{body}")
}

/// An address of this machine's own, one of 16 million: a visitor from somewhere else.
pub(crate) fn somewhere(number: u32) -> IpAddr {
    let [_, b, c, d] = number.to_be_bytes();
    Ipv4Addr::new(127, b.max(1), c, d).into()
}

/// A connection from an address of this machine.
pub(crate) async fn connect(from: IpAddr, to: SocketAddr) -> Result<TcpStream> {
    let socket = TcpSocket::new_v4()?;
    socket.bind((from, 0).into())?;
    Ok(socket.connect(to).await?)
}

/// Sends a request over a connection of its own and waits for all of the answer.
pub(crate) async fn ask(from: IpAddr, to: SocketAddr, request: &str) -> Result<Answer> {
    let asking = async {
        let mut stream = connect(from, to).await?;
        // It may be answered and closed before all was heard.
        let sent = stream.write_all(request.as_bytes()).await;
        let mut bytes = Vec::new();
        let read = stream.read_to_end(&mut bytes).await;
        if bytes.is_empty() {
            sent?;
            read?;
            bail!("the connection was closed without an answer");
        }
        Answer::read(&bytes)
    };
    tokio::time::timeout(PATIENCE, asking).await.context("no answer within 30 s")?
}

#[cfg(test)]
#[allow(clippy::unwrap_used, reason = "a test that cannot go on says where")]
mod tests {
    use super::*;

    #[test]
    fn an_answer_has_a_status_and_sets_cookies() {
        let answer =
            Answer::read(b"HTTP/1.1 303 See Other\r\nset-cookie: rp=ab; Path=/\r\n\r\nset-cookie: x=y")
                .unwrap();
        assert_eq!((answer.status, answer.cookie("rp").as_deref()), (303, Some("ab")));
        assert_eq!(answer.cookie("x"), None);
        assert!(Answer::read(b"SSH-2.0").is_err());
    }

    #[test]
    fn visitors_come_from_this_machine_alone() {
        for number in [0, 1, 70_000, u32::MAX] {
            assert!(somewhere(number).is_loopback());
        }
        assert_ne!(somewhere(70_000), somewhere(70_001));
    }
}
