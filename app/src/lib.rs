//! The screens of Reprieve: pages, components, server functions.
//!
//! The server alone renders them; the script in `browser` keeps them live.

// The type of a view holds the types of all views in it; computing the layout of a page goes deeper than 128.
#![recursion_limit = "512"]

/// The version of this program.
pub const VERSION: &str = env!("CARGO_PKG_VERSION");
/// The commit that it was built from, where the build said so in `REPRIEVE_COMMIT`.
pub const COMMIT: &str = match option_env!("REPRIEVE_COMMIT") {
    Some(commit) => commit,
    None => "unknown",
};

pub mod access;
pub mod api;
pub mod call;
mod clock;
#[allow(
    clippy::needless_pass_by_value,
    unreachable_pub,
    reason = "a component owns its props, whether it consumes them or not; what its macro makes of it is public"
)]
mod components;
mod cookie;
pub mod desk;
mod done;
pub mod door;
pub mod error;
pub mod findings;
pub mod forecast;
pub mod format;
#[cfg(test)]
mod given;
pub mod i18n;
mod index_field;
mod kept;
#[allow(unreachable_pub, reason = "as for those above")]
mod light;
pub mod list;
mod next_page;
#[allow(clippy::needless_pass_by_value, unreachable_pub, reason = "as for those above")]
mod pages;
mod payload;
mod pinned;
pub mod places;
pub mod preferences;
mod print;
pub mod refused;
mod request;
pub mod routes;
mod run_ends;
mod schedule;
pub mod series;
mod session;
pub mod shell;
pub mod traces;
pub mod vocabulary;
mod when;
mod written;
mod zone;

use leptos::prelude::*;
use leptos_meta::provide_meta_context;
use leptos_router::components::{FlatRoutes, Redirect, Route, Router};
use leptos_router::{SsrMode, path};

use crate::components::frame::Frame;
use crate::pages::NotFoundPage;

/// The whole app: what every page needs, the frame, and the page itself.
#[component]
pub fn App() -> impl IntoView {
    provide_meta_context();
    provide_context(i18n::Language::of_request());
    session::Session::provide();
    preferences::Preferences::provide();
    clock::Clock::provide();

    // Async rendering: complete HTML without a script, with the right status.
    view! {
        <Router>
            <Frame>
                <FlatRoutes fallback=NotFoundPage>
                    <Route path=path!("/") view=pages::OverviewPage ssr=SsrMode::Async/>
                    <Route path=path!("/jobs") view=|| view! { <Redirect path=routes::JOBS/> } ssr=SsrMode::Async/>
                    <Route path=path!("/jobs/:group") view=pages::JobsPage ssr=SsrMode::Async/>
                    <Route path=path!("/desk") view=pages::DeskPage ssr=SsrMode::Async/>
                    <Route path=path!("/desk/*subject") view=pages::SubjectPage ssr=SsrMode::Async/>
                    <Route path=path!("/dead") view=pages::DeadPage ssr=SsrMode::Async/>
                    <Route path=path!("/queue/:name") view=pages::QueuePage ssr=SsrMode::Async/>
                    <Route path=path!("/search") view=pages::SearchPage ssr=SsrMode::Async/>
                    <Route path=path!("/bulk") view=pages::BulkPage ssr=SsrMode::Async/>
                    <Route path=path!("/bulk/:run") view=pages::RunPage ssr=SsrMode::Async/>
                    <Route path=path!("/job/*id") view=pages::JobPage ssr=SsrMode::Async/>
                    <Route path=path!("/import") view=pages::ImportPage ssr=SsrMode::Async/>
                    <Route path=path!("/redis") view=pages::RedisPage ssr=SsrMode::Async/>
                    <Route path=path!("/settings") view=pages::SettingsPage ssr=SsrMode::Async/>
                    <Route path=path!("/account") view=pages::AccountPage ssr=SsrMode::Async/>
                    <Route path=path!("/people") view=pages::PeoplePage ssr=SsrMode::Async/>
                    <Route path=path!("/workers") view=pages::WorkersPage ssr=SsrMode::Async/>
                    <Route path=path!("/audit") view=pages::AuditPage ssr=SsrMode::Async/>
                    <Route path=path!("/forecast") view=pages::ForecastPage ssr=SsrMode::Async/>
                    <Route path=path!("/schedules") view=pages::SchedulesPage ssr=SsrMode::Async/>
                    <Route path=path!("/schedules/new") view=pages::NewSchedulePage ssr=SsrMode::Async/>
                    <Route path=path!("/schedule/:name") view=pages::SchedulePage ssr=SsrMode::Async/>
                    <Route path=path!("/schedule/:name/edit") view=pages::EditSchedulePage ssr=SsrMode::Async/>
                </FlatRoutes>
            </Frame>
        </Router>
    }
}
