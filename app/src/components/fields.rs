//! Parts of forms that act on jobs. They work with and without script.

use leptos::prelude::*;
use leptos_router::hooks::use_location;
use reprieve::model::{JobId, Version};

use crate::i18n::ReasonsFor;
use crate::session::Session;
use crate::{i18n, t};

/// The hidden fields of every act on one job: which one, the version on screen, where to return to.
#[component]
pub(crate) fn JobFields(id: JobId, seen: Version) -> impl IntoView {
    view! {
        <input type="hidden" name="id" value=id.to_string()/>
        <input type="hidden" name="seen" value=seen.to_string()/>
        <BackField/>
    }
}

/// Where a form leads to: the page it stands on.
#[component]
pub(crate) fn BackField() -> impl IntoView {
    let location = use_location();
    let query = location.query.get_untracked().to_query_string();
    let back = format!("{}{query}", location.pathname.get_untracked());
    view! { <input type="hidden" name="back" value=back/> }
}

/// A field of a form with its label, and with a hint below it where it has one, whose id is the field's and `-hint`.
pub(crate) fn labelled(
    id: impl Into<String>,
    label: String,
    hint: Option<String>,
    input: impl IntoView + 'static,
) -> impl IntoView {
    let id = id.into();
    let hint = hint.map(|hint| view! { <small id=format!("{id}-hint")>{hint}</small> });
    view! { <div class="field"><label for=id>{label}</label>{input}{hint}</div> }
}

/// A password, of the kind that browsers know.
pub(crate) fn password(
    id: &'static str,
    label: String,
    kind: &'static str,
    described: Option<&'static str>,
) -> impl IntoView {
    let input = view! { <input id=id name=id type="password" autocomplete=kind aria-describedby=described required maxlength="512"/> };
    labelled(id, label, None, input)
}

/// The button that sends a form. Where it is off, it says why.
#[component]
pub(crate) fn Submit(
    /// How it looks; plain without.
    #[prop(optional)]
    tone: Option<&'static str>,
    /// Why it is off; `None` while it is on.
    off: Option<String>,
    children: Children,
) -> impl IntoView {
    let is_off = off.is_some().then_some("true");
    view! { <button type="submit" class="button" data-tone=tone aria-disabled=is_off title=off>{children()}</button> }
}

/// Why: one of the usual reasons, a note, and the number of a ticket, for an incident that of the incident too. Who chooses
/// *Other* says in the note what it is: the server asks for it.
#[component]
pub(crate) fn ReasonFields(
    /// Tells the fields of several forms on a page apart.
    #[prop(into)]
    id: String,
    /// What they are for: that decides which reasons are offered.
    #[prop(optional)]
    sort: ReasonsFor,
    /// Whether nothing is done without a reason.
    #[prop(optional)]
    needed: bool,
    /// Whether they are for what calls off or deletes: in production there has to be a reason.
    #[prop(optional)]
    destroys: bool,
    /// What makes a good reason here.
    #[prop(optional_no_strip)]
    hint: Option<String>,
) -> impl IntoView {
    let whole = (destroys && Session::get().is_production()).then(|| t!("bulk-reason-hint-production"));
    let needed = needed || whole.is_some();
    let hint = hint.or(whole).map(|hint| view! { <p class="field-hint">{hint}</p> });
    let reason = format!("{id}-reason");
    let note = format!("{id}-note");
    let ticket = format!("{id}-ticket");
    let incident = format!("{id}-incident");
    view! {
        <div class="field">
            <label for=reason.clone()>{t!("acts-reason")}</label>
            <select id=reason name="reason" required=needed>
                // Nothing is chosen for anybody: what stands in the audit was meant.
                <option value="">{if needed { t!("acts-reason-choose") } else { t!("acts-reason-none") }}</option>
                {Session::get().reasons_for(sort)
                    .into_iter()
                    .map(|kept| {
                        let said = i18n::reason(&kept);
                        view! { <option value=kept>{said}</option> }
                    })
                    .collect_view()}
                <option value=i18n::OTHER_REASON>{t!("acts-reason-other")}</option>
            </select>
            {hint}
        </div>
        // The style sheet shows it beside the reason that it belongs to, scripts or not.
        <div class="field" data-for="incident">
            <label for=incident.clone()>{t!("acts-incident")} " " <small>{(!needed).then(|| t!("acts-optional"))}</small></label>
            <input id=incident type="text" name="incident" maxlength=i18n::INCIDENT_CHARS_MAX.to_string() autocomplete="off"/>
        </div>
        <div class="field-row">
            <div class="field">
                <label for=note.clone()>{t!("acts-note")} " " <small>{t!("acts-optional")}</small></label>
                <input id=note type="text" name="note" maxlength="200" autocomplete="off"/>
            </div>
            <div class="field">
                <label for=ticket.clone()>{t!("acts-ticket")} " " <small>{t!("acts-optional")}</small></label>
                <input id=ticket type="text" name="ticket" maxlength="60" autocomplete="off"/>
            </div>
        </div>
    }
}
