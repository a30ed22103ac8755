//! Numbers that both Rust and the Lua functions know: written here, and given to Lua as the table `constants`, which stands
//! before all files of the library.

use crate::model::{BUCKETS_MS, BulkRun, RetentionRules};
use crate::record::WORDS;
use std::fmt::Write as _;

macro_rules! constants {
    ($($(#[$doc:meta])+ $name:ident: $of:ty = $value:expr;)+) => {
        $($(#[$doc])+ pub(crate) const $name: $of = $value;)+

        /// The line of Lua that gives them to the library, with what is a list in Rust.
        pub(crate) fn in_lua() -> String {
            let mut line = String::from("local constants = { ");
            // Writing to a text cannot fail.
            $(let _ = write!(line, "{} = {}, ", stringify!($name), $name);)+
            let buckets = BUCKETS_MS.map(|bound| bound.to_string()).join(", ");
            let _ = write!(line, "BUCKETS_MS = {{ {buckets} }}, WORDS = {{ \"{}\" }} }}", WORDS.join("\", \""));
            line
        }
    };
}

constants! {
    /// How often a job is tried unless it says otherwise.
    MAX_ATTEMPTS_DEFAULT: u32 = 25;
    /// As many live jobs as a subject may have: one step cancels that many.
    SUBJECT_LIVE_MAX: u32 = 1_000;
    /// A subject's plans that are kept; more are not one thing that somebody plans.
    PLANS_MAX: u32 = 100;
    /// Schedules of a namespace.
    CRON_ENTRIES_MAX: u64 = 1_000;
    /// Lines of a schedule's history that are kept.
    CRON_HISTORY_MAX: u16 = 100;
    /// Lines of a job's log that are kept.
    LOG_LINES_MAX: u16 = 1_000;
    /// Payloads beyond this have no preview, bytes: to send them with every row would be dear.
    PREVIEW_PAYLOAD_BYTES_MAX: usize = 2_048;
    /// A worker says this often that it still has its jobs, ms: a third of the usual lease.
    HEARTBEAT_MS: u64 = 4_000;
    /// Nobody may have a longer lease, ms.
    LEASE_MAX_MS: i64 = 3_600_000;
    /// A forwarder looks again by then at the latest, ms.
    FORWARDER_SLEEP_MAX_MS: u64 = 1_000;
    /// Clocks that agree differ by no more, ms: the latest time that a caller holds possible is this much beyond the one it
    /// holds true.
    TOLERANCE_MS: i64 = 2_000;
    /// Where processes look each second, a clock that is so much later than at the latest look may have jumped, ms.
    UNSEEN_MS: i64 = 3_000;
    /// A process whose own clock is further from Redis's starts nothing, ms: one of the two is wrong, and it cannot tell which.
    APART_MAX_MS: i64 = 300_000;
    /// All processes look within this time, ms: they look each second.
    ALL_LOOK_MS: u64 = 1_250;
    /// Tokens of an epoch are so many beyond those of the one before. A job that changes more often within one comes to
    /// numbers that only an epoch of the next second would have, and takes longer for that than a second.
    EPOCH_TOKENS: u64 = 100_000;
    /// How long statistics are kept, seconds: eight days, since the widest chart shows seven.
    STATS_KEPT_S: i64 = 691_200;
    /// How long done jobs are kept where nobody has set another time, ms.
    DONE_KEPT_MS: i64 = RetentionRules::DONE_KEPT.as_millis();
    /// The same of cancelled ones.
    CANCELLED_KEPT_MS: i64 = RetentionRules::CANCELLED_KEPT.as_millis();
    /// The same of dead ones.
    DEAD_KEPT_MS: i64 = RetentionRules::DEAD_KEPT.as_millis();
    /// How long a bulk run that has ended is kept, and can be undone, ms.
    BULK_ENDED_KEPT_MS: i64 = BulkRun::ENDED_KEPT.as_millis();
    /// How long an entry of the audit is kept in Redis, ms: 400 days, a year and the month in which somebody asks about it.
    AUDIT_KEPT_MS: i64 = 34_560_000_000;
}
