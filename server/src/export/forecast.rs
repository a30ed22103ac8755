//! `GET /export/forecast.csv`: how many jobs are due in each part of a calendar, as a file.

use super::{Desk, Format, wrong};
use crate::access::Access;
use crate::problem::{Problem, Told};
use crate::sheet::Sheet;
use app::error::ApiError;
use app::forecast::{Asked, Outlook, View};
use axum::body::Bytes;
use axum::extract::{Query, State};
use axum::response::Response;
use futures_util::stream;
use http::StatusCode;
use reprieve::model::{QueueName, Subject, Timestamp};
use serde::Deserialize;
use std::io;
use utoipa::IntoParams;

/// Which part of the calendar, in the words of the address of its page.
#[derive(Deserialize, IntoParams)]
#[into_params(parameter_in = Query)]
pub(crate) struct Wanted {
    /// `month`, `week` or `day`; `month` without it.
    #[serde(default)]
    #[param(required = false, example = "month")]
    view: String,
    /// A date in it, such as 2026-11-21; today without it.
    #[serde(default)]
    #[param(required = false)]
    date: String,
    /// IANA name of the zone whose days are meant; UTC without it.
    #[serde(default)]
    #[param(required = false, example = "Europe/Berlin")]
    zone: String,
    /// Of one queue; all without it.
    #[serde(default)]
    #[param(required = false)]
    queue: String,
    /// Of one subject; all without it.
    #[serde(default)]
    #[param(required = false)]
    subject: String,
}

pub(super) async fn file(
    access: Access,
    Query(wanted): Query<Wanted>,
    State(desk): State<Desk>,
) -> Result<Response, Problem> {
    let queue = Some(wanted.queue.as_str()).filter(|name| !name.is_empty());
    let queue = queue.map(str::parse::<QueueName>).transpose().map_err(|why| wrong("queue", &why))?;
    let inspector = access.inspector_in(queue.as_ref())?;
    let subject = Some(wanted.subject.as_str()).filter(|name| !name.is_empty());
    let subject = subject.map(str::parse::<Subject>).transpose().map_err(|why| wrong("subject", &why))?;
    let view = View::from_word(&wanted.view);
    let asked = Asked { view, date: wanted.date, zone: wanted.zone, queue, subject };
    let sending = desk.send_to(&access)?;
    let now = desk.engine.now().await.told()?;
    let outlook = app::forecast::outlook(&inspector, asked, now).await.map_err(|error| match error {
        ApiError::Invalid { why } | ApiError::WrongField { why, .. } => wrong("date", &why),
        error => Problem::new(
            StatusCode::SERVICE_UNAVAILABLE,
            error.code(),
            "The forecast cannot be read now",
            error.sentence(),
        ),
    })?;
    access.counts_file("forecast").await?;
    let name = format!("forecast-{}-{}", view.as_str(), outlook.asked.date);
    let piece = stream::once(async move { csv_of(&outlook).map(Bytes::from) });
    Ok(Format::Csv.saved(&name, sending, piece))
}

/// A row for each part, also for those in which nothing is due: the file is for drawing.
fn csv_of(outlook: &Outlook) -> io::Result<Vec<u8>> {
    let kinds = outlook.kinds.iter().map(|kind| format!("due.{kind}"));
    let own = ["from", "to", "due"].map(str::to_owned);
    let rest = ["due.others", "ticks", "started", "expected", "clock_change_minutes"].map(str::to_owned);
    let mut sheet = Sheet::beginning(own.into_iter().chain(kinds).chain(rest))?;
    for bar in &outlook.bars {
        let number = |number: Option<u64>| number.map(|number| number.to_string()).unwrap_or_default();
        let time = |at: Timestamp| app::format::rfc3339(at);
        let mut cells = vec![time(bar.span.from), time(bar.span.to), bar.span.due.to_string()];
        cells.extend(outlook.by_kind(bar).iter().map(ToString::to_string));
        cells.push(bar.ticks.to_string());
        cells.push(number(bar.past.as_ref().map(|past| past.started)));
        cells.push(number(bar.past.as_ref().and_then(|past| past.expected)));
        cells.push(bar.clock_change.map(|minutes| minutes.to_string()).unwrap_or_default());
        sheet.row(cells)?;
    }
    sheet.bytes()
}
