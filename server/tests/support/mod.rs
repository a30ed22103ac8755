//! The real program, started in a directory of its own and ended with the test.

use std::ffi::OsStr;
use std::fs;
use std::io::{BufRead, BufReader, Read, Write};
use std::net::{SocketAddr, TcpStream};
use std::path::{Path, PathBuf};
use std::process::{Child, Command, ExitStatus, Stdio};
use std::sync::mpsc::{Receiver, channel};
use std::time::{Duration, Instant};
use tempfile::TempDir;

/// Longest anything here may take on a busy machine.
pub(crate) const TIMEOUT: Duration = Duration::from_secs(60);

/// The program under test.
pub(crate) fn program() -> &'static str {
    env!("CARGO_BIN_EXE_reprieve")
}

/// A running `reprieve serve`.
pub(crate) struct Running {
    child: Child,
    pub(crate) address: SocketAddr,
    pub(crate) data: PathBuf,
    pub(crate) log: Receiver<String>,
}

impl Running {
    /// Starts it on a data directory and waits until it says where it listens.
    pub(crate) fn start(data: &Path, more: &[&str]) -> Self {
        Self::start_as(Path::new(program()), data, more)
    }

    /// The same with another program, which becomes ours.
    pub(crate) fn start_as(program: &Path, data: &Path, more: &[&str]) -> Self {
        Self::try_start(program, data, more).unwrap_or_else(|said| panic!("it did not start: {said}"))
    }

    /// The same, or what a program said that refuses to start.
    pub(crate) fn try_start(program: &Path, data: &Path, more: &[&str]) -> Result<Self, String> {
        let mut child = Command::new(program)
            .args(["serve", "--listen", "127.0.0.1:0"])
            .args(if more.contains(&"--redis") {
                vec![]
            } else {
                vec![OsStr::new("--data"), data.as_os_str()]
            })
            .args(if more.contains(&"--login") { &[][..] } else { &["--login", "off"] })
            .args(more)
            .current_dir(data.parent().unwrap())
            .stdout(Stdio::piped())
            .stderr(Stdio::piped())
            .spawn()
            .unwrap();
        let lines = follow(child.stdout.take().unwrap());
        let log = follow(child.stderr.take().unwrap());
        let address = loop {
            let Ok(line) = lines.recv_timeout(TIMEOUT) else {
                let _ = child.kill();
                let _ = child.wait();
                return Err(log.iter().collect::<Vec<_>>().join("\n"));
            };
            if let Some((_, address)) = line.split_once("dashboard  http")
                && let Some((_, address)) = address.split_once("://")
            {
                break address.trim().parse().unwrap();
            }
        };
        Ok(Self { child, address, data: data.to_owned(), log })
    }

    pub(crate) fn pid(&self) -> u32 {
        self.child.id()
    }

    /// The redis-server of this data directory, if one runs.
    pub(crate) fn redis(&self) -> Option<u32> {
        redis_of(&self.data)
    }

    /// Ends it as a crash would.
    pub(crate) fn kill(mut self) -> ExitStatus {
        self.child.kill().unwrap();
        self.child.wait().unwrap()
    }

    /// Asks it to end, and waits.
    pub(crate) fn terminate(mut self) -> ExitStatus {
        signal(self.child.id(), "TERM");
        eventually("the program ends", || self.child.try_wait().unwrap())
    }

    /// Asks it to end, and waits for so long. How it ended, and how long that took.
    pub(crate) fn terminate_within(mut self, limit: Duration) -> (ExitStatus, Duration) {
        let asked = Instant::now();
        signal(self.child.id(), "TERM");
        let status = within(limit, "the program ends", || self.child.try_wait().unwrap());
        (status, asked.elapsed())
    }

    /// One GET; the status and the whole answer.
    pub(crate) fn get(&self, path: &str) -> (u16, String) {
        get(self.address, path).unwrap()
    }
}

impl Drop for Running {
    fn drop(&mut self) {
        if self.child.try_wait().is_ok_and(|ended| ended.is_none()) {
            let _ = self.child.kill();
            let _ = self.child.wait();
        }
    }
}

/// A fresh directory with room for a data directory in it.
pub(crate) fn directory() -> TempDir {
    tempfile::Builder::new().prefix("reprieve-test-").tempdir().unwrap()
}

