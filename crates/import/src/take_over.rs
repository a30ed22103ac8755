//! Take over: items become jobs, a page at a time, in three calls each.

use super::doubles::{Doubles, Read, SAME_ID};
use super::journal::{Parked, Record, Which, record_name};
use super::translate::{self, Raw};
use super::unit::{Place, Unit};
use super::{Importer, Names, PAGE, name_item};
use crate::TakenOver;
use reprieve::Result;
use reprieve::internals::{Adopted, Adoptee, Arrival};
use std::collections::HashSet;
use std::time::{Duration, Instant};
use tokio_util::sync::CancellationToken;

/// How often a place is gone through: live producers add while we take, and ranks shift under a page.
const PASSES_MAX: usize = 10;
/// How often one pass goes back because items left the place under it: as often as busy workers make it, and it ends.
const STEPS_BACK_MAX: usize = 1_000;
/// Items put back that are remembered, so that a following importer does not take them out again and again.
const PUT_BACK_MAX: usize = 10_000;
/// For so long: what had no room may have some by then.
const PUT_BACK_FOR: Duration = Duration::from_secs(60);

/// Sentences in the log that are remembered; beyond that nothing new is said.
const SAID_MAX: usize = 1_000;

/// What became of a page at the source.
#[derive(Default)]
struct Emptied {
    /// How many items it had.
    length: usize,
    /// What is in the journal now, and no job yet.
    parked: Vec<Parcel>,
    /// The last one of those that stay there.
    last: Option<Vec<u8>>,
}

/// An item on its way: its record, and the job that it becomes.
type Parcel = (Record, Adoptee);

/// What became of what was taken out of a place.
#[derive(Default)]
struct Handed {
    /// How many are jobs here now, and how many of these replaced an earlier one.
    arrived: u64,
    replaced: u64,
    /// What has to go back, and why; "" where a roll back has withdrawn it.
    returned: Vec<(Record, &'static str)>,
}

/// What one run remembers.
#[derive(Default)]
pub(super) struct Run {
    pub(super) report: TakenOver,
    /// Items that stay; each is named once.
    named: HashSet<(String, Vec<u8>)>,
    /// Items that were taken out and had to go back, and since when they are remembered.
    put_back: HashSet<(String, Vec<u8>)>,
    put_back_at: Option<Instant>,
    /// Items of one id.
    doubles: Doubles,
    /// What was written into the log, so that a following importer does not say it in every round.
    said: HashSet<String>,
    /// How items are named, by the rules of this round.
    names: Option<Names>,
    /// A roll back has closed the journal.
    pub(super) closed: bool,
    /// The follower is to end: no further page is begun.
    stop: CancellationToken,
}

impl Run {
    /// One that begins no further page once it is told to stop.
    pub(super) fn until(stop: CancellationToken) -> Self {
        Self { stop, ..Self::default() }
    }

    /// Whether nothing more is to be taken in this round.
    fn is_over(&self) -> bool {
        self.closed || self.stop.is_cancelled()
    }

    /// What stays the same from one round of a following importer to the next.
    pub(super) fn next_round(&mut self) {
        self.doubles.next_round();
        self.report = TakenOver::default();
        self.named.clear();
        self.closed = false;
        if self.put_back_at.is_some_and(|at| at.elapsed() >= PUT_BACK_FOR) {
            self.put_back.clear();
            self.put_back_at = None;
        }
    }

    /// Remembers an item that had to go back; says so of the first.
    fn goes_back(&mut self, import: &str, unit: &Unit, raw: &Raw, reason: &str) {
        if self.put_back_at.is_none() {
            self.put_back_at = Some(Instant::now());
            tracing::warn!(
                import,
                "importer {import} cannot take all items: {reason}; it tries again after a minute"
            );
        }
        if self.put_back.len() < PUT_BACK_MAX {
            self.put_back.insert((unit.label.clone(), raw.name.clone()));
        }
        self.stays(unit, raw, reason);
    }

