//! `/healthz` and `/readyz`, for monitors and load balancers.
//!
//! Both are open to everybody and answer with a status and one word. `/readyz` says why to those who may read metrics.

use crate::access::Access;
use axum::Router;
use axum::extract::State;
use axum::response::{IntoResponse, Response};
use axum::routing::get;
use http::{HeaderValue, StatusCode, header};
use reprieve::model::{Delay, Permission};
use reprieve::{Engine, Error};
use std::time::Duration;

/// A Redis that answers later than this is not ready.
const ANSWER_MAX: Duration = Duration::from_secs(2);
/// A forwarder ticks every second; three missed ticks mean that due jobs no longer move.
const TICK_AGE_MAX: Delay = Delay::seconds(3);
/// When to ask again; the engine reconnects with a back-off that starts below a second.
const RETRY_AFTER_SECONDS: u16 = 2;

/// The two routes.
pub(crate) fn router(engine: Engine) -> Router {
    Router::new().route("/healthz", get(healthz)).route("/readyz", get(readyz)).with_state(engine)
}

/// Whether the program runs
///
/// Restart it when this does not answer. Redis is not asked: a restart would not bring it back.
#[utoipa::path(
    get, path = "/healthz", tag = "about",
    responses((status = 200, description = "`ok`", body = String, content_type = "text/plain")),
    security(())
)]
pub(crate) async fn healthz() -> &'static str {
    "ok\n"
}

/// Whether the program can do its work
///
/// Redis answers, and due jobs move or are halted. While it says 503 a load balancer sends new requests to another
/// instance, and to this one if all say 503: then Redis itself is away, and each instance tells people and programs so. With
/// a token that has `metrics.view` further lines say why.
#[utoipa::path(
    get, path = "/readyz", tag = "about",
    responses(
        (status = 200, description = "`ready`", body = String, content_type = "text/plain"),
        (status = 503, description = "`unavailable`; the header `Retry-After` says when to ask again.", body = String, content_type = "text/plain"),
    ),
    security((), ("token" = ["metrics.view"]))
)]
pub(crate) async fn readyz(access: Access, State(engine): State<Engine>) -> Response {
    let found = tokio::time::timeout(ANSWER_MAX, look(&engine)).await;
    let found = found.unwrap_or(Readiness::SlowRedis);
    let found = if engine.outage().is_some() { Readiness::of_outage(&engine, found) } else { found };
    let mut text = if found.is_ready() { "ready\n" } else { "unavailable\n" }.to_owned();
    if access.require(Permission::SeeMetrics).is_ok() {
        text.push_str(&found.details());
        if engine.stands_back() {
            text.push_str("clock: more than 5 minutes from Redis's; this process starts no jobs\n");
        }
    }
    if found.is_ready() {
        return text.into_response();
    }
    let later = [(header::RETRY_AFTER, HeaderValue::from(RETRY_AFTER_SECONDS))];
    (StatusCode::SERVICE_UNAVAILABLE, later, text).into_response()
}

/// What was found.
enum Readiness {
    /// Due jobs move.
    Moves,
    /// The namespace is halted. No forwarder ticks, and a person may have to come by this program to end that.
    Halted,
    /// No forwarder has ticked for so long; `None` for never.
    NoForwarder(Option<Delay>),
    /// Redis did not answer in time.
    SlowRedis,
    /// Redis does not answer, or refuses.
    NoRedis(String),
}

async fn look(engine: &Engine) -> Readiness {
    let works = async || -> Result<Readiness, Error> {
        let inspector = engine.inspector();
        let age = inspector.forwarder_age().await?;
        if age.is_some_and(|age| age <= TICK_AGE_MAX) {
            return Ok(Readiness::Moves);
        }
        Ok(match inspector.halt().await? {
            Some(_) => Readiness::Halted,
            None => Readiness::NoForwarder(age),
        })
    };
    works().await.unwrap_or_else(|error| Readiness::NoRedis(error.to_string()))
}

impl Readiness {
    /// An outage that other calls met, where this one met none.
    fn of_outage(engine: &Engine, found: Self) -> Self {
        match (found, engine.outage()) {
            (Self::NoRedis(why), _) => Self::NoRedis(why),
            (_, Some(outage)) => Self::NoRedis(outage.error),
            (found, None) => found,
        }
    }

    const fn is_ready(&self) -> bool {
        matches!(self, Self::Moves | Self::Halted)
    }

    fn details(&self) -> String {
        match self {
            Self::Moves => "redis: answers\njobs: due jobs move\n".to_owned(),
            Self::Halted => "redis: answers\njobs: halted\n".to_owned(),
            Self::NoForwarder(None) => "redis: answers\njobs: no process has moved due jobs yet\n".to_owned(),
            Self::NoForwarder(Some(age)) => {
                format!("redis: answers\njobs: due jobs last moved {} s ago\n", age.as_millis() / 1_000)
            }
            Self::SlowRedis => format!("redis: no answer within {} s\n", ANSWER_MAX.as_secs()),
            Self::NoRedis(why) => format!("redis: {why}\n"),
        }
    }
}
