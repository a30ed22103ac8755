//! Dead jobs by their error.

use leptos::prelude::*;
use leptos::server_fn::codec::GetUrl;
use reprieve::model::{Failures, QueueName, RunId};

use crate::error::ApiError;

/// Dead jobs of one queue or of all, grouped by error. Needs `View`.
#[server(prefix = "/api/fn", endpoint = "get_failures", input = GetUrl)]
pub async fn get_failures(#[server(default)] queue: Option<QueueName>) -> Result<Failures, ApiError> {
    super::answer::read(async {
        Ok(crate::access::inspector_in(queue.as_ref())?.failures(queue.as_ref()).await?)
    })
    .await
}

/// Retries the latest 1,000 dead jobs of a group, `rate` a second at most, as a bulk run that stops by itself when
/// most of them fail again. Needs `RunBulk` and `RetryJobs`.
#[server(prefix = "/api/fn", endpoint = "retry_failures")]
pub async fn retry_failures(
    mask: String,
    #[server(default)] queue: Option<String>,
    rate: u32,
    #[server(default)] reason: Option<String>,
    #[server(default)] note: Option<String>,
    #[server(default)] ticket: Option<String>,
    #[server(default)] back: Option<String>,
) -> Result<RunId, ApiError> {
    use super::answer;
    use reprieve::model::{BulkVerb, Permission};
    answer::to(back, |_| "retry_failures.started".to_owned(), async move {
        let queue = match queue.filter(|name| !name.is_empty()).map(QueueName::new).transpose() {
            Ok(queue) => queue,
            Err(bad) => return Err(ApiError::Invalid { why: bad.to_string() }),
        };
        let (operator, queues) = match &queue {
            Some(queue) => {
                crate::access::operator_in(Permission::RetryJobs, queue)?;
                (crate::access::operator_in(Permission::RunBulk, queue)?, vec![queue.clone()])
            }
            None => crate::access::bulk_operator(BulkVerb::RetryNow)?,
        };
        let jobs = crate::access::inspector_in(queue.as_ref())?.failed_alike(queue.as_ref(), &mask).await?;
        if jobs.is_empty() {
            return Err(ApiError::NotFound);
        }
        crate::access::allow_bulk(u64::try_from(jobs.len()).unwrap_or(u64::MAX))?;
        let why = answer::why(reason, note, ticket)?;
        let run =
            operator.drip_dead().jobs(jobs).only_in(queues).rate(rate).because(why.clone()).freeze().await?;
        Ok(operator.start_bulk(&run.id, None, &why).await?.id)
    })
    .await
}
