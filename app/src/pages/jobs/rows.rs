//! The rows on screen, and how they are kept true without moving.

use std::collections::HashSet;
#[cfg(feature = "hydrate")]
use std::time::Duration;

use leptos::prelude::*;
use leptos::task::{spawn_local, tick};
use reprieve::model::list::PAGE_SIZE_MAX;
use reprieve::model::{JobId, JobRow, Tally};

use serde::{Deserialize, Serialize};

use super::address::Address;
use super::reading::{Listed, read, read_with_ways};
use crate::api::refresh_rows;
use crate::error::ApiError;
use crate::live::reading::{is_to_be_asked_again, note_trouble};

/// For how long rows change before the browser gets to draw them, in milliseconds. A frame has sixteen: drawing a list of two
/// hundred takes some seven of them whatever changes there, and each row that changed nearly as long again as it took to
/// change. By time and not by number, because rows take longer on a telephone, and where all of a row changes.
const AT_ONCE_MS: f64 = 4.0;

/// Longest wait for a frame.
#[cfg(feature = "hydrate")]
const FRAME_MAX: Duration = Duration::from_millis(100);

/// One row as it is shown.
#[derive(Debug, Clone, PartialEq)]
pub(crate) struct Shown {
    /// The job as it was read last.
    pub(crate) row: JobRow,
    /// It is kept no more.
    pub(crate) gone: bool,
    /// What its payload has in the columns of one's own.
    pub(crate) cells: Vec<String>,
}

impl Shown {
    /// The same row as it was read again: gone without a job, and with the cells it had where none were read.
    fn read_again(&self, row: Option<JobRow>, cells: Option<Vec<String>>) -> Self {
        Self {
            gone: row.is_none(),
            row: row.unwrap_or_else(|| self.row.clone()),
            cells: cells.unwrap_or_else(|| self.cells.clone()),
        }
    }

    /// Whether what names the job says the same.
    fn is_named_as(&self, other: &Self) -> bool {
        let (one, other_one) = (&self.row, &other.row);
        one.kind == other_one.kind
            && one.subject == other_one.subject
            && one.preview == other_one.preview
            && self.cells == other.cells
    }
}

/// A row on screen. The signal outlives every reading of the list, so that its markup stays.
#[derive(Clone)]
pub(crate) struct LiveRow {
    pub(crate) id: JobId,
    pub(crate) shown: ArcRwSignal<Shown>,
    /// Wakes what names the job, once another one is in its place: hardly ever, and so it watches nothing else.
    renamed: ArcRwSignal<()>,
}

/// How far a list was looked through.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default, Serialize, Deserialize)]
pub(crate) struct Progress {
    /// Whether an index answers: the count is exact.
    pub(crate) indexed: bool,
    /// Jobs looked at so far.
    pub(crate) looked_at: u64,
    /// Jobs there are to look at.
    pub(crate) among: u64,
}

impl Progress {
    /// The same after one more step, which an index may have answered although it did not before, or the other way round.
    const fn and(self, step: Self) -> Self {
        Self { looked_at: self.looked_at.saturating_add(step.looked_at), ..step }
    }
}

/// The list on screen.
#[derive(Clone, Copy)]
pub(crate) struct Rows {
    address: StoredValue<Address>,
    list: RwSignal<Vec<LiveRow>>,
    /// Where the rest of the list begins; `None` at its end.
    next: RwSignal<Option<String>>,
    /// Rows that a fresh reading would show and this screen does not.
    fresh: RwSignal<usize>,
    /// Why the screen could not be brought up to date; the rows stay.
    trouble: RwSignal<Option<ApiError>>,
    /// Until when, by the server's clock in ms, the rows are known to be as they are shown; `None` until the page is live.
    true_until_ms: RwSignal<Option<i64>>,
    progress: RwSignal<Progress>,
    /// How many jobs each of the address's ways out would give, where nothing was found.
    ways: RwSignal<Vec<Tally>>,
    /// It goes on looking by itself until it has a page of rows.
    looking: RwSignal<bool>,
    busy: StoredValue<bool>,
    /// What was asked for while another reading ran; its answer may be older than the wish.
    wanted: StoredValue<Option<Reading>>,
}

