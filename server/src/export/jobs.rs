//! `GET /export/jobs.csv` and `/export/jobs.jsonl`: the jobs of a list that fit a filter, as a file; and the same of
//! `/export/payloads.…`, with the payload of each, hidden parts hidden.
//!
//! A file that has as many as it may ends with a line that says where the rest is, or that it has not all.

use super::{Desk, Format, json_lines, wrong};
use crate::access::Access;
use crate::http_api::{Payload, RowView};
use crate::problem::{Problem, Told};
use crate::sheet::Sheet;
use app::routes::encoded;
use axum::body::Bytes;
use axum::response::Response;
use futures_util::stream;
use reprieve::Inspector;
use reprieve::model::filter::{FilteredRow, GroupPlace, PayloadPath, seals};
use reprieve::model::{Filter, FilteredQuery, JobId, StateGroup, Timestamp};
use reprieve_access::Seals;
use serde::{Deserialize, Serialize};
use std::io;
use tokio::time::Instant;
use utoipa::IntoParams;

/// Jobs of one file: what a spreadsheet still opens.
const JOBS_MAX: usize = 1_000_000;
/// Jobs of one page.
const PAGE: u16 = 200;
/// The same with payloads, of which each may be long.
const PAGE_OF_PAYLOADS: u16 = 50;

/// After each page a file rests so many times as long as reading it took, of which six tenths were Redis's: that has a
/// twentieth of its time for it at most.
const REST: u32 = 12;

/// Which jobs, in the words of the address of their list.
#[derive(Deserialize, IntoParams)]
#[into_params(parameter_in = Query)]
pub(crate) struct Wanted {
    /// `delay`, `held`, `ready`, `active`, `dead`, `done` or `cancelled`.
    #[param(example = "delay")]
    list: String,
    /// A filter, as it is typed in a list.
    #[serde(default)]
    #[param(required = false, example = "kind:delete*")]
    q: String,
    /// Parts of payloads as further columns, with commas between them.
    #[serde(default)]
    #[param(required = false, example = "order.id")]
    columns: String,
    /// How many jobs at most; a million without it.
    #[param(minimum = 1, example = 100)]
    rows: Option<usize>,
    /// Where the file before this one ended: its last line has the address of the rest.
    #[param(min_length = 1)]
    after: Option<String>,
}

/// What a file has of each job.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum What {
    /// What a list shows.
    Jobs,
    /// Its payload, too.
    Payloads,
}

impl What {
    /// The word in the address and in the audit.
    pub(super) const fn as_str(self) -> &'static str {
        match self {
            Self::Jobs => "jobs",
            Self::Payloads => "payloads",
        }
    }

    const fn page(self) -> u16 {
        match self {
            Self::Jobs => PAGE,
            Self::Payloads => PAGE_OF_PAYLOADS,
        }
    }
}

pub(super) async fn file(
    access: Access,
    wanted: Wanted,
    desk: Desk,
    format: Format,
    what: What,
) -> Result<Response, Problem> {
    let inspector = access.inspector_of_seen()?;
    let group: StateGroup = wanted.list.parse().map_err(|why| wrong("list", &why))?;
    let line = match seals(&wanted.q).is_empty() {
        true => wanted.q.clone(),
        false => {
            let key = Seals::read(&desk.engine).await.told()?;
            key.open_line(&wanted.q).map_err(|why| wrong("q", &why))?
        }
    };
    let filter: Filter = line.parse().map_err(|why| wrong("q", &why))?;
    let by = names(&filter);
    let mut query = FilteredQuery::new(filter, [group]);
    query.me = access.actor().to_owned();
    query.columns = wanted.columns.split(',').filter_map(|path| path.parse().ok()).collect();
    query.whole_values = true;
    query.after = wanted.after.as_deref().map(str::parse).transpose().map_err(|why| wrong("after", &why))?;
    let limit = access.export_rows_max();
    if limit.is_some() && query.after.is_some() {
        return Err(wrong("after", &"your files have the beginning of a list only; narrow the filter"));
    }
    let most = wanted.rows.unwrap_or(JOBS_MAX).min(limit.unwrap_or(JOBS_MAX));
    if most == 0 {
        return Err(wrong("rows", &"a file has one job at least"));
    }
    let noted = match query.columns.is_empty() {
        true => by,
        false => format!("{by}; columns: {}", joined(&query.columns)),
    };
    let sending = desk.begin_sending(&access, what.as_str(), group.as_str(), &noted).await?;
    let file = Export {
        inspector,
        what,
        query: Some(query),
        format,
        most,
        left: most,
        begun: false,
        resume: limit.is_none().then_some(wanted),
        rested: Instant::now(),
    };
    Ok(format.saved(&format!("jobs-{group}"), sending, stream::try_unfold(file, Export::next)))
}

