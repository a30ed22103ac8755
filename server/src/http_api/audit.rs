//! `GET /api/v1/audit` and `/api/v1/audit/check`: who did what, and whether that is still what was written down.

use super::needs;
use super::query::{Millis, Query};
use super::views::view;
use crate::access::Access;
use crate::problem::{Problem, Told};
use axum::Json;
use axum::extract::RawQuery;
use reprieve::Engine;
use reprieve::model::{
    AuditCheck, AuditEntry, AuditFilter, AuditOnly, AuditPage, AuditPlace, Permission, QueueName, Subject,
    Timestamp, Undone,
};
use serde::Serialize;
use utoipa::ToSchema;
use utoipa_axum::router::OpenApiRouter;
use utoipa_axum::routes;

/// Entries of a page unless said otherwise, and at most.
const SIZE: u16 = 50;
const SIZE_MAX: u16 = 200;
/// Entries of one check: a second or two.
const CHECKED_MAX: u64 = 200_000;

/// The routes.
pub(super) fn routes() -> OpenApiRouter<Engine> {
    OpenApiRouter::new()
        .routes(needs(Permission::SeeAudit, routes!(audit)))
        .routes(needs(Permission::SeeAudit, routes!(check)))
}

/// Which acts.
#[derive(utoipa::IntoParams)]
#[into_params(parameter_in = Query)]
#[expect(dead_code, reason = "it describes the query, which is read parameter by parameter")]
struct AuditQuery {
    /// Part of the name of who did it.
    by: Option<String>,
    /// The act: `cancel`, `pause`, `bulk_cancel` …
    verb: Option<String>,
    /// The queue it was about.
    #[param(example = "default")]
    queue: Option<String>,
    /// The subject whose jobs and plans it was done to, as far as they are still known.
    subject: Option<String>,
    /// Not before, Unix ms.
    from_ms: Option<i64>,
    /// Not after, Unix ms.
    to_ms: Option<i64>,
    /// `bulk`: only what was done to many jobs. `denied`: only what somebody had no right to do.
    #[param(pattern = "^(bulk|denied)?$")]
    only: Option<String>,
    /// Before that entry: the `next` of the page before.
    before: Option<String>,
    /// How many; 50 without it.
    #[param(example = 50, minimum = 1, maximum = 200)]
    size: Option<u16>,
}

view! {
    /// One act.
    struct AuditEntryView as AuditEntry from entry: AuditEntry {
        /// Where it stands.
        place: AuditPlace,
        /// When.
        at_ms: Timestamp = entry.at,
        /// Who.
        by: String,
        /// Their role at the time; empty for programs, and where nobody signs in.
        role: String,
        /// Where their request came from; empty where there was none.
        address: String,
        /// The id of that request; empty where there was none.
        request: String,
        /// The verb: `cancel`, `pause`, `bulk_cancel`, `set_look` …
        verb: String,
        /// The id of the job, plan or run, or the name of what else it was done to.
        target: String,
        /// The queue it was about; null where it was about none.
        queue: Option<QueueName>,
        /// Why, without the ticket; empty when nothing was said.
        reason: String = entry.why,
        /// The number of the ticket that was given with the reason.
        ticket: Option<String>,
        /// What came of it.
        outcome: String,
        /// What was before: a state, a value; empty for nothing.
        from: String,
        /// What was after.
        to: String,
        /// The due time before, where it changed.
        due_from_ms: Option<Timestamp> = entry.due_from,
        /// The due time after.
        due_to_ms: Option<Timestamp> = entry.due_to,
        /// The id under which a repeat gets the first answer; empty for none.
        operation: String,
        /// The hash of all this and of the entry before it, 40 hexadecimal digits.
        hash: String,
        /// Who undid it since, by an act of its own; null where nobody did.
        undone: Option<UndoneView> = entry.undone.map(UndoneView::from),
    }
}

view! {
    /// Who undid an act.
    struct UndoneView as Undone from undone: Undone {
        /// When.
        at_ms: Timestamp = undone.at,
        /// Who.
        by: String,
    }
}

/// A page of acts.
#[derive(Serialize, ToSchema)]
#[schema(as = AuditPage)]
struct AuditPageView {
    /// The latest first.
    items: Vec<AuditEntryView>,
    /// The `before` of the next page; null at the end.
    next: Option<String>,
    /// How many acts were looked at.
    scanned: u64,
    /// Whether the search ended at its limit: there may be more that fit behind `next`.
    cut: bool,
}

