//! How a filtered list was answered: at once by an index, or by looking through jobs, which can be stopped.

use leptos::prelude::*;
use reprieve::model::Timestamp;

use super::exact::{Counting, Exact};
use super::rows::Rows;
use crate::clock::Clock;
use crate::components::error_panel::ErrorPanel;
use crate::live::voice::Voice;
use crate::{format, t};

/// What the bar says of a filtered list.
#[component]
pub(crate) fn Status(
    /// Its rows.
    rows: Rows,
    /// How many they are in all, where somebody asks.
    exact: Exact,
) -> impl IntoView {
    let clock = Clock::get();
    // With script it looks on by itself until there is a page of rows.
    Effect::new(move |before: Option<()>| {
        if before.is_none() && !rows.progress().indexed && rows.is_short() {
            rows.look_on();
        }
    });
    let text = move || {
        let progress = rows.progress();
        if progress.indexed {
            return t!("filter-indexed", count = progress.among);
        }
        if let Some(counting) = exact.counting() {
            return counted(&counting, clock);
        }
        let looked = progress.looked_at.min(progress.among);
        // A full page with more behind it is not all that there is.
        if rows.next().is_some() && !rows.is_short() {
            return t!(
                "filter-scanned-first",
                looked = looked,
                among = progress.among,
                shown = rows.list().len()
            );
        }
        t!("filter-scanned", looked = looked, among = progress.among, found = rows.list().len())
    };
    Voice::get().follow(move || rows.are_there().then(text));
    let trouble = move || exact.trouble().map(|error| view! { <ErrorPanel error/> });
    view! {
        <span class="list-status">{text}</span>
        <LookOn rows/>
        <CountExactly rows exact/>
        {trouble}
    }
}

/// How far the count is, or what it came to and when.
fn counted(counting: &Counting, clock: Clock) -> String {
    match counting.done_ms {
        Some(ms) => {
            let at = format::clock(Timestamp::saturating_from_millis(ms), clock.zone());
            t!("filter-counted", count = counting.found, at = at)
        }
        None => {
            let looked = counting.looked_at.min(counting.among);
            t!("filter-counting", looked = looked, among = counting.among, found = counting.found)
        }
    }
}

/// Goes on looking for rows, or stops that.
#[component]
fn LookOn(rows: Rows) -> impl IntoView {
    move || {
        if rows.is_looking() {
            return Some(small(t!("filter-stop"), move || rows.stop_looking()));
        }
        let is_short = !rows.progress().indexed && rows.is_short();
        is_short.then(|| small(t!("filter-look-on"), move || rows.look_on()))
    }
}

/// Counts to the end, or stops that; where the rows on screen are not all there are.
#[component]
fn CountExactly(rows: Rows, exact: Exact) -> impl IntoView {
    move || {
        if exact.is_going() {
            return Some(small(t!("filter-stop-counting"), move || exact.stop()));
        }
        let word = match exact.counting() {
            Some(counting) if counting.done_ms.is_none() => t!("filter-count-on"),
            Some(_) => t!("filter-count-again"),
            None => t!("filter-count-exactly"),
        };
        let is_open = !rows.progress().indexed && !rows.is_whole() && !rows.is_looking();
        is_open.then(|| small(word, move || exact.count()))
    }
}

fn small(word: String, press: impl Fn() + 'static) -> AnyView {
    view! { <button type="button" class="button only-script" data-size="small" on:click=move |_| press()>{word}</button> }
        .into_any()
}
