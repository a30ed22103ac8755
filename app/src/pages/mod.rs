//! One module per page.

pub mod account;
pub mod audit;
pub mod bulk;
pub mod dead;
pub mod desk;
pub mod forecast;
pub mod import;
pub mod job;
pub mod jobs;
pub(crate) mod not_found;
pub(crate) mod overview;
pub mod people;
pub mod queue;
pub mod redis;
pub mod schedules;
pub(crate) mod search;
pub mod settings;
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
