//! Instants, in the zone of the reader. The script of the page has relative ones go on.

use leptos::prelude::*;
use reprieve::model::Timestamp;

use crate::clock::Clock;
use crate::format;

/// How an instant is written.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub(crate) enum TimeStyle {
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
pub(crate) fn Time(at: Timestamp, #[prop(optional)] style: TimeStyle) -> impl IntoView {
    written(at, style, Clock::get())
}

/// The same where the clock of the page is at hand.
pub(crate) fn written(at: Timestamp, style: TimeStyle, clock: Clock) -> AnyView {
    let exact = format::exact(at, clock.zone());
    let (text, ticks) = match style {
        TimeStyle::Relative => (format::distance(at, clock.now_ms()), Some("distance")),
        TimeStyle::Elapsed => {
            (format::span(clock.now_ms().saturating_sub(at.as_millis()).max(0)), Some("since"))
        }
        TimeStyle::Absolute => (absolute(at, clock), None),
        TimeStyle::Exact => (exact.clone(), None),
    };
    view! { <time class="time" datetime=format::rfc3339(at) title=exact data-ticks=ticks>{text}</time> }
        .into_any()
}

/// Stands in a sentence for the instant until that is put in: a character that no sentence has of its own.
pub(crate) const HERE: &str = "\u{fffc}";

/// A whole sentence with an instant in it, wherever its language has it.
#[component]
pub(crate) fn TimedSentence(
    /// The sentence, with [`HERE`] for the instant.
    text: String,
    at: Timestamp,
    #[prop(optional)] style: TimeStyle,
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
pub(crate) fn TimePair(at: Timestamp) -> impl IntoView {
    view! {
        <span class="time-pair">
            <Time at/>
            <small><Time at style=TimeStyle::Absolute/></small>
        </span>
    }
}

/// With the zone; the year only when it is not this one.
fn absolute(at: Timestamp, clock: Clock) -> String {
    let zone = clock.zone();
    format!("{} {}", format::date_time(at, zone, Some(clock.now_ms())), zone.label_at(at))
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
