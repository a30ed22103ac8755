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
use leptos_router::{ParamSegment, SsrMode, StaticSegment, WildcardSegment};

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
                    <Route path=StaticSegment("") view=pages::OverviewPage ssr=SsrMode::Async/>
                    <Route
                        path=StaticSegment("jobs")
                        view=|| view! { <Redirect path=routes::JOBS/> }
                        ssr=SsrMode::Async
                    />
                    <Route
                        path=(StaticSegment("jobs"), ParamSegment("group"))
                        view=pages::JobsPage
                        ssr=SsrMode::Async
                    />
                    <Route path=StaticSegment("desk") view=pages::DeskPage ssr=SsrMode::Async/>
                    <Route
                        path=(StaticSegment("desk"), WildcardSegment("subject"))
                        view=pages::SubjectPage
                        ssr=SsrMode::Async
                    />
                    <Route path=StaticSegment("dead") view=pages::DeadPage ssr=SsrMode::Async/>
                    <Route path=(StaticSegment("queue"), ParamSegment("name")) view=pages::QueuePage ssr=SsrMode::Async/>
                    <Route path=StaticSegment("search") view=pages::SearchPage ssr=SsrMode::Async/>
                    <Route path=StaticSegment("bulk") view=pages::BulkPage ssr=SsrMode::Async/>
                    <Route path=(StaticSegment("bulk"), ParamSegment("run")) view=pages::RunPage ssr=SsrMode::Async/>
                    <Route path=(StaticSegment("job"), WildcardSegment("id")) view=pages::JobPage ssr=SsrMode::Async/>
                    <Route path=StaticSegment("import") view=pages::ImportPage ssr=SsrMode::Async/>
                    <Route path=StaticSegment("redis") view=pages::RedisPage ssr=SsrMode::Async/>
                    <Route path=StaticSegment("settings") view=pages::SettingsPage ssr=SsrMode::Async/>
                    <Route path=StaticSegment("account") view=pages::AccountPage ssr=SsrMode::Async/>
                    <Route path=StaticSegment("people") view=pages::PeoplePage ssr=SsrMode::Async/>
                    <Route path=StaticSegment("workers") view=pages::WorkersPage ssr=SsrMode::Async/>
                    <Route path=StaticSegment("audit") view=pages::AuditPage ssr=SsrMode::Async/>
                    <Route path=StaticSegment("forecast") view=pages::ForecastPage ssr=SsrMode::Async/>
                    <Route path=StaticSegment("schedules") view=pages::SchedulesPage ssr=SsrMode::Async/>
                    <Route path=(StaticSegment("schedules"), StaticSegment("new")) view=pages::NewSchedulePage ssr=SsrMode::Async/>
                    <Route path=(StaticSegment("schedule"), ParamSegment("name")) view=pages::SchedulePage ssr=SsrMode::Async/>
                    <Route
                        path=(StaticSegment("schedule"), ParamSegment("name"), StaticSegment("edit"))
                        view=pages::EditSchedulePage
                        ssr=SsrMode::Async
                    />
                </FlatRoutes>
            </Frame>
        </Router>
    }
}
