//! Reads for the page of Redis.

use reprieve::model::{Permission, RedisReport};

use crate::access;
use crate::error::ApiError;

/// What Redis says of itself, and what that means. Needs `View`.
pub async fn get_redis() -> Result<RedisReport, ApiError> {
    Ok(access::caller()?.inspector_for(Permission::SeeRedis)?.redis().await?)
}
