//! How often somebody may do something.

use super::reply::Reply;
use super::{Store, script};
use crate::error::{Error, Result};
use std::time::Duration;

impl Store {
    /// Takes one of so many in that span: see `lua/functions/people/spend.lua`. How long to wait where none is left.
    ///
    /// # Errors
    /// [`Error::Unavailable`].
    pub async fn spend(&self, what: &str, most: u32, span: Duration) -> Result<Option<Duration>> {
        let mut call = self.call(&script::SPEND);
        call.arg(what).arg(most).arg(span.as_millis().to_string());
        wait(self.drain(&call).await.map_err(Error::of_nothing_sent)?)
    }
}

/// `None` to go on, else how long to wait.
pub(super) fn wait(mut reply: Reply) -> Result<Option<Duration>> {
    if reply.text()? == "wait" {
        return Ok(Some(Duration::from_millis(reply.parse("wait")?)));
    }
    Ok(None)
}
