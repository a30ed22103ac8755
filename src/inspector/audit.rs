//! Who did what, and whether the list of it is as it was written.

use super::{Inspector, Operator, SUBJECT_JOBS_MAX};
use crate::error::Result;
use crate::model::{
    ArchivedEntry, AuditCheck, AuditEntry, AuditFilter, AuditOnly, AuditPage, AuditPlace, AuditSize, JobId,
    Shard, Subject, Undone, run_of_change,
};
use std::collections::{HashMap, HashSet};

/// Entries of one page.
const PAGE_MAX: usize = 200;
/// Entries of one read of a shard: about a millisecond of Redis.
const READ_AT_ONCE: usize = 500;
/// Entries looked at for one page: some tens of milliseconds. A filter that finds nothing in so many says so, and goes
/// on from there.
const SCANNED_MAX: u64 = 20_000;
/// The act that makes a run to undo another; what it changes back, that run does.
const BULK_UNDO: &str = "bulk_undo";
/// Targets whose undoing is kept in mind, about 10 MB.
const UNDOINGS_MAX: usize = 20_000;

impl Operator {
    /// Writes down that they take a file away: of `jobs`, of the `audit` or of the `outcomes` of a bulk run; of which
    /// list or run, and the names of the fields it was filtered by.
    ///
    /// # Errors
    /// [`Error::StorageFull`](crate::Error::StorageFull) and [`Error::Unavailable`](crate::Error::Unavailable): it is
    /// not to be shown.
    pub async fn takes_away(&self, what: &str, which: &str, filtered: &str) -> Result<()> {
        let verb = format!("export_{what}");
        self.shards().first().audit_act(self.actor(), &verb, which, filtered, "exported").await
    }
}

impl Inspector {
    /// Acts that fit, the latest first: 1 to 200 that stand before a place.
    ///
    /// # Errors
    /// [`Error::Unavailable`](crate::Error::Unavailable).
    pub async fn audit(
        &self,
        filter: &AuditFilter,
        before: Option<AuditPlace>,
        size: u16,
    ) -> Result<AuditPage> {
        self.audit_on(filter, before, size, &mut Undoings::default()).await
    }

    /// The same for a caller that goes on page by page: `undoings` keeps what was met so far, which is looked up for each
    /// page without it.
    ///
    /// # Errors
    /// [`Error::Unavailable`](crate::Error::Unavailable).
    pub async fn audit_on(
        &self,
        filter: &AuditFilter,
        before: Option<AuditPlace>,
        size: u16,
        undoings: &mut Undoings,
    ) -> Result<AuditPage> {
        let size = usize::from(size).clamp(1, PAGE_MAX);
        let targets = match &filter.subject {
            Some(subject) => Some(self.targets_of(subject).await?),
            None => None,
        };
        if !undoings.is_begun {
            self.meet_undoings(filter, before, undoings).await?;
        }
        let wanted = Wanted { filter, by: filter.by.to_lowercase(), targets };
        let (mut items, mut place, mut scanned) = (Vec::new(), before, 0);
        loop {
            let (entries, is_end) = self.audit_read(filter, place).await?;
            for mut entry in entries {
                scanned += 1;
                let fits = wanted.fits(&entry);
                if fits && items.len() == size {
                    // One more than fits on the page: there is a next one.
                    let next = items.last().map(|last: &AuditEntry| last.place);
                    return Ok(AuditPage { items, next, scanned, cut: false });
                }
                place = Some(entry.place);
                if fits {
                    entry.undone = undoings.of(&entry);
                }
                undoings.meet(&entry);
                if fits {
                    items.push(entry);
                }
            }
            if is_end {
                return Ok(AuditPage { items, next: None, scanned, cut: false });
            }
            if scanned >= SCANNED_MAX {
                return Ok(AuditPage { items, next: place, scanned, cut: true });
            }
        }
    }

    /// Meets what undoes others among the entries that stand behind the page; nothing where there are more than are
    /// looked at for one page, for then those that were met are not the nearest.
    async fn meet_undoings(
        &self,
        filter: &AuditFilter,
        before: Option<AuditPlace>,
        undoings: &mut Undoings,
    ) -> Result<()> {
        undoings.is_begun = true;
        let is_behind = |entry: &AuditEntry| match (before, filter.to) {
            (Some(before), _) => entry.place >= before,
            (None, to) => to.is_some_and(|to| entry.at > to),
        };
        let (mut place, mut scanned) = (None, 0);
        while before.is_some() || filter.to.is_some() {
            if scanned >= SCANNED_MAX && !undoings.is_of_all {
                undoings.forget();
                break;
            }
            let (entries, is_end) = self.audit_read(&AuditFilter::default(), place).await?;
            for entry in entries {
                if !is_behind(&entry) {
                    return Ok(());
                }
                scanned += 1;
                place = Some(entry.place);
                undoings.meet(&entry);
            }
            if is_end {
                break;
            }
        }
        Ok(())
    }

