//! What a doctor asks a Redis, without judging it.

use super::connection::{Proof, fullest, memory_bytes, memory_bytes_max, server_name};
use super::library::{LIBRARY, NAME_PREFIX};
use super::uptime::wall_ms;
use super::{Shards, Store, watch};
use crate::error::Result;
use crate::model::{Delay, Halt, Timestamp};
use redis::{InfoDict, Pipeline, Value};
use std::collections::BTreeSet;
use std::time::{Duration, Instant};

/// Round trips that are timed: enough for a median that one busy moment does not decide.
const ROUND_TRIPS: usize = 21;

/// Databases a Redis has unless its configuration says otherwise.
const DATABASES: u8 = 16;

/// What a Redis says of itself and of a namespace. Empty texts and `None` mean that it did not say.
#[derive(Debug, Clone, PartialEq, Default)]
#[non_exhaustive]
pub struct Examination {
    /// Its version; for a Valkey the Redis version it stands for.
    pub version: String,
    /// Its own name and version, such as `Redis 7.2.4` or `Valkey 8.1.1`.
    pub server: String,
    /// `master` or `slave`.
    pub role: String,
    /// `standalone`, `sentinel` or `cluster`.
    pub mode: String,
    /// What it does when it is full.
    pub maxmemory_policy: String,
    /// Memory in use, in bytes; of several servers, in the fullest.
    pub memory_bytes: u64,
    /// Its limit; `None` for none.
    pub memory_bytes_max: Option<u64>,
    /// How many bytes of memory the system holds for each byte in use, in hundredths.
    pub fragmentation_percent: Option<u64>,
    /// Whether it logs its writes; of several servers, whether all do.
    pub appends: bool,
    /// How often that log is synced: `always`, `everysec` or `no`; `None` if it may not say.
    pub appendfsync: Option<String>,
    /// Whether the last write of the log went well.
    pub append_is_well: bool,
    /// Whether the last snapshot went well.
    pub snapshot_is_well: bool,
    /// Replicas that follow it; of several servers, the one that has the fewest.
    pub replicas: u64,
    /// How many bytes it may keep for a client that reads slowly has no place here; keys it threw away because it was
    /// full do.
    pub evicted_keys: u64,
    /// Clients that are connected.
    pub connections: u64,
    /// How many it takes; `None` if it did not say.
    pub connections_max: Option<u64>,
    /// How long it runs; `None` if it did not say.
    pub uptime: Option<Delay>,
    /// Keys of all its databases.
    pub keys: u64,
    /// How far its clock is ahead of this machine's, in ms; negative when it is behind. Half a round trip is allowed for.
    pub clock_ahead_ms: i64,
    /// How far its clock lies before the latest change of the namespace; zero when it does not.
    pub clock_back: Delay,
    /// Half of the round trips were shorter than this, in microseconds.
    pub round_trip_us_p50: u64,
    /// The longest of the round trips, in microseconds.
    pub round_trip_us_max: u64,
    /// The layout of the namespace's keys; `None` if nothing was ever written.
    pub schema: Option<String>,
    /// The layout this version knows.
    pub schema_known: &'static str,
    /// Why the namespace starts nothing; `None` while jobs start.
    pub halt: Option<Halt>,
    /// When a forwarder last looked for due jobs.
    pub forwarder_tick: Option<Timestamp>,
    /// Ids set aside because no script can use them.
    pub quarantined: u64,
    /// Entries that somebody had damaged and that were put back to where the records say.
    pub mended: u64,
    /// Writes that were skipped because a key held something of another type.
    pub damaged: u64,
    /// The user we are to it; `None` if it may not say.
    pub user: Option<String>,
    /// Rights that this user lacks of those every process needs, as `ACL SETUSER` takes them; `None` if it may not say.
    pub missing_rights: Option<Vec<String>>,
    /// Commands of those every process needs that the server does not have; `None` if it may not say.
    pub missing_commands: Option<Vec<String>>,
    /// What it said when it was asked for the rest and this user had no right to know: then nothing but the user and
    /// its rights was read.
    pub withheld: Option<String>,
    /// Function libraries of other versions of this program, which nobody may need any more; `None` if it may not say.
    pub other_libraries: Option<Vec<String>>,
    /// When all this was read, by its clock.
    pub now: Option<Timestamp>,
}

impl Shards {
    /// Asks everything once, and every shard what is wrong in it.
    ///
    /// # Errors
    /// [`Error::Unavailable`](crate::Error::Unavailable).
    pub(crate) async fn examine(&self, schema_known: &'static str) -> Result<Examination> {
        let mut found = Examination { schema_known, ..Examination::default() };
        self.rights(&mut found).await;
        match self.rest(&mut found).await {
            Err(error) if error.lacks_a_right() => found.withheld = Some(error.to_string()),
            rest => rest?,
        }
        Ok(found)
    }

