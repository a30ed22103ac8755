//! A private redis-server that ends with the test.

use super::least_rights;
use crate::record;
use std::collections::BTreeMap;
use std::ffi::OsStr;
use std::io;
use std::path::{Path, PathBuf};
use std::process::{Child, Command, Stdio};
use std::time::{Duration, Instant};

/// A whole keyspace: key without prefix → its elements, each as a line of text.
pub type Snapshot = BTreeMap<String, Vec<String>>;

/// How long the server may take to answer its first command: with a long log on a busy machine it loads for a while.
const START_PATIENCE: Duration = Duration::from_secs(30);
/// How long one attempt to speak to a server that starts may take.
const GREETING_PATIENCE: Duration = Duration::from_secs(1);
/// How long a server that is there may take to greet: it may be at the long script of another test, on a busy machine.
const ANSWER_PATIENCE: Duration = Duration::from_secs(30);
/// Keys that one command removes.
const REMOVE_MAX: usize = 1_000;
/// The servers that will do, the first one found is used.
const PROGRAMS: [&str; 2] = ["redis-server", "valkey-server"];
/// What a Sentinel starts from, in its directory.
const SENTINEL_FILE: &str = "sentinel.conf";

/// A redis-server on a unix socket in a directory of its own, killed when dropped and when this process dies.
#[derive(Debug)]
pub struct RedisServer {
    /// The shell that watches over the server.
    child: Child,
    pid: u32,
    directory: tempfile::TempDir,
    options: Vec<String>,
    environment: Vec<(String, String)>,
    url: String,
}

impl RedisServer {
    /// Starts one without persistence.
    ///
    /// # Errors
    /// When there is neither redis-server nor valkey-server on the PATH, or it does not come up.
    pub fn start() -> io::Result<Self> {
        Self::start_with(&["--save", "", "--appendonly", "no"])
    }

    /// Starts one with these options more.
    ///
    /// # Errors
    /// When there is neither redis-server nor valkey-server on the PATH, or it does not come up.
    pub fn start_with(options: &[&str]) -> io::Result<Self> {
        let directory = tempfile::tempdir()?;
        if !least_rights::asked() {
            return Self::start_in(directory, options, &[]);
        }
        // Users outlive a crash of the server in a file alone.
        let users = directory.path().join("users.acl");
        std::fs::write(&users, "")?;
        let file = users.display().to_string();
        Self::start_in(directory, &[options, &["--aclfile", &file]].concat(), &[])
    }

    /// Starts one with these variables in its environment, and these options more.
    ///
    /// # Errors
    /// When there is neither redis-server nor valkey-server on the PATH, or it does not come up.
    pub fn start_under(environment: &[(&str, &str)], options: &[&str]) -> io::Result<Self> {
        Self::start_in(tempfile::tempdir()?, options, environment)
    }

    /// Starts a Sentinel on that port, with these lines in its file: it keeps there what it learns, and starts only
    /// from one.
    ///
    /// # Errors
    /// When there is neither redis-server nor valkey-server on the PATH, or it does not come up.
    pub fn sentinel(port: u16, lines: &[&str]) -> io::Result<Self> {
        let directory = tempfile::tempdir()?;
        let file = directory.path().join(SENTINEL_FILE);
        std::fs::write(&file, lines.join("\n"))?;
        Self::start_in(directory, &["--port", &port.to_string(), "--bind", "127.0.0.1", "--sentinel"], &[])
    }

    fn start_in(
        directory: tempfile::TempDir,
        options: &[&str],
        environment: &[(&str, &str)],
    ) -> io::Result<Self> {
        let options: Vec<String> = options.iter().map(|option| (*option).to_owned()).collect();
        let variable = |&(name, value): &(&str, &str)| (name.to_owned(), value.to_owned());
        let environment: Vec<_> = environment.iter().map(variable).collect();
        let child = spawn(directory.path(), &options, &environment)?;
        let url = format!("unix://{}", directory.path().join("redis.sock").display());
        let mut server = Self { child, pid: 0, directory, options, environment, url };
        server.wait_until_it_answers()?;
        Ok(server)
    }

    /// Where it is.
    #[must_use]
    pub fn url(&self) -> &str {
        &self.url
    }

    /// Where it keeps its files.
    #[must_use]
    pub fn directory(&self) -> &Path {
        self.directory.path()
    }

    /// Its process.
    #[must_use]
    pub const fn pid(&self) -> u32 {
        self.pid
    }

    /// Whether it ended by itself.
    ///
    /// # Errors
    /// When the system does not tell.
    pub fn has_ended(&mut self) -> io::Result<bool> {
        let has_ended = self.child.try_wait()?.is_some();
        if has_ended {
            self.pid = 0;
        }
        Ok(has_ended)
    }

