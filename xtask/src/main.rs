//! The two commands of the README, and what CI runs.

fn main() {}
