//! Signing in by a provider of OpenID Connect: a code that is exchanged with PKCE, state and nonce.
//!
//! Nothing the browser brings back is believed by itself: the code is exchanged with the provider directly, and what it
//! answers is believed only when it is signed by a key of the issuer, made for us, now, for this very sign-in.

mod fetch;
mod flow;
mod known;
mod signature;
mod token;

pub(super) use flow::LASTS_SECONDS as FLOW_LASTS_SECONDS;
pub(super) use flow::{AT_ONCE_MAX, Flow, mark};

use super::proven::{NoGroup, Proven};
use super::refused::{Refused, none_of, shown};
use crate::config::{GroupConfig, OidcConfig, OutgoingConfig, Secret};
use anyhow::Context as _;
use base64::Engine as _;
use base64::engine::general_purpose::STANDARD;
use fetch::Fetcher;
use known::{Known, Metadata};
use reprieve::model::{InvalidName, Timestamp};
use serde::Deserialize;
use serde_json::{Map, Value};
use std::sync::Arc;
use token::{Claims, Expected};
use tokio::sync::Semaphore;
use url::Url;
use url::form_urlencoded::{Serializer, byte_serialize};

/// Exchanges with the provider at once; one more is told to try again.
const AT_ONCE: usize = 16;
/// Longest token that opens UserInfo, in bytes.
const TOKEN_BYTES_MAX: usize = 16 * 1_024;
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
        let issuer: Url = config.issuer.parse().context("the issuer is not a URL")?;
        fetcher.warn(issuer.scheme() == "https");
        let known = Known::new(config.issuer.clone(), issuer, fetcher.clone());
        Ok(Self(Arc::new(Inner { config: config.clone(), fetcher, known, places: Semaphore::new(AT_ONCE) })))
    }

    /// What the button calls it.
    pub(crate) fn label(&self) -> &str {
        &self.0.config.label
    }

    /// Where a browser goes for this sign-in. `back` is where it comes back to.
    pub(super) async fn address(&self, flow: &Flow, back: &str) -> Result<Url, Refused> {
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
    pub(super) async fn proven(
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
            let theirs = issuer.map_or_else(|| "no issuer".to_owned(), shown);
            let why = format!(
                "the answer is that of another issuer: it names {theirs}, and issuer is {}",
                config.issuer
            );
            return Err(Refused::untrue(why));
        }
        if code.is_empty() || code.len() > CODE_BYTES_MAX {
            return Err(Refused::untrue("the answer holds no code"));
        }
        let (token, access) = self.exchange(&metadata, flow, code, back).await?;
        let header = token::header(&token)?;
        let key = self.0.known.key(header.kid.as_deref()).await?;
        let expected = Expected { issuer: &config.issuer, client_id: &config.client_id, nonce: &flow.nonce };
        let mut claims = token::read(&token, &header, &key, &expected)?;
        let asked = self.complete(&metadata, &mut claims, access).await?;
        Ok(self.about(&claims, asked))
    }

    /// Asks the provider for what the token leaves out of the claims that decide here. What came of it, in words.
    async fn complete(
        &self,
        metadata: &Metadata,
        claims: &mut Claims,
        access: Option<Secret>,
    ) -> Result<&'static str, Refused> {
        let config = &self.0.config;
        if claims.says(&config.groups_claim) && claims.says(&config.name_claim) {
            return Ok("");
        }
        let (Some(url), Some(access)) = (&metadata.userinfo, access) else {
            return Ok("and the provider has no UserInfo to ask");
        };
        let said: Map<String, Value> = match self.0.fetcher.get_with(url, &access).await {
            Ok(said) => said,
            Err(refused) if refused.is_away() => return Err(refused),
            Err(_) => return Ok("and UserInfo gave no answer that reads"),
        };
        // OpenID Connect Core section 5.3.2: else it may be about somebody else.
        if said.get("sub").and_then(Value::as_str) != Some(claims.sub.as_str()) {
            return Ok("and UserInfo is about somebody else");
        }
        claims.complete(said);
        Ok("and neither has UserInfo")
    }

    /// The ID token for a code, and the token that opens UserInfo.
    async fn exchange(
        &self,
        metadata: &Metadata,
        flow: &Flow,
        code: &str,
        back: &str,
    ) -> Result<(String, Option<Secret>), Refused> {
        #[derive(Deserialize)]
        struct Answer {
            id_token: String,
            #[serde(default)]
            access_token: Option<String>,
        }
        let (form, login) = self.request(metadata, flow, code, back);
        let answer: Answer = self.0.fetcher.post(&metadata.token, form, login).await?;
        Ok((answer.id_token, answer.access_token.filter(|token| is_token(token)).map(Secret::new)))
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

    /// `asked` says what came of asking for what the token leaves out.
    fn about(&self, claims: &Claims, asked: &str) -> Proven {
        let config = &self.0.config;
        let whose = format!("sub {}", shown(&claims.sub));
        let lacks = |claim: &str, setting: &str| {
            let why = match claims.is_elsewhere(claim) {
                true => {
                    format!("the ID token only names where `{claim}` is (`_claim_names`: there are too many)")
                }
                false => format!("the ID token has no claim `{claim}`"),
            };
            format!("{why} {asked}; have the provider send it, or set {setting} ({whose})")
        };
        let groups = claims.texts(&config.groups_claim);
        let group = match GroupConfig::first_among(&config.groups, &groups) {
            Some(group) => Ok(group),
            None if claims.says(&config.groups_claim) && !claims.is_readable(&config.groups_claim) => {
                let claim = &config.groups_claim;
                let why = format!("the claim `{claim}` is neither a text nor a list of texts");
                Err(NoGroup::NotSaid(format!(
                    "{why}; have the provider send one, or set groups_claim ({whose})"
                )))
            }
            None if claims.says(&config.groups_claim) => {
                let why = none_of(&config.groups_claim, &groups, "oidc.group");
                Err(NoGroup::InNone(format!("{why} ({whose})")))
            }
            None => Err(NoGroup::NotSaid(lacks(&config.groups_claim, "groups_claim"))),
        };
        let name = match claims.texts(&config.name_claim).first() {
            Some(name) => name.trim().to_lowercase().parse().map_err(|why: InvalidName| {
                let claim = &config.name_claim;
                format!("`{claim}` is {}: {why}; set name_claim to another claim ({whose})", shown(name))
            }),
            None if claims.says(&config.name_claim) => {
                let claim = &config.name_claim;
                Err(format!("`{claim}` is not a text; set name_claim to another claim ({whose})"))
            }
            None => Err(lacks(&config.name_claim, "name_claim")),
        };
        let proved = claims.auth_time.map(|seconds| {
            Timestamp::saturating_from_millis(
                i64::try_from(seconds).unwrap_or(i64::MAX).saturating_mul(1_000),
            )
        });
        // A line break is in no issuer: the two can be told apart.
        Proven { subject: format!("{}\n{}", config.issuer, claims.sub), name, group, proved }
    }
}

/// Whether it can stand in a header.
fn is_token(text: &str) -> bool {
    !text.is_empty() && text.len() <= TOKEN_BYTES_MAX && text.bytes().all(|byte| byte.is_ascii_graphic())
}

/// The value of `Authorization`, of id and secret encoded as RFC 6749 section 2.3.1 wants them.
fn basic(id: &str, secret: &Secret) -> Secret {
    let encoded = |text: &str| byte_serialize(text.as_bytes()).collect::<String>();
    let both = format!("{}:{}", encoded(id), encoded(secret.expose()));
    Secret::new(format!("Basic {}", STANDARD.encode(both)))
}
