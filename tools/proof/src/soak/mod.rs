//! Endurance: the program as it ships lives with load and open tabs for as long as it is told, and must not grow.
//!
//! It runs as a process of its own on a private Redis, and is observed from outside. Jobs come by the HTTP API, some are
//! cancelled, the others are delivered by webhook; tabs listen for live events, some of which never read; people sign in,
//! and look at pages that are timed. See `docs/explanation/guarantees.md`.

mod http;
mod jobs;
mod process;
mod program;
mod report;
mod tabs;
mod threads;
mod times;
mod visits;

use anyhow::{Context, Result};
use clap::Args;
use jobs::{Jobs, Producer};
use process::Sample;
use program::Program;
use report::Report;
use rustix::process::{Resource, Rlimit, getrlimit, setrlimit};
use std::path::PathBuf;
use std::sync::atomic::{AtomicU64, Ordering};
use std::sync::{Arc, Mutex};
use std::time::{Duration, Instant};
use tabs::Tabs;
use threads::Threads;
use visits::{CALLS, PAGES, Visits};

/// What memory may grow by in an hour, and be at most, in MB.
const GROWTH_MB_MAX: f64 = 1.0;
const RSS_MB_MAX: f64 = 150.0;
/// What 99 of 100 pages and calls may take, in ms.
const PAGE_MS_MAX: f64 = 500.0;
/// How late 99 of 100 jobs may start, in ms.
const LAG_MS_MAX: f64 = 1_000.0;
/// Load before the first look: what the program opens once and keeps is open by then.
const WARM_UP: Duration = Duration::from_secs(15);
const VISIT_EVERY: Duration = Duration::from_secs(1);
const SIGN_IN_EVERY: Duration = Duration::from_secs(30);
const LOOK_EVERY: Duration = Duration::from_secs(10);
/// How long the program has to close what its visitors left.
const SETTLE_MAX: Duration = Duration::from_secs(120);

#[derive(Debug, Args)]
pub(crate) struct Arguments {
    /// The `reprieve` that is tested.
    #[arg(long, value_name = "FILE")]
    program: PathBuf,
    /// How long the load lasts.
    #[arg(long, default_value_t = 120)]
    minutes: u64,
    /// Open tabs.
    #[arg(long, default_value_t = 500)]
    tabs: u32,
    /// How many of the tabs never read.
    #[arg(long, default_value_t = 50)]
    stalled: u32,
    /// Jobs enqueued in a second.
    #[arg(long, default_value_t = 50)]
    rate: u32,
    /// Writes the report into this folder as well.
    #[arg(long, value_name = "FOLDER")]
    ledger: Option<PathBuf>,
    /// Keeps what the program logs in this file.
    #[arg(long, value_name = "FILE")]
    log: Option<PathBuf>,
}

/// Runs, and returns the report.
pub(crate) async fn run(arguments: &Arguments) -> Result<Report> {
    raise_file_limit()?;
    let (jobs, visits) = (Arc::<Jobs>::default(), Arc::<Visits>::default());
    let receiver = jobs::receive(&jobs)?;
    let program = Program::start(arguments, receiver).await?;
    let session = program.site.sign_in()?;

    let mut threads = Threads::default();
    let mut producer = Producer::new(program.site.clone(), arguments.rate, Arc::clone(&jobs));
    threads.every(jobs::BATCH_EVERY, move || producer.send());
    let cookie = http::cookie_header(&session);
    threads.every(VISIT_EVERY, visits::visitor(&program.site, &PAGES, &cookie, &visits, |all| &all.pages));
    let token = program.site.api_headers();
    threads.every(VISIT_EVERY, visits::visitor(&program.site, &CALLS, &token, &visits, |all| &all.calls));
    tokio::time::sleep(WARM_UP).await;
    let before = program.look()?;

    let tabs = Tabs::open(program.site.address, &session, arguments.tabs, arguments.stalled);
    let sign_ins = Arc::<AtomicU64>::default();
    let (site, count) = (program.site.clone(), Arc::clone(&sign_ins));
    threads.every(SIGN_IN_EVERY, move || {
        if site.sign_in().is_ok() {
            count.fetch_add(1, Ordering::Relaxed);
        }
    });
    let samples = Arc::<Mutex<Vec<Sample>>>::default();
    threads.every(LOOK_EVERY, sampler(&program, &samples, &jobs, &visits));

    tokio::time::sleep(Duration::from_secs(arguments.minutes * 60)).await;

    tokio::task::block_in_place(|| threads.stop());
    let samples = Arc::into_inner(samples).context("a thread goes on")?.into_inner().unwrap_or_default();
    tabs.close().await;
    let after = settled(&program, &before).await?;

    let mut report = Report::new(format!("{}min", arguments.minutes));
    report.note("tabs", format!("{}, of which {} never read", arguments.tabs, arguments.stalled));
    report.note("", tabs.seen.to_string());
    report.note("jobs", jobs.to_string());
    report.note("sign-ins", sign_ins.load(Ordering::Relaxed).to_string());
    judge(&mut report, &samples, &before, &after);
    report.judge("page p99", visits.pages.ms(990), PAGE_MS_MAX, "ms");
    report.judge("call p99", visits.calls.ms(990), PAGE_MS_MAX, "ms");
    report.note("page p50", format!("{:.1} ms of {}", visits.pages.ms(500), visits.pages.count()));
    report.note("call p50", format!("{:.1} ms of {}", visits.calls.ms(500), visits.calls.count()));
    report.note("failures", visits.failures());
    report.judge("start lag p99", jobs.lag.ms(990), LAG_MS_MAX, "ms");
    report.note("start lag p50", format!("{:.1} ms", jobs.lag.ms(500)));
    if let Some(folder) = &arguments.ledger {
        report.keep(folder)?;
    }
    program.stop().await?;
    Ok(report)
}

