//! The support desk: what is planned for a customer's thing, and calling it off. No word of queues here.

mod acts;
mod fields;
mod find;
mod partly;
mod past;
mod plan;
mod receipt;
mod step;
mod subject;
mod trouble;

pub use find::DeskPage;
pub use subject::SubjectPage;
