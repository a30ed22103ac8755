//! When a job is to run, as a command line says it: `--at` an instant or `--in` a span.

use crate::config::read_span;
use crate::instant::{NoInstant, read_instant};
use clap::Args;
use reprieve::Due;
use reprieve::model::{Delay, Timestamp};

/// One of the two, or neither.
#[derive(Debug, Clone, Default, Args)]
#[group(multiple = false)]
pub(crate) struct When {
    /// When, in RFC 3339, such as 2030-01-01T09:00:00Z
    #[arg(long, value_name = "TIME", value_parser = instant)]
    at: Option<Timestamp>,
    /// How long from now, such as 90s, 15min, 1h30m or 30d
    #[arg(long = "in", value_name = "SPAN", value_parser = from_now, allow_hyphen_values = true)]
    in_: Option<Delay>,
}

impl When {
    /// `None` if nothing was said.
    pub(crate) fn due(&self) -> Option<Due> {
        self.at.map(Due::At).or(self.in_.map(Due::In))
    }
}

/// How long from now; of one that has a sign in front it is said what to write.
fn from_now(text: &str) -> Result<Delay, String> {
    match text.strip_prefix('-') {
        Some(later) if read_span(later).is_ok() => {
            Err("a span is not negative; leave it out to run at once, or give a time in the past as --at"
                .to_owned())
        }
        _ => read_span(text),
    }
}

/// An instant in RFC 3339, rounded up to whole milliseconds: never early.
pub(super) fn instant(text: &str) -> Result<Timestamp, String> {
    read_instant(text).map_err(|why| match why {
        NoInstant::Unread => "not a time in RFC 3339, such as 2030-01-01T09:00:00Z".to_owned(),
        NoInstant::OutOfRange => "a time lies between 1970 and 9999".to_owned(),
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn an_instant_is_never_rounded_to_an_earlier_one() {
        assert_eq!(instant("2025-11-21T01:53:20.1230001Z").unwrap().as_millis(), 1_763_690_000_124);
        assert!(instant("tomorrow").is_err() && instant("1969-01-01T00:00:00Z").is_err());
        assert!(from_now("-1h").unwrap_err().contains("--at") && from_now("1h").is_ok());
    }
}
