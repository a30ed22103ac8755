//! How a filter is answered in one list: what the index does, what is left to judge job by job.

use crate::model::filter::{Filter, Pattern, Span, Term, Test, TimeField};
use crate::model::{Direction, JobState, QueueName, StateGroup, Timestamp};
use crate::store::Scan;

/// How one list is looked through.
#[derive(Debug, Clone)]
pub(crate) struct Route {
    pub(crate) group: StateGroup,
    pub(crate) scan: Scan,
    /// What the scan does not see to.
    pub(crate) rest: Vec<Term>,
}

impl Route {
    /// The way through a list; `None` where nothing in it can fit. `queues` are all there are.
    pub(crate) fn of(
        filter: &Filter,
        group: StateGroup,
        direction: Option<Direction>,
        queues: &[QueueName],
        now: Timestamp,
    ) -> Option<Self> {
        let allowed = filter.states();
        let states: Vec<JobState> =
            group.states().iter().copied().filter(|state| allowed.contains(state)).collect();
        let direction = direction.unwrap_or(group.default_direction());
        let mut route = Self { group, scan: Scan::new(direction, states), rest: Vec::new() };
        for term in filter.terms() {
            route.take(term, now);
        }
        route.scan.payload = route.rest.iter().any(|term| needs_payload(&term.test));
        let is_range_empty = route.scan.low.zip(route.scan.high).is_some_and(|(low, high)| low > high);
        if route.scan.states.is_empty() || is_range_empty || route.choose_queues(filter, queues).is_none() {
            return None;
        }
        Some(route)
    }

    /// Whether every job the scan passes fits, so that counting is enough.
    pub(crate) fn is_indexed(&self) -> bool {
        self.rest.is_empty() && self.scan.kinds.is_empty() && self.scan.tags.is_empty()
    }

    fn take(&mut self, term: &Term, now: Timestamp) {
        match &term.test {
            Test::State(_) | Test::Queue(_) => {}
            Test::Time(field, span) if !term.not && score_is(self.group) == Some(*field) => {
                self.narrow(span, now);
            }
            Test::Kind(list) if !term.not && self.scan.kinds.is_empty() && are_exact(list) => {
                self.scan.kinds = texts(list);
            }
            Test::Tag(list) if !term.not && self.scan.tags.is_empty() && are_exact(list) => {
                self.scan.tags = texts(list);
            }
            _ => self.rest.push(term.clone()),
        }
    }

    fn narrow(&mut self, span: &Span, now: Timestamp) {
        let low = span.from.map(|from| from.at(now).as_millis());
        let high = span.before.map(|before| before.at(now).as_millis() - 1);
        self.scan.low = self.scan.low.max(low);
        self.scan.high = match (self.scan.high, high) {
            (Some(a), Some(b)) => Some(a.min(b)),
            (one, other) => one.or(other),
        };
    }

    /// The queues its terms leave, unless those are all; `None` for none at all.
    fn choose_queues(&mut self, filter: &Filter, queues: &[QueueName]) -> Option<()> {
        let terms: Vec<(&[Pattern], bool)> = filter
            .terms()
            .iter()
            .filter_map(|term| match &term.test {
                Test::Queue(list) => Some((list.as_slice(), term.not)),
                _ => None,
            })
            .collect();
        if terms.is_empty() {
            return Some(());
        }
        let lets_in = |queue: &&QueueName| {
            terms.iter().all(|(list, not)| list.iter().any(|name| name.fits(queue.as_str())) != *not)
        };
        self.scan.queues = queues.iter().filter(lets_in).cloned().collect();
        (!self.scan.queues.is_empty()).then_some(())
    }
}

/// Which time of its jobs the scores of a list are.
const fn score_is(group: StateGroup) -> Option<TimeField> {
    match group {
        StateGroup::Delay | StateGroup::Held => Some(TimeField::Due),
        StateGroup::Done | StateGroup::Dead | StateGroup::Cancelled => Some(TimeField::Ended),
        StateGroup::Ready | StateGroup::Active => None,
    }
}

pub(crate) const fn needs_payload(test: &Test) -> bool {
    matches!(test, Test::Payload(..) | Test::Text(_))
}

fn are_exact(list: &[Pattern]) -> bool {
    list.iter().all(|pattern| !pattern.and_more)
}

fn texts(list: &[Pattern]) -> Vec<String> {
    list.iter().map(|pattern| pattern.text.clone()).collect()
}
