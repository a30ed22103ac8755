//! `GET /export/audit.csv` and `/export/audit.jsonl`: the acts that fit a filter, as a file, the latest first.

use super::{Desk, Format, json_lines};
use crate::access::Access;
use crate::problem::{Problem, Told};
use crate::sheet::Sheet;
use app::api::audit::Asked;
use axum::body::Bytes;
use axum::response::Response;
use futures_util::stream;
use http::StatusCode;
use reprieve::model::{AuditEntry, AuditFilter, AuditPlace, Permission, Timestamp};
use reprieve::{Inspector, Undoings};
use std::io;

/// Acts of one file: what a spreadsheet still opens.
const ACTS_MAX: usize = 100_000;
/// Acts of one page.
const PAGE: u16 = 200;

pub(super) async fn file(
    access: Access,
    asked: Asked,
    desk: Desk,
    format: Format,
) -> Result<Response, Problem> {
    let inspector = access.inspector_to_act(Permission::ExportAudit)?;
    let now = desk.engine.now().await.told()?;
    let filter = asked.filter(now).map_err(|why| {
        Problem::new(StatusCode::UNPROCESSABLE_ENTITY, "invalid", "The address cannot be read", why)
    })?;
    let sending = desk.begin_sending(&access, "audit", "audit", "").await?;
    let filter = access.principal().audit_seen(filter);
    let file = Export { inspector, filter, next: Next::First, undoings: Undoings::of_all(), format, sent: 0 };
    Ok(format.saved("audit", sending, stream::try_unfold(file, Export::next)))
}

/// What is to be read next.
enum Next {
    First,
    Before(AuditPlace),
    End,
}

/// A file on its way.
struct Export {
    inspector: Inspector,
    filter: AuditFilter,
    next: Next,
    /// What was met so far that undoes acts further down.
    undoings: Undoings,
    format: Format,
    sent: usize,
}

impl Export {
    /// The next piece of the file; an error cuts it, so that nobody takes it for the whole.
    async fn next(mut self) -> io::Result<Option<(Bytes, Self)>> {
        let before = match self.next {
            Next::First => None,
            Next::Before(place) => Some(place),
            Next::End => return Ok(None),
        };
        let page = self.inspector.audit_on(&self.filter, before, PAGE, &mut self.undoings).await;
        let page = page.map_err(io::Error::other)?;
        let room = ACTS_MAX.saturating_sub(self.sent);
        let acts = page.items.get(..room).unwrap_or(&page.items);
        self.sent += acts.len();
        let piece = match self.format {
            Format::Csv => csv_of(acts, before.is_none())?,
            Format::Lines => json_lines(acts)?,
        };
        self.next = page.next.filter(|_| self.sent < ACTS_MAX).map_or(Next::End, Next::Before);
        Ok(Some((piece.into(), self)))
    }
}

/// The columns of the file.
const COLUMNS: [&str; 20] = [
    "entry",
    "at",
    "by",
    "act",
    "target",
    "queue",
    "reason",
    "ticket",
    "outcome",
    "before",
    "after",
    "due_before",
    "due_after",
    "operation",
    "hash",
    "role",
    "address",
    "request",
    "undone_at",
    "undone_by",
];

fn csv_of(acts: &[AuditEntry], with_head: bool) -> io::Result<Vec<u8>> {
    let mut sheet = if with_head { Sheet::beginning(COLUMNS)? } else { Sheet::new() };
    let time = |at: Option<Timestamp>| at.map(app::format::rfc3339).unwrap_or_default();
    for act in acts {
        let cells = [
            act.place.to_string(),
            time(Some(act.at)),
            act.by.clone(),
            act.verb.clone(),
            act.target.clone(),
            act.queue.as_ref().map(ToString::to_string).unwrap_or_default(),
            act.why.clone(),
            act.ticket.clone().unwrap_or_default(),
            act.outcome.clone(),
            act.from.clone(),
            act.to.clone(),
            time(act.due_from),
            time(act.due_to),
            act.operation.clone(),
            act.hash.clone(),
            act.role.clone(),
            act.address.clone(),
            act.request.clone(),
            time(act.undone.as_ref().map(|undone| undone.at)),
            act.undone.as_ref().map(|undone| undone.by.clone()).unwrap_or_default(),
        ];
        sheet.row(cells)?;
    }
    sheet.bytes()
}
