//! What of payloads nobody sees, with a preview on a sample.

use leptos::prelude::*;
use reprieve::model::{Permission, RedactedSample, RedactionRule};

use super::{Section, form, submit};
use crate::api::{AddRedaction, RemoveRedaction, preview_redaction};
use crate::error::ApiError;
use crate::live::reading::Reading;
use crate::t;
use crate::written::in_field;

/// What the preview begins with.
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

/// The fields of a new rule, and what the sample looks like with it.
#[component]
fn NewRule() -> impl IntoView {
    let kinds = RwSignal::new("*".to_owned());
    let path = RwSignal::new("customer.phone".to_owned());
    let keep = RwSignal::new(4_u8);
    let kind = RwSignal::new("send_sms".to_owned());
    let sample = RwSignal::new(SAMPLE.to_owned());
    let preview = Reading::new(
        move || (kind.get(), sample.get(), kinds.get(), path.get(), keep.get()),
        |(kind, sample, kinds, path, keep)| preview_redaction(kind, sample, kinds, path, keep),
    );
    let fields = view! {
        <div class="settings-grid">
            <div class="field">
                <label for="redact-path">{t!("settings-redaction-path")}</label>
                <input id="redact-path" name="path" maxlength="128" required autocomplete="off" prop:value=path value=path.get_untracked() on:input:target=move |event| path.set(event.target().value()) aria-describedby="redact-path-hint"/>
                <small id="redact-path-hint">{t!("settings-redaction-path-hint")}</small>
            </div>
            <div class="field">
                <label for="redact-kinds">{t!("settings-redaction-kinds")}</label>
                <input id="redact-kinds" name="kinds" maxlength="128" autocomplete="off" prop:value=kinds value=kinds.get_untracked() on:input:target=move |event| kinds.set(event.target().value()) aria-describedby="redact-kinds-hint"/>
                <small id="redact-kinds-hint">{t!("settings-redaction-kinds-hint")}</small>
            </div>
            <div class="field">
                <label for="redact-keep">{t!("settings-redaction-keep")}</label>
                <select id="redact-keep" name="keep" on:change:target=move |event| keep.set(event.target().value().parse().unwrap_or_default())>
                    {[0_u8, 2, 3, 4].map(|n| view! { <option value=n.to_string() selected=n == 4>{n.to_string()}</option> })}
                </select>
            </div>
        </div>
        <p>{submit(Some(Permission::ManageSettings), t!("settings-redaction-add"), "primary")}</p>
    };
    view! {
        {form::<AddRedaction>("settings-form", fields)}
        <h3>{t!("settings-redaction-preview")}</h3>
        <div class="settings-preview">
            <div class="field">
                <label for="redact-kind">{t!("settings-redaction-sample-kind")}</label>
                <input id="redact-kind" maxlength="64" autocomplete="off" value=kind.get_untracked() on:input:target=move |event| kind.set(event.target().value())/>
                <label for="redact-sample">{t!("settings-redaction-sample")}</label>
                <textarea id="redact-sample" rows="6" spellcheck="false" on:input:target=move |event| sample.set(event.target().value())>
                    {in_field(sample.get_untracked())}
                </textarea>
            </div>
            <div>
                <p class="settings-label">{t!("settings-redaction-shown")}</p>
                <Transition>
                    {move || Suspend::new(async move { shown(preview.await) })}
                </Transition>
            </div>
        </div>
    }
}

fn shown(preview: Result<RedactedSample, ApiError>) -> impl IntoView {
    match preview {
        Ok(sample) => view! {
            <pre class="settings-shown" tabindex="0"><code>{sample.shown}</code></pre>
            <p role="status"><small>{t!("settings-redaction-hides", count = sample.hidden)}</small></p>
        }
        .into_any(),
        Err(error) => view! { <p role="status">{error.sentence()}</p> }.into_any(),
    }
}
