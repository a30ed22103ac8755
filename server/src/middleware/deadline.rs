//! An answer that does not begin in time is given up.

use super::refusal::Refusal;
use super::request_id::RequestId;
use app::error::ApiError;
use axum::extract::Request;
use axum::middleware::Next;
use axum::response::{IntoResponse, Response};
use http::StatusCode;
use std::time::Duration;

/// Far above any honest answer: Redis itself is given up after a few seconds. A body has its own 30 s within it, and the
/// token is looked up before: of one that does not come it must be told as long as nothing can have happened. A stream of
/// events begins at once and may then go on for as long as it likes.
const ANSWER_BEGINS_MAX: Duration = Duration::from_secs(35);

/// Gives up.
pub(crate) async fn layer(request: Request, next: Next) -> Response {
    answer_within(ANSWER_BEGINS_MAX, request, next).await
}

async fn answer_within(most: Duration, request: Request, next: Next) -> Response {
    let id = request.extensions().get::<RequestId>().copied();
    match tokio::time::timeout(most, next.run(request)).await {
        Ok(response) => response,
        Err(_) => {
            tracing::warn!("an answer took longer than {} s and was given up", most.as_secs());
            Refusal::new(
                StatusCode::SERVICE_UNAVAILABLE,
                "too_slow",
                "this took too long; look whether it happened, then try again",
            )
            .of(id.as_ref())
            .on_page(ApiError::TooSlow, true)
            .into_response()
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::middleware::refusal::OnPage;
    use crate::timeouts::Timeouts;
    use axum::Router;
    use axum::body::Body;
    use axum::middleware::from_fn;
    use axum::routing::post;
    use http::Extensions;
    use tower::ServiceExt as _;

    #[tokio::test]
    async fn what_took_too_long_has_a_page_that_says_that_it_may_be_done() {
        let at_once = from_fn(|request, next| answer_within(Duration::ZERO, request, next));
        let slow = Router::new().route("/", post(std::future::pending::<()>)).layer(at_once);
        let response = slow.oneshot(Request::post("/").body(Body::empty()).unwrap()).await.unwrap();
        assert_eq!(response.status(), StatusCode::SERVICE_UNAVAILABLE);
        let page = response.extensions().get::<OnPage>().unwrap();
        assert_eq!(page, &OnPage::Failed { error: ApiError::TooSlow, is_begun: true });
    }

    #[test]
    fn a_body_is_given_up_before_the_answer_to_it_is() {
        let body = Timeouts::for_body(&Extensions::new());
        assert!(body + Duration::from_secs(5) <= ANSWER_BEGINS_MAX, "{body:?}");
    }
}
