//! Single transitions on a real Redis, with given time: reply, whole keyspace and event.

mod expect;
mod forecast;
mod seed;
mod settings;

mod batches;
mod bulk;
mod commands;
mod complete_and_claim;
mod damage;
mod doors;
mod failures;
mod filter;
mod halt;
mod identity;
mod index;
mod intake;
mod lateness;
mod limits;
mod mending;
mod notes;
mod operations;
mod order;
mod plans;
mod reads;
mod record;
mod recovery;
mod repeats;
mod reports;
mod retention;
mod reveal;
mod soundness;
mod table;
mod together;
mod views;
mod windows;
