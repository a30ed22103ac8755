//! Jobs handed to consumers outside: each step on a real Redis with given time, then the whole sink.

mod gopher;
pub(crate) mod scene;

mod asynq;
mod list;
mod shards;
mod sink;
mod stream;
