//! How the shop reaches Reprieve: the public HTTP API, like everybody else.

use crate::config::OutgoingConfig;
use crate::outgoing::HttpClient;
use anyhow::{Context as _, bail};
use reqwest::ClientBuilder;
use serde::Deserialize;
use serde_json::{Value, json};
use std::time::Duration;
use url::Url;

/// A busy demo answers within milliseconds; beyond this something is wrong and the next call is as good.
const TIMEOUT: Duration = Duration::from_secs(5);

/// A caller of the API.
#[derive(Debug, Clone)]
pub(super) struct Telephone {
    http: reqwest::Client,
    address: Url,
}

#[derive(Deserialize)]
struct Queue {
    counts: reprieve::model::Counts,
}

#[derive(Deserialize)]
struct Items<T> {
    items: Vec<T>,
}

#[derive(Deserialize)]
struct Called {
    jobs: Vec<CalledOff>,
}

/// One job that was called off.
#[derive(Debug, Clone, PartialEq, Eq, Deserialize)]
pub(super) struct CalledOff {
    pub(super) id: String,
    outcome: String,
}

impl Telephone {
    /// Calls the API at that address.
    pub(super) fn new(address: Url) -> anyhow::Result<Self> {
        let limits = |limits: ClientBuilder| limits.timeout(TIMEOUT).user_agent("Reprieve demo shop");
        let http = HttpClient::new(&OutgoingConfig::default(), limits)?;
        Ok(Self { http: http.get().clone(), address })
    }

    /// Enqueues jobs in one call.
    pub(super) async fn enqueue(&self, jobs: Vec<Value>) -> anyhow::Result<()> {
        if !jobs.is_empty() {
            self.call("api/v1/jobs", &Value::Array(jobs)).await?;
        }
        Ok(())
    }

    /// Makes a plan.
    pub(super) async fn plan(&self, plan: &Value) -> anyhow::Result<()> {
        self.call("api/v1/plans", plan).await.map(drop)
    }

    /// Calls off everything about a subject; the ids of what was stopped.
    pub(super) async fn cancel_subject(&self, subject: &str, reason: &str) -> anyhow::Result<Vec<String>> {
        let path = format!("api/v1/subjects/{}/cancel", segment(subject));
        let answer = self.call(&path, &json!({ "reason": reason })).await?;
        let called: Called = serde_json::from_value(answer).context("an unknown answer")?;
        let stopped = called.jobs.into_iter().filter(|job| job.outcome == "cancelled");
        Ok(stopped.map(|job| job.id).collect())
    }

    /// One verb on one job.
    pub(super) async fn act(&self, id: &str, verb: &str, reason: &str) -> anyhow::Result<()> {
        self.call(&format!("api/v1/jobs/{}/{verb}", segment(id)), &json!({ "reason": reason }))
            .await
            .map(drop)
    }

    /// Makes a schedule, or sets it anew.
    pub(super) async fn schedule(&self, schedule: &Value) -> anyhow::Result<()> {
        self.call("api/v1/cron", schedule).await.map(drop)
    }

    /// Cancels all jobs with a tag, by a bulk run.
    pub(super) async fn cancel_tagged(&self, tag: &str, reason: &str) -> anyhow::Result<()> {
        let wanted = json!({ "verb": "cancel", "tag": tag, "reason": reason });
        let run = self.call("api/v1/bulk", &wanted).await?;
        let id = run["id"].as_str().context("a bulk run without an id")?;
        self.call(&format!("api/v1/bulk/{id}/start"), &json!({ "reason": reason })).await.map(drop)
    }

    /// Has fields of payloads indexed, unless somebody has chosen some.
    pub(super) async fn index(&self, fields: &[&str]) -> anyhow::Result<()> {
        let wanted = json!({ "value": fields, "seen": [], "reason": "what customers ask for" });
        self.call("api/v1/settings/index_fields", &wanted).await.map(drop)
    }

    /// How many jobs wait for their time.
    pub(super) async fn waiting(&self) -> anyhow::Result<u64> {
        let response = self.http.get(self.address.join("api/v1/queues")?).send().await?.error_for_status()?;
        let queues: Items<Queue> = serde_json::from_slice(&response.bytes().await?)?;
        Ok(queues.items.iter().map(|queue| queue.counts.delayed).sum())
    }

    async fn call(&self, path: &str, body: &Value) -> anyhow::Result<Value> {
        let request = self
            .http
            .post(self.address.join(path)?)
            .header(http::header::CONTENT_TYPE, "application/json")
            .body(body.to_string());
        let response = request.send().await.context("the API does not answer")?;
        let status = response.status();
        let bytes = response.bytes().await?;
        if !status.is_success() {
            bail!("the API answered {status}: {}", String::from_utf8_lossy(&bytes));
        }
        serde_json::from_slice(&bytes).context("the API answered something else than JSON")
    }
}

/// A name as one segment of an address.
fn segment(name: &str) -> String {
    name.replace('/', "%2F")
}
