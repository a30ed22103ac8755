//! What the server prints: passed on to our log, the end kept for the moment it dies.

use std::collections::VecDeque;
use std::io::{BufRead, BufReader, Read};
use std::sync::{Arc, Mutex, PoisonError};
use std::thread::JoinHandle;

/// Lines kept; Redis explains a refusal to start in fewer.
const LINES_MAX: usize = 20;
/// A longer line is cut, in bytes: a log is for reading.
const LINE_BYTES_MAX: u64 = 1_000;

/// The end of the server's log.
#[derive(Debug, Clone, Default)]
pub(super) struct ServerLog(Arc<Mutex<VecDeque<String>>>);

impl ServerLog {
    /// Reads until the server ends, on a thread of its own.
    pub(super) fn follow(&self, output: impl Read + Send + 'static) -> JoinHandle<()> {
        let log = self.clone();
        std::thread::spawn(move || {
            let mut reader = BufReader::new(output);
            while let Some(line) = next_line(&mut reader) {
                log.take(line);
            }
        })
    }

    fn take(&self, line: String) {
        if line.trim().is_empty() {
            return;
        }
        // "pid:role date level message"; '#' is Redis's mark for a warning.
        if line.contains(" # ") {
            tracing::debug!(redis = %line, "the embedded Redis warns: {line}");
        } else {
            tracing::trace!(redis = %line, "the embedded Redis says: {line}");
        }
        let mut lines = self.0.lock().unwrap_or_else(PoisonError::into_inner);
        if lines.len() == LINES_MAX {
            lines.pop_front();
        }
        lines.push_back(line);
    }

    /// The lines kept, oldest first.
    pub(super) fn lines(&self) -> Vec<String> {
        self.0.lock().unwrap_or_else(PoisonError::into_inner).iter().cloned().collect()
    }
}

/// The next line, cut at its limit, or `None` at the end.
fn next_line(reader: &mut impl BufRead) -> Option<String> {
    let mut line = Vec::new();
    match reader.by_ref().take(LINE_BYTES_MAX).read_until(b'\n', &mut line) {
        Ok(0) | Err(_) => None,
        Ok(_) => Some(String::from_utf8_lossy(&line).trim_end().to_owned()),
    }
}
