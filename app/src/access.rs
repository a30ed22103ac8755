//! The only way from a request to the engine.
//!
//! The server hands the engine over once with [`provide`], and puts a [`Principal`](reprieve_access::Principal) into the
//! extensions of every request. Server functions ask the `caller`, by the one policy of `reprieve_access`; nothing else in
//! this crate can reach the engine.

mod failure;

use std::sync::Arc;

use http::request::Parts;
use leptos::prelude::{provide_context, use_context};
use reprieve::model::{QueueName, Timestamp};
use reprieve::{Engine, OutageKind};
use reprieve_access::Access;

use crate::error::ApiError;
use crate::i18n::Language;
pub(crate) use crate::request::principal;
use crate::traces::TracePage;
use crate::vocabulary::Vocabulary;

/// The cookie that keeps what a visitor of the demo is.
pub const DEMO_ROLE: &str = "demo-role";

/// The engine, out of reach for everybody but this file.
#[derive(Clone)]
struct Handle(Engine);

/// What this server was told when it started. Handed over by the server with [`provide_site`].
#[derive(Debug, Clone, Default)]
pub struct Site {
    /// `production`, `demo` …; empty for none.
    pub environment: String,
    /// Where traces are looked at, if anywhere.
    pub traces: Option<TracePage>,
    /// Where due jobs are posted.
    pub webhooks: Arc<[Webhook]>,
    /// Whether the HTTP API asks programs for a token.
    pub asks_for_token: bool,
    /// The path that everything is below, without a slash at its end; empty for none.
    pub base: Arc<str>,
}

/// Where jobs of some kinds are posted, as far as everybody may know it.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Webhook {
    /// Which kinds: text in which `*` stands for any.
    pub kind: String,
    /// Of which queue; `None` for all.
    pub queue: Option<QueueName>,
    /// Scheme, host and port: what follows them may be a secret.
    pub origin: String,
    /// Whether the receiver can tell who sent it.
    pub is_signed: bool,
}

impl Webhook {
    /// One for all queues, unsigned.
    pub fn new(kind: impl Into<String>, origin: impl Into<String>) -> Self {
        Self { kind: kind.into(), queue: None, origin: origin.into(), is_signed: false }
    }
}

/// The files of the site.
#[derive(Debug, Clone, Default)]
pub struct Assets {
    /// Where they are, without a slash at the end: `/assets/<hash>`. Empty means the root.
    pub root: String,
    /// Names their build, as the stream does; empty for none.
    pub build: String,
}

/// Makes the engine reachable for the server functions of this request.
pub fn provide(engine: Engine) {
    provide_context(Handle(engine));
}

/// Tells the pages where this server stands and where its files are.
pub fn provide_site(site: Site, assets: Assets) {
    provide_context(site);
    provide_context(assets);
}

/// Tells the support desk what this place calls its kinds of work.
pub fn provide_vocabulary(vocabulary: Arc<Vocabulary>) {
    provide_context(vocabulary);
}

/// What the caller of this request may do. What they try to do and may not stands in the audit; a page that only looks
/// where it may not is worth no line there.
///
/// # Errors
/// `Internal` if the server forgot to provide the engine.
pub(crate) fn caller() -> Result<Access, ApiError> {
    let acts = use_context::<Parts>().is_some_and(|parts| parts.method == http::Method::POST);
    Ok(Access::new(engine()?, principal()).noting(acts))
}

/// What time it is by Redis's clock.
///
/// # Errors
/// `Unavailable` while Redis does not answer.
pub(crate) async fn now() -> Result<Timestamp, ApiError> {
    Ok(engine()?.now().await?)
}

/// The namespace this server works in.
pub(crate) fn namespace() -> Option<String> {
    use_context::<Handle>().map(|handle| handle.0.namespace().to_string())
}

/// The address of the dashboard as the visitor knows it, without a slash at its end: `http://127.0.0.1:8080/jobs`.
pub(crate) fn address() -> String {
    format!("{}{}", origin(), site().base)
}

/// The origin of this server as the visitor knows it: `http://127.0.0.1:8080`; empty without a request.
pub(crate) fn origin() -> String {
    let Some(parts) = use_context::<Parts>() else { return String::new() };
    let header = |name: &str| parts.headers.get(name).and_then(|value| value.to_str().ok());
    let host = header("host").or_else(|| parts.uri.host()).unwrap_or_default();
    let is_tls = parts.extensions.get::<http::uri::Scheme>() == Some(&http::uri::Scheme::HTTPS);
    let scheme = header("x-forwarded-proto").filter(|&scheme| scheme == "https");
    let scheme = scheme.unwrap_or(if is_tls { "https" } else { "http" });
    format!("{scheme}://{host}")
}

/// What this place calls its kinds of work.
pub(crate) fn vocabulary() -> Arc<Vocabulary> {
    use_context().unwrap_or_default()
}

/// Where this server stands.
pub(crate) fn site() -> Site {
    use_context().unwrap_or_default()
}

/// What people set for the namespace, as this process last read it.
pub(crate) fn settings() -> Arc<reprieve::model::Settings> {
    use_context::<Handle>().map(|handle| handle.0.latest_settings()).unwrap_or_default()
}

/// What sort of installation this is, as it was chosen on the settings, or started: `production`, `demo` …; empty for none.
pub(crate) fn environment() -> String {
    let chosen = settings().look.environment.clone();
    if chosen.is_empty() { site().environment } else { chosen }
}

/// What trouble Redis has, and since when. That it does not answer, and no time, where nothing is known of any.
pub(crate) fn outage() -> (OutageKind, Option<Timestamp>) {
    let Some(outage) = use_context::<Handle>().and_then(|handle| handle.0.outage()) else {
        return (OutageKind::Unreachable, None);
    };
    let since = outage.since.duration_since(std::time::UNIX_EPOCH).ok();
    let since = since.and_then(|since| Timestamp::from_millis(i64::try_from(since.as_millis()).ok()?));
    (outage.kind, since)
}

/// Keeps in which language somebody who is signed in reads the screens; of others the cookie alone knows it.
///
/// # Errors
/// `Unavailable` while Redis does not answer.
pub(crate) async fn read_in(language: Language) -> Result<(), ApiError> {
    let caller = caller()?;
    let Ok(people) = caller.own_account() else { return Ok(()) };
    let name = caller.principal().name.parse().map_err(|_| ApiError::SignedOut)?;
    people.choose_language(&name, language.tag()).await?;
    Ok(())
}

fn engine() -> Result<Engine, ApiError> {
    use_context::<Handle>()
        .map(|handle| handle.0)
        .ok_or_else(|| ApiError::internal(&std::io::Error::other("the server provided no engine")))
}
