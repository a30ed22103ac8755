//! The processes from outside: memory, handles, threads, processor; and what waits in Redis for its readers.

use crate::bed::Bed;
use crate::figures::slope;
use anyhow::{Context as _, Result};
use std::collections::HashSet;
use std::fs;
use std::sync::{Arc, Mutex, PoisonError};
use std::time::{Duration, Instant};
use tokio_util::sync::CancellationToken;

/// How often they are looked at.
pub(crate) const EVERY: Duration = Duration::from_secs(10);
/// How long the program has to close what its visitors left.
pub(crate) const SETTLE_MAX: Duration = Duration::from_secs(120);
/// Ticks of the processor's clock in a second, as Linux counts for everybody.
const TICKS: f64 = 100.0;

/// A process at a moment.
#[derive(Debug, Clone, Copy, Default)]
pub(crate) struct Process {
    pub(crate) rss_mb: f64,
    /// Of that, what it asked for. The rest is its own file, as far as it was read: that comes with use, and goes and
    /// comes again where memory is short.
    pub(crate) own_mb: f64,
    pub(crate) handles: usize,
    pub(crate) threads: u32,
    /// Processor time so far, in seconds.
    pub(crate) processor_s: f64,
}

impl Process {
    /// Looks at one.
    pub(crate) fn look(pid: u32) -> Result<Self> {
        let status = fs::read_to_string(format!("/proc/{pid}/status")).context("the process has ended")?;
        let number = |name: &str| {
            let line = status.lines().find_map(|line| line.strip_prefix(name))?;
            line.split_whitespace().next()?.parse::<u32>().ok()
        };
        let stat = fs::read_to_string(format!("/proc/{pid}/stat"))?;
        // Behind the name, which may hold anything, the 12th and 13th.
        let fields: Vec<&str> =
            stat.rsplit(')').next().unwrap_or_default().split_whitespace().skip(11).take(2).collect();
        let ticks: f64 = fields.iter().filter_map(|field| field.parse::<f64>().ok()).sum();
        Ok(Self {
            rss_mb: f64::from(number("VmRSS:").unwrap_or_default()) / 1_024.0,
            own_mb: f64::from(number("RssAnon:").unwrap_or_default()) / 1_024.0,
            handles: fs::read_dir(format!("/proc/{pid}/fd"))?.count(),
            threads: number("Threads:").unwrap_or_default(),
            processor_s: ticks / TICKS,
        })
    }
}

/// The program as it is now. Its connections to the receiver of its webhooks are none of its handles here: there are as
/// many as jobs are being delivered, and a few that wait for the next.
fn look_at_program(bed: &Bed) -> Result<Process> {
    let pid = bed.processes()?.0;
    let mut program = Process::look(pid)?;
    program.handles = program.handles.saturating_sub(connections_to(pid, bed.receiver)?);
    Ok(program)
}

/// How many connections a process has to that port of this machine.
fn connections_to(pid: u32, port: u16) -> Result<usize> {
    let table = fs::read_to_string(format!("/proc/{pid}/net/tcp"))?;
    let remote = format!(":{port:04X}");
    // Number, own address, the other one, and seven fields on the socket itself.
    let to_it = table.lines().filter_map(|line| {
        let fields: Vec<&str> = line.split_whitespace().collect();
        fields.get(2)?.ends_with(&remote).then(|| format!("socket:[{}]", fields.get(9).unwrap_or(&"")))
    });
    let sockets: HashSet<String> = to_it.collect();
    let open = fs::read_dir(format!("/proc/{pid}/fd"))?.flatten();
    // One that is closed meanwhile leads nowhere.
    let targets = open.filter_map(|handle| fs::read_link(handle.path()).ok());
    Ok(targets.filter(|target| target.to_str().is_some_and(|name| sockets.contains(name))).count())
}

/// Everything at a moment.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Sample {
    pub(crate) at: Duration,
    pub(crate) program: Process,
    pub(crate) redis: Process,
    /// What waits in Redis for clients that do not read fast enough, in bytes.
    pub(crate) waiting_bytes: u64,
}

/// Looks at everything, now.
pub(crate) async fn look(bed: &Bed, began: Instant) -> Result<Sample> {
    Ok(Sample {
        at: began.elapsed(),
        program: look_at_program(bed)?,
        redis: Process::look(bed.processes()?.1)?,
        waiting_bytes: waiting_bytes(bed.redis_url()).await.unwrap_or_default(),
    })
}

/// Waits until no more handles are open than before, or no longer. Returns the program as it is then.
pub(crate) async fn settled(bed: &Bed, before: Process) -> Result<Process> {
    let began = Instant::now();
    loop {
        let now = look_at_program(bed)?;
        if now.handles <= before.handles || began.elapsed() > SETTLE_MAX {
            return Ok(now);
        }
        tokio::time::sleep(Duration::from_secs(1)).await;
    }
}