    /// A whole place stays, because its key is not what it should be; says so once.
    fn stays_whole(&mut self, import: &str, unit: &Unit, place: &str, wrong: String) {
        if self.is_new(&wrong) {
            tracing::warn!(import, "importer {import} leaves {}/{place} alone: {wrong}", unit.label);
        }
        self.stays(unit, &Raw { place: place.to_owned(), ..Raw::default() }, wrong);
    }

    /// Whether the follower has not said this yet.
    pub(super) fn is_new(&mut self, said: &str) -> bool {
        self.said.len() < SAID_MAX && self.said.insert(said.to_owned())
    }

    fn stays(&mut self, unit: &Unit, raw: &Raw, reason: impl Into<String>) {
        let place = format!("{}/{}", unit.label, raw.place);
        if self.named.len() < PUT_BACK_MAX && !self.named.insert((place.clone(), raw.name.clone())) {
            return;
        }
        let name = self.names.as_ref().map_or_else(String::new, |names| names.of(&unit.base, raw));
        name_item(&mut self.report.left, &mut self.report.left_count, place, name, reason);
    }
}

impl Importer {
    /// Takes everything over that can be taken: first what an earlier run left on the way, then place by place.
    /// `progress` hears after every page how far it is.
    ///
    /// # Errors
    /// [`Error::Unavailable`](reprieve::Error::Unavailable), [`Error::StorageFull`](reprieve::Error::StorageFull): what
    /// was taken so far is here or in the journal; call it again, or roll back.
    /// [`Error::Invalid`](reprieve::Error::Invalid): the reason is too long, or [`accepting`](Self::accepting) did not name
    /// a warning of [`observe`](Self::observe); nothing was taken.
    pub async fn take_over(&self, mut progress: impl FnMut(&TakenOver) + Send) -> Result<TakenOver> {
        self.check_warnings().await?;
        self.note_begin("take_over").await?;
        let units = self.units_to_take().await?;
        self.meet(&units, false).await?;
        let mut run = Run::default();
        for unit in &units {
            self.forget_replaced(unit).await?;
            self.before(unit, &mut run).await?;
        }
        // The follower takes from now on.
        self.set_closed(&units, false).await?;
        self.sweep(&units, &mut run, &mut progress).await?;
        if run.closed {
            run.report.notes.push("a roll back began meanwhile; nothing more was taken".to_owned());
        }
        let TakenOver { taken, replaced, resumed, left_count, .. } = &run.report;
        let numbers = format!("taken {taken}, replaced {replaced}, resumed {resumed}, left {left_count}");
        self.note_end("take_over", &numbers).await;
        Ok(run.report)
    }

    /// One round over all units.
    pub(super) async fn sweep(
        &self,
        units: &[Unit],
        run: &mut Run,
        progress: &mut (impl FnMut(&TakenOver) + Send),
    ) -> Result<()> {
        run.names = Some(self.names().await?);
        self.recall_doubles(units, &mut run.doubles).await?;
        for unit in units {
            if run.stop.is_cancelled() {
                return Ok(());
            }
            if self.is_closed(unit).await? {
                run.closed = true;
                continue;
            }
            self.before(unit, run).await?;
            self.resume(unit, run).await?;
            for place in self.door.places(unit) {
                if place.stays.is_empty() && !run.stop.is_cancelled() {
                    self.empty(unit, &place, run, progress).await?;
                }
            }
        }
        if !run.is_over() {
            self.forget_doubles(units, &mut run.doubles).await?;
        }
        Ok(())
    }

    /// What has to be done before anything of a unit is taken.
    async fn before(&self, unit: &Unit, run: &mut Run) -> Result<()> {
        let Some(pause) = self.door.pause(&self.foreign, unit).await? else { return Ok(()) };
        let notes = &mut run.report.notes;
        pause.make_ours(&self.foreign, &self.shards, unit, self.name.as_str(), notes).await
    }

