//! A dashboard where people sign in, and one person of each role.

use app::error::ApiError;
use axum::Router;
use axum::body::{Body, to_bytes};
use axum::extract::ConnectInfo;
use http::{HeaderMap, Method, Request, StatusCode};
use leptos::prelude::{Owner, provide_context};
use leptos::reactive::computed::ScopedFuture;
use reprieve::model::{Namespace, NewToken, Permission, PersonName, QueueName, Role};
use reprieve::testing::{RedisServer, TestRedis};
use reprieve_access::{People, Principal, Proof, SessionId, SignIn, Tokens, Visitor, make_cheap_hashes};
use reprieve_server::config::{AllowedHost, ApiAuth, Login};
use reprieve_server::sse::Live;
use reprieve_server::{Dashboard, FirstRun, router};
use serde_json::Value;
use std::collections::BTreeMap;
use std::net::SocketAddr;
use tokio_util::sync::CancellationToken;
use tower::ServiceExt as _;

/// Without blanks, so that it stands in a form as it is.
pub(crate) const PASSWORD: &str = "correct-horse-battery";
/// What must not be seen without the right to see payloads.
pub(crate) const SECRET: &str = "canary-4f1c";

/// What the doors of import and of Redis's own page need beside the least rights.
pub(crate) const ALL_DOORS: [&str; 6] =
    ["%R~*", "~reprieve-import:@:*", "~due", "~old-*", "+scan", "+slowlog|get"];

pub(crate) struct House {
    pub(crate) redis: TestRedis,
    pub(crate) router: Router,
    /// By role; empty for nobody.
    pub(crate) sessions: BTreeMap<Option<Role>, String>,
}

/// What came back.
pub(crate) struct Reply {
    pub(crate) status: StatusCode,
    pub(crate) headers: HeaderMap,
    pub(crate) text: String,
}

impl Reply {
    /// Whether the door stayed shut.
    pub(crate) fn is_denied(&self) -> bool {
        matches!(self.status, StatusCode::UNAUTHORIZED | StatusCode::FORBIDDEN)
            || self.location().is_some_and(|place| place.starts_with("/login?next="))
    }

    pub(crate) fn location(&self) -> Option<&str> {
        self.headers.get("location").and_then(|value| value.to_str().ok())
    }

    pub(crate) fn cookie(&self, name: &str) -> Option<String> {
        let set = self.headers.get_all("set-cookie").iter().filter_map(|value| value.to_str().ok());
        let mut found = set.filter_map(|text| text.strip_prefix(name)?.strip_prefix('=')?.split(';').next());
        found.next().map(ToOwned::to_owned)
    }
}

impl House {
    pub(crate) async fn new() -> Self {
        Self::with_people(|dashboard| dashboard).await
    }

    /// With somebody of each role in it.
    pub(crate) async fn with_people(entry: impl FnOnce(Dashboard) -> Dashboard) -> Self {
        Self::of_dashboard(|dashboard| entry(dashboard).login(Login::Required)).await.peopled().await
    }

    /// With somebody of each role in it, under that name besides `localhost`.
    pub(crate) async fn answering_to(host: &str) -> Self {
        let hosts = [AllowedHost::read(host).unwrap()];
        let redis = TestRedis::beside(1, &ALL_DOORS).await;
        Self::under(redis, &hosts, |dashboard| dashboard.login(Login::Required)).peopled().await
    }

    /// With somebody of each role in it, on a server of its own.
    pub(crate) async fn on_its_own_server() -> (RedisServer, Self) {
        let server = RedisServer::start().unwrap();
        let redis = TestRedis::on(server.url(), Namespace::default()).await;
        let house = Self::on(redis, |dashboard| dashboard.login(Login::Required));
        (server, house.peopled().await)
    }

    /// Where everybody who reaches it is in, on a server of its own.
    pub(crate) async fn open_on_its_own_server() -> (RedisServer, Self) {
        let server = RedisServer::start().unwrap();
        let redis = TestRedis::on(server.url(), Namespace::default()).await;
        (server, Self::on(redis, |dashboard| dashboard))
    }

    async fn peopled(mut self) -> Self {
        make_cheap_hashes();
        let house = &mut self;
        house.people().found(&name("admin"), PASSWORD).await.unwrap();
        for role in [Role::Viewer, Role::Support, Role::Operator] {
            house.add(role.as_str(), role, &[]).await;
        }
        for role in Role::ALL {
            let session = house.session(role.as_str()).await;
            house.sessions.insert(Some(role), session);
        }
        house.sessions.insert(None, String::new());
        self
    }

