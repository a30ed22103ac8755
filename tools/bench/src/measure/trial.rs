//! One competitor on an empty Redis, warm, and what is found out about it.

use crate::bed::Bed;
use crate::competitor::{Competitor, Driver, Reply};
use crate::figures::{Figures, percentile};
use crate::protocol::{Answer, Load, Order};
use crate::sizes::Sizes;
use anyhow::Result;
use std::time::Duration;

/// Slots of the worker that warms up.
const WARM_SLOTS: usize = 10;
/// What was left from the warm-up must not be counted with what follows.
const SETTLE: Duration = Duration::from_millis(50);

pub(crate) struct Trial<'a> {
    pub(crate) bed: &'a Bed,
    pub(crate) sizes: &'a Sizes,
    pub(crate) competitor: &'a Competitor,
    pub(crate) driver: Driver,
    measure: &'static str,
    found: &'a mut Figures,
}

/// What an order cost.
pub(crate) struct Cost {
    pub(crate) answer: Answer,
    /// Processor time of Redis, and of the driver's process, µs.
    pub(crate) redis_us: f64,
    pub(crate) driver_us: f64,
}

impl Cost {
    /// Jobs a second, by the driver's clock.
    pub(crate) fn rate(&self) -> f64 {
        self.answer.count as f64 * 1e6 / self.answer.took_us.max(1) as f64
    }

    pub(crate) fn redis_us_per_job(&self) -> f64 {
        self.redis_us / self.answer.count.max(1) as f64
    }

    pub(crate) fn driver_us_per_job(&self) -> f64 {
        self.driver_us / self.answer.count.max(1) as f64
    }
}

impl<'a> Trial<'a> {
    pub(crate) async fn start(
        measure: &'static str,
        bed: &'a Bed,
        sizes: &'a Sizes,
        competitor: &'a Competitor,
        found: &'a mut Figures,
    ) -> Result<Self> {
        bed.clear().await?;
        let driver = Driver::start(competitor, &bed.url()).await?;
        let mut trial = Self { bed, sizes, competitor, driver, measure, found };
        trial.warm_up().await?;
        Ok(trial)
    }

    /// Code is compiled, caches are filled, scripts are loaded.
    async fn warm_up(&mut self) -> Result<()> {
        let count = self.sizes.warm_up;
        self.worker(WARM_SLOTS).await?;
        self.load(Load::now(count / 2, 32)).await?;
        self.load(Load::now(count / 2, 1).batch(count / 2)).await?;
        self.wait(count / 2 * 2).await?;
        self.stop().await?;
        tokio::time::sleep(SETTLE).await;
        Ok(())
    }

    pub(crate) fn note(&mut self, metric: impl AsRef<str>, value: f64) {
        if value.is_finite() {
            self.found.add(self.measure, &self.competitor.name, metric.as_ref(), value);
        }
    }

    pub(crate) fn remark(&mut self, text: impl Into<String>) {
        self.found.remark(self.measure, &self.competitor.name, text);
    }

    /// Lateness in ms: half of the jobs, nearly all, all; and how many were early.
    pub(crate) fn note_lateness(&mut self, prefix: &str, late_us: &[i64]) {
        let late_ms: Vec<f64> = late_us.iter().map(|late| *late as f64 / 1_000.0).collect();
        for (name, percent) in [("p50", 50.0), ("p99", 99.0), ("max", 100.0)] {
            self.note(format!("{prefix}_{name}_ms"), percentile(&late_ms, percent));
        }
        let early = late_us.iter().filter(|late| **late < 0).count();
        self.note(format!("{prefix}_early"), early as f64);
    }

    /// Does it, and takes both clocks. `None` when the competitor cannot.
    pub(crate) async fn cost(&mut self, order: &Order) -> Result<Option<Cost>> {
        let (redis, driver) = (self.bed.processor_us().await?, self.driver.processor_us());
        let reply = self.driver.ask(order).await?;
        let redis_us = self.bed.processor_us().await? - redis;
        let driver_us = self.driver.processor_us() - driver;
        Ok(match reply {
            Reply::Done(answer) => Some(Cost { answer, redis_us, driver_us }),
            Reply::Unsupported(why) => {
                self.remark(why);
                None
            }
        })
    }

    /// Adds jobs.
    pub(crate) async fn load(&mut self, load: Load) -> Result<Answer> {
        self.must(&Order::Enqueue(load)).await
    }

    pub(crate) async fn worker(&mut self, concurrency: usize) -> Result<()> {
        self.must(&Order::Start { concurrency, hold: false }).await.map(drop)
    }

    /// Waits for so many starts; says so when they do not come.
    pub(crate) async fn wait(&mut self, count: usize) -> Result<Answer> {
        self.wait_for(count, self.sizes.timeout).await
    }

    pub(crate) async fn wait_for(&mut self, count: usize, limit: Duration) -> Result<Answer> {
        let limit_ms = u64::try_from(limit.as_millis())?;
        self.must(&Order::Wait { count, limit_ms }).await
    }

    pub(crate) async fn stop(&mut self) -> Result<()> {
        self.must(&Order::Stop).await.map(drop)
    }

    /// Runs what waits, and takes both clocks from the worker's start until everything is acknowledged. The rate is
    /// that from the first start to the last.
    pub(crate) async fn process(&mut self, concurrency: usize, count: usize) -> Result<Cost> {
        let (redis, driver) = (self.bed.processor_us().await?, self.driver.processor_us());
        self.worker(concurrency).await?;
        let mut answer = self.wait(count).await?;
        self.stop().await?;
        answer.took_us = answer.last_us - answer.first_us;
        let redis_us = self.bed.processor_us().await? - redis;
        let driver_us = self.driver.processor_us() - driver;
        if answer.count < count {
            let seconds = self.sizes.timeout.as_secs();
            self.remark(format!(
                "started {} of {count} at concurrency {concurrency} in {seconds} s",
                answer.count
            ));
        }
        Ok(Cost { answer, redis_us, driver_us })
    }

    pub(crate) async fn must(&mut self, order: &Order) -> Result<Answer> {
        match self.driver.ask(order).await? {
            Reply::Done(answer) => Ok(answer),
            Reply::Unsupported(why) => anyhow::bail!("{why}"),
        }
    }
}
