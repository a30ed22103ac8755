//! Log lines: for people, or one JSON object each.

use crate::config::LogFormat;
use std::io::IsTerminal;
use tracing::level_filters::LevelFilter;
use tracing_subscriber::EnvFilter;

/// Names what is logged; the syntax of `tracing_subscriber::EnvFilter`, such as `reprieve=debug`.
const VARIABLE: &str = "REPRIEVE_LOG";

/// Starts logging to standard error, and logs panics like everything else.
pub fn start(format: LogFormat) {
    start_from(LevelFilter::INFO, format);
}

/// The same for a verb that does one thing: it says itself what went wrong, so nothing is logged unless asked for.
pub fn start_quietly() {
    start_from(LevelFilter::OFF, LogFormat::Text);
}

fn start_from(level: LevelFilter, format: LogFormat) {
    let filter =
        EnvFilter::builder().with_default_directive(level.into()).with_env_var(VARIABLE).from_env_lossy();
    let builder = tracing_subscriber::fmt()
        .with_env_filter(filter)
        .with_writer(std::io::stderr)
        // It would complain with `eprintln!`, which panics when nobody reads standard error any more.
        .log_internal_errors(false);
    // A second call finds logging started already, which is what it wanted.
    let _ = match format {
        LogFormat::Json => builder.json().flatten_event(true).with_current_span(true).try_init(),
        LogFormat::Text => {
            let colour = std::io::stderr().is_terminal() && std::env::var_os("NO_COLOR").is_none();
            builder.with_target(false).with_ansi(colour).try_init()
        }
    };
    std::panic::set_hook(Box::new(|panic| {
        // The message may quote a payload; the place is enough to find the cause.
        let place = panic.location().map_or_else(|| "an unknown place".to_owned(), ToString::to_string);
        tracing::error!(
            panic.place = place,
            "a task panicked at {place}; its request or job failed, the rest goes on"
        );
    }));
}
