//! What a Redis was sent, word for word.

use std::io::{BufRead, BufReader, Write};
use std::os::unix::net::UnixStream;
use std::thread::JoinHandle;

/// A command as it was sent.
pub(crate) type Words = Vec<Vec<u8>>;

/// Ends a recording.
const END: &str = "end-of-the-recording";

/// Listens to everything a server is sent from now on.
pub(crate) struct Recording {
    url: String,
    listener: JoinHandle<Vec<Words>>,
}

impl Recording {
    pub(crate) fn of(url: &str) -> Self {
        let (_, socket) = url.split_once("://").unwrap();
        let mut stream = UnixStream::connect(socket).unwrap();
        stream.write_all(b"MONITOR\r\n").unwrap();
        let mut lines = BufReader::new(stream).lines();
        assert_eq!(lines.next().unwrap().unwrap(), "+OK");
        let listener = std::thread::spawn(move || {
            let told = lines.map_while(Result::ok).take_while(|line| !line.contains(END));
            told.filter_map(|line| sent(&line)).collect()
        });
        Self { url: url.to_owned(), listener }
    }

    /// Everything that was sent.
    pub(crate) fn end(self) -> Vec<Words> {
        let mut connection = redis::Client::open(self.url).unwrap().get_connection().unwrap();
        redis::cmd("ECHO").arg(END).exec(&mut connection).unwrap();
        self.listener.join().unwrap()
    }
}

/// The command in a line such as `+1700.1 [0 unix:…] "GET" "a\x00b"`; none for what a script did.
fn sent(line: &str) -> Option<Words> {
    let (source, words) = line.split_once("] ")?;
    if source.ends_with(" lua") {
        return None;
    }
    let (mut all, mut rest) = (Vec::new(), words.as_bytes());
    while let [b'"', quoted @ ..] = rest {
        let (word, behind) = unquoted(quoted)?;
        all.push(word);
        rest = behind.strip_prefix(b" ").unwrap_or(behind);
    }
    Some(all)
}

/// A word up to its closing quote, and what follows.
fn unquoted(mut text: &[u8]) -> Option<(Vec<u8>, &[u8])> {
    let mut word = Vec::new();
    loop {
        match text {
            [b'"', rest @ ..] => return Some((word, rest)),
            [b'\\', b'x', high, low, rest @ ..] => {
                let digits = [*high, *low];
                word.push(u8::from_str_radix(std::str::from_utf8(&digits).ok()?, 16).ok()?);
                text = rest;
            }
            [b'\\', letter, rest @ ..] => {
                word.push(match letter {
                    b'n' => b'\n',
                    b'r' => b'\r',
                    b't' => b'\t',
                    b'a' => 7,
                    b'b' => 8,
                    other => *other,
                });
                text = rest;
            }
            [byte, rest @ ..] => {
                word.push(*byte);
                text = rest;
            }
            [] => return None,
        }
    }
}

#[test]
fn a_line_of_the_monitor_is_the_words_that_were_sent() {
    let line = r#"+1.2 [0 unix:/tmp/s] "SET" "a\"\\b" "\x00\xff\n""#;
    assert_eq!(sent(line).unwrap(), [b"SET".to_vec(), b"a\"\\b".to_vec(), b"\x00\xff\n".to_vec()]);
    assert_eq!(sent(r#"+1.2 [0 lua] "SET" "a" "b""#), None);
}
