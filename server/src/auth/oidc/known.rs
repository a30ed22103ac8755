//! What the provider says about itself, and its keys: asked when they are needed, remembered for an hour.

use super::fetch::Fetcher;
use crate::auth::refused::{Refused, shown};
use crate::config::may_be_asked;
use jsonwebtoken::jwk::Jwk;
use serde::Deserialize;
use serde_json::Value;
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use std::time::{Duration, Instant};
use url::Url;

/// How long both are remembered: providers announce new keys long before they sign with them.
const KEPT_FOR: Duration = Duration::from_secs(3_600);
/// How often keys are asked for again out of turn, because one is not among them: a token with a made-up key must not
/// make us ask each time.
const ASKED_AGAIN_AFTER: Duration = Duration::from_secs(60);
/// Keys that are looked through; providers have a handful.
const KEYS_MAX: usize = 100;

/// What is known of the provider.
#[derive(Debug)]
pub(super) struct Known {
    issuer: String,
    url: Url,
    fetcher: Fetcher,
    kept: Mutex<Kept>,
}

#[derive(Debug, Default)]
struct Kept {
    metadata: Option<(Instant, Arc<Metadata>)>,
    keys: Option<(Instant, Arc<Vec<Jwk>>)>,
    asked_again: Option<Instant>,
}

/// What the provider says about itself.
#[derive(Debug)]
pub(super) struct Metadata {
    /// Where browsers go.
    pub(super) authorize: Url,
    /// Where codes are exchanged.
    pub(super) token: Url,
    /// Where it tells more of somebody than the token does; `None` where it tells no more.
    pub(super) userinfo: Option<Url>,
    /// Whether our secret goes there in a header; else in the form.
    pub(super) takes_header: bool,
    /// Whether it names itself in what the browser brings back: RFC 9207.
    pub(super) names_itself: bool,
    keys: Url,
}

/// The same as written: OpenID Connect Discovery section 3.
#[derive(Deserialize)]
struct Said {
    issuer: String,
    authorization_endpoint: String,
    token_endpoint: String,
    jwks_uri: String,
    #[serde(default)]
    userinfo_endpoint: Option<String>,
    token_endpoint_auth_methods_supported: Option<Vec<String>>,
    #[serde(default)]
    authorization_response_iss_parameter_supported: bool,
}

impl Known {
    /// `url` is the issuer as one.
    pub(super) fn new(issuer: String, url: Url, fetcher: Fetcher) -> Self {
        Self { issuer, url, fetcher, kept: Mutex::default() }
    }

    /// What the provider says about itself.
    pub(super) async fn metadata(&self) -> Result<Arc<Metadata>, Refused> {
        if let Some(known) = fresh(self.kept().metadata.as_ref()) {
            return Ok(known);
        }
        let place = format!("{}/.well-known/openid-configuration", self.issuer.trim_end_matches('/'));
        let place: Url = place.parse().map_err(|_| Refused::away("the issuer is not an address"))?;
        let metadata = Arc::new(self.checked(&self.fetcher.get(&place).await?)?);
        self.kept().metadata = Some((Instant::now(), Arc::clone(&metadata)));
        Ok(metadata)
    }

    /// The key with this id; without an id, the only one there is.
    pub(super) async fn key(&self, id: Option<&str>) -> Result<Jwk, Refused> {
        let known = fresh(self.kept().keys.as_ref());
        let keys = match known {
            Some(keys) => keys,
            None => self.ask_for_keys().await?,
        };
        if let Some(key) = find(&keys, id) {
            return Ok(key);
        }
        let unknown = || Refused::untrue("it is signed with a key that the provider does not have");
        if !self.may_ask_again(Instant::now()) {
            return Err(unknown());
        }
        find(&self.ask_for_keys().await?, id).ok_or_else(unknown)
    }

    async fn ask_for_keys(&self) -> Result<Arc<Vec<Jwk>>, Refused> {
        #[derive(Deserialize)]
        struct Set {
            keys: Vec<Value>,
        }
        let set: Set = self.fetcher.get(&self.metadata().await?.keys).await?;
        // Of a kind that nobody here knows are others' business.
        let keys = set.keys.into_iter().take(KEYS_MAX).filter_map(|key| serde_json::from_value(key).ok());
        let keys: Arc<Vec<Jwk>> = Arc::new(keys.collect());
        self.kept().keys = Some((Instant::now(), Arc::clone(&keys)));
        Ok(keys)
    }

    fn may_ask_again(&self, now: Instant) -> bool {
        let mut kept = self.kept();
        let may =
            kept.asked_again.is_none_or(|last| now.saturating_duration_since(last) >= ASKED_AGAIN_AFTER);
        if may {
            kept.asked_again = Some(now);
        }
        may
    }

    fn checked(&self, said: &Said) -> Result<Metadata, Refused> {
        if said.issuer != self.issuer {
            let why =
                format!("the provider describes another issuer, {}; set issuer to that", shown(&said.issuer));
            return Err(Refused::untrue(why));
        }
        let place = |text: &str| {
            let url = text.parse().ok().filter(|url| may_be_asked(url, &self.url));
            url.ok_or_else(|| Refused::untrue("the provider names an address that is not under TLS"))
        };
        // In a header unless it says otherwise: OpenID Connect Discovery section 3.
        let takes_header = said
            .token_endpoint_auth_methods_supported
            .as_ref()
            .is_none_or(|ways| ways.iter().any(|way| way == "client_secret_basic"));
        Ok(Metadata {
            authorize: place(&said.authorization_endpoint)?,
            token: place(&said.token_endpoint)?,
            userinfo: said.userinfo_endpoint.as_deref().map(place).transpose()?,
            takes_header,
            names_itself: said.authorization_response_iss_parameter_supported,
            keys: place(&said.jwks_uri)?,
        })
    }

    fn kept(&self) -> MutexGuard<'_, Kept> {
        self.kept.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

fn fresh<T>(kept: Option<&(Instant, Arc<T>)>) -> Option<Arc<T>> {
    kept.filter(|(since, _)| since.elapsed() < KEPT_FOR).map(|(_, known)| Arc::clone(known))
}

fn find(keys: &[Jwk], id: Option<&str>) -> Option<Jwk> {
    match (id, keys) {
        (None, [only]) => Some(only.clone()),
        (None, _) => None,
        (Some(id), keys) => keys.iter().find(|key| key.common.key_id.as_deref() == Some(id)).cloned(),
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::config::OutgoingConfig;

    #[test]
    fn keys_are_asked_for_out_of_turn_once_a_minute() {
        let url: Url = "https://login.example".parse().unwrap();
        let known = Known::new(url.to_string(), url, Fetcher::new(&OutgoingConfig::default()).unwrap());
        let start = Instant::now();
        assert!(known.may_ask_again(start));
        assert!(!known.may_ask_again(start) && !known.may_ask_again(start + Duration::from_secs(59)));
        assert!(known.may_ask_again(start + Duration::from_secs(60)));
    }
}