    /// All but the rights.
    async fn rest(&self, found: &mut Examination) -> Result<()> {
        self.first().examine(found).await?;
        for store in self.all().iter().skip(1) {
            let mut shard = Examination::default();
            store.namespace(&mut shard).await?;
            found.quarantined += shard.quarantined;
            found.damaged += shard.damaged;
            found.mended += shard.mended;
            found.clock_back = found.clock_back.max(shard.clock_back);
            let standing = found.halt.take().into_iter().chain(shard.halt);
            found.halt = watch::worst_halt(standing);
        }
        Ok(())
    }
}

impl Store {
    /// Asks everything once.
    ///
    /// # Errors
    /// [`Error::Unavailable`](crate::Error::Unavailable).
    async fn examine(&self, found: &mut Examination) -> Result<()> {
        read_infos(&self.connections().infos().await?, found);
        found.appendfsync = self.setting("appendfsync").await;
        self.time(found).await?;
        self.namespace(found).await?;
        found.other_libraries = self.other_libraries().await;
        Ok(())
    }

    /// A setting of the server; `None` if it may not say.
    async fn setting(&self, name: &str) -> Option<String> {
        let reply: redis::RedisResult<Vec<String>> =
            redis::cmd("CONFIG").arg("GET").arg(name).query_async(&mut self.connections().reads()).await;
        reply.ok()?.into_iter().nth(1)
    }

    /// Function libraries of ours that are not this version's.
    async fn other_libraries(&self) -> Option<Vec<String>> {
        let mut list = redis::cmd("FUNCTION");
        list.arg("LIST").arg("LIBRARYNAME").arg(format!("{NAME_PREFIX}*"));
        let listed: redis::RedisResult<Value> = list.query_async(&mut self.connections().reads()).await;
        // A Cluster answers node by node.
        let mut names = BTreeSet::new();
        library_names(listed.ok()?, &mut names);
        names.remove(&LIBRARY.name);
        Some(names.into_iter().collect())
    }

    /// Compares clocks and times round trips.
    async fn time(&self, found: &mut Examination) -> Result<()> {
        let mut trips = Vec::with_capacity(ROUND_TRIPS);
        for _ in 0..ROUND_TRIPS {
            let (start, here) = (Instant::now(), wall_ms());
            let time: redis::RedisResult<(i64, i64)> =
                redis::cmd("TIME").query_async(&mut self.connections().reads()).await;
            let (seconds, micros) = self.connections().note(Proof::Reads, time)?;
            let trip = start.elapsed();
            let there = in_ms((seconds, micros));
            trips.push((trip, there - here - half_ms(trip)));
            found.now = Some(Timestamp::saturating_from_millis(there));
        }
        trips.sort_unstable();
        let micros = |trip: Option<&(Duration, i64)>| {
            trip.map_or(0, |(trip, _)| u64::try_from(trip.as_micros()).unwrap_or(u64::MAX))
        };
        found.round_trip_us_p50 = micros(trips.get(ROUND_TRIPS / 2));
        found.round_trip_us_max = micros(trips.last());
        // The shortest trip says it most exactly.
        found.clock_ahead_ms = trips.first().map_or(0, |(_, ahead)| *ahead);
        Ok(())
    }

    async fn namespace(&self, found: &mut Examination) -> Result<()> {
        let keys = self.keys();
        let mut reads = Pipeline::new();
        reads.cmd("HMGET").arg(keys.meta()).arg(&[
            "schema",
            "halt",
            "clock_ms",
            "forwarded_ms",
            "damaged",
            "mended",
        ]);
        reads.zcard(keys.quarantine());
        // Of the server that has the keys, and after them: what changed a moment ago is no sign that its clock went back.
        reads.cmd("TIME");
        let (meta, quarantined, time): (Vec<Option<String>>, u64, (i64, i64)) = self.pipeline(&reads).await?;
        let mut meta = meta.into_iter();
        found.schema = meta.next().flatten();
        found.halt = watch::read(&meta.next().flatten().unwrap_or_default())?;
        let mut number = || meta.next().flatten().and_then(|text| text.parse::<i64>().ok());
        let latest = number().map(Timestamp::saturating_from_millis);
        found.forwarder_tick = number().map(Timestamp::saturating_from_millis);
        let mut count = || number().and_then(|count| u64::try_from(count).ok()).unwrap_or_default();
        (found.damaged, found.mended) = (count(), count());
        found.quarantined = quarantined;
        let now = Timestamp::saturating_from_millis(in_ms(time));
        let back = latest.map_or(0, |latest| latest.millis_since(now));
        found.clock_back = Delay::millis(back.max(0));
        Ok(())
    }
}

