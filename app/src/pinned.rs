//! The saved views of the navigation, as links.

use reprieve::model::{SavedView, Tally};

use crate::access;
use crate::error::ApiError;
use crate::list::{href_of_view, sealed};

/// What the navigation has of the saved views.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct Pinned {
    /// The first of them, one's own before others.
    pub views: Vec<PinnedView>,
    /// So many others there are.
    pub more: usize,
}

/// A saved view, as a link.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct PinnedView {
    /// Its name.
    pub name: String,
    /// Where it leads.
    pub href: String,
    /// How many jobs it has, where that is known.
    pub count: Option<Tally>,
}

/// Views shown; the others stand above every list.
const PINNED_MAX: usize = 5;

impl Pinned {
    /// Reads those of the caller. Without their numbers they are links all the same.
    pub(crate) async fn read() -> Result<Self, ApiError> {
        let me = access::principal().name;
        let inspector = access::caller()?.inspector_of_seen()?;
        let mut views = inspector.views(&me).await?;
        views.sort_by_key(|view| view.owner != me);
        let more = views.len().saturating_sub(PINNED_MAX);
        views.truncate(PINNED_MAX);
        let asked = views.iter().map(|view| (view.filter.clone(), view.list)).collect::<Vec<_>>();
        let counts = inspector.tallies(&asked, &me).await.unwrap_or_default();
        let views = sealed::views(views).await?;
        let counts = counts.into_iter().map(Some).chain(std::iter::repeat(None));
        let pinned = |(view, count): (SavedView, _)| {
            let href = href_of_view(&view);
            PinnedView { name: view.name, href, count }
        };
        Ok(Self { views: views.into_iter().zip(counts).map(pinned).collect(), more })
    }
}
