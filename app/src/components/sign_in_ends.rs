//! Says in time that a sign-in ends, whatever somebody does.

use leptos::prelude::*;

use crate::session::Session;
use crate::{routes, t};

/// The bar that the script shows in the last minutes. Nothing where nobody signs in.
#[component]
pub(crate) fn SignInEnds() -> impl IntoView {
    Session::get().ends.map(|ends| {
        view! {
            <p class="live-banner" id="sign-in-ends" data-live="ending" data-own data-ends-ms=ends.as_millis() hidden>
                <span></span> " "
                <a href=routes::sign_in(routes::ACCOUNT) target="_blank">{t!("account-ending-anew")}</a>
            </p>
        }
    })
}
