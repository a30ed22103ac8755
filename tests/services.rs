//! Workers, forwarders, sinks and importers at work on a real Redis.

#![expect(clippy::unwrap_used, reason = "a test may panic")]

mod cells;
mod inlets;
mod outlets;
mod python;
mod runtime;
mod timing;
