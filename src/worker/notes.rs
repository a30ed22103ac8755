//! What running jobs say of themselves, collected and written a few times a second.
//!
//! A handler may report its progress in a tight loop: only the latest word of each quarter of a second is sent, for
//! all jobs of the worker in one call. What a job said last is written before its end is reported.

use super::{Held, Shared, report};
use crate::error::{Error, Result};
use crate::model::{JobId, LogLevel, Token, first_bytes};
use crate::store::{Note, NoteLine, NoteWord, Store};
use std::collections::{HashMap, VecDeque};
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use std::time::{Duration, Instant};
use tokio::sync::Notify;
use tokio_util::sync::CancellationToken;

/// Between two writes: often enough for somebody who watches, and four calls a second at most.
const PERIOD: Duration = Duration::from_millis(250);
/// Largest result, bytes. Larger things belong into a store of their own.
pub(crate) const RESULT_BYTES_MAX: usize = 64 * 1_024;
/// Longest text beside a progress, bytes: one line of a page.
const PROGRESS_BYTES_MAX: usize = 200;
/// Longest log line, bytes: with 1,000 lines a job's log has a megabyte at most.
const LINE_BYTES_MAX: usize = 1_024;
/// Lines of one job that wait to be written; older ones would fall out of what is kept anyway.
const LINES_WAITING_MAX: usize = 1_000;
/// Jobs and bytes of one call: one or two milliseconds of Redis.
const CALL_JOBS_MAX: usize = 100;
const CALL_BYTES_MAX: usize = 256 * 1_024;
/// What a line costs beside its text, as bytes of text: with it, a call has about a thousand lines, however short they are.
const LINE_BYTES: usize = 256;
/// How long the last word of a job is repeated while Redis is away; its end is reported much longer than that.
const TIMEOUT: Duration = Duration::from_secs(10);
/// Wait before a repeat.
const REPEAT_DELAY: Duration = Duration::from_millis(200);

/// What a job has said and nobody has written yet.
#[derive(Debug, Default)]
struct Unsent {
    progress: Option<(u8, String)>,
    /// Sent with the end of a run that went well, and only then.
    result: Option<Vec<u8>>,
    lines: VecDeque<(Instant, LogLevel, String)>,
    dropped: u64,
}

/// Where one running job leaves its notes.
#[derive(Debug)]
pub(crate) struct Notes {
    id: JobId,
    token: Token,
    unsent: Mutex<Unsent>,
    /// Whether it ever said anything: most jobs do not, and pay nothing.
    spoke: AtomicBool,
    desk: Arc<Desk>,
}

/// The notes of a worker that wait to be written.
#[derive(Debug, Default)]
pub(crate) struct Desk {
    waiting: Mutex<HashMap<(JobId, Token), Arc<Notes>>>,
    any: Notify,
    /// Held while waiting notes are written, so that a job's last word cannot overtake the one before.
    turn: tokio::sync::Mutex<()>,
}

impl Notes {
    pub(crate) fn new(id: JobId, token: Token, desk: Arc<Desk>) -> Arc<Self> {
        Arc::new(Self { id, token, unsent: Mutex::default(), spoke: AtomicBool::new(false), desk })
    }

    pub(crate) fn progress(self: &Arc<Self>, percent: u8, text: &str) {
        self.unsent().progress = Some((percent.min(100), cut(text, PROGRESS_BYTES_MAX)));
        self.hand_in();
    }

    pub(crate) fn line(self: &Arc<Self>, level: LogLevel, text: &str) {
        let mut unsent = self.unsent();
        if unsent.lines.len() >= LINES_WAITING_MAX {
            unsent.lines.pop_front();
            unsent.dropped += 1;
        }
        unsent.lines.push_back((Instant::now(), level, cut(text, LINE_BYTES_MAX)));
        drop(unsent);
        self.hand_in();
    }

    pub(crate) fn result(self: &Arc<Self>, result: Vec<u8>) {
        self.unsent().result = Some(result);
        self.spoke.store(true, Ordering::Relaxed);
    }

