//! One module per page.

pub mod job;
pub mod jobs;
pub mod not_found;
pub mod overview;

pub use job::JobPage;
pub use jobs::JobsPage;
pub use not_found::NotFoundPage;
pub use overview::OverviewPage;
