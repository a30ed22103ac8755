//! The lists: which jobs are in a state, and what to do about them.

mod address;
mod bar;
mod bulk_bar;
mod columns;
mod empty;
mod exact;
mod facets;
mod filter;
mod own;
mod paused;
mod pick;
mod pinned;
mod reading;
mod recall;
mod row;
mod row_acts;
mod rows;
pub mod sealed;
mod status;
mod table;
mod tabs;
mod ticks;
mod view_options;
mod views;
mod when;

use leptos::prelude::*;
use leptos_meta::Title;
use reprieve::model::{Counts, QueueName, StateGroup};

use self::address::Address;
#[cfg(feature = "ssr")]
pub(crate) use self::address::{columns_of_view, href_of_view};
use self::bar::FilterBar;
#[cfg(feature = "ssr")]
pub(crate) use self::bar::list_of;
use self::facets::{FacetList, Narrowing};
use self::filter::Filter;
use self::paused::PausedBanner;
pub use self::pinned::{PinnedViews, ViewsChanged};
use self::reading::read_with_ways;
pub use self::recall::Recall;
use self::rows::Rows;
use self::sealed::Unsealed;
use self::table::JobTable;
use self::tabs::Tabs;
use self::view_options::ViewOptions;
use self::views::Views;
use crate::api::count_queues;
use crate::components::acts::{Acted, provide_operations};
use crate::components::error_panel::ErrorPanel;
use crate::components::icons::{Icon, icon};
use crate::components::loading::{Loading, Shape};
use crate::live::Live;
use crate::live::reading::Reading;
use crate::{format, i18n, routes, t};

/// One list, of one queue or of all.
#[component]
pub fn JobsPage() -> impl IntoView {
    provide_operations();
    Acted::provide();
    let address = Address::current();
    let recall = Recall::get();
    let unsealed = Unsealed::provide(Signal::derive(move || address.with(|address| address.q.clone())));
    let page = Reading::new(
        move || address.get(),
        move |address| async move {
            // The bar tells what is wrong with a filter.
            let page = match untrack(|| unsealed.reads(&address.q)) {
                true => Some(read_with_ways(&address, recall.size(&address)).await),
                false => None,
            };
            (address, page)
        },
    );
    let counts = QueueCounts::read();
    let narrowing = Narrowing::of(address);
    let list = move || {
        Suspend::new(async move {
            match page.await {
                (address, Some(Ok(page))) => view! {
                    <Title text=t!("jobs-title", list = i18n::group(address.group))/>
                    <JobTable rows=Rows::new(address.clone(), page) address counts narrowing/>
                }
                .into_any(),
                (_, None) => view! { <Title text=t!("jobs-title-unread")/> }.into_any(),
                (_, Some(Err(error))) => {
                    page.refetch_after(&error);
                    view! { <Title text=t!("jobs-title-unread")/> <ErrorPanel error/> }.into_any()
                }
            }
        })
    };
    let shape = untrack(|| address.with(|address| counts.shape(address, recall)));
    let by_error = move || {
        address.with(|address| {
            let href = routes::dead(address.queue.as_ref());
            (address.group == StateGroup::Dead)
                .then(|| view! { <a class="button" href=href>{icon(Icon::Stack)} <span>{t!("dead-by-error")}</span></a> })
        })
    };
    view! {
        <header class="jobs-head">
            <h1 tabindex="-1">{move || i18n::group(address.get().group)}</h1>
            <span class="jobs-choices">
                {by_error}
                <Filter address counts/>
                <ViewOptions address/>
            </span>
        </header>
        <Tabs address counts/>
        <PausedBanner address/>
        <Views address/>
        <FilterBar address narrowing/>
        <div class="jobs-body">
            <FacetList address narrowing/>
            <div class="jobs-list"><Loading shape>{list}</Loading></div>
        </div>
    }
}

/// How many jobs each queue holds: from the stream as soon as it says that, from the server before, and always for whoever
/// is bound to queues.
#[derive(Clone, Copy)]
pub(crate) struct QueueCounts {
    /// `None` where they could not be read.
    read: Reading<Option<Vec<(QueueName, Counts)>>>,
    live: Live,
}

impl QueueCounts {
    fn read() -> Self {
        // An outage is told where the rows would be; tabs then show no numbers.
        let live = Live::get();
        let uncounted = live.uncounted();
        let read = Reading::new(move || uncounted.get(), |_| async { count_queues().await.ok() });
        Self { read, live }
    }

    /// The rows that a list will have, as far as that is known before it is read.
    fn shape(self, address: &Address, recall: Recall) -> Shape {
        let page = usize::from(recall.size(address));
        let known = self.live.counts().map(|_| self.now(address.queue.as_ref(), &[]).group(address.group));
        let count = known.and_then(|all| usize::try_from(all).ok()).map_or(page, |all| all.min(page));
        Shape::Rows { count, compact: address.is_compact() }
    }

    /// Waits for the first reading. Inside `Suspend` only.
    pub(crate) async fn ready(self) -> Vec<(QueueName, Counts)> {
        self.read.await.unwrap_or_default()
    }

    /// The same, and nothing where they could not be read. Inside `Suspend` only.
    pub(crate) async fn first(self) -> Option<Vec<(QueueName, Counts)>> {
        self.read.await
    }

    /// The number of a list in figures; a dash while nobody knows it.
    pub(crate) fn figure(
        self,
        queue: Option<&QueueName>,
        group: StateGroup,
        first: Option<&Vec<(QueueName, Counts)>>,
    ) -> String {
        if first.is_none() && self.live.counts().is_none() {
            return "–".to_owned();
        }
        let first = first.map_or(&[][..], Vec::as_slice);
        format::number(self.now(queue, first).group(group))
    }

    /// The counts now, of one queue or of all; `first` is what [`ready`](Self::ready) gave.
    pub(crate) fn now(self, queue: Option<&QueueName>, first: &[(QueueName, Counts)]) -> Counts {
        match (self.live.counts(), queue) {
            (Some(counts), None) => counts.total,
            (Some(counts), Some(queue)) => counts.queues.get(queue).copied().unwrap_or_default(),
            (None, _) => {
                let mut sum = Counts::default();
                for (_, counts) in first.iter().filter(|(name, _)| queue.is_none_or(|queue| queue == name)) {
                    sum.add(counts);
                }
                sum
            }
        }
    }
}
