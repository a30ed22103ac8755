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
pub(crate) mod not_found;
pub(crate) mod overview;
#[allow(unreachable_pub, reason = "the component macro makes the props of a private component public")]
pub mod people;
#[allow(unreachable_pub, reason = "the component macro makes the props of a private component public")]
pub mod queue;
#[allow(unreachable_pub, reason = "the component macro makes the props of a private component public")]
pub mod redis;
#[allow(unreachable_pub, reason = "the component macro makes the props of a private component public")]
pub mod schedules;
pub(crate) mod search;
#[allow(unreachable_pub, reason = "the component macro makes the props of a private component public")]
pub mod settings;
#[allow(unreachable_pub, reason = "the component macro makes the props of a private component public")]
pub mod workers;

pub(crate) use account::AccountPage;
pub(crate) use audit::AuditPage;
pub(crate) use bulk::{BulkPage, RunPage};
pub(crate) use dead::DeadPage;
pub(crate) use desk::{DeskPage, SubjectPage};
pub(crate) use forecast::ForecastPage;
pub(crate) use import::ImportPage;
pub(crate) use job::JobPage;
pub(crate) use jobs::JobsPage;
pub(crate) use not_found::NotFoundPage;
pub(crate) use overview::OverviewPage;
pub(crate) use people::PeoplePage;
pub(crate) use queue::QueuePage;
pub(crate) use redis::RedisPage;
pub(crate) use schedules::{EditSchedulePage, NewSchedulePage, SchedulePage, SchedulesPage};
pub(crate) use search::SearchPage;
pub(crate) use settings::SettingsPage;
pub(crate) use workers::WorkersPage;