fn joined(columns: &[PayloadPath]) -> String {
    columns.iter().map(ToString::to_string).collect::<Vec<_>>().join(", ")
}

/// By what a filter filters: not for what, which may be a subject.
fn names(filter: &Filter) -> String {
    let mut names: Vec<String> = Vec::new();
    for term in filter.terms() {
        let name = term.test.field().map_or_else(|| "text".to_owned(), |field| field.to_string());
        if !names.contains(&name) {
            names.push(name);
        }
    }
    names.join(", ")
}

/// A file on its way.
struct Export {
    inspector: Inspector,
    what: What,
    /// What to read next; `None` at the end.
    query: Option<FilteredQuery>,
    format: Format,
    /// Jobs that it may have.
    most: usize,
    /// Those of them that it has not yet.
    left: usize,
    begun: bool,
    /// What was asked for, if more of it may be.
    resume: Option<Wanted>,
    /// When the next page may be read.
    rested: Instant,
}

impl Export {
    /// The next piece of the file; an error cuts it, so that nobody takes it for the whole.
    async fn next(mut self) -> io::Result<Option<(Bytes, Self)>> {
        let Some(mut query) = self.query.take() else { return Ok(None) };
        let most = self.what.page();
        query.size = u16::try_from(self.left).unwrap_or(most).min(most);
        tokio::time::sleep_until(self.rested).await;
        let began = Instant::now();
        let page = self.inspector.filtered(&query).await.map_err(io::Error::other)?;
        let mut jobs = Vec::with_capacity(page.rows.len());
        for row in page.rows {
            jobs.push(Taken { payload: self.payload_of(&row.row.id).await?, row });
        }
        self.rested = Instant::now() + began.elapsed() * REST;
        self.left = self.left.saturating_sub(jobs.len());
        let columns: Vec<String> = query.columns.iter().map(ToString::to_string).collect();
        let mut piece = match self.format {
            Format::Csv => csv_of(&jobs, &self.head(&columns), self.what)?,
            Format::Lines => lines_of(jobs, &columns)?,
        };
        self.begun = true;
        match page.next {
            Some(next) if self.left > 0 => {
                query.after = Some(next);
                self.query = Some(query);
            }
            Some(next) => piece.extend(self.rest(&next, self.more(&columns).count())?),
            None => {}
        }
        Ok(Some((piece.into(), self)))
    }

    /// The payload of a job as this reader sees it; `None` in a file without, and for a job that is gone by now.
    async fn payload_of(&self, id: &JobId) -> io::Result<Option<Payload>> {
        if self.what == What::Jobs {
            return Ok(None);
        }
        let payload = self.inspector.payload(id).await.map_err(io::Error::other)?;
        Ok(payload.map(|bytes| Payload::of(&bytes)))
    }

    /// The columns behind those of every file.
    fn more(&self, columns: &[String]) -> impl Iterator<Item = String> {
        let paths = columns.iter().map(|path| format!("payload.{path}"));
        let whole = (self.what == What::Payloads).then_some(["payload", "payload_base64"]);
        paths.chain(whole.into_iter().flatten().map(ToOwned::to_owned))
    }

