//! Jobs handed to consumers outside: each step on a real Redis with given time, then the whole outlet.

#![expect(clippy::unwrap_used, reason = "a test may panic")]

mod gopher;
mod scene;

mod asynq;
mod cells;
mod list;
mod outlet;
mod stream;
