//! How each fault is brought about and taken back.

use crate::bed::{Bed, INSTANCES, Jump, NAMESPACE, Server};
use crate::faults::{Kind, Planned};
use crate::proxy::Mode;
use crate::sink::wall_ms;
use crate::{spread, watched};
use anyhow::{Result, ensure};
use std::collections::{BTreeMap, BTreeSet};
use std::sync::{Arc, Mutex, PoisonError};
use std::time::{Duration, Instant};

/// What a fault occupies as long as it lasts: two at once on the same would take each other back.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
enum Place {
    Instance(usize),
    Link(usize),
    Server(usize),
    /// One of three: the other two have to agree.
    Sentinel,
    /// Who owns what.
    Cluster,
    /// Master and replica, whichever is which.
    Pair,
}

/// How often a kind happened, and how often while there was work under way.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub(crate) struct Count {
    pub(crate) fired: u64,
    pub(crate) busy: u64,
}

/// The faults of a run that are under way, and those that were.
#[derive(Default)]
pub(crate) struct Strikes {
    taken: Mutex<BTreeSet<Place>>,
    tried: Mutex<BTreeMap<Kind, u64>>,
    counts: Mutex<BTreeMap<Kind, Count>>,
    failed: Mutex<Vec<String>>,
}

impl Strikes {
    /// Brings a planned fault about, unless something else is happening there; returns when it is over.
    pub(crate) async fn strike(self: Arc<Self>, bed: Arc<Bed>, planned: Planned, busy: bool) {
        let place = place_of(&bed, planned);
        if !self.taken.lock().unwrap_or_else(PoisonError::into_inner).insert(place) {
            return;
        }
        *self.tried.lock().unwrap_or_else(PoisonError::into_inner).entry(planned.kind).or_default() += 1;
        match bring_about(&bed, planned, place).await {
            Ok(true) => {
                let mut counts = self.counts.lock().unwrap_or_else(PoisonError::into_inner);
                let count = counts.entry(planned.kind).or_default();
                count.fired += 1;
                count.busy += u64::from(busy);
            }
            Ok(false) => {}
            Err(error) => {
                let text = format!("{}: {error:#}", planned.kind.name());
                self.failed.lock().unwrap_or_else(PoisonError::into_inner).push(text);
            }
        }
        self.taken.lock().unwrap_or_else(PoisonError::into_inner).remove(&place);
    }

    pub(crate) fn counts(&self) -> BTreeMap<Kind, Count> {
        self.counts.lock().unwrap_or_else(PoisonError::into_inner).clone()
    }

    /// How often each kind was to happen where nothing else was happening.
    pub(crate) fn tried(&self) -> BTreeMap<Kind, u64> {
        self.tried.lock().unwrap_or_else(PoisonError::into_inner).clone()
    }

    /// Faults that could not be brought about, or not be taken back: of the rig, not of what it tests.
    pub(crate) fn failed(&self) -> Vec<String> {
        self.failed.lock().unwrap_or_else(PoisonError::into_inner).clone()
    }
}

fn place_of(bed: &Bed, planned: Planned) -> Place {
    match planned.kind {
        Kind::KillInstance | Kind::FreezeInstance | Kind::RollInstance => {
            Place::Instance(planned.target % INSTANCES)
        }
        Kind::BlackHole | Kind::Held | Kind::Reset | Kind::OneWay | Kind::Trickle | Kind::LostReply => {
            Place::Link(planned.target % bed.links.len())
        }
        Kind::MasterDies | Kind::PlannedFailover | Kind::StaleReplica | Kind::OtherClock => Place::Pair,
        Kind::ClusterFailover | Kind::OwnerDies | Kind::SlotMoves => Place::Cluster,
        Kind::SentinelLost => Place::Sentinel,
        _ => Place::Server(planned.target % bed.servers.len()),
    }
}

