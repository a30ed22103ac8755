//! The search field of every page.

use leptos::prelude::*;
use leptos::server_fn::codec::GetUrl;
use reprieve::model::Hits;

use crate::error::ApiError;

/// Everything of that name: a job, a subject, queues, kinds. Needs `View`.
#[server(prefix = "/api/fn", endpoint = "find", input = GetUrl)]
pub async fn find(#[server(default)] text: String) -> Result<Hits, ApiError> {
    super::answer::read(async { Ok(crate::access::inspector().await?.hits(&text).await?) }).await
}
