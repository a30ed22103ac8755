//! One module per page.

mod job;
mod jobs;
mod not_found;
mod overview;

pub use job::JobPage;
pub use jobs::JobsPage;
pub use not_found::NotFoundPage;
pub use overview::OverviewPage;
