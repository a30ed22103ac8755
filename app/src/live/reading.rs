//! What a page asks of the server, again whenever what it asks about changes.

use std::any::Any;
use std::future::{Future, IntoFuture};
use std::marker::PhantomData;
use std::pin::Pin;
use std::sync::{Arc, OnceLock};
use std::task::{Context, Poll};
use std::time::Duration;

use leptos::prelude::*;
use leptos::reactive::computed::AsyncDerivedFuture;
use leptos::server::codee::{Decoder, Encoder};
use serde::Serialize;
use serde::de::DeserializeOwned;

use super::Live;
use super::effect::effect;
use crate::error::ApiError;
use crate::json;

/// How often what could not be read is asked for again, in seconds.
pub const AGAIN_EVERY: i64 = 2;
/// The same.
const RETRY: Duration = Duration::from_secs(AGAIN_EVERY.unsigned_abs());

/// Whether what could not be read is to be asked for in that second of a clock that ticks once in each.
#[must_use]
pub const fn is_time_to_ask_again(now_ms: i64) -> bool {
    now_ms / 1_000 % AGAIN_EVERY == 0
}

/// Whether what failed in this way is to be asked for again by itself, with nothing changed: it may pass, and nobody has to
/// sign in first, upon which all is read again, or has asked too often by now.
#[must_use]
pub fn is_to_be_asked_again(trouble: Option<&ApiError>) -> bool {
    trouble.is_some_and(|error| {
        let waits = matches!(error, ApiError::SignedOut | ApiError::ProveFirst | ApiError::TooOften { .. });
        error.may_pass() && !waits
    })
}

/// Notes what came of a reading; whoever shows the trouble is woken only when there is another to tell of.
pub fn note_trouble(place: RwSignal<Option<ApiError>>, now: Option<ApiError>) {
    let is_other = |before: &Option<ApiError>| match (before, &now) {
        // The server has another id for each time that the same went wrong.
        (Some(ApiError::Internal { .. }), Some(ApiError::Internal { .. })) => false,
        _ => *before != now,
    };
    if place.try_with_untracked(is_other) == Some(true) {
        let _ = place.try_set(now);
    }
}

/// A [`Resource`] whose code is there once, whatever is asked and answered.
///
/// The server's answer is part of its page; a browser that takes that over does not ask again.
pub struct Reading<T> {
    answer: Resource<Answer, Text>,
    of: PhantomData<fn() -> T>,
}

impl<T> Clone for Reading<T> {
    fn clone(&self) -> Self {
        *self
    }
}

impl<T> Copy for Reading<T> {}

impl<T: Clone + Serialize + DeserializeOwned + Send + Sync + 'static> Reading<T> {
    /// Asks `fetch` about what `about` returns, now and whenever that is another.
    pub fn new<A, F>(
        about: impl Fn() -> A + Send + Sync + 'static,
        fetch: impl Fn(A) -> F + Send + Sync + 'static,
    ) -> Self
    where
        A: PartialEq + Clone + Send + Sync + 'static,
        F: Future<Output = T> + Send + 'static,
    {
        let fetch = Arc::new(move |about| {
            let answer = fetch(about);
            Box::pin(async move { Answer::new(answer.await) }) as Awaited
        });
        let answer =
            asked(Box::new(move || Asked(Arc::new(Question { about: about(), fetch: fetch.clone() }))));
        Self { answer, of: PhantomData }
    }
}

impl<T: Clone + DeserializeOwned + Send + Sync + 'static> Reading<T> {
    /// The answer, as soon as there is one; the last one while another is on its way.
    #[must_use]
    pub fn get(self) -> Option<T> {
        self.answer.get().and_then(|answer| self.read(&answer))
    }

    /// Asks again about the same.
    pub fn refetch(self) {
        self.answer.refetch();
    }

    /// Asks again after a pause, where this error may pass, as long as the part of the page that says so is there; and once
    /// somebody has signed in, where that is what was missing.
    pub fn refetch_after(self, error: &ApiError) {
        if matches!(error, ApiError::SignedOut | ApiError::ProveFirst) {
            once_all_is_read_again(self.answer);
        } else if is_to_be_asked_again(Some(error)) {
            soon(self.answer);
        }
    }

    /// What does not read came with the page of another version: it is asked for again.
    fn read(self, answer: &Answer) -> Option<T> {
        let read = answer.read();
        if read.is_none() {
            self.answer.refetch();
        }
        read
    }
}

