//! Whose a running bulk run is, and whether they may still do what it does.

use super::{BulkStep, Intent, Store};
use crate::error::Result;
use crate::model::{BulkVerb, Permission, PersonName, RunId};
use redis::Cmd;
use std::collections::HashMap;

/// Who ends a run whose starter may no longer do it, in its record and in the audit.
const BY: &str = "bulk";

impl Store {
    /// Takes a step of a running run, or ends it here if the person who started it has lost the right since. `home` is the
    /// shard where people are kept.
    ///
    /// # Errors
    /// [`Unavailable`](crate::Error::Unavailable): the step may have been taken; take the next one.
    /// [`Codec`](crate::Error::Codec) when what is kept of the starter does not read: then no step is taken.
    pub(crate) async fn bulk_go_on(&self, home: &Self, run: &RunId, most: u32) -> Result<Option<BulkStep>> {
        if let Some(why) = self.bulk_withdrawn(home, run).await? {
            tracing::warn!(bulk.run = %run, "bulk run {run} ends: {why}");
            self.bulk_abort(run, &Intent { why, ..Intent::of(BY) }, None).await?;
        }
        self.bulk_step(run, most).await
    }

    /// Why a running run may not go on; `None` if it may, or is none that somebody started who signed in.
    async fn bulk_withdrawn(&self, home: &Self, run: &RunId) -> Result<Option<String>> {
        let fields: HashMap<String, Vec<u8>> = self.ask(&Cmd::hgetall(self.keys().bulk_run(run, ""))).await?;
        let field = |name: &str| fields.get(name).and_then(|bytes| std::str::from_utf8(bytes).ok());
        if field("state") != Some("running") || field("of_person") != Some("1") {
            return Ok(None);
        }
        let starter = field("started_by").unwrap_or_default();
        let Some(permission) = field("verb").and_then(|verb| verb.parse().ok()).map(BulkVerb::permission)
        else {
            return Ok(Some(format!("it is not known what {starter} would have to be allowed to do")));
        };
        // A name that is none was never that of a person.
        let Ok(name) = starter.parse::<PersonName>() else {
            return Ok(Some(format!("{starter} may not sign in any more")));
        };
        let (_, kept, _) = home.person(&name).await?;
        let Some(info) = kept.map(|kept| kept.info(name)).transpose()?.filter(|info| !info.disabled) else {
            return Ok(Some(format!("{starter} may not sign in any more")));
        };
        if let Some(lacks) =
            [Permission::RunBulk, permission].into_iter().find(|&right| !info.role.may(right))
        {
            return Ok(Some(format!("{starter} is now {} and has lost the permission {lacks}", info.role)));
        }
        let only_in = field("only_in").unwrap_or_default();
        let is_theirs = |queue: &str| info.queues.iter().any(|own| own.as_str() == queue);
        if !info.queues.is_empty() && (only_in.is_empty() || !only_in.split_whitespace().all(is_theirs)) {
            return Ok(Some(format!("the rights of {starter} do not hold in all queues of the run")));
        }
        Ok(None)
    }
}
