//! What goes wrong around the engine, and more than one machine: each test has servers of its own.

#![expect(clippy::unwrap_used, reason = "a test may panic")]

mod faults;
mod machines;
