//! What the jobs of a list are like, beside it or folded above it: each name is a term of the filter.

use leptos::prelude::*;
use reprieve::model::filter::{Facets, Field, Pattern, Term, Test};
use reprieve::model::{Filter, JobState, StateGroup};

use super::address::Address;
use super::sealed::Unsealed;
use crate::api::get_facets;
use crate::components::icons::{Icon, icon};
#[cfg(feature = "hydrate")]
use crate::live::effect::effect;
use crate::live::reading::Reading;
use crate::{format, i18n, t};

/// What the address says of the panel; without it the panel is folded where there is no room beside the list.
const FOLD: &str = "narrow";
/// The panel, for its switch.
const PANEL: &str = "facets";

/// What is known of the list, and whether its panel is unfolded.
#[derive(Clone, Copy)]
pub(crate) struct Narrowing {
    /// What the browser has learnt; nothing where no script runs.
    learnt: RwSignal<Option<Facets>>,
    /// What the server has read, where the panel was asked for: nobody else pays for it.
    first: Reading<Option<Facets>>,
    unfolded: Memo<bool>,
}

impl Narrowing {
    /// Asks for it again whenever the list is another one.
    pub(crate) fn of(address: Memo<Address>) -> Self {
        let learnt = RwSignal::new(None);
        let (unfolded, unsealed) = (Address::is_marked(FOLD), Unsealed::get());
        let question = move |address: &Address| question(address, unsealed);
        // Only the server reads it here: in a browser `learnt` comes by itself, and never twice.
        let first = Reading::new(
            || (),
            move |()| {
                let asked = if cfg!(feature = "ssr") && unfolded.get_untracked() {
                    address.with_untracked(question)
                } else {
                    None
                };
                async move {
                    let (group, filter) = asked?;
                    get_facets(group, filter).await.ok()
                }
            },
        );
        #[cfg(feature = "hydrate")]
        {
            let asked = Memo::new(move |_| address.with(question));
            effect(move || {
                let question = asked.get();
                let Some((group, filter)) = question.clone() else { return };
                leptos::task::spawn_local(async move {
                    let read = get_facets(group, filter).await.ok();
                    // Answers may come in another order than the questions.
                    if asked.try_get_untracked() == Some(question) {
                        let _ = learnt.try_set(read);
                    }
                });
            });
        }
        Self { learnt, first, unfolded }
    }

    /// The values of a field, each with what is said of it: how many jobs have it, or the word of a state, whose jobs
    /// nobody has counted for this filter.
    pub(crate) fn names(&self, field: &str) -> Vec<(String, String)> {
        if field == Field::State.as_str() {
            return JobState::ALL.into_iter().map(|state| (state.to_string(), i18n::state(state))).collect();
        }
        let counted = self
            .learnt
            .with(|facets| {
                let facets = facets.as_ref()?;
                Some(match field {
                    "queue" => facets.queues.clone(),
                    "kind" => facets.kinds.clone(),
                    "tag" => facets.tags.clone(),
                    _ => return None,
                })
            })
            .unwrap_or_default();
        counted.into_iter().map(|(name, count): (String, u64)| (name, format::number(count))).collect()
    }
}

/// Which facets a list wants; `None` where its filter does not read.
fn question(address: &Address, unsealed: Unsealed) -> Option<(StateGroup, String)> {
    if !untrack(|| unsealed.reads(&address.q)) {
        return None;
    }
    address.filter().ok().map(|filter| (address.group, filter.to_string()))
}

/// Queues, kinds and labels with their counts: beside the list where there is room, else above it when unfolded.
#[component]
pub(crate) fn FacetList(
    /// The list on screen.
    address: Memo<Address>,
    /// What its jobs are like.
    narrowing: Narrowing,
) -> impl IntoView {
    let names = move |facets: Facets| {
        let said = |looked: u64| match facets.queues.is_empty() {
            true => t!("filter-facets-none-of", count = looked),
            false => t!("filter-facets-of", count = looked),
        };
        let note = facets.or_more.then(|| view! { <p class="facets-note">{said(facets.looked_at)}</p> });
        let none = (facets.queues.is_empty() && !facets.or_more)
            .then(|| view! { <p class="facets-note">{t!("filter-facets-none")}</p> });
        view! {
            {note}
            {none}
            <Names title=t!("filter-facet-queues") names=facets.queues term=Test::Queue address/>
            <Names title=t!("filter-facet-kinds") names=facets.kinds term=Test::Kind address/>
            <Names title=t!("filter-facet-tags") names=facets.tags term=Test::Tag address/>
        }
    };
    let body = move || {
        Suspend::new(async move {
            let first = narrowing.first.await;
            move || narrowing.learnt.get().or_else(|| first.clone()).map(names)
        })
    };
    view! {
        <aside class="facets" aria-label=t!("filter-facets") data-unfolded=move || narrowing.unfolded.get().to_string()>
            <div id=PANEL class="facets-panel"><Transition>{body}</Transition></div>
        </aside>
    }
}

/// Unfolds them above the list and folds them again, where they are not beside it.
#[component]
pub(super) fn FacetSwitch(
    /// The list on screen.
    address: Address,
    /// What its jobs are like.
    narrowing: Narrowing,
) -> impl IntoView {
    let unfolded = move || narrowing.unfolded.get();
    view! {
        <a
            class="facets-switch"
            href=move || address.href_with(FOLD, !unfolded())
            data-noscroll=""
            aria-expanded=move || unfolded().to_string()
            aria-controls=PANEL
        >
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
    address: Memo<Address>,
) -> impl IntoView {
    (!names.is_empty()).then(|| {
        let links = names.into_iter().map(|(name, count)| {
            let test = Term::new(term(vec![Pattern::exactly(name.clone())]));
            let href = move || {
                address.with(|address| {
                    let filter: Filter = address.q.parse().unwrap_or_default();
                    address.filtered(&filter.and(test.clone())).href()
                })
            };
            view! {
                <li>
                    <a href=href>
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
