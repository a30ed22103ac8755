//! Finding whom or what a customer is talking about.

use leptos::prelude::*;
use leptos_router::components::Redirect;
use leptos_router::hooks::use_query_map;

use super::partly::PartlySeen;
use super::trouble::DeskTrouble;
use crate::api::desk::find_subjects;
use crate::clock::Clock;
use crate::components::empty::Empty;
use crate::components::page_head::PageTitle;
use crate::desk::{Finding, Hit};
use crate::light::{RefreshedEvery, suspended};
use crate::session::Session;
use crate::{format, routes, t};

/// A number that somebody says or scans is no longer.
const ASKED_CHARS_MAX: &str = "160";

/// One field, and what was looked at last. Never a list of all customers.
#[component]
pub fn DeskPage() -> impl IntoView {
    let asked = use_query_map().get_untracked().get("find").unwrap_or_default();
    let wanted = asked.clone();
    let found = suspended(async move {
        match find_subjects(&wanted).await {
            Ok(finding) => view! { <Found finding/> }.into_any(),
            Err(error) => view! { <DeskTrouble error/> }.into_any(),
        }
    });
    view! {
        <PageTitle title=t!("support-title")/>
        <RefreshedEvery seconds=0/>
        <section class="desk">
            <h1 tabindex="-1">{t!("support-title")}</h1>
            <Finder asked/>
            <PartlySeen/>
            {found}
        </section>
    }
}

/// The field. A plain GET form; the focus is in it as soon as the page is there.
#[component]
fn Finder(asked: String) -> impl IntoView {
    // It promises what can be found here.
    let label = match Session::get().subject_words {
        words if words.is_empty() => t!("support-find-any"),
        words => t!("support-find-label", sorts = format::list(words)),
    };
    let is_demo = Session::get().environment == "demo";
    view! {
        <form class="desk-finder" method="get" action=routes::DESK role="search" aria-label=t!("support-title")>
            <label for="desk-find">{label}</label>
            <div>
                <input
                    id="desk-find"
                    type="search"
                    name="find"
                    maxlength=ASKED_CHARS_MAX
                    autocomplete="off"
                    autocapitalize="none"
                    spellcheck="false"
                    autofocus
                    value=asked
                />
                <button type="submit" class="button" data-tone="primary">{t!("support-find")}</button>
            </div>
            {is_demo.then(|| view! { <p class="quiet">{t!("support-find-demo")}</p> })}
        </form>
    }
}

/// The one that is meant, those that may be, or none.
#[component]
fn Found(finding: Finding) -> impl IntoView {
    let Finding { asked, hits, exact, partly, cut } = finding;
    let is_all = !partly;
    let partly = partly.then(|| view! { <p class="quiet">{t!("support-searched-part")}</p> });
    match (asked.is_empty(), hits.as_slice()) {
        (true, []) => ().into_any(),
        (true, _) => view! { <Hits title=t!("support-recent") hits/> }.into_any(),
        (false, []) => view! {
            <Empty text=t!("support-unknown", asked = asked)>
                <p>{t!("support-unknown-next")}</p>
                {partly}
            </Empty>
        }
        .into_any(),
        // Of a beginning one digit may be missing, and where not every sort was looked through another may be called the same:
        // then the only hit is another customer's.
        (false, [only]) if exact && is_all => {
            view! { <Redirect path=routes::desk(&only.subject)/> }.into_any()
        }
        (false, _) => {
            let title = match cut {
                true => t!("support-several-cut", count = hits.len()),
                false => t!("support-several", count = hits.len()),
            };
            view! { <Hits title hits/> {partly} }.into_any()
        }
    }
}

/// Subjects to choose from, by name and by when they were begun.
#[component]
fn Hits(title: String, hits: Vec<Hit>) -> impl IntoView {
    let clock = Clock::get();
    let line = move |hit: Hit| {
        let Hit { subject, label, since, pending, next } = hit;
        let since = since.map(|since| {
            let at = format::date_minute(since, clock.zone(), Some(clock.now_ms()));
            view! { <small>{t!("support-since", at = at)}</small> }
        });
        let word = match next {
            Some((step, at)) => {
                let at = format::date_minute(at, clock.zone(), Some(clock.now_ms()));
                t!("support-next-step", step = step, at = at)
            }
            None if pending => t!("support-pending"),
            None => t!("support-nothing-pending"),
        };
        view! {
            <li>
                <a href=routes::desk(&subject)>
                    <strong translate="no">{label}</strong>
                    <span data-pending=pending.to_string()>{word}</span>
                    {since}
                </a>
            </li>
        }
    };
    let name = title.clone();
    view! {
        <section class="desk-hits" aria-label=name>
            <h2>{title}</h2>
            <ul>{hits.into_iter().map(line).collect_view()}</ul>
        </section>
    }
}
