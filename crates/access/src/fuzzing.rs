//! What the targets in `tools/fuzz/` look at from inside: readers of texts that others wrote. Nothing here is for programs.

use crate::people::second_factor;
use crate::tokens;
use reprieve::Result;
use reprieve::model::{Timestamp, TokenName};

/// The name in a text that looks like an API token.
#[must_use]
pub fn token_name(text: &str) -> Option<TokenName> {
    tokens::name_of(text)
}

/// The step of time that a code of a second factor belongs to.
///
/// # Errors
/// [`Error::Codec`](reprieve::Error::Codec) for a kept secret that is none.
pub fn code_step(kept: &str, code: &str, now: Timestamp, last: &str) -> Result<Option<u64>> {
    second_factor::step_of(kept, code, now, last)
}

/// What is left of recovery codes once one was used.
#[must_use]
pub fn without_recovery_code(kept: &str, code: &str) -> Option<String> {
    second_factor::without_recovery_code(kept, code)
}
