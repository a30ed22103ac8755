//! One run: load and faults, then peace, then the verdict.

use crate::bed::{Bed, NAMESPACE, Topology};
use crate::checker::{self, Evidence};
use crate::faults::{Kind, Script};
use crate::history::History;
use crate::load::Load;
use crate::report::Report;
use crate::sink;
use crate::strike::{self, Count, Strikes};
use crate::{spread, watched};
use anyhow::{Context, Result};
use clap::Args;
use reprieve::model::Namespace;
use reprieve::testing::{Snapshot, in_no_set, snapshot};
use reprieve::{Engine, EngineConfig};
use std::collections::BTreeMap;
use std::sync::Arc;
use std::time::{Duration, Instant};
use tokio::task::JoinSet;

/// How long it may take once the faults have ended until the next job does: leases of 12 s, three of them for a job that stalls.
const TIMEOUT: Duration = Duration::from_secs(90);
/// How long callers may take to be answered, repeating, once the faults have ended.
const ANSWER_PATIENCE: Duration = Duration::from_secs(60);
/// Longer than any job of the load waits, in ms.
const FAR_MS: i64 = 5_000;
/// Before the first fault, so that it meets work, and processes that have looked at Redis's clock.
const WARM_UP: Duration = Duration::from_secs(5);
/// Of a hundred faults, those that have to meet work; the rest falls into the shadow of others.
const BUSY_PERCENT_MIN: u64 = 33;

/// A kind of fault that was tried so often and never came about cannot be: fewer may all have met another in their way.
const TRIES_MIN: u64 = 5;

/// Names the flaw that is built into the scripts, where the feature `flaws` is.
pub(crate) const FLAW_VARIABLE: &str = "REPRIEVE_FLAW";

/// What to run.
#[derive(Debug, Args)]
pub(crate) struct Arguments {
    /// For how long faults happen.
    #[arg(long, default_value_t = 10.0)]
    minutes: f64,
    /// Which faults and which load: the same seed gives the same of both. One by the clock unless said.
    #[arg(long)]
    seed: Option<u64>,
    /// How Redis is set up.
    #[arg(long, value_enum, default_value_t = Topology::Single)]
    topology: Topology,
    /// Write the report there as well, in a file named by topology and seed.
    #[arg(long)]
    ledger: Option<std::path::PathBuf>,
}

