//! A refusal as an RFC 9457 problem: a stable code, a sentence, the request's id.

use super::request_id::RequestId;
use crate::problem::Problem;
use app::door::Stopped;
use app::error::ApiError;
use axum::response::{IntoResponse, Response};
use http::StatusCode;

/// Why a request goes no further.
#[derive(Debug)]
pub(crate) struct Refusal {
    problem: Problem,
    page: Option<OnPage>,
}

/// What a page says of a refusal, where a browser opens one or sends a form by itself: see [`super::on_page`].
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) enum OnPage {
    /// What was asked for came to nothing, as far as is known.
    Failed {
        /// Why.
        error: ApiError,
        /// Whether something of what was asked may have been done.
        is_begun: bool,
    },
    /// Nothing looked at what was asked for.
    Stopped(Stopped),
}

impl Refusal {
    pub(crate) fn new(status: StatusCode, code: &'static str, detail: impl Into<String>) -> Self {
        let title = status.canonical_reason().unwrap_or("Refused");
        Self { problem: Problem::new(status, code, title, detail), page: None }
    }

    /// Repeats the request's id in the body, where the reason alone does not help to find it.
    pub(crate) fn of(mut self, request: Option<&RequestId>) -> Self {
        if let Some(request) = request {
            self.problem = self.problem.with_field("request_id", request.to_string());
        }
        self
    }

    /// Tells it on a page as well. `is_begun` says whether something of what was asked may have been done.
    pub(crate) fn on_page(mut self, error: ApiError, is_begun: bool) -> Self {
        self.page = Some(OnPage::Failed { error, is_begun });
        self
    }

    /// Tells on a page as well what stopped the request before anything looked at what it asks for.
    pub(crate) fn stopped(mut self, why: Stopped) -> Self {
        self.page = Some(OnPage::Stopped(why));
        self
    }
}

impl IntoResponse for Refusal {
    fn into_response(self) -> Response {
        let mut response = self.problem.into_response();
        if let Some(page) = self.page {
            response.extensions_mut().insert(page);
        }
        response
    }
}
