//! How soon Reprieve serves again: after a restart of Redis, a cut, a planned failover, a crash of a worker; and that a
//! worker which stalls for ten seconds keeps its jobs.

use crate::bed::{Bed, NAMESPACE, Topology};
use crate::faults::{Kind as Fault, Planned};
use crate::proxy::Mode;
use crate::rig::commit;
use crate::sink::{self, Effects, wall_ms};
use crate::watched;
use anyhow::{Result, ensure};
use clap::Args;
use reprieve::model::{JobId, Kind, Namespace};
use reprieve::{Engine, EngineConfig, NewJob};
use std::path::PathBuf;
use std::sync::{Arc, Mutex, PoisonError};
use std::time::Duration;
use tokio_util::sync::CancellationToken;
use tokio_util::task::TaskTracker;

/// What each may take, in ms.
const RESTART_MS_MAX: i64 = 3_000;
const CUT_MS_MAX: i64 = 5_000;
const FAILOVER_MS_MAX: i64 = 1_500;
const CRASH_MS_MAX: i64 = 20_000;
/// How long Redis is gone, the network cut, a worker frozen.
const GONE: Duration = Duration::from_millis(500);
const CUT: Duration = Duration::from_secs(6);
const STALL: Duration = Duration::from_secs(10);
/// Callers that ask again and again, and how long each waits in between.
const CALLERS: u32 = 5;
const PAUSE: Duration = Duration::from_millis(50);
/// Jobs of five seconds each that a worker has when it dies or stalls, and how long they may take to be claimed.
const LONG_JOBS: u32 = 12;
const CLAIMED_WITHIN: Duration = Duration::from_secs(2);
/// How long anything is waited for, so that what never comes is told of.
const TIMEOUT: Duration = Duration::from_secs(40);

/// What to run.
#[derive(Debug, Args)]
pub(crate) struct Arguments {
    /// How often each is done.
    #[arg(long, default_value_t = 10)]
    times: u32,
    /// Write the report there as well, as `recovery.txt`.
    #[arg(long)]
    ledger: Option<PathBuf>,
}

/// Measures everything; the report, and whether all was in time.
pub(crate) async fn run(arguments: &Arguments) -> Result<(String, bool)> {
    let mut report = Report { lines: vec![format!("commit  {}", commit())], missed: false };
    let scene = Scene::start(Topology::Single).await?;
    let (mut taken, mut begun) = (Vec::new(), Vec::new());
    for _ in 0..arguments.times {
        scene.bed.servers[0].kill_between_syncs().await?;
        tokio::time::sleep(GONE).await;
        scene.bed.servers[0].restart().await?;
        scene.served_after(scene.until_it_writes().await?, &mut taken, &mut begun).await?;
    }
    report.line("redis restarted: a call is answered", &taken, RESTART_MS_MAX);
    report.line("redis restarted: a job starts", &begun, RESTART_MS_MAX);

    let (mut taken, mut begun) = (Vec::new(), Vec::new());
    for _ in 0..arguments.times {
        scene.bed.links.iter().for_each(|link| link.set(Mode::Swallow));
        tokio::time::sleep(CUT).await;
        scene.bed.links.iter().for_each(|link| link.set(Mode::Pass));
        scene.served_after(wall_ms(), &mut taken, &mut begun).await?;
    }
    report.line("cut healed: a call is answered", &taken, CUT_MS_MAX);
    report.line("cut healed: a job starts", &begun, CUT_MS_MAX);

    let mut again = Vec::new();
    for round in 0..arguments.times {
        let (at_ms, orphans) = scene.with_long_jobs(round, "crash", |instance| scene.crash(instance)).await?;
        again.extend(scene.second_runs(&orphans).await?.into_iter().map(|began_ms| began_ms - at_ms));
    }
    report.line("worker killed: its job runs again", &again, CRASH_MS_MAX);

    let mut stolen = 0;
    for round in 0..arguments.times {
        let (_, stalled) = scene.with_long_jobs(round, "stall", |instance| scene.stall(instance)).await?;
        let effects = scene.until_ended(&stalled).await?;
        stolen += stalled.iter().filter(|job| effects[*job].len() > 1).count();
    }
    report
        .lines
        .push(format!("worker stalled 10 s: {stolen} jobs stolen of it in {} stalls", arguments.times));
    report.missed |= stolen > 0;
    scene.end().await?;

    let scene = Scene::start(Topology::Sentinel).await?;
    let (mut taken, mut begun) = (Vec::new(), Vec::new());
    for _ in 0..arguments.times {
        let from_ms = wall_ms();
        let planned =
            Planned { after: Duration::ZERO, kind: Fault::PlannedFailover, target: 0, lasts: Duration::ZERO };
        match watched::take_over(&scene.bed, planned).await {
            Ok(true) => {
                taken.push(longest_gap(&scene.answered(), from_ms));
                begun.push(longest_gap(&scene.starts()?, from_ms));
            }
            Ok(false) => {}
            // Sentinels give a failover up when the machine has no time for them.
            Err(error) => eprintln!("a failover did not come about: {error:#}"),
        }
    }
    ensure!(!taken.is_empty(), "the Sentinels did not do what they were asked for");
    report.line("planned failover: no call is answered for", &taken, FAILOVER_MS_MAX);
    report.note("planned failover: no job starts for", &begun);
    scene.end().await?;

    if let Some(folder) = &arguments.ledger {
        std::fs::create_dir_all(folder)?;
        std::fs::write(folder.join("recovery.txt"), report.text())?;
    }
    Ok((report.text(), !report.missed))
}

