//! The parts a namespace is split into, and which of them a job belongs to.

use serde::{Deserialize, Serialize};
use std::fmt;
use std::str::FromStr;

/// Most shards a namespace may have. Each costs every process a look now and then; a Cluster has 16,384 slots, and
/// nobody has more than a few hundred Redis cores.
pub const SHARDS_MAX: u16 = 256;

/// Number of a shard, from 0. A namespace of one shard has only shard 0.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Default, Serialize, Deserialize)]
#[serde(transparent)]
pub struct Shard(pub u16);

impl Shard {
    /// Where everything is kept that belongs to the namespace as a whole.
    pub const FIRST: Self = Self(0);

    /// The shard of a job: FNV-1a (64 bit) of its subject, of its unique key where it has no subject, or else of its
    /// id, modulo the number of shards. Other languages must be able to compute it, so it never changes.
    #[must_use]
    pub fn home(subject: Option<&str>, unique_key: Option<&str>, id: &str, shards: u16) -> Self {
        let shards = u64::from(shards.max(1));
        let number = fnv1a(subject.or(unique_key).unwrap_or(id)) % shards;
        Self(u16::try_from(number).unwrap_or_default())
    }

    /// The shards that most likely have the job of an id: the one that an id of the engine's making names in its last byte,
    /// and the home of a job without subject and unique key.
    pub(crate) fn likely(id: &str, shards: u16) -> impl Iterator<Item = Self> {
        let last = id.len().checked_sub(2).and_then(|at| id.get(at..));
        let named = last.and_then(|byte| u16::from_str_radix(byte, 16).ok()).filter(|shard| *shard < shards);
        named.map(Self).into_iter().chain([Self::home(None, None, id, shards)])
    }

    /// Its place in a list of all shards.
    #[must_use]
    pub fn index(self) -> usize {
        usize::from(self.0)
    }
}

impl fmt::Display for Shard {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        self.0.fmt(f)
    }
}

/// FNV-1a with 64 bits (Fowler, Noll, Vo; RFC 9923).
fn fnv1a(text: &str) -> u64 {
    const OFFSET_BASIS: u64 = 0xcbf2_9ce4_8422_2325;
    const PRIME: u64 = 0x0000_0100_0000_01b3;
    text.bytes().fold(OFFSET_BASIS, |hash, byte| (hash ^ u64::from(byte)).wrapping_mul(PRIME))
}

/// Writes what there is one of for each shard, joined by `_`.
pub(super) fn write_each(f: &mut fmt::Formatter<'_>, each: &[impl fmt::Display]) -> fmt::Result {
    for (index, one) in each.iter().enumerate() {
        if index > 0 {
            f.write_str("_")?;
        }
        one.fmt(f)?;
    }
    Ok(())
}

/// Reads it back; `None` for what does not read, and for more than a namespace has shards.
pub(super) fn read_each<T: FromStr>(text: &str) -> Option<Vec<T>> {
    if text.split('_').count() > usize::from(SHARDS_MAX) {
        return None;
    }
    text.split('_').map(|part| part.parse().ok()).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_hash_is_the_published_one() {
        assert_eq!(fnv1a(""), 0xcbf2_9ce4_8422_2325);
        assert_eq!(fnv1a("a"), 0xaf63_dc4c_8601_ec8c);
        assert_eq!(fnv1a("foobar"), 0x8594_4171_f739_67e8);
    }

    #[test]
    fn all_jobs_of_a_subject_have_one_home_whatever_their_ids() {
        let home = |id| Shard::home(Some("resource:4711"), None, id, 16);
        assert_eq!(home("a"), home("b"));
        assert_eq!(home("a"), Shard::home(Some("resource:4711"), Some("key"), "c", 16));
        assert_eq!(Shard::home(None, Some("key"), "a", 16), Shard::home(None, Some("key"), "b", 16));
    }

    #[test]
    fn a_job_is_likely_where_the_last_byte_of_its_id_says_or_where_the_id_alone_belongs() {
        let likely = |id| Shard::likely(id, 16).collect::<Vec<_>>();
        let home = |id| Shard::home(None, None, id, 16);
        assert_eq!(
            likely("0198c0de-0000-7000-8000-00000000000d"),
            [Shard(13), home("0198c0de-0000-7000-8000-00000000000d")]
        );
        for id in ["0198c0de-0000-7000-8000-0000000000ff", "order", "7", "", "é"] {
            assert_eq!(likely(id), [home(id)], "{id}");
        }
    }

    #[test]
    fn a_namespace_of_one_shard_has_one_home() {
        assert_eq!(Shard::home(Some("s"), None, "a", 1), Shard::FIRST);
        assert_eq!(Shard::home(None, None, "a", 0), Shard::FIRST);
    }

    #[test]
    fn homes_are_spread_evenly() {
        let mut jobs = [0_u32; 16];
        for number in 0..16_000 {
            jobs[Shard::home(Some(&format!("resource:{number}")), None, "", 16).index()] += 1;
        }
        assert!(jobs.iter().all(|jobs| (900..=1_100).contains(jobs)), "{jobs:?}");
    }
}
