//! A minute of everything hostile at once, between two minutes of peace.

use crate::attack::Attack;
use crate::bed::{Bed, Tested};
use crate::honest::{Honest, PAGE_MS_MAX};
use crate::load::{Counted, LAG_MS_MAX, produce, receive};
use crate::report::Report;
use crate::tabs::Tabs;
use crate::watch::{self, Sample, Watch};
use anyhow::{Context as _, Result};
use clap::Args;
use reprieve::model::{Delay, Kind};
use reprieve::{Due, Engine, NewJob};
use std::sync::Arc;
use std::sync::atomic::Ordering;
use std::time::{Duration, Instant};
use tokio::net::TcpListener;
use tokio_util::sync::CancellationToken;
use tokio_util::task::TaskTracker;

/// What memory may grow by when nothing comes but sign-ins, in MB.
const GROWTH_MB_MAX: f64 = 60.0;
/// Tabs that open and close.
const TABS: u32 = 500;
const TAB_LASTS: std::ops::Range<Duration> = Duration::from_millis(200)..Duration::from_secs(3);
/// Jobs that searches look through.
const JOBS: usize = 50_000;
/// Jobs of one batch.
const BATCH: usize = 500;
/// Before and after it.
const PEACE: Duration = Duration::from_secs(20);
/// How often an honest visitor comes.
const HONEST_EVERY: Duration = Duration::from_millis(200);

#[derive(Debug, Args)]
pub(crate) struct Arguments {
    /// How long the flood lasts
    #[arg(long, default_value_t = 60)]
    seconds: u64,
    /// Nothing but sign-ins, with names and passwords that are wrong
    #[arg(long)]
    sign_ins_only: bool,
    #[command(flatten)]
    tested: Tested,
}

pub(crate) async fn run(arguments: &Arguments) -> Result<Report> {
    let tested = &arguments.tested;
    let counted = Arc::<Counted>::default();
    let (stop, tasks) = (CancellationToken::new(), TaskTracker::new());
    let receiver = own_thread(Arc::clone(&counted), stop.clone())?;
    let bed = Arc::new(Bed::start(tested, receiver).await?);
    fill(&bed.engine).await?;
    let session = bed.session().await?;
    tasks.spawn(produce(Arc::clone(&bed), tested.rate, Arc::clone(&counted), stop.clone()));
    tokio::time::sleep(Duration::from_secs(12)).await;
    let honest = Honest::start(&bed, &session, HONEST_EVERY);
    let watch = Arc::<Watch>::default();
    tasks.spawn(Arc::clone(&watch).run(Arc::clone(&bed), Duration::from_secs(2), stop.clone(), String::new));

    let name = if arguments.sign_ins_only { "sign-ins" } else { "flood" };
    let mut report = Report::new(name, format!("{}s", arguments.seconds));
    counted.lag.forget();
    tokio::time::sleep(PEACE).await;
    let before = watch::look(&bed, Instant::now()).await?;
    say(&mut report, "before", &honest, &counted);
    honest.fared.forget();
    counted.lag.forget();
    let began = watch.samples().len();

    let attack = Attack::new(Arc::clone(&bed), &session);
    let tabs = Tabs::of(bed.address, &session);
    if arguments.sign_ins_only {
        attack.sign_in();
    } else {
        attack.everything();
        tabs.open(TABS, &TAB_LASTS);
    }
    tokio::time::sleep(Duration::from_secs(arguments.seconds)).await;

    report.judge("page p99", honest.fared.pages.ms(990), PAGE_MS_MAX, "ms");
    report.judge("call p99", honest.fared.calls.ms(990), PAGE_MS_MAX, "ms");
    report.judge("start lag p99", counted.lag.ms(990), LAG_MS_MAX, "ms");
    say(&mut report, "during", &honest, &counted);
    let failed = honest.fared.failed.load(Ordering::Relaxed);
    report.require(
        "unserved",
        failed == 0,
        format!("{failed} honest visitors {}", honest.fared.first_failure().unwrap_or_default()),
    );
    let answers = attack.end().await;
    tabs.close().await;
    let during: Vec<Sample> = watch.samples().split_off(began);
    let rss = watch::most(&during, |sample| sample.program.rss_mb);
    let grown = rss - before.program.rss_mb;
    if arguments.sign_ins_only {
        report.judge("rss grown", grown, GROWTH_MB_MAX, "MB");
    }
    let after = watch::settled(&bed, before.program).await?;
    honest.fared.forget();
    counted.lag.forget();
    tokio::time::sleep(PEACE).await;
    say(&mut report, "after", &honest, &counted);
    report.note(
        "rss",
        format!("{:.1} MB before, {rss:.1} MB at most, {:.1} MB after", before.program.rss_mb, after.rss_mb),
    );
    report.judge("handles left", watch::handles_left(before.program, after), 0.0, "more");
    for (attack, how) in answers.lines() {
        report.note(attack, how);
    }
    let errors = answers.server_errors();
    report.require("errors", errors == 0, format!("{errors} answers of the server's own fault"));
    let seen = &tabs.seen;
    report.note(
        "tabs",
        format!(
            "{} opened, {} refused, {} failed",
            seen.opened.load(Ordering::Relaxed),
            seen.refused.load(Ordering::Relaxed),
            seen.failed.load(Ordering::Relaxed)
        ),
    );
    let refused = counted.refused.load(Ordering::Relaxed);
    report.note(
        "producer",
        format!("{} jobs, {refused} requests failed", counted.enqueued.load(Ordering::Relaxed)),
    );
    honest.stop();
    stop.cancel();
    tasks.close();
    tasks.wait().await;
    if let Some(folder) = &tested.ledger {
        report.keep(folder)?;
    }
    let bed = Arc::into_inner(bed).context("something still uses the program")?;
    bed.stop().await?;
    Ok(report)
}

