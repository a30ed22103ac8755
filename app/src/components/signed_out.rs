//! What stands over a page whose sign-in has ended: the way back in, while all that was typed stays.

use leptos::html;
use leptos::prelude::*;

use crate::session::Session;
use crate::{routes, t};

/// Names the dialog.
const TITLE: &str = "signed-out-title";

/// The dialog. It opens as soon as any answer says that nobody is signed in any more, and closes by itself once the same
/// person is, with the same rights; for anybody else the page is loaded anew. Nothing of it is there where nobody signs in.
#[component]
pub fn SignedOut() -> impl IntoView {
    let session = Session::get();
    session.is_signed_in.then(|| view! { <Dialog name=session.name who=session.who/> })
}

#[component]
fn Dialog(
    /// Who was signed in.
    name: String,
    /// The same in the word that the server answers, with what was theirs.
    who: String,
) -> impl IntoView {
    let dialog = NodeRef::<html::Dialog>::new();
    let said = t!("account-ended-sentence", name = name);
    #[cfg(feature = "hydrate")]
    Effect::new({
        let who = who.clone();
        move |_| browser::watch(dialog, &who)
    });
    let shown_who = crate::light::is_on().then(|| who.clone());
    let look = move |_| look_again(dialog, who.clone());
    view! {
        <dialog class="signed-out" id="signed-out" data-own=crate::light::is_on().then_some("") data-who=shown_who node_ref=dialog aria-labelledby=TITLE>
            <h2 id=TITLE>{t!("account-ended-title")}</h2>
            <p>{said}</p>
            <div class="run-buttons">
                <a class="button" data-tone="primary" href=routes::sign_in(routes::ACCOUNT) target="_blank" rel="external">
                    {t!("account-ended-sign-in")}
                </a>
                <button type="button" class="button" data-tone="quiet" on:click=look>{t!("account-ended-go-on")}</button>
            </div>
        </dialog>
    }
}

fn look_again(dialog: NodeRef<html::Dialog>, who: String) {
    #[cfg(feature = "hydrate")]
    browser::look_again(dialog, who);
    #[cfg(not(feature = "hydrate"))]
    let _ = (dialog, who);
}

#[cfg(feature = "hydrate")]
mod browser {
    use std::cell::RefCell;
    use std::time::Duration;

    use leptos::prelude::*;
    use leptos::task::spawn_local;
    use leptos::{ev, html};
    use wasm_bindgen::JsCast;
    use web_sys::{Element, HtmlElement, HtmlFormElement, SubmitEvent};

    use crate::api::whoami;
    use crate::attention;
    use crate::components::focus::browser::focus_in_place;
    use crate::error::ApiError;
    use crate::live::Live;
    use crate::session::ENDED;

    /// How often is looked whether the server has heard of somebody who is there. As long as somebody counts as being there,
    /// so that no look misses them.
    const SHOW: Duration = Duration::from_secs(60);

    /// Opens the dialog when an answer says so, and looks again whenever somebody comes back to the tab. Whoever only types
    /// or reads is shown to the server, so that their sign-in does not end meanwhile.
    pub(super) fn watch(dialog: NodeRef<html::Dialog>, who: &str) {
        let ended = window_event_listener_untyped(ENDED, move |_| open(dialog));
        let come_back = |event| {
            let who = who.to_owned();
            window_event_listener_untyped(event, move |_| {
                if is_open(dialog) && !document().hidden() {
                    look_again(dialog, who.clone());
                }
            })
        };
        let (focused, shown) = (come_back("focus"), come_back("visibilitychange"));
        let whose = who.to_owned();
        let sent = window_event_listener(ev::submit, move |event| ask_first(&event, whose.clone()));
        let shown_to_server = set_interval_with_handle(show, SHOW).ok();
        on_cleanup(move || {
            if let Some(shown) = shown_to_server {
                shown.clear();
            }
            ended.remove();
            sent.remove();
            focused.remove();
            shown.remove();
        });
    }