/// `false` when the fault did not come about, because another one is in its way.
async fn bring_about(bed: &Bed, planned: Planned, place: Place) -> Result<bool> {
    match place {
        Place::Instance(index) => instance(bed, planned, index).await?,
        Place::Link(index) => link(bed, planned, index).await,
        Place::Server(index) => return server(bed, planned, index).await,
        Place::Sentinel => watched::lose_sentinel(bed, planned).await?,
        Place::Cluster => return spread::disturb(bed, planned).await,
        Place::Pair => return watched::take_over(bed, planned).await,
    }
    Ok(true)
}

/// Within this time a process has looked at Redis's clock, or seen that it jumped: it looks once a second.
pub(crate) const LOOKED_WITHIN: Duration = Duration::from_millis(2_500);

async fn instance(bed: &Bed, planned: Planned, index: usize) -> Result<()> {
    let instance = &bed.instances[index];
    match planned.kind {
        Kind::FreezeInstance => {
            instance.signal("-STOP").await?;
            tokio::time::sleep(planned.lasts).await;
            return instance.signal("-CONT").await;
        }
        Kind::RollInstance => {
            instance.signal("-TERM").await?;
            instance.end(false).await?;
        }
        _ => instance.end(true).await?,
    }
    tokio::time::sleep(planned.lasts).await;
    let _undisturbed = bed.first_looks.read().await;
    instance.start().await?;
    tokio::time::sleep(LOOKED_WITHIN).await;
    Ok(())
}

async fn link(bed: &Bed, planned: Planned, index: usize) {
    let link = &bed.links[index];
    let mode = match planned.kind {
        Kind::BlackHole => Mode::Swallow,
        Kind::Held => Mode::Hold,
        Kind::OneWay => Mode::SwallowReplies,
        Kind::Trickle => Mode::Trickle,
        Kind::LostReply => {
            link.drop_next_reply();
            tokio::time::sleep(planned.lasts).await;
            return link.forget_drops();
        }
        _ => return link.reset(),
    };
    link.set(mode);
    tokio::time::sleep(planned.lasts).await;
    link.set(Mode::Pass);
}

/// Between two attempts to take a fault back.
const TAKE_BACK_PAUSE: Duration = Duration::from_millis(100);

/// A full disk still takes this many bytes times the number of its target: none, or a part of a write.
const ROOM_STEP: usize = 50;

/// A script that keeps Redis busy for that many ms, and writes nothing.
const LOOP: &str = "local t = redis.call('TIME') local start = t[1] * 1000 + t[2] / 1000
repeat t = redis.call('TIME') until t[1] * 1000 + t[2] / 1000 - start > tonumber(ARGV[1]) return 1";

async fn server(bed: &Bed, planned: Planned, index: usize) -> Result<bool> {
    let server = &bed.servers[index];
    match planned.kind {
        Kind::KillRedis => {
            server.kill_between_syncs().await?;
            tokio::time::sleep(planned.lasts).await;
            server.restart().await?;
        }
        Kind::FreezeRedis => {
            server.signal("-STOP").await?;
            tokio::time::sleep(planned.lasts).await;
            server.signal("-CONT").await?;
        }
        Kind::PowerLoss => {
            server.lose_power().await?;
            tokio::time::sleep(planned.lasts).await;
            server.restart().await?;
        }
        Kind::DiskFull => {
            server.shim.leave_room(u16::try_from(planned.target * ROOM_STEP).ok())?;
            tokio::time::sleep(planned.lasts).await;
            server.shim.leave_room(None)?;
            // One that syncs before it answers ends when its log takes no more.
            server.revive().await?;
            // Until then what it answered at the very moment is in its memory alone, and a crash would lose it.
            watched::until_told(server.url(), "persistence", "aof_last_write_status:ok".to_owned()).await?;
        }
        Kind::ClockJump => jump(bed, server, planned).await?,
        _ => return Ok(command(server, planned).await.is_ok()),
    }
    Ok(true)
}

