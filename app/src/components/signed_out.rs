//! What stands over a page whose sign-in has ended: the way back in, while all that was typed stays.

use leptos::prelude::*;

use crate::session::Session;
use crate::{routes, t};

/// Names the dialog.
const TITLE: &str = "signed-out-title";

/// The dialog. It opens as soon as any answer says that nobody is signed in any more, and closes by itself once the same
/// person is, with the same rights; for anybody else the page is loaded anew. Nothing of it is there where nobody signs in.
#[component]
pub(crate) fn SignedOut() -> impl IntoView {
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
    let said = t!("account-ended-sentence", name = name);
    view! {
        <dialog class="signed-out" id="signed-out" data-own="" data-who=who aria-labelledby=TITLE>
            <h2 id=TITLE>{t!("account-ended-title")}</h2>
            <p>{said}</p>
            <div class="run-buttons">
                <a class="button" data-tone="primary" href=routes::sign_in(routes::ACCOUNT) target="_blank">
                    {t!("account-ended-sign-in")}
                </a>
                <button type="button" class="button" data-tone="quiet">{t!("account-ended-go-on")}</button>
            </div>
        </dialog>
    }
}
