//! Cron entries on a real Redis, with given time.

mod changes;
mod damage;
mod firing;
mod processes;
mod scene;
mod shards;