/// Receives webhooks in a thread of its own: what else this process does would be part of their lag.
fn own_thread(counted: Arc<Counted>, stop: CancellationToken) -> Result<std::net::SocketAddr> {
    let listener = std::net::TcpListener::bind("127.0.0.1:0")?;
    listener.set_nonblocking(true)?;
    let address = listener.local_addr()?;
    let runtime = tokio::runtime::Builder::new_current_thread().enable_all().build()?;
    std::thread::spawn(move || {
        runtime.block_on(async {
            if let Ok(listener) = TcpListener::from_std(listener) {
                receive(listener, counted, stop).await;
            }
        });
    });
    Ok(address)
}

fn say(report: &mut Report, when: &str, honest: &Honest, counted: &Counted) {
    let fared = &honest.fared;
    report.note(
        when,
        format!(
            "page p50 {:.1} p99 {:.1}, call p50 {:.1} p99 {:.1}, start lag p50 {:.1} p99 {:.1} ms; of {} pages, {} calls, {} jobs",
            fared.pages.ms(500),
            fared.pages.ms(990),
            fared.calls.ms(500),
            fared.calls.ms(990),
            counted.lag.ms(500),
            counted.lag.ms(990),
            fared.pages.count(),
            fared.calls.count(),
            counted.lag.count()
        ),
    );
}

/// Jobs of next week, to be looked through.
async fn fill(engine: &Engine) -> Result<()> {
    let client = engine.client();
    let kind: Kind = "later".parse()?;
    for number in 0..JOBS / BATCH {
        let job = |place: usize| {
            let text = format!("{{\"number\":{},\"text\":\"{}\"}}", number * BATCH + place, "a".repeat(200));
            let mut job = NewJob::new(kind.clone(), text);
            job.due = Due::In(Delay::hours(100));
            job
        };
        client.enqueue_batch((0..BATCH).map(job).collect()).await?;
    }
    Ok(())
}
