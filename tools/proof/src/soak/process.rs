//! Processes from outside: memory, handles, threads, processor time.

use anyhow::{Context, Result};
use std::fmt;
use std::fs;
use std::time::{Duration, Instant};

/// Ticks of the processor's clock in a second, as Linux counts for every program.
const TICKS: f64 = 100.0;

/// A process at a moment.
#[derive(Debug, Clone, Default)]
pub(super) struct Process {
    pub(super) rss_mb: f64,
    /// What it allocated, of that. The rest is its own file: that comes with use, and goes where memory is short.
    pub(super) anonymous_mb: f64,
    pub(super) handles: u32,
    pub(super) threads: u32,
    /// Processor time so far.
    processor_s: f64,
}

impl Process {
    pub(super) fn look(pid: u32) -> Result<Self> {
        let status = fs::read_to_string(format!("/proc/{pid}/status")).context("the process has ended")?;
        let number = |name: &str| {
            let line = status.lines().find_map(|line| line.strip_prefix(name))?;
            line.split_whitespace().next()?.parse::<u32>().ok()
        };
        let stat = fs::read_to_string(format!("/proc/{pid}/stat"))?;
        // The 12th and 13th field after the name, which may contain anything.
        let fields = stat.rsplit(')').next().unwrap_or_default().split_whitespace().skip(11).take(2);
        let ticks: f64 = fields.filter_map(|field| field.parse::<f64>().ok()).sum();
        Ok(Self {
            rss_mb: f64::from(number("VmRSS:").unwrap_or_default()) / 1_024.0,
            anonymous_mb: f64::from(number("RssAnon:").unwrap_or_default()) / 1_024.0,
            handles: u32::try_from(fs::read_dir(format!("/proc/{pid}/fd"))?.count())?,
            threads: number("Threads:").unwrap_or_default(),
            processor_s: ticks / TICKS,
        })
    }
}

impl fmt::Display for Process {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let Self { rss_mb, anonymous_mb, handles, .. } = self;
        write!(f, "{rss_mb:.1} MB, {anonymous_mb:.1} of it allocated, {handles} handles")
    }
}

/// The program and its Redis at a moment.
#[derive(Debug)]
pub(super) struct Sample {
    at: Duration,
    pub(super) program: Process,
    pub(super) redis: Process,
}

impl Sample {
    /// Of these processes, now.
    pub(super) fn take((program, redis): (u32, u32), began: Instant) -> Result<Self> {
        Ok(Self { at: began.elapsed(), program: Process::look(program)?, redis: Process::look(redis)? })
    }
}

impl fmt::Display for Sample {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{:>6} s  program {}, redis {:.1} MB", self.at.as_secs(), self.program, self.redis.rss_mb)
    }
}

/// The most that a figure was.
pub(super) fn most(samples: &[Sample], figure: fn(&Sample) -> f64) -> f64 {
    samples.iter().map(figure).fold(0.0, f64::max)
}

/// How steeply a figure rises over the second half of the samples, per hour: the slope of the straight line nearest to
/// all points, by least squares.
pub(super) fn per_hour(samples: &[Sample], figure: fn(&Sample) -> f64) -> f64 {
    let half = &samples[samples.len() / 2..];
    #[expect(clippy::cast_precision_loss, reason = "thousands of points")]
    let count = half.len() as f64;
    let hours = |sample: &Sample| sample.at.as_secs_f64() / 3_600.0;
    let x = half.iter().map(hours).sum::<f64>() / count;
    let y = half.iter().map(figure).sum::<f64>() / count;
    let above: f64 = half.iter().map(|sample| (hours(sample) - x) * (figure(sample) - y)).sum();
    let below: f64 = half.iter().map(|sample| (hours(sample) - x).powi(2)).sum();
    if below > 0.0 { above / below } else { 0.0 }
}

/// How much of a core a process used.
pub(super) fn processor_percent(samples: &[Sample], process: fn(&Sample) -> &Process) -> f64 {
    let (Some(first), Some(last)) = (samples.first(), samples.last()) else { return 0.0 };
    let used_s = process(last).processor_s - process(first).processor_s;
    100.0 * used_s / (last.at - first.at).as_secs_f64().max(1.0)
}

#[cfg(test)]
#[allow(clippy::unwrap_used, reason = "a test that cannot go on says where")]
mod tests {
    use super::*;

    #[test]
    fn a_process_can_be_looked_at() {
        let own = Process::look(std::process::id()).unwrap();
        assert!(own.anonymous_mb > 0.1 && own.rss_mb > own.anonymous_mb, "{own:?}");
        assert!(own.handles > 2 && own.threads > 0, "{own:?}");
        assert!(Process::look(u32::MAX).is_err());
    }

    #[test]
    fn growth_is_that_of_the_second_half() {
        let at = |number: u8, rss_mb: f64| Sample {
            at: Duration::from_secs(36 * u64::from(number)),
            program: Process { rss_mb, ..Process::default() },
            redis: Process::default(),
        };
        let mut samples: Vec<Sample> = (0..10).map(|number| at(number, f64::from(number))).collect();
        let rss = |sample: &Sample| sample.program.rss_mb;
        assert!((per_hour(&samples, rss) - 100.0).abs() < 1e-6);
        samples.extend((10..20).map(|number| at(number, 9.0)));
        assert!(per_hour(&samples, rss).abs() < 1e-6);
        assert!((most(&samples, rss) - 9.0).abs() < 1e-6);
        assert!(per_hour(&[], rss).abs() < 1e-6);
    }
}