    fn unsent(&self) -> MutexGuard<'_, Unsent> {
        self.unsent.lock().unwrap_or_else(PoisonError::into_inner)
    }

    fn hand_in(self: &Arc<Self>) {
        self.spoke.store(true, Ordering::Relaxed);
        let new = self.desk.waiting().insert((self.id.clone(), self.token), Arc::clone(self)).is_none();
        if new {
            self.desk.any.notify_one();
        }
    }

    /// Takes what is unsent but for the result; `None` when that is nothing.
    fn take(&self) -> Option<Note> {
        let mut all = self.unsent();
        let result = all.result.take();
        let unsent = std::mem::take(&mut *all);
        all.result = result;
        drop(all);
        let mut note = Note::new(self.id.clone(), self.token);
        note.progress = unsent.progress;
        if unsent.dropped > 0 {
            let text =
                format!("{} lines before this one were too many at once and are not kept", unsent.dropped);
            note.lines.push(NoteLine::new(Duration::ZERO, LogLevel::Warn, text));
        }
        note.lines.extend(
            unsent.lines.into_iter().map(|(at, level, text)| NoteLine::new(at.elapsed(), level, text)),
        );
        Some(note).filter(|note| !note.is_empty())
    }

    /// Writes what is left, and the result of a run that went well, before the job's end is reported. For lines it gives
    /// up after a while: the end matters more. A result is tried as long as the report is, or the job would end as done
    /// without it.
    pub(super) async fn finish(&self, shared: &Shared, held: &Held, went_well: bool) {
        if !self.spoke.load(Ordering::Relaxed) {
            return;
        }
        let turn = self.desk.turn.lock().await;
        self.desk.waiting().remove(&(self.id.clone(), self.token));
        let mut note = self.take().unwrap_or_else(|| Note::new(self.id.clone(), self.token));
        note.result = self.unsent().result.take().filter(|_| went_well);
        drop(turn);
        if note.is_empty() {
            return;
        }
        let (store, notes) = (shared.shards.shard(held.shard), [note]);
        let said = if let [Note { result: Some(result), .. }] = &notes {
            let say = || self.say_with_result(store, &notes, result);
            report::repeat(shared, say, || held.lost.is_cancelled()).await
        } else {
            say_for_a_while(store, &notes).await
        };
        if let Err(error) = said {
            tracing::warn!(job.id = %self.id, %error, "what job {} said last is not kept: {error}", self.id);
        }
    }

    /// Writes the last note. Where Redis has no room for it, the result alone is kept.
    async fn say_with_result(&self, store: &Store, notes: &[Note], result: &[u8]) -> Result<()> {
        match store.note(notes).await {
            Err(Error::StorageFull) => store.keep_result(&self.id, self.token, result).await.map(drop),
            said => said.map(drop),
        }
    }
}