/// With the rest of the page, as after a sign-in.
fn once_all_is_read_again(answer: Resource<Answer, Text>) {
    let Some(live) = use_context::<Live>() else { return };
    let since = live.revision_untracked();
    let is_asked = StoredValue::new(false);
    effect(move || {
        if live.revision() != since && is_asked.try_get_value() == Some(false) {
            let _ = is_asked.try_set_value(true);
            answer.refetch();
        }
    });
}

/// Once, and not while the screen rests.
fn soon(answer: Resource<Answer, Text>) {
    let live = use_context::<Live>();
    effect(move || {
        let is_asked = StoredValue::new(false);
        let ask = move || {
            if live.is_some_and(Live::rests) || is_asked.try_get_value() != Some(false) {
                return;
            }
            let _ = is_asked.try_set_value(true);
            answer.refetch();
        };
        if let Ok(timer) = set_interval_with_handle(ask, RETRY) {
            on_cleanup(move || timer.clear());
        }
    });
}

/// Without a type of its own for what is asked and answered: what Leptos makes of it is there once.
fn asked(about: Box<dyn Fn() -> Asked + Send + Sync>) -> Resource<Answer, Text> {
    Resource::new_with_options(about, |asked| asked.0.ask(), false)
}

type Awaited = Pin<Box<dyn Future<Output = Answer> + Send>>;

/// What is asked.
#[derive(Clone)]
struct Asked(Arc<dyn Ask>);

impl PartialEq for Asked {
    fn eq(&self, other: &Self) -> bool {
        self.0.is_about_the_same(&*other.0)
    }
}

trait Ask: Any + Send + Sync {
    fn ask(&self) -> Awaited;
    fn is_about_the_same(&self, other: &dyn Ask) -> bool;
}

struct Question<A, F> {
    about: A,
    fetch: Arc<F>,
}

impl<A, F> Ask for Question<A, F>
where
    A: PartialEq + Clone + Send + Sync + 'static,
    F: Fn(A) -> Awaited + Send + Sync + 'static,
{
    fn ask(&self) -> Awaited {
        (self.fetch)(self.about.clone())
    }

    fn is_about_the_same(&self, other: &dyn Ask) -> bool {
        (other as &dyn Any).downcast_ref::<Self>().is_some_and(|other| other.about == self.about)
    }
}

/// What was answered: a value, or how a page has it until it is read.
#[derive(Clone)]
struct Answer(Arc<Known>);

struct Known {
    value: OnceLock<Box<dyn Any + Send + Sync>>,
    /// In JSON; empty where it did not come with a page.
    text: String,
    /// Writes the value.
    #[cfg(feature = "ssr")]
    write: fn(&(dyn Any + Send + Sync)) -> Result<String, serde_json::Error>,
}

impl Answer {
    fn new<T: Serialize + Send + Sync + 'static>(value: T) -> Self {
        Self(Arc::new(Known {
            value: OnceLock::from(Box::new(value) as Box<_>),
            text: String::new(),
            #[cfg(feature = "ssr")]
            write: |value| serde_json::to_string(&value.downcast_ref::<T>()),
        }))
    }

    /// `None` for a text that is not that of a `T`.
    fn read<T: Clone + DeserializeOwned + Send + Sync + 'static>(&self) -> Option<T> {
        let known = &*self.0;
        let value = match known.value.get() {
            Some(value) => value,
            None => {
                let value = json::read::<T>(&known.text).ok()?;
                known.value.get_or_init(|| Box::new(value))
            }
        };
        value.downcast_ref().cloned()
    }
}

/// How a page has an answer.
struct Text;

impl Encoder<Answer> for Text {
    type Error = serde_json::Error;
    type Encoded = String;

    fn encode(answer: &Answer) -> Result<String, serde_json::Error> {
        // A browser never writes one.
        #[cfg(feature = "ssr")]
        if let Some(value) = answer.0.value.get() {
            return (answer.0.write)(&**value);
        }
        Ok(answer.0.text.clone())
    }
}

impl Decoder<Answer> for Text {
    type Error = serde_json::Error;
    type Encoded = str;

    fn decode(text: &str) -> Result<Answer, serde_json::Error> {
        Ok(Answer(Arc::new(Known {
            value: OnceLock::new(),
            text: text.to_owned(),
            #[cfg(feature = "ssr")]
            write: |_| Ok(String::new()),
        })))
    }
}

impl<T: Clone + DeserializeOwned + Send + Sync + 'static> IntoFuture for Reading<T> {
    type Output = T;
    type IntoFuture = Waiting<T>;

    fn into_future(self) -> Waiting<T> {
        Waiting { answer: self.answer.into_future(), reading: self }
    }
}

