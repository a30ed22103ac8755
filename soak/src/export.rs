//! A million jobs as a file, beside the usual load.

use crate::bed::{Bed, Tested, here};
use crate::http;
use crate::load::FILLED;
use crate::report::Report;
use crate::stage::Stage;
use crate::watch;
use anyhow::{Context as _, Result, ensure};
use clap::Args;
use serde_json::Value;
use std::time::Instant;
use tokio::io::{AsyncBufReadExt as _, AsyncWriteExt as _, BufReader};

/// What memory may grow by, in MB, and what Redis may work for it, in per cent of its time.
const GROWTH_MB_MAX: f64 = 20.0;
const REDIS_PERCENT_MAX: f64 = 5.0;

#[derive(Debug, Args)]
pub(crate) struct Arguments {
    /// Jobs in the file
    #[arg(long, default_value_t = 1_000_000)]
    jobs: usize,
    #[command(flatten)]
    tested: Tested,
}

pub(crate) async fn run(arguments: &Arguments) -> Result<Report> {
    let stage = Stage::start(&arguments.tested, arguments.jobs).await?;
    let mut report = Report::new("export", arguments.jobs.to_string());
    let before = stage.before(&mut report).await?;

    let asked = Instant::now();
    let file = take_away(&stage.bed, &stage.session, arguments.jobs).await?;
    let took_s = asked.elapsed().as_secs_f64();
    let after = watch::look(&stage.bed, Instant::now()).await?;

    report.require(
        "file",
        file.missing == 0 && file.twice == 0,
        format!(
            "{} jobs in {} files, {} MB, {took_s:.0} s; {} missing, {} twice",
            file.jobs,
            file.files,
            file.bytes / 1_000_000,
            file.missing,
            file.twice
        ),
    );
    report.judge("rss grown", stage.rss_most(&before) - before.sample.program.rss_mb, GROWTH_MB_MAX, "MB");
    let redis_s = after.redis.processor_s - before.sample.redis.processor_s;
    let for_it = redis_s / took_s - before.redis_share;
    report.judge("redis for it", for_it * 100.0, REDIS_PERCENT_MAX, "% of its time");
    stage.during(&mut report);
    stage.end(&arguments.tested, report).await
}

/// What came.
#[derive(Debug, Default)]
struct Taken {
    jobs: usize,
    files: u32,
    bytes: usize,
    missing: usize,
    twice: usize,
}

/// Reads the list, one file after the other where one does not hold it, and looks for each job by its number.
async fn take_away(bed: &Bed, session: &str, jobs: usize) -> Result<Taken> {
    let (mut taken, mut seen) = (Taken::default(), vec![false; jobs]);
    let mut next = Some("/export/jobs.jsonl?list=delay&columns=number".to_owned());
    while let Some(path) = next.take() {
        taken.files += 1;
        // Of the older version, which knows no pieces with a length each.
        let request = format!("GET {path} HTTP/1.0\r\nHost: localhost\r\nCookie: rp={session}\r\n\r\n");
        let mut stream = BufReader::new(http::connect(here(), bed.address).await?);
        stream.write_all(request.as_bytes()).await?;
        let mut line = String::new();
        stream.read_line(&mut line).await?;
        ensure!(line.contains(" 200 "), "{path}: {line}");
        while line != "\r\n" {
            line.clear();
            ensure!(stream.read_line(&mut line).await? > 0, "the answer ended in its headers");
        }
        loop {
            line.clear();
            let bytes = stream.read_line(&mut line).await?;
            if bytes == 0 {
                break;
            }
            taken.bytes += bytes;
            let read: Value = serde_json::from_str(&line).context("a line was cut")?;
            if let Some(rest) = read["next"].as_str() {
                next = Some(rest.to_owned());
                continue;
            }
            taken.jobs += 1;
            if read["kind"] != FILLED {
                continue;
            }
            let number: usize = read["columns"]["number"].as_str().unwrap_or_default().parse()?;
            taken.twice += usize::from(std::mem::replace(&mut seen[number], true));
        }
    }
    taken.missing = seen.iter().filter(|seen| !**seen).count();
    Ok(taken)
}
