//! The search field of every page.

use leptos::prelude::*;
use reprieve::model::Hits;

use crate::call::Get;
use crate::error::ApiError;

/// Everything of that name: a job, a subject, queues, kinds. Needs `View`.
#[server(prefix = "/api/fn", endpoint = "find", protocol = Get)]
pub async fn find(#[server(default)] text: String) -> Result<Hits, ApiError> {
    super::answer::read(async { Ok(crate::access::inspector().await?.hits(&text).await?) }).await
}
