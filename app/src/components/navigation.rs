//! The way to the pages: a column that folds to its pictures, and a menu on a phone.

use leptos::prelude::*;
use leptos::server_fn::ServerFn;
use leptos_router::hooks::use_location;
use reprieve::model::{Role, StateGroup};

use super::fields::BackField;
use super::hits::{Hit, Sort};
use super::icons::{Icon, icon};
use super::pinned_views::PinnedViews;
use crate::api::settings::SetAppearance;
use crate::preferences::Width;
use crate::session::Session;
use crate::t;
use crate::{i18n, routes};

/// The element that a phone shows as a menu.
const PAGES: &str = "pages";
/// What support works with: the desk, what is to come, and what they did themselves.
const OF_SUPPORT: [&str; 3] = [routes::DESK, routes::FORECAST, routes::AUDIT];

/// One page of the navigation.
struct Entry {
    /// Where it leads.
    href: &'static str,
    /// Addresses that belong to it begin with one of these.
    area: &'static [&'static str],
    /// Its picture; alone when the column is folded.
    picture: Icon,
    /// The letter that leads there after `g`.
    key: &'static str,
    /// Its name.
    name: String,
    /// What people do there and what it has, as they may type it to find it.
    words: fn() -> String,
}

/// Whether somebody of that role works with the page at this address.
fn is_for(role: Option<Role>, href: &str) -> bool {
    role != Some(Role::Support) || OF_SUPPORT.contains(&href)
}

/// An entry, its parts in their order.
const fn entry(
    href: &'static str,
    area: &'static [&'static str],
    picture: Icon,
    key: &'static str,
    name: String,
    words: fn() -> String,
) -> Entry {
    Entry { href, area, picture, key, name, words }
}

/// The pages that somebody of that role works on.
fn pages(role: Option<Role>) -> impl Iterator<Item = Entry> {
    use routes::{AUDIT, DESK, FORECAST, JOBS, OVERVIEW, SCHEDULES, WORKERS};
    let jobs = &["/jobs", "/job", "/queue", "/dead"];
    let all = [
        entry(OVERVIEW, &[], Icon::Gauge, "o", t!("frame-overview"), || t!("frame-words-overview")),
        entry(JOBS, jobs, Icon::List, "j", t!("frame-nav-jobs"), || t!("frame-words-jobs")),
        entry(DESK, &[DESK], Icon::Lifebuoy, "s", t!("frame-nav-desk"), || t!("frame-words-desk")),
        entry(FORECAST, &[FORECAST], Icon::Calendar, "f", t!("frame-nav-forecast"), || {
            t!("frame-words-forecast")
        }),
        entry(SCHEDULES, &[SCHEDULES, "/schedule"], Icon::Repeat, "c", t!("frame-nav-schedules"), || {
            t!("frame-words-schedules")
        }),
        entry(WORKERS, &[WORKERS], Icon::Chip, "w", t!("frame-nav-workers"), || t!("frame-words-workers")),
        entry(AUDIT, &[AUDIT], Icon::Ledger, "a", t!("frame-nav-audit"), || t!("frame-words-audit")),
    ];
    all.into_iter().filter(move |entry| is_for(role, entry.href))
}

/// The pages about the program itself, for somebody of that role.
fn upkeep(role: Option<Role>) -> impl Iterator<Item = Entry> {
    use routes::{BULK, IMPORT, PEOPLE, REDIS, SETTINGS};
    let all = [
        entry(BULK, &[BULK], Icon::Stack, "b", t!("frame-nav-bulk"), || t!("frame-words-bulk")),
        entry(REDIS, &[REDIS], Icon::Disks, "r", "Redis".to_owned(), || t!("frame-words-redis")),
        entry(IMPORT, &[IMPORT], Icon::Inward, "i", t!("frame-nav-import"), || t!("frame-words-import")),
        entry(PEOPLE, &[PEOPLE], Icon::Person, "p", t!("account-people"), || t!("frame-words-people")),
        entry(SETTINGS, &[SETTINGS], Icon::Sliders, "e", t!("frame-nav-settings"), || {
            t!("frame-words-settings")
        }),
    ];
    all.into_iter().filter(move |entry| is_for(role, entry.href))
}