/// What one reads a list for; of two wishes the later one here includes the earlier.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
enum Reading {
    Count,
    Refresh,
    More,
    Reload,
}

impl Rows {
    /// The rows of a page that was just read.
    pub(crate) fn new(address: Address, page: Listed) -> Self {
        let rows = Self {
            address: StoredValue::new(address),
            list: RwSignal::new(Vec::new()),
            next: RwSignal::new(None),
            fresh: RwSignal::new(0),
            trouble: RwSignal::new(None),
            true_until_ms: RwSignal::new(None),
            progress: RwSignal::new(Progress::default()),
            ways: RwSignal::new(Vec::new()),
            looking: RwSignal::new(false),
            busy: StoredValue::new(false),
            wanted: StoredValue::new(None),
        };
        rows.replace(page);
        rows
    }

    // All of these are tried: whoever shows a list may be asked once more while the next one takes its place, and a page
    // whose reader meets nothing there stands still.

    /// Whether no other list has taken its place.
    pub(crate) fn are_there(self) -> bool {
        !self.list.is_disposed()
    }

    pub(crate) fn list(self) -> Vec<LiveRow> {
        self.list.try_get().unwrap_or_default()
    }

    pub(crate) fn is_empty(self) -> bool {
        self.list.try_with(Vec::is_empty).unwrap_or(true)
    }

    pub(crate) fn next(self) -> Option<String> {
        self.next.try_get().flatten()
    }

    pub(crate) fn fresh(self) -> usize {
        self.fresh.try_get().unwrap_or_default()
    }

    pub(crate) fn trouble(self) -> Option<ApiError> {
        self.trouble.try_get().flatten()
    }

    /// Until when, by the server's clock in ms, the rows are known to be as they are shown. Stands still while the list does.
    pub(crate) fn true_until_ms(self) -> Option<i64> {
        self.true_until_ms.try_get().flatten()
    }

    /// Nothing has changed up to now that these rows do not show; not while they are being read, or could not be.
    pub(crate) fn are_true_until(self, now_ms: i64) {
        let is_read = self.busy.try_get_value() == Some(false);
        if is_read && self.trouble.try_with_untracked(Option::is_none) == Some(true) {
            let _ = self.true_until_ms.try_set(Some(now_ms));
        }
    }

    /// Whether the latest reading failed in a way that may pass, and none is under way.
    pub(crate) fn are_to_be_read_again(self) -> bool {
        self.busy.try_get_value() == Some(false)
            && self.trouble.try_with_untracked(|trouble| is_to_be_asked_again(trouble.as_ref())) == Some(true)
    }

    pub(crate) fn progress(self) -> Progress {
        self.progress.try_get().unwrap_or_default()
    }

    pub(crate) fn ways(self) -> Vec<Tally> {
        self.ways.try_get().unwrap_or_default()
    }

    pub(crate) fn is_looking(self) -> bool {
        self.looking.try_get().unwrap_or_default()
    }

    /// The rows on screen, without waking the reader when they change.
    pub(crate) fn list_untracked(self) -> Vec<LiveRow> {
        self.list.try_get_untracked().unwrap_or_default()
    }

    /// Whether fewer rows are there than fit on a page, although not all jobs were looked at.
    pub(crate) fn is_short(self) -> bool {
        let size = self.address.try_with_value(|address| usize::from(address.size)).unwrap_or_default();
        self.next().is_some() && self.list.try_with(Vec::len).unwrap_or_default() < size
    }

    /// Whether all jobs that match are on screen: it was looked through from its beginning to its end.
    pub(crate) fn is_whole(self) -> bool {
        self.next().is_none()
            && self.address.try_with_value(|address| address.after.is_none()).unwrap_or_default()
    }