/// Runs, and returns the report.
pub(crate) async fn run(arguments: &Arguments) -> Result<Report> {
    let seed = arguments.seed.unwrap_or_else(|| u64::try_from(sink::wall_ms()).unwrap_or_default());
    println!("seed {seed}");
    // Now, for the tree may change while a run goes on.
    let commit = commit();
    let lasts = Duration::from_secs_f64(arguments.minutes * 60.0);
    let bed = Bed::start(arguments.topology).await?;
    let config =
        EngineConfig::new(bed.load_url()).namespace(Namespace::new(NAMESPACE)?).shards(bed.topology.shards());
    let engine = Engine::connect(config.clone()).await?;
    // As the dashboard does: what it acknowledged it remembers, and looks whether Redis still has it.
    let desk = Engine::connect(config).await?;
    let duties = desk.maintenance().start();
    let history = Arc::new(History::default());
    let load = Load::start(&engine, &desk, &history, seed);
    tokio::time::sleep(WARM_UP).await;

    let changes = (bed.topology == Topology::Sentinel).then(|| {
        tokio_util::task::AbortOnDropHandle::new(tokio::spawn(watched::note_changes(Arc::clone(&bed))))
    });
    let strikes = Arc::new(Strikes::default());
    strike(&bed, &strikes, Script::new(seed, bed.topology), &history, lasts).await;
    let unanswered = tokio::time::timeout(ANSWER_PATIENCE, load.finish()).await.is_err();
    bed.until_it_answers().await?;
    let settling = Instant::now();
    let unended = settle(&engine, &bed).await;
    let settled_s = settling.elapsed().as_secs_f64();
    let postponed = postponed(&bed).await.unwrap_or_default();
    // After a loss that is too large for us to go on alone.
    let stands = match bed.master().await {
        Ok(server) if unended > 0 => strike::halt(server).await.ok().flatten(),
        _ => None,
    };
    for instance in &bed.instances {
        instance.end(true).await?;
    }
    duties.shutdown().await;
    drop(changes);

    let (keys, unread) = match keys(&bed).await {
        Ok(keys) => (keys, None),
        Err(error) => (Vec::new(), Some(format!("{error:#}"))),
    };
    let effects = sink::read(&bed.sink)?;
    let (jobs, deaths_ms, jumps) = (history.jobs(), bed.deaths_ms(), bed.jumps());
    let evidence = Evidence {
        jobs: &jobs,
        effects: &effects,
        keys: &keys,
        unended: if stands.is_some() { 0 } else { unended },
        deaths_ms: &deaths_ms,
        jumps: &jumps,
    };
    let verdict = checker::judge(&evidence);
    let faults = strikes.counts();
    let mut answers: BTreeMap<String, u64> = BTreeMap::new();
    for answer in jobs.values().filter_map(|known| known.answers.first()) {
        *answers.entry(answer.word.clone()).or_default() += 1;
    }
    let mut void = strikes.failed();
    void.extend(unread);
    void.extend(stands.map(|why| format!("nothing starts until a person says so: {why}")));
    void.extend(idle(&strikes.tried(), &faults, &answers));
    if unanswered {
        let patience_s = ANSWER_PATIENCE.as_secs();
        void.push(format!(
            "callers got no answer within {patience_s} s after the last fault, with {:?}",
            history.errors()
        ));
    }
    let report = Report {
        topology: bed.topology,
        seed,
        seconds: lasts.as_secs(),
        flaw: std::env::var(FLAW_VARIABLE).ok(),
        commit,
        jobs: jobs.len(),
        answers,
        faults,
        errors: history.errors(),
        longest_gap_ms: history.longest_gap_ms(),
        settled_s,
        postponed,
        void,
        verdict,
    };
    if let Some(folder) = &arguments.ledger {
        std::fs::create_dir_all(folder)?;
        let name = format!("{:?}-{seed}.txt", report.topology).to_lowercase();
        std::fs::write(folder.join(name), report.to_string())?;
    }
    Ok(report)
}

/// Lets the faults of the script happen for that long, and waits until the last is taken back.
async fn strike(bed: &Arc<Bed>, strikes: &Arc<Strikes>, script: Script, history: &History, lasts: Duration) {
    let began = Instant::now();
    let mut under_way = JoinSet::new();
    let (mut bytes, mut accepted) = (bed.bytes(), history.count());
    for planned in script {
        tokio::time::sleep(planned.after).await;
        if began.elapsed() >= lasts {
            break;
        }
        // Since the fault before, something was taken in and something passed.
        let (bytes_now, accepted_now) = (bed.bytes(), history.count());
        let busy = (bed.links.is_empty() || bytes_now > bytes) && accepted_now > accepted;
        (bytes, accepted) = (bytes_now, accepted_now);
        under_way.spawn(Arc::clone(strikes).strike(Arc::clone(bed), planned, busy));
        while under_way.try_join_next().is_some() {}
    }
    under_way.join_all().await;
}

/// Waits until every job has ended that is to, those too that only a round through all keys finds. Returns how many have
/// not when timeout ends, which begins anew with each that does: on a busy machine much may be left.
async fn settle(engine: &Engine, bed: &Bed) -> u64 {
    let (mut since, mut fewest) = (Instant::now(), u64::MAX);
    loop {
        let live = match engine.inspector().counts(None).await {
            Ok(counts) => counts.delayed + counts.ready + counts.active + counts.retrying,
            Err(_) => u64::MAX,
        };
        let due = live.saturating_sub(postponed(bed).await.unwrap_or_default());
        if due < fewest {
            (since, fewest) = (Instant::now(), due);
        }
        if since.elapsed() > TIMEOUT || due == 0 && !is_any_unnamed(bed).await {
            return due;
        }
        tokio::time::sleep(Duration::from_millis(200)).await;
    }
}

