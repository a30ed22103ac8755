//! Saved views.

use leptos::prelude::*;
use leptos::server_fn::codec::GetUrl;
use reprieve::model::{SavedView, StateGroup};

use crate::error::ApiError;

/// One's own views and the shared ones, their filters as addresses have them. Needs `View`.
#[server(prefix = "/api/fn", endpoint = "list_views", input = GetUrl)]
pub async fn list_views() -> Result<Vec<SavedView>, ApiError> {
    super::answer::read(async {
        let me = crate::access::principal().name;
        let mut views = crate::access::inspector().await?.views(&me).await?;
        if views.iter().any(|view| view.filter.is_open()) {
            let seals = crate::access::seals().await?;
            views.iter_mut().for_each(|view| view.filter = seals.seal_filter(&view.filter));
        }
        Ok(views)
    })
    .await
}

/// Saves what is on screen under a name, for oneself or for everybody. Needs `View`.
#[server(prefix = "/api/fn", endpoint = "save_view")]
pub async fn save_view(
    name: String,
    list: StateGroup,
    #[server(default)] q: String,
    #[server(default)] columns: String,
    #[server(default)] shared: Option<String>,
    #[server(default)] back: Option<String>,
) -> Result<SavedView, ApiError> {
    use super::answer;
    answer::to(back, |_: &SavedView| "view.saved".to_owned(), async move {
        let mut view = SavedView::new(name, list, crate::pages::jobs::sealed::filter(&q).await?);
        view.shared = shared.is_some_and(|text| !text.is_empty());
        view.columns = columns;
        Ok(crate::access::operator_of_seen(reprieve::model::Permission::View)?.save_view(view).await?)
    })
    .await
}

/// Forgets a view of one's own. Needs `View`.
#[server(prefix = "/api/fn", endpoint = "remove_view")]
pub async fn remove_view(name: String, #[server(default)] back: Option<String>) -> Result<bool, ApiError> {
    use super::answer;
    answer::to(back, |_: &bool| "view.removed".to_owned(), async move {
        Ok(crate::access::operator_of_seen(reprieve::model::Permission::View)?.remove_view(&name).await?)
    })
    .await
}
