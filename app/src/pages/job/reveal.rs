//! A look at one hidden part of the payload: a reason, an entry in the audit, and the value until the page is left.

use leptos::prelude::*;
use reprieve::model::{JobId, PartPath, Permission};

use crate::components::confirm::Confirm;
use crate::components::fields::{BackField, ReasonFields};
use crate::components::icons::{Icon, icon};
use crate::i18n::{self, ReasonsFor};
use crate::session::Session;
use crate::{routes, t};

/// The button beside the mark, the form it opens, and the place for what is behind the mark.
///
/// The form leads to a page that shows the value once; the script puts it in its place here for a minute. The value is in no
/// address and in no storage of the browser.
#[component]
pub(super) fn Reveal(
    id: JobId,
    /// Which part of its payload.
    part: PartPath,
    /// Tells the forms of a page apart.
    number: usize,
) -> impl IntoView {
    let may = Session::get().may(Permission::RevealFields);
    let why = if may { String::new() } else { i18n::needs(Permission::RevealFields) };
    let at = if part.names().is_empty() { t!("job-reveal-whole") } else { part.to_string() };
    let name = t!("job-reveal-name", part = at.as_str());
    view! {
        <span class="reveal">
            <Confirm
                id=format!("reveal-{number}")
                trigger=move || view! { <span aria-hidden="true">{t!("job-reveal")}</span> <span class="visually-hidden">{name.clone()}</span> }
                title=t!("job-reveal-title", part = at.as_str())
                sentence=t!("job-reveal-sentence")
                dismiss=t!("job-reveal-keep")
                disabled_because=why
            >
                <form method="post" action=routes::REVEAL data-once="">
                    <input type="hidden" name="id" value=id.to_string()/>
                    <input type="hidden" name="part" value=part.to_string()/>
                    <BackField/>
                    <ReasonFields id=format!("reveal-{number}-why") sort=ReasonsFor::Changing needed=true/>
                    <button type="submit" class="button" data-tone="primary">{t!("job-reveal")}</button>
                </form>
            </Confirm>
            <span class="revealed" id=format!("revealed-{number}") data-own="" hidden>
                <span class="revealed-mark">{icon(Icon::Warning)} {t!("job-revealed")}</span>
                <pre class="payload" tabindex="0"></pre>
                <button type="button" class="button" data-tone="quiet">{t!("job-reveal-hide")}</button>
            </span>
        </span>
    }
}
