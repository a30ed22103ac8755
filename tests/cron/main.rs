//! Cron entries on a real Redis, with given time.

#![expect(clippy::unwrap_used, reason = "a test may panic")]

mod cells;
mod changes;
mod damage;
mod firing;
mod processes;
mod scene;
