//! Saved views.

use leptos::prelude::*;
use reprieve::model::{Permission, SavedView, StateGroup};

use super::answer;
use crate::call::Post;
use crate::error::ApiError;
use crate::pinned::Pinned;
use crate::{access, list, t};

/// One's own views and the shared ones, their filters as addresses have them. Needs `View`.
pub async fn list_views() -> Result<Vec<SavedView>, ApiError> {
    let me = access::principal().name;
    list::sealed::views(access::caller()?.inspector_of_seen()?.views(&me).await?).await
}

/// What the navigation has of them. Needs `View`.
pub async fn pinned_views() -> Result<Pinned, ApiError> {
    Pinned::read().await
}

/// Saves what is on screen under a name, for oneself or for everybody; in place of one's view of that name only with
/// `replace`. Needs `View`.
#[server(prefix = "/api/fn", endpoint = "save_view", protocol = Post)]
pub async fn save_view(
    name: String,
    list: StateGroup,
    #[server(default)] q: String,
    #[server(default)] columns: String,
    #[server(default)] shared: Option<String>,
    #[server(default)] replace: Option<String>,
    #[server(default)] back: Option<String>,
) -> Result<SavedView, ApiError> {
    answer::to(back, |_: &SavedView| "view.saved".to_owned(), async move {
        let mut view = SavedView::new(name, list, list::sealed::filter(&q).await?);
        let is_ticked = |tick: Option<String>| tick.is_some_and(|text| !text.is_empty());
        view.shared = is_ticked(shared);
        view.columns = list::columns_of_view(&columns);
        let operator = access::caller()?.operator_of_seen(Permission::View)?;
        if is_ticked(replace) {
            return Ok(operator.replace_view(view).await?);
        }
        let saved = operator.save_view(view).await?;
        saved.ok_or_else(|| ApiError::wrong("name", t!("filter-view-taken")))
    })
    .await
}

/// Forgets a view of one's own, which needs `View`; or one of another `owner` that everybody sees, which needs
/// `ManagePeople`.
#[server(prefix = "/api/fn", endpoint = "remove_view", protocol = Post)]
pub async fn remove_view(
    name: String,
    #[server(default)] owner: Option<String>,
    #[server(default)] back: Option<String>,
) -> Result<bool, ApiError> {
    answer::to(back, |_: &bool| "view.removed".to_owned(), async move {
        let me = access::principal().name;
        match owner.filter(|owner| *owner != me) {
            Some(owner) => {
                let operator = access::caller()?.operator(Permission::ManagePeople)?;
                Ok(operator.remove_shared_view(&owner, &name).await?)
            }
            None => Ok(access::caller()?.operator_of_seen(Permission::View)?.remove_view(&name).await?),
        }
    })
    .await
}