    /// Ends it at once, as a crash would.
    ///
    /// # Errors
    /// When it cannot be signalled.
    pub fn kill(&mut self) -> io::Result<()> {
        // Zero would be this very process group; a number that was used up may be somebody else's by now.
        let pid = std::mem::take(&mut self.pid);
        if pid != 0 {
            Command::new("kill").args(["-9", &pid.to_string()]).status()?;
        }
        // The watching shell ends, and what it may still watch.
        drop(self.child.stdin.take());
        self.child.wait().map(drop)
    }

    /// Starts it again on the same data.
    ///
    /// # Errors
    /// When it does not come up.
    pub fn restart(&mut self) -> io::Result<()> {
        self.child = spawn(self.directory.path(), &self.options, &self.environment)?;
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
                Err(_) if self.has_ended()? => {
                    return Err(io::Error::other(
                        "the server ended before it answered; does it know its options?",
                    ));
                }
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
fn spawn(directory: &Path, options: &[String], environment: &[(String, String)]) -> io::Result<Child> {
    const WATCH: &str =
        r#"exec 3<&0; "$@" </dev/null & child=$!; (read -r _ <&3; kill -9 $child) 2>/dev/null & wait $child"#;
    let program = first_of(&PROGRAMS, &std::env::var_os("PATH").unwrap_or_default())?;
    let socket = directory.join("redis.sock");
    drop(std::fs::remove_file(&socket));
    let mut command = Command::new("sh");
    command.args(["-c", WATCH, "sh"]).arg(program);
    // A file comes before all options.
    let file = directory.join(SENTINEL_FILE);
    if file.exists() {
        command.arg(file);
    }
    command.args(["--port", "0", "--unixsocket"]).arg(&socket);
    command.arg("--dir").arg(directory).args(options);
    command.envs(environment.iter().map(|(name, value)| (name, value)));
    command.stdin(Stdio::piped()).stdout(Stdio::null()).stderr(Stdio::null()).spawn()
}

/// Where the first of these programs is that lies in a folder of the path.
fn first_of(programs: &[&str], path: &OsStr) -> io::Result<PathBuf> {
    let place = |program: &&str| {
        std::env::split_paths(path).map(|folder| folder.join(program)).find(|file| file.is_file())
    };
    programs.iter().find_map(place).ok_or_else(|| {
        let why = format!("there is neither {} on the PATH; install one of them", programs.join(" nor "));
        io::Error::new(io::ErrorKind::NotFound, why)
    })
}

fn connect(url: &str, timeout: Duration) -> redis::RedisResult<redis::Connection> {
    redis::Client::open(url)?.get_connection_with_timeout(timeout)
}

/// Fails while the server is not there or still loads its data.
fn process_id(url: &str) -> redis::RedisResult<u32> {
    let mut connection = connect(url, GREETING_PATIENCE)?;
    redis::cmd("PING").query::<()>(&mut connection)?;
    let info: redis::InfoDict = redis::cmd("INFO").arg("server").query(&mut connection)?;
    Ok(info.get("process_id").unwrap_or_default())
}

/// Every key with that prefix and its content, an element a line.
///
/// # Errors
/// When the server does not answer.
pub fn snapshot(url: &str, prefix: &str) -> redis::RedisResult<Snapshot> {
    let mut connection = connect(url, ANSWER_PATIENCE)?;
    let keys = keys(&mut connection, prefix)?;
    if keys.is_empty() {
        return Ok(Snapshot::new());
    }
    let mut types = redis::pipe();
    for key in &keys {
        types.cmd("TYPE").arg(key);
    }
    let types: Vec<String> = types.query(&mut connection)?;
    // One that has gone meanwhile may be there again as something else when it is read.
    let there: Vec<(String, String)> =
        keys.into_iter().zip(types).filter(|(_, kind)| kind != "none").collect();
    if there.is_empty() {
        return Ok(Snapshot::new());
    }
    let mut contents = redis::pipe();
    for (key, kind) in &there {
        match kind.as_str() {
            "hash" => contents.cmd("HGETALL").arg(key),
            "zset" => contents.cmd("ZRANGE").arg(key).arg(0).arg(-1).arg("WITHSCORES"),
            "set" => contents.cmd("SMEMBERS").arg(key),
            "list" => contents.cmd("LRANGE").arg(key).arg(0).arg(-1),
            "stream" => contents.cmd("XRANGE").arg(key).arg("-").arg("+"),
            _ => contents.get(key),
        };
    }
    let contents: Vec<redis::Value> = contents.query(&mut connection)?;
    let entries = there.into_iter().zip(contents);
    entries
        .map(|((key, kind), content)| {
            let name = key.strip_prefix(prefix).unwrap_or(&key).to_owned();
            let is_job = kind == "string" && name.starts_with("job:");
            let lines = if is_job { fields_of(content)? } else { lines(&kind, content)? };
            Ok((name, lines))
        })
        .collect()
}

/// Removes every key that begins so.
pub(super) fn remove(url: &str, prefix: &str) -> redis::RedisResult<()> {
    let mut connection = connect(url, ANSWER_PATIENCE)?;
    for keys in keys(&mut connection, prefix)?.chunks(REMOVE_MAX) {
        redis::cmd("UNLINK").arg(keys).query::<()>(&mut connection)?;
    }
    Ok(())
}

fn keys(connection: &mut redis::Connection, prefix: &str) -> redis::RedisResult<Vec<String>> {
    let (mut all, mut cursor) = (Vec::new(), 0_u64);
    loop {
        let mut scan = redis::cmd("SCAN");
        // The braces of the hash tag mean nothing in a pattern; a namespace has no other special character.
        scan.arg(cursor).arg("MATCH").arg(format!("{prefix}*")).arg("COUNT").arg(10_000);
        let (next, keys): (u64, Vec<String>) = scan.query(connection)?;
        all.extend(keys);
        if next == 0 {
            all.sort();
            all.dedup();
            return Ok(all);
        }
        cursor = next;
    }
}

/// A record as its fields, a line each; as it is when it is none.
fn fields_of(content: redis::Value) -> redis::RedisResult<Vec<String>> {
    let bytes: Vec<u8> = redis::from_redis_value(content)?;
    let Some(fields) = record::fields(&bytes) else { return Ok(vec![text(&bytes)]) };
    let mut lines: Vec<String> =
        fields.iter().map(|(name, value)| format!("{name} = {}", text(value))).collect();
    lines.sort();
    Ok(lines)
}

fn lines(kind: &str, content: redis::Value) -> redis::RedisResult<Vec<String>> {
    let texts = |values: Vec<Vec<u8>>| values.iter().map(|value| text(value)).collect::<Vec<_>>();
    Ok(match kind {
        "hash" => {
            let fields: BTreeMap<String, Vec<u8>> = redis::from_redis_value(content)?;
            fields.iter().map(|(name, value)| format!("{name} = {}", text(value))).collect()
        }
        "zset" => {
            let members: Vec<(String, String)> = redis::from_redis_value(content)?;
            members.iter().map(|(member, score)| format!("{score} {member}")).collect()
        }
        "set" => {
            let mut members = texts(redis::from_redis_value(content)?);
            members.sort();
            members
        }
        "list" => texts(redis::from_redis_value(content)?),
        "stream" => {
            let entries: Vec<(String, Fields)> = redis::from_redis_value(content)?;
            // The ids tell the server's time of day, which no test can expect.
            entries.into_iter().flat_map(|(_, fields)| lines_of(&fields)).collect()
        }
        _ => vec![text(&redis::from_redis_value::<Option<Vec<u8>>>(content)?.unwrap_or_default())],
    })
}

/// Fields of a stream entry in their order; a name may come again.
type Fields = Vec<(String, Vec<u8>)>;

/// A stream entry as JSON objects, names in order: one, or one for each line of its `jobs` with what they share.
fn lines_of(fields: &Fields) -> Vec<String> {
    let mut shared: BTreeMap<&str, String> = BTreeMap::new();
    let mut lines = Vec::new();
    for (name, value) in fields {
        if name != "jobs" {
            shared.insert(name, text(value));
            continue;
        }
        for job in text(value).lines() {
            let mut line = shared.clone();
            let words = ["job", "version", "due", "subject"].into_iter().zip(job.splitn(4, ' '));
            line.extend(words.map(|(name, word)| (name, word.to_owned())));
            lines.push(serde_json::to_string(&line).unwrap_or_default());
        }
    }
    if lines.is_empty() {
        lines.push(serde_json::to_string(&shared).unwrap_or_default());
    }
    lines
}

/// JSON objects with their names in order, for Lua writes them in any; all else as it is.
fn text(bytes: &[u8]) -> String {
    let text = String::from_utf8_lossy(bytes);
    if !text.starts_with('{') {
        return text.into_owned();
    }
    match serde_json::from_str::<BTreeMap<String, serde_json::Value>>(&text) {
        Ok(object) => serde_json::to_string(&object).unwrap_or_default(),
        Err(_) => text.into_owned(),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_valkey_will_do_and_where_there_is_neither_both_are_named() {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().as_os_str();
        let why = first_of(&PROGRAMS, path).unwrap_err().to_string();
        assert!(why.contains("redis-server nor valkey-server"), "{why}");

        std::fs::write(folder.path().join("valkey-server"), "").unwrap();
        assert_eq!(first_of(&PROGRAMS, path).unwrap(), folder.path().join("valkey-server"));
        std::fs::write(folder.path().join("redis-server"), "").unwrap();
        assert_eq!(first_of(&PROGRAMS, path).unwrap(), folder.path().join("redis-server"));
    }
}
