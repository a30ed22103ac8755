//! The protocol of Reprieve as six small models, every state of which is looked at.
//!
//! Each model is plain data and the steps that scripts, workers, people and accidents can take with it. The steps of a
//! script are atomic, as in Redis; everything between them may be lost, repeated, reordered or killed. [`Invariant`]
//! names what must hold; the rig that works on real processes checks the same list under the same names.
//!
//! Each model also knows its flaws: ways to build it wrongly that somebody might take for right. A test switches each of
//! them on and expects the search to find the state where it shows.

pub mod bulk;
pub mod clocks;
pub mod epochs;
mod invariant;
pub mod lease;
pub mod replica;
mod search;
pub mod streams;

pub use invariant::{Broken, Invariant};
pub use search::{Found, exhaust, find_breach};
