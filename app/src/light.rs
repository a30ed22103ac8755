//! Parts of a page that read something first, and how often a page is to be read again by the script that keeps it live.

use leptos::prelude::*;
use leptos::reactive::computed::ScopedFuture;

use crate::i18n::{self, FluentArgs};

/// A part of the page that has to read something first. It reads beside the rest of the page: a future that is polled once and
/// then waits for its turn to be written would keep what it has locked, and pages would wait for each other.
pub(crate) fn suspended<T: Send + 'static>(part: impl Future<Output = T> + Send + 'static) -> Suspend<T> {
    // What was provided to the page is there until the end, also where its request is gone meanwhile.
    let owners: Vec<Owner> = std::iter::successors(Owner::current(), Owner::parent).collect();
    let part = ScopedFuture::new(part);
    let mut part = Driven(tokio::spawn(async move {
        let answer = part.await;
        drop(owners);
        answer
    }));
    Suspend::new(async move {
        // It fails only by a panic, which goes on here.
        (&mut part.0).await.unwrap_or_else(|stopped| std::panic::resume_unwind(stopped.into_panic()))
    })
}

/// A task that ends with the page that it is for: nobody waits for it any more once the request is gone.
struct Driven<T>(tokio::task::JoinHandle<T>);

impl<T> Drop for Driven<T> {
    fn drop(&mut self) {
        self.0.abort();
    }
}

/// Whether the script of the page asks for it again: it knows its sentences.
pub(crate) fn is_read_again() -> bool {
    use_context::<http::request::Parts>().is_some_and(|request| request.headers.contains_key(READ_AGAIN))
}

/// The header with which a script reads a page.
const READ_AGAIN: &str = "x-read-again";

/// Refreshes this page every so many seconds; 0 for never, if only its reader changes it. A page without this component is
/// refreshed when anything happens to jobs.
#[component]
pub(crate) fn RefreshedEvery(
    seconds: u32,
    /// Whether it is also refreshed when anything happens to jobs.
    #[prop(optional)]
    by_events: bool,
) -> impl IntoView {
    view! { <data class="refresh" hidden data-every=seconds data-events=by_events.then_some("")></data> }
}

/// A change that screen readers read out, once, when it appears on the page.
#[component]
pub(crate) fn Told(
    /// What tells it from other changes: the same one is not read out again.
    of: String,
    text: String,
    /// Whether it goes on by itself after somebody started it, so that they hear of it as anybody else.
    #[prop(optional)]
    goes_on: bool,
) -> impl IntoView {
    view! { <data class="told" hidden value=of data-text=text data-goes-on=goes_on.then_some("")></data> }
}

/// The sentences of the script, which has them by the same keys.
#[rustfmt::skip]
pub(crate) const SENTENCES: [&str; 38] = [
    "account-ending", "acts-copied", "acts-not-copied", "acts-overtaken", "errors-offline", "frame-search-nothing",
    "frame-undo-none", "jobs-new", "jobs-new-many", "light-banner-paused", "light-not-sent", "light-sending",
    "light-unknown", "live-banner-lost", "live-clock-ahead", "live-clock-behind", "live-foreign", "live-full",
    "live-live", "live-lost", "live-outdated", "live-pause-name", "live-paused", "live-resume-name", "live-said-lost",
    "live-starting", "time-ago", "time-d", "time-d-h", "time-h", "time-h-m", "time-in", "time-left", "time-m",
    "time-m-s", "time-ms", "time-now", "time-s",
];
/// Those with a count; of one thing they have another, whose key ends in `-one`.
pub(crate) const COUNTED: [&str; 3] = ["bulk-ticked", "frame-search-found", "jobs-said-more"];
/// What the script puts into them.
pub(crate) const PLACES: [&str; 10] = ["at", "count", "d", "h", "job", "m", "n", "s", "span", "what"];

/// The sentences of the script. `{at}` is where a value goes.
pub(crate) fn words() -> String {
    let mut places = FluentArgs::new();
    PLACES.iter().for_each(|&place| places.set(place, format!("{{{place}}}")));
    let mut one = FluentArgs::new();
    one.set("count", 1);
    let any = SENTENCES.iter().chain(&COUNTED);
    let any = any.map(|&key| (key.to_owned(), i18n::say(key, Some(&places))));
    let ones = COUNTED.iter().map(|key| (format!("{key}-one"), i18n::say(key, Some(&one))));
    serde_json::Value::from_iter(any.chain(ones)).to_string()
}