/// Runs the program to its end, which must come soon: it is a program that refuses to start.
pub(crate) fn run(arguments: &[&str], directory: &Path) -> (ExitStatus, String) {
    let mut command = Command::new(program());
    let child = command.args(arguments).current_dir(directory).stdout(Stdio::null()).stderr(Stdio::piped());
    let mut child = child.spawn().unwrap();
    let ended = Instant::now() + TIMEOUT;
    while child.try_wait().unwrap().is_none() {
        if Instant::now() > ended {
            child.kill().unwrap();
            panic!("{arguments:?} started and went on, where it should have been refused");
        }
        std::thread::sleep(Duration::from_millis(10));
    }
    let output = child.wait_with_output().unwrap();
    (output.status, String::from_utf8_lossy(&output.stderr).into_owned())
}

/// Sends a signal to one process.
pub(crate) fn signal(pid: u32, name: &str) {
    assert!(Command::new("kill").args([&format!("-{name}"), &pid.to_string()]).status().unwrap().success());
}

/// The redis-server whose command line names this directory.
pub(crate) fn redis_of(data: &Path) -> Option<u32> {
    let data = data.canonicalize().ok()?;
    fs::read_dir("/proc").unwrap().flatten().find_map(|entry| {
        let pid: u32 = entry.file_name().to_str()?.parse().ok()?;
        // `redis-server` or `valkey-server`; until it is that, the guard has our own name.
        let name = fs::read_to_string(entry.path().join("comm")).ok()?;
        let words = fs::read(entry.path().join("cmdline")).ok()?;
        // The server rewrites its title to "redis-server unixsocket:<path>".
        let ours = String::from_utf8_lossy(&words).contains(data.to_str()?);
        (name.trim().ends_with("-server") && ours).then_some(pid)
    })
}

/// Waits for something to be there. There is nothing else to wait on outside a process, so it looks.
pub(crate) fn eventually<T>(what: &str, look: impl FnMut() -> Option<T>) -> T {
    within(TIMEOUT, what, look)
}

/// Like [`eventually`], with a limit that is part of what is promised.
pub(crate) fn within<T>(limit: Duration, what: &str, mut look: impl FnMut() -> Option<T>) -> T {
    let start = Instant::now();
    loop {
        if let Some(found) = look() {
            return found;
        }
        assert!(start.elapsed() < limit, "not within {limit:?}: {what}");
        std::thread::sleep(Duration::from_millis(10));
    }
}

/// One GET over a new connection.
pub(crate) fn get(address: SocketAddr, path: &str) -> std::io::Result<(u16, String)> {
    exchange(address, &format!("GET {path} HTTP/1.1\r\nHost: {address}\r\nConnection: close\r\n\r\n"))
}

/// Sends a request as it stands and reads until the end.
pub(crate) fn exchange(address: SocketAddr, request: &str) -> std::io::Result<(u16, String)> {
    let mut stream = TcpStream::connect(address)?;
    stream.set_read_timeout(Some(TIMEOUT))?;
    stream.write_all(request.as_bytes())?;
    let mut answer = Vec::new();
    stream.read_to_end(&mut answer)?;
    let answer = String::from_utf8_lossy(&answer).into_owned();
    let status = answer.split_whitespace().nth(1).and_then(|status| status.parse().ok()).unwrap_or(0);
    Ok((status, answer))
}

/// One POST of JSON that must be accepted.
pub(crate) fn post_json(address: SocketAddr, path: &str, body: &str) {
    let request = format!(
        "POST {path} HTTP/1.1\r\nHost: {address}\r\nContent-Type: application/json\r\nContent-Length: {}\r\n\
         Connection: close\r\n\r\n{body}",
        body.len()
    );
    let (status, answer) = exchange(address, &request).unwrap();
    assert!((200..300).contains(&status), "{answer}");
}

pub(crate) fn follow(output: impl Read + Send + 'static) -> Receiver<String> {
    let (lines, received) = channel();
    std::thread::spawn(move || {
        for line in BufReader::new(output).lines().map_while(Result::ok) {
            if lines.send(line).is_err() {
                return;
            }
        }
    });
    received
}