    /// The first line of a file; empty for each piece but its first.
    fn head(&self, columns: &[String]) -> Vec<String> {
        match self.begun {
            true => Vec::new(),
            false => COLUMNS.into_iter().map(ToOwned::to_owned).chain(self.more(columns)).collect(),
        }
    }

    /// The last line of a file that is full: the address of the rest, or that there is one.
    fn rest(&self, next: &GroupPlace, columns: usize) -> io::Result<Vec<u8>> {
        let (word, rest) = match &self.resume {
            Some(resume) => ("next", self.address_of_rest(resume, next)),
            None => ("cut", format!("the first {} only", self.most)),
        };
        match self.format {
            Format::Lines => json_lines([serde_json::json!({ word: rest })]),
            Format::Csv => {
                let mut sheet = Sheet::new();
                let empty = std::iter::repeat_n(String::new(), COLUMNS.len() - 1 + columns);
                sheet.row(std::iter::once(format!("{word}: {rest}")).chain(empty))?;
                sheet.bytes()
            }
        }
    }

    fn address_of_rest(&self, resume: &Wanted, next: &GroupPlace) -> String {
        let (list, q, columns_asked) = (encoded(&resume.list), encoded(&resume.q), encoded(&resume.columns));
        let rows = resume.rows.map(|rows| format!("&rows={rows}")).unwrap_or_default();
        let after = encoded(&next.to_string());
        let ending = self.format.ending();
        let what = self.what.as_str();
        format!("/export/{what}.{ending}?list={list}&q={q}&columns={columns_asked}{rows}&after={after}")
    }
}

/// The columns every file has.
const COLUMNS: [&str; 16] = [
    "id",
    "queue",
    "kind",
    "subject",
    "state",
    "attempt",
    "max_attempts",
    "due",
    "created",
    "started",
    "ended",
    "worker",
    "error",
    "by",
    "reason",
    "version",
];

/// A job on its way into a file.
struct Taken {
    row: FilteredRow,
    payload: Option<Payload>,
}

fn csv_of(jobs: &[Taken], head: &[String], what: What) -> io::Result<Vec<u8>> {
    let mut sheet = if head.is_empty() { Sheet::new() } else { Sheet::beginning(head)? };
    let time = |at: Option<Timestamp>| at.map(app::format::rfc3339).unwrap_or_default();
    for Taken { row: FilteredRow { row, cells, .. }, payload } in jobs {
        let own = [
            row.id.to_string(),
            row.queue.to_string(),
            row.kind.to_string(),
            row.subject.as_ref().map(ToString::to_string).unwrap_or_default(),
            row.state.to_string(),
            row.attempt.to_string(),
            row.max_attempts.map(|max| max.to_string()).unwrap_or_default(),
            time(Some(row.due)),
            time(Some(row.created)),
            time(row.started),
            time(row.ended),
            row.worker.clone().unwrap_or_default(),
            row.error_line.clone(),
            row.by.clone(),
            row.why.clone(),
            row.version.to_string(),
        ];
        // A job that is gone by now has none.
        let payload = payload.as_ref().map_or(["", ""], Payload::columns);
        let payload = (what == What::Payloads).then_some(payload);
        sheet.row(own.iter().chain(cells).map(String::as_str).chain(payload.into_iter().flatten()))?;
    }
    sheet.bytes()
}

/// A job with what its payload has at the paths asked for.
#[derive(Serialize)]
struct Line {
    #[serde(flatten)]
    row: RowView,
    #[serde(skip_serializing_if = "serde_json::Map::is_empty")]
    columns: serde_json::Map<String, serde_json::Value>,
    #[serde(flatten)]
    payload: Option<Payload>,
}

fn lines_of(jobs: Vec<Taken>, columns: &[String]) -> io::Result<Vec<u8>> {
    json_lines(jobs.into_iter().map(|Taken { row: FilteredRow { row, cells, .. }, payload }| {
        let columns = columns.iter().cloned().zip(cells.into_iter().map(serde_json::Value::String)).collect();
        Line { row: RowView::from(row), columns, payload }
    }))
}