/// Lets this process open as much as the system allows: each tab is a socket.
fn raise_file_limit() -> Result<()> {
    let Rlimit { maximum, .. } = getrlimit(Resource::Nofile);
    Ok(setrlimit(Resource::Nofile, Rlimit { current: maximum, maximum })?)
}

/// Takes a sample of the processes at each call, and prints how it stands.
fn sampler(
    program: &Program,
    samples: &Arc<Mutex<Vec<Sample>>>,
    jobs: &Arc<Jobs>,
    visits: &Arc<Visits>,
) -> impl FnMut() + Send + 'static {
    let (pids, began) = (program.pids(), Instant::now());
    let (samples, jobs, visits) = (Arc::clone(samples), Arc::clone(jobs), Arc::clone(visits));
    move || {
        let Ok(sample) = Sample::take(pids, began) else { return };
        let p99 = [&visits.pages, &visits.calls, &jobs.lag].map(|times| times.ms(990));
        eprintln!("{sample}; p99 page {:.1} ms, call {:.1} ms, start lag {:.1} ms", p99[0], p99[1], p99[2]);
        samples.lock().unwrap_or_else(std::sync::PoisonError::into_inner).push(sample);
    }
}

/// The program once it has no more handles than before, or when timeout ends.
async fn settled(program: &Program, before: &process::Process) -> Result<process::Process> {
    let began = Instant::now();
    loop {
        let now = program.look()?;
        if now.handles <= before.handles || began.elapsed() > SETTLE_MAX {
            return Ok(now);
        }
        tokio::time::sleep(Duration::from_secs(1)).await;
    }
}

/// Judges memory and handles.
fn judge(report: &mut Report, samples: &[Sample], before: &process::Process, after: &process::Process) {
    let rss = |sample: &Sample| sample.program.rss_mb;
    let anonymous = |sample: &Sample| sample.program.anonymous_mb;
    let left = after.handles.saturating_sub(before.handles);
    report.judge("memory slope", process::per_hour(samples, anonymous), GROWTH_MB_MAX, "MB/h");
    report.note("rss slope", format!("{:+.1} MB/h with its file", process::per_hour(samples, rss)));
    report.judge("rss most", process::most(samples, rss), RSS_MB_MAX, "MB");
    report.note("before", before.to_string());
    report.note("after", after.to_string());
    report.judge("handles left", f64::from(left), 0.0, "");
    let handles = process::most(samples, |sample| f64::from(sample.program.handles));
    let threads = process::most(samples, |sample| f64::from(sample.program.threads));
    report.note("most", format!("{handles:.0} handles, {threads:.0} threads"));
    report.note(
        "processor",
        format!(
            "program {:.0} %, redis {:.0} % of a core",
            process::processor_percent(samples, |sample| &sample.program),
            process::processor_percent(samples, |sample| &sample.redis)
        ),
    );
    let redis = |sample: &Sample| sample.redis.rss_mb;
    report.note(
        "redis",
        format!(
            "{:.1} MB at most, {:+.1} MB/h",
            process::most(samples, redis),
            process::per_hour(samples, redis)
        ),
    );
}
