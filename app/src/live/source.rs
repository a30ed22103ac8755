//! The EventSource behind the live view. Exists only in the browser.

use std::time::Duration;

use leptos::prelude::*;
use reprieve::model::Event;
use send_wrapper::SendWrapper;
use serde::de::DeserializeOwned;
use wasm_bindgen::JsCast;
use wasm_bindgen::closure::Closure;
use web_sys::{EventSource, MessageEvent};

use super::{Hello, Link, Live, LiveCounts};
use crate::clock::Clock;
use crate::json;
use crate::live::effect::effect;
use crate::live::quiet::is_engaged;
use crate::session::Session;
use crate::typed::holds_something;

/// Where the server streams.
const EVENTS: &str = "/events";
/// One read a second at most, however much happens: figures that move faster cannot be read.
const THROTTLE: Duration = Duration::from_secs(1);
/// How soon is read what was missed while there was no stream.
const CATCH_UP: Duration = Duration::from_millis(500);
/// The browser gives up after a refusal (too many streams, a proxy's 502); we do not.
const REOPEN: Duration = Duration::from_secs(3);

/// Silence after which a stream is dead although nobody has closed it: the server heartbeats every 15 s; two heartbeats and a bit.
const SILENCE_MS: i64 = 35_000;
/// By less than that a device puts its clock right all the time, ms: no time on screen is wrong for it.
const SET_BACK_MS: i64 = 1_000;
/// How often that is looked at.
const LOOK: Duration = Duration::from_secs(1);

type Listener = Closure<dyn FnMut(MessageEvent)>;

/// An open stream with its listeners, which must live as long as it.
struct Source {
    stream: EventSource,
    _messages: Vec<Listener>,
    _failure: Closure<dyn FnMut(web_sys::Event)>,
}

impl Drop for Source {
    fn drop(&mut self) {
        self.stream.set_onerror(None);
        self.stream.close();
    }
}

/// Whether a stream may still be alive of which nothing was heard for so long, in ms: not by a clock that was set back since,
/// whose silence says nothing and whose times are wrong.
const fn is_alive_after(silence_ms: i64) -> bool {
    silence_ms >= -SET_BACK_MS && silence_ms <= SILENCE_MS
}

/// The tab's stream: the open source, and what is planned.
#[derive(Clone, Copy)]
struct Tab {
    live: Live,
    clock: Clock,
    source: StoredValue<SendWrapper<Option<Source>>>,
    /// When the server was last heard, by the browser's clock, ms.
    heard_ms: StoredValue<i64>,
    /// When it was last asked for the stream, by the same.
    opened_ms: StoredValue<i64>,
    /// From when the data on screen is, by the server's clock, ms, while it is not known to be of now; `None` while the
    /// stream says what happens.
    behind_ms: StoredValue<Option<i64>>,
    refresh_planned: StoredValue<bool>,
    /// Which build has made the page; empty where it does not say so.
    build: StoredValue<String>,
    /// For whom it was made.
    who: StoredValue<String>,
}

/// Which build has made the page: a tab that nobody looks at hears of others long after that.
fn build_of_page() -> String {
    let html = document().document_element();
    html.and_then(|html| html.get_attribute("data-build")).unwrap_or_default()
}

/// Opens the stream once the page is hydrated, closes it while the tab is hidden.
pub(super) fn start(live: Live, clock: Clock) {
    effect(move || {
        let tab = Tab {
            live,
            clock,
            source: StoredValue::new(SendWrapper::new(None)),
            heard_ms: StoredValue::new(0),
            opened_ms: StoredValue::new(0),
            // A tab that was opened and not looked at has no stream until somebody does.
            behind_ms: StoredValue::new(document().hidden().then(crate::clock::browser::now_ms)),
            refresh_planned: StoredValue::new(false),
            build: StoredValue::new(build_of_page()),
            who: StoredValue::new(Session::get().who),
        };
        tab.follow_visibility();
        let seen = window_event_listener_untyped("visibilitychange", move |_| tab.follow_visibility());
        let left = window_event_listener_untyped("pagehide", move |_| {
            tab.falls_behind(tab.known_until_ms());
            tab.close();
        });
        let back = window_event_listener_untyped("pageshow", move |_| tab.follow_visibility());
        let online = window_event_listener_untyped("online", move |_| tab.ask_at_once());
        let looking = set_interval_with_handle(move || tab.doubt(), LOOK);
        on_cleanup(move || {
            seen.remove();
            left.remove();
            back.remove();
            online.remove();
            let _ = looking.map(|looking| looking.clear());
            tab.close();
        });
    });
}

