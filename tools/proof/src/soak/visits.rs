//! People who look at pages and programs that call the API, each timed.

use super::http::{self, TIMEOUT};
use super::program::Site;
use super::times::Times;
use anyhow::{Result, ensure};
use std::net::SocketAddr;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::sync::{Arc, OnceLock};
use std::time::{Duration, Instant};

/// What people look at, in turn.
pub(super) const PAGES: [&str; 3] = ["/", "/jobs/delay", "/jobs/done"];
/// What programs ask for, in turn.
pub(super) const CALLS: [&str; 2] = ["/api/v1/queues", "/api/v1/jobs?state=delay&size=50"];

#[derive(Debug, Default)]
pub(super) struct Visits {
    pub(super) pages: Times,
    pub(super) calls: Times,
    /// No answer, or another than 200. Each counts as the longest wait as well.
    failed: AtomicUsize,
    first_failure: OnceLock<String>,
}

impl Visits {
    /// How many failed, and why the first did.
    pub(super) fn failures(&self) -> String {
        let first = self.first_failure.get().map(|why| format!(", first: {why}"));
        format!("{}{}", self.failed.load(Ordering::Relaxed), first.unwrap_or_default())
    }
}

/// Asks for the next of the paths at each call.
pub(super) fn visitor(
    site: &Site,
    paths: &'static [&'static str],
    headers: &str,
    visits: &Arc<Visits>,
    times: fn(&Visits) -> &Times,
) -> impl FnMut() + Send + 'static {
    let request = |path: &&str| http::request("GET", path, headers, "");
    let requests: Vec<String> = paths.iter().map(request).collect();
    let (address, visits, mut number) = (site.address, Arc::clone(visits), 0);
    move || {
        number += 1;
        let took = timed(address, &requests[number % requests.len()]).unwrap_or_else(|why| {
            visits.failed.fetch_add(1, Ordering::Relaxed);
            visits.first_failure.get_or_init(|| why.to_string());
            TIMEOUT
        });
        times(&visits).add(took);
    }
}

/// From the first packet to the last byte.
fn timed(address: SocketAddr, request: &str) -> Result<Duration> {
    let began = Instant::now();
    let answer = http::ask(address, request)?;
    ensure!(answer.status == 200, "status {}", answer.status);
    Ok(began.elapsed())
}
