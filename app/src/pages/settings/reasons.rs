//! The reasons that dialogs offer.

use leptos::prelude::*;
use reprieve::model::{Permission, Setting};

use super::checked::Checked;
use super::{Section, submit};
use crate::api::SetReasons;
use crate::components::fields::BackField;
use crate::components::post_form::{FormAction, PostForm};
use crate::live::effect::effect;
use crate::written::in_field;
use crate::{i18n, t};

/// One a line; empty for the usual ones.
#[component]
pub(super) fn Reasons(reasons: Vec<String>) -> impl IntoView {
    let usual = reasons.is_empty();
    let action = FormAction::<SetReasons>::new();
    let answer = Signal::derive(move || action.value().get());
    let setting = Setting::Reasons(reasons.clone());
    let shown =
        |reasons: &[String]| if reasons.is_empty() { i18n::REASONS.join("\n") } else { reasons.join("\n") };
    let first = shown(&reasons);
    let (text, usual) = (RwSignal::new(first.clone()), RwSignal::new(usual));
    effect(move || {
        let Some(Ok(saved)) = action.value().get() else { return };
        if let Ok(Setting::Reasons(reasons)) = serde_json::from_str(&saved.seen) {
            text.set(shown(&reasons));
            usual.set(reasons.is_empty());
        }
    });
    let fields = view! {
        <div class="field">
            <label for="reasons-text">{t!("settings-reasons-label")}</label>
            <textarea id="reasons-text" name="reasons" rows="8" maxlength="2000" aria-describedby="reasons-hint" prop:value=text on:input:target=move |event| text.set(event.target().value())>{in_field(first)}</textarea>
            <small id="reasons-hint">
                {move || if usual.get() { t!("settings-reasons-usual") } else { t!("settings-reasons-own") }}
            </small>
        </div>
        <p>{submit(Some(Permission::ManageSettings), t!("settings-save"), "primary")}</p>
    };
    view! {
        <Section id="reasons" title=t!("settings-reasons") hint=t!("settings-reasons-hint")>
            <PostForm action attr:class="settings-form">
                <BackField/>
                <Checked setting answer/>
                {fields}
            </PostForm>
        </Section>
    }
}
