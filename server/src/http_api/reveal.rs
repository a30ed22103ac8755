//! `POST /api/v1/jobs/{id}/reveal`: a look at one hidden part of a payload.

use super::needs;
use super::reason::Reason;
use crate::access::Access;
use crate::body;
use crate::problem::{Mistakes, Problem, Told};
use axum::Json;
use axum::extract::{Path, Request};
use base64::Engine as _;
use base64::engine::general_purpose::STANDARD;
use http::StatusCode;
use reprieve::Engine;
use reprieve::model::{InvalidPart, JobId, PartPath, Permission, Revealed, Timestamp};
use serde::{Deserialize, Serialize};
use serde_json::value::RawValue;
use utoipa::ToSchema;
use utoipa_axum::router::OpenApiRouter;
use utoipa_axum::routes;

/// Which part is to be shown, and why.
#[derive(Deserialize, ToSchema)]
#[serde(deny_unknown_fields)]
#[schema(as = Reveal, example = json!({ "part": "/customer/phone", "reason": "the text message bounced" }))]
pub(super) struct RevealBody {
    /// A JSON pointer (RFC 6901) to a part that the payload shows as hidden; empty for all of it.
    part: String,
    /// Why; stands in the audit. At most 1,024 bytes.
    reason: Reason,
}

impl RevealBody {
    fn checked(self) -> Result<(PartPath, String), Problem> {
        let mut mistakes = Mistakes::default();
        let (part, why) = (self.part.parse(), Reason::of(Some(self.reason)));
        let part = part.unwrap_or_else(|wrong: InvalidPart| {
            mistakes.body("/part", "invalid", wrong.to_string());
            PartPath::default()
        });
        if why.trim().is_empty() {
            mistakes.body("/reason", "required", "say why: it stands in the audit");
        }
        mistakes.into_result().map(|()| (part, why))
    }
}

/// What is hidden there.
#[derive(Serialize, ToSchema)]
#[schema(as = RevealedPart)]
pub(crate) struct PartView {
    /// The job.
    id: JobId,
    /// Which part of its payload.
    part: PartPath,
    /// Its value. What a rule hides in it by itself is hidden here too.
    #[serde(skip_serializing_if = "Option::is_none")]
    value: Option<Box<RawValue>>,
    /// Instead of it, in base64, for a payload that is no JSON.
    #[serde(skip_serializing_if = "Option::is_none")]
    value_base64: Option<String>,
    /// When it was shown, by Redis's clock.
    at_ms: Timestamp,
}

impl PartView {
    /// A part that was shown.
    pub(crate) fn new(id: JobId, part: PartPath, value: &[u8], at: Timestamp) -> Self {
        let json = serde_json::from_slice::<Box<RawValue>>(value).ok();
        let value_base64 = json.is_none().then(|| STANDARD.encode(value));
        Self { id, part, value: json, value_base64, at_ms: at }
    }
}

/// The route.
pub(super) fn routes() -> OpenApiRouter<Engine> {
    OpenApiRouter::new().routes(needs(Permission::RevealFields, routes!(reveal)))
}

/// Look at one hidden part of a payload
///
/// A part that reads `•••• (hidden)` wherever the job is shown. Who looked at which part and why is written into the
/// audit before this answers; the value is written nowhere. 20 looks an hour for each token.
#[utoipa::path(
    post,
    path = "/api/v1/jobs/{id}/reveal",
    request_body(content = RevealBody),
    responses(
        (status = 200, description = "What is hidden there. That you looked stands in the audit.", body = PartView),
        (status = 404, description = "There is no such job, or `no_such_part` in its payload."),
        (status = 409, description = "`not_hidden`, or `within`: hidden as a part of another, which the problem names. Nothing was written."),
        (status = 429, description = "Often enough for this hour; `Retry-After` says for how long."),
    ),
)]
async fn reveal(access: Access, Path(id): Path<String>, request: Request) -> Result<Json<PartView>, Problem> {
    let id = super::path_name::<JobId>(&id)?;
    access.require(Permission::RevealFields)?;
    let (part, why) = body::read::<RevealBody>(request).await?.checked()?;
    let look = access.reveal(&id, part).await?.because(why);
    match look.await.told()? {
        Revealed::Part { id, part, value, at } => Ok(Json(PartView::new(id, part, &value, at))),
        other => Err(nothing_shown(&other)),
    }
}

/// Why nothing was shown.
fn nothing_shown(outcome: &Revealed) -> Problem {
    let (status, title, detail) = match outcome {
        Revealed::NoSuchPart => {
            (StatusCode::NOT_FOUND, "There is no such part", "the payload of this job has no such part")
        }
        Revealed::Within { .. } => (
            StatusCode::CONFLICT,
            "It is hidden as a part of another",
            "what is around it is hidden as a whole: look at the part named here",
        ),
        _ => (StatusCode::CONFLICT, "Nothing is hidden there", "the job itself shows this part as it is"),
    };
    let problem = Problem::new(status, outcome.word(), title, detail);
    match outcome {
        Revealed::Within { part } => problem.with_field("part", part.to_string()),
        _ => problem,
    }
}
