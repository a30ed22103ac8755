//! What is asked for: a plain form, which works the same with and without script.

use leptos::prelude::*;
use reprieve::model::AuditSort;

use super::address::Address;
use crate::components::acts::{MomentInput, ZoneField};
use crate::components::fields::labelled;
use crate::session::Session;
use crate::when::{self, When};
use crate::{i18n, routes, t};

/// Fields of the filter.
#[component]
pub(super) fn Filter(address: Address) -> impl IntoView {
    let field = |name: &'static str, label: String, text: &str| {
        let (id, value) = (format!("audit-{name}"), text.to_owned());
        view! {
            {labelled(id.clone(), label, None, view! { <input id=id type="search" name=name autocomplete="off" value=value/> })}
        }
    };
    let moment = |name: &'static str, label: String, text: &str| {
        let first = match when::parse(text) {
            Some(When::At(at)) => Some(at),
            _ => None,
        };
        view! { <MomentInput id=format!("audit-{name}") name label first/> }
    };
    let choice = |value: &'static str, said: String, chosen: &str| {
        view! { <option value=value selected=chosen == value>{said}</option> }
    };
    let asked = &address.asked;
    let verbs = AuditSort::ALL.map(|sort| {
        let verbs = sort.verbs().iter().map(|verb| choice(verb, i18n::audit_verb(verb), &asked.verb));
        view! { <optgroup label=i18n::audit_sort(sort)>{verbs.collect_view()}</optgroup> }
    });
    let clear = (!address.is_plain()).then(
        || view! { <a class="button" data-tone="quiet" href=routes::AUDIT>{t!("audit-drop-filter")}</a> },
    );
    view! {
        <form class="audit-filter" method="get" action=routes::AUDIT role="search" aria-label=t!("audit-filter")>
            {(!Session::get().sees_own_acts_only()).then(|| field("by", t!("audit-who"), &asked.by))}
            {labelled("audit-verb", t!("audit-what"), None, view! {
                <select id="audit-verb" name="verb">
                    {choice("", t!("audit-any-act"), &asked.verb)}
                    {verbs}
                </select>
            })}
            {field("queue", t!("audit-queue"), &asked.queue)}
            {field("subject", t!("audit-subject"), &asked.subject)}
            {labelled("audit-within", t!("audit-within"), None, view! {
                <select id="audit-within" name="within">
                    {choice("", t!("audit-any-time"), &asked.within)}
                    {choice("3600", t!("audit-last-hour"), &asked.within)}
                    {choice("86400", t!("audit-last-day"), &asked.within)}
                    {choice("604800", t!("audit-last-week"), &asked.within)}
                    {choice("2592000", t!("audit-last-month"), &asked.within)}
                </select>
            })}
            {moment("from", t!("audit-from"), &asked.from)}
            {moment("to", t!("audit-to"), &asked.to)}
            {labelled("audit-only", t!("audit-only"), None, view! {
                <select id="audit-only" name="only">
                    {choice("", t!("audit-only-all"), &asked.only)}
                    {choice("bulk", t!("audit-only-bulk"), &asked.only)}
                    {choice("denied", t!("audit-only-denied"), &asked.only)}
                </select>
            })}
            <ZoneField/>
            <div class="audit-filter-buttons">
                <button type="submit" class="button" data-tone="primary">{t!("audit-show")}</button>
                {clear}
            </div>
        </form>
    }
}
