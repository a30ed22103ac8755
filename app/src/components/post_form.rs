//! A form that calls a server function: by itself, or by the page's script where there is one.

use std::marker::PhantomData;
use std::ops::Deref;

use leptos::ev::{MouseEvent, SubmitEvent};
use leptos::prelude::*;
use leptos::server::ServerActionError;
use leptos::server_fn::ServerFn;
use leptos::server_fn::error::ServerFnUrlError;
#[cfg(feature = "hydrate")]
use reprieve::model::JobId;
use reprieve::model::Version;
use serde::Serialize;
use serde::de::DeserializeOwned;

use crate::components::acts::Acted;
#[cfg(feature = "hydrate")]
use crate::components::turn::{self, Turn};
use crate::error::ApiError;
#[cfg(feature = "hydrate")]
use crate::i18n::Said;
use crate::notice::Notices;
#[cfg(feature = "hydrate")]
use crate::t;

/// What calls a server function with what a form holds, and what it has answered.
///
/// Forms are sent as they are, as they would be without scripts: the server alone reads them.
pub struct FormAction<S: ServerFn + 'static>
where
    S::Output: 'static,
{
    action: Action<String, Result<S::Output, ApiError>>,
    place: Place,
    function: PhantomData<fn(S)>,
}

/// Where a form stands, as far as what it sends has to know.
#[derive(Clone, Copy)]
#[cfg_attr(not(feature = "hydrate"), expect(dead_code, reason = "nobody sends on a server"))]
struct Place {
    /// What it is sent to.
    path: &'static str,
    /// Gone with the part of the page that the form is in.
    is_there: StoredValue<()>,
    /// Where the acts of the page left their jobs; `None` where there are no acts on jobs.
    acted: Option<Acted>,
    /// The version that its form says was seen, where that may be older than what the page has read.
    seen: Option<Signal<Version>>,
    notices: Option<Notices>,
}

impl<S> FormAction<S>
where
    S: ServerFn<Error = ApiError>,
    S::Output: DeserializeOwned + Sync + 'static,
{
    /// Has not called it yet, or it has failed already, for a form that was sent without scripts.
    pub fn new() -> Self {
        let (acted, notices) = (use_context(), use_context());
        let place = Place { path: S::PATH, is_there: StoredValue::new(()), acted, seen: None, notices };
        Self { action: calling(S::PATH), place, function: PhantomData }
    }

    /// The same for a form that says by itself which version was seen: what waits in it is never of a newer one.
    pub fn of_seen(seen: Signal<Version>) -> Self {
        let mut action = Self::new();
        action.place.seen = Some(seen);
        action
    }

    /// Calls it with these arguments.
    pub fn call(&self, arguments: &S)
    where
        S: Serialize,
    {
        #[cfg(feature = "hydrate")]
        send(self.action, self.place, crate::call::arguments(arguments));
        #[cfg(not(feature = "hydrate"))]
        let _ = arguments;
    }

    /// Calls it with what is in the form that sends this event. The event is stopped.
    pub fn submit(&self, event: &SubmitEvent) {
        submit(self.action, self.place, event);
    }

    /// What a field held when the form was sent that is on its way.
    pub fn sent(&self, field: &str) -> Option<String> {
        sent(&self.action.input().get()?, field)
    }
}

impl<S> Default for FormAction<S>
where
    S: ServerFn<Error = ApiError>,
    S::Output: DeserializeOwned + Sync + 'static,
{
    fn default() -> Self {
        Self::new()
    }
}

impl<S: ServerFn> Clone for FormAction<S> {
    fn clone(&self) -> Self {
        *self
    }
}

impl<S: ServerFn> Copy for FormAction<S> {}

impl<S: ServerFn> Deref for FormAction<S> {
    type Target = Action<String, Result<S::Output, ApiError>>;

    fn deref(&self) -> &Self::Target {
        &self.action
    }
}

