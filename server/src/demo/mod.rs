//! `reprieve demo`: a small shop in fast time.
//!
//! Resources that customers rent expire: notices go out on day 23, 28 and 29,
//! the resource is deleted on day 30, unless the customer renews. Customers
//! delete things, with 24 hours to change their mind. Beside that runs what
//! every shop has: invoices in bursts, backups, a report that hangs, a CRM that
//! refuses, a payment gateway with bad minutes.
//!
//! Nothing here is a special case of the program: every job is enqueued, called
//! off and put back through the public HTTP API, and run by the built-in
//! worker. A month lasts a minute unless told otherwise; what workers do lasts
//! as long as it would anywhere.

mod catalog;
mod claim;
mod day;
mod handlers;
mod happening;
mod orders;
mod shop;
mod speed;
mod telephone;
mod words;

pub(crate) use claim::{claim, prepare};
pub(crate) use day::Day;
pub use handlers::register;
pub use shop::Shop;
pub use speed::{Speed, span};
pub use words::vocabulary;

use reprieve::Retention;
use reprieve::model::Delay;

/// What the dashboard shows as its environment.
pub const ENVIRONMENT: &str = "demo";

/// How long ended jobs are kept, so that a demo can run for days in the memory of its first hour.
#[must_use]
pub const fn retention() -> Retention {
    Retention {
        done: Some(Delay::minutes(10)),
        cancelled: Some(Delay::minutes(10)),
        dead: Some(Delay::minutes(30)),
        undo_window: Some(Delay::minutes(10)),
    }
}

/// What a person who has just started the demo is told, in a few lines for the terminal.
#[must_use]
pub fn story(address: &str, speed: Speed) -> String {
    format!(
        "A small shop is open at {address}\n\
         \n\
         \x20 Its resources expire: notices on day 23, 28 and 29, deletion on day 30.\n\
         \x20 Its customers delete things and have 24 hours to change their mind.\n\
         \x20 {speed}.\n\
         \n\
         Cancel a deletion under Jobs > Delay, and undo it: it keeps its time.\n\
         Some of its jobs fail, on purpose: they are under Jobs > Dead.\n\
         Everything about one resource is under its subject: search for resource:4711.\n"
    )
}
