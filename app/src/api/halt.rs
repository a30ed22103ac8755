//! What ends a halt of the namespace.

use leptos::prelude::*;
use reprieve::model::Permission;

use super::answer::{self, Why};
use crate::access;
use crate::call::Post;
use crate::error::ApiError;

/// Lets jobs start again, by Redis's clock and data as they are. `false` if nothing stood still. Needs `PauseQueues`.
#[server(prefix = "/api/fn", endpoint = "clear_halt", protocol = Post)]
pub async fn clear_halt(
    #[server(flatten)] why: Why,
    #[server(default)] back: Option<String>,
) -> Result<bool, ApiError> {
    let word = |&changed: &bool| if changed { "halt.changed" } else { "halt.same" }.to_owned();
    answer::to(back, word, async move {
        let operator = access::caller()?.operator(Permission::PauseQueues)?;
        Ok(operator.clear_halt(&why.said()?).await?)
    })
    .await
}