    /// Goes on looking until the page is full, everything was looked at, or somebody stops it.
    pub(crate) fn look_on(self) {
        if self.looking.try_get_untracked() != Some(false) {
            return;
        }
        let _ = self.looking.try_set(true);
        // Whoever goes on after a step that failed tries it again.
        let _ = self.trouble.try_set(None);
        // A reading that is under way goes on with it at its end.
        if self.busy.try_get_value() == Some(false) {
            spawn_local(self.look());
        }
    }

    /// The next step of a look, if there is to be one. The end of each reading calls it.
    async fn look(self) {
        let goes_on = self.looking.try_get_untracked() == Some(true)
            && self.trouble.try_with_untracked(Option::is_none) == Some(true)
            && untrack(|| self.is_short());
        if goes_on {
            self.load_more().await;
        } else {
            self.stop_looking();
        }
    }

    /// Stops looking after the present step.
    pub(crate) fn stop_looking(self) {
        let _ = self.looking.try_set(false);
    }

    /// Reads the list anew and shows it, in its present order.
    pub(crate) async fn reload(self) {
        let Some(address) = self.begin(Reading::Reload) else { return };
        let size = self.window(&address);
        match read_with_ways(&address, size).await {
            Ok(page) => {
                self.replace(page);
                self.end(None);
            }
            Err(error) => self.end(Some(error)),
        }
    }

    /// Reads the next rows and shows them below.
    pub(crate) async fn load_more(self) {
        // At the end of the list there is nothing to look for either.
        let Some(after) = self.next.try_get_untracked().flatten() else { return self.stop_looking() };
        let Some(address) = self.begin(Reading::More) else { return };
        match read(&address, Some(after), address.size).await {
            Ok(page) => {
                let known = self.ids();
                let _ = self.progress.try_update(|progress| *progress = progress.and(page.progress));
                let _ = self.next.try_set(page.next.clone());
                let _ = self.list.try_update(|list| {
                    list.extend(page.into_rows().filter(|live| !known.contains(&live.id)));
                });
                self.end(None);
            }
            Err(error) => self.end(Some(error)),
        }
    }

    /// Reads what is on screen again and patches it in place; counts what is new, lets nothing in.
    pub(crate) async fn refresh(self) {
        let Some(address) = self.begin(Reading::Refresh) else { return };
        // Looking through the list again for every change would cost Redis more than it tells.
        if !self.progress.try_with_untracked(|progress| progress.indexed).unwrap_or(true) {
            let outcome = self.patch_known(self.ids()).await;
            self.end(outcome.err());
            return;
        }
        let size = self.window(&address);
        let after = address.after.clone();
        let outcome = match self.read_around(&address, after, size).await {
            Ok(page) => self.patch(page).await,
            Err(error) => Err(error),
        };
        self.end(outcome.err());
    }

    /// Counts what is new and touches no row. Not where that would look through the list again.
    pub(crate) async fn count_new(self) {
        let Some(address) = self.begin(Reading::Count) else { return };
        if !self.progress.try_with_untracked(|progress| progress.indexed).unwrap_or(false) {
            self.end(None);
            return;
        }
        let size = self.window(&address);
        let outcome = self.read_around(&address, address.after.clone(), size).await;
        self.end(outcome.map(|page| self.count(&page)).err());
    }

    /// Reads as many rows as are on screen; as many as one reading has where new ones have pushed all of those out, so
    /// that the chip does not take the end of what it read for the end of what is new.
    async fn read_around(
        self,
        address: &Address,
        after: Option<String>,
        size: u16,
    ) -> Result<Listed, ApiError> {
        let page = read(address, after.clone(), size).await?;
        let known = self.ids();
        let is_full = page.next.is_some() && size < PAGE_SIZE_MAX;
        if is_full && !page.rows.iter().any(|row| known.contains(&row.id)) {
            return read(address, after, PAGE_SIZE_MAX).await;
        }
        Ok(page)
    }

