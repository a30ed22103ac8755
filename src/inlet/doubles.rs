//! Different items that say they have the same id: under it, one would replace the other.

use crate::model::JobId;
use std::collections::{HashMap, HashSet};
use std::hash::{DefaultHasher, Hash, Hasher as _};

/// Why the second one stays.
pub(super) const SAME_ID: &str = "another item here has the same id";
/// Ids that are remembered, some 40 MB of them. Of any more the later item replaces the earlier one.
const IDS_MAX: usize = 1_000_000;

/// What was seen of ids, in one run or one look. Ids and items are known by a hash.
#[derive(Default)]
pub(super) struct Doubles {
    /// The first item of each id.
    first: HashMap<u64, u64>,
    /// Items that stay because of another, as met in this round.
    later: HashSet<u64>,
    /// And before it: the other one is a job by now, and they may stay for as long as they lie there.
    before: HashSet<u64>,
}

impl Doubles {
    /// Whether another item had this id before.
    pub(super) fn has_another(&mut self, id: &JobId, name: &[u8]) -> bool {
        let (id, item) = (hash(id.as_str()), hash(name));
        let is_known = self.first.len() < IDS_MAX || self.first.contains_key(&id);
        let is_later =
            self.before.contains(&item) || is_known && *self.first.entry(id).or_insert(item) != item;
        if is_later && self.later.len() < IDS_MAX {
            self.later.insert(item);
        }
        is_later
    }

    /// Goes on to another round; `is_whole` if the one before has met all there is.
    pub(super) fn next_round(&mut self, is_whole: bool) {
        self.first.clear();
        let later = std::mem::take(&mut self.later);
        if is_whole {
            self.before = later;
        } else {
            self.before.extend(later);
        }
    }
}

fn hash(what: impl Hash) -> u64 {
    let mut hasher = DefaultHasher::new();
    what.hash(&mut hasher);
    hasher.finish()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn an_item_stays_behind_another_of_its_id_until_it_has_gone() {
        let id = JobId::new("7").unwrap();
        let mut doubles = Doubles::default();
        assert!(!doubles.has_another(&id, b"a"));
        assert!(doubles.has_another(&id, b"b") && !doubles.has_another(&id, b"a"));

        doubles.next_round(true);
        assert!(doubles.has_another(&id, b"b"), "the first is a job by now");
        doubles.next_round(false);
        doubles.next_round(false);
        assert!(doubles.has_another(&id, b"b"), "a round that failed says nothing");

        doubles.next_round(true);
        doubles.next_round(true);
        assert!(!doubles.has_another(&id, b"b"), "it had gone, and came alone");
    }
}
