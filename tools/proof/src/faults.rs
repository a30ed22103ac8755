//! Which faults there are, and the script of a run: what comes when, from a seed.

use crate::bed::Topology;
use rand::rngs::StdRng;
use rand::seq::IndexedRandom;
use rand::{Rng, SeedableRng};
use std::time::Duration;

/// Time between the beginnings of two faults, in ms; several may last at once.
const PAUSE_MS: (u64, u64) = (150, 700);

macro_rules! kinds {
    ($($(#[$doc:meta])* $kind:ident = $name:literal, $lasts:expr, $topologies:expr;)+) => {
        /// A kind of fault.
        #[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
        pub(crate) enum Kind { $($(#[$doc])* $kind,)+ }

        impl Kind {
            const ALL: &[Self] = &[$(Self::$kind,)+];

            /// Its number in the catalogue of faults, and its name.
            pub(crate) const fn name(self) -> &'static str {
                match self { $(Self::$kind => $name,)+ }
            }

            /// How long it lasts, in ms: from, to.
            const fn lasts_ms(self) -> (u64, u64) {
                match self { $(Self::$kind => $lasts,)+ }
            }

            fn fits(self, topology: Topology) -> bool {
                match self { $(Self::$kind => $topologies.contains(&topology),)+ }
            }
        }
    };
}

/// Where there is a link of its own between each process and Redis.
const LINKED: &[Topology] = &[Topology::Single, Topology::Always];
/// Where what was acknowledged was synced before.
const SYNCED: &[Topology] = &[Topology::Always];
/// Where a server that dies has a replica.
const REPLICATED: &[Topology] = &[Topology::Sentinel];
/// Where several masters share the data.
const SPREAD: &[Topology] = &[Topology::Cluster];
const ANY: &[Topology] = &[Topology::Single, Topology::Always, Topology::Sentinel, Topology::Cluster];

kinds! {
    /// An instance dies, and is started again.
    KillInstance = "F1 kill -9 of an instance", (0, 2_000), ANY;
    /// An instance freezes, at times for longer than its leases.
    FreezeInstance = "F2 freeze of an instance", (300, 20_000), ANY;
    /// An instance is told to end, and started again.
    RollInstance = "F3 SIGTERM of an instance", (0, 1_000), ANY;
    /// Redis dies, and is started again on its data.
    KillRedis = "F4 kill -9 of redis", (0, 1_500), LINKED;
    /// Redis freezes.
    FreezeRedis = "F5 freeze of redis", (200, 3_000), LINKED;
    /// Redis dies and its machine with it: what it had not synced is gone.
    PowerLoss = "F6 loss of power", (0, 1_000), SYNCED;
    /// The log takes no byte more, after the first part of a write.
    DiskFull = "F8 full disk", (300, 2_500), LINKED;
    /// Packets of a link are lost and nobody is told.
    BlackHole = "F9 black hole", (500, 6_000), LINKED;
    /// Packets of a link wait.
    Held = "F9 packets held", (300, 4_000), LINKED;
    /// The connections of a link are reset.
    Reset = "F10 reset", (0, 1), LINKED;
    /// Requests of a link arrive, and no reply.
    OneWay = "F11 one-way cut", (500, 4_000), LINKED;
    /// A link is slow.
    Trickle = "F12 trickle", (500, 3_000), LINKED;
    /// A request is carried out and its reply is lost.
    LostReply = "F13 reply lost after execution", (0, 500), LINKED;
    /// Redis closes all connections.
    ClientKill = "F15 CLIENT KILL", (0, 1), ANY;
    /// Redis takes no writes for a moment.
    ClientPause = "F16 CLIENT PAUSE", (100, 1_500), ANY;
    /// Scripts and functions are gone.
    Flush = "F17 FUNCTION FLUSH and SCRIPT FLUSH", (0, 1), ANY;
    /// A script of somebody else's runs for long. With a replica it would be one more reason to be promoted.
    Busy = "F18 a script that loops", (200, 1_200), LINKED;
    /// Redis is full.
    Full = "F19 full memory", (300, 2_500), ANY;
    /// The replica takes over on demand, as before an upgrade.
    PlannedFailover = "F20 planned failover", (0, 1), REPLICATED;
    /// A master dies; its replica is promoted, and it comes back as a replica.
    MasterDies = "F21 death of a master, promotion of its replica", (0, 1), REPLICATED;
    /// A replica hears of nothing for a while, then its master dies and it is promoted.
    StaleReplica = "F21 promotion of a stale replica", (300, 4_000), REPLICATED;
    /// The replica of an owner takes over from it on demand.
    ClusterFailover = "F20 planned failover in a cluster", (0, 1), SPREAD;
    /// The owner of slots dies; its replica is promoted, and it comes back as a replica.
    OwnerDies = "F22 owner lost", (0, 1), SPREAD;
    /// The slot of a shard moves to another master.
    SlotMoves = "F22 slot moved", (0, 1), SPREAD;
    /// A Sentinel dies or freezes.
    SentinelLost = "F23 Sentinel lost", (1_000, 6_000), REPLICATED;
    /// A replica is promoted whose clock is another, and after a while put right.
    OtherClock = "F24 failover to another clock", (1_000, 6_000), REPLICATED;
    /// Redis's clock jumps, ahead or back, and after a while to where it was.
    ClockJump = "F24 jump of redis's clock", (50, 12_000), LINKED;
    /// An id without a record stands among the delayed jobs.
    Ghost = "F26 an id without a record", (0, 1), LINKED;
    /// The delayed job that is due last is taken out of its set, and its record stays.
    Unnamed = "F26 a job that no set names", (0, 1), LINKED;
    /// All wake tokens are taken away.
    NoWake = "F27 wake tokens lost", (0, 1), LINKED;
}

/// A fault that is to come.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Planned {
    /// After the one before.
    pub(crate) after: Duration,
    pub(crate) kind: Kind,
    /// Picks what it happens to; taken modulo what there is.
    pub(crate) target: usize,
    pub(crate) lasts: Duration,
}

/// The faults of a run: endless, and the same for the same seed.
#[derive(Debug)]
pub(crate) struct Script {
    rng: StdRng,
    kinds: Vec<Kind>,
}

impl Script {
    pub(crate) fn new(seed: u64, topology: Topology) -> Self {
        let kinds = Kind::ALL.iter().copied().filter(|kind| kind.fits(topology)).collect();
        Self { rng: StdRng::seed_from_u64(seed), kinds }
    }
}

impl Iterator for Script {
    type Item = Planned;

    fn next(&mut self) -> Option<Planned> {
        let kind = *self.kinds.choose(&mut self.rng)?;
        let (from, to) = kind.lasts_ms();
        Some(Planned {
            after: Duration::from_millis(self.rng.random_range(PAUSE_MS.0..PAUSE_MS.1)),
            kind,
            target: self.rng.random_range(0..60),
            lasts: Duration::from_millis(self.rng.random_range(from..to)),
        })
    }
}