/// Whether the audit is as it was written.
#[derive(Serialize, ToSchema)]
#[schema(as = AuditCheck)]
struct AuditCheckView {
    /// Whether nothing is wrong.
    sound: bool,
    /// How many entries were looked at.
    checked: u64,
    /// Whether that was all of them, up to the first that is wrong.
    complete: bool,
    /// The first that is wrong: `how` (`altered`, `unlinked`, `shortened`), `entry` (null for those who may not see it),
    /// `shard`; null when none is.
    #[schema(value_type = Option<Value>)]
    broken: Option<reprieve::model::AuditBreak>,
    /// The hash of the newest entry of each shard.
    heads: Vec<String>,
    /// Whether an entry has the hash asked for; null when none was, and when it is not among those that were looked at
    /// while there are more.
    anchored: Option<bool>,
}

impl From<AuditCheck> for AuditCheckView {
    fn from(check: AuditCheck) -> Self {
        let sound = check.is_sound();
        let AuditCheck { checked, complete, broken, heads, anchored, .. } = check;
        Self { sound, checked, complete, broken, heads, anchored }
    }
}

/// Who did what
///
/// Every act of a person, written down by the same script that carried it out, the latest first. Kept for 400 days.
#[utoipa::path(
    get, path = "/api/v1/audit", params(AuditQuery),
    responses((status = 200, description = "A page of acts.", body = AuditPageView)),
)]
async fn audit(access: Access, RawQuery(query): RawQuery) -> Result<Json<AuditPageView>, Problem> {
    let inspector = access.inspector_to_act(Permission::SeeAudit)?;
    let mut query = Query::read(query.as_deref());
    let filter = AuditFilter {
        by: query.take::<String>("by").unwrap_or_default(),
        verb: query.take::<String>("verb").unwrap_or_default(),
        queue: query.take::<QueueName>("queue"),
        subject: query.take::<Subject>("subject"),
        from: query.number::<Millis>("from_ms").map(|at| at.0),
        to: query.number::<Millis>("to_ms").map(|at| at.0),
        only: query.take::<AuditOnly>("only"),
        ..AuditFilter::default()
    };
    let before = query.take::<AuditPlace>("before");
    let size = query.size::<SIZE_MAX>("size", SIZE);
    query.finish()?;
    let page = inspector.audit(&access.principal().audit_seen(filter), before, size).await;
    let AuditPage { items, next, scanned, cut, .. } = page.told()?;
    let items = items.into_iter().map(AuditEntryView::from).collect();
    Ok(Json(AuditPageView { items, next: next.map(|place| place.to_string()), scanned, cut }))
}

/// Hashes have no more characters.
const ANCHOR_CHARS_MAX: usize = 64;

/// What to check it against.
#[derive(utoipa::IntoParams)]
#[into_params(parameter_in = Query)]
#[expect(dead_code, reason = "it describes the query, which is read parameter by parameter")]
struct CheckQuery {
    /// A hash noted down earlier, which an entry is to have: it shows that nothing up to it was written anew.
    #[param(max_length = 64, pattern = "^[0-9a-f]*$")]
    anchor: Option<String>,
}

/// Whether the audit is sound
///
/// Each entry has a hash of all it says and of the entry before it. Looks at the oldest 200,000 entries;
/// `reprieve audit verify` goes on to the end.
#[utoipa::path(
    get, path = "/api/v1/audit/check", params(CheckQuery),
    responses((status = 200, description = "Whether it is, and the first entry that is wrong.", body = AuditCheckView)),
)]
async fn check(access: Access, RawQuery(query): RawQuery) -> Result<Json<AuditCheckView>, Problem> {
    let inspector = access.inspector_to_act(Permission::SeeAudit)?;
    let mut query = Query::read(query.as_deref());
    let anchor = query.take::<String>("anchor");
    let is_hash = |text: &String| {
        text.len() <= ANCHOR_CHARS_MAX && text.bytes().all(|b| matches!(b, b'0'..=b'9' | b'a'..=b'f'))
    };
    if anchor.as_ref().is_some_and(|text| !is_hash(text)) {
        query.refuse("anchor", format!("is a hash: at most {ANCHOR_CHARS_MAX} of 0-9 a-f"));
    }
    query.finish()?;
    let check = inspector.verify_audit(CHECKED_MAX, anchor.as_deref()).await;
    let check = check.told()?;
    Ok(Json(access.principal().audit_check_seen(check).into()))
}
