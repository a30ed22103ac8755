//! Whether anybody is at the page: what it asks for by itself keeps nobody signed in.

use std::cell::Cell;

use leptos::prelude::window_event_listener_untyped;

use crate::clock::browser::now_ms;

/// How long after the last key or movement somebody is still taken to be there, in ms.
const THERE_MS: i64 = 60_000;

/// How long the server may hear nothing of somebody who is there, in ms: whoever types or reads asks it for nothing, and it
/// would end their sign-in. A sixth of what it waits.
const UNHEARD_MS: i64 = 5 * 60_000;

/// What a page hears of somebody who is there. A click may come without a pointer, of a program that reads the page aloud.
const SIGNS: [&str; 5] = ["keydown", "pointerdown", "pointermove", "wheel", "click"];

thread_local! {
    /// When the last of them was heard, in ms since 1970.
    static HEARD: Cell<i64> = const { Cell::new(0) };
    /// When the server was last asked for something while somebody was there, in ms since 1970.
    static ASKED: Cell<i64> = const { Cell::new(0) };
}

/// Listens for them for as long as the page is there, whose opening is the first.
pub(crate) fn watch() {
    hear();
    ask();
    for sign in SIGNS {
        // What is given back would end it.
        drop(window_event_listener_untyped(sign, |_| hear()));
    }
}

fn hear() {
    HEARD.set(now_ms());
}

/// The server is asked for something.
pub(crate) fn ask() {
    if !is_away() {
        ASKED.set(now_ms());
    }
}

/// Whether somebody is there of whom the server has not heard lately.
pub(crate) fn is_unheard() -> bool {
    !is_away() && now_ms().saturating_sub(ASKED.get()) > UNHEARD_MS
}

/// Whether nobody was there lately.
pub(crate) fn is_away() -> bool {
    // A clock that was put back is no absence.
    now_ms().saturating_sub(HEARD.get()) > THERE_MS
}
