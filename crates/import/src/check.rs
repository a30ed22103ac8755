//! What every format asks of its settings.

use reprieve::Result;
use reprieve::internals::invalid;

/// Queues of one importer; as many as a namespace holds.
const QUEUES_MAX: usize = 1_000;

/// Refuses an empty text.
pub(super) fn filled(field: &'static str, text: &str) -> Result<()> {
    if text.is_empty() { Err(invalid(field, "is empty")) } else { Ok(()) }
}

/// Refuses what is no JSON pointer.
pub(super) fn pointer(field: &'static str, text: Option<&String>) -> Result<()> {
    match text {
        Some(text) if !text.starts_with('/') => {
            Err(invalid(field, "is a JSON pointer such as /order/id, beginning with a slash"))
        }
        _ => Ok(()),
    }
}

/// Refuses more queues than one importer takes.
pub(super) fn count(queues: &[String]) -> Result<()> {
    let count = queues.len();
    if count <= QUEUES_MAX {
        return Ok(());
    }
    let why = format!(
        "are {count}, at most {QUEUES_MAX} are allowed: name those to take with `queues`, in a shell with --queue"
    );
    Err(invalid("queues", why))
}
