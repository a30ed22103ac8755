//! `GET /export/outcomes.csv` and `/export/outcomes.jsonl`: what became of each job of a bulk run, as a file.

use super::{Desk, Format, json_lines, wrong};
use crate::access::Access;
use crate::problem::Problem;
use crate::sheet::Sheet;
use axum::body::Bytes;
use axum::response::Response;
use futures_util::stream;
use reprieve::Inspector;
use reprieve::model::{BulkOutcome, BulkRun, OutcomePlace, RunId};
use serde::Deserialize;
use std::io;
use utoipa::IntoParams;

/// Outcomes of one page.
const PAGE: u16 = 1_000;

/// Which run.
#[derive(Deserialize, IntoParams)]
#[into_params(parameter_in = Query)]
pub(crate) struct Of {
    /// The bulk run's id.
    #[param(example = "run-1", min_length = 1)]
    run: String,
}

pub(super) async fn file(access: Access, of: Of, desk: Desk, format: Format) -> Result<Response, Problem> {
    let run: RunId = of.run.parse().map_err(|why| wrong("run", &why))?;
    let (inspector, BulkRun { id: run, .. }) = access.bulk_run(&run).await?;
    let sending = desk.begin_sending(&access, "outcomes", run.as_str(), "").await?;
    let name = format!("outcomes-{run}");
    let file = Export { inspector, run, after: Some(OutcomePlace::default()), format };
    Ok(format.saved(&name, sending, stream::try_unfold(file, Export::next)))
}

/// A file on its way.
struct Export {
    inspector: Inspector,
    run: RunId,
    /// Where the next page begins; `None` at the end.
    after: Option<OutcomePlace>,
    format: Format,
}

impl Export {
    /// The next piece of the file; an error cuts it, so that nobody takes it for the whole.
    async fn next(mut self) -> io::Result<Option<(Bytes, Self)>> {
        let Some(after) = self.after.take() else { return Ok(None) };
        let page = self.inspector.bulk_outcomes(&self.run, &after, PAGE).await.map_err(io::Error::other)?;
        self.after = page.next;
        let piece = match self.format {
            Format::Csv => csv_of(&page.items, after.read() == 0)?,
            Format::Lines => json_lines(&page.items)?,
        };
        Ok(Some((piece.into(), self)))
    }
}

fn csv_of(outcomes: &[BulkOutcome], with_head: bool) -> io::Result<Vec<u8>> {
    let head = ["id", "outcome", "state_before", "version_after"];
    let mut sheet = if with_head { Sheet::beginning(head)? } else { Sheet::new() };
    for outcome in outcomes {
        sheet.row([
            outcome.id.to_string(),
            outcome.word.clone(),
            outcome.from.map(|state| state.to_string()).unwrap_or_default(),
            outcome.version.map(|version| version.to_string()).unwrap_or_default(),
        ])?;
    }
    sheet.bytes()
}
