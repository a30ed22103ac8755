//! What ends a halt of the namespace.

use leptos::prelude::*;

use crate::call::Post;
use crate::error::ApiError;

/// Lets jobs start again, by Redis's clock and data as they are. `false` if nothing stood still. Needs `PauseQueues`.
#[server(prefix = "/api/fn", endpoint = "clear_halt", protocol = Post)]
pub async fn clear_halt(
    #[server(default)] reason: Option<String>,
    #[server(default)] back: Option<String>,
) -> Result<bool, ApiError> {
    use super::answer;
    let word = |&changed: &bool| if changed { "halt.changed" } else { "halt.same" }.to_owned();
    answer::to(back, word, async move {
        let operator = crate::access::operator(reprieve::model::Permission::PauseQueues).await?;
        Ok(operator.clear_halt(&answer::why(reason, None, None, None)?).await?)
    })
    .await
}
