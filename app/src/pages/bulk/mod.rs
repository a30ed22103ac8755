//! One verb on many jobs: what it would do, how it goes, what came of it; and the list of all such runs.

mod dry_run;
mod list;
mod outcomes;
mod progress;
mod run;
mod which;

pub use list::BulkPage;
pub use run::RunPage;