    /// Says how many of the rows read are new to the screen, and how many there are in all.
    fn count(self, page: &Listed) {
        let is_complete = self.next.try_get_untracked().flatten().is_none();
        // All of it: where an index answered before and none does now, the numbers mean something else.
        let _ = self.progress.try_set(page.progress);
        let read: Vec<JobId> = page.rows.iter().map(|row| row.id.clone()).collect();
        let fresh = count_fresh(&self.ids(), &read, is_complete);
        if self.fresh.try_get_untracked() != Some(fresh) {
            let _ = self.fresh.try_set(fresh);
        }
    }

    async fn patch(self, page: Listed) -> Result<(), ApiError> {
        self.count(&page);
        let known = self.ids();
        let read: HashSet<JobId> = page.rows.iter().map(|row| row.id.clone()).collect();
        self.set_all(page.into_read().map(|(row, cells)| (row.id.clone(), Some(row), Some(cells)))).await;
        // What is not on the page any more has left the list, or was pushed out of the window.
        let missing: Vec<JobId> = known.into_iter().filter(|id| !read.contains(id)).collect();
        self.patch_known(missing).await
    }

    /// Reads these rows as they are now, wherever they went.
    async fn patch_known(self, ids: Vec<JobId>) -> Result<(), ApiError> {
        for ids in ids.chunks(PAGE_SIZE_MAX.into()) {
            let rows = refresh_rows(ids.to_vec()).await?;
            self.set_all(ids.iter().cloned().zip(rows).map(|(id, row)| (id, row, None))).await;
        }
        Ok(())
    }

    /// Shows rows as they are now, some at a time: what somebody types or clicks meanwhile does not wait for all of them.
    async fn set_all(self, rows: impl Iterator<Item = (JobId, Option<JobRow>, Option<Vec<String>>)>) {
        let mut since_ms = now_ms();
        for (id, row, cells) in rows {
            if !self.set(&id, row, cells) {
                continue;
            }
            // What shows the row changes behind this.
            tick().await;
            if now_ms() - since_ms >= AT_ONCE_MS {
                breath().await;
                since_ms = now_ms();
            }
        }
    }

    /// Shows a row as it is now; without a job it is greyed as gone. An unchanged row wakes nobody. Whether it changed.
    fn set(self, id: &JobId, row: Option<JobRow>, cells: Option<Vec<String>>) -> bool {
        let live =
            self.list.try_with_untracked(|list| list.iter().find(|live| live.id == *id).cloned()).flatten();
        let Some(live) = live else { return false };
        let now = live.shown.with_untracked(|before| before.read_again(row, cells));
        live.show(now)
    }

    fn replace(self, page: Listed) {
        let _ = self.fresh.try_set(0);
        let _ = self.progress.try_set(page.progress);
        let _ = self.ways.try_set(page.ways.clone());
        let _ = self.next.try_set(page.next.clone());
        let _ = self.list.try_update(|list| {
            let before = std::mem::take(list);
            *list = page
                .into_rows()
                .map(|new| match before.iter().find(|live| live.id == new.id) {
                    Some(live) => {
                        live.show(new.shown.get_untracked());
                        live.clone()
                    }
                    None => new,
                })
                .collect();
        });
    }

    fn ids(self) -> Vec<JobId> {
        self.list
            .try_with_untracked(|list| list.iter().map(|live| live.id.clone()).collect())
            .unwrap_or_default()
    }

    /// As many rows as are on screen, so that rows loaded later are kept true as well.
    fn window(self, address: &Address) -> u16 {
        u16::try_from(self.ids().len()).unwrap_or(PAGE_SIZE_MAX).clamp(address.size, PAGE_SIZE_MAX)
    }

    /// Waits until nothing is being read: what is asked for while another reading runs comes after that one.
    pub(crate) async fn settled(self) {
        while self.busy.try_get_value() == Some(true) {
            breath().await;
        }
    }

    /// One reading at a time; `None` while another one runs, which then does this one as well, or
    /// after the page was left.
    fn begin(self, reading: Reading) -> Option<Address> {
        if self.busy.try_get_value()? {
            let _ = self.wanted.try_update_value(|wanted| *wanted = (*wanted).max(Some(reading)));
            return None;
        }
        self.busy.try_set_value(true);
        self.address.try_get_value()
    }