/// How many more handles are open than before.
pub(crate) fn handles_left(before: Process, after: Process) -> f64 {
    handles(after.handles.saturating_sub(before.handles))
}

/// So many handles as a figure.
pub(crate) fn handles(count: usize) -> f64 {
    f64::from(u32::try_from(count).unwrap_or(u32::MAX))
}

async fn waiting_bytes(url: &str) -> redis::RedisResult<u64> {
    let client = redis::Client::open(url)?;
    let mut connection = client.get_multiplexed_async_connection().await?;
    let list: String = redis::cmd("CLIENT").arg("LIST").query_async(&mut connection).await?;
    let words = list.split_whitespace().filter_map(|word| word.strip_prefix("omem="));
    Ok(words.filter_map(|number| number.parse::<u64>().ok()).sum())
}

/// Looks again and again.
#[derive(Debug, Default)]
pub(crate) struct Watch(Mutex<Vec<Sample>>);

impl Watch {
    /// Until `stop`; says every time what it saw, and what `more` adds.
    pub(crate) async fn run(
        self: Arc<Self>,
        bed: Arc<Bed>,
        every: Duration,
        stop: CancellationToken,
        more: impl Fn() -> String,
    ) {
        let began = Instant::now();
        loop {
            if let Ok(sample) = look(&bed, began).await {
                eprintln!(
                    "{:>6} s  program {:.1} MB, {:.1} its own, {} handles {} threads {:.1} s of processor, redis {:.1} MB {:.1} s, {} bytes wait{}",
                    sample.at.as_secs(),
                    sample.program.rss_mb,
                    sample.program.own_mb,
                    sample.program.handles,
                    sample.program.threads,
                    sample.program.processor_s,
                    sample.redis.rss_mb,
                    sample.redis.processor_s,
                    sample.waiting_bytes,
                    more()
                );
                self.0.lock().unwrap_or_else(PoisonError::into_inner).push(sample);
            }
            if stop.run_until_cancelled(tokio::time::sleep(every)).await.is_none() {
                return;
            }
        }
    }

    pub(crate) fn samples(&self) -> Vec<Sample> {
        self.0.lock().unwrap_or_else(PoisonError::into_inner).clone()
    }
}

/// How steeply a figure rises over the second half of the samples, per hour.
pub(crate) fn per_hour(samples: &[Sample], figure: fn(&Sample) -> f64) -> f64 {
    let half = &samples[samples.len() / 2..];
    let points: Vec<(f64, f64)> =
        half.iter().map(|sample| (sample.at.as_secs_f64() / 3_600.0, figure(sample))).collect();
    slope(&points)
}

/// The most that a figure was.
pub(crate) fn most(samples: &[Sample], figure: fn(&Sample) -> f64) -> f64 {
    samples.iter().map(figure).fold(0.0, f64::max)
}

#[cfg(test)]
#[allow(clippy::unwrap_used, reason = "a test that cannot go on says where")]
mod tests {
    use super::*;

    #[test]
    fn a_process_can_be_looked_at() {
        let own = Process::look(std::process::id()).unwrap();
        assert!(own.own_mb > 0.1 && own.rss_mb > own.own_mb && own.handles > 2 && own.threads > 0, "{own:?}");
        assert!(Process::look(u32::MAX).is_err());
    }

    #[test]
    fn connections_are_told_apart_by_where_they_lead() {
        let listener = std::net::TcpListener::bind("127.0.0.1:0").unwrap();
        let address = listener.local_addr().unwrap();
        let to_it = || connections_to(std::process::id(), address.port()).unwrap();
        assert_eq!(to_it(), 0);
        let open = [(); 2].map(|()| std::net::TcpStream::connect(address).unwrap());
        assert_eq!(to_it(), 2);
        drop(open);
        assert_eq!(to_it(), 0);
    }

    #[test]
    fn growth_is_that_of_the_second_half() {
        let at = |second: u64, rss_mb: f64| Sample {
            at: Duration::from_secs(second),
            program: Process { rss_mb, ..Process::default() },
            redis: Process::default(),
            waiting_bytes: 0,
        };
        let mut samples: Vec<Sample> =
            (0..10).map(|n| at(n * 36, f64::from(u8::try_from(n).unwrap()))).collect();
        samples.extend((10..20).map(|n| at(n * 36, 9.0)));
        assert!(per_hour(&samples, |sample| sample.program.rss_mb).abs() < 1e-6);
        assert!((most(&samples, |sample| sample.program.rss_mb) - 9.0).abs() < f64::EPSILON);
        samples.truncate(10);
        assert!((per_hour(&samples, |sample| sample.program.rss_mb) - 100.0).abs() < 1e-6);
    }
}
