//! Filters that are asked for again and again: those everybody has, those somebody shares, one's own.

use leptos::html;
use leptos::prelude::*;
use reprieve::model::filter::TALLIES_MAX;
use reprieve::model::{Permission, SavedView, StateGroup, Tally, Timestamp, VIEW_NAME_CHARS_MAX};

use super::address::Address;
use super::pinned::ViewsChanged;
use crate::api::{RemoveView, SaveView, count_jobs, list_views};
use crate::clock::Clock;
use crate::components::confirm::hide;
use crate::components::fields::BackField;
use crate::components::icons::{Icon, icon};
use crate::components::post_form::{FormAction, PostForm};
use crate::components::refusal;
use crate::live::effect::effect;
use crate::live::reading::Reading;
use crate::notice::Notices;
use crate::preferences::Preferences;
use crate::session::Session;
use crate::{format, i18n, t};

/// The popover that saves and removes.
const POPOVER: &str = "save-view";
/// What the address says where the views have their counts.
const COUNTS: &str = "counts";

/// How many jobs each view has, by what `count_jobs` was asked; empty unless somebody wants to know.
type ViewCounts = Reading<Vec<(String, Tally)>>;

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

/// When the day began in the zone on screen. Before hydration the page knows the time it was written at.
fn today() -> Memo<String> {
    let (clock, written_ms) = (Clock::get(), Preferences::get().now_ms);
    Memo::new(move |_| {
        let now_ms = clock.now_ms().unwrap_or(written_ms);
        clock.zone().day_began(Timestamp::saturating_from_millis(now_ms))
    })
}

/// A link to each view; the one on screen is marked.
#[component]
pub(crate) fn Views(
    /// The list on screen.
    address: Memo<Address>,
) -> impl IntoView {
    let save = FormAction::<SaveView>::new();
    let remove = FormAction::<RemoveView>::new();
    let (saved, removed) = (save.version(), remove.version());
    let changed = ViewsChanged::get();
    Effect::new(move |before: Option<()>| {
        let _ = (saved.get(), removed.get());
        if before.is_some() {
            changed.happened();
        }
    });
    let (notices, popover) = (Notices::get(), NodeRef::<html::Div>::new());
    // Whoever replaced one has not said so of the next.
    let replace = RwSignal::new(false);
    effect(move || {
        if let Some(Ok(_)) = save.value().get() {
            replace.set(false);
            hide(popover);
            i18n::said("view.saved").into_iter().for_each(|said| notices.say(said));
        }
    });
    effect(move || {
        if let Some(Ok(_)) = remove.value().get() {
            i18n::said("view.removed").into_iter().for_each(|said| notices.say(said));
        }
    });
    let today = today();
    // Without them the lists still work: an outage is told where the rows would be.
    let views = Reading::new(
        move || (saved.get(), removed.get()),
        |_| async { list_views().await.unwrap_or_default() },
    );
    let counting = Address::is_marked(COUNTS);
    // Asked for by hand: it costs as much as a list, and nobody looks at it all the time.
    let counts = Reading::new(
        move || counting.get().then(|| today.get()),
        move |today| async move {
            match today {
                Some(today) => count(views.await, &today).await,
                None => Vec::new(),
            }
        },
    );
    let links = everybodys(&today.get_untracked()).into_iter().enumerate().map(|(place, (name, list, _))| {
        let q = move || everybodys(&today.get()).into_iter().nth(place).map(|(.., q)| q).unwrap_or_default();
        view! { <ViewLink name list q=Signal::derive(q) columns=String::new() address counts/> }
    });
    let switch = move || address.with(|address| address.href_with(COUNTS, !counting.get()));
    let is_on = move || counting.get().then_some("true");
    let others = move || {
        Suspend::new(async move {
            views
                .await
                .into_iter()
                .map(|SavedView { name, list, filter, columns, .. }| {
                    let q = Signal::stored(filter.to_string());
                    view! { <ViewLink name list q columns address counts/> }
                })
                .collect_view()
        })
    };
    let own = move || {
        Suspend::new(async move {
            let session = Session::get();
            let may_all = session.may_everywhere(Permission::ManagePeople);
            let me = session.name;
            let own = views.await.into_iter().filter(|view| view.owner == me || may_all && view.shared);
            own.map(|view| {
                let title = if view.owner == me {
                    t!("filter-view-remove", name = view.name.clone())
                } else {
                    t!("filter-view-remove-of", name = view.name.clone(), owner = view.owner.clone())
                };
                view! {
                    <PostForm action=remove>
                        <input type="hidden" name="name" value=view.name/>
                        <input type="hidden" name="owner" value=view.owner/>
                        <BackField/>
                        <button type="submit" class="button" data-tone="quiet">{title}</button>
                    </PostForm>
                }
            })
            .collect_view()
        })
    };
    let hidden = move || {
        let address = address.get();
        let q = address.line();
        view! {
            <input type="hidden" name="list" value=address.group.as_str()/>
            <input type="hidden" name="q" value=q/>
            <input type="hidden" name="columns" value=address.columns/>
        }
    };
    let refused = move || Some(refusal::refused(&save.value().get()?.err()?));
    view! {
        <nav class="views" aria-label=t!("filter-views")>
            <ul>
                {links.collect_view()}
                <Transition>{others}</Transition>
                <li>
                    <a class="view-link" href=switch data-noscroll="" data-on=is_on title=t!("filter-view-count-hint")>
                        {icon(Icon::Gauge)} {t!("filter-view-count")}
                    </a>
                </li>
                <li>
                    <button type="button" class="view-link" popovertarget=POPOVER>{icon(Icon::Stack)} {t!("filter-view-save")}</button>
                </li>
            </ul>
        </nav>
        <div id=POPOVER class="popover" popover="auto" role="dialog" aria-label=t!("filter-view-save") node_ref=popover>
            <PostForm action=save>
                {hidden}
                <BackField/>
                <div class="field">
                    <label for="view-name">{t!("filter-view-name")}</label>
                    <input id="view-name" type="text" name="name" required=true maxlength=VIEW_NAME_CHARS_MAX.to_string() autocomplete="off"/>
                </div>
                <label class="bulk-all">
                    <input type="checkbox" name="shared" value="true"/>
                    <span>{t!("filter-view-share")}</span>
                </label>
                <label class="bulk-all">
                    <input type="checkbox" name="replace" value="true" prop:checked=replace on:change:target=move |event| replace.set(event.target().checked())/>
                    <span>{t!("filter-view-replace")}</span>
                </label>
                {refused}
                <button type="submit" class="button" data-tone="primary">{t!("filter-view-save")}</button>
            </PostForm>
            <Transition>{own}</Transition>
        </div>
    }
}