/// Once for all functions that answer alike.
fn calling<T>(path: &'static str) -> Action<String, Result<T, ApiError>>
where
    T: DeserializeOwned + Send + Sync + 'static,
{
    let failed = use_context::<ServerActionError>().filter(|failed| failed.path() == path);
    let failed = failed.map(|failed| Err(ServerFnUrlError::<ApiError>::decode_err(failed.err())));
    Action::new_with_value(failed, move |form: &String| {
        #[cfg(feature = "hydrate")]
        return post(path, form.clone());
        #[cfg(not(feature = "hydrate"))]
        {
            let _ = form;
            std::future::pending::<Result<T, ApiError>>()
        }
    })
}

/// A form whose fields are the arguments of a server function.
#[component]
pub fn PostForm<S>(
    /// What it calls.
    action: FormAction<S>,
    /// Its fields.
    children: Children,
) -> impl IntoView
where
    S: ServerFn<Error = ApiError> + 'static,
    S::Output: DeserializeOwned + Sync + 'static,
{
    let FormAction { action, place, .. } = action;
    form(S::PATH, Box::new(move |event| submit(action, place, event)), children)
}

/// Once for all functions.
fn form(path: &'static str, submit: Box<dyn Fn(&SubmitEvent)>, children: Children) -> AnyView {
    view! {
        <form
            action=path
            method="post"
            on:click=|event| stop_again(&event)
            on:submit=move |event| if !event.default_prevented() { submit(&event) }
        >
            {children()}
        </form>
    }
    .into_any()
}

/// Stops what a double click on a button would send once more: the answer to its first click may have come by then, and the
/// form be the next one.
fn stop_again(event: &MouseEvent) {
    #[cfg(feature = "hydrate")]
    if event.detail() > 1 && browser::sends(event) {
        event.prevent_default();
    }
    #[cfg(not(feature = "hydrate"))]
    let _ = event;
}

fn submit<T>(action: Action<String, Result<T, ApiError>>, place: Place, event: &SubmitEvent)
where
    T: Send + Sync + 'static,
{
    event.prevent_default();
    #[cfg(feature = "hydrate")]
    send(action, place, browser::held(event));
    #[cfg(not(feature = "hydrate"))]
    let _ = (action, place);
}

/// Sends a form; one that cannot be sent is answered with why. The same once more while it is on its way, as a double click
/// has it, is not sent.
#[cfg(feature = "hydrate")]
fn send<T>(action: Action<String, Result<T, ApiError>>, place: Place, form: Result<String, ApiError>)
where
    T: Send + Sync + 'static,
{
    match form {
        Ok(form) if action.input().get_untracked().as_ref() == Some(&form) => {}
        Ok(form) => in_turn(place, form, Box::new(move |form| drop(action.dispatch(form)))),
        Err(error) => {
            action.value().set(Some(Err(error)));
            action.version().update(|version| *version += 1);
        }
    }
}

/// Sends a form at once, unless it acts on a job that has another act on its way. Then it goes after that, on the job as that
/// left it; or not at all, which is said, where the page has nothing more to do with it.
#[cfg(feature = "hydrate")]
fn in_turn(place: Place, form: String, dispatch: Box<dyn FnOnce(String)>) {
    let waits = act_in(&form).filter(|(job, _)| !turn::is_free(job));
    let Some((job, seen)) = waits else { return dispatch(form) };
    let Place { path, is_there, acted, seen: in_form, notices } = place;
    turn::wait(&job.clone(), what(path, &form), move || {
        if is_there.try_get_value().is_none() {
            if let Some(notices) = notices {
                notices.say(Said::bad(t!("acts-overtaken", job = job.to_string())));
            }
            return;
        }
        let now = untrack(|| match in_form {
            Some(in_form) => in_form.try_get(),
            None => acted.and_then(|acted| acted.since(&job, seen)).map(|now| now.version),
        });
        dispatch(now.map_or_else(|| form.clone(), |now| brought(&form, seen, now)));
    });
}

/// Sends it, and lets what waits for that go once it is answered.
#[cfg(feature = "hydrate")]
fn post<T: DeserializeOwned>(path: &'static str, form: String) -> impl Future<Output = Result<T, ApiError>> {
    let turn = act_in(&form).map(|(job, _)| Turn::begin(&job, what(path, &form)));
    async move {
        let answer = crate::call::post(path, form).await;
        drop(turn);
        answer
    }
}

/// What tells a form that is sent from others.
#[cfg(feature = "hydrate")]
fn what(path: &str, form: &str) -> String {
    format!("{path}?{form}")
}

/// The job that a form acts on, and the version that its sender saw; `None` of other forms.
#[cfg(feature = "hydrate")]
fn act_in(form: &str) -> Option<(JobId, Version)> {
    let seen = sent(form, "seen")?.parse().ok()?;
    Some((sent(form, "id")?.parse().ok()?, Version(seen)))
}

/// The same form, of somebody who has seen what their own act came to. Its operation is named for the version as well.
#[cfg(any(feature = "hydrate", test))]
fn brought(form: &str, seen: Version, now: Version) -> String {
    let field = |field: &str| match field.split_once('=') {
        Some(("seen", _)) => format!("seen={now}"),
        Some(("operation", operation)) => match operation.strip_suffix(&format!("%3A{seen}")) {
            Some(nonce) => format!("operation={nonce}%3A{now}"),
            None => format!("operation={operation}"),
        },
        _ => field.to_owned(),
    };
    form.split('&').map(field).collect::<Vec<_>>().join("&")
}

fn sent(form: &str, field: &str) -> Option<String> {
    #[cfg(feature = "hydrate")]
    return browser::field(form, field);
    #[cfg(not(feature = "hydrate"))]
    {
        let _ = (form, field);
        None
    }
}

#[cfg(feature = "hydrate")]
mod browser {
    use leptos::ev::{MouseEvent, SubmitEvent};
    use leptos::form::form_data_from_event;
    use wasm_bindgen::JsCast;
    use web_sys::{Element, UrlSearchParams};

    use crate::error::ApiError;

    /// Whether a click is on a button that sends a form.
    pub(super) fn sends(event: &MouseEvent) -> bool {
        let clicked = event.target().and_then(|target| target.dyn_into::<Element>().ok());
        clicked
            .is_some_and(|clicked| clicked.closest("button[type=submit]").is_ok_and(|found| found.is_some()))
    }

    /// What a form holds, URL-encoded, with the name and value of the button that sends it.
    pub(super) fn held(event: &SubmitEvent) -> Result<String, ApiError> {
        let unread = || ApiError::Internal { request_id: "the form cannot be read".to_owned() };
        let form = form_data_from_event(event).map_err(|_| unread())?;
        let fields = UrlSearchParams::new_with_str_sequence_sequence(&form).map_err(|_| unread())?;
        Ok(fields.to_string().into())
    }

    pub(super) fn field(form: &str, field: &str) -> Option<String> {
        UrlSearchParams::new_with_str(form).ok()?.get(field)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_form_that_waited_is_of_somebody_who_knows_what_they_did() {
        let form = "id=seen%3D1&seen=1&back=%2Fjob%2Fa&operation=00ff%3A1&note=seen";
        let expected = "id=seen%3D1&seen=12&back=%2Fjob%2Fa&operation=00ff%3A12&note=seen";
        assert_eq!(brought(form, Version(1), Version(12)), expected);
        assert_eq!(brought("operation=00ff%3A21", Version(1), Version(2)), "operation=00ff%3A21");
    }
}
