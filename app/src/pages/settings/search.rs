//! Which fields of payloads filters find jobs by at once, and how far their index is.

use leptos::prelude::*;
use reprieve::model::filter::PayloadPath;
use reprieve::model::{IndexState, Permission, Setting};

use super::checked::Checked;
use super::{Section, form, submit};
use crate::api::settings::SetIndexFields;
use crate::components::fields::labelled;
use crate::light::{RefreshedEvery, Told};
use crate::written::in_field;
use crate::{index_field, t};

/// How often to look how far the index is while it is made, in seconds.
const PULSE_SECONDS: u32 = 2;

/// One field a line; empty for none.
#[component]
pub(super) fn Search(fields: Vec<PayloadPath>, index: IndexState) -> impl IntoView {
    let text = shown(&fields);
    let pulse = is_made(&index).then(|| view! { <RefreshedEvery seconds=PULSE_SECONDS/> });
    let far = said(&index);
    let inputs = view! {
        <Checked setting=Setting::IndexFields(fields)/>
        {labelled("search-fields", t!("settings-search-label"), Some(t!("settings-search-label-hint")), view! {
            <textarea id="search-fields" class="settings-paths" name="fields" rows="8" maxlength="2000" autocapitalize="off" spellcheck="false" aria-describedby="search-fields-hint">{in_field(&text)}</textarea>
        })}
        <p>{submit(Some(Permission::ManageSettings), t!("settings-save"), "primary")}</p>
    };
    view! {
        <Section id="search" title=t!("settings-search") hint=t!("settings-search-hint")>
            {pulse}
            <Told of=far.clone() text=far.clone() goes_on=true/>
            <p>{far}</p>
            {form::<SetIndexFields>("settings-form", inputs)}
        </Section>
    }
}

fn shown(fields: &[PayloadPath]) -> String {
    fields.iter().map(index_field::text).collect::<Vec<_>>().join("\n")
}

/// Whether it is on its way.
fn is_made(index: &IndexState) -> bool {
    !index.fields.is_empty() && !index.complete
}

fn said(index: &IndexState) -> String {
    if index.fields.is_empty() {
        t!("settings-search-none")
    } else if index.complete {
        t!("settings-search-complete", count = index.jobs)
    } else {
        t!("settings-search-making", count = index.jobs)
    }
}
