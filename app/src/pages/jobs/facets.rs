//! What the jobs of a list are like, beside it: each name is a term of the filter.

use leptos::prelude::*;
use reprieve::model::filter::{Facets, Field, Pattern, Term, Test};
use reprieve::model::{Filter, JobState};

use super::address::Address;
use crate::{format, t};

/// What the browser has learnt of the list; nothing where no script runs.
#[derive(Clone, Copy)]
pub(crate) struct Narrowing(RwSignal<Option<Facets>>);

impl Narrowing {
    /// Asks for it again whenever the list is another one.
    pub(crate) fn of(address: Memo<Address>) -> Self {
        let facets = RwSignal::new(None);
        #[cfg(feature = "hydrate")]
        {
            let asked = Memo::new(move |_| {
                address
                    .with(|address| (address.group, address.filter().map(|filter| filter.to_string()).ok()))
            });
            Effect::new(move |_| {
                let (group, Some(filter)) = asked.get() else { return };
                leptos::task::spawn_local(async move {
                    let read = crate::api::get_facets(group, filter).await.ok();
                    let _ = facets.try_set(read);
                });
            });
        }
        #[cfg(not(feature = "hydrate"))]
        let _ = address;
        Self(facets)
    }

    /// The values of a field with how many jobs have them.
    pub(crate) fn names(&self, field: &str) -> Vec<(String, u64)> {
        if field == Field::State.as_str() {
            return JobState::ALL.into_iter().map(|state| (state.to_string(), 0)).collect();
        }
        self.0
            .with(|facets| {
                let facets = facets.as_ref()?;
                Some(match field {
                    "queue" => facets.queues.clone(),
                    "kind" => facets.kinds.clone(),
                    "tag" => facets.tags.clone(),
                    _ => return None,
                })
            })
            .unwrap_or_default()
    }
}

/// Queues, kinds and labels with their counts.
#[component]
pub(crate) fn FacetList(
    /// The list on screen.
    address: Memo<Address>,
    /// What its jobs are like.
    narrowing: Narrowing,
) -> impl IntoView {
    let body = move || {
        narrowing.0.get().map(|facets| {
            let note = facets.or_more.then(
                || view! { <p class="facets-note">{t!("filter-facets-of", count = facets.looked_at)}</p> },
            );
            view! {
                {note}
                <Names title=t!("filter-facet-queues") names=facets.queues term=Test::Queue address/>
                <Names title=t!("filter-facet-kinds") names=facets.kinds term=Test::Kind address/>
                <Names title=t!("filter-facet-tags") names=facets.tags term=Test::Tag address/>
            }
        })
    };
    view! { <aside class="facets" aria-label=t!("filter-facets")>{body}</aside> }
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
            <h2>{title}</h2>
            <ul>{links.collect_view()}</ul>
        }
    })
}
