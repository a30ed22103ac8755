//! The notices in their corner, what screen readers are told, and the outcome of a form above the page.

use leptos::prelude::*;
use leptos_router::hooks::use_query_map;

use super::fields::BackField;
use super::icons::{Icon, icon};
use super::prove::ProveLink;
use crate::done::Undo;
use crate::i18n::{self, Said, Tone};
use crate::refused::Refused;
use crate::session::Session;
use crate::t;

/// Where the script of the page puts notices.
#[component]
pub(crate) fn NoticeList() -> impl IntoView {
    view! {
        <div class="notices" data-own></div>
        <template id="notice">
            <div class="notice">
                <div><p></p></div>
                <button type="button" class="notice-close" aria-label=t!("live-close")>{icon(Icon::Close)}</button>
            </div>
        </template>
    }
}

/// What the script tells screen readers. Nobody sees it: what it tells of is on screen.
#[component]
pub(crate) fn Spoken() -> impl IntoView {
    view! { <div class="visually-hidden" role="status" data-testid="voice" data-own=""></div> }
}

/// What a form achieved, from the word `said` in the address; of one that was refused, what is wrong and in which field.
#[component]
pub(crate) fn FormOutcome() -> impl IntoView {
    let word = use_query_map().get_untracked().get("said")?;
    let Session { refused, done, .. } = Session::get();
    let refused = refused.filter(|refused| refused.said == word);
    let (text, link) = done.map(|done| (done.text, done.link)).unwrap_or_default();
    let said = match &refused {
        Some(refused) => Said::bad(refused.text.clone()),
        None => {
            let said = i18n::said(&word)?;
            Said { text: if text.is_empty() { said.text } else { text }, ..said }
        }
    };
    let prove = (word == "error.prove_first").then(|| view! { " " <ProveLink/> });
    // The script ties it to its field.
    let (action, field) = match refused {
        Some(Refused { action, field: Some(field), .. }) => (Some(action), Some(field)),
        _ => (None, None),
    };
    let link = link.filter(|_| said.tone != Tone::Bad);
    Some(view! {
        <p class="form-outcome" role="status" data-tone=said.tone.as_str() data-action=action data-field=field>
            {said.text} {prove} {link.map(|(page, words)| view! { " " <a href=page>{words}</a> })}
        </p>
        <UndoForm/>
    })
}

/// The button that takes the act back that led to this page; nothing where there is none.
#[component]
fn UndoForm() -> impl IntoView {
    Session::get().done.and_then(|done| done.undo).map(|Undo { path, fields }| {
        let fields = fields.into_iter().map(|(name, value)| view! { <input type="hidden" name=name value=value/> });
        view! {
            <form class="form-undo" method="post" action=path>
                {fields.collect_view()}
                <BackField/>
                <button type="submit" class="button" data-tone="quiet" data-undo="" title=t!("frame-undo-key")>
                    {icon(Icon::Undo)} {t!("live-undo")}
                </button>
            </form>
        }
    })
}
