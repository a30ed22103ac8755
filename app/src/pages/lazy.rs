//! The code of each area of pages is a module of its own, which the browser loads when it is needed.
//!
//! With the feature `split`, that is: in the browser's part as it ships. Everywhere else they are functions like others.

use leptos::prelude::*;
use leptos_router::ChooseView;
use leptos_router::hooks::use_url;
use leptos_router::location::Url;

#[cfg(feature = "ssr")]
use super::{
    AccountPage, AuditPage, DeadPage, EditSchedulePage, ForecastPage, JobPage, JobsPage, NewSchedulePage,
    OverviewPage, PeoplePage, QueuePage, RedisPage, SchedulePage, SchedulesPage, SearchPage, SettingsPage,
    WorkersPage,
};
use super::{BulkPage, DeskPage, ImportPage, RunPage, SubjectPage};

/// The code did not come: the way to the server is cut, or it has another build by now.
#[derive(Debug)]
pub(crate) struct NotLoaded;

#[cfg(feature = "split")]
impl From<wasm_split_helpers::SplitLoaderError> for NotLoaded {
    fn from(_: wasm_split_helpers::SplitLoaderError) -> Self {
        Self
    }
}

/// A function that makes a view and lies in the module of an area: whoever calls it waits for the module first.
macro_rules! in_module {
    ($area:ident, $(#[$doc:meta])* fn $name:ident($given:ident: $type:ty) $view:expr) => {
        #[cfg(feature = "split")]
        $(#[$doc])*
        #[wasm_split_helpers::wasm_split($area, fallible)]
        pub(crate) fn $name($given: $type) -> Result<AnyView, crate::pages::lazy::NotLoaded> {
            crate::i18n::learn(stringify!($area));
            Ok($view)
        }

        #[cfg(not(feature = "split"))]
        $(#[$doc])*
        pub(crate) async fn $name($given: $type) -> Result<AnyView, crate::pages::lazy::NotLoaded> {
            Ok($view)
        }
    };
}
pub(crate) use in_module;

/// Each area with the first part of its addresses, and its pages with their views. The light ones are there on the server
/// alone.
macro_rules! areas {
    (
        $($area:ident $first:pat => { $($page:ident $view:ident)+ })+;
        light { $($light_first:pat => { $($light_page:ident $light_view:ident)+ })+ }
    ) => {
        /// A page of the application; its view comes with the module of its area.
        #[derive(Clone, Copy, Debug, PartialEq, Eq)]
        pub(crate) enum Page {
            /// No page: an area is loaded by asking it for one that it does not have.
            #[cfg(feature = "hydrate")]
            Nothing,
            $($(
                #[doc = stringify!($view)]
                $page,
            )+)+
            $($(
                #[doc = stringify!($light_view)]
                $light_page,
            )+)+
        }

        impl Page {
            async fn view(self) -> Result<AnyView, NotLoaded> {
                match self {
                    #[cfg(feature = "hydrate")]
                    Self::Nothing => Ok(().into_any()),
                    $($(Self::$page)|+ => $area(self).await,)+
                    $($(
                        #[cfg(feature = "ssr")]
                        Self::$light_page => Ok(view! { <$light_view/> }.into_any()),
                    )+)+
                    $(
                        // They are asked of the server as a whole.
                        #[cfg(not(feature = "ssr"))]
                        $(Self::$light_page)|+ => Ok(().into_any()),
                    )+
                }
            }
        }

        /// Whether the page at that address is light: rendered by the server alone.
        pub(crate) fn is_light(path: &str) -> bool {
            match first_part(path) {
                $($light_first => true,)+
                _ => false,
            }
        }

        /// The area of the page at that address, if it has a page.
        #[cfg(feature = "ssr")]
        pub(crate) fn area(path: &str) -> Option<&'static str> {
            match first_part(path) {
                $($first => Some(stringify!($area)),)+
                _ => None,
            }
        }

        /// Loads the module of the page at that address, so that the page is there at once when it is asked for.
        #[cfg(feature = "hydrate")]
        pub(crate) async fn load(path: &str) -> Result<(), NotLoaded> {
            match first_part(path) {
                $($first => drop($area(Page::Nothing).await?),)+
                _ => {}
            }
            Ok(())
        }

        $(in_module! {
            $area,
            fn $area(page: Page) match page {
                $(Page::$page => view! { <$view/> }.into_any(),)+
                _ => ().into_any(),
            }
        })+
    };
}

areas! {
    desk "desk" => { Desk DeskPage Subject SubjectPage }
    import "import" => { Import ImportPage };
    light {
        "account" => { Account AccountPage }
        "audit" => { Audit AuditPage }
        "bulk" => { Bulk BulkPage Run RunPage }
        "dead" => { Dead DeadPage }
        "desk" => { Desk DeskPage Subject SubjectPage }
        "forecast" => { Forecast ForecastPage }
        "jobs" => { Jobs JobsPage }
        "job" => { Job JobPage }
        "" => { Overview OverviewPage }
        "people" => { People PeoplePage }
        "queue" => { Queue QueuePage }
        "redis" => { Redis RedisPage }
        "schedules" | "schedule" => {
            Schedules SchedulesPage
            NewSchedule NewSchedulePage
            Schedule SchedulePage
            EditSchedule EditSchedulePage
        }
        "search" => { Search SearchPage }
        "settings" => { Settings SettingsPage }
        "workers" => { Workers WorkersPage }
    }
}

impl ChooseView for Page {
    async fn choose(self) -> AnyView {
        let url = use_url();
        #[cfg(feature = "hydrate")]
        if is_light(url.get_untracked().path()) {
            return load_whole(&address(&url.get_untracked())).await;
        }
        match self.view().await {
            Ok(view) => view,
            Err(NotLoaded) => load_whole(&address(&url.get_untracked())).await,
        }
    }

    async fn preload(&self) {}
}

/// Asks the server for the whole page instead. What is on screen stays until it comes.
pub(crate) async fn load_whole(address: &str) -> AnyView {
    // Fails only for an address that no browser reads.
    let _ = window().location().set_href(address);
    std::future::pending().await
}

fn address(url: &Url) -> String {
    let query = if url.search().is_empty() { String::new() } else { format!("?{}", url.search()) };
    format!("{}{query}", url.path())
}

/// `job` of `/job/a1`.
fn first_part(path: &str) -> &str {
    path.split('/').nth(1).unwrap_or_default()
}

#[cfg(all(test, feature = "ssr"))]
mod tests {
    use super::{area, is_light};
    use crate::App;

    /// Within a runtime, which the pages need to be listed.
    #[tokio::test]
    async fn every_page_is_light_or_has_an_area_and_the_first_part_of_its_address_says_so() {
        let owner = leptos::prelude::Owner::new();
        let routes = owner.with(|| leptos_axum::generate_route_list(App));

        assert!(routes.len() > 20, "{} routes", routes.len());
        for route in routes {
            assert!(area(route.path()).is_some() != is_light(route.path()), "{}", route.path());
        }
        assert_eq!(area("/jobs/delay"), Some("jobs"));
        assert_eq!(area("/nowhere"), None);
        assert!(is_light("/redis") && is_light("/account/") && is_light("/"));
        assert!(
            is_light("/job/jobs") && !is_light("/bulk") && !is_light("/jobs/redis") && !is_light("/accounts")
        );
    }
}
