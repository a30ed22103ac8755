//! `GET /export/jobs.csv` and `/export/jobs.jsonl`: the jobs of a list that fit a filter, as a file.
//!
//! Sent as they are found, page after page, so that neither side holds them all.

use crate::http_api::{Access, Problem, RowView};
use crate::sheet::Sheet;
use axum::Router;
use axum::body::{Body, Bytes};
use axum::extract::{Query, State};
use axum::response::{IntoResponse, Response};
use axum::routing::get;
use futures_util::stream;
use http::{StatusCode, header};
use reprieve::model::filter::FilteredRow;
use reprieve::model::{Filter, FilteredQuery, StateGroup, Timestamp};
use reprieve::{Engine, Inspector};
use serde::{Deserialize, Serialize};

/// Jobs of one file: as many as a bulk run may have, and what a spreadsheet still opens.
const JOBS_MAX: usize = 100_000;
/// Jobs of one page.
const PAGE: u16 = 200;

/// The routes of both files.
pub(crate) fn router(engine: Engine) -> Router {
    let csv = |access: Access, wanted: Query<Wanted>, State(_): State<Engine>| async move {
        file(&access, &wanted, Format::Csv).await
    };
    let lines = |access: Access, wanted: Query<Wanted>, State(_): State<Engine>| async move {
        file(&access, &wanted, Format::Lines).await
    };
    Router::new()
        .route("/export/jobs.csv", get(csv))
        .route("/export/jobs.jsonl", get(lines))
        .with_state(engine)
}

/// Which jobs, in the words of the address of their list.
#[derive(Deserialize)]
struct Wanted {
    list: String,
    #[serde(default)]
    q: String,
    #[serde(default)]
    columns: String,
}

/// How a file is written.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Format {
    Csv,
    Lines,
}

impl Format {
    /// The file of that name, to be saved.
    pub(crate) fn saved(self, name: &str, body: Body) -> Response {
        let (kind, ending) = match self {
            Self::Csv => ("text/csv; charset=utf-8; header=present", "csv"),
            Self::Lines => ("application/x-ndjson", "jsonl"),
        };
        let place = format!("attachment; filename=\"{name}.{ending}\"");
        ([(header::CONTENT_TYPE, kind.to_owned()), (header::CONTENT_DISPOSITION, place)], body)
            .into_response()
    }
}

async fn file(access: &Access, wanted: &Wanted, format: Format) -> Result<Response, Problem> {
    let inspector = access.inspector_of_seen()?;
    let group: StateGroup = wanted.list.parse().map_err(|why| wrong("list", &why))?;
    let filter: Filter = wanted.q.parse().map_err(|why| wrong("q", &why))?;
    access.takes_away("jobs", group.as_str(), &names(&filter)).await?;
    let mut query = FilteredQuery::new(filter, [group]);
    query.me = access.actor().to_owned();
    query.size = PAGE;
    query.columns = wanted.columns.split(',').filter_map(|path| path.parse().ok()).collect();
    let file = Export {
        inspector,
        query: Some(query),
        format,
        most: access.export_rows_max().unwrap_or(JOBS_MAX),
        sent: 0,
        begun: false,
    };
    let body = Body::from_stream(stream::try_unfold(file, Export::next));
    Ok(format.saved(&format!("jobs-{group}"), body))
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

pub(crate) fn wrong(parameter: &str, why: &impl ToString) -> Problem {
    Problem::new(
        StatusCode::UNPROCESSABLE_ENTITY,
        "invalid",
        "The address cannot be read",
        format!("`{parameter}`: {}", why.to_string()),
    )
}

/// A file on its way.
struct Export {
    inspector: Inspector,
    /// What to read next; `None` at the end.
    query: Option<FilteredQuery>,
    format: Format,
    /// Jobs of this file at most.
    most: usize,
    sent: usize,
    begun: bool,
}

impl Export {
    /// The next piece of the file; an error cuts it, so that nobody takes it for the whole.
    async fn next(mut self) -> Result<Option<(Bytes, Self)>, std::io::Error> {
        let Some(mut query) = self.query.take() else { return Ok(None) };
        let page = self.inspector.filtered(&query).await.map_err(std::io::Error::other)?;
        let room = self.most.saturating_sub(self.sent);
        let rows: Vec<FilteredRow> = page.rows.into_iter().take(room).collect();
        self.sent += rows.len();
        let columns: Vec<String> = query.columns.iter().map(ToString::to_string).collect();
        let piece = match self.format {
            Format::Csv => csv_of(&rows, &columns, !self.begun)?,
            Format::Lines => lines_of(rows, &columns)?,
        };
        self.begun = true;
        if self.sent < self.most
            && let Some(next) = page.next
        {
            query.after = Some(next);
            self.query = Some(query);
        }
        Ok(Some((piece.into(), self)))
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
    "why",
    "version",
];

fn csv_of(rows: &[FilteredRow], columns: &[String], with_head: bool) -> Result<Vec<u8>, std::io::Error> {
    let mut sheet = Sheet::new();
    if with_head {
        let head = COLUMNS
            .into_iter()
            .map(ToOwned::to_owned)
            .chain(columns.iter().map(|path| format!("payload.{path}")));
        sheet.row(head)?;
    }
    let time = |at: Option<Timestamp>| at.map(app::format::rfc3339).unwrap_or_default();
    for FilteredRow { row, cells, .. } in rows {
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
        sheet.row(own.iter().chain(cells))?;
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
}

fn lines_of(rows: Vec<FilteredRow>, columns: &[String]) -> Result<Vec<u8>, std::io::Error> {
    json_lines(rows.into_iter().map(|FilteredRow { row, cells, .. }| {
        let columns = columns.iter().cloned().zip(cells.into_iter().map(serde_json::Value::String)).collect();
        Line { row: RowView::from(row), columns }
    }))
}

/// Each item as a line of JSON.
pub(crate) fn json_lines(items: impl IntoIterator<Item = impl Serialize>) -> Result<Vec<u8>, std::io::Error> {
    let mut piece = Vec::new();
    for item in items {
        serde_json::to_writer(&mut piece, &item)?;
        piece.push(b'\n');
    }
    Ok(piece)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_file_has_its_columns_once_and_quotes_what_needs_it() {
        let head = String::from_utf8(csv_of(&[], &["a,b".to_owned()], true).unwrap()).unwrap();
        assert!(head.starts_with("id,queue,kind,"), "{head}");
        assert!(head.ends_with("version,\"payload.a,b\"\n"), "{head}");
        assert!(csv_of(&[], &[], false).unwrap().is_empty());
    }
}