/// The pages and the lists of jobs as links of the palette, for somebody of that role, each with more words to find it by.
pub(super) fn links(role: Option<Role>) -> Vec<(Hit, String)> {
    let link = |href: &str, name, picture, words| {
        let sort = Sort::Page(picture);
        (Hit { href: href.to_owned(), name, what: t!("frame-hit-page"), sort }, words)
    };
    let pages = pages(role).chain(upkeep(role));
    let mut links: Vec<_> =
        pages.map(|page| link(page.href, page.name, page.picture, (page.words)())).collect();
    if is_for(role, routes::JOBS) {
        let list = |group| link(&routes::jobs(group, None), i18n::group(group), Icon::List, String::new());
        links.extend(StateGroup::ALL.map(list));
        links.push(link(routes::DEAD, t!("dead-title"), Icon::List, t!("frame-words-dead")));
    }
    links
}

/// The letters that lead to the pages after `g`, for somebody of that role.
pub(super) fn keys(role: Option<Role>) -> Vec<(&'static str, String)> {
    pages(role).chain(upkeep(role)).map(|entry| (entry.key, entry.name)).collect()
}

/// Whether an address lies in one of these areas: `/jobs/dead` in `/jobs`, but not in `/job`.
fn lies_in(path: &str, area: &[&str]) -> bool {
    area.iter()
        .any(|area| path.strip_prefix(area).is_some_and(|rest| rest.is_empty() || rest.starts_with('/')))
}

/// The navigation of every page.
#[component]
pub(crate) fn Navigation() -> impl IntoView {
    let path = use_location().pathname.get_untracked();
    let role = Session::get().role;
    let link = |Entry { href, area, picture, name, key, .. }: Entry| {
        let title = format!("{name} (g {key})");
        let current = (path == href || lies_in(&path, area)).then_some("page");
        view! {
            <li>
                <a href=href data-go=key title=title aria-current=current>
                    {icon(picture)}
                    <span>{name}</span>
                </a>
            </li>
        }
    };
    let views = is_for(role, routes::JOBS).then(|| view! { <PinnedViews/> });
    view! {
        <nav class="navigation" aria-label=t!("frame-pages")>
            <a class="brand" href=routes::home(role) title="Reprieve">
                <svg class="brand-mark" viewBox="0 0 24 24" aria-hidden="true">
                    <path class="brand-ring" d="M5.2 7.2A8.6 8.6 0 1 1 3.4 12"></path>
                    <path class="brand-ring" d="M4.6 2.9v4.7h4.7"></path>
                    <path class="brand-hand" d="M9.6 9v6M14.4 9v6"></path>
                </svg>
                <span>"Reprieve"</span>
            </a>
            <button type="button" class="navigation-menu" popovertarget=PAGES>
                {icon(Icon::Menu)}
                <span>{t!("frame-menu")}</span>
            </button>
            <div id=PAGES class="pages" popover="auto">
                <ul>
                    {pages(role).map(link).collect_view()}
                    {views}
                </ul>
                <ul>{upkeep(role).map(link).collect_view()}</ul>
                <WidthSwitch/>
            </div>
        </nav>
    }
}

/// Folds the column to its pictures and back; a cookie keeps the choice.
#[component]
fn WidthSwitch() -> impl IntoView {
    let chosen = Width::current();
    let name = match chosen {
        Width::Wide => t!("frame-nav-fold"),
        Width::Narrow => t!("frame-nav-unfold"),
    };
    let title = name.clone();
    view! {
        <div class="navigation-width">
            <form method="post" action=SetAppearance::PATH>
                <BackField/>
                <button type="submit" name="width" value=chosen.other().as_str() title=title>
                    {icon(Icon::ChevronRight)}
                    <span>{name}</span>
                </button>
            </form>
        </div>
    }
}

#[cfg(test)]
mod tests {
    use super::{OF_SUPPORT, is_for, lies_in};
    use crate::routes;
    use reprieve::model::Role;

    #[test]
    fn support_works_with_its_desk_what_is_to_come_and_its_own_acts() {
        let others = [routes::OVERVIEW, routes::JOBS, routes::SCHEDULES, routes::WORKERS, routes::SETTINGS];
        assert!(OF_SUPPORT.iter().all(|href| is_for(Some(Role::Support), href)));
        assert!(!others.iter().any(|href| is_for(Some(Role::Support), href)));
        for role in [None, Some(Role::Viewer), Some(Role::Operator), Some(Role::Admin)] {
            assert!(OF_SUPPORT.iter().chain(&others).all(|href| is_for(role, href)), "{role:?}");
        }
    }

    #[test]
    fn a_page_belongs_to_the_entry_whose_area_its_address_lies_in() {
        assert!(lies_in("/jobs/dead", &["/jobs", "/job"]));
        assert!(lies_in("/job/a/b", &["/jobs", "/job"]));
        assert!(lies_in("/bulk", &["/bulk"]));
        assert!(!lies_in("/jobs/dead", &["/job"]));
        assert!(!lies_in("/", &["/bulk"]));
    }
}
