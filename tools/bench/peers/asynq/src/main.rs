//! Drives the Rust crate asynq by orders on stdin, one JSON object a line: see tools/bench/src/protocol.rs.
//!
//! asynq keeps due times in whole seconds. It takes one task a call: in bulk many calls are under way together. It cannot
//! call a scheduled task off: its `delete_task` looks under another key than it wrote to.

#[path = "../../driver.rs"]
mod driver;

use asynq::backend::RedisConnectionType;
use asynq::client::Client;
use asynq::config::{ClientConfig, ServerConfig};
use asynq::error::Result as TaskResult;
use asynq::server::{Handler, Server};
use asynq::task::Task;
use chrono::DateTime;
use driver::{Failure, Load, PAYLOAD_BYTES, Record, now_us};
use futures::future::try_join_all;
use futures::stream::{self, StreamExt, TryStreamExt};
use serde::Deserialize;
use serde_json::{Value, json};
use std::io::{BufRead, Write};
use std::sync::Arc;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::time::{Duration, Instant};
use tokio::runtime::Runtime;

/// Calls of a batch that are under way at once. With a thousand the crate's own limit of half a second ends some.
const TOGETHER: usize = 100;

/// JSON of exactly 100 bytes, as every competitor stores it.
fn payload(due_us: i64, serial: u64) -> Vec<u8> {
    let head = format!(r#"{{"due_us":{due_us},"serial":{serial},"pad":""#);
    let pad = PAYLOAD_BYTES.saturating_sub(head.len() + 2);
    format!("{head}{}\"}}", "x".repeat(pad)).into_bytes()
}

#[derive(Deserialize)]
struct Due {
    due_us: i64,
}

struct Starts(Arc<Record>);

#[async_trait::async_trait]
impl Handler for Starts {
    async fn process_task(&self, task: Task) -> TaskResult<()> {
        let payload = serde_json::from_slice::<Due>(task.get_payload());
        self.0.start(payload.map_or_else(|_| now_us(), |due| due.due_us)).await;
        Ok(())
    }
}

struct Driver {
    redis: RedisConnectionType,
    client: Client,
    serial: u64,
    /// A worker has a runtime of its own: to stop the crate's tasks there is no other way than a signal to the process.
    worker: Option<(Arc<Record>, Runtime)>,
}

#[tokio::main]
async fn main() -> Result<(), Failure> {
    let mut driver: Option<Driver> = None;
    for line in std::io::stdin().lock().lines() {
        let order: Value = serde_json::from_str(&line?)?;
        let answer = match (order["do"].as_str(), &mut driver) {
            (Some("open"), driver) => {
                *driver = Some(Driver::open(order["url"].as_str().unwrap_or_default()).await?);
                Ok(json!({}))
            }
            (_, Some(driver)) => driver.obey(&order).await,
            (_, None) => Err("the first order opens a connection".into()),
        };
        let answer = answer.unwrap_or_else(|error| json!({ "error": error.to_string() }));
        println!("{answer}");
        std::io::stdout().flush()?;
    }
    std::process::exit(0)
}

impl Driver {
    async fn open(url: &str) -> Result<Self, Failure> {
        let redis = RedisConnectionType::single(url)?;
        let client = Client::with_config(redis.clone(), ClientConfig::new()).await?;
        Ok(Self { redis, client, serial: 0, worker: None })
    }

    async fn obey(&mut self, order: &Value) -> Result<Value, Failure> {
        let number = |name: &str| usize::try_from(order[name].as_u64().unwrap_or_default());
        match order["do"].as_str().unwrap_or_default() {
            "enqueue" => self.enqueue(&Load::deserialize(order)?).await,
            "start" => {
                self.start(number("concurrency")?, order["hold"].as_bool().unwrap_or_default()).await?;
                Ok(json!({}))
            }
            "wait" => {
                let limit = Duration::from_millis(order["limit_ms"].as_u64().unwrap_or_default());
                let (record, ..) = self.worker.as_ref().ok_or("no worker runs")?;
                record.wait(number("count")?, limit).await
            }
            "stop" => {
                if let Some((_, runtime)) = self.worker.take() {
                    runtime.shutdown_background();
                }
                Ok(json!({}))
            }
            "cancel" => Ok(json!({ "unsupported": "cannot call off a scheduled task" })),
            _ => Ok(json!({ "unsupported": "does not know what a job is about" })),
        }
    }

    async fn enqueue(&mut self, load: &Load) -> Result<Value, Failure> {
        let first = self.serial;
        self.serial += u64::try_from(load.count)?;
        let next = AtomicUsize::new(0);
        let began = Instant::now();
        let produce = |_| async {
            loop {
                let from = next.fetch_add(load.batch, Ordering::Relaxed);
                if from >= load.count {
                    return Ok::<(), Failure>(());
                }
                let batch = from..load.count.min(from + load.batch);
                let calls = stream::iter(batch.map(|n| self.add(load, n, first)));
                calls.buffer_unordered(TOGETHER).try_collect::<()>().await?;
            }
        };
        try_join_all((0..load.producers).map(produce)).await?;
        Ok(json!({ "took_us": i64::try_from(began.elapsed().as_micros())?, "count": load.count }))
    }

    async fn add(&self, load: &Load, n: usize, first: u64) -> Result<(), Failure> {
        let serial = first + u64::try_from(n)?;
        let due_us = load.due_us(n);
        let task = |due_us| {
            Ok::<_, Failure>(Task::new("notice", &payload(due_us, serial))?.with_task_id(serial.to_string()))
        };
        if due_us > 0 {
            let due = DateTime::from_timestamp_micros(due_us).ok_or("no such time")?;
            self.client.schedule(task(due_us)?, due.into()).await?;
        } else {
            self.client.enqueue(task(now_us())?).await?;
        }
        Ok(())
    }

    async fn start(&mut self, slots: usize, hold: bool) -> Result<(), Failure> {
        let record = Arc::new(Record::new(hold));
        let runtime = Runtime::new()?;
        let (redis, starts) = (self.redis.clone(), Starts(record.clone()));
        let began = runtime.spawn(async move {
            let mut server = Server::new(redis, ServerConfig::new().concurrency(slots)).await?;
            tokio::spawn(async move { server.start(starts).await });
            Ok::<(), asynq::error::Error>(())
        });
        began.await??;
        self.worker = Some((record, runtime));
        Ok(())
    }
}