/// Every name of a library in what `FUNCTION LIST` answers, however it is nested.
fn library_names(value: Value, names: &mut BTreeSet<String>) {
    match value {
        Value::Array(items) => {
            let mut items = items.into_iter().peekable();
            while let Some(item) = items.next() {
                match (text(&item), items.peek().and_then(text)) {
                    (Some(key), Some(name)) if key == "library_name" => drop(names.insert(name)),
                    _ => library_names(item, names),
                }
            }
        }
        Value::Map(pairs) => {
            for (key, value) in pairs {
                match (text(&key), text(&value)) {
                    (Some(key), Some(name)) if key == "library_name" => drop(names.insert(name)),
                    _ => library_names(value, names),
                }
            }
        }
        _ => {}
    }
}

fn text(value: &Value) -> Option<String> {
    redis::from_redis_value_ref(value).ok()
}

/// Of several servers the fullest, and what is wrong with any of them: each has jobs that no other has.
fn read_infos(infos: &[InfoDict], found: &mut Examination) {
    let Some(info) = fullest(infos) else { return };
    read_info(info, found);
    let is_well =
        |name: &str| infos.iter().all(|info| info.get::<String>(name).is_none_or(|status| status == "ok"));
    found.append_is_well = is_well("aof_last_write_status") && is_well("aof_last_bgrewrite_status");
    found.snapshot_is_well = is_well("rdb_last_bgsave_status");
    found.appends = infos.iter().all(|info| info.get::<String>("aof_enabled").as_deref() == Some("1"));
    let count = |info: &InfoDict, name: &str| info.get::<u64>(name).unwrap_or_default();
    found.replicas = infos.iter().map(|info| count(info, "connected_slaves")).min().unwrap_or_default();
    found.evicted_keys = infos.iter().map(|info| count(info, "evicted_keys")).sum();
    let mut policies = infos.iter().filter_map(|info| info.get::<String>("maxmemory_policy"));
    if let Some(policy) = policies.find(|policy| policy != "noeviction") {
        found.maxmemory_policy = policy;
    }
}

fn read_info(info: &InfoDict, found: &mut Examination) {
    let text = |name: &str| info.get::<String>(name).unwrap_or_default();
    let ratio = info.get::<String>("mem_fragmentation_ratio").and_then(|text| {
        let (whole, part) = text.split_once('.')?;
        let part: String = part.chars().chain("00".chars()).take(2).collect();
        whole.parse::<u64>().ok()?.checked_mul(100)?.checked_add(part.parse().ok()?)
    });
    found.version = text("redis_version");
    found.server = server_name(info).unwrap_or_else(|| format!("Redis {}", found.version));
    found.role = text("role");
    found.mode = text("redis_mode");
    found.maxmemory_policy = text("maxmemory_policy");
    found.memory_bytes = memory_bytes(info);
    found.memory_bytes_max = memory_bytes_max(info);
    found.fragmentation_percent = ratio;
    found.connections = info.get("connected_clients").unwrap_or_default();
    found.connections_max = info.get("maxclients");
    found.uptime = info.get::<i64>("uptime_in_seconds").map(Delay::seconds);
    // `db0:keys=12,expires=3,avg_ttl=0`
    found.keys = (0..DATABASES)
        .filter_map(|number| info.get::<String>(&format!("db{number}")))
        .filter_map(|text| text.strip_prefix("keys=")?.split(',').next()?.parse::<u64>().ok())
        .sum();
}

/// What `TIME` answers, seconds and microseconds, in ms.
const fn in_ms((seconds, micros): (i64, i64)) -> i64 {
    seconds.saturating_mul(1_000).saturating_add(micros / 1_000)
}

fn half_ms(trip: Duration) -> i64 {
    i64::try_from(trip.as_millis() / 2).unwrap_or(i64::MAX)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn of_several_servers_the_fullest_and_the_weakest_count() {
        let sound = "maxmemory:100\r\nmaxmemory_policy:noeviction\r\naof_enabled:1\r\n\
                     aof_last_write_status:ok\r\nrdb_last_bgsave_status:ok\r\n";
        let info = |more: &str| InfoDict::new(&format!("{sound}{more}"));
        let infos = [
            info("used_memory:10\r\nconnected_slaves:2\r\nevicted_keys:3\r\n"),
            info("used_memory:95\r\nconnected_slaves:1\r\nevicted_keys:4\r\naof_last_write_status:err\r\n"),
            info("used_memory:20\r\nconnected_slaves:2\r\nmaxmemory_policy:allkeys-lru\r\n"),
        ];
        for first in 0..infos.len() {
            let mut infos = infos.clone();
            infos.rotate_left(first);
            let mut found = Examination::default();
            read_infos(&infos, &mut found);

            assert_eq!((found.memory_bytes, found.memory_bytes_max), (95, Some(100)));
            assert_eq!((found.append_is_well, found.snapshot_is_well, found.appends), (false, true, true));
            assert_eq!((found.replicas, found.evicted_keys), (1, 7));
            assert_eq!(found.maxmemory_policy, "allkeys-lru");
        }
    }
}