    fn end(self, trouble: Option<ApiError>) {
        let _ = self.busy.try_set_value(false);
        note_trouble(self.trouble, trouble);
        match self.wanted.try_update_value(Option::take).flatten() {
            Some(Reading::Count) => spawn_local(self.count_new()),
            Some(Reading::Refresh) => spawn_local(self.refresh()),
            Some(Reading::More) => spawn_local(self.load_more()),
            Some(Reading::Reload) => spawn_local(self.reload()),
            // What was asked for meanwhile comes between two steps of a look.
            None if self.looking.try_get_untracked() == Some(true) => spawn_local(self.look()),
            None => {}
        }
    }
}

/// Time of the page, in ms; stands still where nothing is drawn.
fn now_ms() -> f64 {
    #[cfg(feature = "hydrate")]
    return window().performance().map_or(0.0, |clock| clock.now());
    #[cfg(not(feature = "hydrate"))]
    0.0
}

/// Lets the browser do what waits: hear what somebody does, and draw. It goes on in the next frame, so that no frame has
/// rows to change for longer than [`AT_ONCE_MS`].
async fn breath() {
    #[cfg(feature = "hydrate")]
    {
        let promise = js_sys::Promise::new(&mut |resolve, _| {
            let go_on = move || drop(resolve.call0(&wasm_bindgen::JsValue::NULL));
            let mut wait = Duration::ZERO;
            if document().visibility_state() == web_sys::VisibilityState::Visible {
                request_animation_frame(go_on.clone());
                // A tab that somebody leaves meanwhile has no more frames.
                wait = FRAME_MAX;
            }
            set_timeout(go_on, wait);
        });
        drop(js_sys::futures::JsFuture::from(promise).await);
    }
}

impl LiveRow {
    pub(super) fn new(row: JobRow, cells: Vec<String>) -> Self {
        let (id, shown) = (row.id.clone(), ArcRwSignal::new(Shown { row, gone: false, cells }));
        Self { id, shown, renamed: ArcRwSignal::new(()) }
    }

    /// Shows it as it is now. An unchanged row wakes nobody. Whether it changed.
    fn show(&self, now: Shown) -> bool {
        let (is_same, is_named_so) =
            self.shown.with_untracked(|before| (*before == now, before.is_named_as(&now)));
        if !is_same {
            self.shown.set(now);
        }
        if !is_named_so {
            self.renamed.set(());
        }
        !is_same
    }

    /// What a part of the row says that names the job: its kind, subject, preview and columns of one's own.
    pub(super) fn named<T>(
        &self,
        said: impl Fn(&Shown) -> T + Clone + Send + Sync + 'static,
    ) -> impl Fn() -> T + Clone + Send + Sync + 'static {
        let (shown, renamed) = (self.shown.clone(), self.renamed.clone());
        move || {
            renamed.track();
            shown.with_untracked(&said)
        }
    }
}

/// How many of the rows read are new to the screen.
///
/// Where the list goes on below the screen, rows behind the last one shown are not new: they were
/// pushed up by others that left.
fn count_fresh(known: &[JobId], read: &[JobId], is_complete: bool) -> usize {
    let end = match read.iter().rposition(|id| known.contains(id)) {
        Some(last) if !is_complete => last,
        _ => read.len(),
    };
    read[..end].iter().filter(|id| !known.contains(id)).count()
}

#[cfg(test)]
pub(super) mod tests {
    use super::*;
    use leptos_router::params::ParamsMap;
    use reprieve::model::JobState;

    /// A row of a job in that state.
    pub(in crate::pages::jobs) fn shown(state: JobState) -> Shown {
        let row = serde_json::json!({
            "id": "a", "queue": "mail", "kind": "notice", "subject": null, "state": state, "version": 1,
            "attempt": 0, "max_attempts": null, "priority": 5, "due": 10, "created": 0, "ready": null,
            "started": null, "ended": null, "kept_until": null, "lease_until": null, "worker": null,
            "error_line": "", "cancel_requested": null, "by": "", "reason": "", "preview": "", "created_by": "",
            "percent": null, "held": null, "cancelled_from": null,
        });
        Shown { row: serde_json::from_value(row).unwrap(), gone: false, cells: vec![] }
    }

