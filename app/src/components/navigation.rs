//! The way to the pages: a column that folds to its pictures, and a menu on a phone.

use leptos::prelude::*;
use leptos::server_fn::ServerFn;
use leptos_router::hooks::use_location;
use reprieve::model::{Role, StateGroup};

use super::fields::BackField;
use super::hits::Hit;
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
#[derive(Clone, Copy)]
pub(crate) struct Entry {
    /// Where it leads.
    href: &'static str,
    /// Addresses that belong to it begin with one of these.
    area: &'static [&'static str],
    /// Its picture; alone when the column is folded.
    picture: Icon,
    /// The letter that leads there after `g`.
    key: &'static str,
    /// The word for it among [`NAMES`] and [`WORDS`].
    pub(crate) word: &'static str,
}

/// What pages are called.
pub(crate) const NAMES: &str = "frame-nav";
/// What people do on pages and what those have, as they may type it to find them.
pub(crate) const WORDS: &str = "frame-words";

/// The pages that people work on.
#[rustfmt::skip]
pub(crate) const WORK: [Entry; 7] = [
    Entry { href: routes::OVERVIEW, area: &[], picture: Icon::Gauge, key: "o", word: "overview" },
    Entry { href: routes::JOBS, area: &["/jobs", "/job", "/queue", "/dead"], picture: Icon::List, key: "j", word: "jobs" },
    Entry { href: routes::DESK, area: &[routes::DESK], picture: Icon::Lifebuoy, key: "s", word: "desk" },
    Entry { href: routes::FORECAST, area: &[routes::FORECAST], picture: Icon::Calendar, key: "f", word: "forecast" },
    Entry { href: routes::SCHEDULES, area: &[routes::SCHEDULES, "/schedule"], picture: Icon::Repeat, key: "c", word: "schedules" },
    Entry { href: routes::WORKERS, area: &[routes::WORKERS], picture: Icon::Chip, key: "w", word: "workers" },
    Entry { href: routes::AUDIT, area: &[routes::AUDIT], picture: Icon::Ledger, key: "a", word: "audit" },
];

/// The pages about the program itself.
#[rustfmt::skip]
pub(crate) const UPKEEP: [Entry; 5] = [
    Entry { href: routes::BULK, area: &[routes::BULK], picture: Icon::Stack, key: "b", word: "bulk" },
    Entry { href: routes::REDIS, area: &[routes::REDIS], picture: Icon::Disks, key: "r", word: "redis" },
    Entry { href: routes::IMPORT, area: &[routes::IMPORT], picture: Icon::Inward, key: "i", word: "import" },
    Entry { href: routes::PEOPLE, area: &[routes::PEOPLE], picture: Icon::Person, key: "p", word: "people" },
    Entry { href: routes::SETTINGS, area: &[routes::SETTINGS], picture: Icon::Sliders, key: "e", word: "settings" },
];

impl Entry {
    fn name(&self) -> String {
        i18n::word(NAMES, self.word)
    }
}

/// Whether somebody of that role works with the page at this address.
fn is_for(role: Option<Role>, href: &str) -> bool {
    role != Some(Role::Support) || OF_SUPPORT.contains(&href)
}

/// Those of the entries that somebody of that role works with.
fn of(role: Option<Role>, entries: &'static [Entry]) -> impl Iterator<Item = &'static Entry> {
    entries.iter().filter(move |entry| is_for(role, entry.href))
}

/// The pages and the lists of jobs as links of the palette, for somebody of that role, each with more words to find it by.
pub(super) fn links(role: Option<Role>) -> Vec<(Hit, String)> {
    let link = |href: &str, name, picture, words| {
        (Hit { href: href.to_owned(), name, what: t!("frame-hit-page"), picture, state: None }, words)
    };
    let pages = of(role, &WORK).chain(of(role, &UPKEEP));
    let mut links: Vec<_> =
        pages.map(|page| link(page.href, page.name(), page.picture, i18n::word(WORDS, page.word))).collect();
    if is_for(role, routes::JOBS) {
        let list = |group| link(&routes::jobs(group, None), i18n::group(group), Icon::List, String::new());
        links.extend(StateGroup::ALL.map(list));
        links.push(link(routes::DEAD, t!("dead-title"), Icon::List, t!("frame-words-dead")));
    }
    links
}

/// The letters that lead to the pages after `g`, for somebody of that role.
pub(super) fn keys(role: Option<Role>) -> Vec<(&'static str, String)> {
    of(role, &WORK).chain(of(role, &UPKEEP)).map(|entry| (entry.key, entry.name())).collect()
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
    let link = |entry: &Entry| {
        let Entry { href, area, picture, key, .. } = *entry;
        let title = format!("{} (g {key})", entry.name());
        let current = (path == href || lies_in(&path, area)).then_some("page");
        view! {
            <li>
                <a href=href data-go=key title=title aria-current=current>
                    {icon(picture)}
                    <span>{entry.name()}</span>
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
                    {of(role, &WORK).map(link).collect_view()}
                    {views}
                </ul>
                <ul>{of(role, &UPKEEP).map(link).collect_view()}</ul>
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
