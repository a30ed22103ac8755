//! The reasons that dialogs offer.

use leptos::prelude::*;
use reprieve::model::Permission;

use super::{Section, form, submit};
use crate::api::SetReasons;
use crate::{i18n, t};

/// One a line; empty for the usual ones.
#[component]
pub(super) fn Reasons(reasons: Vec<String>) -> impl IntoView {
    let usual = reasons.is_empty();
    let text = if usual { i18n::REASONS.join("\n") } else { reasons.join("\n") };
    let fields = view! {
        <div class="field">
            <label for="reasons-text">{t!("settings-reasons-label")}</label>
            <textarea id="reasons-text" name="reasons" rows="8" maxlength="2000" aria-describedby="reasons-hint">{text}</textarea>
            <small id="reasons-hint">
                {if usual { t!("settings-reasons-usual") } else { t!("settings-reasons-own") }}
            </small>
        </div>
        <p>{submit(Some(Permission::ManageSettings), t!("settings-save"), "primary")}</p>
    };
    view! {
        <Section id="reasons" title=t!("settings-reasons") hint=t!("settings-reasons-hint")>
            {form::<SetReasons>("settings-form", fields)}
        </Section>
    }
}
