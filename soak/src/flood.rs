//! A minute of everything hostile at once, between two minutes of peace.

use crate::attack::{self, Attack};
use crate::bed::Tested;
use crate::report::Report;
use crate::stage::Stage;
use crate::tabs::Tabs;
use crate::watch;
use anyhow::Result;
use clap::Args;
use std::sync::Arc;
use std::sync::atomic::Ordering;
use std::time::Duration;

/// What memory may grow by when nothing comes but sign-ins, in MB.
const GROWTH_MB_MAX: f64 = 60.0;
/// Tabs that open and close.
const TABS: u32 = 500;
const TAB_LASTS: std::ops::Range<Duration> = Duration::from_millis(200)..Duration::from_secs(3);
/// Jobs that searches look through.
const JOBS: usize = 50_000;

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
    let stage = Stage::start(&arguments.tested, JOBS).await?;
    let (bed, session) = (&stage.bed, &stage.session);
    let name = if arguments.sign_ins_only { "sign-ins" } else { "flood" };
    let mut report = Report::new(name, format!("{}s", arguments.seconds));
    let before = stage.before(&mut report).await?;

    let elsewhere = attack::elsewhere()?;
    let attack = Attack::new(Arc::clone(bed), session, elsewhere.handle());
    let tabs = Tabs::of(bed.address, session, elsewhere.handle());
    if arguments.sign_ins_only {
        attack.sign_in();
    } else {
        attack.everything();
        tabs.open(TABS, &TAB_LASTS);
    }
    tokio::time::sleep(Duration::from_secs(arguments.seconds)).await;

    stage.during(&mut report);
    let answers = attack.end().await;
    tabs.close().await;
    let (rss_before, rss) = (before.sample.program.rss_mb, stage.rss_most(&before));
    if arguments.sign_ins_only {
        report.judge("rss grown", rss - rss_before, GROWTH_MB_MAX, "MB");
    }
    let after = watch::settled(bed, before.sample.program).await?;
    stage.after(&mut report).await;
    report
        .note("rss", format!("{rss_before:.1} MB before, {rss:.1} MB at most, {:.1} MB after", after.rss_mb));
    report.judge("handles left", watch::handles_left(before.sample.program, after), 0.0, "more");
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
    let counted = &stage.counted;
    let refused = counted.refused.load(Ordering::Relaxed);
    report.note(
        "producer",
        format!("{} jobs, {refused} requests failed", counted.enqueued.load(Ordering::Relaxed)),
    );
    elsewhere.shutdown_background();
    stage.end(&arguments.tested, report).await
}
