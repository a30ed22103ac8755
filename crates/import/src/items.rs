//! How items lie at a source, for the script that most formats share: `lua/items.lua`.

use super::script;
use super::unit::{Call, Place, Unit};
use crate::ImportFormat;
use serde::Serialize;
use std::collections::BTreeMap;

/// Where the job of an item is.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, Serialize)]
#[serde(rename_all = "lowercase")]
pub(super) enum Stored {
    /// The member itself is the job.
    #[default]
    Member,
    /// A hash for each.
    Hash,
    /// A string for each.
    String,
    /// A field of one hash.
    Field,
}

/// The items of a unit.
#[derive(Debug, Clone, Default, Serialize)]
pub(super) struct Items {
    /// Where a job is.
    pub(super) record: Stored,
    /// What the keys of records begin with, or the key of the hash that holds all of them; empty with members.
    #[serde(skip)]
    pub(super) records: String,
    /// Whether workers take from the left end of lists.
    pub(super) from_left: bool,
    /// Keys beside a record that tell of it: a name, and what the key begins and ends with.
    pub(super) beside: BTreeMap<&'static str, [&'static str; 2]>,
    /// A key that exists while a process of the system moves what is due, not in one step.
    pub(super) mover: String,
    /// What a key begins with that workers watch while they take an item.
    pub(super) guard: &'static str,
    /// The channel on which workers hear of the earliest due time.
    pub(super) wake: String,
}

/// What the script reads.
#[derive(Serialize)]
struct Spec<'a> {
    format: ImportFormat,
    places: BTreeMap<&'static str, SpecPlace<'a>>,
    #[serde(flatten)]
    items: &'a Items,
}

#[derive(Serialize)]
struct SpecPlace<'a> {
    key: &'a str,
    shape: &'static str,
    waits: bool,
}

impl Items {
    /// The script that does that with them.
    pub(super) fn call(&self, act: &str, unit: &Unit, format: ImportFormat, places: &[Place]) -> Call {
        let places = places
            .iter()
            .map(|Place { name, key, shape, waits, .. }| (*name, SpecPlace { key, shape, waits: *waits }));
        let places = places.collect();
        let spec = Spec { format, places, items: self };
        // Texts and flags under names that are texts always go well.
        let spec = serde_json::to_string(&spec).unwrap_or_default();
        // Without records there is still a key to name: one of ours, to which we have the right.
        let records = if self.record == Stored::Member { &unit.journal } else { &self.records };
        let keys = vec![unit.journal.clone(), records.clone()];
        Call { arguments: vec![act.to_owned(), spec], ..Call::new(&script::ITEMS, keys) }
    }
}

#[cfg(test)]
mod tests {
    use super::super::journal::Parked;
    use super::super::{BullmqSource, ImportName, Importer, Layout, QueuesSource, Source};
    use crate::ImportWarningCode;
    use reprieve::testing::TestRedis;

    /// A source, how one item of it is written, and what may happen to that between a look and the taking.
    struct Case {
        layout: Layout,
        writes: Vec<Vec<String>>,
        changes: Vec<Vec<String>>,
    }

    fn words(text: &str) -> Vec<String> {
        text.split(' ').map(str::to_owned).collect()
    }

    /// Lines of commands, in which `@` stands for a name that no other test uses.
    fn case(name: &str, layout: Layout, writes: &str, changes: &str) -> Case {
        let lines = |text: &str| text.lines().map(|line| words(&line.trim().replace('@', name))).collect();
        Case { layout, writes: lines(writes), changes: lines(changes) }
    }

    fn cases(name: &str) -> Vec<Case> {
        let job = r#"{"class":"A","args":[],"queue":"@","jid":"1"}"#;
        let source = QueuesSource { queues: vec![name.to_owned()], ..QueuesSource::default() };
        let with_prefix = QueuesSource { prefix: Some(format!("{name}:")), ..source.clone() };
        let (record, other) = (r#"{"t":null,"f":"a"}"#, r#"{"t":null,"f":"b"}"#);
        vec![
            case(
                name,
                Layout::Sidekiq(with_prefix),
                &format!("ZADD @:schedule 4000000000 {job}"),
                &format!("ZADD @:schedule 4000000001 {job}\nZREM @:schedule {job}"),
            ),
            case(
                name,
                Layout::Rq(source.clone()),
                "RPUSH rq:queue:@ @\nHSET rq:job:@ status queued data [\"a\"]",
                "HSET rq:job:@ data [\"b\"]\nSADD rq:job:@:dependents x\nLREM rq:queue:@ 1 @\nDEL rq:job:@",
            ),
            case(
                name,
                Layout::Arq(source.clone()),
                &format!("ZADD @ 4000000000000 @\nSET arq:job:@ {record}"),
                &format!("SET arq:job:@ {other}\nSET arq:in-progress:@ 1\nSET arq:retry:@ 1\nZREM @ @"),
            ),
            case(
                name,
                Layout::BeeQueue(source),
                r#"LPUSH bq:@:waiting 1
                HSET bq:@:jobs 1 {"data":1,"options":{}}"#,
                r#"HSET bq:@:jobs 1 {"data":2,"options":{}}
                HDEL bq:@:jobs 1
                LREM bq:@:waiting 1 1"#,
            ),
            case(
                name,
                Layout::Bullmq(BullmqSource::new(vec![name.to_owned()])),
                "HSET bull:@:a name note data {} opts {}\nLPUSH bull:@:wait a",
                "HSET bull:@:a atm 1
                HSET bull:@:a data []
                HSET bull:@:a parentKey bull:other:1
                LREM bull:@:wait 1 a
                DEL bull:@:a",
            ),
        ]
    }

    #[tokio::test]
    async fn an_item_that_changes_after_it_was_seen_stays() {
        let rights = ["~@", "~@:*", "~rq:*", "~arq:*", "~bq:*", "~bull:*", "~reprieve-import:@:*"];
        let redis = TestRedis::beside(1, &rights).await;
        for (index, Case { layout, writes, changes }) in cases(redis.name().as_str()).into_iter().enumerate()
        {
            let name = ImportName::new(format!("x{index}")).unwrap();
            let import: Importer = Importer::new(redis.engine(), name, Source::here(layout)).unwrap();
            let import = import.accepting(&ImportWarningCode::ALL);
            let send = async |words: &[String]| {
                let mut command = redis::cmd(&words[0]);
                command.arg(&words[1..]);
                import.foreign.query::<redis::Value>(&command).await.unwrap();
            };
            let unit = import.units().await.unwrap().remove(0);
            for change in &changes {
                for line in writes.iter().chain(&changes) {
                    send(&["DEL".to_owned(), line[1].clone()]).await;
                }
                for line in &writes {
                    send(line).await;
                }
                let place = import.door.places(&unit).remove(0);
                let raw = import.page(&unit, &place, 0).await.unwrap().unwrap().remove(0);
                send(change).await;

                let Parked::Numbers(numbers) = import.park(&unit, &[&raw]).await.unwrap() else {
                    panic!("parked")
                };

                assert_eq!(numbers, [None], "{change:?}");
            }
        }
    }
}
