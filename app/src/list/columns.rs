//! The columns that every list has: which of them are shown, and in which order.

reprieve::words! {
    /// A column of every list, in their usual order. No path into a payload has a colon, as their words in addresses and saved
    /// views do.
    pub(crate) enum Column or "one of " {
        /// When: due, waiting since, ended.
        When = ":when",
        /// What it is. Never hidden: without it no row says which job it is.
        Job = ":job",
        /// In which queue.
        Queue = ":queue",
        /// What one asks first of a job in that list.
        Own = ":own",
    }
}

impl Column {
    /// What the form says of its place, in a plain address.
    pub(crate) fn field(self) -> String {
        self.as_str().replace(':', "at-")
    }

    /// The class of its cells.
    pub(crate) fn class(self) -> String {
        self.as_str().replace(':', "cell-")
    }
}

/// Those that a line of columns names, in its order; all of them where it names none. The job is always there.
pub(crate) fn always(columns: &str) -> Vec<Column> {
    let mut named = Vec::new();
    for column in columns.split(',').filter_map(|word| word.parse().ok()) {
        if !named.contains(&column) {
            named.push(column);
        }
    }
    if named.is_empty() {
        return Column::ALL.to_vec();
    }
    if !named.contains(&Column::Job) {
        named.insert(0, Column::Job);
    }
    named
}

/// The words of columns for an address; empty for the usual ones.
pub(crate) fn words(columns: &[Column]) -> String {
    if columns == Column::ALL {
        return String::new();
    }
    columns.iter().map(|column| column.as_str()).collect::<Vec<_>>().join(",")
}

/// The columns at the places that a form asks for, counted from 1; what has none is hidden.
///
/// Of two at one place the one that was moved there from behind comes first, one moved there from before comes second.
pub(crate) fn arranged(before: &[Column], place: impl Fn(Column) -> Option<usize>) -> Vec<Column> {
    let was =
        |column: Column| before.iter().position(|other| *other == column).map_or(usize::MAX, |at| at + 1);
    let mut placed: Vec<(usize, std::cmp::Ordering, Column)> = Column::ALL
        .into_iter()
        .filter_map(|column| place(column).map(|at| (at, at.cmp(&was(column)), column)))
        .collect();
    placed.sort_by_key(|(at, moved, _)| (*at, *moved));
    always(&placed.iter().map(|(.., column)| column.as_str()).collect::<Vec<_>>().join(","))
}

#[cfg(test)]
mod tests {
    use super::Column::{Job, Own, Queue, When};
    use super::*;

    #[test]
    fn the_job_cannot_be_hidden_and_what_is_not_named_is() {
        assert_eq!(always("amount"), Column::ALL);
        assert_eq!(always(":own,amount,:job,:own,:nothing"), [Own, Job]);
        assert_eq!(always(":queue"), [Job, Queue]);
        assert_eq!(words(&always("")), "");
        assert_eq!(words(&always(":queue")), ":job,:queue");
    }

    #[test]
    fn a_column_goes_where_it_is_asked_to() {
        let at = |places: [usize; 4]| {
            let place = move |column: Column| {
                Column::ALL.iter().position(|one| *one == column).map(|n| places[n]).filter(|at| *at > 0)
            };
            arranged(&Column::ALL, place)
        };
        assert_eq!(at([1, 2, 3, 4]), Column::ALL);
        assert_eq!(at([1, 2, 1, 4]), [Queue, When, Job, Own], "from behind");
        assert_eq!(at([3, 2, 3, 4]), [Job, Queue, When, Own], "from before");
        assert_eq!(at([0, 2, 3, 0]), [Job, Queue]);
        assert_eq!(at([1, 0, 0, 0]), [Job, When]);
    }
}