    /// Takes a place's items until a whole pass finds nothing more to take. While a page becomes jobs, the next one is taken
    /// out, so that the source and the shards work at the same time.
    async fn empty(
        &self,
        unit: &Unit,
        place: &Place,
        run: &mut Run,
        progress: &mut (impl FnMut(&TakenOver) + Send),
    ) -> Result<()> {
        for _ in 0..PASSES_MAX {
            let before = run.report.taken;
            let (mut skip, mut steps_back) = (0, 0);
            let mut last_left: Option<Vec<u8>> = None;
            let mut parked = Vec::new();
            let mut has_more = true;
            while has_more || !parked.is_empty() {
                has_more &= !run.is_over();
                let (handed, page) = tokio::join!(self.make_jobs(unit, std::mem::take(&mut parked)), async {
                    if has_more {
                        self.take_page(unit, place, skip, run).await
                    } else {
                        Ok(Emptied::default())
                    }
                });
                // It goes back after the page behind it was read, so that it is not in there.
                let handed = handed?;
                run.report.taken += handed.arrived;
                let back = self.give_back(unit, handed, run).await?;
                let page = page?;
                progress(&run.report);
                has_more &= page.length >= PAGE;
                skip += back.len() + page.length - page.parked.len();
                last_left = page.last.or(back.into_iter().next_back()).or(last_left);
                parked = page.parked;
                if has_more && steps_back < STEPS_BACK_MAX {
                    let behind = self.behind(place, last_left.as_deref(), skip).await?;
                    steps_back += usize::from(behind < skip);
                    skip = behind;
                }
            }
            if run.report.taken == before || run.is_over() {
                break;
            }
            run.doubles.next_pass();
        }
        Ok(())
    }

    /// Reads the page behind `skip` items of a place and takes those out that can be taken.
    async fn take_page(&self, unit: &Unit, place: &Place, skip: usize, run: &mut Run) -> Result<Emptied> {
        let page = match self.page(unit, place, skip).await? {
            Ok(page) => page,
            Err(wrong) => {
                run.stays_whole(self.name.as_str(), unit, place.name, wrong);
                return Ok(Emptied::default());
            }
        };
        let names: Vec<Vec<u8>> = page.iter().map(|raw| raw.name.clone()).collect();
        let page: Vec<(Raw, Read)> = page
            .into_iter()
            .filter(|raw| !run.put_back.contains(&(unit.label.clone(), raw.name.clone())))
            .map(|raw| {
                let read = self.door.read(unit, &raw);
                (raw, read)
            })
            .collect();
        let doubles = self.doubles_of(unit, &page, &mut run.doubles).await?;
        let mut items: Vec<(Raw, Adoptee)> = Vec::with_capacity(page.len());
        for ((raw, read), is_double) in page.into_iter().zip(doubles) {
            match read {
                Ok(_) if is_double => run.stays(unit, &raw, SAME_ID),
                Ok(adoptee) => items.push((raw, adoptee)),
                Err(reason) => run.stays(unit, &raw, reason),
            }
        }
        let takes: HashSet<&[u8]> = items.iter().map(|(raw, _)| raw.name.as_slice()).collect();
        let last = names.iter().rev().find(|name| !takes.contains(name.as_slice())).cloned();
        let mut emptied = Emptied { length: names.len(), parked: Vec::with_capacity(items.len()), last };
        if items.is_empty() {
            return Ok(emptied);
        }
        let raws: Vec<&Raw> = items.iter().map(|(raw, _)| raw).collect();
        let numbers = match self.park(unit, &raws).await? {
            Parked::Numbers(numbers) => numbers,
            Parked::Closed => {
                run.closed = true;
                return Ok(emptied);
            }
            Parked::Wrong(wrong) => {
                run.stays_whole(self.name.as_str(), unit, place.name, wrong);
                return Ok(emptied);
            }
        };
        for ((raw, adoptee), number) in items.into_iter().zip(numbers) {
            match number {
                Some(number) => emptied.parked.push((Record { number, raw }, adoptee)),
                None => run.report.changed += 1,
            }
        }
        Ok(emptied)
    }

