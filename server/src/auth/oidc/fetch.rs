//! Asks the provider: no redirects, little time and few bytes.

use crate::auth::refused::Refused;
use crate::config::{OutgoingConfig, Secret};
use crate::outgoing::HttpClient;
use http::header::{ACCEPT, AUTHORIZATION, CONTENT_TYPE};
use reqwest::redirect::Policy;
use reqwest::{ClientBuilder, RequestBuilder, Response};
use serde::de::DeserializeOwned;
use std::time::Duration;
use url::Url;

/// How long one look-up and connection may take.
const CONNECT_MAX: Duration = Duration::from_secs(3);
/// How long one answer may take to its end: three of them fit into the time a page has.
const ANSWER_MAX: Duration = Duration::from_secs(5);
/// Longest answer, in bytes: the keys of large providers have some ten thousand.
const ANSWER_BYTES_MAX: usize = 256 * 1024;

/// Asks the provider.
#[derive(Debug, Clone)]
pub(super) struct Fetcher(HttpClient);

impl Fetcher {
    pub(super) fn new(outgoing: &OutgoingConfig) -> anyhow::Result<Self> {
        let limits = |limits: ClientBuilder| {
            limits.redirect(Policy::none()).connect_timeout(CONNECT_MAX).timeout(ANSWER_MAX)
        };
        Ok(Self(HttpClient::new(outgoing, limits)?))
    }

    /// Logs what keeps the provider from being reached.
    pub(super) fn warn(&self, speaks_tls: bool) {
        self.0.warn("the provider of sign-in", speaks_tls);
    }

    /// What stands there, as JSON.
    pub(super) async fn get<T: DeserializeOwned>(&self, url: &Url) -> Result<T, Refused> {
        self.read(self.0.get().get(url.clone())).await
    }

    /// The same with a token that opens it.
    pub(super) async fn get_with<T: DeserializeOwned>(
        &self,
        url: &Url,
        token: &Secret,
    ) -> Result<T, Refused> {
        self.read(self.0.get().get(url.clone()).header(AUTHORIZATION, format!("Bearer {}", token.expose())))
            .await
    }

    /// The answer to a form, as JSON.
    pub(super) async fn post<T: DeserializeOwned>(
        &self,
        url: &Url,
        form: String,
        login: Option<Secret>,
    ) -> Result<T, Refused> {
        let mut request = self
            .0
            .get()
            .post(url.clone())
            .header(CONTENT_TYPE, "application/x-www-form-urlencoded")
            .body(form);
        if let Some(login) = login {
            request = request.header(AUTHORIZATION, login.expose());
        }
        self.read(request).await
    }

    async fn read<T: DeserializeOwned>(&self, request: RequestBuilder) -> Result<T, Refused> {
        let response =
            request.header(ACCEPT, "application/json").send().await.map_err(|error| self.away(error))?;
        let status = response.status();
        if status.is_server_error() {
            return Err(Refused::away(format!("the provider answered {}", status.as_u16())));
        }
        if !status.is_success() {
            return Err(Refused::untrue(format!("the provider answered {}", status.as_u16())));
        }
        let bytes = self.bytes_of(response).await?;
        serde_json::from_slice(&bytes).map_err(|_| Refused::untrue("an answer of the provider does not read"))
    }

    async fn bytes_of(&self, mut response: Response) -> Result<Vec<u8>, Refused> {
        let mut bytes = Vec::new();
        while let Some(chunk) = response.chunk().await.map_err(|error| self.away(error))? {
            if bytes.len() + chunk.len() > ANSWER_BYTES_MAX {
                return Err(Refused::untrue("an answer of the provider is longer than 256 KiB"));
            }
            bytes.extend_from_slice(&chunk);
        }
        Ok(bytes)
    }

    fn away(&self, error: reqwest::Error) -> Refused {
        let what = if error.is_timeout() {
            "the provider did not answer in time"
        } else if error.is_connect() {
            "the provider cannot be reached"
        } else {
            "the provider broke off"
        };
        // The address may hold what is nobody's business.
        let error = error.without_url();
        let why = match self.0.why(&error) {
            Some(cause) if !error.is_timeout() => format!("{what}: {cause}"),
            _ => what.to_owned(),
        };
        tracing::warn!(error = &error as &dyn std::error::Error, "{why}");
        Refused::away(why)
    }
}
