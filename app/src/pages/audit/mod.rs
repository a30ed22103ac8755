//! Audit: who did what, and why?

mod address;
mod change;
mod check;
mod filter;
mod row;

use leptos::prelude::*;
use leptos_meta::Title;
use reprieve::model::Permission;

use self::address::Address;
use crate::api::audit::{AuditView, get_audit};
use crate::components::empty::Empty;
use crate::components::error_panel::ErrorPanel;
use crate::components::loading::{Loading, Shape};
use crate::live::reading::Reading;
use crate::session::Session;
use crate::{format, i18n, routes, t};

/// Who did what, and why?
#[component]
pub fn AuditPage() -> impl IntoView {
    let address = Address::current();
    // Not read again by itself: what somebody reads here must not move. New acts come with a click.
    let reload = RwSignal::new(0_u32);
    let acts = Reading::new(
        move || (address.get(), reload.get()),
        |(address, _)| async move {
            let Address { by, verb, queue, subject, within, from, to, only, before, .. } = address;
            get_audit(by, verb, queue, subject, within, from, to, only, before).await
        },
    );
    let list = move || {
        Suspend::new(async move {
            match acts.await {
                Ok(view) if view.acts.is_empty() => view! { <Nothing view address/> }.into_any(),
                Ok(view) => view! { <Acts view address/> }.into_any(),
                Err(error) => {
                    acts.refetch_after(&error);
                    view! { <ErrorPanel error/> }.into_any()
                }
            }
        })
    };
    view! {
        <Title text=t!("audit-page-title")/>
        <header class="audit-head">
            <h1 tabindex="-1">{t!("audit-title")}</h1>
            <p>{t!("audit-kept")}</p>
        </header>
        <filter::Filter address/>
        <div class="audit-tools">
            <a
                class="button only-scripted"
                data-key="."
                href=move || address.get().newest().href()
                on:click=move |_| reload.update(|count| *count += 1)
            >
                {t!("audit-load-new")}
            </a>
            <Files address/>
            <check::CheckForm address/>
        </div>
        <check::Checked address/>
        <Loading shape=Shape::Table>{list}</Loading>
    }
}

/// The acts as files, for whoever may take them away.
#[component]
fn Files(address: Memo<Address>) -> impl IntoView {
    let refusal =
        (!Session::get().may(Permission::ExportAudit)).then(|| i18n::needs(Permission::ExportAudit));
    let file = move |format: &'static str, name: String| match refusal.clone() {
        Some(why) => {
            view! { <button type="button" class="button" aria-disabled="true" title=why>{name}</button> }
                .into_any()
        }
        None => {
            let href = move || address.get().export_href(format);
            view! { <a class="button" href=href rel="external" download="">{name}</a> }.into_any()
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
fn Acts(view: AuditView, address: Memo<Address>) -> impl IntoView {
    let more = view.next.clone().map(|next| {
        let href = address.get_untracked().before(next).href();
        view! { <a class="button" href=href>{if view.cut { t!("audit-search-on") } else { t!("audit-older") }}</a> }
    });
    let first = (!address.get_untracked().before.is_empty()).then(
        || view! { <a class="button" href=address.get_untracked().newest().href()>{t!("audit-newest")}</a> },
    );
    let rows = view.acts.into_iter().map(|(entry, job)| view! { <row::Act entry job/> }).collect_view();
    view! {
        <div class="panel">
            <div class="table-scroll" tabindex="0" role="region" aria-label=t!("audit-title")>
                <table class="table cards audit-table">
                    <thead>
                        <tr>
                            <th scope="col">{t!("audit-when")}</th>
                            <th scope="col">{t!("audit-who")}</th>
                            <th scope="col">{t!("audit-what")}</th>
                            <th scope="col">{t!("audit-target")}</th>
                            <th scope="col">{t!("audit-why")}</th>
                            <th scope="col">{t!("audit-result")}</th>
                        </tr>
                    </thead>
                    <tbody>{rows}</tbody>
                </table>
            </div>
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
fn Nothing(view: AuditView, address: Memo<Address>) -> impl IntoView {
    let address = address.get_untracked();
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
        return view! { <Empty text=t!("audit-none")/> }.into_any();
    }
    view! {
        <Empty text=t!("audit-none-fits")>
            <a class="button" href=routes::AUDIT>{t!("audit-drop-filter")}</a>
        </Empty>
    }
    .into_any()
}