    /// Makes jobs of parked records, and notes it.
    async fn make_jobs(&self, unit: &Unit, parked: Vec<Parcel>) -> Result<Handed> {
        if parked.is_empty() {
            return Ok(Handed::default());
        }
        let (records, arrivals): (Vec<Record>, Vec<Arrival>) = parked
            .into_iter()
            .map(|(record, adoptee)| {
                let spare = translate::made_id(&unit.journal, record.number.as_bytes());
                let name = record_name(unit, &record.number);
                (record, Arrival { record: name, spare, adoptee })
            })
            .unzip();
        self.fuse.step()?;
        let outcomes = self.shards.adopt(self.name.as_str(), &arrivals).await?;
        let mut handed = Handed::default();
        let mut arrived = Vec::with_capacity(records.len());
        for (record, outcome) in records.into_iter().zip(outcomes) {
            match outcome {
                Adopted::New(id) | Adopted::Repeated(id) => arrived.push((record.number, id, false)),
                Adopted::Replaced(id) => {
                    handed.replaced += 1;
                    arrived.push((record.number, id, true));
                }
                Adopted::IdTaken => handed.returned.push((record, "its id is that of another job here")),
                Adopted::Withdrawn => handed.returned.push((record, "")),
                Adopted::SubjectFull => {
                    let full = "its subject has 1,000 live jobs, and a subject holds no more";
                    handed.returned.push((record, full));
                }
            }
        }
        self.settle(unit, &arrived).await?;
        handed.arrived = u64::try_from(arrived.len()).unwrap_or(u64::MAX);
        Ok(handed)
    }

    /// Puts back what the engine did not take, and reports it. Returns the names of those.
    async fn give_back(&self, unit: &Unit, handed: Handed, run: &mut Run) -> Result<Vec<Vec<u8>>> {
        run.report.replaced += handed.replaced;
        let mut returned = handed.returned;
        let back = returned.iter().map(|(record, _)| record.raw.name.clone()).collect();
        // In the opposite order of their taking, for the sake of lists.
        returned.reverse();
        let numbers: Vec<&str> = returned.iter().map(|(record, _)| record.number.as_str()).collect();
        let words = match self.restore(unit, &numbers).await? {
            Ok(words) => words,
            Err(wrong) => {
                for (record, _) in returned {
                    run.stays(unit, &record.raw, format!("{wrong}; it is kept in the journal"));
                }
                return Ok(back);
            }
        };
        for ((record, reason), word) in returned.into_iter().zip(words) {
            match (word.as_str(), reason) {
                ("taken", _) => run.stays(
                    unit,
                    &record.raw,
                    "the source has an item of that name again; it is kept in the journal",
                ),
                // A roll back that was cut off has withdrawn it: it is at the source, as any other item there.
                (_, "") => {}
                (_, reason) => run.goes_back(self.name.as_str(), unit, &record.raw, reason),
            }
        }
        Ok(back)
    }

