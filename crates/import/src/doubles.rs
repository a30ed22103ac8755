//! Different items that say they have the same id: under it, one would replace the other.

use super::translate::{self, Raw};
use super::unit::{Place, Unit};
use super::{Importer, PAGE};
use reprieve::Result;
use reprieve::internals::Adoptee;
use reprieve::model::JobId;
use sha2::{Digest as _, Sha256};
use std::collections::{HashMap, HashSet};

/// Why the second one stays.
pub(super) const SAME_ID: &str = "another item here has the same id";
/// Ids that are remembered, some 40 MB of them. Of any more the later item replaces the earlier one.
const IDS_MAX: usize = 1_000_000;

/// The job an item becomes, or why it cannot become one.
pub(super) type Read = std::result::Result<Adoptee, String>;

/// What was seen of ids, in one run or one look. Which items stay is known at the source as well, beside the journal:
/// when another run meets one of them, the item it stays behind is a job by then.
#[derive(Default)]
pub(super) struct Doubles {
    /// The first item of each id, in one pass through a place; both by a hash.
    first: HashMap<u64, u64>,
    /// The marks of items that stay, as met in this round.
    met: HashSet<String>,
    /// And before it; what is marked at the source when a run begins.
    before: Option<HashSet<String>>,
}

impl Doubles {
    /// Whether another item had this id before, in this pass.
    pub(super) fn has_another(&mut self, id: &JobId, name: &[u8]) -> bool {
        self.other(id, name).is_some()
    }

    /// That item, by its hash.
    fn other(&mut self, id: &JobId, name: &[u8]) -> Option<u64> {
        let (id, item) = (hash(id.as_str().as_bytes()), hash(name));
        if self.first.len() >= IDS_MAX && !self.first.contains_key(&id) {
            return None;
        }
        Some(*self.first.entry(id).or_insert(item)).filter(|&first| first != item)
    }

    /// Goes through a place once more: what had an id in the pass before is a job by now, and an item that comes under it
    /// is what has become of the other.
    pub(super) fn next_pass(&mut self) {
        self.first.clear();
    }

    /// Goes on to another round.
    pub(super) fn next_round(&mut self) {
        self.next_pass();
        if let Some(before) = &mut self.before {
            before.extend(self.met.drain());
        }
    }

    /// After a round: the marks of items that it did not meet.
    fn unmet(&self) -> HashSet<String> {
        // With so many it cannot tell.
        if self.met.len() >= IDS_MAX {
            return HashSet::new();
        }
        self.before.iter().flatten().filter(|&mark| !self.met.contains(mark)).cloned().collect()
    }

    /// Forgets what lies there no more.
    fn forget(&mut self, gone: &HashSet<String>) {
        if let Some(before) = &mut self.before {
            before.retain(|mark| !gone.contains(mark));
        }
    }
}

impl Importer {
    /// Which items of a page stay because another of their id was met first, by this run or by any before it. It is
    /// noted at the source before that one is taken.
    pub(super) async fn doubles_of(
        &self,
        unit: &Unit,
        page: &[(Raw, Read)],
        doubles: &mut Doubles,
    ) -> Result<Vec<bool>> {
        if !self.door.may_share_ids() || page.is_empty() {
            return Ok(vec![false; page.len()]);
        }
        let marks: Vec<String> = page.iter().map(|(raw, _)| mark(unit, &raw.name)).collect();
        let mut read = redis::cmd("HMGET");
        read.arg(key(unit)).arg(&marks);
        let known: Vec<Option<String>> = self.foreign.query(&read).await?;
        let mut write = redis::cmd("HSET");
        write.arg(key(unit));
        let (mut stays, mut is_new) = (Vec::with_capacity(page.len()), false);
        for (((raw, read), mark), known) in page.iter().zip(marks).zip(known) {
            // What cannot be read as a job has no id.
            let Ok(adoptee) = read else {
                stays.push(false);
                continue;
            };
            let other = if known.is_none() { doubles.other(&adoptee.id, &raw.name) } else { None };
            if let Some(other) = other {
                is_new = true;
                write.arg(&mark).arg(other);
            }
            let is_double = known.is_some() || other.is_some();
            if is_double && doubles.met.len() < IDS_MAX {
                doubles.met.insert(mark);
            }
            stays.push(is_double);
        }
        if is_new {
            self.fuse.step()?;
            self.foreign.query::<redis::Value>(&write).await?;
        }
        Ok(stays)
    }

    /// Where a pass goes on whose last item that stays is `last`, and that has gone over `skip` of them: not behind that
    /// item's place. Others move up when one leaves the set, and one that is passed over would come alone later, as what
    /// another of its id has become. From the beginning where `last` has left.
    pub(super) async fn behind(&self, place: &Place, last: Option<&[u8]>, skip: usize) -> Result<usize> {
        let Some(last) = last.filter(|_| self.door.may_share_ids()) else { return Ok(skip) };
        let mut rank = redis::cmd("ZRANK");
        rank.arg(&place.key).arg(last);
        let rank: Option<usize> = self.foreign.query(&rank).await?;
        Ok(rank.map_or(0, |rank| skip.min(rank.saturating_add(1))))
    }

    /// Learns once a run which items stay.
    pub(super) async fn recall_doubles(&self, units: &[Unit], doubles: &mut Doubles) -> Result<()> {
        if !self.door.may_share_ids() || doubles.before.is_some() {
            return Ok(());
        }
        let mut before = HashSet::new();
        for unit in units {
            self.each_double(unit, |mark, _| _ = before.insert(mark)).await?;
        }
        doubles.before = Some(before);
        Ok(())
    }

