//! A private redis-server that ends with the test.

use std::collections::BTreeMap;
use std::io;
use std::path::Path;
use std::process::{Child, Command, Stdio};
use std::time::{Duration, Instant};

/// How long the server may take to answer its first command.
const START_PATIENCE: Duration = Duration::from_secs(10);

/// A redis-server on a unix socket in a directory of its own, killed when dropped and when this process dies.
#[derive(Debug)]
pub struct RedisServer {
    /// The shell that watches over the server.
    child: Child,
    pid: u32,
    directory: tempfile::TempDir,
    options: Vec<String>,
    url: String,
}

impl RedisServer {
    /// Starts one without persistence.
    ///
    /// # Errors
    /// When there is no redis-server on the PATH or it does not come up.
    pub fn start() -> io::Result<Self> {
        Self::start_with(&["--save", "", "--appendonly", "no"])
    }

    /// Starts one with these options more.
    ///
    /// # Errors
    /// When there is no redis-server on the PATH or it does not come up.
    pub fn start_with(options: &[&str]) -> io::Result<Self> {
        let directory = tempfile::tempdir()?;
        let options: Vec<String> = options.iter().map(|option| (*option).to_owned()).collect();
        let child = spawn(directory.path(), &options)?;
        let url = format!("unix://{}", directory.path().join("redis.sock").display());
        let mut server = Self { child, pid: 0, directory, options, url };
        server.wait_until_it_answers()?;
        Ok(server)
    }

    /// Where it is.
    #[must_use]
    pub fn url(&self) -> &str {
        &self.url
    }

    /// Its process.
    #[must_use]
    pub const fn pid(&self) -> u32 {
        self.pid
    }

    /// Ends it at once, as a crash would.
    ///
    /// # Errors
    /// When it cannot be signalled.
    pub fn kill(&mut self) -> io::Result<()> {
        Command::new("kill").args(["-9", &self.pid.to_string()]).status()?;
        self.child.wait().map(drop)
    }

    /// Starts it again on the same data.
    ///
    /// # Errors
    /// When it does not come up.
    pub fn restart(&mut self) -> io::Result<()> {
        self.child = spawn(self.directory.path(), &self.options)?;
        self.wait_until_it_answers()
    }

    fn wait_until_it_answers(&mut self) -> io::Result<()> {
        let began = Instant::now();
        loop {
            match process_id(&self.url) {
                Ok(pid) => {
                    self.pid = pid;
                    return Ok(());
                }
                Err(error) if began.elapsed() > START_PATIENCE => return Err(io::Error::other(error)),
                // Not a signal one could wait for: a socket appears when it appears.
                Err(_) => std::thread::sleep(Duration::from_millis(5)),
            }
        }
    }
}

impl Drop for RedisServer {
    fn drop(&mut self) {
        drop(self.kill());
    }
}

/// A static server is never dropped, and a killed test runs no destructor: a small shell watches a pipe that this
/// process holds open, and ends redis-server when it closes.
fn spawn(directory: &Path, options: &[String]) -> io::Result<Child> {
    const WATCH: &str =
        r#"exec 3<&0; "$@" </dev/null & child=$!; (read -r _ <&3; kill -9 $child) 2>/dev/null & wait $child"#;
    let socket = directory.join("redis.sock");
    drop(std::fs::remove_file(&socket));
    let mut command = Command::new("sh");
    command.args(["-c", WATCH, "sh", "redis-server", "--port", "0", "--unixsocket"]).arg(&socket);
    command.arg("--dir").arg(directory).args(options);
    command.stdin(Stdio::piped()).stdout(Stdio::null()).stderr(Stdio::null()).spawn()
}

fn connect(url: &str) -> redis::RedisResult<redis::Connection> {
    redis::Client::open(url)?.get_connection_with_timeout(Duration::from_secs(1))
}

/// Fails while the server is not there or still loads its data.
fn process_id(url: &str) -> redis::RedisResult<u32> {
    let mut connection = connect(url)?;
    redis::cmd("PING").query::<()>(&mut connection)?;
    let info: redis::InfoDict = redis::cmd("INFO").arg("server").query(&mut connection)?;
    Ok(info.get("process_id").unwrap_or_default())
}

/// Every key with that prefix and its content as text.
pub(super) fn snapshot(url: &str, prefix: &str) -> redis::RedisResult<BTreeMap<String, String>> {
    let mut connection = connect(url)?;
    let keys: Vec<String> =
        redis::cmd("SCAN").arg(0).arg("COUNT").arg(1_000_000).query::<(u64, Vec<String>)>(&mut connection)?.1;
    let mut content = BTreeMap::new();
    for key in keys {
        let Some(name) = key.strip_prefix(prefix) else { continue };
        let kind: String = redis::cmd("TYPE").arg(&key).query(&mut connection)?;
        let value = match kind.as_str() {
            "hash" => {
                let fields: BTreeMap<String, String> =
                    redis::cmd("HGETALL").arg(&key).query(&mut connection)?;
                format!("{fields:?}")
            }
            "zset" => {
                let members: Vec<(String, String)> =
                    redis::cmd("ZRANGE").arg(&key).arg(0).arg(-1).arg("WITHSCORES").query(&mut connection)?;
                format!("{members:?}")
            }
            "set" => {
                let mut members: Vec<String> = redis::cmd("SMEMBERS").arg(&key).query(&mut connection)?;
                members.sort();
                format!("{members:?}")
            }
            "list" => {
                let items: Vec<String> =
                    redis::cmd("LRANGE").arg(&key).arg(0).arg(-1).query(&mut connection)?;
                format!("{items:?}")
            }
            "stream" => {
                let length: u64 = redis::cmd("XLEN").arg(&key).query(&mut connection)?;
                format!("{length} entries")
            }
            _ => redis::cmd("GET").arg(&key).query(&mut connection)?,
        };
        content.insert(name.to_owned(), value);
    }
    Ok(content)
}
