//! The calls of the story, each with the data it found, and a Redis to repeat them on.

use super::recording::{Recording, Words};
use super::story;
use redis::{Connection, ConnectionLike, RedisResult, Value};
use reprieve::model::Namespace;
use reprieve::testing::{RedisServer, TestRedis};
use std::collections::{BTreeMap, BTreeSet};
use std::path::Path;
use std::time::Duration;

/// Far longer than any call may take; one that loops is found by it.
const TIMEOUT: Duration = Duration::from_secs(60);
/// Calls of one function that are repeated; more tell nothing new.
const CALLS_MAX: usize = 2;

/// A key that expires later than this is still there when all mutants of a call were sent.
const LASTS_MS: i64 = 120_000;

/// A key, what `DUMP` says of it, and its time to live in ms.
type Dumped = (Vec<u8>, Vec<u8>, i64);

/// A call of a function, the data it found, and the keys it left.
pub(crate) struct Call {
    /// Its name in `lua/`.
    pub(crate) verb: String,
    /// `FCALL`, the function, 1, the prefix, then the arguments.
    pub(crate) words: Words,
    pub(crate) found: Vec<Dumped>,
    /// The commands that put that data back into an empty Redis, packed once for all repetitions.
    restore: Vec<u8>,
    pub(crate) left: BTreeSet<Vec<u8>>,
}

/// How many words of a call stand before its arguments.
pub(crate) const BEFORE_ARGUMENTS: usize = 4;

/// What the story's sink and importer need besides.
const PLACES: [&str; 3] = ["~story-work", "~story-foreign*", "~reprieve-import:@:*"];

/// A Redis of its own, which the story was told to.
pub(crate) struct Bench {
    _server: RedisServer,
    connection: Connection,
    pub(crate) calls: Vec<Call>,
    /// The call whose data lies in Redis untouched.
    laid_out: Option<usize>,
}

/// An entry of the slow log: its number, when, how long in µs, the command, whose it was.
type SlowEntry = (u64, u64, u64, Words, String, String);

/// What a repeated call said, and whether it changed any data; of one that was done it may have been none.
pub(crate) struct Outcome {
    pub(crate) reply: RedisResult<Value>,
    pub(crate) changed: bool,
}

impl Bench {
    /// Tells the story, and looks at the data before each call of it.
    pub(crate) async fn new() -> Self {
        let options = [
            "--save",
            "",
            "--appendonly",
            "no",
            "--enable-debug-command",
            "yes",
            "--slowlog-max-len",
            "100000",
        ];
        let server = RedisServer::start_with(&options).unwrap();
        let redis = TestRedis::on_beside(server.url(), Namespace::new("story").unwrap(), &PLACES).await;
        let recording = Recording::of(server.url());
        story::tell(&redis).await;
        let told = recording.end();
        let connection = redis::Client::open(server.url()).unwrap().get_connection().unwrap();
        connection.set_read_timeout(Some(TIMEOUT)).unwrap();
        let mut bench = Self { _server: server, connection, calls: Vec::new(), laid_out: None };
        bench.repeat_story(told);
        bench.assert_whole();
        bench
    }

    fn repeat_story(&mut self, told: Vec<Words>) {
        self.send(&[b"FLUSHDB"]).unwrap();
        let mut seen: BTreeMap<String, usize> = BTreeMap::new();
        for words in told {
            let plain: Vec<&[u8]> = words.iter().map(Vec::as_slice).collect();
            let Some(verb) = verb_of(&words) else {
                // Reads, greetings, and what the story lays out itself.
                let _as_it_was = self.send(&plain);
                continue;
            };
            let count = seen.entry(verb.clone()).or_default();
            *count += 1;
            let found = if *count <= CALLS_MAX { self.everything() } else { Vec::new() };
            let new = *count <= CALLS_MAX;
            self.send(&plain).unwrap();
            if new {
                let left = self.keys();
                let restore = found
                    .iter()
                    .flat_map(|(key, dump, ttl)| pack(&[b"RESTORE", key, ttl.to_string().as_bytes(), dump]));
                self.calls.push(Call { verb, words, restore: restore.collect(), found, left });
            }
        }
    }

    /// Every function was called, or is said not to be.
    fn assert_whole(&self) {
        let inside = |folder: &Path| std::fs::read_dir(folder).unwrap().map(|entry| entry.unwrap().path());
        let folder = Path::new(concat!(env!("CARGO_MANIFEST_DIR"), "/lua/functions"));
        let files = inside(folder).flat_map(|folder| inside(&folder));
        let scripts = files.filter(|path| path.extension().is_some_and(|it| it == "lua"));
        let names: BTreeSet<_> =
            scripts.map(|path| path.file_stem().unwrap().to_str().unwrap().to_owned()).collect();
        let called: BTreeSet<_> = self.calls.iter().map(|call| call.verb.clone()).collect();
        assert_eq!(called, names, "the functions that the story calls, and those there are");
    }

    pub(crate) fn send(&mut self, words: &[&[u8]]) -> RedisResult<Value> {
        let packed = pack(words);
        self.connection.req_packed_command(&packed)?.extract_error()
    }

    fn keys(&mut self) -> BTreeSet<Vec<u8>> {
        redis::from_redis_value(self.send(&[b"KEYS", b"*"]).unwrap()).unwrap()
    }