/// Whether a job is in no set, so that nobody counts it, until a round through all keys comes by it. A Redis that does not
/// tell is looked at again by the judge.
async fn is_any_unnamed(bed: &Bed) -> bool {
    let shards = keys(bed).await.unwrap_or_default();
    shards.iter().any(|shard| !in_no_set(shard).is_empty())
}

/// How many jobs wait for a time that no job of the load has: the process that took them in, or had them wait for another
/// try, did not know yet that Redis's clock was ahead.
async fn postponed(bed: &Bed) -> Result<u64> {
    if bed.jumps().is_empty() {
        return Ok(0);
    }
    let mut connection = bed.master().await?.connection().await?;
    let mut sum = 0;
    for state in ["delayed", "retrying"] {
        let mut count = redis::cmd("ZCOUNT");
        count.arg(format!("reprieve:{{{NAMESPACE}}}:q:default:{state}"));
        count.arg(sink::wall_ms() + FAR_MS).arg("+inf");
        sum += count.query_async::<u64>(&mut connection).await?;
    }
    Ok(sum)
}

/// What Redis has of each shard.
async fn keys(bed: &Bed) -> Result<Vec<Snapshot>> {
    if bed.topology != Topology::Cluster {
        let url = bed.master().await?.url();
        return Ok(vec![read(&url, &format!("reprieve:{{{NAMESPACE}}}:"))?]);
    }
    let mut shards = vec![Snapshot::new(); usize::from(bed.topology.shards())];
    for server in &bed.servers {
        if watched::is_master(server).await {
            for (number, shard) in shards.iter_mut().enumerate() {
                shard.extend(read(&server.url(), &spread::prefix(number))?);
            }
        }
    }
    Ok(shards)
}

fn read(url: &str, prefix: &str) -> Result<Snapshot> {
    tokio::task::block_in_place(|| snapshot(url, prefix)).context("the data cannot be read")
}

/// Why the faults of a run show nothing, if so.
fn idle(
    tried: &BTreeMap<Kind, u64>,
    faults: &BTreeMap<Kind, Count>,
    answers: &BTreeMap<String, u64>,
) -> Vec<String> {
    let mut why = Vec::new();
    let fired: u64 = faults.values().map(|count| count.fired).sum();
    let busy: u64 = faults.values().map(|count| count.busy).sum();
    if fired == 0 || busy * 100 < fired * BUSY_PERCENT_MIN {
        why.push(format!("only {busy} of {fired} faults met work"));
    }
    for (kind, tries) in tried.iter().filter(|(_, tries)| **tries >= TRIES_MIN) {
        if faults.get(kind).is_none_or(|count| count.fired == 0) {
            why.push(format!("{} was tried {tries} times and never came about", kind.name()));
        }
    }
    // Where jobs wait for their turn, hardly one runs just when somebody calls it off: the ledger counts those of all runs.
    if !answers.contains_key("cancelled") {
        why.push("no job was called off in time".to_owned());
    }
    why
}

/// The commit that is tested, as git tells it.
pub(crate) fn commit() -> String {
    let told = std::process::Command::new("git").args(["describe", "--always", "--dirty"]).output();
    told.map(|output| String::from_utf8_lossy(&output.stdout).trim().to_owned()).unwrap_or_default()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_kind_of_fault_that_never_comes_about_makes_a_run_void() {
        let answers = BTreeMap::from([("cancelled".to_owned(), 9)]);
        let faults = BTreeMap::from([(Kind::Reset, Count { fired: 5, busy: 5 })]);
        let tried = |times| BTreeMap::from([(Kind::Reset, 5), (Kind::ClientPause, times)]);

        assert_eq!(idle(&tried(4), &faults, &answers), Vec::<String>::new());
        let why = idle(&tried(5), &faults, &answers);
        assert_eq!(why, ["F16 CLIENT PAUSE was tried 5 times and never came about"]);
    }
}
