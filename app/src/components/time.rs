//! Instants: absolute in UTC from the server, relative and in the reader's zone once the page is hydrated.

use leptos::prelude::*;
use reprieve::model::Timestamp;

use crate::clock::Clock;
use crate::{format, light};

/// How an instant is written.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub enum TimeStyle {
    /// `in 2 h 14 m`, ticking.
    #[default]
    Relative,
    /// `2 h 14 m`, ticking: how long it has been.
    Elapsed,
    /// `Tue 12 Aug 09:00:00 +08`.
    Absolute,
    /// `Tue 12 Aug 2026 09:00:00.000 +08`.
    Exact,
}

/// One instant. The exact time stands in its tooltip and in `datetime`.
#[component]
pub fn Time(
    /// Which instant.
    at: Timestamp,
    /// How to write it.
    #[prop(optional)]
    style: TimeStyle,
) -> impl IntoView {
    let clock = Clock::get();
    move || written(at, style, clock)
}

/// The same, for a closure that writes it anew when it is another one, or the zone is: of a hundred times each watches as
/// little as it can. What is relative goes on by itself.
pub(crate) fn written(at: Timestamp, style: TimeStyle, clock: Clock) -> AnyView {
    let exact = format::exact(at, clock.zone());
    let text = match style {
        TimeStyle::Relative => view! { {move || relative(at, clock)} }.into_any(),
        TimeStyle::Elapsed => elapsed(at, clock).into_any(),
        TimeStyle::Absolute => absolute(at, clock).into_any(),
        TimeStyle::Exact => exact.clone().into_any(),
    };
    let ticks = match style {
        TimeStyle::Relative => Some("distance"),
        TimeStyle::Elapsed => Some("since"),
        _ => None,
    };
    let ticks = ticks.filter(|_| light::is_on());
    view! { <time class="time" datetime=format::rfc3339(at) title=exact data-ticks=ticks>{text}</time> }
        .into_any()
}

/// Stands in a sentence for the instant until that is put in: a character that no sentence has of its own.
pub const HERE: &str = "\u{fffc}";

/// A whole sentence with an instant in it, wherever its language has it.
#[component]
pub fn TimedSentence(
    /// The sentence, with [`HERE`] for the instant.
    text: String,
    /// Which instant.
    at: Timestamp,
    /// How to write it.
    #[prop(optional)]
    style: TimeStyle,
) -> impl IntoView {
    let (before, after) = around(&text);
    // One element, so that a row of things puts no space of its own around the instant.
    view! { <span>{before} <Time at style/> {after}</span> }
}

/// What of a sentence stands before its instant, and what behind it; all of it before where it has none.
fn around(text: &str) -> (String, String) {
    let (before, after) = text.split_once(HERE).unwrap_or((text, ""));
    (before.to_owned(), after.to_owned())
}

/// Two lines: how far away it is, and when that is.
#[component]
pub fn TimePair(
    /// Which instant.
    at: Timestamp,
) -> impl IntoView {
    let clock = Clock::get();
    // Without a running clock the first line is the absolute time already.
    let second = move || clock.runs().then(|| written(at, TimeStyle::Absolute, clock));
    view! {
        <span class="time-pair">
            <Time at/>
            <small>{second}</small>
        </span>
    }
}

/// How far away it is; without a running clock the instant itself.
fn relative(at: Timestamp, clock: Clock) -> String {
    clock.now_ms().map_or_else(|| absolute(at, clock), |now_ms| format::distance(at, now_ms))
}

/// How long it has been; without a running clock the instant itself.
fn elapsed(at: Timestamp, clock: Clock) -> String {
    clock.now_ms().map_or_else(
        || absolute(at, clock),
        |now_ms| format::span(now_ms.saturating_sub(at.as_millis()).max(0)),
    )
}

/// With the zone; the year only when it is not this one.
fn absolute(at: Timestamp, clock: Clock) -> String {
    let zone = clock.zone();
    format!("{} {}", format::date_time(at, zone, clock.quarter_ms()), zone.label_at(at))
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::i18n::Language;
    use crate::t;

    #[test]
    fn a_sentence_has_its_time_where_its_language_puts_it() {
        let said = |language: Language| {
            let owner = Owner::new();
            owner.set();
            provide_context(language);
            around(&t!("dead-muted-by", name = "ann", at = HERE))
        };
        assert_eq!(said(Language::English), ("Muted by ann until ".to_owned(), ".".to_owned()));
        assert_eq!(said(Language::Chinese), ("已由 ann 静音至 ".to_owned(), "。".to_owned()));
        assert_eq!(around("no time at all"), ("no time at all".to_owned(), String::new()));
    }
}
