//! Log lines: for people, or one JSON object each.

use crate::config::LogFormat;
use std::fmt;
use std::io::{self, IsTerminal, Write};
use tracing::level_filters::LevelFilter;
use tracing_subscriber::EnvFilter;

/// Names what is logged; the syntax of `tracing_subscriber::EnvFilter`, such as `reprieve=debug`.
const VARIABLE: &str = "REPRIEVE_LOG";

/// What a worker says of attempts that failed.
const FAILURES: &str = "reprieve::worker::report";

/// Starts logging to standard error, and logs panics like everything else.
pub fn start(format: LogFormat) {
    start_from("info", format);
}

/// The same for a demo, whose jobs fail on purpose, several a second: they are to be looked at on its pages.
pub fn start_for_demo(format: LogFormat) {
    start_from(&format!("info,{FAILURES}=off"), format);
}

/// The same for a verb that does one thing: it says itself what went wrong, so nothing is logged unless asked for.
pub fn start_quietly() {
    start_from("off", LogFormat::Text);
}

/// `unless_set` is what is logged where the variable does not say.
fn start_from(unless_set: &str, format: LogFormat) {
    let wanted = std::env::var(VARIABLE).ok().filter(|wanted| !wanted.trim().is_empty());
    let filter = EnvFilter::builder().with_default_directive(LevelFilter::INFO.into());
    let filter = filter.parse_lossy(wanted.as_deref().unwrap_or(unless_set));
    let colour =
        format == LogFormat::Text && io::stderr().is_terminal() && std::env::var_os("NO_COLOR").is_none();
    let builder = tracing_subscriber::fmt()
        .with_env_filter(filter)
        .with_writer(move || OneLine::new(io::stderr(), colour))
        // It would complain with `eprintln!`, which panics when nobody reads standard error any more.
        .log_internal_errors(false);
    // A second call finds logging started already, which is what it wanted.
    match format {
        LogFormat::Json => begin(builder.json().flatten_event(true).with_current_span(true).finish()),
        LogFormat::Text => begin(builder.with_target(false).with_ansi(colour).finish()),
    }
    std::panic::set_hook(Box::new(|panic| {
        // The message may quote a payload; the place is enough to find the cause.
        let place = panic.location().map_or_else(|| "an unknown place".to_owned(), ToString::to_string);
        tracing::error!(
            panic.place = place,
            "a task panicked at {place}; its request or job failed, the rest goes on"
        );
    }));
}

#[cfg(not(feature = "otlp"))]
fn begin(logs: impl Into<tracing::Dispatch>) {
    drop(tracing::dispatcher::set_global_default(logs.into()));
}

/// With spans to a collector, where one is named.
#[cfg(feature = "otlp")]
fn begin<S>(logs: S)
where
    S: tracing::Subscriber + for<'span> tracing_subscriber::registry::LookupSpan<'span> + Send + Sync,
{
    use tracing_subscriber::layer::SubscriberExt as _;
    let (layer, wrong) = match crate::otlp::layer() {
        Ok(layer) => (layer, None),
        Err(error) => (None, Some(error)),
    };
    drop(tracing::subscriber::set_global_default(logs.with(layer)));
    if let Some(error) = wrong {
        tracing::error!("{error:#}");
    }
}

/// Sends what a collector has not got yet; for the end of a program.
pub fn end() {
    #[cfg(feature = "otlp")]
    crate::otlp::end();
}

/// Writes each event as one line of what can be seen, whatever its texts hold: nobody writes a second line, colours or
/// a turned-round text into the log with a name or an error of theirs.
///
/// What cannot be seen stands there as JSON writes it, `\u000a`. The one exception are the colours of the lines
/// themselves, on a terminal; in texts they are escaped before they come here.
#[derive(Debug)]
pub struct OneLine<W> {
    inner: W,
    colour: bool,
}

impl<W: Write> OneLine<W> {
    /// Lines for `inner`; with the colours that come along, or without.
    pub const fn new(inner: W, colour: bool) -> Self {
        Self { inner, colour }
    }

    fn shown(&self, event: &str) -> String {
        let line = event.strip_suffix('\n').unwrap_or(event);
        let mut shown = String::with_capacity(event.len());
        for found in line.chars() {
            let is_colour = self.colour && found == '\u{1b}';
            if is_unseen(found) && !is_colour {
                // A String takes whatever it gets.
                let _ = fmt::Write::write_fmt(&mut shown, format_args!("\\u{:04x}", u32::from(found)));
            } else {
                shown.push(found);
            }
        }
        shown.push('\n');
        shown
    }
}

impl<W: Write> Write for OneLine<W> {
    /// Gets each event whole.
    fn write(&mut self, event: &[u8]) -> io::Result<usize> {
        let shown = self.shown(&String::from_utf8_lossy(event));
        self.inner.write_all(shown.as_bytes())?;
        Ok(event.len())
    }

    fn flush(&mut self) -> io::Result<()> {
        self.inner.flush()
    }
}

/// Controls, ends of lines, and marks that turn the direction of a text or hide in it.
fn is_unseen(found: char) -> bool {
    found.is_control()
        || matches!(found,
            '\u{61c}' | '\u{200b}'..='\u{200f}' | '\u{2028}'..='\u{202e}' | '\u{2066}'..='\u{2069}' | '\u{feff}')
}