    /// With nobody in it, and the key of the first link.
    pub(crate) async fn empty() -> (Self, String) {
        let (first, link) = FirstRun::open();
        let house = Self::of_dashboard(|dashboard| dashboard.login(Login::Required).first_run(first)).await;
        (house, link.split_once('=').unwrap().1.to_owned())
    }

    pub(crate) async fn demo() -> Self {
        Self::of_dashboard(Dashboard::demo).await
    }

    /// Where everybody who reaches it is in.
    pub(crate) async fn open() -> Self {
        Self::of_dashboard(|dashboard| dashboard).await
    }

    pub(crate) async fn of_dashboard(entry: impl FnOnce(Dashboard) -> Dashboard) -> Self {
        Self::on(TestRedis::beside(1, &ALL_DOORS).await, entry)
    }

    fn on(redis: TestRedis, entry: impl FnOnce(Dashboard) -> Dashboard) -> Self {
        Self::under(redis, &[], entry)
    }

    fn under(redis: TestRedis, hosts: &[AllowedHost], entry: impl FnOnce(Dashboard) -> Dashboard) -> Self {
        let live = Live::start(redis.engine().clone(), "test", CancellationToken::new());
        let dashboard =
            Dashboard::new(redis.engine().clone()).allowed_hosts(hosts).api_auth(ApiAuth::Required);
        let router = router(&entry(dashboard), live.router());
        Self { redis, router, sessions: BTreeMap::new() }
    }

    pub(crate) fn people(&self) -> People {
        People::new(self.redis.engine())
    }

    pub(crate) async fn add(&self, who: &str, role: Role, queues: &[QueueName]) {
        let invitation = self.people().add(&name(who), role, queues, "admin").await.unwrap();
        self.people().accept(who, &invitation.secret, PASSWORD, &Visitor::default()).await.unwrap();
    }

    pub(crate) async fn session(&self, who: &str) -> String {
        let proof = Proof { name: who, password: PASSWORD, code: "" };
        match self.people().sign_in(&proof, &Visitor::default()).await.unwrap() {
            SignIn::In(opened) => opened.session,
            other => panic!("{who}: {other:?}"),
        }
    }

    /// A token that may do everything.
    pub(crate) async fn token(&self) -> String {
        let token = NewToken::new("robot".parse().unwrap(), Permission::ALL);
        Tokens::new(self.redis.engine()).add(&token, "admin").await.unwrap()
    }

    pub(crate) fn of(&self, role: Role) -> &str {
        &self.sessions[&Some(role)]
    }

    /// `request` is a method and an address.
    pub(crate) async fn send(&self, session: &str, request: &str, form: &str, accept: &str) -> Reply {
        let request = asking(session, request, accept);
        self.raw(request.body(Body::from(form.to_owned())).unwrap()).await
    }

    /// What a function behind a page answers to that person.
    pub(crate) async fn read<T>(
        &self,
        who: &Principal,
        reading: impl Future<Output = Result<T, ApiError>>,
    ) -> Result<T, ApiError> {
        let (mut parts, ()) = Request::new(()).into_parts();
        parts.extensions.insert(who.clone());
        let owner = Owner::new();
        owner
            .with(|| {
                provide_context(parts);
                app::access::provide(self.redis.engine().clone());
                ScopedFuture::new(reading)
            })
            .await
    }

    /// As the page's own script asks.
    pub(crate) async fn call(&self, session: &str, request: &str, form: &str) -> Reply {
        self.send(session, request, form, "application/json").await
    }

    pub(crate) async fn raw(&self, request: Request<Body>) -> Reply {
        let response = self.router.clone().oneshot(request).await.unwrap();
        let (parts, body) = response.into_parts();
        let streams = parts.headers.get("content-type").is_some_and(|kind| kind == "text/event-stream");
        let bytes = if streams { Vec::new() } else { to_bytes(body, 1 << 24).await.unwrap().to_vec() };
        let text = String::from_utf8_lossy(&bytes).into_owned();
        Reply { status: parts.status, headers: parts.headers, text }
    }

