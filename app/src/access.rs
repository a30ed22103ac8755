//! The only way from a request to the engine.
//!
//! The server hands the engine over once with [`provide`], and puts a [`Principal`]
//! into the extensions of every request. Server functions ask `inspector` or
//! `operator`; nothing else in this crate can reach the engine.

use std::sync::Arc;
use std::sync::atomic::{AtomicU64, Ordering};

use http::request::Parts;
use leptos::prelude::{provide_context, use_context};
use reprieve::model::{Permission, QueueName, Timestamp};
use reprieve::{Client, Engine, Inspector, Operator};

use crate::desk::vocabulary::Vocabulary;
use crate::error::ApiError;

/// The engine, out of reach for everybody but this file.
#[derive(Clone)]
struct Handle(Engine);

/// Who sends a request, and what they may do. Put into the request by a layer of the server.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Principal {
    /// The name that events and audit lines carry.
    pub name: String,
    /// What they may do.
    pub permissions: Vec<Permission>,
    /// In which queues; empty for all of them.
    pub queues: Vec<QueueName>,
}

impl Principal {
    /// Somebody with the given rights.
    #[must_use]
    pub fn new(name: impl Into<String>, permissions: impl Into<Vec<Permission>>) -> Self {
        Self { name: name.into(), permissions: permissions.into(), queues: Vec::new() }
    }

    /// Somebody without rights.
    #[must_use]
    pub fn nobody() -> Self {
        Self::new("nobody", [])
    }

    /// A program on this machine that sent no token: may do everything, has no name.
    #[must_use]
    pub fn of_the_api() -> Self {
        Self::new("api", Permission::ALL)
    }

    /// The same, bound to these queues; to none of them where there are none.
    #[must_use]
    pub fn only_in(mut self, queues: impl Into<Vec<QueueName>>) -> Self {
        self.queues = queues.into();
        self
    }

    /// Whoever sits at the machine itself: may do everything, has no name yet.
    #[must_use]
    pub fn at_the_dashboard() -> Self {
        Self::new("someone at the dashboard", Permission::ALL)
    }

    /// Whether they have that right.
    #[must_use]
    pub fn may(&self, permission: Permission) -> bool {
        self.permissions.contains(&permission)
    }

    /// Whether their rights hold in that queue.
    #[must_use]
    pub fn may_in(&self, queue: &QueueName) -> bool {
        self.is_everywhere() || self.queues.contains(queue)
    }

    /// Whether their rights hold in every queue.
    #[must_use]
    pub fn is_everywhere(&self) -> bool {
        self.queues.is_empty()
    }
}

/// Where this server stands, for the badge in the top bar. Handed over by the server with [`provide_site`].
#[derive(Debug, Clone, Default)]
pub struct Site {
    /// `production`, `demo` …; empty for none.
    pub environment: String,
}

/// Where the files of the site are, without a slash at the end: `/assets/<hash>`. Empty means the root.
#[derive(Debug, Clone, Default)]
pub struct AssetRoot(pub String);

/// Makes the engine reachable for the server functions of this request.
pub fn provide(engine: Engine) {
    provide_context(Handle(engine));
}

/// Tells the pages where this server stands and where its files are.
pub fn provide_site(site: Site, assets: AssetRoot) {
    provide_context(site);
    provide_context(assets);
}

/// Tells the support desk what this place calls its kinds of work.
pub fn provide_vocabulary(vocabulary: Arc<Vocabulary>) {
    provide_context(vocabulary);
}

/// Reading, for whoever may look.
///
/// # Errors
/// `Forbidden` without [`Permission::View`]; `Internal` if the server forgot to provide the engine.
#[expect(clippy::unused_async, reason = "sessions will be looked up here")]
pub(crate) async fn inspector() -> Result<Inspector, ApiError> {
    allow(Permission::View)?;
    Ok(engine()?.inspector())
}

