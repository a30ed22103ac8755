//! `reprieve`: the command line.

fn main() {}
