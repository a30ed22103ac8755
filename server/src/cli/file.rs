//! Files and standard input that verbs read.

use super::exit::Failure;
use crate::text;
use std::path::Path;

/// Longest file, in bytes: 10,000 jobs of a kilobyte, and room.
pub(super) const FILE_BYTES_MAX: u64 = 64 << 20;

/// The text of a file; `-` is standard input.
pub(super) fn read(file: &Path) -> Result<String, Failure> {
    let named = match file.to_str() {
        Some("-") => return standard_input(FILE_BYTES_MAX),
        _ => text::of_file(file, FILE_BYTES_MAX),
    };
    named.map_err(|why| Failure::Failed(format!("{} cannot be read: {why}", file.display())))
}

/// All of standard input; so many bytes at most.
pub(super) fn standard_input(bytes_max: u64) -> Result<String, Failure> {
    text::read(std::io::stdin(), bytes_max)
        .map_err(|why| Failure::Failed(format!("standard input cannot be read: {why}")))
}
