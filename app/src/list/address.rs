//! The address of a list: everything that restores the screen.

use leptos_router::params::ParamsMap;
use reprieve::model::filter::{Pattern, PayloadPath, Term, Test};
use reprieve::model::list::{PAGE_SIZE_DEFAULT, PAGE_SIZE_MAX};
use reprieve::model::{Direction, Filter, FilterError, QueueName, StateGroup};

use super::columns::{self, Column};
use super::picks::with_picks;
use crate::preferences::{Density, Preferences};
use crate::routes;

/// The page sizes to choose from.
pub(crate) const SIZES: [u16; 4] = [25, 50, 100, 200];

/// Which list, of which queue, from which end, from where on, how many rows at a time.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct Address {
    pub(crate) group: StateGroup,
    pub(crate) queue: Option<QueueName>,
    /// `None` is the group's usual one.
    pub(crate) direction: Option<Direction>,
    /// The cursor as the page before gave it; `None` is the beginning.
    pub(crate) after: Option<String>,
    pub(crate) size: u16,
    /// The filter as the address has it: what it searches payloads for is sealed. It may not read.
    pub(crate) q: String,
    /// What it shows of each job, parted by commas: columns of every list in their order, unless it is the usual one, and
    /// paths into payloads.
    pub(crate) columns: String,
    /// Rows of one line instead of two; `None` is what the person chose for all screens.
    pub(crate) rows: Option<Density>,
}

impl Address {
    /// Reads it. Unknown words and sizes fall back to what is usual: an old link still shows something.
    pub(crate) fn read(group: &str, query: &ParamsMap) -> Self {
        let size = query.get_str("size").and_then(|text| text.parse().ok()).unwrap_or(PAGE_SIZE_DEFAULT);
        Self {
            group: group.parse().unwrap_or_default(),
            queue: query.get_str("queue").and_then(|name| QueueName::new(name).ok()),
            direction: match query.get_str("dir") {
                Some("ascending") => Some(Direction::Ascending),
                Some("descending") => Some(Direction::Descending),
                _ => None,
            },
            after: query.get("after").filter(|text| !text.is_empty()),
            size: size.clamp(1, PAGE_SIZE_MAX),
            q: with_picks(&query.get("q").unwrap_or_default(), query),
            columns: with_places(&query.get("columns").unwrap_or_default(), query),
            rows: query.get_str("rows").and_then(|word| word.parse().ok()),
        }
    }

    /// Whether rows have one line: as the address says, or as the person chose for all screens.
    pub(crate) fn is_compact(&self) -> bool {
        self.rows.unwrap_or_else(|| Preferences::get().density) == Density::Compact
    }

    /// The end that comes first.
    pub(crate) fn direction(&self) -> Direction {
        self.direction.unwrap_or(self.group.default_direction())
    }

