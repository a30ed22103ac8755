//! Reads for the page of Redis.

use leptos::prelude::*;
use reprieve::model::RedisReport;

use crate::call::Get;
use crate::error::ApiError;

/// What Redis says of itself, and what that means. Needs `View`.
#[server(prefix = "/api/fn", endpoint = "get_redis", protocol = Get)]
pub async fn get_redis() -> Result<RedisReport, ApiError> {
    super::answer::read(async {
        Ok(crate::access::inspector_for(reprieve::model::Permission::SeeRedis)?.redis().await?)
    })
    .await
}
