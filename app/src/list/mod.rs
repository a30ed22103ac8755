//! The address of a list of jobs: what it says, and what it shows.

mod address;
mod columns;
mod line;
pub(crate) mod picks;
pub mod sealed;

pub(crate) use self::address::{Address, ORDER, SIZES, columns_of_view, href_of_view};
pub(crate) use self::columns::{Column, words as column_words};
pub(crate) use self::line::{also_in, list_of};