    fn ids(text: &str) -> Vec<JobId> {
        text.split_whitespace().map(|id| JobId::new(id).unwrap()).collect()
    }

    #[test]
    fn what_a_look_says_is_never_shown_as_what_an_index_counted() {
        let owner = Owner::new();
        owner.set();
        let (counted, looked) = (progress(true, 12, 12), progress(false, 5_000, 90_000));
        let page = |progress| Listed { rows: vec![], cells: vec![], next: None, progress, ways: vec![] };
        let rows = Rows::new(Address::read("ready", &ParamsMap::new()), page(counted));

        rows.count(&page(looked));

        assert_eq!(rows.progress.get_untracked(), looked);
        assert_eq!(counted.and(looked), progress(false, 5_012, 90_000));
        assert_eq!(looked.and(counted), progress(true, 5_012, 12));
    }

    fn progress(indexed: bool, looked_at: u64, among: u64) -> Progress {
        Progress { indexed, looked_at, among }
    }

    #[test]
    fn a_row_that_is_read_again_has_the_cells_that_were_read_with_it_and_else_those_it_had() {
        let row = |kind: &str| {
            let mut row = shown(JobState::Delayed).row;
            row.kind = kind.parse().unwrap();
            row
        };
        let before = LiveRow::new(row("notice"), vec!["1".to_owned()]).shown.get_untracked();

        let edited = before.read_again(Some(row("sms")), Some(vec!["2".to_owned()]));
        assert_eq!((edited.row.kind.as_str(), edited.cells), ("sms", vec!["2".to_owned()]));
        let patched = before.read_again(Some(row("sms")), None);
        assert_eq!((patched.row.kind.as_str(), patched.cells), ("sms", before.cells.clone()));
        let gone = before.read_again(None, None);
        assert!(gone.gone && gone.row == before.row && gone.cells == before.cells);
    }

    #[test]
    fn what_names_a_job_is_written_anew_only_where_another_one_is_in_its_place() {
        let owner = Owner::new();
        owner.set();
        let before = shown(JobState::Delayed);
        let live = LiveRow::new(before.row.clone(), vec![]);
        let times = StoredValue::new(0);
        let kind = live.named(|shown| shown.row.kind.to_string());
        let written = Memo::new(move |_| {
            times.update_value(|times| *times += 1);
            kind()
        });
        assert_eq!(written.get_untracked(), "notice");

        let mut later = before;
        (later.row.due, later.row.state) = (reprieve::model::Timestamp::MAX, JobState::Held);
        assert!(live.show(later.clone()));
        assert_eq!((written.get_untracked().as_str(), times.get_value()), ("notice", 1));
        assert!(!live.show(later.clone()), "the same once more");

        later.row.kind = "sms".parse().unwrap();
        assert!(live.show(later));
        assert_eq!((written.get_untracked().as_str(), times.get_value()), ("sms", 2));
    }

    #[test]
    fn a_row_among_those_on_screen_is_new() {
        assert_eq!(count_fresh(&ids("a c"), &ids("a b c"), true), 1);
        assert_eq!(count_fresh(&ids("a c"), &ids("a b c"), false), 1);
    }

    #[test]
    fn a_row_behind_the_last_one_is_new_only_where_the_list_ends() {
        assert_eq!(count_fresh(&ids("a b"), &ids("b c"), true), 1);
        assert_eq!(count_fresh(&ids("a b"), &ids("b c"), false), 0);
    }

    #[test]
    fn all_rows_are_new_to_a_screen_that_shows_none_of_them() {
        assert_eq!(count_fresh(&ids(""), &ids("a b"), true), 2);
        assert_eq!(count_fresh(&ids("x y"), &ids("a b"), false), 2);
    }
}