    /// Hands over what a run before this one took out and did not bring home, unless a roll back has closed the door.
    async fn resume(&self, unit: &Unit, run: &mut Run) -> Result<()> {
        let mut after = String::new();
        loop {
            let page = self.records(unit, Which::Parked, &after).await?;
            let Some(last) = page.last() else { return Ok(()) };
            // What a roll back is putting back is parked as well. It closes the door first.
            if self.is_closed(unit).await? {
                run.closed = true;
                return Ok(());
            }
            after.clone_from(&last.number);
            let full = page.len() >= PAGE;
            let mut parked = Vec::with_capacity(page.len());
            for record in page {
                match self.door.read(unit, &record.raw) {
                    Ok(adoptee) => {
                        if self.door.may_share_ids() {
                            run.doubles.has_another(&adoptee.id, &record.raw.name);
                        }
                        parked.push((record, adoptee));
                    }
                    Err(reason) => {
                        run.stays(unit, &record.raw, format!("{reason}; it is kept in the journal"));
                    }
                }
            }
            let handed = self.make_jobs(unit, parked).await?;
            run.report.resumed += handed.arrived;
            self.give_back(unit, handed, run).await?;
            if !full || run.is_over() {
                return Ok(());
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::{ImportName, ImportWarningCode, Layout, Source, ZsetSource};
    use reprieve::model::Kind;
    use reprieve::testing::TestRedis;

    /// An importer of a set with one member, and the key of that set.
    async fn with_one_member() -> (TestRedis, Importer, String) {
        let redis = TestRedis::beside(1, &["~*-@", "~reprieve-import:@:*"]).await;
        let key = format!("due-{}", redis.name());
        let zset = ZsetSource::new(&key, Kind::new("mail").unwrap());
        let import =
            Importer::new(redis.engine(), ImportName::new("x").unwrap(), Source::here(Layout::Zset(zset)))
                .unwrap();
        let mut add = redis::cmd("ZADD");
        add.arg(&key).arg("4000000000").arg("a");
        import.foreign.query::<i64>(&add).await.unwrap();
        (redis, import.accepting(&ImportWarningCode::ALL), key)
    }

    #[tokio::test]
    async fn what_is_put_back_while_it_is_handed_over_is_at_the_source_alone() {
        let (redis, import, key) = with_one_member().await;
        // Given: a process has taken it out of the set, and is slow.
        let unit = import.units().await.unwrap().remove(0);
        let place = import.door.places(&unit).remove(0);
        let raw = import.page(&unit, &place, 0).await.unwrap().unwrap().remove(0);
        let Parked::Numbers(mut numbers) = import.park(&unit, &[&raw]).await.unwrap() else {
            panic!("parked")
        };
        let adoptee = import.door.read(&unit, &raw).unwrap();
        let record = Record { number: numbers.remove(0).unwrap(), raw };
        assert_eq!(import.roll_back(|_| ()).await.unwrap().restored, 1);

        let handed = import.make_jobs(&unit, vec![(record, adoptee)]).await.unwrap();

        assert_eq!(handed.arrived, 0);
        import.give_back(&unit, handed, &mut Run::default()).await.unwrap();
        let jobs = redis.snapshot().await.into_keys().filter(|key| key.starts_with("job:")).count();
        let mut count = redis::cmd("ZCARD");
        count.arg(&key);
        assert_eq!((jobs, import.foreign.query::<u64>(&count).await.unwrap()), (0, 1));
    }

    #[tokio::test]
    async fn what_a_roll_back_has_withdrawn_is_left_to_it_by_a_follower() {
        let (_redis, import, _) = with_one_member().await;
        import.take_over(|_| ()).await.unwrap();
        // Given: a roll back has taken its job out again, and has not put it back yet.
        let units = import.units().await.unwrap();
        let unit = &units[0];
        let number = import.records(unit, Which::Newest, "").await.unwrap().remove(0).number;
        import.set_closed(&units, true).await.unwrap();
        import.on_their_way(unit, true, &[&number]).await.unwrap();
        let records = [(reprieve::model::Shard::FIRST, record_name(unit, &number))];
        import.shards.withdraw(import.name.as_str(), &records).await.unwrap();

        let mut run = Run::default();
        import.sweep(&units, &mut run, &mut |_| ()).await.unwrap();

        assert!(run.closed);
        assert_eq!(import.standing().await.unwrap().parked, 1);
        assert_eq!(import.roll_back(|_| ()).await.unwrap().restored, 1);
    }

    #[tokio::test]
    async fn what_has_no_way_back_stays_in_the_journal_and_the_rest_is_taken() {
        let (redis, import, key) = with_one_member().await;
        import.take_over(|_| ()).await.unwrap();
        // Given: a roll back was cut off after it took the job out, and somebody has put something else under the key.
        let unit = import.units().await.unwrap().remove(0);
        let number = import.records(&unit, Which::Newest, "").await.unwrap().remove(0).number;
        import.on_their_way(&unit, true, &[&number]).await.unwrap();
        let records = [(reprieve::model::Shard::FIRST, record_name(&unit, &number))];
        import.shards.withdraw(import.name.as_str(), &records).await.unwrap();
        let mut set = redis::cmd("SET");
        set.arg(&key).arg("x");
        import.foreign.query::<redis::Value>(&set).await.unwrap();

        let taken = import.take_over(|_| ()).await.unwrap();

        let reason = format!("{key} holds a string, not a zset; it is kept in the journal");
        assert!(taken.left.iter().any(|left| left.name == "a" && left.reason == reason), "{:?}", taken.left);
        assert_eq!(import.standing().await.unwrap().parked, 1);
        let mut remove = redis::cmd("DEL");
        remove.arg(&key);
        import.foreign.query::<redis::Value>(&remove).await.unwrap();
        assert_eq!(import.roll_back(|_| ()).await.unwrap().restored, 1);
        drop(redis);
    }

    /// Members of one subject, which is full after a thousand.
    const OF_ONE: usize = 1_250;

    async fn with_a_full_subject() -> (TestRedis, Importer, Vec<Unit>) {
        let redis = TestRedis::beside(1, &["~*-@", "~reprieve-import:@:*"]).await;
        let key = format!("due-{}", redis.name());
        let mut zset = ZsetSource::new(&key, Kind::new("mail").unwrap());
        zset.subject = Some("/of".to_owned());
        let import =
            Importer::new(redis.engine(), ImportName::new("x").unwrap(), Source::here(Layout::Zset(zset)))
                .unwrap();
        let mut add = redis::cmd("ZADD");
        add.arg(&key);
        for n in 0..OF_ONE {
            add.arg("4000000000").arg(format!(r#"{{"n":{n},"of":"one"}}"#));
        }
        import.foreign.query::<i64>(&add).await.unwrap();
        let units = import.units().await.unwrap();
        (redis, import, units)
    }

    #[tokio::test]
    async fn a_round_ends_when_more_had_to_go_back_than_is_remembered() {
        let (_redis, import, units) = with_a_full_subject().await;
        let elsewhere = |n: usize| ("elsewhere".to_owned(), n.to_string().into_bytes());
        let mut run = Run {
            put_back: (0..PUT_BACK_MAX).map(elsewhere).collect(),
            put_back_at: Some(Instant::now()),
            ..Run::default()
        };

        let mut tell = |_: &TakenOver| ();
        let round = import.sweep(&units, &mut run, &mut tell);
        tokio::time::timeout(Duration::from_secs(60), round).await.unwrap().unwrap();

        assert_eq!((run.report.taken, run.report.left_count), (1_000, 250));
    }

    #[tokio::test]
    async fn a_follower_ends_after_a_page_when_told_to_stop() {
        let (_redis, import, units) = with_a_full_subject().await;
        let mut run = Run::default();
        let stop = run.stop.clone();

        import.sweep(&units, &mut run, &mut move |_| stop.cancel()).await.unwrap();

        assert_eq!(run.report.taken, 100, "one page");
    }

    #[test]
    fn a_follower_says_everything_once() {
        let mut run = Run::default();
        assert!(run.is_new("queue a is paused") && run.is_new("queue b is paused"));
        run.next_round();
        assert!(!run.is_new("queue a is paused"));
    }

    #[test]
    fn what_had_to_go_back_is_tried_again_after_a_minute() {
        let mut run = Run::default();
        run.put_back.insert(("default".to_owned(), b"a".to_vec()));
        run.put_back_at = Instant::now().checked_sub(PUT_BACK_FOR / 2);
        run.next_round();
        assert_eq!(run.put_back.len(), 1, "not in every round");

        run.put_back_at = Instant::now().checked_sub(PUT_BACK_FOR);
        run.next_round();
        assert!(run.put_back.is_empty() && run.put_back_at.is_none());
    }
}
