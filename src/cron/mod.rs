//! Jobs that are enqueued again and again.
//!
//! There is no leader: every process may fire every tick. The id of a tick's
//! job follows from the entry and the tick, and one script enqueues it and moves
//! the entry on, so that all but one find it done.

mod chinese;
mod entry;
mod round;
mod schedule;
pub(crate) mod stored;
mod wall_clock;

pub(crate) use entry::{check, job_at, job_now};
pub(crate) use round::Round;
pub use schedule::CronSchedule;
