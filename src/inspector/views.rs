//! Saved views: one's own, and those that somebody shares.

use super::{Inspector, Operator};
use crate::error::{Error, Result};
use crate::model::{SavedView, VIEW_NAME_CHARS_MAX};

impl Inspector {
    /// The views that somebody sees: their own and the shared ones, by name.
    ///
    /// # Errors
    /// [`Error::Unavailable`].
    pub async fn views(&self, me: &str) -> Result<Vec<SavedView>> {
        let mut views = self.cells.first().views().await?;
        views.retain(|view| view.shared || view.owner == me);
        views.sort_by(|a, b| (&a.name, &a.owner).cmp(&(&b.name, &b.owner)));
        Ok(views)
    }
}

impl Operator {
    /// Saves a view as one's own, in place of one of the same name.
    ///
    /// # Errors
    /// [`Error::Invalid`] for a name that is empty, has more than 40 characters or a line break, and when there are 200
    /// views already; [`Error::Unavailable`] and [`Error::StorageFull`].
    pub async fn save_view(&self, mut view: SavedView) -> Result<SavedView> {
        view.owner = self.actor().to_owned();
        view.name = view.name.trim().to_owned();
        let chars = view.name.chars().count();
        if !(1..=VIEW_NAME_CHARS_MAX).contains(&chars) || view.name.contains(char::is_control) {
            return Err(Error::invalid(
                "view",
                format!("has a name of 1 to {VIEW_NAME_CHARS_MAX} characters"),
            ));
        }
        if self.cells().first().save_view(&view).await? {
            Ok(view)
        } else {
            Err(Error::invalid("view", "is one too many: 200 are kept; remove one first"))
        }
    }

    /// Forgets a view of one's own; `false` when there was none of that name.
    ///
    /// # Errors
    /// [`Error::Unavailable`].
    pub async fn remove_view(&self, name: &str) -> Result<bool> {
        self.cells().first().remove_view(self.actor(), name).await
    }
}
