//! Jobs handed to consumers outside: each step on a real Redis with given time, then the whole outlet.

mod gopher;
mod scene;

mod asynq;
mod cells;
mod list;
mod outlet;
mod stream;
