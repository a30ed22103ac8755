//! Workers, forwarders, sinks and importers at work on a real Redis.

#![expect(clippy::unwrap_used, reason = "a test may panic")]

mod imports;
mod python;
mod runtime;
mod shards;
mod sinks;
mod timing;
