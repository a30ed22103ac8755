//! Who is asking: a token that was sent, or whoever sits at this machine.

mod failures;

use crate::config::ApiAuth;
use crate::http_api::Problem;
use app::access::Principal;
use axum::extract::ConnectInfo;
use failures::Failures;
use http::header::AUTHORIZATION;
use http::request::Parts;
use http::{HeaderMap, StatusCode};
use reprieve::model::Permission;
use reprieve::{Checked, Engine, Tokens};
use sha2::{Digest as _, Sha256};
use std::net::SocketAddr;

/// Where a token is looked for.
const API: &str = "/api/v1/";
/// Tokens have less than 140 characters; more is nothing of ours and need not be hashed.
const TOKEN_BYTES_MAX: usize = 256;

/// Decides who a request of the API comes from.
#[derive(Debug, Clone)]
pub(crate) struct Gate {
    engine: Engine,
    tokens: Tokens,
    auth: ApiAuth,
    failures: Failures,
}

impl Gate {
    pub(crate) fn new(engine: &Engine, auth: ApiAuth) -> Self {
        Self { engine: engine.clone(), tokens: engine.tokens(), auth, failures: Failures::default() }
    }

    /// Who sends this request.
    ///
    /// A token is always checked where one is sent to the API or its events. Pages have no login yet: whoever
    /// reaches them is at this machine.
    ///
    /// # Errors
    /// 401 without a token where one is needed, and for one that is not good; 429 after too many of those; 503 while
    /// nothing can be known.
    pub(crate) async fn principal(&self, parts: &Parts) -> Result<Principal, Problem> {
        let path = parts.uri.path();
        let api = path.starts_with(API);
        if !api && path != "/events" {
            if !path.starts_with("/assets/") {
                // The frame of a page shows them. One that cannot be read is said where the page reads its data.
                let _ = self.engine.settings().await;
            }
            return Ok(Principal::at_the_dashboard());
        }
        match bearer(&parts.headers)? {
            Some(token) => {
                let principal = self.check(token, peer(parts)).await?;
                // The events are of all queues.
                if api || (principal.may(Permission::View) && principal.is_everywhere()) {
                    return Ok(principal);
                }
                Err(Problem::new(
                    StatusCode::FORBIDDEN,
                    "forbidden",
                    "You may not do this",
                    "the live events need the permission view, in all queues",
                ))
            }
            None if !api => Ok(Principal::at_the_dashboard()),
            None if self.auth == ApiAuth::Off => Ok(Principal::of_the_api()),
            // What there is may be known; doing it may not.
            None if path == "/api/v1/openapi.json" => Ok(Principal::nobody()),
            None => Err(challenge(
                "token_required",
                "send the header `Authorization: Bearer <token>`; `reprieve token add` makes one",
            )),
        }
    }

    async fn check(&self, token: &str, peer: Option<SocketAddr>) -> Result<Principal, Problem> {
        let address = peer.map(|peer| peer.ip().to_canonical());
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
        let code = match self.tokens.check(token).await.map_err(|error| Problem::engine(&error))? {
            Checked::Good(info) => {
                self.failures.worked(print);
                return Ok(
                    Principal::new(format!("token:{}", info.name), info.permissions).only_in(info.queues)
                );
            }
            Checked::Expired(info) => {
                tracing::warn!(token.name = %info.name, "token {} was used after its time", info.name);
                "token_expired"
            }
            _ => {
                tracing::warn!(address = ?address, "a token that is not good was sent");
                "token_invalid"
            }
        };
        self.failures.failed(address, &print);
        Err(challenge(
            code,
            "this token is not good here, or not any more; `reprieve token list` says which are",
        ))
    }
}

/// The token of the one `Authorization` header; `None` if there is none.
fn bearer(headers: &HeaderMap) -> Result<Option<&str>, Problem> {
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

fn peer(parts: &Parts) -> Option<SocketAddr> {
    parts.extensions.get::<ConnectInfo<SocketAddr>>().map(|ConnectInfo(peer)| *peer)
}

fn challenge(code: &'static str, detail: &'static str) -> Problem {
    Problem::new(StatusCode::UNAUTHORIZED, code, "A token is needed", detail)
        .challenge("Bearer realm=\"reprieve\"")
}
