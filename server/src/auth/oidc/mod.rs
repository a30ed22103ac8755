//! Signing in by a provider of OpenID Connect: a code that is exchanged with PKCE, state and nonce.
//!
//! Nothing the browser brings back is believed by itself: the code is exchanged with the provider directly, and what it
//! answers is believed only when it is signed by a key of the issuer, made for us, now, for this very sign-in.

mod fetch;
mod flow;
mod known;
mod rooms;
mod signature;
mod token;

pub(super) use flow::LASTS_SECONDS as FLOW_LASTS_SECONDS;
pub(super) use rooms::{callback, start};

use super::refused::Refused;
use super::vouched::Proven;
use crate::config::{GroupConfig, OidcConfig, OutgoingConfig, Secret};
use anyhow::Context as _;
use base64::Engine as _;
use base64::engine::general_purpose::STANDARD;
use fetch::Fetcher;
use flow::Flow;
use known::{Known, Metadata};
use reprieve::model::Timestamp;
use serde::Deserialize;
use std::sync::Arc;
use token::{Claims, Expected};
use tokio::sync::Semaphore;
use url::Url;
use url::form_urlencoded::{Serializer, byte_serialize};

/// Exchanges with the provider at once; whoever comes beside them tries again.
const AT_ONCE: usize = 16;
/// Longest code that is exchanged, in bytes: those of large providers have some hundred.
const CODE_BYTES_MAX: usize = 2_048;

/// A provider that proves who people are.
#[derive(Debug, Clone)]
pub struct OidcProvider(Arc<Inner>);

#[derive(Debug)]
struct Inner {
    config: OidcConfig,
    fetcher: Fetcher,
    known: Known,
    places: Semaphore,
}

impl OidcProvider {
    /// The provider of a configuration. It is asked nothing before the first person comes.
    ///
    /// # Errors
    /// Where no HTTP client can be made.
    pub fn new(config: &OidcConfig) -> anyhow::Result<Self> {
        Self::through(config, &OutgoingConfig::default())
    }

    /// The same, reached as that says.
    ///
    /// # Errors
    /// Where no HTTP client can be made, as with a proxy or an authority that does not read.
    pub fn through(config: &OidcConfig, outgoing: &OutgoingConfig) -> anyhow::Result<Self> {
        signature::install();
        let fetcher = Fetcher::new(outgoing)?;
        let issuer: Url = config.issuer.parse().context("the issuer is no URL")?;
        fetcher.warn(issuer.scheme() == "https");
        let known = Known::new(config.issuer.clone(), issuer, fetcher.clone());
        Ok(Self(Arc::new(Inner { config: config.clone(), fetcher, known, places: Semaphore::new(AT_ONCE) })))
    }

    /// What the button calls it.
    pub(crate) fn label(&self) -> &str {
        &self.0.config.label
    }

    /// Where a browser goes for this sign-in. `back` is where it comes back to.
    async fn address(&self, flow: &Flow, back: &str) -> Result<Url, Refused> {
        let config = &self.0.config;
        let mut url = self.0.known.metadata().await?.authorize.clone();
        let mut query = url.query_pairs_mut();
        query
            .append_pair("response_type", "code")
            .append_pair("client_id", &config.client_id)
            .append_pair("redirect_uri", back)
            .append_pair("scope", &config.scopes.join(" "))
            .append_pair("state", &flow.state)
            .append_pair("nonce", &flow.nonce)
            .append_pair("code_challenge", &flow.challenge())
            .append_pair("code_challenge_method", "S256");
        if flow.prove {
            query.append_pair("prompt", "login").append_pair("max_age", "0");
        }
        drop(query);
        Ok(url)
    }

    /// Exchanges the code that came back and reads who that is. `issuer` is the one the answer names, if any.
    async fn proven(
        &self,
        flow: &Flow,
        code: &str,
        issuer: Option<&str>,
        back: &str,
    ) -> Result<Proven, Refused> {
        let config = &self.0.config;
        // The semaphore is never closed; it is full or it is not.
        let _place = self.0.places.try_acquire().map_err(|_| Refused::busy())?;
        let metadata = self.0.known.metadata().await?;
        let is_missing = issuer.is_none() && metadata.names_itself;
        if is_missing || issuer.is_some_and(|issuer| issuer != config.issuer) {
            return Err(Refused::untrue("the answer is that of another issuer"));
        }
        if code.is_empty() || code.len() > CODE_BYTES_MAX {
            return Err(Refused::untrue("the answer holds no code"));
        }
        let token = self.exchange(&metadata, flow, code, back).await?;
        let header = token::header(&token)?;
        let key = self.0.known.key(header.kid.as_deref()).await?;
        let expected = Expected { issuer: &config.issuer, client_id: &config.client_id, nonce: &flow.nonce };
        let claims = token::read(&token, &header, &key, &expected)?;
        Ok(self.about(&claims))
    }

    /// The ID token for a code.
    async fn exchange(
        &self,
        metadata: &Metadata,
        flow: &Flow,
        code: &str,
        back: &str,
    ) -> Result<String, Refused> {
        #[derive(Deserialize)]
        struct Answer {
            id_token: String,
        }
        let (form, login) = self.request(metadata, flow, code, back);
        let answer: Answer = self.0.fetcher.post(&metadata.token, form, login).await?;
        Ok(answer.id_token)
    }

    /// The form that asks for it, and what proves beside it who we are.
    fn request(&self, metadata: &Metadata, flow: &Flow, code: &str, back: &str) -> (String, Option<Secret>) {
        let config = &self.0.config;
        let mut form = Serializer::new(String::new());
        form.append_pair("grant_type", "authorization_code")
            .append_pair("code", code)
            .append_pair("redirect_uri", back)
            .append_pair("code_verifier", &flow.verifier);
        match &config.client_secret {
            Some(secret) if metadata.takes_header => {
                return (form.finish(), Some(basic(&config.client_id, secret)));
            }
            Some(secret) => {
                form.append_pair("client_id", &config.client_id)
                    .append_pair("client_secret", secret.expose());
            }
            None => {
                form.append_pair("client_id", &config.client_id);
            }
        }
        (form.finish(), None)
    }

    fn about(&self, claims: &Claims) -> Proven {
        let config = &self.0.config;
        let group = GroupConfig::first_among(&config.groups, &claims.texts(&config.groups_claim));
        let name = claims.texts(&config.name_claim);
        let name = name.first().and_then(|name| name.trim().to_lowercase().parse().ok());
        let proved = claims.auth_time.map(|seconds| {
            Timestamp::saturating_from_millis(
                i64::try_from(seconds).unwrap_or(i64::MAX).saturating_mul(1_000),
            )
        });
        // A line break is in no issuer: the two can be told apart.
        Proven { subject: format!("{}\n{}", config.issuer, claims.sub), name, group, proved }
    }
}

/// The value of `Authorization`, of id and secret encoded as RFC 6749 section 2.3.1 wants them.
fn basic(id: &str, secret: &Secret) -> Secret {
    let encoded = |text: &str| byte_serialize(text.as_bytes()).collect::<String>();
    let both = format!("{}:{}", encoded(id), encoded(secret.expose()));
    Secret::new(format!("Basic {}", STANDARD.encode(both)))
}
