//! Reads of jobs.

use leptos::prelude::*;
use reprieve::model::{
    Counts, Direction, JobDetail, JobId, Page, QueueName, Receipt, StateGroup, Subject, SubjectJobs,
};

use crate::call::Get;
use crate::error::ApiError;

/// One page of a list. Needs `View`. `after` is the `next` of the page before.
#[server(prefix = "/api/fn", endpoint = "list_jobs", protocol = Get)]
pub async fn list_jobs(
    group: StateGroup,
    #[server(default)] queue: Option<QueueName>,
    #[server(default)] direction: Option<Direction>,
    #[server(default)] after: Option<String>,
    #[server(default)] size: Option<u16>,
) -> Result<Page, ApiError> {
    use super::filter::no_cursor;
    use reprieve::model::list::{ListQuery, PAGE_SIZE_DEFAULT};
    super::answer::read(async {
        let after =
            after.filter(|text| !text.is_empty()).map(|text| text.parse()).transpose().map_err(no_cursor)?;
        let query = ListQuery::group(group)
            .queue(queue)
            .direction(direction.unwrap_or(group.default_direction()))
            .after(after)
            .size(size.unwrap_or(PAGE_SIZE_DEFAULT));
        let inspector = crate::access::inspector_in(query.queue.as_ref())?;
        Ok(inspector.list(&query).await?)
    })
    .await
}

/// How many jobs are in each state, queue by queue, by name. Needs `View`.
#[server(prefix = "/api/fn", endpoint = "count_queues", protocol = Get)]
pub async fn count_queues() -> Result<Vec<(QueueName, Counts)>, ApiError> {
    super::answer::read(async { Ok(crate::access::inspector().await?.counts_by_queue().await?.0) }).await
}

/// One job with its attempts, history and siblings. Needs `View`.
#[server(prefix = "/api/fn", endpoint = "get_job", protocol = Get)]
pub async fn get_job(id: JobId) -> Result<JobDetail, ApiError> {
    super::answer::read(async {
        crate::access::inspector_on(&id).await?.job(&id).await?.ok_or(ApiError::NotFound)
    })
    .await
}

/// What became of a job that is gone, and whose it was, where that is still known by its id. Needs `View`.
#[server(prefix = "/api/fn", endpoint = "get_receipt", protocol = Get)]
pub async fn get_receipt(id: JobId) -> Result<Option<(Subject, Receipt)>, ApiError> {
    super::answer::read(async { Ok(crate::access::inspector().await?.receipt(&id).await?) }).await
}

/// All jobs of a subject, live and ended. Needs `View`.
#[server(prefix = "/api/fn", endpoint = "get_subject", protocol = Get)]
pub async fn get_subject(subject: Subject) -> Result<SubjectJobs, ApiError> {
    super::answer::read(async { Ok(crate::access::inspector().await?.subject(&subject).await?) }).await
}
