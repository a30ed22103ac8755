//! What the jobs of a list are like: queues, kinds and labels with their counts, each the way to those alone.

use leptos::prelude::*;
use reprieve::model::Filter;
use reprieve::model::filter::{Facets, Pattern, Term, Test};

use super::part::PART;
use crate::api::filter::get_facets;
use crate::components::icons::{Icon, icon};
use crate::light::{is_read_again, suspended};
use crate::list::Address;
use crate::list::sealed::Unsealed;
use crate::{format, t};

/// What the address says of the panel; without it the panel is folded where there is no room beside the list.
pub(super) const FOLD: &str = "narrow";
/// The switch, which keeps the focus.
const SWITCH: &str = "facets-switch";
/// The panel, for its switch.
const PANEL: &str = "facets";

/// Beside the list where there is room, else above it when unfolded, with its switch, which stays where it was. It looks
/// through as many jobs as a list of 2,000: the script asks for it once for each list, where it is seen, and a refresh of
/// the page leaves it alone.
#[component]
pub(crate) fn FacetList(
    address: Address,
    /// Whether it is unfolded where it has no place of its own.
    unfolded: bool,
    /// Whether it is what was asked for: it is read then, and else only if somebody has unfolded it without scripts.
    is_read: bool,
) -> impl IntoView {
    let late = address.starting_at(None).href_with(&format!("{PART}=facets"));
    let wanted = is_read || unfolded && !is_read_again();
    let asked = address.filter().ok().filter(|_| wanted && Unsealed::get().reads(&address.q));
    let found_at = address.clone();
    let names = suspended(async move {
        let facets = get_facets(found_at.group, &asked?.to_string()).await.ok()?;
        Some(view! { <Found facets address=found_at/> })
    });
    let switch = unfolded.then(|| view! { <FacetSwitch address=address.clone() unfolded/> });
    view! {
        {switch}
        <aside class="facets" aria-label=t!("filter-facets") data-unfolded=unfolded.to_string()>
            <div id=PANEL class="facets-panel" data-late=late data-is-read=wanted.then_some("")>{names}</div>
        </aside>
    }
}

#[component]
fn Found(facets: Facets, address: Address) -> impl IntoView {
    let is_empty = facets.queues.is_empty();
    let note = match (facets.or_more, is_empty) {
        (true, true) => Some(t!("filter-facets-none-of", count = facets.looked_at)),
        (true, false) => Some(t!("filter-facets-of", count = facets.looked_at)),
        (false, true) => Some(t!("filter-facets-none")),
        (false, false) => None,
    };
    view! {
        {note.map(|note| view! { <p class="facets-note">{note}</p> })}
        <Names title=t!("filter-facet-queues") names=facets.queues term=Test::Queue address=address.clone()/>
        <Names title=t!("filter-facet-kinds") names=facets.kinds term=Test::Kind address=address.clone()/>
        <Names title=t!("filter-facet-tags") names=facets.tags term=Test::Tag address/>
    }
}

/// Unfolds them above the list and folds them again, where they are not beside it.
#[component]
pub(super) fn FacetSwitch(
    address: Address,
    /// Whether they are unfolded.
    unfolded: bool,
) -> impl IntoView {
    let href = if unfolded { address.href() } else { address.href_with(&format!("{FOLD}=open")) };
    view! {
        <a id=SWITCH class="facets-switch" href=href data-here="" aria-expanded=unfolded.to_string() aria-controls=PANEL>
            {icon(Icon::ChevronRight)}
            <span>{t!("filter-facets")}</span>
        </a>
    }
}

#[component]
fn Names(
    title: String,
    names: Vec<(String, u64)>,
    /// The test that a name stands for.
    term: fn(Vec<Pattern>) -> Test,
    address: Address,
) -> impl IntoView {
    (!names.is_empty()).then(|| {
        let filter: Filter = address.q.parse().unwrap_or_default();
        let links = names.into_iter().map(|(name, count)| {
            let test = Term::new(term(vec![Pattern::exactly(name.clone())]));
            let (term, href) = (test.to_string(), address.filtered(&filter.and(test)).href());
            view! {
                <li>
                    <a href=href data-here="" data-term=term>
                        <span>{name}</span>
                        <small>{format::number(count)}</small>
                    </a>
                </li>
            }
        });
        view! {
            <section>
                <h2>{title}</h2>
                <ul>{links.collect_view()}</ul>
            </section>
        }
    })
}
