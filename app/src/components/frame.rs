//! What stands around every page: navigation, top bar, banners, notices.

use leptos::prelude::*;
use leptos_router::components::A;
use leptos_router::hooks::use_location;

use super::icons::{Icon, icon};
use super::language_switch::LanguageSwitch;
use super::live_badge::{LiveBadge, LiveBanner, WallClock};
use super::notices::{FormOutcome, NoticeList};
use super::theme_switch::ThemeSwitch;
use crate::routes;
use crate::session::Session;
use crate::t;

/// The frame with a page in it.
#[component]
pub fn Frame(
    /// The page.
    children: Children,
) -> impl IntoView {
    view! {
        <a class="skip" href="#page">{t!("frame-skip")}</a>
        <div class="frame">
            <Navigation/>
            <div class="frame-body">
                <TopBar/>
                <LiveBanner/>
                <FormOutcome/>
                <main id="page" class="page" tabindex="-1">
                    {children()}
                </main>
            </div>
        </div>
        <NoticeList/>
    }
}

/// The way to the pages there are.
#[component]
fn Navigation() -> impl IntoView {
    let path = use_location().pathname;
    // One list stands for all of them; a job belongs to its lists.
    let in_jobs = move || path.with(|path| path.starts_with("/job")).then_some("page");
    view! {
        <nav class="navigation" aria-label=t!("frame-pages")>
            <a class="brand" href=routes::OVERVIEW>
                <svg class="brand-mark" viewBox="0 0 24 24" aria-hidden="true">
                    <path class="brand-ring" d="M5.2 7.2A8.6 8.6 0 1 1 3.4 12"></path>
                    <path class="brand-ring" d="M4.6 2.9v4.7h4.7"></path>
                    <path class="brand-hand" d="M9.6 9v6M14.4 9v6"></path>
                </svg>
                <span>"Reprieve"</span>
            </a>
            <A href=routes::OVERVIEW exact=true>
                {icon(Icon::Gauge)}
                <span>{t!("frame-overview")}</span>
            </A>
            <a href=routes::JOBS aria-current=in_jobs>
                {icon(Icon::List)}
                <span>{t!("frame-nav-jobs")}</span>
            </a>
        </nav>
    }
}

/// Where this is, whether it is live, what time it is, how it looks.
#[component]
fn TopBar() -> impl IntoView {
    let session = Session::get();
    let environment = session.environment.clone();
    let badge = (!environment.is_empty())
        .then(|| view! { <span class="environment-badge">{session.environment.to_uppercase()}</span> });
    view! {
        <header class="top-bar" data-environment=environment>
            <span class="namespace" title=t!("frame-namespace")>{session.namespace.clone()}</span>
            {badge}
            <span class="top-bar-space"></span>
            <LiveBadge/>
            <WallClock/>
            <LanguageSwitch/>
            <ThemeSwitch/>
        </header>
    }
}
