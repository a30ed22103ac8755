//! Reads orders, has the scheme do them, answers.

use super::{Job, Record, Run, Scheme};
use crate::protocol::{Answer, Load, Order, now_us, payload};
use anyhow::{Context, Result};
use futures_util::future::try_join_all;
use rand::seq::SliceRandom;
use std::collections::BTreeSet;
use std::sync::Arc;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::time::{Duration, Instant};
use tokio::io::{AsyncBufReadExt, AsyncWriteExt};
use tokio::task::JoinHandle;
use tokio_util::sync::CancellationToken;

/// Obeys until the orders end.
pub(crate) async fn serve<S: Scheme>() -> Result<()> {
    let mut orders = tokio::io::BufReader::new(tokio::io::stdin()).lines();
    let mut driver: Option<Driver<S>> = None;
    while let Some(line) = orders.next_line().await? {
        let answer = match (serde_json::from_str(&line)?, &mut driver) {
            (Order::Open { url }, driver) => {
                *driver = Some(Driver::new(S::open(&url).await?));
                Ok(Answer::default())
            }
            (order, Some(driver)) => driver.obey(order).await,
            (_, None) => Err(anyhow::anyhow!("the first order opens a connection")),
        };
        let answer =
            answer.unwrap_or_else(|error| Answer { error: Some(format!("{error:#}")), ..Answer::default() });
        let mut text = serde_json::to_string(&answer)?;
        text.push('\n');
        tokio::io::stdout().write_all(text.as_bytes()).await?;
        tokio::io::stdout().flush().await?;
    }
    Ok(())
}

struct Driver<S> {
    scheme: Arc<S>,
    /// What was added and may be called off.
    jobs: Vec<Job>,
    serial: u64,
    worker: Option<Running>,
}

struct Running {
    record: Arc<Record>,
    stop: CancellationToken,
    task: JoinHandle<Result<()>>,
}

impl<S: Scheme> Driver<S> {
    fn new(scheme: S) -> Self {
        Self { scheme: Arc::new(scheme), jobs: Vec::new(), serial: 0, worker: None }
    }

    async fn obey(&mut self, order: Order) -> Result<Answer> {
        match order {
            Order::Open { .. } => anyhow::bail!("the connection is open"),
            Order::Enqueue(load) => self.enqueue(&load).await,
            Order::Start { concurrency, hold } => Ok(self.start(concurrency, hold)),
            Order::Wait { count, limit_ms } => self.wait(count, Duration::from_millis(limit_ms)).await,
            Order::Stop => self.stop().await,
            Order::Cancel { count, callers } => self.cancel(count, callers).await,
            Order::CancelSubjects { count } => self.cancel_subjects(count).await,
        }
    }

    /// Producers take the next batch as soon as their last one is in. Jobs that are due now get their time when
    /// their call begins, the others are made beforehand.
    async fn enqueue(&mut self, load: &Load) -> Result<Answer> {
        let first = self.serial;
        self.serial += u64::try_from(load.count)?;
        let next = AtomicUsize::new(0);
        let began = Instant::now();
        let produce = |_| async {
            let mut made = Vec::new();
            loop {
                let from = next.fetch_add(load.batch, Ordering::Relaxed);
                if from >= load.count {
                    return anyhow::Ok(made);
                }
                let jobs: Vec<Job> = (from..load.count.min(from + load.batch))
                    .map(|n| job(load, n, first + u64::try_from(n).unwrap_or(u64::MAX)))
                    .collect();
                self.scheme.put(&jobs).await?;
                // Only delayed ones can be called off later.
                if load.due_us > 0 {
                    made.extend(jobs);
                }
            }
        };
        let made = try_join_all((0..load.producers).map(produce)).await?;
        let took_us = micros(began);
        self.jobs.extend(made.into_iter().flatten());
        Ok(Answer { took_us, count: load.count, ..Answer::default() })
    }

    fn start(&mut self, concurrency: usize, hold: bool) -> Answer {
        let record = Arc::new(Record { hold, ..Record::default() });
        let stop = CancellationToken::new();
        let run = Run { concurrency, record: Arc::clone(&record), stop: stop.clone() };
        let scheme = Arc::clone(&self.scheme);
        let task = tokio::spawn(async move { scheme.work(run).await });
        self.worker = Some(Running { record, stop, task });
        Answer::default()
    }

    async fn wait(&mut self, count: usize, limit: Duration) -> Result<Answer> {
        let running = self.worker.as_mut().context("no worker runs")?;
        let starts = tokio::select! {
            starts = running.record.take(count) => starts,
            () = tokio::time::sleep(limit) => running.record.take_now(),
            ended = &mut running.task => {
                ended??;
                anyhow::bail!("the worker ended by itself");
            }
        };
        Ok(Answer {
            count: starts.late_us.len(),
            first_us: starts.first_us,
            last_us: starts.last_us,
            late_us: starts.late_us,
            ..Answer::default()
        })
    }

    async fn stop(&mut self) -> Result<Answer> {
        if let Some(running) = self.worker.take() {
            running.stop.cancel();
            running.task.await??;
        }
        Ok(Answer::default())
    }

    async fn cancel(&mut self, count: usize, callers: usize) -> Result<Answer> {
        self.jobs.shuffle(&mut rand::rng());
        let chosen = self.jobs.split_off(self.jobs.len().saturating_sub(count));
        let (next, cancelled) = (AtomicUsize::new(0), AtomicUsize::new(0));
        let began = Instant::now();
        let call = |_| async {
            while let Some(job) = chosen.get(next.fetch_add(1, Ordering::Relaxed)) {
                match self.scheme.cancel(job).await? {
                    None => return Ok(false),
                    Some(was_there) => cancelled.fetch_add(usize::from(was_there), Ordering::Relaxed),
                };
            }
            anyhow::Ok(true)
        };
        let can = try_join_all((0..callers).map(call)).await?.into_iter().all(|can| can);
        let took_us = micros(began);
        Ok(Answer {
            took_us,
            count: cancelled.into_inner(),
            unsupported: (!can).then(|| "cannot call off a job by its id".to_owned()),
            ..Answer::default()
        })
    }

    async fn cancel_subjects(&mut self, count: usize) -> Result<Answer> {
        let subjects: BTreeSet<&String> = self.jobs.iter().filter_map(|job| job.subject.as_ref()).collect();
        let began = Instant::now();
        let mut cancelled = 0;
        for subject in subjects.into_iter().take(count) {
            match self.scheme.cancel_subject(subject).await? {
                Some(jobs) => cancelled += jobs,
                None => {
                    let unsupported = Some("does not know what a job is about".to_owned());
                    return Ok(Answer { unsupported, ..Answer::default() });
                }
            }
        }
        Ok(Answer { took_us: micros(began), count: cancelled, ..Answer::default() })
    }
}

fn job(load: &Load, n: usize, serial: u64) -> Job {
    let due_us = load.due_of(n);
    Job {
        // As long as the UUID that most programs would choose.
        id: format!(
            "{serial:08x}-5e1f-7a3b-8c2d-{:012x}",
            serial.wrapping_mul(0x9e37_79b9) & 0xffff_ffff_ffff
        ),
        payload: payload(due_us.unwrap_or_else(now_us), serial),
        due_us,
        subject: n.checked_div(load.per_subject).map(|subject| format!("resource:{subject}")),
    }
}

fn micros(began: Instant) -> i64 {
    i64::try_from(began.elapsed().as_micros()).unwrap_or(i64::MAX)
}