/// Counts what everybody has and what was saved, in one go; what is too much for that stays without a number.
async fn count(saved: Vec<SavedView>, today: &str) -> Vec<(String, Tally)> {
    let everybodys = everybodys(today).into_iter().map(|(_, list, q)| format!("{list}~{q}"));
    let saved = saved.into_iter().map(|view| format!("{}~{}", view.list, view.filter));
    let mut asked: Vec<String> = everybodys.chain(saved).collect();
    asked.sort();
    asked.dedup();
    asked.truncate(TALLIES_MAX);
    // Without numbers the views still lead somewhere.
    let counts = count_jobs(asked.clone()).await.unwrap_or_default();
    asked.into_iter().zip(counts).collect()
}

/// How many jobs there are, in figures; with a plus where not all were looked at.
pub(super) fn in_figures(tally: Tally) -> String {
    let number = format::number(tally.found);
    if tally.or_more { t!("filter-some", count = number) } else { number }
}

#[component]
fn ViewLink(
    name: String,
    list: StateGroup,
    q: Signal<String>,
    columns: String,
    address: Memo<Address>,
    counts: ViewCounts,
) -> impl IntoView {
    let count = move || {
        let asked = format!("{list}~{}", q.get());
        Suspend::new(async move {
            let counts = counts.await;
            let tally = counts.into_iter().find(|(other, _)| *other == asked).map(|(_, tally)| tally);
            tally.map(|tally| view! { <small class="view-count">{in_figures(tally)}</small> })
        })
    };
    let there = {
        let columns = columns.clone();
        move || {
            address.with(|address| {
                let list = address.of_group(list);
                Address { q: q.get(), columns: columns.clone(), queue: None, ..list }.href()
            })
        }
    };
    let current = move || {
        let q = q.get();
        address
            .with(|address| {
                address.group == list && address.q == q && address.columns == columns && !q.is_empty()
            })
            .then_some("true")
    };
    view! { <li><a class="view-link" href=there aria-current=current>{name} <Transition>{count}</Transition></a></li> }
}
