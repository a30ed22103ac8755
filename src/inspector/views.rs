//! Saved views: one's own, and those that somebody shares.

use super::filtered::COLUMNS_MAX;
use super::{Inspector, Operator};
use crate::error::{Error, Result};
use crate::model::filter::{PayloadPath, Test};
use crate::model::{Filter, SavedView, VIEW_NAME_CHARS_MAX};

/// Bytes of the columns of a view: eight paths such as people write, and the words of a screen's own.
const COLUMNS_BYTES_MAX: usize = 1_024;

impl Inspector {
    /// The views that somebody sees: their own and the shared ones, by name; bound to queues, no view of others that names
    /// another queue.
    ///
    /// # Errors
    /// [`Error::Unavailable`].
    pub async fn views(&self, me: &str) -> Result<Vec<SavedView>> {
        let mut views = self.shards().first().views().await?;
        views.retain(|view| view.owner == me || view.shared && self.sees_queues_of(&view.filter));
        views.sort_by(|a, b| (&a.name, &a.owner).cmp(&(&b.name, &b.owner)));
        Ok(views)
    }

    /// Whether every queue that a filter names, or means by the beginning of its name, is one it sees.
    fn sees_queues_of(&self, filter: &Filter) -> bool {
        let names = filter.terms().iter().filter_map(|term| match &term.test {
            Test::Queue(names) => Some(names),
            _ => None,
        });
        names.flatten().all(|name| self.shards.sees_some(|queue| name.fits(queue.as_str())))
    }
}

impl Operator {
    /// Saves a view as one's own; `None` when one has a view of that name, which stays.
    ///
    /// # Errors
    /// [`Error::Invalid`] for a name that is empty, has more than 40 characters or a line break, for columns of more than 1,024
    /// bytes or more than eight paths into payloads, and when there are 50 views of one's own or 200 in all already; [`Error::Unavailable`] and [`Error::StorageFull`].
    pub async fn save_view(&self, view: SavedView) -> Result<Option<SavedView>> {
        let view = self.own(view)?;
        Ok(self.shards().first().save_view(&view, false).await?.then_some(view))
    }

    /// Saves a view as one's own, in place of one of the same name.
    ///
    /// # Errors
    /// Those of [`Operator::save_view`].
    pub async fn replace_view(&self, view: SavedView) -> Result<SavedView> {
        let view = self.own(view)?;
        self.shards().first().save_view(&view, true).await?;
        Ok(view)
    }

    fn own(&self, mut view: SavedView) -> Result<SavedView> {
        view.owner = self.actor().to_owned();
        view.name = view.name.trim().to_owned();
        let chars = view.name.chars().count();
        if !(1..=VIEW_NAME_CHARS_MAX).contains(&chars) || view.name.contains(char::is_control) {
            return Err(Error::invalid(
                "view",
                format!("has a name of 1 to {VIEW_NAME_CHARS_MAX} characters"),
            ));
        }
        let paths = view.columns.split(',').filter(|column| column.parse::<PayloadPath>().is_ok()).count();
        if view.columns.len() > COLUMNS_BYTES_MAX || paths > COLUMNS_MAX {
            return Err(Error::invalid(
                "columns",
                format!("are {COLUMNS_MAX} paths into payloads and {COLUMNS_BYTES_MAX} bytes at most"),
            ));
        }
        Ok(view)
    }

    /// Forgets a view of one's own; `false` when there was none of that name.
    ///
    /// # Errors
    /// [`Error::Unavailable`].
    pub async fn remove_view(&self, name: &str) -> Result<bool> {
        self.shards().first().remove_view(self.actor(), name).await
    }

    /// Forgets a view that everybody sees, no matter who saved it, and says so in the audit; `false` when there was none.
    ///
    /// # Errors
    /// [`Error::Unavailable`].
    pub async fn remove_shared_view(&self, owner: &str, name: &str) -> Result<bool> {
        self.shards().first().remove_shared_view(owner, name, self.actor()).await
    }
}
