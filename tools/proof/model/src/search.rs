//! Looking at every state there is.

use crate::Invariant;
use stateright::{Checker, HasDiscoveries, Model, Property};
use std::hash::Hash;

/// What a search has seen.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Found {
    /// Different states.
    pub states: usize,
    /// The first rule that was seen broken, and the steps to there.
    pub breach: Option<(String, String)>,
}

/// Looks at all states, with that many threads, and at the first breach if there is one.
pub fn exhaust<M>(model: M, threads: usize) -> Found
where
    M: Model + Send + Sync + 'static,
    M::State: Hash + Send + Sync + std::fmt::Debug + Clone + PartialEq + 'static,
    M::Action: Clone + PartialEq + std::fmt::Debug + Send + Sync,
{
    let checker =
        model.checker().threads(threads).finish_when(HasDiscoveries::AnyFailures).spawn_dfs().join();
    conclude(&checker)
}

/// Looks until a rule is seen broken; the steps to there are few, for the search is breadth first.
pub fn find_breach<M>(model: M) -> Found
where
    M: Model + Send + Sync + 'static,
    M::State: Hash + Send + Sync + std::fmt::Debug + Clone + PartialEq + 'static,
    M::Action: Clone + PartialEq + std::fmt::Debug + Send + Sync,
{
    let checker = model.checker().finish_when(HasDiscoveries::AnyFailures).spawn_bfs().join();
    conclude(&checker)
}

fn conclude<M, C>(checker: &C) -> Found
where
    M: Model,
    M::State: std::fmt::Debug + Clone + PartialEq + Hash,
    M::Action: Clone + PartialEq + std::fmt::Debug,
    C: Checker<M>,
{
    // In the order of the rules, so that a report does not depend on the order of a table.
    let mut breaches: Vec<_> = checker.discoveries().into_iter().collect();
    breaches.sort_by_key(|(name, _)| Invariant::ALL.iter().position(|rule| rule.name() == *name));
    let breach = breaches.into_iter().next().map(|(name, path)| {
        let steps = path.into_actions();
        let steps: Vec<String> = steps.iter().map(|step| format!("{step:?}")).collect();
        (name.to_owned(), steps.join("\n"))
    });
    Found { states: checker.unique_state_count(), breach }
}

/// A rule that no step on the way may have broken.
pub(crate) fn never_broken<M: Model>(rule: Invariant, holds: fn(&M, &M::State) -> bool) -> Property<M> {
    Property::always(rule.name(), holds)
}
