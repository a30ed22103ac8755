//! How the HTTP API reads a body.

#[path = "../../../server/src/http_api/due.rs"]
pub(crate) mod due;
#[expect(dead_code, reason = "the API uses what the fuzzer does not")]
#[path = "../../../server/src/http_api/fields.rs"]
pub(crate) mod fields;
#[path = "../../../server/src/http_api/new_job.rs"]
pub(crate) mod new_job;
