//! The reasons that dialogs offer.

use leptos::prelude::*;
use reprieve::model::{Permission, Setting};

use super::checked::Checked;
use super::{Section, form, submit};
use crate::api::settings::SetReasons;
use crate::components::fields::labelled;
use crate::written::in_field;
use crate::{i18n, t};

/// One a line; empty for the usual ones.
#[component]
pub(super) fn Reasons(reasons: Vec<String>) -> impl IntoView {
    let (text, whose) = if reasons.is_empty() {
        (i18n::REASONS.join("\n"), t!("settings-reasons-usual"))
    } else {
        (reasons.join("\n"), t!("settings-reasons-own"))
    };
    let fields = view! {
        <Checked setting=Setting::Reasons(reasons)/>
        {labelled("reasons-text", t!("settings-reasons-label"), None, view! {
            <textarea id="reasons-text" name="reasons" rows="8" maxlength="2000" aria-describedby="reasons-hint">{in_field(&text)}</textarea>
            <small id="reasons-hint">{whose}</small>
        })}
        <p>{submit(Some(Permission::ManageSettings), t!("settings-save"), "primary")}</p>
    };
    view! {
        <Section id="reasons" title=t!("settings-reasons") hint=t!("settings-reasons-hint")>
            {form::<SetReasons>("settings-form", fields)}
        </Section>
    }
}
