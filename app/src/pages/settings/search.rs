//! Which fields of payloads filters find jobs by at once, and how far their index is.

use leptos::prelude::*;
use reprieve::model::filter::PayloadPath;
use reprieve::model::{IndexState, Permission, Setting};

use super::checked::Checked;
use super::{Section, submit};
use crate::api::{SetIndexFields, get_index_state};
use crate::components::fields::BackField;
use crate::components::post_form::{FormAction, PostForm};
use crate::live::Live;
use crate::live::effect::effect;
use crate::live::reading::Reading;
use crate::live::voice::Voice;
use crate::written::in_field;
use crate::{index_field, t};

/// How often to look how far the index is while it is made, in seconds.
const PULSE_SECONDS: i64 = 2;

/// One field a line; empty for none.
#[component]
pub(super) fn Search(fields: Vec<PayloadPath>, index: IndexState) -> impl IntoView {
    let action = FormAction::<SetIndexFields>::new();
    let answer = Signal::derive(move || action.value().get());
    let first = shown(&fields);
    let text = RwSignal::new(first.clone());
    effect(move || {
        let Some(Ok(saved)) = action.value().get() else { return };
        if let Ok(Setting::IndexFields(fields)) = serde_json::from_str(&saved.seen) {
            text.set(shown(&fields));
        }
    });
    let inputs = view! {
        <div class="field">
            <label for="search-fields">{t!("settings-search-label")}</label>
            <textarea id="search-fields" class="settings-paths" name="fields" rows="8" maxlength="2000" autocapitalize="off" spellcheck="false" aria-describedby="search-fields-hint" prop:value=text on:input:target=move |event| text.set(event.target().value())>{in_field(first)}</textarea>
            <small id="search-fields-hint">{t!("settings-search-label-hint")}</small>
        </div>
        <p>{submit(Some(Permission::ManageSettings), t!("settings-save"), "primary")}</p>
    };
    view! {
        <Section id="search" title=t!("settings-search") hint=t!("settings-search-hint")>
            <HowFar index saved=action.version()/>
            <PostForm action attr:class="settings-form">
                <BackField/>
                <Checked setting=Setting::IndexFields(fields) answer/>
                {inputs}
            </PostForm>
        </Section>
    }
}

/// How far the index is: read again while it is made, and when its fields were set.
#[component]
fn HowFar(
    /// As it was read with the page.
    index: IndexState,
    /// How often its fields were set from this page.
    saved: RwSignal<usize>,
) -> impl IntoView {
    let moves = RwSignal::new(is_made(&index));
    let pulse = Live::get().pulse(PULSE_SECONDS);
    // Where nothing moves it stays what it was: what was read last is still so.
    let beat = Memo::new(
        move |before: Option<&i64>| {
            if moves.get() { pulse.get() } else { before.copied().unwrap_or_default() }
        },
    );
    let read = Reading::new(
        move || (beat.get(), saved.get()),
        move |asked| {
            let index = index.clone();
            async move { if asked == (0, 0) { Ok(index) } else { get_index_state().await } }
        },
    );
    effect(move || {
        let Some(read) = read.get() else { return };
        // Whoever cannot be asked now may be later.
        let now = read.as_ref().map_or(true, is_made);
        if moves.get_untracked() != now {
            moves.set(now);
        }
    });
    Voice::get().follow(move || read.get()?.ok().map(|index| said(&index)));
    let sentence = move || {
        Suspend::new(async move {
            match read.await {
                Ok(index) => said(&index),
                Err(error) => error.sentence(),
            }
        })
    };
    view! { <Transition><p>{sentence}</p></Transition> }
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
