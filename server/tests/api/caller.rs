//! Calls the API in this process, on a namespace of its own.

use axum::body::{Body, to_bytes};
use axum::{Extension, Router};
use http::{HeaderMap, HeaderValue, Request};
use reprieve::Engine;
use reprieve::testing::TestRedis;
use reprieve_access::Principal;
use serde_json::Value;
use tower::ServiceExt as _;

/// The API on a fresh namespace.
pub(crate) struct Caller {
    pub(crate) redis: TestRedis,
    router: Router,
}

/// What came back.
#[derive(Debug)]
pub(crate) struct Answer {
    pub(crate) status: u16,
    pub(crate) headers: HeaderMap,
    pub(crate) body: Value,
}

impl Answer {
    /// The header as text; empty if it is absent.
    pub(crate) fn header(&self, name: &str) -> &str {
        self.headers.get(name).map_or("", |value| value.to_str().unwrap())
    }

    /// The pointers and codes of the mistakes it lists.
    pub(crate) fn mistakes(&self) -> Vec<(String, String)> {
        let errors = self.body["errors"].as_array().cloned().unwrap_or_default();
        let text = |value: &Value| value.as_str().unwrap_or_default().to_owned();
        let place = |error: &Value| text(error.get("pointer").unwrap_or(&error["parameter"]));
        errors.iter().map(|error| (place(error), text(&error["code"]))).collect()
    }
}

/// The routes as the server mounts them: with somebody who may do everything.
pub(crate) fn routes(engine: &Engine) -> Router {
    reprieve_server::reference::api(engine.clone()).layer(Extension(Principal::of_the_api()))
}

impl Caller {
    pub(crate) async fn new() -> Self {
        Self::on(TestRedis::namespace().await)
    }

    pub(crate) fn on(redis: TestRedis) -> Self {
        let router = routes(redis.engine());
        Self::with(redis, router)
    }

    pub(crate) fn with(redis: TestRedis, router: Router) -> Self {
        Self { redis, router }
    }

    pub(crate) async fn get(&self, path: &str) -> Answer {
        self.send(Request::get(path).body(Body::empty()).unwrap()).await
    }

    /// Posts JSON.
    pub(crate) async fn post(&self, path: &str, body: &Value) -> Answer {
        self.post_text(path, &body.to_string()).await
    }

    /// Posts a text that claims to be JSON.
    pub(crate) async fn post_text(&self, path: &str, body: &str) -> Answer {
        let request = Request::post(path).header("content-type", "application/json");
        self.send(request.body(Body::from(body.to_owned())).unwrap()).await
    }

    /// Posts JSON under an `Idempotency-Key`.
    pub(crate) async fn post_once(&self, path: &str, key: &str, body: &Value) -> Answer {
        let request =
            Request::post(path).header("content-type", "application/json").header("idempotency-key", key);
        self.send(request.body(Body::from(body.to_string())).unwrap()).await
    }

    pub(crate) async fn send(&self, mut request: Request<Body>) -> Answer {
        request.headers_mut().entry("host").or_insert(HeaderValue::from_static("localhost"));
        let response = self.router.clone().oneshot(request).await.unwrap();
        let status = response.status().as_u16();
        let headers = response.headers().clone();
        let kind = headers.get("content-type").map_or("", |kind| kind.to_str().unwrap()).to_owned();
        let streams = kind.starts_with("text/event-stream");
        let bytes =
            if streams { Default::default() } else { to_bytes(response.into_body(), 1 << 24).await.unwrap() };
        let body = match kind.contains("json") && !kind.contains("ndjson") {
            true if bytes.is_empty() => Value::Null,
            true => serde_json::from_slice(&bytes).unwrap(),
            false => String::from_utf8_lossy(&bytes).into(),
        };
        let answer = Answer { status, headers, body };
        if status >= 400 && kind != "text/plain; charset=utf-8" {
            answer.assert_is_a_problem();
        }
        answer
    }

    /// Has so many queues there, `q1` and on; paused, so that none of them makes room.
    pub(crate) async fn fill_queues(&self, count: usize) {
        let fill = "for n = 1, tonumber(ARGV[1]) do
            redis.call('SADD', KEYS[1] .. 'queues', 'q' .. n)
            redis.call('HSET', KEYS[1] .. 'q:q' .. n .. ':paused', 'by', 'ann')
        end";
        self.redis.command(&["EVAL", fill, "1", &self.redis.prefix(), &count.to_string()]).await.unwrap();
    }

    /// Enqueues one job that must be taken in.
    pub(crate) async fn given(&self, job: &Value) -> Answer {
        let answer = self.post("/api/v1/jobs", job).await;
        assert_eq!(answer.status, 201, "{:?}", answer.body);
        answer
    }
}

impl Answer {
    /// Every refusal has the same shape, whatever it refuses.
    fn assert_is_a_problem(&self) {
        assert_eq!(self.header("content-type"), "application/problem+json", "{:?}", self.body);
        assert_eq!(self.body["status"], self.status);
        for member in ["type", "code", "title", "detail"] {
            assert!(self.body[member].is_string(), "{member} is missing in {:?}", self.body);
        }
    }
}
