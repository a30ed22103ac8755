//! Drives apalis-redis by orders on stdin, one JSON object a line: see bench/src/protocol.rs.
//!
//! apalis keeps due times in whole seconds; a job due now has none. It cannot call a job off.

#[path = "../../driver.rs"]
mod driver;

use apalis::prelude::*;
use apalis_redis::{Config, ConnectionManager, RedisStorage};
use driver::{Failure, Load, PAYLOAD_BYTES, Record, now_us};
use futures::stream;
use serde::{Deserialize, Serialize};
use serde_json::{Value, json};
use std::io::{BufRead, Write};
use std::sync::Arc;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::time::{Duration, Instant};
use tokio::sync::oneshot;
use tokio::task::JoinHandle;

/// Jobs of one fetch; apalis's default is 10, which costs it half of its rate at concurrency 100.
const BATCH: usize = 100;

#[derive(Debug, Clone, Serialize, Deserialize)]
struct Payload {
    due_us: i64,
    serial: u64,
    pad: String,
}

impl Payload {
    /// JSON of exactly 100 bytes, as every competitor stores it.
    fn new(due_us: i64, serial: u64) -> Self {
        let mut made = Self { due_us, serial, pad: String::new() };
        let bytes = serde_json::to_string(&made).map_or(PAYLOAD_BYTES, |text| text.len());
        made.pad = "x".repeat(PAYLOAD_BYTES.saturating_sub(bytes));
        made
    }
}

struct Driver {
    connection: ConnectionManager,
    serial: u64,
    worker: Option<(Arc<Record>, oneshot::Sender<()>, JoinHandle<()>)>,
    workers: usize,
}

#[tokio::main]
async fn main() -> Result<(), Failure> {
    let mut driver: Option<Driver> = None;
    for line in std::io::stdin().lock().lines() {
        let order: Value = serde_json::from_str(&line?)?;
        let answer = match (order["do"].as_str(), &mut driver) {
            (Some("open"), driver) => {
                let connection = apalis_redis::connect(order["url"].as_str().unwrap_or_default()).await?;
                *driver = Some(Driver { connection, serial: 0, worker: None, workers: 0 });
                Ok(json!({}))
            }
            (_, Some(driver)) => driver.obey(&order).await,
            (_, None) => Err("the first order opens a connection".into()),
        };
        let answer = answer.unwrap_or_else(|error| json!({ "error": error.to_string() }));
        println!("{answer}");
        std::io::stdout().flush()?;
    }
    // Handlers that hold their jobs would keep the runtime.
    std::process::exit(0)
}

impl Driver {
    async fn obey(&mut self, order: &Value) -> Result<Value, Failure> {
        let number = |name: &str| order[name].as_u64().unwrap_or_default();
        match order["do"].as_str().unwrap_or_default() {
            "enqueue" => self.enqueue(&Load::deserialize(order)?).await,
            "start" => {
                let slots = usize::try_from(number("concurrency"))?;
                self.start(slots, order["hold"].as_bool().unwrap_or_default());
                Ok(json!({}))
            }
            "wait" => {
                let (record, ..) = self.worker.as_ref().ok_or("no worker runs")?;
                record
                    .wait(usize::try_from(number("count"))?, Duration::from_millis(number("limit_ms")))
                    .await
            }
            "stop" => {
                if let Some((_, stop, task)) = self.worker.take() {
                    stop.send(()).ok();
                    let rest = task.abort_handle();
                    // It finishes its fetch first, or waits for the next one up to its heartbeat of 30 s.
                    if tokio::time::timeout(Duration::from_secs(2), task).await.is_err() {
                        rest.abort();
                    }
                }
                Ok(json!({}))
            }
            "cancel" => Ok(json!({ "unsupported": "cannot call off a job by its id" })),
            _ => Ok(json!({ "unsupported": "does not know what a job is about" })),
        }
    }

    fn storage(&self) -> RedisStorage<Payload> {
        let config = Config::default().queue("bench").batch_size(BATCH);
        RedisStorage::new(self.connection.clone()).with_config(config)
    }

    async fn enqueue(&mut self, load: &Load) -> Result<Value, Failure> {
        let first = self.serial;
        self.serial += u64::try_from(load.count)?;
        let next = AtomicUsize::new(0);
        let began = Instant::now();
        let produce = |_| async {
            let mut storage = self.storage();
            loop {
                let from = next.fetch_add(load.batch, Ordering::Relaxed);
                if from >= load.count {
                    return Ok::<(), Failure>(());
                }
                let tasks: Vec<Task<Payload>> =
                    (from..load.count.min(from + load.batch)).map(|n| task(load, n, first)).collect();
                storage.push_all(stream::iter(tasks)).await?;
            }
        };
        futures::future::try_join_all((0..load.producers).map(produce)).await?;
        Ok(json!({ "took_us": i64::try_from(began.elapsed().as_micros())?, "count": load.count }))
    }

    fn start(&mut self, slots: usize, hold: bool) {
        let record = Arc::new(Record::new(hold));
        let (stop, stopped) = oneshot::channel::<()>();
        self.workers += 1;
        let worker = WorkerBuilder::new(format!("bench-{}-{}", std::process::id(), self.workers))
            .backend(self.storage())
            .data(record.clone())
            .concurrency(slots)
            .build(handle);
        let task = tokio::spawn(async move {
            let signal = async {
                stopped.await.ok();
                Ok::<(), std::io::Error>(())
            };
            if let Err(error) = worker.run_until(signal).await {
                eprintln!("apalis: {error}");
            }
        });
        self.worker = Some((record, stop, task));
    }
}

async fn handle(payload: Payload, record: Data<Arc<Record>>) -> Result<(), BoxDynError> {
    record.start(payload.due_us).await;
    Ok(())
}

fn task(load: &Load, n: usize, first: u64) -> Task<Payload> {
    let due_us = load.due_us(n);
    let serial = first + u64::try_from(n).unwrap_or(u64::MAX);
    if due_us > 0 {
        let due_s = (due_us / 1_000_000).unsigned_abs();
        TaskBuilder::new(Payload::new(due_us, serial)).run_at_timestamp(due_s).build()
    } else {
        TaskBuilder::new(Payload::new(now_us(), serial)).build()
    }
}