impl Desk {
    fn waiting(&self) -> MutexGuard<'_, HashMap<(JobId, Token), Arc<Notes>>> {
        self.waiting.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

/// Writes notes until told to stop. What is left then is written by each job's end.
pub(super) async fn run(store: Store, desk: Arc<Desk>, stop: CancellationToken) {
    let writing = async {
        loop {
            desk.any.notified().await;
            let turn = desk.turn.lock().await;
            let waiting: Vec<_> = desk.waiting().drain().map(|(_, notes)| notes).collect();
            let mut call = Vec::new();
            for note in waiting.iter().filter_map(|notes| notes.take()).flat_map(parts) {
                if !has_room(&call, &note) {
                    write(&store, &std::mem::take(&mut call)).await;
                }
                call.push(note);
            }
            write(&store, &call).await;
            drop(turn);
            tokio::time::sleep(PERIOD).await;
        }
    };
    stop.run_until_cancelled(writing).await;
}

/// Writes notes that nothing hangs on, trying it a few times.
async fn say_for_a_while(store: &Store, notes: &[Note]) -> Result<()> {
    let began = Instant::now();
    loop {
        match store.note(notes).await {
            Err(Error::Unavailable { .. } | Error::OutcomeUnknown { .. }) if began.elapsed() <= TIMEOUT => {}
            said => return said.map(drop),
        }
        tokio::time::sleep(REPEAT_DELAY).await;
    }
}

/// Whether a note fits into a call with these.
fn has_room(call: &[Note], note: &Note) -> bool {
    let bytes: usize = call.iter().map(size).sum();
    call.len() < CALL_JOBS_MAX && bytes + size(note) <= CALL_BYTES_MAX
}

/// The same in so many notes that each fits into a call.
fn parts(mut note: Note) -> Vec<Note> {
    let (mut parts, mut bytes) = (Vec::new(), 0);
    for line in std::mem::take(&mut note.lines) {
        let more = size_of_line(&line);
        if bytes + more > CALL_BYTES_MAX {
            let next = Note::new(note.id.clone(), note.token);
            parts.push(std::mem::replace(&mut note, next));
            bytes = 0;
        }
        bytes += more;
        note.lines.push(line);
    }
    parts.push(note);
    parts
}

fn size(note: &Note) -> usize {
    note.lines.iter().map(size_of_line).sum()
}

const fn size_of_line(line: &NoteLine) -> usize {
    line.text.len() + LINE_BYTES
}

async fn write(store: &Store, notes: &[Note]) {
    if notes.is_empty() {
        return;
    }
    match store.note(notes).await {
        Ok(words) => {
            for (note, _) in notes.iter().zip(words).filter(|(_, word)| *word != NoteWord::Held) {
                tracing::debug!(job.id = %note.id, "job {} spoke without its lease", note.id);
            }
        }
        // Lines of a log are not worth more than that; the end of a job tries longer.
        Err(error) => {
            tracing::warn!(%error, jobs = notes.len(), "notes of {} jobs are lost: {error}", notes.len());
        }
    }
}

/// The start of a text, cut between characters, without control characters but tabs.
fn cut(text: &str, bytes_max: usize) -> String {
    first_bytes(text, bytes_max).chars().map(|c| if c.is_control() && c != '\t' { ' ' } else { c }).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    fn notes() -> (Arc<Notes>, Arc<Desk>) {
        let desk = Arc::new(Desk::default());
        (Notes::new(JobId::new("a").unwrap(), Token(3), Arc::clone(&desk)), desk)
    }

    fn note(lines: usize, bytes: usize) -> Note {
        let (notes, _desk) = notes();
        notes.progress(1, "");
        for _ in 0..lines {
            notes.line(LogLevel::Info, &"x".repeat(bytes));
        }
        notes.take().unwrap()
    }

    #[test]
    fn of_many_words_of_progress_the_last_is_sent() {
        let (notes, desk) = notes();
        for percent in 0..=255 {
            notes.progress(percent, "copying");
        }
        assert_eq!(desk.waiting().len(), 1);
        assert_eq!(notes.take().unwrap().progress, Some((100, "copying".to_owned())));
        assert_eq!(notes.take(), None);
    }

    #[test]
    fn a_call_is_full_by_its_jobs_or_by_its_bytes() {
        let call = |notes: usize, lines: usize, bytes: usize| {
            (0..notes).map(|_| note(lines, bytes)).collect::<Vec<_>>()
        };
        let line = |bytes: usize| note(1, bytes);
        assert!(has_room(&[], &line(1_024)));
        assert!(has_room(&call(99, 0, 0), &note(0, 0)) && !has_room(&call(100, 0, 0), &note(0, 0)));
        // A line of a kilobyte counts as 1,280 bytes, of which 204 fit; an empty one as 256, of which 1,024 fit.
        assert!(
            has_room(&call(1, 203, 1_024), &line(1_024)) && !has_room(&call(2, 102, 1_024), &line(1_024))
        );
        assert!(has_room(&call(31, 33, 0), &line(0)) && !has_room(&call(32, 32, 0), &line(0)));
    }

    #[test]
    fn what_one_job_said_goes_into_several_calls_where_it_is_too_much_for_one() {
        for (lines, bytes, expected) in [
            (0, 0, vec![0]),
            (1_000, 0, vec![1_000]),
            (204, 1_024, vec![204]),
            (500, 1_024, vec![204, 204, 92]),
        ] {
            let whole = note(lines, bytes);
            let parts = parts(whole.clone());
            let counts: Vec<_> = parts.iter().map(|part| part.lines.len()).collect();
            assert_eq!(counts, expected, "{lines} lines of {bytes} bytes");
            assert!(parts.iter().all(|part| has_room(&[], part) && part.token == whole.token));
            assert!(parts[0].progress.is_some() && parts[1..].iter().all(|part| part.progress.is_none()));
            assert_eq!(parts.into_iter().flat_map(|part| part.lines).collect::<Vec<_>>(), whole.lines);
        }
    }

    #[test]
    fn a_flood_of_lines_keeps_the_latest_and_says_how_many_it_dropped() {
        let (notes, _desk) = notes();
        for n in 0..1_500 {
            notes.line(LogLevel::Info, &format!("line {n}"));
        }
        let note = notes.take().unwrap();
        assert_eq!(note.lines.len(), LINES_WAITING_MAX + 1);
        assert!(note.lines[0].text.starts_with("500 lines"), "{}", note.lines[0].text);
        assert_eq!(note.lines.last().unwrap().text, "line 1499");
    }

    #[test]
    fn a_long_line_is_cut_between_characters_and_holds_no_line_breaks() {
        assert_eq!(cut("a\nb\tc", 100), "a b\tc");
        assert_eq!(cut(&"é".repeat(1_000), LINE_BYTES_MAX).len(), LINE_BYTES_MAX);
        assert_eq!(cut("éé", 3), "é");
    }
}
