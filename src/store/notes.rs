//! What running jobs say of themselves: written in batches, read by screens.

use super::{Store, script, words};
use crate::error::{Error, Result};
use crate::model::{JobId, JobLog, LogLevel, Token};
use crate::record;
use crate::store::codec;
use redis::Pipeline;
use std::time::Duration;

/// Lines that are kept of a job, as `note` writes them.
const LINES_KEPT: u64 = 1_000;
/// How often the place of a line in the list is guessed, by what was known of it before. The second guess is right unless the
/// job writes in between.
const GUESSES_MAX: usize = 3;

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

words! {
    /// What `note` says of the lease behind a note.
    #[non_exhaustive]
    pub enum NoteWord or "one of " {
        /// Kept.
        Held = "held",
        /// The lease belongs to somebody else; nothing was kept.
        Lost = "lost",
        /// The job is gone.
        Missing = "missing",
    }
}

impl Store {
    /// Keeps what running jobs say: see `lua/functions/jobs/note.lua`. One word a note, in order.
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
        words(self.grow(&call).await?)
    }

    /// Keeps what a running job came to, on a full Redis too: see `lua/functions/jobs/keep_result.lua`.
    ///
    /// # Errors
    /// [`Error::Unavailable`]: repeat it.
    pub async fn keep_result(&self, id: &JobId, token: Token, result: &[u8]) -> Result<NoteWord> {
        let mut call = self.call(&script::KEEP_RESULT);
        call.arg(id.as_str()).arg(token.0).arg(result);
        let mut told = words(self.drain(&call).await?)?;
        told.pop().ok_or_else(|| Error::codec("keep_result did not answer"))
    }

    /// Lines of a job's log with numbers above `after`, at most that many; `None` when there is no such job. No more of them
    /// than that go over the wire.
    ///
    /// # Errors
    /// [`Error::Unavailable`]; [`Error::Codec`] when the job does not read.
    pub async fn log(&self, id: &JobId, after: u64, most: usize) -> Result<Option<JobLog>> {
        // One more tells whether there are more.
        let beyond = u64::try_from(most).unwrap_or(u64::MAX);
        // Until a thousand lines were written none are gone.
        let mut gone = 0;
        for _ in 0..GUESSES_MAX {
            let start = after.saturating_sub(gone).min(LINES_KEPT);
            let Some(read) = self.log_lines(id, start, start.saturating_add(beyond)).await? else {
                return Ok(None);
            };
            if read.gone == gone || (start == 0 && read.gone > gone) {
                return Ok(Some(read.page(start, after, most)));
            }
            gone = read.gone;
        }
        // It writes so much just now that lines go while their places are asked for.
        let read = self.log_lines(id, 0, LINES_KEPT).await?;
        Ok(read.map(|read| read.page(0, after, most)))
    }

    /// The lines at those places of the list, the last included.
    async fn log_lines(&self, id: &JobId, start: u64, end: u64) -> Result<Option<LogRead>> {
        let keys = self.keys();
        let mut reads = Pipeline::new();
        reads.atomic().get(keys.job(id)).llen(keys.log(id));
        // Redis counts no further.
        let end = i64::try_from(end).unwrap_or(i64::MAX);
        reads.cmd("LRANGE").arg(keys.log(id)).arg(start).arg(end);
        let (text, kept, lines): (Option<Vec<u8>>, u64, Vec<Vec<u8>>) = self.pipeline(&reads).await?;
        let Some(text) = text else {
            return Ok(None);
        };
        let total = match record::field(&text, "log_lines") {
            Some(text) => {
                text.parse::<u64>().map_err(|_| Error::codec("the count of log lines does not read"))?
            }
            None => 0,
        };
        Ok(Some(LogRead { total, gone: total.saturating_sub(kept), lines }))
    }
}

/// What was read of a log.
struct LogRead {
    /// How many lines the job ever wrote.
    total: u64,
    /// How many of them are gone: the list begins behind them.
    gone: u64,
    /// Lines as they are kept.
    lines: Vec<Vec<u8>>,
}

impl LogRead {
    /// The lines with numbers above `after`, at most so many, where the first that was read lies at `start` in the list.
    fn page(self, start: u64, after: u64, most: usize) -> JobLog {
        let first = self.gone.saturating_add(start).saturating_add(1);
        let mut numbered = (first..).zip(&self.lines).filter(|(number, _)| *number > after);
        let (mut lines, mut last) = (Vec::new(), 0);
        for (number, line) in numbered.by_ref().take(most) {
            last = number;
            // One line that does not read must not hide the others.
            lines.extend(codec::log_line(number, line));
        }
        let more = numbered.next().is_some();
        JobLog::new(lines, self.total, more.then_some(last))
    }
}
