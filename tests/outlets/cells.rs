//! Outlets of a namespace of several cells: a place in each, and consumers that read them all.

use super::scene::{eventually, id, job, mail};
use redis::Value;
use reprieve::model::{Delay, Job, JobState, QueueName, Subject};
use reprieve::testing::{TestRedis, breaches};
use reprieve::{Destination, Due, ExponentialBackoff, NewJob, OutletConfig, PlaceName};
use std::collections::BTreeMap;

const CELLS: u16 = 4;
/// Enough that every cell has some.
const JOBS: usize = 80;

struct Scene {
    redis: TestRedis,
}

impl Scene {
    async fn new() -> Self {
        Self { redis: TestRedis::beside(CELLS, &["~@-*"]).await }
    }

    /// A name that is another key in each cell.
    fn place(&self, what: &str) -> PlaceName {
        PlaceName::new(format!("{}-{what}:{{}}", self.redis.name())).unwrap()
    }

    /// That key in each of the cells.
    fn keys(&self, what: &str) -> Vec<String> {
        let name = self.redis.name();
        (0..CELLS).map(|cell| format!("{name}-{what}:{{{name}.{cell}}}")).collect()
    }

    fn config(&self, destination: Destination) -> OutletConfig {
        OutletConfig::new(QueueName::new("orders").unwrap(), vec![mail()], destination)
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
async fn every_cell_hands_its_jobs_to_a_stream_of_its_own_and_each_acknowledgement_flows_back() {
    let scene = Scene::new().await;
    let destination = Destination::Stream { stream: scene.place("work"), group: "workers".to_owned() };
    let (config, engine) = (scene.config(destination), scene.redis.engine());
    let outlets = [engine.outlet(&config).await.unwrap(), engine.outlet(&config).await.unwrap()];
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

    assert_eq!(read.len(), usize::from(CELLS), "{read:?}");
    assert_eq!(read.values().sum::<usize>(), JOBS, "none was handed out twice");
    let relay = scene.job("job-0").await.relay.unwrap();
    assert!(scene.keys("work").contains(&relay.place), "{relay:?}");
    for outlet in outlets {
        outlet.shutdown().await;
    }
    assert_eq!(breaches(&scene.redis.snapshot().await), Vec::<String>::new());
}

#[tokio::test]
async fn every_cell_hands_its_jobs_to_a_list_of_its_own_and_hears_on_a_list_of_its_own() {
    let scene = Scene::new().await;
    let maintenance = scene.redis.engine().maintenance().start();
    let outlet = scene.config(Destination::List { list: scene.place("jobs") });
    let outlet = scene.redis.engine().outlet(&outlet).await.unwrap();
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
    outlet.shutdown().await;
    maintenance.shutdown().await;
}

#[tokio::test]
async fn a_place_that_is_the_same_key_in_every_cell_is_refused() {
    let scene = Scene::new().await;
    let list = PlaceName::new(format!("{}-jobs", scene.redis.name())).unwrap();
    let refused = scene.redis.engine().outlet(&scene.config(Destination::List { list })).await;
    assert!(refused.unwrap_err().to_string().contains("several cells"), "it names the reason");
    assert_eq!(scene.redis.snapshot().await.len(), TestRedis::with_cells(CELLS).await.snapshot().await.len());
}
