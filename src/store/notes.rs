//! What running jobs say of themselves: written in batches, read by screens.

use super::{Store, script, words};
use crate::codec;
use crate::error::{Error, Result};
use crate::model::{JobId, JobLog, LogLevel, Token};
use crate::record;
use redis::Pipeline;
use std::time::Duration;

/// What one job has to say since it was last heard.
#[derive(Debug, Clone, PartialEq, Eq)]
#[non_exhaustive]
pub struct Note {
    /// Which job.
    pub id: JobId,
    /// Proves the lease.
    pub token: Token,
    /// Percent and text; `None` leaves what is kept.
    pub progress: Option<(u8, String)>,
    /// What it came to; `None` leaves what is kept.
    pub result: Option<Vec<u8>>,
    /// Lines of its log, oldest first.
    pub lines: Vec<NoteLine>,
}

impl Note {
    /// A note without content.
    #[must_use]
    pub const fn new(id: JobId, token: Token) -> Self {
        Self { id, token, progress: None, result: None, lines: Vec::new() }
    }

    /// Whether there is nothing to write.
    #[must_use]
    pub const fn is_empty(&self) -> bool {
        self.progress.is_none() && self.result.is_none() && self.lines.is_empty()
    }
}

/// A line that waits to be written.
#[derive(Debug, Clone, PartialEq, Eq)]
#[non_exhaustive]
pub struct NoteLine {
    /// How long ago it was said: the script takes that from Redis's clock.
    pub age: Duration,
    /// How much it matters.
    pub level: LogLevel,
    /// What it says.
    pub text: String,
}

impl NoteLine {
    /// A line said that long ago.
    #[must_use]
    pub const fn new(age: Duration, level: LogLevel, text: String) -> Self {
        Self { age, level, text }
    }
}

/// What `note` says of the lease behind a note.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
#[non_exhaustive]
pub enum NoteWord {
    /// Kept.
    Held,
    /// The lease belongs to somebody else; nothing was kept.
    Lost,
    /// The job is gone.
    Missing,
}

impl NoteWord {
    fn of(word: &str) -> Option<Self> {
        Some(match word {
            "held" => Self::Held,
            "lost" => Self::Lost,
            "missing" => Self::Missing,
            _ => return None,
        })
    }
}

impl Store {
    /// Keeps what running jobs say: see `lua/note.lua`. One word a note, in order.
    ///
    /// # Errors
    /// [`Error::StorageFull`]: nothing was kept. [`Error::Unavailable`]: nothing is known; a repeat may write lines
    /// twice.
    pub async fn note(&self, notes: &[Note]) -> Result<Vec<NoteWord>> {
        let mut call = self.call(&script::NOTE);
        for note in notes {
            call.arg(note.id.as_str()).arg(note.token.0);
            match &note.progress {
                Some((percent, text)) => call.arg(percent).arg(text),
                None => call.arg("").arg(""),
            };
            match &note.result {
                Some(result) => call.arg("result").arg(result.as_slice()),
                None => call.arg("").arg(""),
            };
            call.arg(note.lines.len());
            for line in &note.lines {
                let age = u64::try_from(line.age.as_millis()).unwrap_or(0);
                call.arg(age).arg(line.level.as_str()).arg(&line.text);
            }
        }
        words(self.grow(&call).await?, NoteWord::of)
    }

    /// Keeps what a running job came to, on a full Redis too: see `lua/keep_result.lua`.
    ///
    /// # Errors
    /// [`Error::Unavailable`]: repeat it.
    pub async fn keep_result(&self, id: &JobId, token: Token, result: &[u8]) -> Result<NoteWord> {
        let mut call = self.call(&script::KEEP_RESULT);
        call.arg(id.as_str()).arg(token.0).arg(result);
        let mut told = words(self.drain(&call).await?, NoteWord::of)?;
        told.pop().ok_or_else(|| Error::codec("keep_result did not answer"))
    }

    /// Lines of a job's log with numbers above `after`, at most that many; `None` when there is no such job.
    ///
    /// # Errors
    /// [`Error::Unavailable`]; [`Error::Codec`] when the job does not read.
    pub async fn log(&self, id: &JobId, after: u64, most: usize) -> Result<Option<JobLog>> {
        let keys = self.keys();
        let mut reads = Pipeline::new();
        reads.atomic().get(keys.job(id)).lrange(keys.log(id), 0, -1);
        let (text, kept): (Option<Vec<u8>>, Vec<Vec<u8>>) = self.pipeline(&reads).await?;
        let Some(text) = text else {
            return Ok(None);
        };
        let total = match record::field(&text, "log_lines") {
            Some(text) => {
                text.parse::<u64>().map_err(|_| Error::codec("the count of log lines does not read"))?
            }
            None => 0,
        };
        let first = total.saturating_sub(kept.len() as u64);
        let numbered = (first + 1..).zip(&kept).filter(|(number, _)| *number > after);
        // One line that does not read must not hide the others.
        let mut lines: Vec<_> = numbered
            .filter_map(|(number, line)| codec::log_line(number, line))
            .take(most.saturating_add(1))
            .collect();
        let more = lines.len() > most;
        lines.truncate(most);
        let next = lines.last().filter(|_| more).map(|line| line.number);
        Ok(Some(JobLog::new(lines, total, next)))
    }
}
