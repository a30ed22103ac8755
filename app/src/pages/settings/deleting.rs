//! Whether deleting jobs by hand needs two people.

use leptos::prelude::*;
use reprieve::model::Permission;

use super::{Section, form, submit};
use crate::api::settings::SetSecondPerson;
use crate::t;

/// How it is, and the button that makes it the other way.
#[component]
pub(super) fn Deleting(two_people: bool) -> impl IntoView {
    let (now, other) = if two_people {
        (t!("settings-deleting-two"), t!("settings-deleting-let-one"))
    } else {
        (t!("settings-deleting-one"), t!("settings-deleting-need-two"))
    };
    let fields = view! {
        <input type="hidden" name="needed" value=(!two_people).to_string()/>
        <p>{now}</p>
        <p>{submit(Some(Permission::ManageSettings), other, "plain")}</p>
    };
    view! {
        <Section id="deleting" title=t!("settings-deleting") hint=t!("settings-deleting-hint")>
            {form::<SetSecondPerson>("settings-form", fields)}
        </Section>
    }
}