    fn show() {
        if attention::is_unheard() {
            // That nobody is signed in any more is heard where the answer is read.
            spawn_local(async { drop(whoami().await) });
        }
    }

    /// Says of a form how far it is: it is asked for, it may go, or it has gone.
    const SENDING: &str = "data-sending";
    const ASKING: &str = "asking";
    const MAY_GO: &str = "may-go";
    const GONE: &str = "gone";
    /// After that long a form may be sent once more.
    const AGAIN: Duration = Duration::from_secs(10);

    /// A form that is sent as a whole page would lead away from what was typed in it: it goes once it is known that the same
    /// person is still signed in. If nobody is, the answer opens the dialog, and the form stays.
    fn ask_first(event: &SubmitEvent, who: String) {
        let form = event.target().and_then(|target| target.dyn_into::<HtmlFormElement>().ok());
        let is_whole_page = |form: &HtmlFormElement| !event.default_prevented() && form.method() == "post";
        let Some(form) = form.filter(is_whole_page) else { return };
        // Fails, like those below, only for an invalid attribute name.
        let mark = move |form: &HtmlFormElement, how_far: &str| drop(form.set_attribute(SENDING, how_far));
        match form.get_attribute(SENDING).as_deref() {
            Some(MAY_GO) => return mark(&form, GONE),
            // A second click: what is shown once would be lost by the answer to it.
            Some(_) => return event.prevent_default(),
            None => {}
        }
        event.prevent_default();
        mark(&form, ASKING);
        let button = event.submitter();
        spawn_local(async move {
            match whoami().await {
                Ok(now) if now != who => drop(window().location().reload()),
                Err(ApiError::SignedOut) => drop(form.remove_attribute(SENDING)),
                // Where nothing is known the server's own answer to the form says most.
                _ => {
                    mark(&form, MAY_GO);
                    let _ = form.request_submit_with_submitter(button.as_ref());
                    // A page that did not come, or that somebody came back from, can be asked for again.
                    set_timeout(move || drop(form.remove_attribute(SENDING)), AGAIN);
                }
            }
        });
    }

    /// Goes on if the same person is signed in again, with the same rights.
    pub(super) fn look_again(dialog: NodeRef<html::Dialog>, who: String) {
        let live = Live::get();
        spawn_local(async move {
            match whoami().await {
                Ok(now) if now == who => {
                    close(dialog);
                    live.refresh();
                }
                // Rights, look and rows are others.
                Ok(_) => drop(window().location().reload()),
                Err(_) => {}
            }
        });
    }

    fn is_open(dialog: NodeRef<html::Dialog>) -> bool {
        dialog.get_untracked().is_some_and(|dialog| dialog.open())
    }

    thread_local! {
        /// The popovers that the dialog above them has closed, the outer ones first, as they lie in the page: they open again
        /// with what was typed.
        static BENEATH: RefCell<Vec<HtmlElement>> = const { RefCell::new(Vec::new()) };
        /// What had the focus before the dialog had it. With what it was in closed the browser cannot give it back.
        static BEFORE: RefCell<Option<Element>> = const { RefCell::new(None) };
    }

    fn open(dialog: NodeRef<html::Dialog>) {
        let Some(dialog) = dialog.get_untracked().filter(|dialog| !dialog.open()) else { return };
        BEFORE.set(document().active_element());
        // A browser that does not know the selector has no open popover either.
        let beneath = document().query_selector_all(":popover-open").ok();
        BENEATH.set(beneath.map_or_else(Vec::new, |open| {
            (0..open.length()).filter_map(|at| open.get(at)?.dyn_into().ok()).collect()
        }));
        // Fails only when it is open already.
        let _ = dialog.show_modal();
    }

    fn close(dialog: NodeRef<html::Dialog>) {
        if let Some(dialog) = dialog.get_untracked() {
            dialog.close();
        }
        for popover in BENEATH.take() {
            // Fails only when it is open already, or gone.
            let _ = popover.show_popover();
        }
        if let Some(before) = BEFORE.take() {
            drop(focus_in_place(&before));
        }
    }
}
