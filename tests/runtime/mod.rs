//! Worker and maintenance at work on a real Redis: signals and barriers instead of sleeps.

pub(crate) mod scene;

mod audit;
mod batches;
mod bounds;
mod claimants;
mod control;
mod crowd;
mod desk;
mod gather;
mod layers;
mod leases;
mod notes;
mod orders;
mod outcomes;
mod rates;
mod sealed;
mod selection;
mod stuck;
mod tail;
mod turns;
