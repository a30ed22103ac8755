//! A form that calls a server function: by itself, or by the page's script where there is one.

use std::marker::PhantomData;
use std::ops::Deref;

use leptos::ev::{MouseEvent, SubmitEvent};
use leptos::prelude::*;
use leptos::server::ServerActionError;
use leptos::server_fn::ServerFn;
use leptos::server_fn::error::ServerFnUrlError;
use serde::Serialize;
use serde::de::DeserializeOwned;

use crate::error::ApiError;

/// What calls a server function with what a form holds, and what it has answered.
///
/// Forms are sent as they are, as they would be without scripts: the server alone reads them.
pub struct FormAction<S: ServerFn + 'static>
where
    S::Output: 'static,
{
    action: Action<String, Result<S::Output, ApiError>>,
    function: PhantomData<fn(S)>,
}

impl<S> FormAction<S>
where
    S: ServerFn<Error = ApiError>,
    S::Output: DeserializeOwned + Sync + 'static,
{
    /// Has not called it yet, or it has failed already, for a form that was sent without scripts.
    pub fn new() -> Self {
        Self { action: calling(S::PATH), function: PhantomData }
    }

    /// Calls it with these arguments.
    pub fn call(&self, arguments: &S)
    where
        S: Serialize,
    {
        #[cfg(feature = "hydrate")]
        send(self.action, crate::call::arguments(arguments));
        #[cfg(not(feature = "hydrate"))]
        let _ = arguments;
    }

    /// Calls it with what is in the form that sends this event. The event is stopped.
    pub fn submit(&self, event: &SubmitEvent) {
        submit(self.action, event);
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
        return crate::call::post(path, form.clone());
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
    let action = action.action;
    form(S::PATH, Box::new(move |event| submit(action, event)), children)
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

fn submit<T>(action: Action<String, Result<T, ApiError>>, event: &SubmitEvent)
where
    T: Send + Sync + 'static,
{
    event.prevent_default();
    #[cfg(feature = "hydrate")]
    send(action, browser::held(event));
    #[cfg(not(feature = "hydrate"))]
    let _ = action;
}

/// Sends a form; one that cannot be sent is answered with why. The same once more while it is on its way, as a double click
/// has it, is not sent.
#[cfg(feature = "hydrate")]
fn send<T>(action: Action<String, Result<T, ApiError>>, form: Result<String, ApiError>)
where
    T: Send + Sync + 'static,
{
    match form {
        Ok(form) if action.input().get_untracked().as_ref() == Some(&form) => {}
        Ok(form) => drop(action.dispatch(form)),
        Err(error) => {
            action.value().set(Some(Err(error)));
            action.version().update(|version| *version += 1);
        }
    }
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
