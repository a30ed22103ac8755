//! Lists as files: the jobs of a list, the acts of the audit, the outcomes of a bulk run, a forecast.
//!
//! Sent as they are found, page after page, so that neither side holds them all.

mod audit;
pub(crate) mod document;
mod forecast;
mod jobs;
mod outcomes;

use crate::access::Access;
use crate::auth::back_to_list;
use crate::problem::Problem;
use axum::Router;
use axum::body::{Body, Bytes};
use axum::extract::rejection::QueryRejection;
use axum::extract::{FromRef, Query, State};
use axum::response::{IntoResponse, Response};
use axum::routing::get;
use futures_util::{Stream, TryStreamExt as _};
use http::request::Parts;
use http::{HeaderName, StatusCode, header};
use jobs::What;
use reprieve::Engine;
use serde::Serialize;
use serde::de::DeserializeOwned;
use std::collections::HashSet;
use std::future::{Ready, ready};
use std::io;
use std::sync::{Arc, Mutex, PoisonError};

/// The routes of all files.
pub(crate) fn router(engine: Engine) -> Router {
    let desk = Desk { engine, busy: Arc::default() };
    let jobs = |what: What| {
        files(what.as_str(), move |who, asked, desk, format| jobs::file(who, asked, desk, format, what))
    };
    jobs(What::Jobs)
        .merge(jobs(What::Payloads))
        .merge(files("audit", audit::file))
        .merge(files("outcomes", outcomes::file))
        .route("/export/forecast.csv", get(forecast::file).head(Format::Csv.head()))
        .with_state(desk)
}

/// The routes of a list as a file of each format.
fn files<Q, F>(
    name: &str,
    file: impl Fn(Access, Q, Desk, Format) -> F + Clone + Send + Sync + 'static,
) -> Router<Desk>
where
    Q: DeserializeOwned + Send + 'static,
    F: Future<Output = Result<Response, Problem>> + Send + 'static,
{
    Format::ALL.into_iter().fold(Router::new(), |routes, format| {
        let file = file.clone();
        let sent = move |parts: Parts,
                         access: Access,
                         asked: Result<Query<Q>, QueryRejection>,
                         State(desk): State<Desk>| {
            let file = asked.map(|Query(asked)| file(access, asked, desk, format));
            async move {
                let file = file.map_err(|why| unreadable(&why))?;
                file.await.or_else(|problem| on_its_page(&parts, problem))
            }
        };
        routes.route(&format!("/export/{name}.{}", format.ending()), get(sent).head(format.head()))
    })
}

/// What stood in the way of a file, on the page that its link stands on, where a browser opens it as it opens a page.
fn on_its_page(parts: &Parts, problem: Problem) -> Result<Response, Problem> {
    let page = problem.said().and_then(|said| back_to_list(parts, &said));
    page.ok_or(problem)
}

/// Who is being sent a file.
#[derive(Clone)]
struct Desk {
    engine: Engine,
    busy: Arc<Mutex<HashSet<String>>>,
}

impl FromRef<Desk> for Engine {
    fn from_ref(desk: &Desk) -> Self {
        desk.engine.clone()
    }
}

impl Desk {
    /// A file of jobs or of acts to the caller, which the audit is told of: what it is a list of, and by what it
    /// is filtered.
    async fn begin_sending(
        &self,
        access: &Access,
        what: &str,
        list: &str,
        filter: &str,
    ) -> Result<Sending, Problem> {
        let sending = self.send_to(access)?;
        access.counts_file(what).await?;
        access.takes_away(what, list, filter).await?;
        Ok(sending)
    }

    /// The only file that somebody is sent, until it is dropped.
    fn send_to(&self, access: &Access) -> Result<Sending, Problem> {
        let mut busy = self.busy.lock().unwrap_or_else(PoisonError::into_inner);
        if !busy.insert(access.actor().to_owned()) {
            let advice = "another file is still on its way to you; wait for its end, or stop it";
            return Err(Problem::new(
                StatusCode::TOO_MANY_REQUESTS,
                "export_running",
                "One file at a time",
                advice,
            )
            .retry_after(RETRY_AFTER_SECONDS));
        }
        Ok(Sending { busy: Arc::clone(&self.busy), access: access.clone() })
    }
}

/// When somebody may ask for another file who is still being sent one.
const RETRY_AFTER_SECONDS: u16 = 10;

/// A file on its way to somebody.
struct Sending {
    busy: Arc<Mutex<HashSet<String>>>,
    access: Access,
}

impl Drop for Sending {
    fn drop(&mut self) {
        self.busy.lock().unwrap_or_else(PoisonError::into_inner).remove(self.access.actor());
    }
}

/// How a file is written.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Format {
    Csv,
    Lines,
}

impl Format {
    const ALL: [Self; 2] = [Self::Csv, Self::Lines];

    const fn ending(self) -> &'static str {
        match self {
            Self::Csv => "csv",
            Self::Lines => "jsonl",
        }
    }

    const fn kind(self) -> &'static str {
        match self {
            Self::Csv => "text/csv; charset=utf-8; header=present",
            Self::Lines => "application/x-ndjson",
        }
    }

    /// What is said of a file to a caller that takes none away.
    fn head(self) -> impl Fn() -> Ready<[(HeaderName, &'static str); 1]> + Clone + Send + Sync + 'static {
        move || ready([(header::CONTENT_TYPE, self.kind())])
    }

    /// The file of that name, to be saved.
    fn saved(
        self,
        name: &str,
        sending: Sending,
        pieces: impl Stream<Item = io::Result<Bytes>> + Send + 'static,
    ) -> Response {
        let place = format!("attachment; filename=\"{name}.{}\"", self.ending());
        // Over when nobody reads on, too: then the body is dropped.
        let pieces = pieces.and_then(move |piece| {
            let access = sending.access.clone();
            async move {
                match access.is_what_it_was().await {
                    true => Ok(piece),
                    false => Err(io::Error::other("its reader may not have the rest any more")),
                }
            }
        });
        let headers = [(header::CONTENT_TYPE, self.kind().to_owned()), (header::CONTENT_DISPOSITION, place)];
        (headers, Body::from_stream(pieces)).into_response()
    }
}

/// Each item as a line of JSON.
fn json_lines(items: impl IntoIterator<Item = impl Serialize>) -> io::Result<Vec<u8>> {
    let mut piece = Vec::new();
    for item in items {
        serde_json::to_writer(&mut piece, &item)?;
        piece.push(b'\n');
    }
    Ok(piece)
}

/// The query lacks what it needs, or has something twice.
fn unreadable(why: &QueryRejection) -> Problem {
    Problem::new(StatusCode::UNPROCESSABLE_ENTITY, "invalid", "The address cannot be read", why.body_text())
}

fn wrong(parameter: &str, why: &impl ToString) -> Problem {
    Problem::new(
        StatusCode::UNPROCESSABLE_ENTITY,
        "invalid",
        "The address cannot be read",
        format!("`{parameter}`: {}", why.to_string()),
    )
}
