//! How the HTTP API reads a body.

#[path = "../../../server/src/http_api/due.rs"]
pub(crate) mod due;
#[path = "../../../server/src/http_api/new_job.rs"]
pub(crate) mod new_job;
