//! What was found when a Redis was looked at, and how good that is.

use super::halt::Halt;
use super::time::Timestamp;
use serde::{Deserialize, Serialize};

/// How good a thing is.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Verdict {
    /// As it should be.
    Good,
    /// It works, and somebody should look at it.
    Look,
    /// It does not work, or may lose something.
    Wrong,
}

/// What is looked at.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
#[non_exhaustive]
pub enum Check {
    /// Whether it can run the scripts.
    Version,
    /// What it does when it is full.
    Eviction,
    /// How full it is.
    Memory,
    /// What survives a crash.
    Persistence,
    /// Whether its clock agrees with that of this machine.
    Clocks,
    /// Whether its clock lies before what was written already.
    GoingBack,
    /// How long a call takes.
    Latency,
    /// Who wrote the keys.
    Layout,
    /// Whether anybody looks for due jobs.
    Forwarder,
    /// Whether jobs start.
    Halt,
    /// Whether we may do what we need.
    Rights,
    /// Whether it has every command we use.
    Commands,
    /// Whether we may read what is to be looked at.
    Reading,
    /// Functions of other versions.
    Libraries,
    /// Jobs that no script can use.
    Unreadable,
    /// Whether it takes writes.
    Role,
}

/// The findings, each with what was looked at and how good it is.
macro_rules! findings {
    (
        $(#[$attribute:meta])*
        pub enum $name:ident {
            $($(#[$note:meta])* $found:ident $({ $($field:ident: $type:ty),* })? => $check:ident, $verdict:ident;)+
        }
    ) => {
        $(#[$attribute])*
        pub enum $name {
            $($(#[$note])* $found $({ $($field: $type),* })?,)+
        }

        impl $name {
            /// What was looked at.
            #[must_use]
            pub const fn check(&self) -> Check {
                match self {
                    $(Self::$found { .. } => Check::$check,)+
                }
            }

            /// How good it is.
            #[must_use]
            pub const fn verdict(&self) -> Verdict {
                match self {
                    $(Self::$found { .. } => Verdict::$verdict,)+
                }
            }
        }
    };
}

findings! {
    /// What was found. Times are in ms unless they say otherwise.
    #[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
    #[serde(tag = "found", rename_all = "snake_case")]
    #[non_exhaustive]
    #[expect(missing_docs, reason = "fields are what their names say, in the unit at their end")]
    pub enum Finding {
        /// New enough.
        Version { server: String } => Version, Good;
        /// Before 7.0.
        VersionOld { server: String } => Version, Wrong;
        /// Nothing is thrown away.
        EvictionNone => Eviction, Good;
        /// Keys were thrown away already.
        EvictionHappened { policy: String, keys: u64 } => Eviction, Wrong;
        /// Jobs are thrown away when it is full.
        EvictionOfJobs { policy: String } => Eviction, Wrong;
        /// Keys with an end are thrown away when it is full.
        EvictionOfExpiring { policy: String } => Eviction, Wrong;
        /// There is room.
        Memory { bytes: u64, bytes_max: u64 } => Memory, Good;
        /// Nothing ends its growth but the machine.
        MemoryUnlimited { bytes: u64 } => Memory, Look;
        /// It is nearly full.
        MemoryShort { bytes: u64, bytes_max: u64 } => Memory, Wrong;
        /// The system holds much more than is in use.
        MemoryFragmented { bytes: u64, bytes_max: u64, percent: u64 } => Memory, Look;
        /// Every write is on disk before it is answered.
        SyncedAlways => Persistence, Good;
        /// A power loss may cost the last two seconds.
        SyncedEverySecond => Persistence, Look;
        /// A power loss costs what the system had not written yet.
        SyncedBySystem => Persistence, Wrong;
        /// It logs its writes, and may not say how often that log is synced.
        SyncUnknown => Persistence, Look;
        /// A crash costs every job since the last snapshot.
        SnapshotsOnly => Persistence, Wrong;
        /// The last write to disk failed.
        WriteFailed => Persistence, Wrong;
        /// Its clock and ours agree; ahead is positive.
        ClocksAgree { ahead_ms: i64 } => Clocks, Good;
        /// They do not.
        ClocksApart { ahead_ms: i64 } => Clocks, Look;
        /// Its clock has not gone back.
        ClockForward => GoingBack, Good;
        /// Its clock lies that far before the latest change.
        ClockBack { back_ms: i64 } => GoingBack, Wrong;
        /// Calls are quick.
        RoundTrips { p50_us: u64, max_us: u64 } => Latency, Good;
        /// Calls are slow enough to limit a worker.
        RoundTripsSlow { p50_us: u64, max_us: u64 } => Latency, Look;
        /// Calls are slow enough to endanger leases.
        RoundTripsBad { p50_us: u64, max_us: u64 } => Latency, Wrong;
        /// The keys are ours.
        LayoutOurs { layout: String } => Layout, Good;
        /// Nothing was ever written.
        LayoutNone => Layout, Look;
        /// Another version wrote the keys.
        LayoutOther { layout: String, known: String } => Layout, Wrong;
        /// Due jobs move.
        ForwarderTicks { ago_ms: i64 } => Forwarder, Good;
        /// They do not.
        ForwarderSilent { ago_ms: i64 } => Forwarder, Wrong;
        /// They never did.
        ForwarderNever => Forwarder, Look;
        /// Nothing starts, and so nobody looks.
        Halt { standing: Halt } => Halt, Wrong;
        /// The namespace is halted for some seconds more, as after each start of a Redis.
        HaltEnds { standing: Halt } => Halt, Look;
        /// We may use every command we need.
        RightsAll { user: String } => Rights, Good;
        /// We lack these, in the words of `ACL SETUSER`.
        RightsMissing { user: String, rights: Vec<String> } => Rights, Wrong;
        /// It may not say what we may.
        RightsUnknown { user: String } => Rights, Look;
        /// It lacks commands, one or more of which jobs cannot run without.
        CommandsMissing { commands: Vec<String> } => Commands, Wrong;
        /// It lacks commands that jobs run without.
        CommandsFewer { commands: Vec<String> } => Commands, Look;
        /// It refused to say anything else, with these words.
        Withheld { said: String } => Reading, Wrong;
        /// No other version has left its functions.
        LibrariesOurs => Libraries, Good;
        /// Versions that may not be in use any more have.
        LibrariesOld { names: Vec<String> } => Libraries, Look;
        /// No job was set aside.
        JobsReadable => Unreadable, Good;
        /// Something else has written into our keys, and so many entries were put back to where the records say.
        JobsMended { entries: u64 } => Unreadable, Look;
        /// Something else writes into our keys.
        JobsUnreadable { ids: u64, writes: u64 } => Unreadable, Wrong;
        /// It takes no writes.
        Replica { role: String } => Role, Wrong;
    }
}

/// A Redis as its page shows it.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[non_exhaustive]
pub struct RedisReport {
    /// Everything that was looked at.
    pub findings: Vec<Finding>,
    /// `standalone`, `sentinel` or `cluster`; empty if it did not say.
    pub mode: String,
    /// `master` or `slave`; empty if it did not say.
    pub role: String,
    /// Since when it runs; `None` if it did not say.
    pub started: Option<Timestamp>,
    /// Clients that are connected.
    pub connections: u64,
    /// How many it takes; `None` if it did not say.
    pub connections_max: Option<u64>,
    /// Replicas that follow it.
    pub replicas: u64,
    /// How many of them have what a person does before it is answered.
    pub confirm_replicas: u32,
    /// Parts of the namespace, each with keys of its own.
    pub shards: u16,
    /// Keys of all its databases; of this server, where there are several.
    pub keys: u64,
    /// Its latest slow calls, the newest first, at most 20; `None` if it may not say.
    pub slow: Option<Vec<SlowCall>>,
    /// When this was read, by its clock.
    pub read_at: Timestamp,
}

impl RedisReport {
    /// A report of nothing, to be filled in.
    #[must_use]
    pub const fn empty(read_at: Timestamp) -> Self {
        Self {
            findings: Vec::new(),
            mode: String::new(),
            role: String::new(),
            started: None,
            connections: 0,
            connections_max: None,
            replicas: 0,
            confirm_replicas: 0,
            shards: 1,
            keys: 0,
            slow: None,
            read_at,
        }
    }
}

/// One call that kept Redis busy for long. Its arguments are not kept: they may hold payloads.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[non_exhaustive]
pub struct SlowCall {
    /// When, by Redis's clock, to the second.
    pub at: Timestamp,
    /// How long, in microseconds.
    pub took_us: u64,
    /// The script of ours, such as `claim`, or the command, such as `KEYS`.
    pub what: String,
    /// Whether it is a script of ours.
    pub ours: bool,
}
