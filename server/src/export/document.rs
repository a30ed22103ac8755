//! What the document of the API says of the files.

#![expect(unused_qualifications, reason = "the macro names what it finds by its whole path")]

use super::forecast::Wanted as Calendar;
use super::jobs::Wanted as List;
use super::outcomes::Of;
use utoipa::{IntoParams, ToSchema};

/// How a file is written.
#[derive(ToSchema)]
#[schema(rename_all = "lowercase")]
#[expect(dead_code, reason = "it describes a part of the address")]
enum FileFormat {
    /// For a spreadsheet.
    Csv,
    /// A line of JSON each.
    Jsonl,
}

/// The ending of an address.
#[derive(IntoParams)]
#[into_params(parameter_in = Path)]
#[expect(dead_code, reason = "it describes a part of the address")]
struct Ending {
    /// How the file is written.
    #[param(inline, example = "jsonl")]
    format: FileFormat,
}

/// Which acts.
#[derive(IntoParams)]
#[into_params(parameter_in = Query)]
#[expect(dead_code, reason = "it describes what the page of the audit reads as well")]
struct Acts {
    /// Whose.
    by: Option<String>,
    /// Which verb, such as `cancel`.
    verb: Option<String>,
    /// In which queue.
    queue: Option<String>,
    /// About which subject.
    subject: Option<String>,
    /// Of the last so many seconds.
    #[param(example = "3600")]
    within: Option<String>,
    /// From when on, in RFC 3339.
    from: Option<String>,
    /// Until when, in RFC 3339.
    to: Option<String>,
}

/// The jobs of a list as a file
///
/// A file that is full ends with a line that has the address of the rest.
#[utoipa::path(
    get, path = "/export/jobs.{format}", tag = "files", params(Ending, List),
    responses(
        (status = 200, description = "The file.", content((String = "text/csv"), (String = "application/x-ndjson"))),
        (status = 422, description = "The address cannot be read."),
        (status = 429, description = "Another file is on its way to this token."),
    ),
    security(("token" = ["view", "lists.export"]))
)]
#[expect(dead_code, reason = "it describes a route of several files")]
pub(crate) fn export_jobs() {}

/// The jobs of a list as a file, with their payloads
///
/// What rules hide is hidden; without `jobs.payload` all of each payload is.
#[utoipa::path(
    get, path = "/export/payloads.{format}", tag = "files", params(Ending, List),
    responses(
        (status = 200, description = "The file.", content((String = "text/csv"), (String = "application/x-ndjson"))),
        (status = 422, description = "The address cannot be read."),
        (status = 429, description = "Another file is on its way to this token."),
    ),
    security(("token" = ["view", "payloads.export"]))
)]
#[expect(dead_code, reason = "it describes a route of several files")]
pub(crate) fn export_payloads() {}

/// The acts of the audit as a file, the latest first
#[utoipa::path(
    get, path = "/export/audit.{format}", tag = "files", params(Ending, Acts),
    responses(
        (status = 200, description = "The file.", content((String = "text/csv"), (String = "application/x-ndjson"))),
        (status = 422, description = "The address cannot be read."),
        (status = 429, description = "Another file is on its way to this token."),
    ),
    security(("token" = ["audit.export"]))
)]
#[expect(dead_code, reason = "it describes a route of several files")]
pub(crate) fn export_audit() {}

/// What became of each job of a bulk run, as a file
#[utoipa::path(
    get, path = "/export/outcomes.{format}", tag = "files", params(Ending, Of),
    responses(
        (status = 200, description = "The file.", content((String = "text/csv"), (String = "application/x-ndjson"))),
        (status = 404, description = "There is no such run."),
        (status = 422, description = "The address cannot be read."),
        (status = 429, description = "Another file is on its way to this token."),
    ),
    security(("token" = ["view"]))
)]
#[expect(dead_code, reason = "it describes a route of several files")]
pub(crate) fn export_outcomes() {}

/// How many jobs are due in each part of a calendar, as a file
#[utoipa::path(
    get, path = "/export/forecast.csv", tag = "files", params(Calendar),
    responses(
        (status = 200, description = "The file.", body = String, content_type = "text/csv"),
        (status = 422, description = "The address cannot be read."),
        (status = 429, description = "Another file is on its way to this token."),
    ),
    security(("token" = ["view"]))
)]
#[expect(dead_code, reason = "it describes a route of several files")]
pub(crate) fn export_forecast() {}
