//! That not all of it may be here.

use leptos::prelude::*;

use crate::session::Session;
use crate::t;

/// For a person who is bound to queues: there may be more than they see. Said whether or not there is, so that it tells
/// nothing of what is elsewhere.
#[component]
pub(super) fn PartlySeen() -> impl IntoView {
    Session::get().is_bound.then(|| view! { <p class="quiet">{t!("support-not-all")}</p> })
}
