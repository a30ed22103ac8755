//! Why somebody acts: the field `reason` of the bodies of acts.

use crate::body;
use crate::parse;
use crate::problem::Problem;
use axum::extract::Request;
use serde::{Deserialize, Deserializer};
use utoipa::ToSchema;

/// Longest reason, in bytes: the engine takes no more, since it is kept with the job and in every event.
pub(crate) const REASON_BYTES_MAX: usize = 1_024;

/// Why somebody acts.
#[derive(Debug, Default)]
pub(super) struct Reason(String);

impl Reason {
    /// As the engine takes it: empty when nothing was said.
    pub(super) fn of(said: Option<Self>) -> String {
        said.unwrap_or_default().0
    }
}

impl<'de> Deserialize<'de> for Reason {
    fn deserialize<D: Deserializer<'de>>(reader: D) -> Result<Self, D::Error> {
        let reason = String::deserialize(reader)?;
        if reason.len() > REASON_BYTES_MAX {
            let why =
                format_args!("the reason has {} bytes, at most {REASON_BYTES_MAX} are kept", reason.len());
            return Err(parse::refused("too_long", why));
        }
        Ok(Self(reason))
    }
}

/// Why somebody acts; may be left out.
#[derive(Deserialize, ToSchema)]
#[serde(deny_unknown_fields)]
#[schema(as = Reason, example = json!({ "reason": "the shop is closed today" }))]
pub(super) struct ReasonBody {
    /// At most 1,024 bytes.
    pub(super) reason: Option<Reason>,
}

/// Reads a body that has nothing but a reason.
pub(super) async fn reason(request: Request) -> Result<String, Problem> {
    body::read_optional(request).await.map(|body: ReasonBody| Reason::of(body.reason))
}
