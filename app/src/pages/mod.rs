//! One module per page.

#[allow(unreachable_pub, reason = "the component macro makes the props of a private component public")]
pub mod account;
#[allow(unreachable_pub, reason = "the component macro makes the props of a private component public")]
pub mod audit;
#[allow(unreachable_pub, reason = "the component macro makes the props of a private component public")]
pub mod bulk;
#[allow(unreachable_pub, reason = "the component macro makes the props of a private component public")]
pub mod dead;
#[allow(unreachable_pub, reason = "the component macro makes the props of a private component public")]
pub mod desk;
#[allow(unreachable_pub, reason = "the component macro makes the props of a private component public")]
pub mod forecast;
#[allow(unreachable_pub, reason = "the component macro makes the props of a private component public")]
pub mod import;
#[allow(unreachable_pub, reason = "the component macro makes the props of a private component public")]
pub mod job;
#[allow(unreachable_pub, reason = "the component macro makes the props of a private component public")]
pub mod jobs;
pub mod not_found;
pub mod overview;
#[allow(unreachable_pub, reason = "the component macro makes the props of a private component public")]
pub mod people;
#[allow(unreachable_pub, reason = "the component macro makes the props of a private component public")]
pub mod queue;
#[allow(unreachable_pub, reason = "the component macro makes the props of a private component public")]
pub mod redis;
#[allow(unreachable_pub, reason = "the component macro makes the props of a private component public")]
pub mod schedules;
pub mod search;
#[allow(unreachable_pub, reason = "the component macro makes the props of a private component public")]
pub mod settings;
#[allow(unreachable_pub, reason = "the component macro makes the props of a private component public")]
pub mod workers;

pub use account::AccountPage;
pub use audit::AuditPage;
pub use bulk::{BulkPage, RunPage};
pub use dead::DeadPage;
pub use desk::{DeskPage, SubjectPage};
pub use forecast::ForecastPage;
pub use import::ImportPage;
pub use job::JobPage;
pub use jobs::JobsPage;
pub use not_found::NotFoundPage;
pub use overview::OverviewPage;
pub use people::PeoplePage;
pub use queue::QueuePage;
pub use redis::RedisPage;
pub use schedules::{EditSchedulePage, NewSchedulePage, SchedulePage, SchedulesPage};
pub use search::SearchPage;
pub use settings::SettingsPage;
pub use workers::WorkersPage;
