//! Says that this is the demo, and lets visitors choose what they are in it.

use leptos::prelude::*;
use reprieve::model::Role;

use super::fields::BackField;
use crate::api::account::SetDemoRole;
use crate::session::Session;
use crate::{i18n, t};

/// Nothing outside the demo.
#[component]
pub(crate) fn DemoBanner() -> impl IntoView {
    let session = Session::get();
    session.is_demo.then(|| view! { <Choice chosen=session.role/> })
}

/// What they are, and what they could be; the page comes back with other rights.
#[component]
fn Choice(chosen: Option<Role>) -> impl IntoView {
    use leptos::server_fn::ServerFn;
    let button = move |role: Role| {
        view! {
            <button type="submit" name="role" value=role.as_str() aria-pressed=(chosen == Some(role)).to_string()>
                {role_name(role)}
            </button>
        }
    };
    view! {
        <form class="demo-banner" method="post" action=SetDemoRole::PATH>
            <BackField/>
            <span>{t!("account-demo")}</span>
            <span class="demo-roles" role="group" aria-label=t!("account-demo-roles")>{Role::ALL.map(button)}</span>
        </form>
    }
}

/// What people call a role.
pub(crate) fn role_name(role: Role) -> String {
    i18n::word("account-role", role.as_str())
}
