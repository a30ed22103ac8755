//! Who is asking, and what they may do: the one layer in front of every route and function.

#[allow(clippy::result_large_err, reason = "an answer is made once, at the end")]
mod account;
mod account_routes;
mod accounts;
mod away;
mod cookies;
mod elsewhere;
mod failures;
mod federated;
mod first_run;
mod guessed;
mod host;
mod oidc;
mod oidc_routes;
pub(crate) mod on_page;
#[allow(clippy::result_large_err, reason = "an answer is made once, at the end")]
mod people;
pub(crate) mod principal_layer;
mod proven;
mod proxy;
mod proxy_layer;
mod refuse;
mod refused;
mod reveal;
mod route_policy;
mod said;
mod sign_in;

pub(crate) use accounts::AccountRoutes;
pub(crate) use away::Context;
pub use first_run::FirstRun;
pub use host::{HostAuth, HostUser};
pub use oidc::OidcProvider;
pub use proxy::TrustedProxy;
pub(crate) use refuse::{back_to_list, is_page};

use crate::access::Access;
use crate::config::ApiAuth;
use crate::middleware::client_ip::address_of;
use crate::middleware::host::Hosts;
use crate::middleware::method;
use crate::middleware::refusal::OnPage;
use crate::middleware::request_id::RequestId;
use crate::problem::{Problem, Told};
use crate::site::ASSETS;
use app::access::DEMO_ROLE;
use app::call::UNATTENDED;
use axum::response::{IntoResponse as _, Response};
use cookies::Cookie;
use failures::Failures;
use http::header::AUTHORIZATION;
use http::request::Parts;
use http::{HeaderMap, Method, StatusCode};
use reprieve::Engine;
use reprieve::model::{Permission, Role};
use reprieve_access::{
    Allowance, Checked, Credential, People, Principal, SessionId, TOKEN_NAME, Tokens, allowance,
};
use route_policy::{Policy, RateLimit};
use sha2::{Digest as _, Sha256};
use std::net::IpAddr;
use std::sync::Arc;

/// Tokens have less than 140 characters; more is nothing of ours and need not be hashed.
const TOKEN_BYTES_MAX: usize = 256;
/// Where programs may come with a token besides the HTTP API, and where files are taken away.
const TOKENS_TOO: [&str; 3] = ["/events", "/metrics", "/readyz"];
/// Where the files are that lists are taken away as.
const FILES: &str = "/export/";
/// How long a proof of who somebody is holds for what is hard to take back, in ms.
const PROOF_LASTS_MS: i64 = 5 * 60_000;

/// One door, for lists of them.
#[derive(Debug, Clone)]
#[non_exhaustive]
pub struct RouteInfo {
    /// Its address.
    pub path: String,
    /// The rights it asks for, which may be none but to be signed in; `None` where it is open to anybody.
    pub needs: Option<Vec<Permission>>,
}

/// Every server function and every route of its own, with what it asks for.
#[must_use]
pub fn route_policy() -> Vec<RouteInfo> {
    let functions = route_policy::FUNCTIONS.iter().map(|(name, door, _)| (format!("/api/fn/{name}"), *door));
    let routes = route_policy::ROUTES.iter().map(|(path, door, _)| ((*path).to_owned(), *door));
    let info = |(path, door)| RouteInfo {
        path,
        needs: match door {
            Policy::Anyone => None,
            Policy::Needs(needs) | Policy::Proved(needs) => Some(needs.to_vec()),
            Policy::Api | Policy::SignedIn | Policy::Unknown => Some(Vec::new()),
        },
    };
    functions.chain(routes).map(info).collect()
}

/// As much as the audit keeps of what a program asked for.
const ASKED_CHARS_MAX: usize = 200;

/// How people get in.
#[derive(Clone, Default)]
pub(crate) enum Entry {
    /// Everybody who reaches the server is in: behind another application that decides, and for tests.
    #[default]
    Open,
    /// Visitors choose what they are.
    Demo,
    /// With a session.
    Login,
    /// As the program around the dashboard says.
    Host(Arc<dyn HostAuth>),
}