/// Waits for the first answer.
pub struct Waiting<T> {
    answer: AsyncDerivedFuture<Answer>,
    reading: Reading<T>,
}

impl<T: Clone + DeserializeOwned + Send + Sync + 'static> Future for Waiting<T> {
    type Output = T;

    fn poll(mut self: Pin<&mut Self>, context: &mut Context<'_>) -> Poll<T> {
        match Pin::new(&mut self.answer).poll(context) {
            Poll::Ready(answer) => self.reading.read(&answer).map_or(Poll::Pending, Poll::Ready),
            Poll::Pending => Poll::Pending,
        }
    }
}

#[cfg(all(test, feature = "ssr"))]
mod tests {
    use super::*;
    use reprieve::model::Permission;

    fn asked(about: u32) -> Asked {
        Asked(Arc::new(Question { about, fetch: fetch() }))
    }

    fn fetch() -> Arc<impl Fn(u32) -> Awaited + Send + Sync + 'static> {
        Arc::new(|about: u32| Box::pin(async move { Answer::new(about + 1) }) as Awaited)
    }

    #[test]
    fn a_browser_reads_what_the_server_wrote() {
        let answer: Result<Vec<Option<u32>>, String> = Ok(vec![Some(1), None]);
        let page = Text::encode(&Answer::new(answer.clone())).unwrap();
        assert_eq!(page, r#"{"Ok":[1,null]}"#);
        let taken_over = Text::decode(&page).unwrap();
        assert_eq!(taken_over.read(), Some(answer.clone()));
        // It is read once: from then on it is a value.
        assert_eq!(taken_over.read(), Some(answer));
        assert_eq!(taken_over.read::<u32>(), None);
    }

    #[test]
    fn what_does_not_read_is_no_answer() {
        for page in ["", "{", r#""seven""#, "-1"] {
            assert_eq!(Text::decode(page).unwrap().read::<u32>(), None, "{page}");
        }
    }

    #[test]
    fn what_may_pass_is_asked_again_and_what_somebody_has_to_mend_first_never() {
        let internal = ApiError::Internal { request_id: "r-1".to_owned() };
        let pass = [away(), ApiError::Offline, ApiError::TooSlow, ApiError::StorageFull, internal];
        for error in &pass {
            assert!(is_to_be_asked_again(Some(error)), "{error:?}");
        }
        let stay = [
            ApiError::SignedOut,
            ApiError::ProveFirst,
            ApiError::TooOften { seconds: 1 },
            ApiError::Forbidden { permission: Permission::View, elsewhere: false },
            ApiError::NotFound,
            ApiError::NoRun,
            ApiError::Invalid { why: "that filter does not read".to_owned() },
            ApiError::wrong("q", "that filter does not read"),
            ApiError::Lapsed,
            ApiError::Outdated,
        ];
        for error in &stay {
            assert!(!is_to_be_asked_again(Some(error)), "{error:?}");
        }
        assert!(!is_to_be_asked_again(None));
    }

    fn away() -> ApiError {
        ApiError::Unavailable { sentence: "Redis is unreachable.".to_owned(), since: None }
    }

    #[test]
    fn a_question_is_the_same_while_it_is_about_the_same() {
        assert!(asked(1) == asked(1));
        assert!(asked(1) != asked(2));
        let other = Asked(Arc::new(Question {
            about: 1u64,
            fetch: Arc::new(|_| Box::pin(async { Answer::new(()) }) as Awaited),
        }));
        assert!(asked(1) != other);
    }

    #[test]
    fn what_failed_again_in_the_same_way_is_not_told_anew() {
        let owner = Owner::new();
        owner.set();
        let place = RwSignal::new(None);
        let internal = |id: &str| Some(ApiError::Internal { request_id: id.to_owned() });
        note_trouble(place, internal("r-1"));
        note_trouble(place, internal("r-2"));
        assert_eq!(place.get_untracked(), internal("r-1"), "whoever copies the id finds it in the log");
        note_trouble(place, Some(ApiError::Offline));
        assert_eq!(place.get_untracked(), Some(ApiError::Offline));
        note_trouble(place, None);
        assert_eq!(place.get_untracked(), None);
    }

    #[test]
    fn it_is_asked_again_every_other_second() {
        assert_eq!([4_000, 4_999, 5_000, 6_000].map(is_time_to_ask_again), [true, true, false, true]);
    }

    #[tokio::test]
    async fn it_is_asked_about_what_it_is_about() {
        assert_eq!(asked(6).0.ask().await.read(), Some(7_u32));
    }
}
