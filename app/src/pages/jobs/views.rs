//! Filters that are asked for again and again: those everybody has, those somebody shares, one's own.

use leptos::prelude::*;
use leptos::server_fn::ServerFn;
use reprieve::model::filter::TALLIES_MAX;
use reprieve::model::{Permission, SavedView, StateGroup, Tally, Timestamp, VIEW_NAME_CHARS_MAX};

use super::part::PART;
use crate::api::filter::count_jobs;
use crate::api::views::{RemoveView, SaveView, list_views};
use crate::clock::Clock;
use crate::components::fields::{BackField, labelled};
use crate::components::icons::{Icon, icon};
use crate::components::pinned_views::in_figures;
use crate::light::{is_read_again, suspended};
use crate::list::Address;
use crate::session::Session;
use crate::t;

/// The popover that saves and removes.
const POPOVER: &str = "save-view";
/// What the address says where the views have their counts.
pub(super) const COUNTS: &str = "counts";

/// The system's views: name, list and filter; `today` is when the day began, as filters write it.
fn everybodys(today: &str) -> [(String, StateGroup, String); 7] {
    let view = |name: String, list: StateGroup, filter: &str| (name, list, filter.to_owned());
    [
        view(t!("filter-view-next-hour"), StateGroup::Delay, "due:<1h"),
        view(t!("filter-view-overdue"), StateGroup::Delay, "due:<0s"),
        view(t!("filter-view-retrying"), StateGroup::Delay, "state:retrying"),
        view(t!("filter-view-dead-today"), StateGroup::Dead, &format!("ended:>={today}")),
        view(t!("filter-view-long"), StateGroup::Active, "running:>10m"),
        view(t!("filter-view-held"), StateGroup::Held, ""),
        view(t!("filter-view-mine"), StateGroup::Cancelled, "by:me"),
    ]
}

/// When the day began in the zone on screen.
fn today() -> String {
    let clock = Clock::get();
    clock.zone().day_began(Timestamp::saturating_from_millis(clock.now_ms()))
}

/// A link to each view; the one on screen is marked. Their counts are asked for by hand, for they cost as much as lists: the
/// script asks for them once, and a refresh of the page leaves them alone.
#[component]
pub(crate) fn Views(
    address: Address,
    /// Whether somebody wants to know how many jobs each has.
    counted: bool,
    /// Whether that is what was asked for: it is read then, and else only without a script.
    is_read: bool,
) -> impl IntoView {
    suspended(async move {
        // Without them the lists still work: an outage is told where the rows would be.
        let views = list_views().await.unwrap_or_default();
        let today = today();
        let wanted = counted && (is_read || !is_read_again());
        let counts = if wanted { count(&views, &today).await } else { Vec::new() };
        let link = |name, list, q: String, columns| {
            let count = counts.iter().find(|((group, line), _)| *group == list && *line == q);
            let count = count.map(|(_, tally)| *tally);
            view! { <ViewLink name list q columns address=address.clone() count/> }
        };
        let everybodys =
            everybodys(&today).into_iter().map(|(name, list, q)| link(name, list, q, String::new()));
        let links = everybodys.collect_view();
        let saved = views.iter().cloned();
        let saved = saved
            .map(|view| link(view.name, view.list, view.filter.to_string(), view.columns))
            .collect_view();
        let switch = if counted { address.href() } else { address.href_with(&format!("{COUNTS}=open")) };
        let late = counted.then(|| address.href_with(&format!("{PART}=views")));
        view! {
            <nav class="views" aria-label=t!("filter-views")>
                <ul id="views" data-late=late data-is-read=wanted.then_some("")>
                    {links}
                    {saved}
                    <li>
                        <a class="view-link" href=switch data-here="" data-on=counted.then_some("true") title=t!("filter-view-count-hint")>
                            {icon(Icon::Gauge)} {if counted { t!("filter-view-uncount") } else { t!("filter-view-count") }}
                        </a>
                    </li>
                    <li>
                        <button type="button" class="view-link" popovertarget=POPOVER>{icon(Icon::Stack)} {t!("filter-view-save")}</button>
                    </li>
                </ul>
            </nav>
            <SaveOrRemove address views/>
        }
    })
}

/// The popover that saves what is on screen, and removes what was saved.
#[component]
fn SaveOrRemove(address: Address, views: Vec<SavedView>) -> impl IntoView {
    let session = Session::get();
    let may_all = session.may_everywhere(Permission::ManagePeople);
    let me = session.name;
    let own = views.into_iter().filter(|view| view.owner == me || may_all && view.shared);
    let own = own.map(|view| {
        let title = if view.owner == me {
            t!("filter-view-remove", name = view.name.clone())
        } else {
            t!("filter-view-remove-of", name = view.name.clone(), owner = view.owner.clone())
        };
        view! {
            <form method="post" action=RemoveView::PATH>
                <input type="hidden" name="name" value=view.name/>
                <input type="hidden" name="owner" value=view.owner/>
                <BackField/>
                <button type="submit" class="button" data-tone="quiet">{title}</button>
            </form>
        }
    });
    let own = own.collect_view();
    view! {
        <div id=POPOVER class="popover" popover="auto" role="dialog" aria-label=t!("filter-view-save")>
            <form method="post" action=SaveView::PATH>
                <input type="hidden" name="list" value=address.group.as_str()/>
                <input type="hidden" name="q" value=address.line()/>
                <input type="hidden" name="columns" value=address.columns/>
                <BackField/>
                {labelled("view-name", t!("filter-view-name"), None, view! {
                    <input id="view-name" type="text" name="name" required=true maxlength=VIEW_NAME_CHARS_MAX.to_string() autocomplete="off"/>
                })}
                <label class="bulk-all">
                    <input type="checkbox" name="shared" value="true"/>
                    <span>{t!("filter-view-share")}</span>
                </label>
                <label class="bulk-all">
                    <input type="checkbox" name="replace" value="true"/>
                    <span>{t!("filter-view-replace")}</span>
                </label>
                <button type="submit" class="button" data-tone="primary">{t!("filter-view-save")}</button>
            </form>
            {own}
        </div>
    }
}

/// Counts what everybody has and what was saved, in one go; what is too much for that stays without a number.
async fn count(saved: &[SavedView], today: &str) -> Vec<((StateGroup, String), Tally)> {
    let everybodys = everybodys(today).into_iter().map(|(_, list, q)| (list, q));
    let saved = saved.iter().map(|view| (view.list, view.filter.to_string()));
    let mut asked: Vec<_> = everybodys.chain(saved).collect();
    asked.sort();
    asked.dedup();
    asked.truncate(TALLIES_MAX);
    // Without numbers the views still lead somewhere.
    let counts = count_jobs(&asked).await.unwrap_or_default();
    asked.into_iter().zip(counts).collect()
}

#[component]
fn ViewLink(
    name: String,
    list: StateGroup,
    q: String,
    columns: String,
    address: Address,
    count: Option<Tally>,
) -> impl IntoView {
    let is_here = address.group == list && address.q == q && address.columns == columns && !q.is_empty();
    let href = Address { q, columns, queue: None, ..address.of_group(list) }.href();
    let count = count.map(|tally| view! { <small class="view-count">{in_figures(tally)}</small> });
    view! { <li><a class="view-link" href=href data-here="" aria-current=is_here.then_some("true")>{name} {count}</a></li> }
}