struct Report {
    lines: Vec<String>,
    missed: bool,
}

impl Report {
    /// Times of which the longest may be so long.
    fn line(&mut self, what: &str, times_ms: &[i64], most_ms: i64) {
        self.note(what, times_ms);
        let in_time = times_ms.iter().all(|time_ms| *time_ms <= most_ms);
        self.missed |= !in_time;
        if let Some(line) = self.lines.last_mut() {
            line.push_str(&format!(", {} {most_ms} ms", if in_time { "within" } else { "MISSED" }));
        }
    }

    fn note(&mut self, what: &str, times_ms: &[i64]) {
        let mut sorted = times_ms.to_vec();
        sorted.sort_unstable();
        let (median, most) = (sorted.get(sorted.len() / 2), sorted.last());
        let (median, most) = (median.copied().unwrap_or_default(), most.copied().unwrap_or_default());
        self.lines.push(format!("{what} {median} ms, at most {most} ms, of {}", sorted.len()));
    }

    fn text(&self) -> String {
        let verdict = if self.missed { "MISSED" } else { "passed" };
        format!("{}\nverdict {verdict}\n", self.lines.join("\n"))
    }
}

/// The bed, and callers who never stop.
struct Scene {
    bed: Arc<Bed>,
    engine: Engine,
    answered_ms: Arc<Mutex<Vec<i64>>>,
    stop: CancellationToken,
    callers: TaskTracker,
}

impl Scene {
    async fn start(topology: Topology) -> Result<Self> {
        let bed = Bed::start(topology).await?;
        let config = EngineConfig::new(bed.load_url()).namespace(Namespace::new(NAMESPACE)?);
        let engine = Engine::connect(config).await?;
        let scene = Self {
            bed,
            engine,
            answered_ms: Arc::default(),
            stop: CancellationToken::new(),
            callers: TaskTracker::new(),
        };
        for caller in 0..CALLERS {
            let calls = call(scene.engine.clone(), caller, Arc::clone(&scene.answered_ms));
            let stop = scene.stop.clone();
            scene.callers.spawn(async move { stop.run_until_cancelled(calls).await });
        }
        scene.until("the first job", || Ok(!scene.starts()?.is_empty())).await?;
        Ok(scene)
    }

    async fn end(self) -> Result<()> {
        self.stop.cancel();
        self.callers.close();
        self.callers.wait().await;
        for instance in &self.bed.instances {
            instance.end(true).await?;
        }
        Ok(())
    }

    /// When calls were answered, in order.
    fn answered(&self) -> Vec<i64> {
        self.answered_ms.lock().unwrap_or_else(PoisonError::into_inner).clone()
    }

    /// When jobs started, in order.
    fn starts(&self) -> Result<Vec<i64>> {
        let effects = self.effects()?;
        let mut starts: Vec<i64> =
            effects.values().flat_map(|runs| runs.values().map(|run| run.first_ms)).collect();
        starts.sort_unstable();
        Ok(starts)
    }

    fn effects(&self) -> Result<Effects> {
        if self.bed.sink.exists() { sink::read(&self.bed.sink) } else { Ok(Effects::new()) }
    }

    async fn until(&self, what: &str, is_so: impl Fn() -> Result<bool>) -> Result<()> {
        let began = std::time::Instant::now();
        while !is_so()? {
            ensure!(began.elapsed() < TIMEOUT, "{what} does not come within {} s", TIMEOUT.as_secs());
            tokio::time::sleep(PAUSE).await;
        }
        Ok(())
    }

    /// When Redis is back: it may have to wait for its disk, no matter who asks.
    async fn until_it_writes(&self) -> Result<i64> {
        let mut connection = self.bed.servers[0].connection().await?;
        redis::cmd("SET").arg("recovery").arg("written").query_async::<()>(&mut connection).await?;
        Ok(wall_ms())
    }

    /// How long after that moment the first call was answered, and the first job started.
    async fn served_after(&self, from_ms: i64, taken: &mut Vec<i64>, begun: &mut Vec<i64>) -> Result<()> {
        let first = |times: &[i64]| times.iter().copied().find(|time_ms| *time_ms > from_ms);
        self.until("the next start", || Ok(first(&self.starts()?).is_some())).await?;
        self.until("the next answer", || Ok(first(&self.answered()).is_some())).await?;
        taken.extend(first(&self.answered()).map(|at_ms| at_ms - from_ms));
        begun.extend(first(&self.starts()?).map(|at_ms| at_ms - from_ms));
        Ok(())
    }

