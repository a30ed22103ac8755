//! Hours of load: memory and handles must not grow, jobs start on time, people are served.

use crate::bed::{Bed, Tested};
use crate::honest::{Honest, PAGE_MS_MAX};
use crate::load::{Counted, LAG_MS_MAX, produce, receive};
use crate::report::Report;
use crate::tabs::{LAST, Tabs};
use crate::watch::{self, SETTLE_MAX, Sample, Watch};
use anyhow::{Context as _, Result};
use clap::Args;
use serde_json::json;
use std::sync::Arc;
use std::sync::atomic::{AtomicU64, Ordering};
use std::time::{Duration, Instant};
use tokio::net::TcpListener;
use tokio::runtime::Handle;
use tokio_util::sync::CancellationToken;
use tokio_util::task::TaskTracker;

/// What memory may grow by in an hour, in MB, and be at most.
const GROWTH_MB_MAX: f64 = 1.0;
const RSS_MB_MAX: f64 = 150.0;
/// How long a tab is open before its person goes elsewhere.
const TAB_LASTS: std::ops::Range<Duration> = Duration::from_secs(30)..Duration::from_secs(600);
/// How often an honest visitor comes.
const HONEST_EVERY: Duration = Duration::from_secs(1);
/// How often somebody signs in.
const SIGN_IN_EVERY: Duration = Duration::from_secs(30);

#[derive(Debug, Args)]
pub(crate) struct Arguments {
    /// How long
    #[arg(long, default_value_t = 120)]
    minutes: u64,
    /// Open tabs
    #[arg(long, default_value_t = 500)]
    streams: u32,
    /// Of those, tabs that never read
    #[arg(long, default_value_t = 50)]
    stalled: u32,
    #[command(flatten)]
    tested: Tested,
}