impl Tab {
    fn follow_visibility(self) {
        if document().hidden() {
            self.falls_behind(self.known_until_ms());
            self.close();
            let _ = self.live.link.try_set(Link::Opening);
        } else if self.source.try_with_value(|source| source.is_none()) == Some(true) {
            self.open();
        }
    }

    fn close(self) {
        let _ = self.source.try_update_value(|source| (**source).take());
    }

    /// Asks for another stream although the browser would wait: that it lost the network is no restart of the server,
    /// after which all come back spread over some seconds. A stream that still seems open may have died with the network.
    fn ask_at_once(self) {
        if !document().hidden() {
            self.falls_behind(self.heard_ms.try_get_value().unwrap_or_default());
            self.close();
            self.open();
        }
    }

    /// How long ago that was, by the browser's clock, ms; negative where that was set back since.
    fn silence_ms(since_ms: i64) -> i64 {
        crate::clock::browser::now_ms().saturating_sub(since_ms)
    }

    /// Up to when the data on screen is known to be true while a stream is open, by the browser's clock, ms: now, or when
    /// the server was last heard if that is too long ago, as on a device that slept.
    fn known_until_ms(self) -> i64 {
        let heard_ms = self.heard_ms.try_get_value().unwrap_or_default();
        let is_dead = heard_ms > 0 && Self::silence_ms(heard_ms) > SILENCE_MS;
        if is_dead { heard_ms } else { crate::clock::browser::now_ms() }
    }

    /// The stream is given up. What is on screen is from then, by the browser's clock, ms, or from before that if it was
    /// not live already.
    fn falls_behind(self, since_ms: i64) {
        let since_ms = match self.live.link.try_get_untracked() {
            Some(Link::Open) => since_ms.saturating_add(self.clock.offset_ms_untracked()),
            Some(Link::Lost { since_ms }) => since_ms,
            Some(Link::Opening) | None => return,
        };
        let _ = self.behind_ms.try_update_value(|behind_ms| {
            *behind_ms = Some(behind_ms.map_or(since_ms, |known_ms| known_ms.min(since_ms)));
        });
    }

    /// Gives up a stream of which nothing is heard any more, and asks for another.
    fn doubt(self) {
        if document().hidden() || self.source.try_with_value(|source| source.is_none()) != Some(false) {
            return;
        }
        let heard_ms = self.heard_ms.try_get_value().unwrap_or_default();
        let last_ms = self.opened_ms.try_get_value().unwrap_or_default().max(heard_ms);
        if is_alive_after(Self::silence_ms(last_ms)) {
            return;
        }
        // By a clock that was set back nothing was heard yet; the next stream says how far it is off.
        let last_ms = last_ms.min(crate::clock::browser::now_ms());
        let _ = self.heard_ms.try_set_value(heard_ms.min(last_ms));
        // Of one that was silent from its beginning as well: what is on screen is from when it was asked for.
        self.lost(last_ms);
        self.close();
        self.open();
    }

    fn open(self) {
        let _ = self.opened_ms.try_set_value(crate::clock::browser::now_ms());
        let Ok(stream) = EventSource::new(EVENTS) else {
            self.lost(crate::clock::browser::now_ms());
            return;
        };
        let messages = vec![
            self.listen(&stream, "hello", move |hello: Hello| self.greeted(&hello)),
            self.listen(&stream, "job", move |event: Event| self.happened(vec![event])),
            self.listen(&stream, "jobs", move |events: Vec<Event>| self.happened(events)),
            self.listen(&stream, "counts", move |counts: LiveCounts| self.live.counted(counts)),
            self.listen(&stream, "heartbeat", |_: serde::de::IgnoredAny| {}),
            self.listen(&stream, "reset", move |_: serde::de::IgnoredAny| self.plan_refresh(1, THROTTLE)),
        ];
        let failure = Closure::<dyn FnMut(web_sys::Event)>::new(move |_| self.failed());
        stream.set_onerror(Some(failure.as_ref().unchecked_ref()));
        let source = Source { stream, _messages: messages, _failure: failure };
        self.source.try_update_value(|place| *place = SendWrapper::new(Some(source)));
    }