    fn everything(&mut self) -> Vec<Dumped> {
        let mut all = Vec::new();
        for key in self.keys() {
            let dump = redis::from_redis_value(self.send(&[b"DUMP", &key]).unwrap()).unwrap();
            let ttl: i64 = redis::from_redis_value(self.send(&[b"PTTL", &key]).unwrap()).unwrap();
            all.push((key, dump, ttl.max(0)));
        }
        all
    }

    /// Puts the data of a call back, lays `damage` over it, and calls with those words. Data that the call before left as it
    /// was is not put back once more: most calls are refused.
    pub(crate) fn repeat(&mut self, call: usize, damage: &[&[&[u8]]], words: &[Vec<u8>]) -> Outcome {
        self.lay_out(call, damage);
        let writes = self.writes();
        let reply = self.send(&words.iter().map(Vec::as_slice).collect::<Vec<_>>());
        if reply.as_ref().is_err_and(|error| error.is_timeout() || error.is_connection_dropped()) {
            let words: Vec<_> = words.iter().map(|word| String::from_utf8_lossy(word)).collect();
            panic!("no end to {words:?}: {reply:?}");
        }
        let lasts = self.calls[call].found.iter().all(|(.., ttl)| *ttl == 0 || *ttl > LASTS_MS);
        if self.writes() == writes {
            self.laid_out = lasts.then_some(call);
            return Outcome { reply, changed: false };
        }
        // What a refused call wrote may be what stood there.
        let changed = reply.is_ok() || {
            let after = self.digest();
            self.lay_out(call, damage);
            self.digest() != after
        };
        Outcome { reply, changed }
    }

    /// Has the data of a call in Redis, with `damage` over it. Afterwards it counts as touched.
    fn lay_out(&mut self, call: usize, damage: &[&[&[u8]]]) {
        let is_laid_out = self.laid_out.take() == Some(call);
        let mut packed = Vec::new();
        let mut answers = damage.len();
        if !is_laid_out {
            packed.extend(pack(&[b"FLUSHDB"]));
            packed.extend(&self.calls[call].restore);
            answers += 1 + self.calls[call].found.len();
        }
        damage.iter().for_each(|command| packed.extend(pack(command)));
        if answers > 0 {
            self.connection.send_packed_command(&packed).unwrap();
        }
        for _ in 0..answers {
            self.connection.recv_response().and_then(Value::extract_error).unwrap();
        }
    }

    /// How many writes there were. It costs a thousandth of a digest.
    fn writes(&mut self) -> u64 {
        let info: String = redis::from_redis_value(self.send(&[b"INFO", b"persistence"]).unwrap()).unwrap();
        let count = info.lines().find_map(|line| line.strip_prefix("rdb_changes_since_last_save:"));
        count.and_then(|count| count.parse().ok()).unwrap()
    }

    fn digest(&mut self) -> Value {
        self.send(&[b"DEBUG", b"DIGEST"]).unwrap()
    }

    /// The same on data with a key of another type. Of data that the call left as it was, that key alone is put back.
    pub(crate) fn repeat_spoilt(&mut self, call: usize, key: &[u8], words: &[Vec<u8>]) -> Outcome {
        // Nothing of ours is a list but the wake tokens of a queue.
        let write: &[u8] = if key.ends_with(b":wake") { b"SET" } else { b"RPUSH" };
        let outcome = self.repeat(call, &[&[b"DEL", key], &[write, key, b"damage"]], words);
        if self.laid_out.is_some() {
            self.mend(call, key);
        }
        outcome
    }

    /// Puts one key back as the call found it.
    fn mend(&mut self, call: usize, key: &[u8]) {
        self.send(&[b"DEL", key]).unwrap();
        let found = self.calls[call].found.iter().find(|(found, ..)| found == key).cloned();
        if let Some((key, dump, ttl)) = found {
            self.send(&[b"RESTORE", &key, ttl.to_string().as_bytes(), &dump]).unwrap();
        }
    }

    /// Keys that do not belong to the namespace.
    pub(crate) fn foreign_keys(&mut self) -> Vec<Vec<u8>> {
        self.keys().into_iter().filter(|key| !key.starts_with(story::PREFIX.as_bytes())).collect()
    }

    /// Calls of functions that took 10 ms or longer, as Redis wrote them down; on a busy machine many do.
    pub(crate) fn slow_calls(&mut self) -> usize {
        let told = self.send(&[b"SLOWLOG", b"GET", b"-1"]).unwrap();
        let entries: Vec<SlowEntry> = redis::from_redis_value(told).unwrap();
        entries.iter().filter(|entry| entry.3.first().is_some_and(|word| word == b"FCALL")).count()
    }
}

/// The file of the function that a command calls: `reprieve_{hash}_{file}`.
fn verb_of(words: &Words) -> Option<String> {
    let [command, function, ..] = words.as_slice() else { return None };
    let function = std::str::from_utf8(function).ok()?;
    let (_, verb) = function.strip_prefix("reprieve_")?.split_once('_')?;
    (command.eq_ignore_ascii_case(b"FCALL")).then(|| verb.to_owned())
}

fn pack(words: &[&[u8]]) -> Vec<u8> {
    let mut command = redis::Cmd::new();
    for word in words {
        command.arg(*word);
    }
    command.get_packed_command()
}

/// A call and what was done to it, for the message of a failure.
pub(crate) fn told(call: &Call, what: &str) -> String {
    let words: Vec<_> = call.words[BEFORE_ARGUMENTS..]
        .iter()
        .map(|word| String::from_utf8_lossy(&word[..word.len().min(80)]).into_owned())
        .collect();
    format!("{} {words:?}, {what}", call.verb)
}
