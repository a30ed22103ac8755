//! The HTTP API: producers in any language, and people with curl.
//!
//! Every answer is JSON; every answer that is not what was asked for is an RFC
//! 9457 problem with a stable `code`. Times are Unix milliseconds. Ids and
//! subjects may hold slashes: write them as they are, or as `%2F`.

mod access;
mod act;
mod body;
mod due;
mod enqueue;
mod fields;
mod new_job;
mod problem;
mod query;
mod queues;
mod read;
mod strict;
mod subjects;
mod view;

pub(crate) use problem::Problem;
pub(crate) use view::Payload;

use axum::Router;
use axum::routing::{get, post};
use http::StatusCode;
use reprieve::Engine;
use reprieve::model::InvalidName;
use std::str::FromStr;

/// The routes under `/api/v1`. A layer around them puts an [`app::access::Principal`] into each request;
/// without one everything is forbidden.
pub fn router(engine: Engine) -> Router {
    Router::new()
        .route("/api/v1/jobs", get(read::jobs).post(enqueue::enqueue))
        .route("/api/v1/jobs/{*id}", get(read::job).post(act::act))
        .route("/api/v1/queues", get(queues::queues))
        .route("/api/v1/queues/{queue}/pause", post(queues::pause))
        .route("/api/v1/queues/{queue}/resume", post(queues::resume))
        .route("/api/v1/subjects/{*subject}", get(subjects::subject).post(subjects::act))
        .route("/api/{*rest}", axum::routing::any(async || no_such_route()))
        .method_not_allowed_fallback(async || {
            Problem::new(
                StatusCode::METHOD_NOT_ALLOWED,
                "method_not_allowed",
                "This address does not take that method",
                "the header `Allow` says which it takes",
            )
        })
        .with_state(engine)
}

/// Nothing is at this address.
fn no_such_route() -> Problem {
    Problem::new(
        StatusCode::NOT_FOUND,
        "no_such_route",
        "Nothing is at this address",
        "the API has /api/v1/jobs, /api/v1/jobs/{id}, /api/v1/jobs/{id}/cancel (reinstate, retry, reschedule, hold, \
         unhold), /api/v1/queues, /api/v1/queues/{queue}/pause (resume), /api/v1/subjects/{subject}, \
         /api/v1/subjects/{subject}/cancel",
    )
}

/// A name out of the path.
fn path_name<T: FromStr<Err = InvalidName>>(text: &str) -> Result<T, Problem> {
    text.parse().map_err(|why: InvalidName| Problem::engine(&reprieve::Error::InvalidName(why)))
}
