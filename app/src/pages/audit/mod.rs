//! Audit: who did what, and why?

mod address;
mod change;
mod check;
mod filter;
mod row;

use leptos::prelude::*;
use reprieve::model::Permission;

use self::address::Address;
use crate::api::audit::{AuditView, get_audit};
use crate::components::empty::Empty;
use crate::components::error_panel::ErrorPanel;
use crate::components::page_head::PageTitle;
use crate::components::table::{Table, head};
use crate::light::{RefreshedEvery, suspended};
use crate::session::Session;
use crate::{format, routes, t};

/// Who did what, and why?
#[component]
pub fn AuditPage() -> impl IntoView {
    let address = Address::current();
    let checked = address.check.then(|| view! { {suspended(check::checked())} });
    view! {
        <PageTitle title=t!("audit-title")/>
        // What somebody reads here must not move: new acts come with a click.
        <RefreshedEvery seconds=0/>
        <header class="audit-head">
            <h1 tabindex="-1">{t!("audit-title")}</h1>
            <p>{if Session::get().sees_own_acts_only() { t!("audit-own") } else { t!("audit-kept") }}</p>
        </header>
        <filter::Filter address=address.clone()/>
        <div class="audit-tools">
            <a class="button" data-key="." href=address.newest().href()>{t!("audit-load-new")}</a>
            <Files address=address.clone()/>
            <check::CheckForm address=address.clone()/>
        </div>
        {checked}
        {suspended(acts(address))}
    }
}

/// Those that fit.
async fn acts(address: Address) -> AnyView {
    match get_audit(&address.asked, &address.before).await {
        Ok(view) if view.acts.is_empty() => view! { <Nothing view address/> }.into_any(),
        Ok(view) => view! { <Acts view address/> }.into_any(),
        Err(error) => view! { <ErrorPanel error/> }.into_any(),
    }
}

/// The acts as files, for a person who may take them away.
#[component]
fn Files(address: Address) -> impl IntoView {
    let refusal = Session::get().lacks(&[Permission::ExportAudit]);
    let file = move |format: &'static str, name: String| match refusal.clone() {
        Some(why) => {
            view! { <button type="button" class="button" aria-disabled="true" title=why>{name}</button> }
                .into_any()
        }
        None => {
            view! { <a class="button" href=address.export_href(format) download="">{name}</a> }.into_any()
        }
    };
    view! {
        <span class="export-links">
            {file("csv", t!("audit-csv"))}
            {file("jsonl", t!("audit-lines"))}
        </span>
    }
}

#[component]
fn Acts(view: AuditView, address: Address) -> impl IntoView {
    let more = view.next.clone().map(|next| {
        let href = address.before(next).href();
        view! { <a class="button" href=href>{if view.cut { t!("audit-search-on") } else { t!("audit-older") }}</a> }
    });
    let first = (!address.before.is_empty())
        .then(|| view! { <a class="button" href=address.newest().href()>{t!("audit-newest")}</a> });
    let rows = view.acts.into_iter().map(|(entry, job)| view! { <row::Act entry job/> }).collect_view();
    view! {
        <div class="panel">
            <Table label=t!("audit-title") class="cards audit-table" heads=vec![
                head(t!("audit-when")), head(t!("audit-who")), head(t!("audit-what")), head(t!("audit-target")),
                head(t!("audit-why")), head(t!("audit-result")),
            ]>
                {rows}
            </Table>
        </div>
        <p class="audit-foot">
            {first}
            {more}
            {view.cut.then(|| view! { <small>{t!("audit-cut", scanned = view.scanned)}</small> })}
        </p>
    }
}

/// No act at all, none that fits, or none so far.
#[component]
fn Nothing(view: AuditView, address: Address) -> impl IntoView {
    if let Some(next) = view.next {
        let href = address.before(next).href();
        return view! {
            <Empty text=t!("audit-none-so-far", scanned = format::number(view.scanned))>
                <a class="button" href=href>{t!("audit-search-on")}</a>
            </Empty>
        }
        .into_any();
    }
    if address.is_plain() {
        let is_own = Session::get().sees_own_acts_only();
        return view! { <Empty text=if is_own { t!("audit-none-own") } else { t!("audit-none") }/> }
            .into_any();
    }
    view! {
        <Empty text=t!("audit-none-fits")>
            <a class="button" href=routes::AUDIT>{t!("audit-drop-filter")}</a>
        </Empty>
    }
    .into_any()
}