    /// Calls `act` with every readable message of a name; counts the others.
    fn listen<T: DeserializeOwned>(
        self,
        stream: &EventSource,
        name: &str,
        act: impl Fn(T) + 'static,
    ) -> Listener {
        let listener = Listener::new(move |message: MessageEvent| {
            self.heard();
            let text = message.data().as_string().unwrap_or_default();
            match json::read(if text.is_empty() { "null" } else { &text }) {
                Ok(content) => act(content),
                Err(_) => {
                    let _ = self.live.bad.try_update(|bad| *bad += 1);
                }
            }
        });
        // Fails only for a listener that is no function.
        let _ = stream.add_event_listener_with_callback(name, listener.as_ref().unchecked_ref());
        listener
    }

    fn heard(self) {
        let _ = self.heard_ms.try_set_value(crate::clock::browser::now_ms());
        if self.live.link.try_get_untracked() != Some(Link::Open) {
            let _ = self.live.link.try_set(Link::Open);
        }
    }

    /// After every connect: takes over the clock, and closes the gap with one read.
    fn greeted(self, hello: &Hello) {
        self.clock.server_says(hello.now_ms.as_millis());
        let _ = self.behind_ms.try_set_value(None);
        let known = self.build.try_get_value().unwrap_or_default();
        if known.is_empty() {
            let _ = self.build.try_set_value(hello.build.clone());
        } else if known != hello.build {
            let _ = self.live.outdated.try_set(true);
        }
        self.ask_whose(&hello.who);
        self.plan_refresh(0, CATCH_UP);
    }

    /// Loads the page anew where it was made for somebody else: rights, look and rows are others, and acts would be theirs.
    /// Where that would lose what was typed it is said. Asked once more, as the page itself would be: programs may open
    /// streams as well.
    fn ask_whose(self, said: &str) {
        let mine = self.who.try_get_value().unwrap_or_default();
        if said.is_empty() || mine.is_empty() || said == mine {
            let _ = self.live.foreign.try_set(false);
            return;
        }
        leptos::task::spawn_local(async move {
            match crate::api::whoami().await {
                Ok(now) if now == mine => {}
                Ok(_) if is_engaged() || holds_something(".page, .job-panel") => {
                    let _ = self.live.foreign.try_set(true);
                }
                Ok(_) => drop(window().location().reload()),
                // That nobody is signed in any more is heard where the answer is read.
                Err(_) => {}
            }
        });
    }

    fn happened(self, events: Vec<Event>) {
        self.plan_refresh(u64::try_from(events.len()).unwrap_or(u64::MAX), THROTTLE);
        let _ = self.live.events.try_set(events);
    }

    fn is_paused(self) -> bool {
        self.live.paused.try_get_untracked().flatten().is_some()
    }

    /// Has the pages read again soon, however many changes there are; only counts them while paused.
    fn plan_refresh(self, changes: u64, after: Duration) {
        if self.is_paused() {
            let _ = self.live.waiting.try_update(|waiting| *waiting = waiting.saturating_add(changes));
            return;
        }
        if self.refresh_planned.try_get_value() != Some(false) {
            return;
        }
        let _ = self.refresh_planned.try_set_value(true);
        set_timeout(
            move || {
                let _ = self.refresh_planned.try_set_value(false);
                if !self.is_paused() {
                    self.live.changed();
                }
            },
            after,
        );
    }

    /// The browser reconnects by itself unless it has closed the stream for good.
    fn failed(self) {
        self.lost(self.known_until_ms());
        let closed = self.source.try_with_value(|source| {
            source.as_ref().is_some_and(|s| s.stream.ready_state() == EventSource::CLOSED)
        });
        if closed == Some(true) {
            // It may be that nobody is signed in any more: the answer to this tells the page so.
            leptos::task::spawn_local(async { drop(crate::api::whoami().await) });
            self.close();
            set_timeout(move || self.follow_visibility(), REOPEN);
        }
    }

    /// The page is not live since then, by the browser's clock, ms; or since longer, if it was not live before.
    fn lost(self, since_ms: i64) {
        if !matches!(self.live.link.try_get_untracked(), Some(Link::Lost { .. }) | None) {
            let since_ms = since_ms.saturating_add(self.clock.offset_ms_untracked());
            let since_ms = self.behind_ms.try_get_value().flatten().unwrap_or(since_ms);
            let _ = self.live.link.try_set(Link::Lost { since_ms });
        }
    }
}
