//! The W3C trace context that travels with a job: `traceparent`, version 00.

use std::fmt;
use std::str::FromStr;

/// Which trace, and which span of it, a job was enqueued under (<https://www.w3.org/TR/trace-context/>).
///
/// It travels as the header [`HEADER`](Self::HEADER) of the job: through the HTTP API, to handlers, to webhooks.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub struct TraceParent {
    trace: u128,
    span: u64,
    flags: u8,
}

impl TraceParent {
    /// The header it travels under, of jobs and of HTTP requests.
    pub const HEADER: &str = "traceparent";

    /// From the ids of a tracing system; `None` when one of them is zero, which stands for no trace at all.
    #[must_use]
    pub const fn new(trace: u128, span: u64, sampled: bool) -> Option<Self> {
        if trace == 0 || span == 0 {
            return None;
        }
        Some(Self { trace, span, flags: sampled as u8 })
    }

    /// 128 bits, the same for everything that belongs together.
    #[must_use]
    pub const fn trace_id(&self) -> u128 {
        self.trace
    }

    /// 64 bits: what enqueued the job.
    #[must_use]
    pub const fn span_id(&self) -> u64 {
        self.span
    }

    /// Whether somebody decided to record this trace.
    #[must_use]
    pub const fn is_sampled(&self) -> bool {
        self.flags & 1 == 1
    }
}

impl fmt::Display for TraceParent {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "00-{:032x}-{:016x}-{:02x}", self.trace, self.span, self.flags)
    }
}

/// The text is no `traceparent`.
#[derive(Debug, Clone, Copy, PartialEq, Eq, thiserror::Error)]
#[error("not a traceparent of the W3C: 00-<32 hex digits>-<16 hex digits>-<2 hex digits>")]
pub struct InvalidTraceParent;

/// Lower-case hexadecimal digits, exactly that many.
fn hex(text: &str, digits: usize) -> Option<u128> {
    let fits = text.len() == digits && text.bytes().all(|b| b.is_ascii_digit() || (b'a'..=b'f').contains(&b));
    if fits { u128::from_str_radix(text, 16).ok() } else { None }
}

impl FromStr for TraceParent {
    type Err = InvalidTraceParent;

    /// Reads later versions too, as the standard asks: their first four fields are those of version 00.
    fn from_str(text: &str) -> Result<Self, InvalidTraceParent> {
        let read = || {
            let mut parts = text.split('-');
            let version = hex(parts.next()?, 2)?;
            let trace = hex(parts.next()?, 32)?;
            let span = u64::try_from(hex(parts.next()?, 16)?).ok()?;
            let flags = u8::try_from(hex(parts.next()?, 2)?).ok()?;
            let ends = version != 0 || parts.next().is_none();
            (version != 0xff && trace != 0 && span != 0 && ends).then_some(Self { trace, span, flags })
        };
        read().ok_or(InvalidTraceParent)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    #[test]
    fn the_standards_example_reads_and_is_written_back() {
        let text = "00-4bf92f3577b34da6a3ce929d0e0e4736-00f067aa0ba902b7-01";
        let parent: TraceParent = text.parse().unwrap();
        assert_eq!(parent.to_string(), text);
        assert!(parent.is_sampled());
        assert_eq!(parent.span_id(), 0x00f0_67aa_0ba9_02b7);
    }

    #[test]
    fn what_the_standard_forbids_is_refused() {
        for bad in [
            "",
            "00",
            "00-00000000000000000000000000000000-00f067aa0ba902b7-01",
            "00-4bf92f3577b34da6a3ce929d0e0e4736-0000000000000000-01",
            "ff-4bf92f3577b34da6a3ce929d0e0e4736-00f067aa0ba902b7-01",
            "00-4BF92F3577B34DA6A3CE929D0E0E4736-00f067aa0ba902b7-01",
            "00-4bf92f3577b34da6a3ce929d0e0e4736-00f067aa0ba902b7-01-more",
            "00-+bf92f3577b34da6a3ce929d0e0e4736-00f067aa0ba902b7-01",
        ] {
            assert_eq!(bad.parse::<TraceParent>(), Err(InvalidTraceParent), "{bad:?} was let in");
        }
        assert!(
            "01-4bf92f3577b34da6a3ce929d0e0e4736-00f067aa0ba902b7-01-more".parse::<TraceParent>().is_ok()
        );
    }

    proptest! {
        #[test]
        fn any_text_is_refused_or_reads(text in "\\PC*") {
            if let Ok(parent) = text.parse::<TraceParent>() {
                prop_assert!(text[2..].starts_with(&parent.to_string()[2..53]));
            }
        }
    }
}
