//! The screens of Reprieve: pages, components, server functions.
//!
//! Built twice: with `ssr` into the server, with `hydrate` to wasm for the browser.
//! Both renders of a page are the same; what only a browser knows comes after hydration.

// The type of a view holds the types of all views in it; computing the layout of a page goes deeper than 128.
#![recursion_limit = "512"]

#[cfg(feature = "ssr")]
pub mod access;
pub mod api;
#[cfg(feature = "hydrate")]
mod attention;
pub mod call;
pub mod clock;
#[allow(
    clippy::needless_pass_by_value,
    reason = "a component owns its props, whether it consumes them or not"
)]
pub mod components;
#[cfg(feature = "ssr")]
mod cookie;
pub mod desk;
pub mod done;
#[cfg(feature = "ssr")]
pub mod door;
pub mod error;
pub mod findings;
pub mod forecast;
pub mod format;
pub mod i18n;
pub mod index_field;
pub mod json;
pub mod kept;
pub mod keys;
pub mod light;
pub mod live;
pub mod navigation;
pub mod notice;
#[allow(
    clippy::needless_pass_by_value,
    reason = "a component owns its props, whether it consumes them or not"
)]
pub mod pages;
pub mod pinned;
#[cfg(feature = "ssr")]
pub mod places;
pub mod preferences;
pub mod refused;
pub mod routes;
#[cfg(feature = "ssr")]
mod run_ends;
pub mod schedule;
pub mod series;
pub mod session;
#[cfg(feature = "ssr")]
pub mod shell;
pub mod theme;
pub mod traces;
#[cfg(feature = "hydrate")]
mod typed;
#[cfg(feature = "ssr")]
mod written;
pub mod zone;

use leptos::prelude::*;
use leptos_meta::provide_meta_context;
use leptos_router::components::{FlatRoutes, Redirect, Route, Router};
use leptos_router::{ParamSegment, SsrMode, StaticSegment, WildcardSegment};

use crate::components::frame::Frame;
use crate::pages::NotFoundPage;
use crate::pages::lazy::Page;

/// The whole app: what every page needs, the frame, and the page itself.
#[component]
pub fn App() -> impl IntoView {
    provide_meta_context();
    #[cfg(feature = "ssr")]
    provide_context(i18n::Language::of_request());
    session::Session::provide();
    preferences::Preferences::provide();
    let clock = clock::Clock::provide();
    let live = live::Live::provide(clock);
    let voice = live::voice::Voice::provide(live, clock);
    notice::Notices::provide(clock, voice);
    #[cfg(feature = "hydrate")]
    attention::watch();
    mark_hydrated();

    // Async rendering: complete HTML for whoever has no script, with the right status.
    view! {
        <Router>
            <Frame>
                <FlatRoutes fallback=NotFoundPage>
                    <Route path=StaticSegment("") view=Page::Overview ssr=SsrMode::Async/>
                    <Route
                        path=StaticSegment("jobs")
                        view=|| view! { <Redirect path=routes::JOBS/> }
                        ssr=SsrMode::Async
                    />
                    <Route
                        path=(StaticSegment("jobs"), ParamSegment("group"))
                        view=Page::Jobs
                        ssr=SsrMode::Async
                    />
                    <Route path=StaticSegment("desk") view=Page::Desk ssr=SsrMode::Async/>
                    <Route
                        path=(StaticSegment("desk"), WildcardSegment("subject"))
                        view=Page::Subject
                        ssr=SsrMode::Async
                    />
                    <Route path=StaticSegment("dead") view=Page::Dead ssr=SsrMode::Async/>
                    <Route path=(StaticSegment("queue"), ParamSegment("name")) view=Page::Queue ssr=SsrMode::Async/>
                    <Route path=StaticSegment("search") view=Page::Search ssr=SsrMode::Async/>
                    <Route path=StaticSegment("bulk") view=Page::Bulk ssr=SsrMode::Async/>
                    <Route path=(StaticSegment("bulk"), ParamSegment("run")) view=Page::Run ssr=SsrMode::Async/>
                    <Route path=(StaticSegment("job"), WildcardSegment("id")) view=Page::Job ssr=SsrMode::Async/>
                    <Route path=StaticSegment("import") view=Page::Import ssr=SsrMode::Async/>
                    <Route path=StaticSegment("redis") view=Page::Redis ssr=SsrMode::Async/>
                    <Route path=StaticSegment("settings") view=Page::Settings ssr=SsrMode::Async/>
                    <Route path=StaticSegment("account") view=Page::Account ssr=SsrMode::Async/>
                    <Route path=StaticSegment("people") view=Page::People ssr=SsrMode::Async/>
                    <Route path=StaticSegment("workers") view=Page::Workers ssr=SsrMode::Async/>
                    <Route path=StaticSegment("audit") view=Page::Audit ssr=SsrMode::Async/>
                    <Route path=StaticSegment("forecast") view=Page::Forecast ssr=SsrMode::Async/>
                    <Route path=StaticSegment("schedules") view=Page::Schedules ssr=SsrMode::Async/>
                    <Route path=(StaticSegment("schedules"), StaticSegment("new")) view=Page::NewSchedule ssr=SsrMode::Async/>
                    <Route path=(StaticSegment("schedule"), ParamSegment("name")) view=Page::Schedule ssr=SsrMode::Async/>
                    <Route
                        path=(StaticSegment("schedule"), ParamSegment("name"), StaticSegment("edit"))
                        view=Page::EditSchedule
                        ssr=SsrMode::Async
                    />
                </FlatRoutes>
            </Frame>
        </Router>
    }
}

/// Tells tests and style sheets that buttons work by script from now on, those that copy among them where they can.
fn mark_hydrated() {
    #[cfg(feature = "hydrate")]
    live::effect::effect(|| {
        if let Some(html) = document().document_element() {
            // Fails only for an invalid attribute name.
            let _ = html.set_attribute("data-hydrated", "");
            if components::copy::browser::clipboard().is_some() {
                let _ = html.set_attribute("data-copies", "");
            }
        }
    });
}

/// Takes the page over from the server's HTML. Called once, by the boot script.
///
/// Whoever went back in the meantime, behind a page that was loaded anew, is at another address than the HTML is of: that
/// address is loaded instead.
///
/// # Errors
/// A sentence for the console if the code of the page cannot be loaded.
#[cfg(feature = "hydrate")]
#[wasm_bindgen::prelude::wasm_bindgen(wasm_bindgen_futures = leptos::__reexports::wasm_bindgen_futures)]
pub async fn hydrate() -> Result<(), wasm_bindgen::JsValue> {
    std::panic::set_hook(Box::new(|panic| {
        // A wasm panic stops everything: the style sheet shows a bar that offers to load again. Before anything is said
        // of it, for that may fail in turn.
        if let Some(html) = web_sys::window().and_then(|w| w.document()).and_then(|d| d.document_element()) {
            let _ = html.set_attribute("data-wasm", "panicked");
        }
        console_error_panic_hook::hook(panic);
    }));
    // The code of the page comes first: from then on nothing has to be waited for.
    let here = window().location();
    pages::lazy::load(&here.pathname()?).await.map_err(|_| "the code of this page did not come")?;
    #[cfg(feature = "split")]
    i18n::load().await.map_err(|_| "the sentences of this page did not come")?;
    let rendered = document().document_element().and_then(|html| html.get_attribute("data-address"));
    let asked = here.pathname()? + &here.search()?;
    if rendered.is_some_and(|rendered| rendered != asked) {
        return here.reload();
    }
    let typed = typed::Typed::of(&document());
    hydrate_body(App);
    typed.stays();
    Ok(())
}