    /// Gives everybody long jobs, does something to one of the instances, and says when, and which jobs it had.
    async fn with_long_jobs<F: Future<Output = Result<i64>>>(
        &self,
        round: u32,
        name: &str,
        act: impl Fn(usize) -> F,
    ) -> Result<(i64, Vec<String>)> {
        let ids: Vec<String> = (0..LONG_JOBS).map(|number| format!("{name}-{round}-{number}")).collect();
        let jobs = ids.iter().map(|id| job(id, "long")).collect::<Result<Vec<_>>>()?;
        self.engine.client().enqueue_batch(jobs).await?;
        let has_begun = || self.effects().map(|effects| ids.iter().all(|id| effects.contains_key(id)));
        self.until("the long jobs' start", has_begun).await?;
        // Leases are renewed meanwhile, at a moment that differs from round to round.
        tokio::time::sleep(CLAIMED_WITHIN / (round % 4 + 1)).await;
        let index = usize::try_from(round)? % self.bed.instances.len();
        let name = format!("i{}", index + 1);
        let effects = self.effects()?;
        let had = ids.into_iter().filter(|id| effects[id].values().any(|run| run.instance == name)).collect();
        Ok((act(index).await?, had))
    }

    async fn crash(&self, index: usize) -> Result<i64> {
        let at_ms = wall_ms();
        self.bed.instances[index].end(true).await?;
        self.bed.instances[index].start().await?;
        Ok(at_ms)
    }

    async fn stall(&self, index: usize) -> Result<i64> {
        let at_ms = wall_ms();
        self.bed.instances[index].signal("-STOP").await?;
        tokio::time::sleep(STALL).await;
        self.bed.instances[index].signal("-CONT").await?;
        Ok(at_ms)
    }

    /// When each of them began for the second time.
    async fn second_runs(&self, jobs: &[String]) -> Result<Vec<i64>> {
        let second = |effects: &Effects, job: &String| effects[job].values().nth(1).map(|run| run.first_ms);
        let all_again =
            || self.effects().map(|effects| jobs.iter().all(|job| second(&effects, job).is_some()));
        self.until("the second run of an orphan", all_again).await?;
        let effects = self.effects()?;
        Ok(jobs.iter().filter_map(|job| second(&effects, job)).collect())
    }

    /// Everything that ran, once each of these has come to its end.
    async fn until_ended(&self, jobs: &[String]) -> Result<Effects> {
        let ended = |effects: &Effects, job: &String| effects[job].values().any(|run| run.well == Some(true));
        let all_ended = || self.effects().map(|effects| jobs.iter().all(|job| ended(&effects, job)));
        self.until("the end of a job whose worker stalled", all_ended).await?;
        self.effects()
    }
}

/// Enqueues a job again and again, and notes when it was taken in.
async fn call(engine: Engine, caller: u32, answered_ms: Arc<Mutex<Vec<i64>>>) {
    let client = engine.client();
    for number in 0_u64.. {
        let Ok(job) = job(&format!("call-{caller}-{number}"), "plain") else { return };
        if client.enqueue_batch(vec![job]).await.is_ok() {
            answered_ms.lock().unwrap_or_else(PoisonError::into_inner).push(wall_ms());
        }
        tokio::time::sleep(PAUSE).await;
    }
}

fn job(id: &str, kind: &str) -> Result<NewJob> {
    let mut job = NewJob::new(Kind::new(kind)?, "{}");
    job.id = Some(JobId::new(id)?);
    Ok(job)
}

/// The longest time between two of these moments, from that one on.
fn longest_gap(times_ms: &[i64], from_ms: i64) -> i64 {
    let since: Vec<i64> = times_ms.iter().copied().filter(|time_ms| *time_ms >= from_ms).collect();
    since.windows(2).map(|pair| pair[1] - pair[0]).max().unwrap_or_default()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_gap_is_that_of_those_who_came_since() {
        assert_eq!(longest_gap(&[0, 900, 1_000, 1_050, 1_400, 1_420], 950), 350);
        assert_eq!(longest_gap(&[5], 0), 0);
    }

    #[test]
    fn one_that_took_too_long_is_told() {
        let mut report = Report { lines: Vec::new(), missed: false };
        report.line("a", &[3, 1, 2], 3);
        assert_eq!(report.text(), "a 2 ms, at most 3 ms, of 3, within 3 ms\nverdict passed\n");
        report.line("b", &[4], 3);
        assert!(report.text().ends_with("b 4 ms, at most 4 ms, of 1, MISSED 3 ms\nverdict MISSED\n"));
    }
}
