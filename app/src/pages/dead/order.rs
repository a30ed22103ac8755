//! In which order failures stand on a page that is read again and again.

use reprieve::model::{FailureGroup, QueueName};

/// The failures of a page, each with its place. Whoever points at one finds it where it was: what comes stands at the end,
/// however often it happens, until the page is loaded anew.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub(super) struct Order {
    queue: Option<QueueName>,
    /// How many have had a place.
    placed: usize,
    standing: Vec<Standing>,
}

/// One of them.
#[derive(Debug, Clone, PartialEq, Eq, Hash)]
pub(super) struct Standing {
    /// Never that of another, also when this one is gone: for names on the page.
    pub(super) place: usize,
    /// What tells it from the others.
    pub(super) mask: String,
}

impl Order {
    /// With what was read now, of this queue or of all.
    pub(super) fn after(mut self, queue: Option<&QueueName>, groups: &[FailureGroup]) -> Self {
        if self.queue.as_ref() != queue {
            self = Self { queue: queue.cloned(), placed: self.placed, standing: Vec::new() };
        }
        self.standing.retain(|at| groups.iter().any(|group| group.mask == at.mask));
        for group in groups {
            if self.standing.iter().all(|at| at.mask != group.mask) {
                self.standing.push(Standing { place: self.placed, mask: group.mask.clone() });
                self.placed += 1;
            }
        }
        self
    }

    /// The first one first.
    pub(super) fn standing(&self) -> &[Standing] {
        &self.standing
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use reprieve::model::{JobId, Timestamp};

    fn groups(masks: &[&str]) -> Vec<FailureGroup> {
        let group = |mask: &&str| {
            let example = JobId::new("a").unwrap();
            FailureGroup::new((*mask).to_owned(), Timestamp::EPOCH, example, String::new())
        };
        masks.iter().map(group).collect()
    }

    fn shown(order: &Order) -> Vec<(usize, &str)> {
        order.standing().iter().map(|at| (at.place, at.mask.as_str())).collect()
    }

    #[test]
    fn a_failure_that_overtakes_another_stands_where_it_stood() {
        let order = Order::default().after(None, &groups(&["bank", "post"]));
        assert_eq!(shown(&order), [(0, "bank"), (1, "post")]);
        let order = order.after(None, &groups(&["new", "post", "bank"]));
        assert_eq!(shown(&order), [(0, "bank"), (1, "post"), (2, "new")]);
        let order = order.after(None, &groups(&["new", "post"]));
        assert_eq!(shown(&order), [(1, "post"), (2, "new")], "the places of those that stay are theirs");
        let order = order.after(None, &groups(&["bank", "new", "post"]));
        assert_eq!(shown(&order), [(1, "post"), (2, "new"), (3, "bank")]);
    }

    #[test]
    fn the_failures_of_another_queue_stand_by_how_often_they_happen() {
        let mail = QueueName::new("mail").unwrap();
        let order = Order::default().after(None, &groups(&["bank", "post"]));
        let order = order.after(Some(&mail), &groups(&["post", "bank"]));
        assert_eq!(shown(&order), [(2, "post"), (3, "bank")]);
    }
}
