//! Sinks of a namespace of several shards: a place in each, and consumers that read them all.

use super::scene::{eventually, id, job, mail};
use redis::Value;
use reprieve::model::{Delay, Job, JobState, QueueName, Subject};
use reprieve::testing::{TestRedis, breaches};
use reprieve::{Due, ExponentialBackoff, NewJob};
use reprieve_sinks::{Destination, PlaceName, SinkConfig, SinkHandle};
use std::collections::BTreeMap;

const SHARDS: u16 = 4;
/// Enough that every shard has some.
const JOBS: usize = 80;

struct Scene {
    redis: TestRedis,
}

impl Scene {
    async fn new() -> Self {
        Self { redis: TestRedis::beside(SHARDS, &["~@-*"]).await }
    }

    /// A name that is another key in each shard.
    fn place(&self, what: &str) -> PlaceName {
        PlaceName::new(format!("{}-{what}:{{}}", self.redis.name())).unwrap()
    }

    /// That key in each of the shards.
    fn keys(&self, what: &str) -> Vec<String> {
        let name = self.redis.name();
        (0..SHARDS).map(|shard| format!("{name}-{what}:{{{name}.{shard}}}")).collect()
    }

    fn config(&self, destination: Destination) -> SinkConfig {
        SinkConfig::new(QueueName::new("orders").unwrap(), vec![mail()], destination)
            .timeout(Delay::minutes(1))
            .reply(self.place("replies"))
            .retry_policy(ExponentialBackoff::new(Delay::millis(100), Delay::millis(100)))
    }

    async fn enqueue(&self) {
        let one = |n: usize| {
            let mut job: NewJob = job();
            job.id = Some(id(&format!("job-{n}")));
            job.subject = Some(Subject::new(format!("resource:{}", n % 20)).unwrap());
            job.due = Due::Now;
            job
        };
        self.redis.engine().client().enqueue_batch((0..JOBS).map(one).collect()).await.unwrap();
    }

    async fn ask<T: redis::FromRedisValue>(&self, words: &[&str]) -> T {
        redis::from_redis_value(self.redis.command(words).await.unwrap()).unwrap()
    }

    async fn job(&self, name: &str) -> Job {
        self.redis.engine().inspector().job(&id(name)).await.unwrap().unwrap().job
    }

    async fn done(&self) -> u64 {
        self.redis.engine().inspector().counts(None).await.unwrap().of(JobState::Done)
    }

    /// Takes one item of a list; what it says as JSON.
    async fn take(&self, list: &str) -> Option<serde_json::Value> {
        let item: Option<String> = self.ask(&["RPOP", list]).await;
        item.map(|text| serde_json::from_str(&text).unwrap())
    }
}

#[tokio::test]
async fn every_shard_hands_its_jobs_to_a_stream_of_its_own_and_each_acknowledgement_flows_back() {
    let scene = Scene::new().await;
    let destination = Destination::Stream { stream: scene.place("work"), group: "workers".to_owned() };
    let (config, engine) = (scene.config(destination), scene.redis.engine());
    let sinks = [
        SinkHandle::start(engine, &config).await.unwrap(),
        SinkHandle::start(engine, &config).await.unwrap(),
    ];
    scene.enqueue().await;

    let mut read: BTreeMap<String, usize> = BTreeMap::new();
    eventually("every job is done", async || {
        for stream in scene.keys("work") {
            let words = ["XREADGROUP", "GROUP", "workers", "carl", "COUNT", "9", "STREAMS", &stream, ">"];
            let found: Option<Vec<(String, Vec<super::scene::Entry>)>> = scene.ask(&words).await;
            for (entry, _) in found.into_iter().flatten().flat_map(|(_, entries)| entries) {
                *read.entry(stream.clone()).or_default() += 1;
                assert_eq!(scene.ask::<i64>(&["XACK", &stream, "workers", &entry]).await, 1);
            }
        }
        scene.done().await == JOBS as u64
    })
    .await;

    assert_eq!(read.len(), usize::from(SHARDS), "{read:?}");
    assert_eq!(read.values().sum::<usize>(), JOBS, "none was published twice");
    let publication = scene.job("job-0").await.publication.unwrap();
    assert!(scene.keys("work").contains(&publication.place), "{publication:?}");
    for sink in sinks {
        sink.shutdown().await;
    }
    assert_eq!(breaches(&scene.redis.snapshot().await), Vec::<String>::new());
}

#[tokio::test]
async fn every_shard_hands_its_jobs_to_a_list_of_its_own_and_hears_on_a_list_of_its_own() {
    let scene = Scene::new().await;
    let maintenance = scene.redis.engine().maintenance().start();
    let sink = scene.config(Destination::List { list: scene.place("jobs") });
    let sink = SinkHandle::start(scene.redis.engine(), &sink).await.unwrap();
    scene.enqueue().await;

    let mut failed_once = false;
    eventually("every job is done", async || {
        for list in scene.keys("jobs") {
            while let Some(item) = scene.take(&list).await {
                // Where to report stands in the item.
                let (name, reply) = (item["id"].clone(), item["reply"].as_str().unwrap().to_owned());
                let fails = name == "job-7" && !std::mem::replace(&mut failed_once, true);
                let mut said = serde_json::json!({ "id": name, "token": item["token"], "outcome": "done" });
                if fails {
                    said["outcome"] = "retry".into();
                    said["error"] = "no answer".into();
                }
                let _: Value = scene.ask(&["LPUSH", &reply, &said.to_string()]).await;
            }
        }
        scene.done().await == JOBS as u64
    })
    .await;

    assert_eq!((scene.job("job-7").await.attempt, scene.job("job-8").await.attempt), (2, 1));
    sink.shutdown().await;
    maintenance.shutdown().await;
}

#[tokio::test]
async fn a_place_that_is_the_same_key_in_every_shard_is_refused() {
    let scene = Scene::new().await;
    let list = PlaceName::new(format!("{}-jobs", scene.redis.name())).unwrap();
    let refused = SinkHandle::start(scene.redis.engine(), &scene.config(Destination::List { list })).await;
    assert!(refused.unwrap_err().to_string().contains("several shards"), "it names the reason");
    assert_eq!(
        scene.redis.snapshot().await.len(),
        TestRedis::with_shards(SHARDS).await.snapshot().await.len()
    );
}
