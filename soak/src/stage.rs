//! The usual load with honest visitors in it, for runs that add something to it and see what they notice.

use crate::bed::{Bed, Tested};
use crate::honest::{Honest, PAGE_MS_MAX};
use crate::load::{Counted, LAG_MS_MAX, fill, own_thread, produce};
use crate::report::Report;
use crate::watch::{self, Sample, Watch};
use anyhow::{Context as _, Result};
use std::sync::Arc;
use std::sync::atomic::Ordering;
use std::time::{Duration, Instant};
use tokio_util::sync::CancellationToken;
use tokio_util::task::TaskTracker;

/// How long nothing is added, before and after.
const PEACE: Duration = Duration::from_secs(20);
/// How often an honest visitor comes.
const HONEST_EVERY: Duration = Duration::from_millis(200);
/// What the program opens once and keeps is open by then.
const SETTLED_AFTER: Duration = Duration::from_secs(12);

/// A program at work and those who use it.
pub(crate) struct Stage {
    pub(crate) bed: Arc<Bed>,
    /// Of the one who looks.
    pub(crate) session: String,
    pub(crate) counted: Arc<Counted>,
    honest: Honest,
    watch: Arc<Watch>,
    stop: CancellationToken,
    tasks: TaskTracker,
}

/// What it was like before anything was added.
pub(crate) struct Before {
    pub(crate) sample: Sample,
    /// Seconds of its processor that Redis took in a second.
    pub(crate) redis_share: f64,
    /// Samples taken by then.
    samples: usize,
}

impl Stage {
    /// Starts it on a Redis in which so many jobs wait already.
    pub(crate) async fn start(tested: &Tested, jobs: usize) -> Result<Self> {
        let counted = Arc::<Counted>::default();
        let (stop, tasks) = (CancellationToken::new(), TaskTracker::new());
        let receiver = own_thread(Arc::clone(&counted), stop.clone())?;
        let bed = Arc::new(Bed::start(tested, receiver).await?);
        eprintln!("enqueueing {jobs} jobs");
        fill(&bed.engine, jobs).await?;
        let session = bed.session().await?;
        tasks.spawn(produce(Arc::clone(&bed), tested.rate, Arc::clone(&counted), stop.clone()));
        tokio::time::sleep(SETTLED_AFTER).await;
        let honest = Honest::start(&bed, &session, HONEST_EVERY);
        let watch = Arc::<Watch>::default();
        let every = Duration::from_secs(2);
        tasks.spawn(Arc::clone(&watch).run(Arc::clone(&bed), every, stop.clone(), String::new));
        Ok(Self { bed, session, counted, honest, watch, stop, tasks })
    }

    /// A while of the usual load and no more, after which everything is counted anew.
    pub(crate) async fn before(&self, report: &mut Report) -> Result<Before> {
        self.forget();
        let began = watch::look(&self.bed, Instant::now()).await?;
        tokio::time::sleep(PEACE).await;
        let sample = watch::look(&self.bed, Instant::now()).await?;
        self.say(report, "before");
        self.forget();
        let redis_share = (sample.redis.processor_s - began.redis.processor_s) / PEACE.as_secs_f64();
        Ok(Before { sample, redis_share, samples: self.watch.samples().len() })
    }

    /// Judges how everybody fared since `before`.
    pub(crate) fn during(&self, report: &mut Report) {
        let fared = &self.honest.fared;
        report.judge("page p99", fared.pages.ms(990), PAGE_MS_MAX, "ms");
        report.judge("call p99", fared.calls.ms(990), PAGE_MS_MAX, "ms");
        report.judge("start lag p99", self.counted.lag.ms(990), LAG_MS_MAX, "ms");
        self.say(report, "during");
        let failed = fared.failed.load(Ordering::Relaxed);
        report.require(
            "unserved",
            failed == 0,
            format!("{failed} honest visitors {}", fared.first_failure().unwrap_or_default()),
        );
    }

    /// The most memory that the program had since then, in MB.
    pub(crate) fn rss_most(&self, before: &Before) -> f64 {
        watch::most(&self.watch.samples()[before.samples..], |sample| sample.program.rss_mb)
    }

    /// Another while of the usual load.
    pub(crate) async fn after(&self, report: &mut Report) {
        self.forget();
        tokio::time::sleep(PEACE).await;
        self.say(report, "after");
    }

    /// Ends everything, and keeps the report if that was asked for.
    pub(crate) async fn end(self, tested: &Tested, report: Report) -> Result<Report> {
        self.honest.stop();
        self.stop.cancel();
        self.tasks.close();
        self.tasks.wait().await;
        if let Some(folder) = &tested.ledger {
            report.keep(folder)?;
        }
        let bed = Arc::into_inner(self.bed).context("something still uses the program")?;
        bed.stop().await?;
        Ok(report)
    }

    fn forget(&self) {
        self.honest.fared.forget();
        self.counted.lag.forget();
    }

    fn say(&self, report: &mut Report, when: &str) {
        let (fared, lag) = (&self.honest.fared, &self.counted.lag);
        report.note(
            when,
            format!(
                "page p50 {:.1} p99 {:.1}, call p50 {:.1} p99 {:.1}, start lag p50 {:.1} p99 {:.1} ms; of {} pages, {} calls, {} jobs",
                fared.pages.ms(500),
                fared.pages.ms(990),
                fared.calls.ms(500),
                fared.calls.ms(990),
                lag.ms(500),
                lag.ms(990),
                fared.pages.count(),
                fared.calls.count(),
                lag.count()
            ),
        );
    }
}
