//! Saved views: kept in the first shard.

use super::{Store, script};
use crate::error::{Error, Result};
use crate::model::SavedView;
use redis::Cmd;

impl Store {
    /// Keeps a view, in place of one of the same name or not; `false` when there is one that stays: see
    /// `lua/functions/people/save_view.lua`.
    ///
    /// # Errors
    /// [`Error::Invalid`] when there is no room for another; [`Error::Unavailable`] and [`Error::StorageFull`].
    pub(crate) async fn save_view(&self, view: &SavedView, replaces: bool) -> Result<bool> {
        let text = serde_json::to_string(view).map_err(|error| Error::codec(error.to_string()))?;
        let mut call = self.call(&script::SAVE_VIEW);
        call.arg(field(&view.owner, &view.name)).arg(text).arg(if replaces { "1" } else { "" });
        match self.grow(&call).await?.text()?.as_str() {
            "too_many_own" => {
                Err(Error::invalid("view", "is one too many: 50 of each person are kept; remove one first"))
            }
            "too_many" => Err(Error::invalid("view", "is one too many: 200 are kept; remove one first")),
            word => Ok(word == "saved"),
        }
    }

    /// Forgets a view of one's own; `false` when there was none: see `lua/functions/people/remove_view.lua`.
    ///
    /// # Errors
    /// [`Error::Unavailable`].
    pub(crate) async fn remove_view(&self, owner: &str, name: &str) -> Result<bool> {
        let mut call = self.call(&script::REMOVE_VIEW);
        call.arg(field(owner, name)).arg("").arg(owner);
        Ok(self.drain(&call).await?.text()? == "removed")
    }

    /// Forgets a view that everybody sees, and says in the audit who did; `false` when there was none: see
    /// `lua/functions/people/remove_view.lua`.
    ///
    /// # Errors
    /// [`Error::Unavailable`].
    pub(crate) async fn remove_shared_view(&self, owner: &str, name: &str, actor: &str) -> Result<bool> {
        let mut call = self.call(&script::REMOVE_VIEW);
        call.arg(field(owner, name)).arg("shared").arg(actor);
        Ok(self.drain(&call).await?.text()? == "removed")
    }

    /// Every view; one that does not read hides no other.
    ///
    /// # Errors
    /// [`Error::Unavailable`].
    pub(crate) async fn views(&self) -> Result<Vec<SavedView>> {
        let texts: Vec<Vec<u8>> = self.ask(&Cmd::hvals(self.keys().views())).await?;
        Ok(texts.iter().filter_map(|text| serde_json::from_slice(text).ok()).collect())
    }
}

/// Neither names of people nor of views hold a line break.
fn field(owner: &str, name: &str) -> String {
    format!("{owner}\n{name}")
}
