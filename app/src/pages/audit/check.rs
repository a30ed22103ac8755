//! Whether the list is still what was written down.

use leptos::prelude::*;
use reprieve::model::{AuditBreak, AuditCheck, AuditFault};

use super::address::Address;
use crate::api::audit::check_audit;
use crate::components::copy::CopyButton;
use crate::components::error_panel::or_why;
use crate::components::icons::{Icon, icon};
use crate::components::time::{Time, TimeStyle};
use crate::{i18n, routes, t};

/// The button that asks. Its answer has an address.
#[component]
pub(super) fn CheckForm(address: Address) -> impl IntoView {
    let said = address.wanted().into_iter().filter(|(_, text)| !text.is_empty());
    let kept = said.map(|(name, text)| view! { <input type="hidden" name=name value=text.to_owned()/> });
    view! {
        <form method="get" action=routes::AUDIT>
            {kept.collect_view()}
            <button type="submit" class="button" name="check" value="1">{icon(Icon::Check)} {t!("audit-check")}</button>
        </form>
    }
}

/// What came of it.
pub(super) async fn checked() -> AnyView {
    or_why(check_audit().await.map(|check| view! { <Answer check/> }))
}

#[component]
fn Answer(check: AuditCheck) -> impl IntoView {
    if let Some(broken) = check.broken {
        return view! { <Broken broken checked=check.checked/> }.into_any();
    }
    let sentence = if check.complete {
        t!("audit-sound", count = check.checked)
    } else {
        t!("audit-sound-so-far", count = check.checked)
    };
    let heads = check.heads.into_iter().map(|hash| {
        view! { <span class="audit-hash"><code>{hash.clone()}</code> <CopyButton text=hash what=t!("audit-newest-hash")/></span> }
    });
    view! {
        <section class="audit-check" data-sound="true" role="status">
            <p>{icon(Icon::Check)} " " {sentence}</p>
            <p><small>{t!("audit-newest-hash")} ": "</small> {heads.collect_view()}</p>
            <p><small>{t!("audit-hash-hint")}</small></p>
        </section>
    }
    .into_any()
}

#[component]
fn Broken(broken: AuditBreak, checked: u64) -> impl IntoView {
    let how = match broken.how {
        AuditFault::Altered => t!("audit-altered"),
        AuditFault::Unlinked => t!("audit-unlinked"),
        _ => t!("audit-shortened"),
    };
    let entry = broken.entry.map(|entry| {
        view! {
            <p>
                <Time at=entry.at style=TimeStyle::Exact/> " · " {entry.by} " · " {i18n::audit_verb(&entry.verb)} " · "
                <code>{entry.target}</code> " · " <code>{entry.place.to_string()}</code>
            </p>
        }
    });
    view! {
        <section class="audit-check" data-sound="false" role="alert">
            <p>{icon(Icon::Warning)} " " {t!("audit-broken", place = checked)} " " {how}</p>
            {entry}
            <p><small>{t!("audit-broken-next")}</small></p>
        </section>
    }
}