/// Acting, for whoever may do that; stamped with their name.
///
/// # Errors
/// `Forbidden` without the permission; `Internal` if the server forgot to provide the engine.
#[expect(clippy::unused_async, reason = "sessions will be looked up here")]
pub(crate) async fn operator(permission: Permission) -> Result<Operator, ApiError> {
    let principal = allow(permission)?;
    Ok(engine()?.operator(principal.name))
}

/// Enqueuing, for whoever may do that, with the name their jobs carry.
///
/// # Errors
/// `Forbidden` without the permission; `Internal` if the server forgot to provide the engine.
#[expect(clippy::unused_async, reason = "sessions will be looked up here")]
pub(crate) async fn client(permission: Permission) -> Result<(Client, String), ApiError> {
    let principal = allow(permission)?;
    Ok((engine()?.client(), principal.name))
}

/// Taking foreign queues over, for whoever may do that.
///
/// # Errors
/// `Forbidden` without [`Permission::ImportJobs`]; `Internal` if the server forgot to provide the engine.
pub(crate) fn importer() -> Result<Engine, ApiError> {
    allow(Permission::ImportJobs)?;
    engine()
}

/// What time it is by Redis's clock.
///
/// # Errors
/// `Unavailable` while Redis does not answer.
pub(crate) async fn now() -> Result<Timestamp, ApiError> {
    Ok(engine()?.now().await?)
}

/// Who sends this request. Nobody is somebody without rights.
pub(crate) fn principal() -> Principal {
    use_context::<Parts>()
        .and_then(|parts| parts.extensions.get::<Principal>().cloned())
        .unwrap_or_else(Principal::nobody)
}

/// The namespace this server works in.
pub(crate) fn namespace() -> Option<String> {
    use_context::<Handle>().map(|handle| handle.0.namespace().to_string())
}

/// The address of this server as the visitor knows it: `http://127.0.0.1:8080`; empty without a request.
pub(crate) fn origin() -> String {
    let Some(parts) = use_context::<Parts>() else { return String::new() };
    let header = |name: &str| parts.headers.get(name).and_then(|value| value.to_str().ok());
    let host = header("host").or_else(|| parts.uri.host()).unwrap_or_default();
    let scheme = header("x-forwarded-proto").filter(|&scheme| scheme == "https").unwrap_or("http");
    format!("{scheme}://{host}")
}

/// What this place calls its kinds of work.
pub(crate) fn vocabulary() -> Arc<Vocabulary> {
    use_context().unwrap_or_default()
}

/// What people set for the namespace, as this process last read it.
pub(crate) fn settings() -> Arc<reprieve::model::Settings> {
    use_context::<Handle>().map(|handle| handle.0.latest_settings()).unwrap_or_default()
}

/// Since when Redis does not answer; `None` while it does.
pub(crate) fn outage_since() -> Option<Timestamp> {
    let outage = use_context::<Handle>()?.0.outage()?;
    let since = outage.since.duration_since(std::time::UNIX_EPOCH).ok()?;
    Timestamp::from_millis(i64::try_from(since.as_millis()).ok()?)
}

/// The id of the request from its `x-request-id`, or a number unique in this process.
pub(crate) fn request_id() -> String {
    static COUNTED: AtomicU64 = AtomicU64::new(1);
    use_context::<Parts>()
        .and_then(|parts| parts.headers.get("x-request-id")?.to_str().ok().map(ToOwned::to_owned))
        .unwrap_or_else(|| format!("r{}", COUNTED.fetch_add(1, Ordering::Relaxed)))
}

fn allow(permission: Permission) -> Result<Principal, ApiError> {
    let principal = principal();
    // Pages span all queues.
    if principal.may(permission) && principal.is_everywhere() {
        Ok(principal)
    } else {
        Err(ApiError::Forbidden { permission })
    }
}

fn engine() -> Result<Engine, ApiError> {
    use_context::<Handle>()
        .map(|handle| handle.0)
        .ok_or_else(|| ApiError::internal(&std::io::Error::other("the server provided no engine")))
}
