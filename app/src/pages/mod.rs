//! One module per page.

#[allow(unreachable_pub, reason = "the component macro makes the props of a private component public")]
#[cfg(feature = "ssr")]
pub mod account;
#[allow(unreachable_pub, reason = "the component macro makes the props of a private component public")]
#[cfg(feature = "ssr")]
pub mod audit;
#[allow(unreachable_pub, reason = "the component macro makes the props of a private component public")]
#[cfg(feature = "ssr")]
pub mod bulk;
#[allow(unreachable_pub, reason = "the component macro makes the props of a private component public")]
#[cfg(feature = "ssr")]
pub mod dead;
#[allow(unreachable_pub, reason = "the component macro makes the props of a private component public")]
#[cfg(feature = "ssr")]
pub mod desk;
#[allow(unreachable_pub, reason = "the component macro makes the props of a private component public")]
#[cfg(feature = "ssr")]
pub mod forecast;
#[allow(unreachable_pub, reason = "the component macro makes the props of a private component public")]
#[cfg(feature = "ssr")]
pub mod import;
#[allow(unreachable_pub, reason = "the component macro makes the props of a private component public")]
#[cfg(feature = "ssr")]
pub mod job;
#[allow(unreachable_pub, reason = "the component macro makes the props of a private component public")]
#[cfg(feature = "ssr")]
pub mod jobs;
pub(crate) mod lazy;
pub mod not_found;
#[cfg(feature = "ssr")]
pub mod overview;
#[allow(unreachable_pub, reason = "the component macro makes the props of a private component public")]
#[cfg(feature = "ssr")]
pub mod people;
#[allow(unreachable_pub, reason = "the component macro makes the props of a private component public")]
#[cfg(feature = "ssr")]
pub mod queue;
#[allow(unreachable_pub, reason = "the component macro makes the props of a private component public")]
#[cfg(feature = "ssr")]
pub mod redis;
#[allow(unreachable_pub, reason = "the component macro makes the props of a private component public")]
#[cfg(feature = "ssr")]
pub mod schedules;
#[cfg(feature = "ssr")]
pub mod search;
#[allow(unreachable_pub, reason = "the component macro makes the props of a private component public")]
#[cfg(feature = "ssr")]
pub mod settings;
#[allow(unreachable_pub, reason = "the component macro makes the props of a private component public")]
#[cfg(feature = "ssr")]
pub mod workers;

#[cfg(feature = "ssr")]
pub use account::AccountPage;
#[cfg(feature = "ssr")]
pub use audit::AuditPage;
#[cfg(feature = "ssr")]
pub use bulk::{BulkPage, RunPage};
#[cfg(feature = "ssr")]
pub use dead::DeadPage;
#[cfg(feature = "ssr")]
pub use desk::{DeskPage, SubjectPage};
#[cfg(feature = "ssr")]
pub use forecast::ForecastPage;
#[cfg(feature = "ssr")]
pub use import::ImportPage;
#[cfg(feature = "ssr")]
pub use job::JobPage;
#[cfg(feature = "ssr")]
pub use jobs::JobsPage;
pub use not_found::NotFoundPage;
#[cfg(feature = "ssr")]
pub use overview::OverviewPage;
#[cfg(feature = "ssr")]
pub use people::PeoplePage;
#[cfg(feature = "ssr")]
pub use queue::QueuePage;
#[cfg(feature = "ssr")]
pub use redis::RedisPage;
#[cfg(feature = "ssr")]
pub use schedules::{EditSchedulePage, NewSchedulePage, SchedulePage, SchedulesPage};
#[cfg(feature = "ssr")]
pub use search::SearchPage;
#[cfg(feature = "ssr")]
pub use settings::SettingsPage;
#[cfg(feature = "ssr")]
pub use workers::WorkersPage;