    /// As a program with that token.
    pub(crate) async fn by_token(&self, token: &str, request: &str, body: &Value) -> Reply {
        let (method, path) = request.split_once(' ').unwrap();
        let peer: SocketAddr = "127.0.0.1:1".parse().unwrap();
        let request = Request::builder()
            .method(method)
            .uri(path)
            .header("host", "localhost")
            .header("authorization", format!("Bearer {token}"))
            .header("content-type", "application/json")
            .extension(ConnectInfo(peer));
        self.raw(request.body(Body::from(body.to_string())).unwrap()).await
    }

    /// A job with a secret in its payload.
    pub(crate) async fn given(&self, id: &str, queue: &str, hours: i64) {
        let mut job = reprieve::NewJob::new("k".parse().unwrap(), format!("{{\"a\":\"{SECRET}\"}}"));
        job.id = Some(id.parse().unwrap());
        job.queue = queue.parse().unwrap();
        job.subject = Some("s:1".parse().unwrap());
        job.due = reprieve::Due::In(reprieve::model::Delay::hours(hours));
        self.redis.engine().client().enqueue_batch(vec![job]).await.unwrap();
    }

    /// Has a worker take what is ready.
    pub(crate) async fn claim(&self, queue: &str) {
        let lease = reprieve::model::Delay::minutes(1);
        self.redis.engine().claimant("w").claim(&[queue.parse().unwrap()], 10, lease).await.unwrap();
    }

    /// How many refusals stand in the audit.
    pub(crate) async fn denials(&self) -> usize {
        let key = format!("{}audit", self.redis.prefix());
        let reply = self.redis.command(&["XRANGE", &key, "-", "+"]).await.unwrap();
        let entries: Vec<(String, Vec<String>)> = redis::from_redis_value(reply).unwrap();
        entries.iter().filter(|(_, entry)| entry.iter().any(|text| text == "denied")).count()
    }

    /// The same, once there are so many, or after some seconds: some are written beside the answer, not before it.
    pub(crate) async fn denials_up_to(&self, expected: usize) -> usize {
        let began = std::time::Instant::now();
        while self.denials().await < expected && began.elapsed().as_secs() < 60 {
            tokio::task::yield_now().await;
        }
        self.denials().await
    }

    /// As if nobody had tried to sign in.
    pub(crate) async fn forget_guesses(&self) {
        for (key, _) in self.redis.snapshot().await.iter().filter(|(key, _)| key.starts_with("guesses:")) {
            self.redis.command(&["DEL", &format!("{}{key}", self.redis.prefix())]).await.unwrap();
        }
    }

    /// Everybody proved long ago who they are.
    pub(crate) async fn proofs_are_old(&self) {
        for (key, _) in self.redis.snapshot().await.iter().filter(|(key, _)| key.starts_with("session:")) {
            let key = format!("{}{key}", self.redis.prefix());
            self.redis.command(&["HSET", &key, "proved_ms", "1"]).await.unwrap();
        }
    }
}

/// What a browser says of a request, which is a method and an address, but for its body.
pub(crate) fn asking(session: &str, request: &str, accept: &str) -> http::request::Builder {
    let (method, path) = request.split_once(' ').unwrap();
    let peer: SocketAddr = "127.0.0.1:1".parse().unwrap();
    let mut request = Request::builder()
        .method(method)
        .uri(path)
        .header("host", "localhost")
        .header("accept", accept)
        .header("sec-fetch-site", "same-origin")
        .extension(ConnectInfo(peer));
    if !session.is_empty() {
        request = request.header("cookie", format!("rp={session}"));
    }
    if method == "POST" && !path.starts_with("/api/v1/") {
        request = request.header("content-type", "application/x-www-form-urlencoded");
    }
    request
}

/// Somebody who is signed in, bound to those queues.
pub(crate) fn person(who: &str, role: Role, queues: &[QueueName]) -> Principal {
    Principal::signed_in(who.to_owned(), role, SessionId::default(), true).only_in(queues)
}

pub(crate) fn name(text: &str) -> PersonName {
    text.parse().unwrap()
}

pub(crate) fn who(caller: Option<Role>) -> String {
    caller.map_or_else(|| "nobody".to_owned(), |role| role.to_string())
}

/// How a door is gone through.
pub(crate) fn method_of(path: &str) -> Method {
    let function = leptos::server_fn::axum::server_fn_paths().find(|(known, _)| *known == path);
    let reads = ["/readyz", "/metrics", "/events", "/api/docs", "/login/oidc", "/login/oidc/callback"];
    match function {
        Some((_, method)) => method,
        None if reads.contains(&path) || path.starts_with("/export/") => Method::GET,
        None => Method::POST,
    }
}