    /// Looks whether every entry says what it said when it was written, and follows on the one before it; at most
    /// `most` of them. `anchor` is a hash noted down earlier, which one of them is to have.
    ///
    /// With write access to Redis one can write all of it anew, hashes and all; only a hash kept elsewhere shows that.
    ///
    /// # Errors
    /// [`Error::Unavailable`](crate::Error::Unavailable).
    pub async fn verify_audit(&self, most: u64, anchor: Option<&str>) -> Result<AuditCheck> {
        self.verify_audit_behind(most, anchor, |_| std::iter::empty()).await
    }

    /// The same, with the entries that were archived before those: `archive` gives them for a shard, the oldest first. It has
    /// to end where the rest begins.
    ///
    /// # Errors
    /// [`Error::Unavailable`](crate::Error::Unavailable), and what the archive says.
    pub async fn verify_audit_behind<I: Iterator<Item = Result<ArchivedEntry>>>(
        &self,
        most: u64,
        anchor: Option<&str>,
        mut archive: impl FnMut(Shard) -> I,
    ) -> Result<AuditCheck> {
        let (mut check, mut room) = (AuditCheck::begun(anchor), most);
        for store in self.shards().all() {
            store.check_audit(&mut check, &mut room, anchor, archive(store.shard())).await?;
            if check.broken.is_some() {
                break;
            }
        }
        if !check.complete && check.anchored == Some(false) {
            check.anchored = None;
        }
        Ok(check)
    }

    /// Entries of the audit that are to leave Redis, the oldest first, all of one shard: while that of a shard
    /// is larger than `most`, or they would soon be dropped for their age, 400 days. None when all may stay. Once they are
    /// kept outside, [remove](Self::remove_archived) them here, and ask again.
    ///
    /// # Errors
    /// [`Error::Unavailable`](crate::Error::Unavailable).
    pub async fn audit_surplus(&self, most: AuditSize) -> Result<Vec<ArchivedEntry>> {
        for store in self.shards().all() {
            let surplus = store.audit_surplus(most, store.now().await?).await?;
            if !surplus.is_empty() {
                return Ok(surplus);
            }
        }
        Ok(Vec::new())
    }

    /// Removes entries of the audit that are kept outside.
    ///
    /// # Errors
    /// [`Error::Unavailable`](crate::Error::Unavailable): some may be left, and are asked for again.
    pub async fn remove_archived(&self, entries: &[ArchivedEntry]) -> Result<()> {
        for of_shard in entries.chunk_by(|a, b| a.shard == b.shard) {
            let Some(first) = of_shard.first() else { continue };
            let ids: Vec<&str> = of_shard.iter().map(|entry| entry.id.as_str()).collect();
            self.shards().shard(first.shard).remove_archived(&ids).await?;
        }
        Ok(())
    }

    /// How large the audit is: its entries in the shard that has most of them, its bytes in the shard that has most.
    ///
    /// # Errors
    /// [`Error::Unavailable`](crate::Error::Unavailable).
    pub async fn audit_size(&self) -> Result<AuditSize> {
        let sizes = self.shards().each(|store| store.audit_size()).await?;
        Ok(sizes.into_iter().fold(AuditSize::default(), |most, size| AuditSize {
            entries: most.entries.max(size.entries),
            bytes: most.bytes.max(size.bytes),
        }))
    }

    /// The next entries of all shards, merged, and whether they are the last.
    async fn audit_read(
        &self,
        filter: &AuditFilter,
        before: Option<AuditPlace>,
    ) -> Result<(Vec<AuditEntry>, bool)> {
        let of_each = self
            .shards()
            .each(|store| store.audit_before(before, filter.from, filter.to, READ_AT_ONCE))
            .await?;
        // A shard that gave all it could may have more, which stand before the last it gave.
        let full = of_each.iter().filter(|(_, is_full)| *is_full);
        let known_to = full.filter_map(|(entries, _)| entries.last()).map(|entry| entry.place).max();
        let mut entries: Vec<AuditEntry> = of_each.into_iter().flat_map(|(entries, _)| entries).collect();
        entries.sort_unstable_by_key(|entry| std::cmp::Reverse(entry.place));
        if let Some(known_to) = known_to {
            entries.retain(|entry| entry.place >= known_to);
        }
        Ok((entries, known_to.is_none()))
    }

