//! Which jobs are the same work, and how late or how spread they may run.

use crate::model::{Delay, JobId, Kind, UniqueKey};
use sha2::{Digest, Sha256};

/// What a unique key does when a second job names it.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
#[non_exhaustive]
pub enum UniqueMode {
    /// The first wins as long as it is live, and at most for the time to live of the key: the second is answered
    /// `duplicate`.
    #[default]
    WhileLive,
    /// The first wins for the whole time to live, the window, even after it has ended.
    Throttle,
    /// The last wins: the waiting job gets the payload and due time of the second. One that runs already is left
    /// alone, and the second becomes a job of its own that takes the key over.
    Debounce {
        /// How long after the first was enqueued the job runs at the latest; `None` lets it be put off for ever.
        max_wait: Option<Delay>,
    },
}

/// The key of a job by its content: `content:` and the SHA-256, in lower-case hexadecimal, of the kind, a zero byte
/// and the payload. The same work in two queues is the same work. Other languages must be able to compute it, so it
/// never changes.
#[must_use]
pub fn content_key(kind: &Kind, payload: &[u8]) -> UniqueKey {
    let mut digest = Sha256::new();
    digest.update(kind.as_str());
    digest.update([0]);
    digest.update(payload);
    match UniqueKey::new(format!("content:{}", crate::secret::hex(&digest.finalize()))) {
        Ok(key) => key,
        Err(_) => unreachable!("72 bytes of letters, digits and a colon"),
    }
}

/// Moves the due times of many jobs apart, so that they do not all run at once. In whole milliseconds, from nothing
/// up to but not including the span.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
#[non_exhaustive]
pub enum Spread {
    /// By the job's id: the same id is always moved by the same time, so that a repeat changes nothing.
    ById(Delay),
    /// By chance.
    Random(Delay),
}

impl Spread {
    /// How much later the job of that id is due.
    #[must_use]
    pub fn of(self, id: &JobId) -> Delay {
        match self {
            Self::ById(span) if span > Delay::ZERO => {
                let digest = Sha256::digest(id.as_str());
                let number = digest.iter().take(7).fold(0_i64, |number, byte| number << 8 | i64::from(*byte));
                Delay::millis(number % span.as_millis())
            }
            Self::Random(span) if span > Delay::ZERO => {
                Delay::millis(rand::Rng::random_range(&mut rand::rng(), 0..span.as_millis()))
            }
            Self::ById(_) | Self::Random(_) => Delay::ZERO,
        }
    }

    /// The span.
    pub(crate) const fn span(self) -> Delay {
        match self {
            Self::ById(span) | Self::Random(span) => span,
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_key_by_content_is_what_the_documentation_says() {
        // printf 'notice\0{"id":1}' | sha256sum
        let key = content_key(&Kind::new("notice").unwrap(), b"{\"id\":1}");
        let expected = "content:c87e10a8924327669cc839404781ad9056572dd0167f26a1dd767e63b3e6dfba";
        assert_eq!(key.as_str(), expected);
        // The zero byte keeps the two parts apart.
        let (a, b) = (Kind::new("ab").unwrap(), Kind::new("a").unwrap());
        assert_ne!(content_key(&a, b"c"), content_key(&b, b"bc"));
    }

    #[test]
    fn a_spread_by_id_is_the_same_each_time_and_stays_below_its_span() {
        let span = Delay::seconds(60);
        let mut seen = std::collections::HashSet::new();
        for number in 0..1_000 {
            let id = JobId::new(format!("j{number}")).unwrap();
            let by_id = Spread::ById(span).of(&id);
            assert_eq!(by_id, Spread::ById(span).of(&id));
            assert!(by_id < span && Spread::Random(span).of(&id) < span);
            seen.insert(by_id);
        }
        assert!(seen.len() > 900, "a thousand ids fall on {} instants", seen.len());
        let id = JobId::new("a").unwrap();
        assert_eq!(Spread::ById(Delay::ZERO).of(&id), Delay::ZERO);
        assert_eq!(Spread::Random(Delay::millis(1)).of(&id), Delay::ZERO);
    }
}
