//! How fast the shop's time runs.

use crate::config::read_span;
use reprieve::model::Delay;
use std::fmt;
use std::str::FromStr;
use std::time::Duration;

/// Milliseconds of a day.
const DAY_MS: i64 = 24 * 60 * 60 * 1_000;

/// So much of the shop's time passes in so much of ours.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Speed {
    shop_ms: i64,
    our_ms: i64,
}

impl Speed {
    /// The shop's time is ours.
    pub const REAL: Self = Self { shop_ms: 1, our_ms: 1 };

    /// How long a span of the shop's time lasts for us.
    #[must_use]
    pub fn ours(self, shop: Delay) -> Delay {
        let ms = i128::from(shop.as_millis()) * i128::from(self.our_ms) / i128::from(self.shop_ms);
        Delay::millis(i64::try_from(ms).unwrap_or(i64::MAX))
    }
}

impl Default for Speed {
    /// A month in a minute: a deletion can be seen coming, and is there before anybody is bored.
    fn default() -> Self {
        Self { shop_ms: 30 * DAY_MS, our_ms: 60_000 }
    }
}

impl fmt::Display for Speed {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        if *self == Self::REAL {
            return f.write_str("Its time is ours: a day lasts a day");
        }
        let day_ms = self.ours(Delay::millis(DAY_MS)).as_millis();
        if day_ms >= 10_000 {
            write!(f, "Its time is fast: a day lasts {} seconds", day_ms / 1_000)
        } else {
            write!(
                f,
                "Its time is fast: a day lasts {day_ms} ms, a month {} seconds",
                day_ms.saturating_mul(30) / 1_000
            )
        }
    }
}

impl FromStr for Speed {
    type Err = String;

    /// `real`, or a span of the shop's time per span of ours: `30d/min`, `1h/s`, `7d/2min`.
    fn from_str(text: &str) -> Result<Self, String> {
        if text == "real" {
            return Ok(Self::REAL);
        }
        let wrong = || format!("{text:?} is not a speed; they look like 30d/min, 1h/s or real");
        let (shop, ours) = text.split_once('/').ok_or_else(wrong)?;
        let speed =
            Self { shop_ms: span_ms(shop).ok_or_else(wrong)?, our_ms: span_ms(ours).ok_or_else(wrong)? };
        if speed.shop_ms < speed.our_ms {
            return Err("the shop's time cannot run slower than ours".to_owned());
        }
        Ok(speed)
    }
}

/// A span of our time, such as `24h` or `90s`.
///
/// # Errors
/// What such spans look like.
pub fn span(text: &str) -> Result<Duration, String> {
    let ms = span_ms(text).and_then(|ms| u64::try_from(ms).ok());
    ms.map(Duration::from_millis)
        .ok_or_else(|| format!("{text:?} is not a span; they look like 24h, 30min or 90s"))
}

/// `30d`, `min`; a unit alone is one of it. Between a millisecond and a thousand years.
fn span_ms(text: &str) -> Option<i64> {
    let text = text.trim();
    let one = if text.starts_with(|sign: char| sign.is_ascii_digit()) { "" } else { "1" };
    let span = read_span(&format!("{one}{text}")).ok()?;
    Some(span.as_millis()).filter(|ms| (1..=366_000 * DAY_MS).contains(ms))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_month_in_a_minute_makes_a_day_of_two_seconds() {
        let speed: Speed = "30d/min".parse().unwrap();
        assert_eq!(speed, Speed::default());
        assert_eq!(speed.ours(Delay::days(1)), Delay::seconds(2));
        assert_eq!(speed.ours(Delay::days(23)), Delay::seconds(46));
    }

    #[test]
    fn other_spellings_and_real_time() {
        assert_eq!("1h/s".parse::<Speed>().unwrap().ours(Delay::hours(24)), Delay::seconds(24));
        assert_eq!("7d/2min".parse::<Speed>().unwrap().ours(Delay::days(7)), Delay::minutes(2));
        assert_eq!("real".parse::<Speed>().unwrap().ours(Delay::days(30)), Delay::days(30));
        for wrong in
            ["", "fast", "30d", "0d/min", "30d/0s", "1s/min", "-1d/min", "99999999999999999d/s", "d/"]
        {
            assert!(wrong.parse::<Speed>().is_err(), "{wrong:?}");
        }
    }
}
