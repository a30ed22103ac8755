//! What of payloads nobody sees, with a preview on a sample.

use leptos::prelude::*;
use leptos::server_fn::ServerFn;
use reprieve::model::{Permission, RedactionRule};

use super::{Section, form, submit};
use crate::api::settings::{
    AddRedaction, PreviewRedaction, RedactionPreview, RemoveRedaction, preview_redaction,
};
use crate::components::fields::labelled;
use crate::light::suspended;
use crate::t;
use crate::written::in_field;

/// What the preview begins with: a kind, and a payload of it.
const KIND: &str = "send_sms";
const SAMPLE: &str = r#"{"customer": {"name": "Ann", "phone": "+49 151 1234567"}, "items": [{"card": "4111111111111111"}], "token": "s3cr3t-8812"}"#;

/// The rules there are, and one more with its effect.
#[component]
pub(super) fn Redaction(rules: Vec<RedactionRule>) -> impl IntoView {
    let none = rules.is_empty().then(|| view! { <p>{t!("settings-redaction-none")}</p> });
    let list = rules.into_iter().map(row).collect_view();
    view! {
        <Section id="redaction" title=t!("settings-redaction") hint=t!("settings-redaction-hint")>
            {none}
            <ul class="settings-rules">{list}</ul>
            <NewRule/>
        </Section>
    }
}

fn row(rule: RedactionRule) -> impl IntoView {
    let what = t!(
        "settings-redaction-rule",
        path = rule.path.as_str(),
        kinds = rule.kinds.as_str(),
        keep = rule.keep
    );
    let fields = view! {
        <input type="hidden" name="kinds" value=rule.kinds/>
        <input type="hidden" name="path" value=rule.path/>
        <input type="hidden" name="keep" value=rule.keep.to_string()/>
        {submit(Some(Permission::ManageSettings), t!("settings-remove"), "plain")}
    };
    view! { <li><span>{what}</span> {form::<RemoveRedaction>("", fields)}</li> }
}

/// The fields of a new rule, and what the sample looks like with it: that follows what is typed by the script.
#[component]
fn NewRule() -> impl IntoView {
    /// The rule that the preview begins with.
    const FIRST: (&str, &str, u8) = ("*", "customer.phone", 4);
    let (kinds, path, keep) = FIRST;
    let preview = suspended(async move {
        let text = str::to_owned;
        let preview = preview_redaction(text(KIND), text(SAMPLE), text(kinds), text(path), keep).await;
        preview.ok().map(shown)
    });
    let fields = view! {
        <div class="settings-grid">
            {labelled("redact-path", t!("settings-redaction-path"), Some(t!("settings-redaction-path-hint")), view! {
                <input id="redact-path" name="path" maxlength="128" required autocomplete="off" translate="no" placeholder=path aria-describedby="redact-path-hint"/>
            })}
            {labelled("redact-kinds", t!("settings-redaction-kinds"), Some(t!("settings-redaction-kinds-hint")), view! {
                <input id="redact-kinds" name="kinds" maxlength="128" autocomplete="off" value=kinds aria-describedby="redact-kinds-hint"/>
            })}
            {labelled("redact-keep", t!("settings-redaction-keep"), None, view! {
                <select id="redact-keep" name="keep">
                    {[0_u8, 2, 3, 4].map(|n| view! { <option value=n.to_string() selected=n == keep>{n.to_string()}</option> })}
                </select>
            })}
        </div>
        <p>{submit(Some(Permission::ManageSettings), t!("settings-redaction-add"), "primary")}</p>
    };
    view! {
        <div data-preview=PreviewRedaction::PATH>
            {form::<AddRedaction>("settings-form", fields)}
            <h3>{t!("settings-redaction-preview")}</h3>
            <div class="settings-preview">
                <div class="field">
                    <label for="redact-kind">{t!("settings-redaction-sample-kind")}</label>
                    <input id="redact-kind" name="kind" maxlength="64" autocomplete="off" value=KIND/>
                    <label for="redact-sample">{t!("settings-redaction-sample")}</label>
                    <textarea id="redact-sample" name="sample" rows="6" spellcheck="false">{in_field(SAMPLE)}</textarea>
                </div>
                <div data-own>
                    <p class="settings-label">{t!("settings-redaction-shown")}</p>
                    {preview}
                </div>
            </div>
        </div>
    }
}

fn shown(preview: RedactionPreview) -> impl IntoView {
    view! {
        <pre class="settings-shown" tabindex="0"><code data-answer="shown">{preview.shown}</code></pre>
        <p role="status"><small data-answer="told">{preview.told}</small></p>
    }
}
