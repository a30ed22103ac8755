//! A look at one hidden part of a payload.

use leptos::prelude::*;
use reprieve::model::{JobId, PartPath, Revealed};

use crate::call::Post;
use crate::error::ApiError;

/// Shows one hidden part of a job's payload, and writes down that it did: who, which part and why, never the value.
/// Needs `RevealFields`, and a reason. Forms without script are sent elsewhere, for the value stands in no address.
#[server(prefix = "/api/fn", endpoint = "reveal_part", protocol = Post)]
pub async fn reveal_part(
    id: JobId,
    #[server(default)] part: PartPath,
    #[server(default)] reason: Option<String>,
    #[server(default)] note: Option<String>,
    #[server(default)] ticket: Option<String>,
    #[server(default)] incident: Option<String>,
    #[server(default)] back: Option<String>,
) -> Result<Revealed, ApiError> {
    use super::answer;
    use crate::i18n::Tell;
    answer::to(back, Tell::code, async move {
        Ok(crate::access::reveal(&id, part)
            .await?
            .because(answer::why(reason, note, ticket, incident)?)
            .await?)
    })
    .await
}
