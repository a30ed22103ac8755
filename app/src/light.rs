//! Parts of a page that read something first, and how often a page is to be read again by the script that keeps it live.

use leptos::prelude::*;
use leptos::reactive::computed::ScopedFuture;

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

/// The sentences of the script, by their names there. `{}` is where a value goes.
pub(crate) fn words() -> String {
    use crate::t;
    let words = serde_json::json!({
        "ms": t!("time-ms", n = "{n}"),
        "s": t!("time-s", n = "{n}"),
        "m": t!("time-m", n = "{n}"),
        "ms2": t!("time-m-s", m = "{n}", s = "{rest}"),
        "h": t!("time-h", n = "{n}"),
        "hm": t!("time-h-m", h = "{n}", m = "{rest}"),
        "d": t!("time-d", n = "{n}"),
        "dh": t!("time-d-h", d = "{n}", h = "{rest}"),
        "left": t!("time-left", span = "{span}"),
        "now": t!("time-now"),
        "in": t!("time-in", span = "{span}"),
        "ago": t!("time-ago", span = "{span}"),
        "live": t!("live-live"),
        "paused": t!("live-paused"),
        "lost": t!("live-lost"),
        "starting": t!("live-static"),
        "pause": t!("live-pause-name"),
        "resume": t!("live-resume-name"),
        "bannerLost": t!("live-banner-lost", at = "{at}", span = "{span}"),
        "bannerPaused": t!("light-banner-paused", at = "{at}"),
        "full": t!("live-full"),
        "saidLost": t!("live-said-lost", at = "{at}"),
        "outdated": t!("live-outdated"),
        "foreign": t!("live-foreign"),
        "behind": t!("live-clock-behind", span = "{span}"),
        "ahead": t!("live-clock-ahead", span = "{span}"),
        "ending": t!("account-ending", at = "{at}"),
        "sending": t!("light-sending"),
        "unknown": t!("light-unknown"),
        "notSent": t!("light-not-sent"),
        "moot": t!("acts-overtaken", job = "{job}"),
        "copied": t!("acts-copied", what = "{what}"),
        "notCopied": t!("acts-not-copied", what = "{what}"),
        "nothingToUndo": t!("frame-undo-none"),
        "nothingFound": t!("frame-search-nothing"),
        "foundOne": t!("frame-search-found", count = 1),
        // The number that stands for any other one.
        "found": t!("frame-search-found", count = 2).replace('2', "{n}"),
        "new": t!("jobs-new", count = "{n}"),
        "newMany": t!("jobs-new-many", count = "{n}"),
        "moreOne": t!("jobs-said-more", count = 1),
        "more": t!("jobs-said-more", count = 2).replace('2', "{n}"),
        "tickedOne": t!("bulk-ticked", count = 1),
        "ticked": t!("bulk-ticked", count = 2).replace('2', "{n}"),
        "notRead": t!("errors-offline"),
    });
    words.to_string()
}
