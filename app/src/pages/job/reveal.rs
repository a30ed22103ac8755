//! A look at one hidden part of the payload: a reason, an entry in the audit, and the value until the page is left.

use std::time::Duration;

use leptos::ev::SubmitEvent;
use leptos::prelude::*;
use reprieve::model::{JobId, PartPath, Permission, Revealed};

use super::payload::plain;
use crate::api::RevealPart;
use crate::components::confirm::Confirm;
use crate::components::fields::{BackField, ReasonFields};
use crate::components::icons::{Icon, icon};
use crate::components::post_form::FormAction;
use crate::components::refusal;
use crate::error::ApiError;
use crate::i18n::ReasonsFor;
use crate::i18n::{self, Tell};
use crate::live::effect::effect;
use crate::session::Session;
use crate::{routes, t};

/// For how long it is shown.
const SHOWN: Duration = Duration::from_secs(60);

/// The button beside the mark, the form it opens, and what was behind the mark.
///
/// Without script the form leads to a page that shows the value once. The value is in no address and in no storage of the
/// browser; it goes after a minute, or with the page.
#[component]
pub(super) fn Reveal(
    /// The job.
    id: JobId,
    /// Which part of its payload.
    part: PartPath,
    /// Tells the forms of a page apart.
    number: usize,
) -> impl IntoView {
    let action = FormAction::<RevealPart>::new();
    let answer = action.value();
    let done = RwSignal::new(0);
    effect(move || {
        if answer.with(|answer| matches!(answer, Some(Ok(Revealed::Part { .. })))) {
            done.update(|done| *done += 1);
        }
    });
    effect(move || {
        if done.get() > 0
            && let Ok(timer) = set_timeout_with_handle(move || action.clear(), SHOWN)
        {
            on_cleanup(move || timer.clear());
        }
    });
    let value = Memo::new(move |_| match answer.get() {
        Some(Ok(Revealed::Part { value, .. })) => Some(plain(&value)),
        _ => None,
    });
    let refused = move || answer.with(|answer| refusal(answer.as_ref()?));
    let may = Session::get().may(Permission::RevealFields);
    let why = if may { String::new() } else { i18n::needs(Permission::RevealFields) };
    let at = if part.names().is_empty() { t!("job-reveal-whole") } else { part.to_string() };
    let name = t!("job-reveal-name", part = at.as_str());
    let send = move |event: SubmitEvent| action.submit(&event);
    view! {
        <span class="reveal" data-revealed=move || value.with(Option::is_some).to_string()>
            <Confirm
                id=format!("reveal-{number}")
                trigger=move || view! { <span aria-hidden="true">{t!("job-reveal")}</span> <span class="visually-hidden">{name.clone()}</span> }
                title=t!("job-reveal-title", part = at.as_str())
                sentence=t!("job-reveal-sentence")
                dismiss=t!("job-reveal-keep")
                disabled_because=why
                done
            >
                <form method="post" action=routes::REVEAL on:submit=send>
                    <input type="hidden" name="id" value=id.to_string()/>
                    <input type="hidden" name="part" value=part.to_string()/>
                    <BackField/>
                    <ReasonFields id=format!("reveal-{number}-why") sort=ReasonsFor::Changing needed=true/>
                    {refused}
                    <button type="submit" class="button" data-tone="primary">{t!("job-reveal")}</button>
                </form>
            </Confirm>
            <span class="revealed" role="status">
                {move || value.get().map(|text| view! {
                    <span class="revealed-mark">{icon(Icon::Warning)} {t!("job-revealed")}</span>
                    <pre class="payload" tabindex="0">{text}</pre>
                    <button type="button" class="button" data-tone="quiet" on:click=move |_| action.clear()>{t!("job-reveal-hide")}</button>
                })}
            </span>
        </span>
    }
}

/// Why nothing was shown; the form stays open with what was typed.
fn refusal(answer: &Result<Revealed, ApiError>) -> Option<AnyView> {
    match answer {
        Ok(Revealed::Part { .. }) => None,
        Ok(other) => Some(refusal::refusal(other.said().text, None)),
        Err(error) => Some(refusal::refused(error)),
    }
}
