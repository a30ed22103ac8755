//! The lists: which jobs are in a state, and what to do about them.

mod bar;
mod bulk_bar;
mod empty;
mod facets;
mod filter;
mod heading;
mod kept_fields;
mod own;
mod panel;
mod part;
mod paused;
mod pick;
mod reading;
mod row;
mod status;
mod table;
mod tabs;
mod view_options;
mod views;
mod when;

use leptos::prelude::*;
use leptos_meta::Title;
use leptos_router::hooks::{use_params_map, use_query_map};
use reprieve::model::list::PAGE_SIZE_MAX;
use reprieve::model::{Counts, JobId, QueueName, StateGroup};

use self::bar::FilterBar;
use self::facets::FacetList;
use self::filter::Filter;
use self::panel::Panel;
use self::part::{Looked, Part};
use self::paused::PausedBanner;
use self::reading::{Counting, Listed};
use self::table::JobTable;
use self::tabs::Tabs;
use self::view_options::{UnreadColumns, ViewOptions};
use self::views::Views;
use super::NotFoundPage;
use crate::api::jobs::count_queues;
use crate::components::acts::provide_operations;
use crate::components::error_panel::ErrorPanel;
use crate::components::icons::{Icon, icon};
use crate::error::ApiError;
use crate::light::{RefreshedEvery, is_read_again, suspended};
use crate::list::Address;
use crate::list::sealed::Unsealed;
use crate::{format, i18n, routes, t};

/// Leases are extended without an event, and what should have moved and did not has none either: how often a list is read
/// again, in seconds.
const fn pulse_seconds(group: StateGroup) -> u32 {
    if matches!(group, StateGroup::Active) { 3 } else { 15 }
}

/// One list, of one queue or of all.
#[component]
pub fn JobsPage() -> impl IntoView {
    let group = use_params_map().get_untracked().get("group").unwrap_or_default();
    if group.parse::<StateGroup>().is_err() {
        return view! { <NotFoundPage/> }.into_any();
    }
    provide_operations();
    let query = use_query_map().get_untracked();
    let address = Address::read(&group, &query);
    let unsealed = Unsealed::provide();
    let (part, before) = (Part::of(&query), Looked::of(&query));
    let unfolded = query.get_str(facets::FOLD).is_some();
    let counted = query.get_str(views::COUNTS).is_some();
    let open = query.get_str(panel::OPEN).and_then(|id| JobId::new(id).ok());
    let columns = query.get("columns").unwrap_or_default();
    let every = pulse_seconds(address.group);
    let page = suspended(async move {
        // A part of the screen alone is given back at once; all else is the whole screen.
        let (address, rows, before, counting) = match part {
            Part::Facets => return view! { <FacetList address unfolded is_read=true/> }.into_any(),
            Part::Views => return view! { <Views address counted=true is_read=true/> }.into_any(),
            Part::Rows(ids) => return table::rows_now(address, ids).await,
            // Without a script the list is shown as well.
            Part::Count if is_read_again() => {
                return match reading::count(&address, before).await {
                    Ok(counting) => {
                        let (listed, counts) = (Listed::default(), QueueCounts::none());
                        view! { <JobTable listed counting=Some(counting) address counts/> }.into_any()
                    }
                    Err(error) => view! { <ErrorPanel error/> }.into_any(),
                };
            }
            Part::Count => {
                let counting = reading::count(&address, before).await.ok();
                let address = address.starting_at(None);
                let size = address.size;
                (address, Some(size), Looked::default(), counting)
            }
            Part::Around => (address, None, before, None),
            Part::Page { rows } => {
                let size = rows.clamp(address.size, PAGE_SIZE_MAX);
                // The bar says what is wrong with a filter.
                let rows = unsealed.reads(&address.q).then_some(size);
                (address, rows, before, None)
            }
        };
        let listed = async { Some(reading::read_with_ways(&address, rows?, before).await) };
        let (listed, counts) = tokio::join!(listed, QueueCounts::read());
        view! { <Screen address listed counting counts columns unfolded counted open/> }.into_any()
    });
    view! {
        <RefreshedEvery seconds=every by_events=true/>
        {page}
    }
    .into_any()
}

#[component]
fn Screen(
    address: Address,
    /// `None` for a filter that does not read.
    listed: Option<Result<Listed, ApiError>>,
    /// How far an exact count is, where one was asked for.
    counting: Option<Counting>,
    counts: QueueCounts,
    columns: String,
    /// What narrows the list down is unfolded where it has no place beside it.
    unfolded: bool,
    /// The saved views have their counts.
    counted: bool,
    /// The job beside the list.
    open: Option<JobId>,
) -> impl IntoView {
    let by_error = (address.group == StateGroup::Dead).then(|| {
        let href = routes::dead(address.queue.as_ref());
        view! { <a class="button" href=href>{icon(Icon::Stack)} <span>{t!("dead-by-error")}</span></a> }
    });
    let title = match &listed {
        None | Some(Ok(_)) => t!("jobs-title", list = i18n::group(address.group)),
        Some(Err(_)) => t!("jobs-title-unread"),
    };
    let list = match listed {
        Some(Ok(listed)) => {
            view! { <JobTable listed counting address=address.clone() counts=counts.clone() unfolded/> }
                .into_any()
        }
        Some(Err(error)) => view! { <ErrorPanel error/> }.into_any(),
        None => {
            view! { <div class="jobs-list" data-list=table::name(&address) data-scan=""></div> }.into_any()
        }
    };
    view! {
        <Title text=title/>
        <header class="jobs-head">
            <h1 tabindex="-1">{i18n::group(address.group)}</h1>
            <span class="jobs-choices">
                {by_error}
                <Filter address=address.clone() counts=counts.clone()/>
                <ViewOptions address=address.clone()/>
            </span>
        </header>
        <Tabs address=address.clone() counts/>
        <PausedBanner queue=address.queue.clone()/>
        <Views address=address.clone() counted is_read=false/>
        <FilterBar address=address.clone()/>
        <UnreadColumns line=columns/>
        <div class="jobs-body">
            <FacetList address=address.clone() unfolded is_read=false/>
            {list}
        </div>
        {open.map(|id| view! { <Panel id address/> })}
    }
    .into_any()
}

/// How many jobs each queue holds, by name; `None` where that could not be read.
#[derive(Debug, Clone)]
pub(crate) struct QueueCounts(Option<Vec<(QueueName, Counts)>>);

impl QueueCounts {
    /// An outage is told where the rows would be.
    async fn read() -> Self {
        Self(count_queues().await.ok())
    }

    const fn none() -> Self {
        Self(None)
    }

    /// The names of the queues.
    pub(crate) fn names(&self) -> impl Iterator<Item = &QueueName> {
        self.0.iter().flatten().map(|(name, _)| name)
    }

    /// The number of a list in figures; a dash where it is not known.
    pub(crate) fn figure(&self, queue: Option<&QueueName>, group: StateGroup) -> String {
        if self.0.is_none() {
            return "–".to_owned();
        }
        format::number(self.of(queue).group(group))
    }

    /// The counts of one queue or of all.
    pub(crate) fn of(&self, queue: Option<&QueueName>) -> Counts {
        let mut sum = Counts::default();
        for (_, counts) in self.0.iter().flatten().filter(|(name, _)| queue.is_none_or(|queue| queue == name))
        {
            sum.add(counts);
        }
        sum
    }
}
