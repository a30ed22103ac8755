//! The address of a list: everything that restores the screen.

use leptos_router::params::ParamsMap;
use reprieve::model::list::{PAGE_SIZE_DEFAULT, PAGE_SIZE_MAX};
use reprieve::model::{Direction, QueueName, StateGroup};
use serde::{Deserialize, Serialize};

use crate::routes;

/// The page sizes to choose from.
pub(crate) const SIZES: [u16; 4] = [25, 50, 100, 200];

/// Which list, of which queue, from which end, from where on, how many rows at a time.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub(crate) struct Address {
    pub(crate) group: StateGroup,
    pub(crate) queue: Option<QueueName>,
    /// `None` is the group's usual one.
    pub(crate) direction: Option<Direction>,
    /// The cursor as the page before handed it out; `None` is the beginning.
    pub(crate) after: Option<String>,
    pub(crate) size: u16,
}

impl Address {
    /// Reads it. Unknown words and sizes fall back to what is usual: an old link still shows something.
    pub(crate) fn read(params: &ParamsMap, query: &ParamsMap) -> Self {
        let size = query.get_str("size").and_then(|text| text.parse().ok()).unwrap_or(PAGE_SIZE_DEFAULT);
        Self {
            group: params.get_str("group").and_then(|word| word.parse().ok()).unwrap_or_default(),
            queue: query.get_str("queue").and_then(|name| QueueName::new(name).ok()),
            direction: match query.get_str("dir") {
                Some("ascending") => Some(Direction::Ascending),
                Some("descending") => Some(Direction::Descending),
                _ => None,
            },
            after: query.get("after").filter(|text| !text.is_empty()),
            size: size.clamp(1, PAGE_SIZE_MAX),
        }
    }

    /// The end that comes first.
    pub(crate) fn direction(&self) -> Direction {
        self.direction.unwrap_or(self.group.default_direction())
    }

    /// The address as a link. Leaves out what is usual.
    pub(crate) fn href(&self) -> String {
        let mut pairs = Vec::new();
        if let Some(queue) = &self.queue {
            pairs.push(format!("queue={queue}"));
        }
        if let Some(direction) = self.direction.filter(|&d| d != self.group.default_direction()) {
            let word = if direction == Direction::Ascending { "ascending" } else { "descending" };
            pairs.push(format!("dir={word}"));
        }
        if self.size != PAGE_SIZE_DEFAULT {
            pairs.push(format!("size={}", self.size));
        }
        // A cursor is a number, a tilde and an id: all of it may stand in a query as it is.
        if let Some(after) = &self.after {
            pairs.push(format!("after={after}"));
        }
        let path = routes::jobs(self.group, None);
        if pairs.is_empty() { path } else { format!("{path}?{}", pairs.join("&")) }
    }

    /// Another list with the same queue and size.
    pub(crate) fn of_group(&self, group: StateGroup) -> Self {
        Self { group, direction: None, after: None, ..self.clone() }
    }

    /// The same list from another place on.
    pub(crate) fn starting_at(&self, after: Option<String>) -> Self {
        Self { after, ..self.clone() }
    }

    /// The other end first, from its beginning.
    pub(crate) fn reversed(&self) -> Self {
        let direction = match self.direction() {
            Direction::Ascending => Direction::Descending,
            Direction::Descending => Direction::Ascending,
        };
        Self { direction: Some(direction), after: None, ..self.clone() }
    }

    /// The same list over all queues.
    pub(crate) fn of_all_queues(&self) -> Self {
        Self { queue: None, after: None, ..self.clone() }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn read(group: &str, query: &[(&str, &str)]) -> Address {
        let map = |pairs: &[(&str, &str)]| {
            let mut map = ParamsMap::new();
            for (name, value) in pairs {
                map.insert((*name).to_owned(), (*value).to_owned());
            }
            map
        };
        Address::read(&map(&[("group", group)]), &map(query))
    }

    #[test]
    fn an_address_reads_back_from_its_link() {
        let address =
            read("dead", &[("queue", "mail"), ("dir", "ascending"), ("size", "100"), ("after", "5~a:b/c")]);
        assert_eq!(address.href(), "/jobs/dead?queue=mail&dir=ascending&size=100&after=5~a:b/c");
        assert_eq!(address.of_group(StateGroup::Ready).href(), "/jobs/ready?queue=mail&size=100");
    }

    #[test]
    fn what_cannot_be_read_is_left_out() {
        let address = read("nonsense", &[("queue", "a b"), ("dir", "up"), ("size", "many")]);
        assert_eq!(address.href(), "/jobs/delay");
        assert_eq!(read("ready", &[("size", "9999")]).size, 200);
    }

    #[test]
    fn reversing_twice_leads_back() {
        let address = read("delay", &[]);
        assert_eq!(address.reversed().href(), "/jobs/delay?dir=descending");
        assert_eq!(address.reversed().reversed().href(), "/jobs/delay");
    }
}
