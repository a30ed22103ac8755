//! Every function that Redis runs for us, called as it never should be: with mutated arguments, on keys of another type,
//! on a full Redis. Whatever comes of it, an error has changed nothing.
//!
//! A story calls each of them as Reprieve does; what it sends is recorded, and each call is then repeated on the very
//! data it found, with one thing wrong.

mod bench;
mod by_hand;
mod damaged_keys;
mod full;
mod mutated_arguments;
mod recording;
mod story;