    /// What acts on a subject name as their target: its jobs, its plans and the bulk runs that changed its jobs. Entries never
    /// name the subject itself, so that it can be forgotten.
    async fn targets_of(&self, subject: &Subject) -> Result<HashSet<String>> {
        let (jobs, _) = self.shards.subject(subject, SUBJECT_JOBS_MAX).await?;
        let plans = self.seen_plans(self.all_plans(subject).await?).await?;
        let receipts = self.receipts(subject).await?;
        let ids: Vec<JobId> = jobs.iter().map(|row| row.id.clone()).collect();
        let mut whys = self.shards().of_subject(subject).whys(&ids).await?;
        whys.extend(
            jobs.into_iter().map(|row| row.why).chain(receipts.iter().map(|receipt| receipt.why.clone())),
        );
        let runs = whys.iter().filter_map(|why| run_of_change(why)).map(|(run, _)| run.to_string());
        let ids = ids.iter().chain(receipts.iter().map(|receipt| &receipt.id)).map(ToString::to_string);
        Ok(ids.chain(plans.iter().map(|plan| plan.id.to_string())).chain(runs).collect())
    }
}

/// Acts that undo others, as they were met on the way from the latest act back.
#[derive(Debug, Default)]
pub struct Undoings {
    is_begun: bool,
    /// It looks through whatever stands behind its first page: for those who look through all pages anyway.
    is_of_all: bool,
    /// The nearest of each verb on each target.
    met: HashMap<String, Vec<AuditEntry>>,
    /// Bulk runs that have ended, and whether they did all that they were to do, in every shard.
    ended: HashMap<String, bool>,
}

impl Undoings {
    /// For a caller that goes on page by page to the end: it learns of all that was undone, however much was done since the
    /// first page.
    #[must_use]
    pub fn of_all() -> Self {
        Self { is_of_all: true, ..Self::default() }
    }

    fn meet(&mut self, entry: &AuditEntry) {
        if self.met.len() >= UNDOINGS_MAX || self.ended.len() >= UNDOINGS_MAX {
            // What was undone so much later is not said to be.
            self.forget();
        }
        if matches!(entry.outcome.as_str(), "done" | "aborted" | "stopped") && entry.is_bulk() {
            let is_done = entry.outcome == "done";
            self.ended.entry(entry.target.clone()).and_modify(|all| *all &= is_done).or_insert(is_done);
        }
        if !entry.is_undoing() || entry.verb == BULK_UNDO && !self.stands(&entry.outcome) {
            return;
        }
        let of_target = self.met.entry(entry.target.clone()).or_default();
        of_target.retain(|met| met.verb != entry.verb);
        of_target.push(entry.clone());
    }

    fn forget(&mut self) {
        self.met.clear();
        self.ended.clear();
    }

    /// Whether a bulk run has done all that it was to do, and none undid it: one that waits, runs or was aborted has
    /// not, or not all.
    fn stands(&self, run: &str) -> bool {
        let is_undone =
            || self.met.get(run).is_some_and(|later| later.iter().any(|act| act.verb == BULK_UNDO));
        self.ended.get(run).copied().unwrap_or_default() && !is_undone()
    }

    /// Who undid an act: the nearest of those that were met.
    fn of(&self, act: &AuditEntry) -> Option<Undone> {
        let later = self.met.get(&act.target)?.iter().filter(|later| later.undoes(act));
        later.min_by_key(|later| later.place).map(|later| Undone { at: later.at, by: later.by.clone() })
    }
}

/// A filter made ready to be held against entries.
struct Wanted<'a> {
    filter: &'a AuditFilter,
    by: String,
    targets: Option<HashSet<String>>,
}

impl Wanted<'_> {
    fn fits(&self, entry: &AuditEntry) -> bool {
        let filter = self.filter;
        filter.from.is_none_or(|from| entry.at >= from)
            && filter.to.is_none_or(|to| entry.at <= to)
            && (filter.verb.is_empty() || entry.verb == filter.verb)
            && (self.by.is_empty() || entry.by.to_lowercase().contains(&self.by))
            && filter.sees(entry)
            && filter.queue.as_ref().is_none_or(|queue| entry.queue.as_ref() == Some(queue))
            && self.targets.as_ref().is_none_or(|targets| targets.contains(&entry.target))
            && match filter.only {
                None => true,
                Some(AuditOnly::Bulk) => entry.is_bulk(),
                Some(AuditOnly::Denied) => entry.is_denied(),
            }
    }
}
