//! The real thing goes wrong: Redis killed, full, read-only, with another password; workers killed.

#![expect(clippy::unwrap_used, reason = "a test may panic")]

mod scene;

mod connecting;
mod crashes;
mod functions;
mod memory;
mod refusals;
