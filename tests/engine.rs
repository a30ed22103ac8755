//! What the engine does in one process: each function of Redis, beside a plain state machine, random walks over all of them, people, cron, and the
//! sandbox that programs are tested with.

#![expect(clippy::unwrap_used, reason = "a test may panic")]

mod cron;
mod people;
mod reference;
mod sandbox;
mod scripts;
mod smoke;
mod transitions;
mod walk;