impl Entry {
    /// Whether accounts are ours, and not those of the program around the dashboard.
    pub(crate) const fn has_accounts(&self) -> bool {
        !matches!(self, Self::Host(_))
    }
}

/// Decides who a request comes from and whether it goes on.
#[derive(Clone)]
pub(crate) struct AuthLayer {
    engine: Engine,
    tokens: Tokens,
    people: People,
    auth: ApiAuth,
    entry: Entry,
    hosts: Hosts,
    failures: Failures,
    /// For the page that tells of an outage.
    context: Context,
}

impl AuthLayer {
    pub(crate) fn new(engine: &Engine, auth: ApiAuth, entry: Entry, hosts: Hosts, context: Context) -> Self {
        Self {
            engine: engine.clone(),
            tokens: Tokens::new(engine),
            people: People::new(engine),
            auth,
            entry,
            hosts,
            failures: Failures::default(),
            context,
        }
    }

    /// Who sends this request, if the door opens for them.
    ///
    /// # Errors
    /// The answer instead: 401 or the way to sign in for nobody, 403 without the right or a fresh proof, 429 for
    /// somebody who does it too often, 503 while nothing can be known.
    pub(crate) async fn principal(&self, parts: &Parts) -> Result<Principal, Response> {
        if !method::is_used(&parts.method) {
            // No handler takes it, and what there is at an address is no secret.
            return Ok(Principal::nobody());
        }
        let path = parts.uri.path();
        let (door, rate_limit) = route_policy::of(path);
        if door == Policy::Api {
            return self
                .program(parts)
                .await
                .map(|program| asking(program, parts))
                .map_err(|problem| problem.into_response());
        }
        if (TOKENS_TOO.contains(&path) || path.starts_with(FILES)) && names_token(&parts.headers) {
            return self.program_elsewhere(parts, door).await.map_err(|problem| problem.into_response());
        }
        if !path.starts_with(ASSETS) {
            // The frame of a page shows them. One that cannot be read is said where the page reads its data.
            let _ = self.engine.settings().await;
        }
        let principal = asking(self.person(parts, door).await?, parts);
        self.admit(&principal, (door, rate_limit), parts).await?;
        self.rate_limit(&principal, rate_limit, parts).await?;
        Ok(principal)
    }

    /// The person at the browser.
    async fn person(&self, parts: &Parts, door: Policy) -> Result<Principal, Response> {
        match &self.entry {
            Entry::Open => return Ok(Principal::at_the_dashboard()),
            Entry::Demo => {
                let chosen = cookies::value(&parts.headers, DEMO_ROLE).and_then(|word| word.parse().ok());
                return Ok(Principal::of_the_demo(chosen.unwrap_or(Role::Admin)));
            }
            Entry::Host(host) => {
                return Ok(host.user(parts).map_or_else(Principal::nobody, HostUser::principal));
            }
            Entry::Login => {}
        }
        let id = Cookie::Session.read(&parts.headers, &self.hosts);
        // Files are the same for everybody.
        if id.is_empty() || parts.uri.path().starts_with(ASSETS) {
            return Ok(Principal::nobody());
        }
        // A page that listens does nothing, nor does what it then reads again while nobody is at it.
        let path = parts.uri.path();
        let alone = parts.headers.contains_key(UNATTENDED) && route_policy::of(path).1 == RateLimit::Free;
        let uses = path != "/events" && !alone;
        let signed = match self.people.session(&id, uses).await {
            Ok(signed) => signed,
            // Who it is matters at no such door, and the way in is there with an old cookie too.
            Err(_) if door == Policy::Anyone => None,
            Err(error) => return Err(away::untold(&error)),
        };
        Ok(signed.map_or_else(Principal::nobody, |signed| {
            let proved = signed.now.millis_since(signed.proved) < PROOF_LASTS_MS;
            Principal::signed_in(signed.name.to_string(), signed.role, SessionId::new(&id), proved)
                .until(signed.ends)
                .reading(signed.language)
                .only_in(signed.queues)
        }))
    }

