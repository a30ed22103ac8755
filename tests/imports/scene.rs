//! A foreign queue beside a namespace, and looks at both.

use base64::Engine as _;
use base64::engine::general_purpose::STANDARD;
use reprieve::testing::{TestRedis, breaches};
use reprieve_import::{ImportName, ImportWarningCode, Importer, Source};
use serde_json::Value;
use std::collections::BTreeMap;

/// What lies under foreign keys: key → content, its order made the same where it means nothing, and when it expires.
pub(crate) type Keyspace = BTreeMap<String, (Vec<Vec<u8>>, i64)>;

/// Rights to the foreign keys that importers of these tests name, and to their journals; `@` stands for the namespace.
const SOURCES: [&str; 6] = ["~*-@", "~*-@:*", "~delayq:*", "~asynq:*", "~bull:*", "~reprieve-import:@:*"];
/// To everything that an importer touches, where a system has names of keys that it shares with nobody.
const EVERYTHING: [&str; 3] = ["~*", "&*", "+publish"];

/// Keys of foreign processes that live for seconds; they would be gone in the middle of a test.
const ALIVE_MS: i64 = 60_000;

pub(crate) struct Scene {
    pub(crate) redis: TestRedis,
    client: redis::Client,
}

impl Scene {
    pub(crate) async fn new() -> Self {
        let redis = TestRedis::beside(1, &SOURCES).await;
        let client = redis::Client::open(redis.url()).unwrap();
        Self { redis, client }
    }

    /// In a namespace of several shards.
    pub(crate) async fn with_shards(shards: u16) -> Self {
        let redis = TestRedis::beside(shards, &SOURCES).await;
        let client = redis::Client::open(redis.url()).unwrap();
        Self { redis, client }
    }

    /// On a server of its own.
    pub(crate) async fn on(url: &str) -> Self {
        let redis = TestRedis::on_beside(url, reprieve::model::Namespace::default(), &EVERYTHING).await;
        Self { redis, client: redis::Client::open(url).unwrap() }
    }

    /// A foreign name that no other test uses.
    pub(crate) fn foreign(&self, name: &str) -> String {
        format!("{name}-{}", self.redis.name())
    }

    pub(crate) fn import(&self, source: Source) -> Importer {
        let import = Importer::new(self.redis.engine(), ImportName::new("legacy").unwrap(), source).unwrap();
        // Ids that are due at the end of this century are as good as any.
        import.accepting(&ImportWarningCode::ALL)
    }

    pub(crate) fn connection(&self) -> redis::Connection {
        self.client.get_connection().unwrap()
    }

    /// Sends one command with any bytes.
    pub(crate) fn send(&self, words: &[&[u8]]) -> redis::Value {
        self.ask(words)
    }

    /// Puts keys that were written down into an empty Redis.
    pub(crate) fn load(&self, recorded: &str) {
        let bytes = |value: &Value| STANDARD.decode(value.as_str().unwrap()).unwrap();
        let mut connection = self.connection();
        for line in recorded.lines() {
            let entry: Value = serde_json::from_str(line).unwrap();
            let key = entry["key"].as_str().unwrap();
            let list = |value: &Value| value.as_array().unwrap().iter().map(bytes).collect::<Vec<_>>();
            let pairs = || entry["value"].as_array().unwrap().iter();
            let command = match entry["type"].as_str().unwrap() {
                "string" => redis::cmd("SET").arg(key).arg(bytes(&entry["value"])).to_owned(),
                "list" => redis::cmd("RPUSH").arg(key).arg(list(&entry["value"])).to_owned(),
                "set" => redis::cmd("SADD").arg(key).arg(list(&entry["value"])).to_owned(),
                "hash" => {
                    let mut command = redis::cmd("HSET").arg(key).to_owned();
                    for pair in pairs() {
                        command.arg(pair[0].as_str().unwrap()).arg(bytes(&pair[1]));
                    }
                    command
                }
                "zset" => {
                    let mut command = redis::cmd("ZADD").arg(key).to_owned();
                    for pair in pairs() {
                        command.arg(pair[1].as_str().unwrap()).arg(bytes(&pair[0]));
                    }
                    command
                }
                other => panic!("the fixture holds a {other}"),
            };
            command.query::<redis::Value>(&mut connection).unwrap();
            let ttl = entry["pttl_ms"].as_i64().unwrap();
            if ttl > ALIVE_MS {
                redis::cmd("PEXPIRE").arg(key).arg(ttl).query::<redis::Value>(&mut connection).unwrap();
            }
        }
    }

    pub(crate) fn ask<T: redis::FromRedisValue>(&self, words: &[&[u8]]) -> T {
        let mut command = redis::cmd(std::str::from_utf8(words[0]).unwrap());
        for word in &words[1..] {
            command.arg(*word);
        }
        command.query(&mut self.connection()).unwrap()
    }