/// How far the clock jumps, in ms. Less than two seconds nobody has to notice; with a day, Redis itself forgets the
/// answers to operations.
const JUMPS_MS: [i64; 5] = [10_000, 60_000, 600_000, 3_600_000, 36_000_000];
/// How long it may take after a jump until jobs start again.
const CLEAR_HALT_PATIENCE: Duration = Duration::from_secs(30);

/// Moves the clock, and after a while back; waits until everybody trusts it again.
async fn jump(bed: &Bed, server: &Server, planned: Planned) -> Result<()> {
    let far_ms = JUMPS_MS[planned.target % JUMPS_MS.len()];
    let from_ms = wall_ms();
    let ahead = (planned.target / JUMPS_MS.len()).is_multiple_of(2);
    let by_ms = if ahead { far_ms } else { -far_ms };
    server.shim.skew(by_ms)?;
    tokio::time::sleep(planned.lasts).await;
    server.shim.skew(0)?;
    // Everybody looks at the clock as it is before it moves again.
    tokio::time::sleep(LOOKED_WITHIN).await;
    let went_on = until_it_goes_on(server).await;
    bed.note_jump(Jump { from_ms, to_ms: wall_ms(), by_ms });
    went_on
}

/// Waits for the end of a halt, which has no cause any more.
pub(crate) async fn until_it_goes_on(server: &Server) -> Result<()> {
    let began = Instant::now();
    loop {
        let standing = halt(server).await;
        if standing.as_ref().is_ok_and(Option::is_none) {
            return Ok(());
        }
        ensure!(
            began.elapsed() < CLEAR_HALT_PATIENCE,
            "nothing starts, for no reason any more: {standing:?}"
        );
        tokio::time::sleep(TAKE_BACK_PAUSE).await;
    }
}

/// Why nothing starts; `None` while jobs do.
pub(crate) async fn halt(server: &Server) -> Result<Option<String>> {
    let mut command = redis::cmd("HGET");
    command.arg(format!("reprieve:{{{NAMESPACE}}}:meta")).arg("halt");
    Ok(command.query_async(&mut server.connection().await?).await?)
}

async fn send(server: &Server, words: &[&str]) -> Result<()> {
    let mut command = redis::cmd(words[0]);
    for word in &words[1..] {
        command.arg(*word);
    }
    Ok(command.query_async(&mut server.connection().await?).await?)
}

async fn command(server: &Server, planned: Planned) -> Result<()> {
    let lasts_ms = planned.lasts.as_millis().to_string();
    let prefix = format!("reprieve:{{{NAMESPACE}}}:");
    match planned.kind {
        Kind::ClientKill => send(server, &["CLIENT", "KILL", "TYPE", "normal", "SKIPME", "yes"]).await,
        Kind::ClientPause => send(server, &["CLIENT", "PAUSE", &lasts_ms, "WRITE"]).await,
        Kind::Flush => {
            send(server, &["FUNCTION", "FLUSH"]).await?;
            send(server, &["SCRIPT", "FLUSH"]).await
        }
        Kind::Busy => {
            // That it takes longer than the client waits is the very point.
            drop(send(server, &["EVAL", LOOP, "0", &lasts_ms]).await);
            tokio::time::sleep(planned.lasts).await;
            Ok(())
        }
        Kind::Full => {
            send(server, &["CONFIG", "SET", "maxmemory", "1mb"]).await?;
            tokio::time::sleep(planned.lasts).await;
            // Whatever is in the way, it must not stay full.
            while send(server, &["CONFIG", "SET", "maxmemory", "0"]).await.is_err() {
                tokio::time::sleep(TAKE_BACK_PAUSE).await;
            }
            Ok(())
        }
        Kind::Ghost => {
            // As if somebody had deleted the record of a job by hand: it is gone, and must do no harm.
            let ghost = format!("ghost-{}", planned.target);
            send(server, &["ZADD", &format!("{prefix}q:default:delayed"), "1", &ghost]).await
        }
        Kind::Unnamed => send(server, &["ZPOPMAX", &format!("{prefix}q:default:delayed")]).await,
        _ => send(server, &["DEL", &format!("{prefix}q:default:wake")]).await,
    }
}