pub(crate) async fn run(arguments: &Arguments) -> Result<Report> {
    let tested = &arguments.tested;
    let listener = TcpListener::bind("127.0.0.1:0").await?;
    let bed = Arc::new(Bed::start(tested, listener.local_addr()?).await?);
    let (counted, watch) = (Arc::<Counted>::default(), Arc::<Watch>::default());
    let (load_stop, stop) = (CancellationToken::new(), CancellationToken::new());
    let (load, tasks) = (TaskTracker::new(), TaskTracker::new());
    tasks.spawn(receive(listener, Arc::clone(&counted), stop.clone()));
    let session = bed.session().await?;
    load.spawn(produce(Arc::clone(&bed), tested.rate, Arc::clone(&counted), load_stop.clone()));
    // What the program opens once and keeps is open by then.
    tokio::time::sleep(Duration::from_secs(10)).await;
    let honest = Honest::start(&bed, &session, HONEST_EVERY);
    tokio::time::sleep(Duration::from_secs(5)).await;
    let before = watch::look(&bed, Instant::now()).await?;
    let tabs = Tabs::of(bed.address, &session, &Handle::current());
    tabs.open_stalled(arguments.stalled);
    tabs.open(arguments.streams.saturating_sub(arguments.stalled), &TAB_LASTS);
    let (told, fared) = (Arc::clone(&counted), Arc::clone(&honest.fared));
    tasks.spawn(Arc::clone(&watch).run(Arc::clone(&bed), watch::EVERY, stop.clone(), move || {
        let (page, call, lag) = (fared.pages.ms(990), fared.calls.ms(990), told.lag.ms(990));
        format!("; p99 page {page:.1}, call {call:.1}, lag {lag:.1} ms")
    }));
    let signed_in = Arc::<AtomicU64>::default();
    load.spawn(come_in(Arc::clone(&bed), Arc::clone(&signed_in), load_stop.clone()));

    tokio::time::sleep(Duration::from_secs(arguments.minutes * 60)).await;

    load_stop.cancel();
    load.close();
    load.wait().await;
    let told = tell_the_last(&bed, &tabs).await?;
    let samples = watch.samples();
    tabs.close().await;
    let after = watch::settled(&bed, before.program).await?;
    let fared = honest.stop();
    stop.cancel();
    tasks.close();
    tasks.wait().await;

    let mut report = Report::new("soak", format!("{}min", arguments.minutes));
    report.note("minutes", arguments.minutes.to_string());
    report.note("streams", format!("{}, {} of them stalled", arguments.streams, arguments.stalled));
    let count = |number: &AtomicU64| number.load(Ordering::Relaxed);
    report.note(
        "jobs",
        format!(
            "{} enqueued, {} started, {} called off; {} requests failed",
            count(&counted.enqueued),
            count(&counted.started),
            count(&counted.called_off),
            count(&counted.refused)
        ),
    );
    report.note("signed in", format!("{} times", count(&signed_in)));
    let seen = &tabs.seen;
    report.note(
        "tabs",
        format!(
            "{} opened, {} refused, {} failed; {} messages in {} MB; {} ended while they read",
            count(&seen.opened),
            count(&seen.refused),
            count(&seen.failed),
            count(&seen.messages),
            count(&seen.bytes) >> 20,
            count(&seen.ended)
        ),
    );
    report.note("stalled", format!("{} cut, {} not", count(&seen.cut), count(&seen.kept)));
    report.note("last event", told);
    let rss = |sample: &Sample| sample.program.rss_mb;
    let own = |sample: &Sample| sample.program.own_mb;
    report.judge("own slope", watch::per_hour(&samples, own), GROWTH_MB_MAX, "MB/h");
    report.note("rss slope", format!("{:+.1} MB/h with its file", watch::per_hour(&samples, rss)));
    report.judge("rss most", watch::most(&samples, rss), RSS_MB_MAX, "MB");
    report.note(
        "rss",
        format!(
            "{:.1} MB before, {:.1} MB after; its own {:.1} and {:.1} MB",
            before.program.rss_mb, after.rss_mb, before.program.own_mb, after.own_mb
        ),
    );
    report.judge("handles left", watch::handles_left(before.program, after), 0.0, "more");
    report.note(
        "handles",
        format!(
            "{} before, {:.0} at most, {} after",
            before.program.handles,
            watch::most(&samples, |it| watch::handles(it.program.handles)),
            after.handles
        ),
    );
    report
        .note("threads", format!("{:.0} at most", watch::most(&samples, |it| f64::from(it.program.threads))));
    let (page, call) = (fared.pages.ms(990), fared.calls.ms(990));
    report.judge("page p99", page, PAGE_MS_MAX, "ms");
    report.judge("call p99", call, PAGE_MS_MAX, "ms");
    report.note("page p50", format!("{:.1} ms of {}", fared.pages.ms(500), fared.pages.count()));
    report.note("call p50", format!("{:.1} ms of {}", fared.calls.ms(500), fared.calls.count()));
    report
        .note("failures", format!("{} {}", count(&fared.failed), fared.first_failure().unwrap_or_default()));
    report.judge("start lag p99", counted.lag.ms(990), LAG_MS_MAX, "ms");
    report.note("start lag p50", format!("{:.1} ms", counted.lag.ms(500)));
    if let (Some(first), Some(last)) = (samples.first(), samples.last()) {
        let share = |of: fn(&Sample) -> f64| {
            100.0 * (of(last) - of(first)) / (last.at - first.at).as_secs_f64().max(1.0)
        };
        report.note(
            "processor",
            format!(
                "program {:.0} %, redis {:.0} % of a core",
                share(|sample| sample.program.processor_s),
                share(|sample| sample.redis.processor_s)
            ),
        );
    }
    report.note(
        "redis",
        format!(
            "{:.1} MB at most, {:+.1} MB/h; at most {} bytes waited for its readers",
            watch::most(&samples, |sample| sample.redis.rss_mb),
            watch::per_hour(&samples, |sample| sample.redis.rss_mb),
            samples
                .iter()
                .skip(samples.len() / 2)
                .map(|sample| sample.waiting_bytes)
                .max()
                .unwrap_or_default()
        ),
    );
    if let Some(folder) = &tested.ledger {
        report.keep(folder)?;
    }
    let bed = Arc::into_inner(bed).context("something still uses the program")?;
    bed.stop().await?;
    Ok(report)
}

/// Somebody signs in now and then, and never out: the sessions end by themselves.
async fn come_in(bed: Arc<Bed>, signed_in: Arc<AtomicU64>, stop: CancellationToken) {
    while stop.run_until_cancelled(tokio::time::sleep(SIGN_IN_EVERY)).await.is_some() {
        if bed.session().await.is_ok() {
            signed_in.fetch_add(1, Ordering::Relaxed);
        }
    }
}

/// Enqueues one job more, of which every tab that reads has to hear.
async fn tell_the_last(bed: &Bed, tabs: &Tabs) -> Result<String> {
    let job = json!({ "id": LAST, "kind": "later", "queue": "none", "delay_ms": 86_400_000 });
    bed.call("POST", "/api/v1/jobs", &job.to_string()).await?;
    let began = Instant::now();
    let (mut most, mut since) = (0, began);
    while began.elapsed() < SETTLE_MAX && since.elapsed() < Duration::from_secs(10) {
        let heard = tabs.seen.up_to_date.load(Ordering::Relaxed);
        if heard > most {
            (most, since) = (heard, Instant::now());
        }
        tokio::time::sleep(Duration::from_millis(100)).await;
    }
    Ok(format!("{most} tabs heard of it, the last after {:.1} s", (since - began).as_secs_f64()))
}
