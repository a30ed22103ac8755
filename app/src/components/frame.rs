//! What stands around every page: navigation, top bar, banners, notices.

use leptos::prelude::*;

use super::demo_banner::DemoBanner;
use super::key_help::KeyHelp;
use super::language_switch::LanguageSwitch;
use super::live_badge::{LiveBadge, LiveBanner, WallClock};
use super::namespace_switch::NamespaceSwitch;
use super::navigation::Navigation;
use super::notice_log::NoticeLog;
use super::notices::{FormOutcome, NoticeList, Spoken};
use super::palette::Palette;
use super::search::SearchField;
use super::sign_in_ends::SignInEnds;
use super::signed_out::SignedOut;
use super::theme_switch::ThemeSwitch;
use crate::session::Session;
use crate::t;

/// The frame with a page in it.
#[component]
pub(crate) fn Frame(children: Children) -> impl IntoView {
    view! {
        <a class="skip" href="#page">{t!("frame-skip")}</a>
        <div class="frame">
            <Navigation/>
            <div class="frame-body">
                <TopBar/>
                <DemoBanner/>
                <LiveBanner/>
                <SignInEnds/>
                // They are there on every page: Chromium 156 loses a tab where a morph moves what is below them.
                <div class="form-outcomes"><FormOutcome/></div>
                {run_ends()}
                <main id="page" class="page" tabindex="-1">
                    {children()}
                </main>
            </div>
        </div>
        <NoticeList/>
        <Spoken/>
        <SignedOut/>
        <Palette/>
    }
}

use crate::run_ends::ended as run_ends;

/// Where this is, whether it is live, what time it is, how it looks.
#[component]
fn TopBar() -> impl IntoView {
    let session = Session::get();
    let environment = session.environment.clone();
    let badge = (!environment.is_empty())
        .then(|| view! { <span class="environment-badge">{session.environment.clone()}</span> });
    view! {
        <header class="top-bar" data-environment=environment>
            <NamespaceSwitch/>
            {badge}
            <SearchField/>
            <span class="top-bar-space"></span>
            <LiveBadge/>
            <WallClock/>
            <NoticeLog/>
            <KeyHelp/>
            <LanguageSwitch/>
            <ThemeSwitch/>
            {session.is_signed_in.then(|| view! {
                <a class="account-link" href=crate::routes::ACCOUNT title=t!("account-title")>{session.name.clone()}</a>
            })}
        </header>
    }
}