    /// The same in a word; empty for the usual one.
    pub(crate) fn direction_word(&self) -> &'static str {
        match self.direction.filter(|&direction| direction != self.group.default_direction()) {
            Some(Direction::Ascending) => "ascending",
            Some(Direction::Descending) => "descending",
            None => "",
        }
    }

    /// What a form leads on with to the same list, from its beginning, by the names that [`read`](Self::read) knows; not
    /// what it asks for itself.
    pub(crate) fn kept(&self, asked: &[&str]) -> Vec<(&'static str, String)> {
        let all = [
            ("queue", self.queue.as_ref().map(ToString::to_string).unwrap_or_default()),
            ("dir", self.direction_word().to_owned()),
            ("size", self.size.to_string()),
            ("q", self.q.clone()),
            ("columns", self.columns.clone()),
            ("rows", self.rows.map(|rows| rows.as_str().to_owned()).unwrap_or_default()),
        ];
        all.into_iter().filter(|(name, value)| !value.is_empty() && !asked.contains(name)).collect()
    }

    /// The address as a link. Leaves out what is usual.
    pub(crate) fn href(&self) -> String {
        let is_usual = self.size == PAGE_SIZE_DEFAULT;
        let kept = self.kept(if is_usual { &["size"] } else { &[] });
        let after = self.after.as_deref().map(|after| ("after", after));
        let asked = kept.iter().map(|(name, value)| (*name, value.as_str())).chain(after);
        routes::query(&routes::jobs(self.group, None), asked)
    }

    /// The address as a link, with something that is no part of the list: `part=facets`.
    pub(crate) fn href_with(&self, more: &str) -> String {
        let href = self.href();
        let sign = if href.contains('?') { '&' } else { '?' };
        format!("{href}{sign}{more}")
    }

    /// The filter with the queue that was chosen beside it; `Err` for one that does not read, or has no room for the queue.
    pub(crate) fn filter(&self) -> Result<Filter, FilterError> {
        let filter: Filter = self.q.parse()?;
        let Some(queue) = &self.queue else { return Ok(filter) };
        let term = Term::new(Test::Queue(vec![Pattern::exactly(queue.as_str())]));
        let both = filter.and(term.clone());
        // A filter that is full takes no more terms, and without this one it is about the jobs of every queue.
        if both.terms().contains(&term) { Ok(both) } else { format!("{filter} {term}").parse() }
    }

    /// The same as a line. One that does not read stays as it was written: its reader refuses it, instead of doing
    /// something to every job.
    pub(crate) fn line(&self) -> String {
        match (self.filter(), &self.queue) {
            (Ok(filter), _) => filter.to_string(),
            // There is no room for the queue: without it, the filter would read.
            (Err(_), Some(queue)) if self.q.parse::<Filter>().is_ok() => format!("{} queue:{queue}", self.q),
            (Err(_), _) => self.q.clone(),
        }
    }

    /// Whether the plain list is shown: nothing asked of jobs but their queue, and no columns of one's own.
    pub(crate) fn is_plain(&self) -> bool {
        self.q.is_empty() && self.paths().is_empty()
    }

    /// The same list, filtered so.
    pub(crate) fn filtered(&self, filter: &Filter) -> Self {
        Self { q: filter.to_string(), after: None, ..self.clone() }
    }

    /// What is left when one term is dropped, term by term; the queue that was chosen is one as well.
    pub(crate) fn ways_out(&self) -> Vec<(String, Self)> {
        let filter: Filter = self.q.parse().unwrap_or_default();
        let terms = filter.terms().iter().enumerate();
        let mut ways: Vec<(String, Self)> =
            terms.map(|(place, term)| (term.to_string(), self.filtered(&filter.without(place)))).collect();
        ways.extend(self.queue.as_ref().map(|queue| (format!("queue:{queue}"), self.of_all_queues())));
        ways
    }

    /// The list and its whole filter, to count its jobs; `None` for a filter that does not read.
    pub(crate) fn asked(&self) -> Option<(StateGroup, String)> {
        self.filter().ok().map(|filter| (self.group, filter.to_string()))
    }

    /// The jobs of this list as a file of that name: `jobs.csv`, `payloads.jsonl`.
    pub(crate) fn export_href(&self, file: &str) -> String {
        let filter = self.line();
        let columns = routes::encoded(&self.paths());
        format!("/export/{file}?list={}&q={}&columns={columns}", self.group, routes::encoded(&filter))
    }

    /// The columns from payloads.
    pub(crate) fn column_names(&self) -> Vec<String> {
        let paths = self.columns.split(',');
        paths.filter(|path| path.parse::<PayloadPath>().is_ok()).map(ToOwned::to_owned).collect()
    }

    /// The same, parted by commas.
    pub(crate) fn paths(&self) -> String {
        self.column_names().join(",")
    }

    /// The columns of every list that are shown, in their order.
    pub(crate) fn always(&self) -> Vec<Column> {
        columns::always(&self.columns)
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

/// The list that a saved view opens.
pub(crate) fn href_of_view(view: &reprieve::model::SavedView) -> String {
    let list = Address::read(view.list.as_str(), &ParamsMap::new());
    Address { q: view.filter.to_string(), columns: view.columns.clone(), ..list }.href()
}

/// Columns there is room for.
const COLUMNS_MAX: usize = 8;

/// What the form of the view says of the order before it was sent.
pub(crate) const ORDER: &str = "order";

/// A line of columns as it was written, and with the places that a plain form chose for those of every list.
fn with_places(line: &str, query: &ParamsMap) -> String {
    let place = |column: Column| query.get_str(&column.field()).and_then(|text| text.parse::<usize>().ok());
    if Column::ALL.into_iter().all(|column| query.get_str(&column.field()).is_none()) {
        return tidy(&columns::always(line), line);
    }
    let before = columns::always(query.get_str(ORDER).unwrap_or_default());
    tidy(&columns::arranged(&before, place), line)
}

/// Columns of every list, and the paths into payloads of a line without what does not read.
fn tidy(always: &[Column], line: &str) -> String {
    first_paths(always, line, COLUMNS_MAX)
}

/// What reads of a line of columns, as a view keeps it.
pub(crate) fn columns_of_view(line: &str) -> String {
    first_paths(&columns::always(line), line, usize::MAX)
}

fn first_paths(always: &[Column], line: &str, most: usize) -> String {
    let paths = line.split(',').map(str::trim).filter(|path| path.parse::<PayloadPath>().is_ok());
    let words = columns::words(always);
    let words = Some(words.as_str()).filter(|words| !words.is_empty());
    words.into_iter().chain(paths.take(most)).collect::<Vec<_>>().join(",")
}

#[cfg(test)]
mod tests {
    use super::*;
    use reprieve::model::filter::{FilterProblem, TERMS_MAX};

    fn read(group: &str, query: &[(&str, &str)]) -> Address {
        let map = |pairs: &[(&str, &str)]| {
            let mut map = ParamsMap::new();
            for (name, value) in pairs {
                map.insert((*name).to_owned(), (*value).to_owned());
            }
            map
        };
        Address::read(group, &map(query))
    }

    #[test]
    fn an_address_reads_back_from_its_link() {
        let address =
            read("dead", &[("queue", "mail"), ("dir", "ascending"), ("size", "100"), ("after", "5~a:b/c")]);
        assert_eq!(address.href(), "/jobs/dead?queue=mail&dir=ascending&size=100&after=5~a:b/c");
        assert_eq!(address.of_group(StateGroup::Ready).href(), "/jobs/ready?queue=mail&size=100");
    }

    #[test]
    fn a_filter_and_columns_stand_in_the_link() {
        let address = read(
            "delay",
            &[("q", " kind:a due:<24h \"任\" "), ("columns", "a.b, bad path,c"), ("rows", "compact")],
        );
        assert_eq!(
            address.href(),
            "/jobs/delay?q=kind:a+due:%3C24h+%22%E4%BB%BB%22&columns=a.b,c&rows=compact"
        );
        let queued = read("delay", &[("queue", "mail"), ("q", "kind:a")]);
        assert_eq!(queued.filter().unwrap().to_string(), "kind:a queue:mail");
        assert!(read("delay", &[("q", "kind:")]).filter().is_err());
    }

    #[test]
    fn a_form_keeps_all_of_the_list_but_what_it_asks_for_and_the_place_in_it() {
        let query = [
            ("queue", "mail"),
            ("dir", "descending"),
            ("size", "100"),
            ("q", "kind:a"),
            ("columns", ":job,a.b"),
            ("rows", "compact"),
        ];
        let address = read("delay", &[&query[..], &[("after", "5~a")]].concat());
        let kept = address.kept(&[]);
        let pairs: Vec<_> = kept.iter().map(|(name, value)| (*name, value.as_str())).collect();
        assert_eq!(read("delay", &pairs), address.starting_at(None));
        let names: Vec<_> =
            address.kept(&["columns", "rows", "size"]).into_iter().map(|(name, _)| name).collect();
        assert_eq!(names, ["queue", "dir", "q"]);
        assert_eq!(read("delay", &[("dir", "ascending")]).kept(&["size"]), [], "which is usual there");
    }

    #[test]
    fn a_filter_that_does_not_read_is_not_taken_for_none() {
        let address = read("delay", &[("q", "kind:"), ("queue", "mail")]);
        assert_eq!(address.line(), "kind:");
        assert_eq!(address.export_href("jobs.csv"), "/export/jobs.csv?list=delay&q=kind:&columns=");
    }

    #[test]
    fn a_filter_without_room_for_the_queue_is_not_read_as_one_of_every_queue() {
        let full = |count: usize| (0..count).map(|n| format!("-id:j{n}")).collect::<Vec<_>>().join(" ");
        let fits = full(TERMS_MAX - 1);
        let address = read("delay", &[("q", fits.as_str()), ("queue", "mail")]);
        assert_eq!(address.line(), format!("{fits} queue:mail"));

        let q = full(TERMS_MAX);
        assert!(read("delay", &[("q", q.as_str())]).filter().is_ok());
        let address = read("delay", &[("q", q.as_str()), ("queue", "mail")]);
        assert_eq!(address.filter().unwrap_err().problem, FilterProblem::TooManyTerms);
        assert_eq!(address.asked(), None);
        assert!(address.line().parse::<Filter>().is_err(), "the reader of the line refuses it");
    }

    #[test]
    fn columns_of_every_list_are_hidden_and_moved_by_the_link_and_by_a_form() {
        let address = read("delay", &[("columns", ":own,:job,a.b,:nothing")]);
        assert_eq!(address.href(), "/jobs/delay?columns=:own,:job,a.b");
        assert_eq!(address.always(), [Column::Own, Column::Job]);
        assert_eq!(address.paths(), "a.b");
        assert!(read("delay", &[("columns", ":job")]).is_plain(), "no payload is asked for");
        let usual = [("at-when", "1"), ("at-job", "2"), ("at-queue", "3"), ("at-own", "4"), ("columns", "a")];
        assert_eq!(read("delay", &usual).columns, "a");
        let chosen = [("order", ":own,:job"), ("at-when", "hidden"), ("at-job", "1"), ("at-own", "1")];
        assert_eq!(read("delay", &chosen).columns, ":job,:own");
    }

    #[test]
    fn what_cannot_be_read_is_left_out() {
        let address = read("nonsense", &[("queue", "a b"), ("dir", "up"), ("size", "many")]);
        assert_eq!(address.href(), "/jobs/delay");
        assert_eq!(read("ready", &[("size", "9999")]).size, 200);
    }

    #[test]
    fn each_term_can_be_dropped_and_the_queue_as_well() {
        let address = read("dead", &[("q", "kind:a tag:eu"), ("queue", "mail")]);
        let ways = address.ways_out();
        let dead = |line: &str| (StateGroup::Dead, line.to_owned());
        let asked: Vec<_> =
            ways.iter().map(|(term, there)| (term.as_str(), there.asked().unwrap())).collect();
        assert_eq!(
            asked,
            [
                ("kind:a", dead("tag:eu queue:mail")),
                ("tag:eu", dead("kind:a queue:mail")),
                ("queue:mail", dead("kind:a tag:eu")),
            ]
        );
    }

    #[test]
    fn a_mark_stands_behind_whatever_the_link_says() {
        assert_eq!(read("delay", &[]).href_with("part=facets"), "/jobs/delay?part=facets");
        let queued = read("delay", &[("queue", "mail"), ("narrow", "open")]);
        assert_eq!(queued.href_with("part=facets"), "/jobs/delay?queue=mail&part=facets");
    }

    #[test]
    fn reversing_twice_leads_back() {
        let address = read("delay", &[]);
        assert_eq!(address.reversed().href(), "/jobs/delay?dir=descending");
        assert_eq!(address.reversed().reversed().href(), "/jobs/delay");
    }
}
