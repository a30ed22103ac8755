//! A look at one hidden part of a payload.

use leptos::prelude::*;
use reprieve::model::{JobId, PartPath, Revealed};

use super::answer::{self, Why};
use crate::access;
use crate::call::Post;
use crate::error::ApiError;
use crate::i18n::Tell;

/// Shows one hidden part of a job's payload, and writes down that it did: who, which part and why, never the value.
/// Needs `RevealFields`, and a reason. Forms without script are sent elsewhere, for the value stands in no address.
#[server(prefix = "/api/fn", endpoint = "reveal_part", protocol = Post)]
pub async fn reveal_part(
    id: JobId,
    #[server(default)] part: PartPath,
    #[server(flatten)] why: Why,
    #[server(default)] back: Option<String>,
) -> Result<Revealed, ApiError> {
    answer::to(back, Tell::code, async move {
        Ok(access::caller()?.reveal(&id, part).await?.because(why.said()?).await?)
    })
    .await
}