    /// Whether the door opens.
    async fn admit(
        &self,
        principal: &Principal,
        (door, rate_limit): (Policy, RateLimit),
        parts: &Parts,
    ) -> Result<(), Response> {
        let (needs, proved) = match door {
            Policy::Anyone => return Ok(()),
            Policy::Needs(needs) => (needs, false),
            Policy::Proved(needs) => (needs, true),
            Policy::Api | Policy::SignedIn | Policy::Unknown => (&[] as &[Permission], false),
        };
        if principal.credential == Credential::Nobody {
            if !self.entry.has_accounts() {
                return Err(host::sign_in_there());
            }
            return Err(refuse::signed_out(parts));
        }
        if door == Policy::Unknown && parts.uri.path().starts_with("/api/fn/") {
            return Err(refuse::undeclared());
        }
        if let Some(&lacks) = needs.iter().find(|&&right| !principal.may(right)) {
            // Who takes lists away does so by looking.
            if parts.method == Method::POST || rate_limit == RateLimit::Exports {
                self.note_refusal(principal, parts, lacks.as_str()).await;
            }
            return Err(refuse::forbidden(parts, lacks));
        }
        if proved && !principal.has_proved() {
            return Err(refuse::unproved(parts));
        }
        Ok(())
    }

    /// Whether they do it as often as a person does.
    async fn rate_limit(
        &self,
        principal: &Principal,
        rate_limit: RateLimit,
        parts: &Parts,
    ) -> Result<(), Response> {
        if !principal.is_person() || parts.method != Method::POST {
            return Ok(());
        }
        let Allowance { what, most, span } = match rate_limit {
            // A file is counted once there is one.
            RateLimit::Free | RateLimit::Exports => return Ok(()),
            RateLimit::Acts => allowance::ACTS,
        };
        let wait = self.people.spend(what, &principal.name, most, span).await;
        match wait.map_err(|error| away::untold(&error))? {
            None => Ok(()),
            Some(wait) => {
                self.note_refusal(principal, parts, "too often").await;
                Err(refuse::too_often(parts, wait))
            }
        }
    }

    /// A refusal or an answer as the caller can read it, where the engine could not answer. `asked` is what a browser
    /// asked for that takes a page, or a script of a page; `is_begun` says whether something of it may have been done.
    pub(crate) async fn told(&self, response: Response, asked: Option<&Parts>, is_begun: bool) -> Response {
        let Some(error) = away::read(&response) else { return response };
        away::tell(&self.context, asked, error, is_begun).await
    }

    /// The page that says why a request went no further.
    pub(crate) async fn tell_on_page(&self, asked: &Parts, page: OnPage) -> Response {
        match page {
            OnPage::Failed { error, is_begun } => away::page(&self.context, asked, error, is_begun).await,
            OnPage::Stopped(why) => away::stopped(&self.context, asked, why).await,
        }
    }

    /// Writes into the audit that a program was refused what it asked for.
    pub(crate) async fn note_program(&self, program: &Principal, asked: &str) {
        // A path is as long as its sender likes.
        let asked: String = asked.chars().take(ASKED_CHARS_MAX).collect();
        self.people.called_by(&program.actor()).note_denied(&program.name, &asked, "", "not allowed").await;
    }

    /// Writes into the audit that somebody was refused.
    async fn note_refusal(&self, principal: &Principal, parts: &Parts, why: &str) {
        let people = self.people.called_by(&principal.actor());
        people.note_denied(&principal.name, parts.uri.path(), "", why).await;
    }

    /// A program that uses the HTTP API. A token that is sent is always checked.
    async fn program(&self, parts: &Parts) -> Result<Principal, Problem> {
        match bearer(&parts.headers)? {
            Some(token) => self.check(token, address_of(&parts.extensions)).await,
            None if self.auth == ApiAuth::Off => Ok(Principal::of_the_api()),
            // What there is may be known; doing it may not.
            None if parts.uri.path() == "/api/v1/openapi.json" => Ok(Principal::nobody()),
            None => Err(refuse::token_required()),
        }
    }

