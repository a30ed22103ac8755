//! What is asked for: a plain form, which works the same with and without script.

use leptos::prelude::*;
use reprieve::model::AuditSort;

use super::address::Address;
use crate::api::when::{self, When};
use crate::components::acts::MomentField;
use crate::{i18n, routes, t};

/// Fields of the filter.
#[component]
pub(super) fn Filter(
    /// What is on screen.
    address: Memo<Address>,
) -> impl IntoView {
    let field = move |name: &'static str, label: String, part: fn(&Address) -> &String| {
        let id = format!("audit-{name}");
        view! {
            <div class="field">
                <label for=id.clone()>{label}</label>
                <input id=id type="search" name=name autocomplete="off" value=move || address.with(|a| part(a).clone())/>
            </div>
        }
    };
    let moment = move |name: &'static str, label: String, part: fn(&Address) -> &String| {
        let first = Memo::new(move |_| match when::parse(&address.with(|a| part(a).clone())) {
            Some(When::At(at)) => Some(at),
            _ => None,
        });
        view! { <MomentField id=format!("audit-{name}") name label first/> }
    };
    let choice = move |value: &'static str, said: String, part: fn(&Address) -> &String| {
        view! { <option value=value selected=move || address.with(|a| part(a) == value)>{said}</option> }
    };
    let verbs = AuditSort::ALL.map(|sort| {
        let verbs = sort.verbs().iter().map(|verb| choice(verb, i18n::audit_verb(verb), |a| &a.verb));
        view! { <optgroup label=i18n::audit_sort(sort)>{verbs.collect_view()}</optgroup> }
    });
    let clear = move || {
        address.with(|a| !a.is_plain()).then(
            || view! { <a class="button" data-tone="quiet" href=routes::AUDIT>{t!("audit-drop-filter")}</a> },
        )
    };
    view! {
        <form class="audit-filter" method="get" action=routes::AUDIT role="search" aria-label=t!("audit-filter")>
            {field("by", t!("audit-who"), |a| &a.by)}
            <div class="field">
                <label for="audit-verb">{t!("audit-what")}</label>
                <select id="audit-verb" name="verb">
                    {choice("", t!("audit-any-act"), |a| &a.verb)}
                    {verbs}
                </select>
            </div>
            {field("queue", t!("audit-queue"), |a| &a.queue)}
            {field("subject", t!("audit-subject"), |a| &a.subject)}
            <div class="field">
                <label for="audit-within">{t!("audit-within")}</label>
                <select id="audit-within" name="within">
                    {choice("", t!("audit-any-time"), |a| &a.within)}
                    {choice("3600", t!("audit-last-hour"), |a| &a.within)}
                    {choice("86400", t!("audit-last-day"), |a| &a.within)}
                    {choice("604800", t!("audit-last-week"), |a| &a.within)}
                    {choice("2592000", t!("audit-last-month"), |a| &a.within)}
                </select>
            </div>
            {moment("from", t!("audit-from"), |a| &a.from)}
            {moment("to", t!("audit-to"), |a| &a.to)}
            <div class="field">
                <label for="audit-only">{t!("audit-only")}</label>
                <select id="audit-only" name="only">
                    {choice("", t!("audit-only-all"), |a| &a.only)}
                    {choice("bulk", t!("audit-only-bulk"), |a| &a.only)}
                    {choice("denied", t!("audit-only-denied"), |a| &a.only)}
                </select>
            </div>
            <div class="audit-filter-buttons">
                <button type="submit" class="button" data-tone="primary">{t!("audit-show")}</button>
                {clear}
            </div>
        </form>
    }
}
