//! Reads of jobs.

use reprieve::model::list::ListQuery;
use reprieve::model::{Counts, JobDetail, JobId, Page, QueueName, Receipt, Subject};

use crate::access;
use crate::error::ApiError;

/// One page of a list. Needs `View`.
pub async fn list_jobs(query: &ListQuery) -> Result<Page, ApiError> {
    Ok(access::caller()?.inspector_in(query.queue.as_ref())?.list(query).await?)
}

/// How many jobs are in each state, queue by queue, by name. Needs `View`.
pub async fn count_queues() -> Result<Vec<(QueueName, Counts)>, ApiError> {
    Ok(access::caller()?.inspector_of_seen()?.counts_by_queue().await?.0)
}

/// One job with its attempts, history and siblings. Needs `View`.
pub async fn get_job(id: JobId) -> Result<JobDetail, ApiError> {
    access::caller()?.inspector_on(&id).await?.job(&id).await?.ok_or(ApiError::NotFound)
}

/// What became of a job that is gone, and whose it was, where that is still known by its id. Needs `View`.
pub async fn get_receipt(id: JobId) -> Result<Option<(Subject, Receipt)>, ApiError> {
    Ok(access::caller()?.inspector_of_seen()?.receipt(&id).await?)
}