    /// Everything under keys that contain `part`, the journal and our own namespace aside.
    pub(crate) fn keyspace(&self, part: &str) -> Keyspace {
        let mut connection = self.connection();
        let keys: Vec<Vec<u8>> = redis::cmd("KEYS").arg("*").query(&mut connection).unwrap();
        // Tests run beside one another: `due-test1` is none of `due-test12`.
        let is_its = |name: &str| {
            let goes_on = |at: usize| name[at + part.len()..].starts_with(|next: char| next.is_ascii_digit());
            name.match_indices(part).any(|(at, _)| !goes_on(at))
        };
        let mut all = Keyspace::new();
        for key in keys {
            let name = String::from_utf8_lossy(&key).into_owned();
            if !is_its(&name) || name.starts_with("reprieve") {
                continue;
            }
            let kind: String = redis::cmd("TYPE").arg(&key).query(&mut connection).unwrap();
            let expires: i64 = redis::cmd("PEXPIRETIME").arg(&key).query(&mut connection).unwrap();
            let command = |words: &[&str]| {
                let mut command = redis::cmd(words[0]);
                command.arg(&key);
                for word in &words[1..] {
                    command.arg(*word);
                }
                command
            };
            let content: Vec<Vec<u8>> = match kind.as_str() {
                "string" => vec![command(&["GET"]).query(&mut connection).unwrap()],
                "list" => command(&["LRANGE", "0", "-1"]).query(&mut connection).unwrap(),
                "zset" => command(&["ZRANGE", "0", "-1", "WITHSCORES"]).query(&mut connection).unwrap(),
                "set" => {
                    let mut members: Vec<Vec<u8>> = command(&["SMEMBERS"]).query(&mut connection).unwrap();
                    members.sort();
                    members
                }
                "hash" => {
                    let fields: BTreeMap<Vec<u8>, Vec<u8>> =
                        command(&["HGETALL"]).query(&mut connection).unwrap();
                    fields.into_iter().flat_map(|(name, value)| [name, value]).collect()
                }
                other => panic!("{name} holds a {other}"),
            };
            all.insert(name, (content, expires));
        }
        all
    }

    /// The payloads of all jobs here, sorted; a job that is there twice is twice in it.
    pub(crate) async fn payloads(&self) -> Vec<Vec<u8>> {
        let mut connection = self.connection();
        let keys: Vec<Vec<u8>> =
            redis::cmd("KEYS").arg(format!("{}job:*", self.redis.prefix())).query(&mut connection).unwrap();
        let mut payloads: Vec<Vec<u8>> = Vec::new();
        for key in keys {
            let kind: String = redis::cmd("TYPE").arg(&key).query(&mut connection).unwrap();
            if kind == "string" {
                let id = String::from_utf8_lossy(&key)[self.redis.prefix().len() + "job:".len()..].to_owned();
                let id = reprieve::model::JobId::new(id).unwrap();
                payloads.push(self.redis.engine().inspector().job(&id).await.unwrap().unwrap().job.payload);
            }
        }
        payloads.sort();
        payloads
    }

    /// Some minutes go by since records went back or were replaced: nobody can be about to hand them over any more.
    pub(crate) fn some_minutes_later(&self) {
        for key in self.journal_keys(&[":replaced"]) {
            for number in self.ask::<Vec<String>>(&[b"ZRANGE", key.as_bytes(), b"0", b"-1"]) {
                self.send(&[b"ZADD", key.as_bytes(), b"1", number.as_bytes()]);
            }
        }
    }

    fn journal_keys(&self, ends: &[&str]) -> Vec<String> {
        let mut keys: Vec<String> =
            self.ask(&[b"KEYS", format!("reprieve-import:{}:*", self.redis.name()).as_bytes()]);
        keys.retain(|key| ends.iter().any(|end| key.ends_with(end)));
        keys
    }

    /// How many items are noted to stay behind another.
    pub(crate) fn doubles(&self) -> u64 {
        self.journal_keys(&[":doubles"]).iter().map(|key| self.ask::<u64>(&[b"HLEN", key.as_bytes()])).sum()
    }

    /// Nothing of the journal is left but what outlives its records.
    pub(crate) fn assert_no_journal(&self) {
        let left = self.journal_keys(&[""]);
        let stays = self.journal_keys(&[
            ":sequence",
            ":closed",
            ":replaced",
            ":format",
            ":mark",
            ":doubles",
            ":paused",
        ]);
        let left: Vec<&String> = left.iter().filter(|key| !stays.contains(key)).collect();
        assert!(left.is_empty(), "the journal still holds {left:?}");
    }

    pub(crate) async fn assert_sound(&self) {
        let found = breaches(&self.redis.snapshot().await);
        assert!(found.is_empty(), "{found:#?}");
    }
}