    /// A program that uses what people see as well.
    async fn program_elsewhere(&self, parts: &Parts, door: Policy) -> Result<Principal, Problem> {
        let Some(token) = bearer(&parts.headers)? else { return Ok(Principal::nobody()) };
        let principal = self.check(token, address_of(&parts.extensions)).await?;
        let needs = match door {
            // A token proves who sends it with each request.
            Policy::Needs(needs) | Policy::Proved(needs) => needs,
            _ => &[],
        };
        let principal = asking(principal, parts);
        if parts.uri.path().starts_with(FILES) {
            // The export handler leaves out rows of other queues.
            let access = Access::of(self.engine.clone(), principal.clone());
            for &right in needs {
                if let Err(refused) = access.require(right) {
                    self.note_program(&principal, &format!("{} {}", parts.method, parts.uri.path())).await;
                    return Err(refused.into());
                }
            }
            return Ok(principal);
        }
        // Metrics were read with the right to look before they had one of their own. All of it is of all queues.
        let looks = principal.may(Permission::View);
        let access = Access::of(self.engine.clone(), principal.clone());
        for &right in needs {
            access.require_everywhere(if looks { Permission::View } else { right })?;
        }
        Ok(principal)
    }

    async fn check(&self, token: &str, address: Option<IpAddr>) -> Result<Principal, Problem> {
        // Only its hash is remembered, so that a good token still works from an address where others fail.
        let print: [u8; 32] = Sha256::digest(token.as_bytes()).into();
        self.failures.admit(address, &print).map_err(|wait_seconds| {
            Problem::new(
                StatusCode::TOO_MANY_REQUESTS,
                "too_many_failures",
                "Too many tokens that are not good",
                format!("wait {wait_seconds} s, then send one that is"),
            )
            .retry_after(wait_seconds)
        })?;
        let code = match self.tokens.check(token).await.told()? {
            Checked::Good(info) => {
                self.failures.worked(print);
                return Ok(Principal::new(format!("{TOKEN_NAME}{}", info.name), info.permissions)
                    .only_in(info.queues));
            }
            Checked::Expired(info) => {
                tracing::warn!(token.name = %info.name, "token {} was used after its time", info.name);
                "token_expired"
            }
            _ => {
                match address {
                    Some(address) => {
                        tracing::warn!(%address, "a token that is not good was sent from {address}");
                    }
                    None => tracing::warn!("a token that is not good was sent"),
                }
                "token_invalid"
            }
        };
        self.failures.failed(address, &print);
        Err(challenge(
            code,
            "this token is unknown here or was removed; `reprieve token list` shows those that are valid",
        ))
    }
}

/// Somebody with what is known of their request.
fn asking(principal: Principal, parts: &Parts) -> Principal {
    let request = parts.extensions.get::<RequestId>().map(ToString::to_string);
    principal.asking(address_of(&parts.extensions), request.unwrap_or_default())
}

/// Whether an `Authorization` header is meant for us: of another scheme it is for a proxy before us.
fn names_token(headers: &HeaderMap) -> bool {
    let mut values = headers.get_all(AUTHORIZATION).iter().filter_map(|value| value.to_str().ok());
    values.any(|value| value.split(' ').next().is_some_and(|scheme| scheme.eq_ignore_ascii_case("bearer")))
}

/// The token of the one `Authorization` header; `None` if there is none.
pub(crate) fn bearer(headers: &HeaderMap) -> Result<Option<&str>, Problem> {
    let mut values = headers.get_all(AUTHORIZATION).iter();
    let Some(value) = values.next() else { return Ok(None) };
    let text = value.to_str().unwrap_or_default();
    let token = text.split_once(' ').filter(|(scheme, _)| scheme.eq_ignore_ascii_case("bearer"));
    match token {
        Some((_, token)) if values.next().is_none() && token.len() <= TOKEN_BYTES_MAX => {
            Ok(Some(token.trim()))
        }
        _ => Err(challenge(
            "token_invalid",
            "an API token is sent as one header `Authorization: Bearer <token>`",
        )),
    }
}

fn challenge(code: &'static str, detail: &'static str) -> Problem {
    Problem::new(StatusCode::UNAUTHORIZED, code, "A token is needed", detail).challenge(refuse::BEARER)
}
