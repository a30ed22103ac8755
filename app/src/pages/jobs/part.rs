//! What of a list an address asks for: the script of the page reads parts of it again.

use leptos_router::params::ParamsMap;
use reprieve::model::JobId;
use reprieve::model::list::PAGE_SIZE_MAX;

/// What is asked for.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) enum Part {
    /// The page. With as many rows as are on screen already, if those are more than a page has.
    Page { rows: u16 },
    /// The page without its rows: those on screen are asked for by their ids.
    Around,
    /// Only these rows, wherever their jobs are now.
    Rows(Vec<JobId>),
    /// Only what narrows the list down.
    Facets,
    /// Only the saved views, with how many jobs each has.
    Views,
    /// One step of an exact count.
    Count,
}

/// How far a list was looked through by the readings before, and by this one.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub(crate) struct Looked {
    /// Jobs that fit.
    pub(crate) found: u64,
    /// Jobs looked at.
    pub(crate) at: u64,
}

impl Looked {
    /// What the address says of the readings before.
    pub(crate) fn of(query: &ParamsMap) -> Self {
        let number = |name| query.get_str(name).and_then(|text| text.parse().ok()).unwrap_or_default();
        Self { found: number("found"), at: number("looked") }
    }

    /// Together with one more reading.
    pub(crate) const fn and(self, found: u64, looked_at: u64) -> Self {
        Self { found: self.found.saturating_add(found), at: self.at.saturating_add(looked_at) }
    }

    /// The same, for the address of the next reading.
    pub(crate) fn in_query(self) -> String {
        format!("found={}&looked={}", self.found, self.at)
    }
}

/// What the address says where only a part is asked for.
pub(crate) const PART: &str = "part";

impl Part {
    /// What the address asks for.
    pub(crate) fn of(query: &ParamsMap) -> Self {
        match query.get_str(PART) {
            Some("rows") => {
                let ids = query.get("ids").unwrap_or_default();
                let ids = ids.split(',').filter_map(|id| JobId::new(id).ok());
                Self::Rows(ids.take(PAGE_SIZE_MAX.into()).collect())
            }
            Some("around") => Self::Around,
            Some("facets") => Self::Facets,
            Some("views") => Self::Views,
            Some("count") => Self::Count,
            _ => {
                let rows = query.get_str("shown").and_then(|text| text.parse().ok()).unwrap_or_default();
                Self::Page { rows }
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn of(query: &[(&str, &str)]) -> Part {
        let mut map = ParamsMap::new();
        for (name, value) in query {
            map.insert((*name).to_owned(), (*value).to_owned());
        }
        Part::of(&map)
    }

    #[test]
    fn rows_are_asked_for_by_their_ids_and_what_is_none_is_left_out() {
        let ids = ["a", "b/c"].map(|id| JobId::new(id).unwrap());
        assert_eq!(of(&[("part", "rows"), ("ids", "a,,b/c, x y")]), Part::Rows(ids.to_vec()));
        let many = "a,".repeat(1_000);
        assert!(
            matches!(of(&[("part", "rows"), ("ids", &many)]), Part::Rows(ids) if ids.len() == usize::from(PAGE_SIZE_MAX))
        );
        assert_eq!(of(&[("part", "nothing"), ("shown", "75")]), Part::Page { rows: 75 });
        assert_eq!(of(&[("shown", "-1")]), Part::Page { rows: 0 });
    }
}
