//! The real thing goes wrong: Redis killed, full, read-only, with another password; workers killed.

mod scene;

mod acts;
mod clock;
mod connecting;
mod crashes;
mod erased;
mod forgotten;
mod functions;
mod ghosts;
mod log_cut;
mod memory;
mod moved;
mod refusals;
mod refused;
mod torn;