    /// Goes through the marks at the source, each with the hash of the item it stays behind.
    async fn each_double(&self, unit: &Unit, mut tell: impl FnMut(String, u64) + Send) -> Result<()> {
        let mut cursor = 0_u64;
        // There are no more of them than items at the source.
        loop {
            let mut scan = redis::cmd("HSCAN");
            scan.arg(key(unit)).arg(cursor).arg("COUNT").arg(PAGE);
            let (next, marks): (u64, Vec<(String, u64)>) = self.foreign.query(&scan).await?;
            marks.into_iter().for_each(|(mark, other)| tell(mark, other));
            if next == 0 {
                return Ok(());
            }
            cursor = next;
        }
    }

    /// Forgets that items stay behind others that are no jobs any more: those lie at the source again, and are met there.
    pub(super) async fn free_doubles(&self, unit: &Unit, back: &HashSet<u64>) -> Result<()> {
        let mut free = Vec::new();
        if self.door.may_share_ids() && !back.is_empty() {
            let tell = |mark, other| {
                if back.contains(&other) {
                    free.push(mark);
                }
            };
            self.each_double(unit, tell).await?;
        }
        self.unmark(unit, &free).await
    }

    /// Forgets, after a round through all there is, those that lie there no more: one that comes again comes alone.
    pub(super) async fn forget_doubles(&self, units: &[Unit], doubles: &mut Doubles) -> Result<()> {
        let mut gone = doubles.unmet();
        if gone.is_empty() {
            return Ok(());
        }
        for unit in units {
            self.spare_present(unit, &mut gone).await?;
        }
        let marks: Vec<String> = gone.iter().cloned().collect();
        for unit in units {
            self.unmark(unit, &marks).await?;
        }
        doubles.forget(&gone);
        Ok(())
    }

    /// Takes the marks of items that lie at the source out of `gone`. A round goes by ranks, and passes over what is moved
    /// to an earlier time under it; a scan meets whatever stays.
    async fn spare_present(&self, unit: &Unit, gone: &mut HashSet<String>) -> Result<()> {
        for place in self.door.places(unit) {
            let mut shape = redis::cmd("TYPE");
            shape.arg(&place.key);
            // Only members of sorted sets may share ids; in a key of another type there are none.
            if self.foreign.query::<String>(&shape).await? != "zset" {
                continue;
            }
            let mut cursor = 0_u64;
            // As many calls as a round needs, and only when it did not meet everything.
            while !gone.is_empty() {
                let mut scan = redis::cmd("ZSCAN");
                scan.arg(&place.key).arg(cursor).arg("COUNT").arg(PAGE);
                let (next, members): (u64, Vec<(Vec<u8>, String)>) = self.foreign.query(&scan).await?;
                for (name, _) in members {
                    gone.remove(&mark(unit, &name));
                }
                if next == 0 {
                    break;
                }
                cursor = next;
            }
        }
        Ok(())
    }

    async fn unmark(&self, unit: &Unit, marks: &[String]) -> Result<()> {
        for marks in marks.chunks(PAGE) {
            let mut remove = redis::cmd("HDEL");
            remove.arg(key(unit)).arg(marks);
            self.fuse.step()?;
            self.foreign.query::<redis::Value>(&remove).await?;
        }
        Ok(())
    }
}

/// Where it is noted which items stay: a hash of their marks, with the hashes of the items they stay behind.
fn key(unit: &Unit) -> String {
    format!("{}doubles", unit.journal)
}

/// An item in short, however long it is; the same in every process.
fn mark(unit: &Unit, name: &[u8]) -> String {
    translate::made_id(&unit.base, name).to_string()
}

/// An item of that name as others stay behind it.
pub(super) fn hash_of(name: &[u8]) -> u64 {
    hash(name)
}

/// Kept at the source, so it is the same in every version.
fn hash(what: &[u8]) -> u64 {
    let [a, b, c, d, e, f, g, h, ..]: [u8; 32] = Sha256::digest(what).into();
    u64::from_be_bytes([a, b, c, d, e, f, g, h])
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn in_one_pass_an_id_is_that_of_the_first_item() {
        let id = JobId::new("7").unwrap();
        let mut doubles = Doubles::default();
        assert!(!doubles.has_another(&id, b"a"));
        assert!(doubles.has_another(&id, b"b") && !doubles.has_another(&id, b"a"));

        doubles.next_pass();
        assert!(!doubles.has_another(&id, b"b"), "the first is a job by now, and this one its change");
    }

    #[test]
    fn an_item_may_have_gone_that_a_whole_round_did_not_meet() {
        let unmet = |doubles: &Doubles| {
            let mut marks: Vec<String> = doubles.unmet().into_iter().collect();
            marks.sort();
            marks
        };
        let mut doubles = Doubles { before: Some(HashSet::from(["b".to_owned()])), ..Doubles::default() };
        doubles.met.insert("c".to_owned());
        doubles.next_round();
        assert!(doubles.met.is_empty(), "a round that failed says nothing");

        doubles.met.insert("c".to_owned());
        assert_eq!(unmet(&doubles), ["b"]);
        doubles.next_round();
        assert_eq!(unmet(&doubles), ["b", "c"], "until it is known that it has");
        doubles.forget(&HashSet::from(["b".to_owned()]));
        assert_eq!(unmet(&doubles), ["c"]);
    }
}
