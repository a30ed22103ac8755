//! `Idempotency-Key` of requests that enqueue, which the engine takes in in several steps: the first answer is kept and
//! given again.

use super::act::idempotency_key;
use crate::access::Access;
use crate::problem::{Problem, Told};
use axum::Json;
use axum::response::{IntoResponse, Response};
use http::{HeaderMap, HeaderValue, StatusCode, header};
use reprieve::{Begun, Error, Ids, NewJob, Ticket};
use serde::{Deserialize, Serialize};
use serde_json::Value;
use std::time::Duration;
use uuid::Uuid;

/// Largest answer that is kept, in bytes: that of 500 jobs, twice over.
const ANSWER_BYTES_MAX: usize = 512 * 1_024;
/// How often a repeat looks for the answer of the first request.
const ANSWER_POLL: Duration = Duration::from_millis(50);

/// An answer that can be kept and given again.
#[derive(Debug, Serialize, Deserialize)]
pub(super) struct Answer {
    status: u16,
    location: Option<String>,
    body: Value,
}

impl Answer {
    pub(super) fn new(status: StatusCode, body: &impl Serialize) -> Self {
        Self { status: status.as_u16(), location: None, body: serde_json::to_value(body).unwrap_or_default() }
    }

    /// With an address where to look.
    pub(super) fn at(mut self, location: String) -> Self {
        self.location = Some(location);
        self
    }
}

impl IntoResponse for Answer {
    fn into_response(self) -> Response {
        let status = StatusCode::from_u16(self.status).unwrap_or(StatusCode::OK);
        let mut response = (status, Json(self.body)).into_response();
        if let Some(location) = self.location.and_then(|text| HeaderValue::from_str(&text).ok()) {
            response.headers_mut().insert(header::LOCATION, location);
        }
        response
    }
}

/// What stands behind a request's key.
pub(super) enum Once {
    /// It has none: nothing is kept but in the ids of its jobs, which are those of the key that was made for it.
    Unkept { key: String, ids: Ids },
    /// It is the first, or the first got no answer.
    Open { key: String, ticket: Ticket },
    /// It was answered before.
    Answered(Answer),
}

impl Once {
    /// Takes the key of a request, if it has one. `route` and body are what it stands for. A repeat that comes while the
    /// first request is under way waits for its answer.
    ///
    /// # Errors
    /// 422 when the key stood for something else; what Redis says.
    pub(super) async fn begin(
        access: &Access,
        headers: &HeaderMap,
        route: &str,
        body: &str,
    ) -> Result<Self, Problem> {
        let (scope, answers) = (format!("{} {route}", access.actor()), access.answers());
        let Some(key) = idempotency_key(headers)? else {
            let key = Uuid::now_v7().to_string();
            return Ok(Self::Unkept { ids: answers.ids(&scope, &key), key });
        };
        loop {
            let begun = answers.begin(&scope, &key, body.as_bytes()).await;
            return match begun.told()? {
                Begun::Open(ticket) if ticket.is_under_way().await.told()? => {
                    tokio::time::sleep(ANSWER_POLL).await;
                    continue;
                }
                Begun::Open(ticket) => Ok(Self::Open { key, ticket }),
                Begun::Answered(text) => match serde_json::from_str(&text) {
                    Ok(answer) => Ok(Self::Answered(answer)),
                    Err(_) => Err(reused()),
                },
                _ => Err(reused()),
            };
        }
    }

    /// Gives the nth job of the request an id, unless it has one: the same in every repeat.
    pub(super) fn identify(&self, index: usize, job: &mut NewJob) {
        match self {
            Self::Open { ticket, .. } => job.id = job.id.take().or_else(|| ticket.ids().job_id(index)),
            Self::Unkept { ids, .. } => job.fresh_id = ids.job_id(index),
            Self::Answered(_) => {}
        }
    }

    /// Keeps the answer for repeats. That it could not be kept is no reason to deny what happened.
    pub(super) async fn settle(self, answer: Answer) -> Response {
        if let Self::Open { ticket, .. } = self
            && let Ok(text) = serde_json::to_string(&answer)
            && text.len() <= ANSWER_BYTES_MAX
            && let Err(error) = ticket.settle(text).await
        {
            tracing::warn!(%error, "an answer was not kept for repeats: {error}");
        }
        answer.into_response()
    }

    /// What the engine could not do in one step. The key is given back where it is known that nothing happened, so that
    /// the request can be mended and sent under it again; not by a repeat, for the first may have come to something.
    pub(super) async fn failed(self, error: &Error) -> Problem {
        let problem = self.problem(error);
        let is_first = matches!(&self, Self::Open { ticket, .. } if ticket.is_first());
        if is_first && !error.is_doubtful() {
            self.give_back().await;
        }
        problem
    }

    /// What went wrong; where the change may have been made, with the key under which to ask again.
    pub(super) fn problem(&self, error: &Error) -> Problem {
        match self {
            Self::Unkept { key, .. } | Self::Open { key, .. } => Problem::engine_under(key, error),
            Self::Answered(_) => Problem::engine(error),
        }
    }

    /// Gives the key back: nothing happened.
    pub(super) async fn give_back(self) {
        if let Self::Open { ticket, .. } = self {
            // It then stays taken for the same request, which may repeat it.
            drop(ticket.give_back().await);
        }
    }
}

fn reused() -> Problem {
    Problem::new(
        StatusCode::UNPROCESSABLE_ENTITY,
        "idempotency_key_reused",
        "The Idempotency-Key stands for another request",
        "this key was sent with another body within 24 hours; choose a new key for a new request",
    )
}
