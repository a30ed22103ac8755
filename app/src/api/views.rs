//! Saved views.

use leptos::prelude::*;
use reprieve::model::{SavedView, StateGroup};

use crate::call::{Get, Post};
use crate::error::ApiError;
use crate::pinned::Pinned;

/// One's own views and the shared ones, their filters as addresses have them. Needs `View`.
#[server(prefix = "/api/fn", endpoint = "list_views", protocol = Get)]
pub async fn list_views() -> Result<Vec<SavedView>, ApiError> {
    super::answer::read(async {
        let me = crate::access::principal().name;
        crate::list::sealed::views(crate::access::inspector().await?.views(&me).await?).await
    })
    .await
}

/// What the navigation has of them. Needs `View`.
#[server(prefix = "/api/fn", endpoint = "pinned_views", protocol = Get)]
pub async fn pinned_views() -> Result<Pinned, ApiError> {
    super::answer::read(Pinned::read()).await
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
    use super::answer;
    answer::to(back, |_: &SavedView| "view.saved".to_owned(), async move {
        let mut view = SavedView::new(name, list, crate::list::sealed::filter(&q).await?);
        let is_ticked = |tick: Option<String>| tick.is_some_and(|text| !text.is_empty());
        view.shared = is_ticked(shared);
        view.columns = crate::list::columns_of_view(&columns);
        let operator = crate::access::operator_of_seen(reprieve::model::Permission::View)?;
        if is_ticked(replace) {
            return Ok(operator.replace_view(view).await?);
        }
        let saved = operator.save_view(view).await?;
        saved.ok_or_else(|| ApiError::wrong("name", crate::t!("filter-view-taken")))
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
    use super::answer;
    use reprieve::model::Permission;
    answer::to(back, |_: &bool| "view.removed".to_owned(), async move {
        let me = crate::access::principal().name;
        match owner.filter(|owner| *owner != me) {
            Some(owner) => {
                let operator = crate::access::operator(Permission::ManagePeople).await?;
                Ok(operator.remove_shared_view(&owner, &name).await?)
            }
            None => Ok(crate::access::operator_of_seen(Permission::View)?.remove_view(&name).await?),
        }
    })
    .await
}
