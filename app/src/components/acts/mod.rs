//! What a person can do to one job: four buttons in a fixed order, on the job's page and in a row's menu.

mod cancel;
mod moment;
mod operation;
mod plain;
mod reschedule;
mod run;
mod undo;
pub mod verb;

pub use moment::MomentField;
#[cfg(feature = "ssr")]
pub use moment::{MomentInput, ZoneField};
pub use operation::{Made, NewIdField, OperationField, OperationOnField, operation, provide_operations};
pub(crate) use plain::at_once;
pub(crate) use reschedule::tomorrow_at_nine;

use leptos::prelude::*;
use reprieve::model::{JobDetail, JobId, JobRow, JobState, Standing, Subject, Timestamp, Version};

use self::cancel::CancelAct;
use self::plain::PlainAct;
use self::reschedule::RescheduleAct;
use self::run::RunAct;
use self::undo::UndoAct;
use self::verb::Verb;
use crate::i18n;
use crate::live::Live;
use crate::session::Session;
use crate::t;

/// The job as the person sees it when they act.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Target {
    /// Which job.
    pub id: JobId,
    /// What sort of work, for sentences.
    pub kind: String,
    /// What it is about, for sentences.
    pub subject: Option<Subject>,
    /// The state on screen.
    pub state: JobState,
    /// The version on screen: every act sends it.
    pub version: Version,
    /// The due time on screen.
    pub due: Timestamp,
    /// When somebody asked the running attempt to stop.
    pub cancel_requested: Option<Timestamp>,
    /// Its due time had passed when it was read. Decides the first render, where no clock runs.
    pub overdue: bool,
    /// It was called off while it was held: put back, it is held again, whatever its due time.
    pub was_held: bool,
}

impl From<&JobRow> for Target {
    fn from(row: &JobRow) -> Self {
        Self {
            id: row.id.clone(),
            kind: row.kind.to_string(),
            subject: row.subject.clone(),
            state: row.state,
            version: row.version,
            due: row.due,
            cancel_requested: row.cancel_requested,
            // Menus of rows open only where a clock runs.
            overdue: false,
            was_held: row.cancelled_from == Some(JobState::Held),
        }
    }
}

impl From<&JobDetail> for Target {
    fn from(detail: &JobDetail) -> Self {
        let job = &detail.job;
        Self {
            id: job.id.clone(),
            kind: job.kind.to_string(),
            subject: job.subject.clone(),
            state: job.state,
            version: job.version,
            due: job.due,
            cancel_requested: job.cancel_requested,
            overdue: job.due <= detail.read_at,
            was_held: job.state == JobState::Cancelled && job.cancelled_from == Some(JobState::Held),
        }
    }
}

impl Target {
    /// Whether an act asks something before it is done.
    #[must_use]
    pub fn asks_first(&self, verb: Verb) -> bool {
        match verb {
            Verb::Hold | Verb::Release => false,
            // What waits for its time cannot be made not to have run.
            Verb::Run => {
                matches!(self.state, JobState::Delayed | JobState::Held) || Session::get().is_felt(&self.kind)
            }
            _ => true,
        }
    }

    /// Why the button of an act is off for this person and this job; `None` while it is on.
    #[must_use]
    pub fn off_because(&self, verb: Verb) -> Option<String> {
        why_off(verb, self.state, self.cancel_requested.is_some())
    }
}

/// Jobs of which a page knows where its own acts left them: many more than somebody acts on before it has read them anew.
const STANDINGS_MAX: usize = 50;

/// Where jobs stand since the acts of whatever is on screen.
#[derive(Clone, Copy, Default)]
struct Standings(RwSignal<Vec<Standing>>);

/// What an act of this page leaves to do for the page itself.
#[derive(Clone, Copy)]
pub struct Acted {
    count: RwSignal<u64>,
    /// Where the jobs of acts stand since, each once, the latest last.
    standings: RwSignal<Vec<Standing>>,
    /// The job of the latest act, if it was about one and left it somewhere.
    latest: RwSignal<Option<JobId>>,
}

impl Acted {
    /// Provides the counter of acts to the components below.
    pub fn provide() -> Self {
        let Standings(standings) = use_context().unwrap_or_default();
        let acted = Self { count: RwSignal::new(0), standings, latest: RwSignal::new(None) };
        provide_context(acted);
        acted
    }

    /// Lets the pages below, and what is open beside them, know where the acts of each left their jobs.
    pub fn share() {
        provide_context(Standings::default());
    }

    /// The counter of this page.
    #[must_use]
    pub fn get() -> Self {
        use_context().unwrap_or_else(Self::provide)
    }

    /// Grows with each act that succeeded: the page reads its job again at once, open menus or not.
    #[must_use]
    pub fn count(self) -> u64 {
        self.count.try_get().unwrap_or_default()
    }

    /// Whether the latest act is known to be about another job than this.
    #[must_use]
    pub fn was_on_other(self, id: &JobId) -> bool {
        self.latest.with_untracked(|latest| latest.as_ref().is_some_and(|latest| latest != id))
    }

    /// Where the acts of what is on screen left a job, if that is newer than what was read of it: whoever acts again before
    /// the page has read it acts on what they were told, and is not in conflict with themselves.
    #[must_use]
    pub fn since(self, id: &JobId, version: Version) -> Option<Standing> {
        let is_newer = |now: &&Standing| now.id == *id && now.version > version;
        self.standings.with(|standings| standings.iter().find(is_newer).cloned())
    }

    /// A job as it was read, and as the acts of this page left it since.
    #[must_use]
    pub fn brought(self, mut target: Target) -> Target {
        if let Some(now) = self.since(&target.id, target.version) {
            (target.state, target.version, target.due) = (now.state, now.version, now.due);
        }
        target
    }

    /// An act has succeeded, and left the one job that it was about so.
    pub fn succeeded(self, live: Live, standing: Option<&Standing>) {
        let _ = self.latest.try_set(standing.map(|standing| standing.id.clone()));
        if let Some(standing) = standing {
            self.remember(standing);
        }
        let _ = self.count.try_update(|count| *count += 1);
        live.refresh();
        return_focus(standing.map(|standing| standing.id.clone()));
    }

    fn remember(self, standing: &Standing) {
        let _ = self.standings.try_update(|standings| {
            standings.retain(|known| known.id != standing.id);
            standings.push(standing.clone());
            let too_many = standings.len().saturating_sub(STANDINGS_MAX);
            standings.drain(..too_many);
        });
    }
}

/// Puts the focus on the row of the job that was acted on, or on the page's heading, if the control that had it is gone
/// or off. Nothing scrolls for it: somebody is looking at what they did.
fn return_focus(acted_on: Option<JobId>) {
    #[cfg(feature = "hydrate")]
    set_timeout(
        move || browser::return_focus(acted_on.as_ref()),
        // After the patch of the page that the act brings about.
        std::time::Duration::from_millis(400),
    );
    #[cfg(not(feature = "hydrate"))]
    let _ = acted_on;
}

#[cfg(feature = "hydrate")]
mod browser {
    use leptos::prelude::document;
    use reprieve::model::JobId;
    use wasm_bindgen::JsCast;
    use web_sys::Element;

    use crate::components::focus::browser::{focus_in_place, heading, is_lost};

    pub(super) fn return_focus(acted_on: Option<&JobId>) {
        if !is_lost() {
            return;
        }
        if let Some(element) = acted_on.and_then(link_of_row).or_else(heading) {
            drop(focus_in_place(&element));
        }
    }

    /// The link in the row of a job, if a list shows it.
    fn link_of_row(id: &JobId) -> Option<Element> {
        let rows = document().query_selector_all("tr[data-id]").ok()?;
        let row = (0..rows.length())
            .filter_map(|place| rows.get(place)?.dyn_into::<Element>().ok())
            .find(|row| row.get_attribute("data-id").as_deref() == Some(id.as_str()))?;
        row.query_selector("a[data-row-link]").ok().flatten()
    }
}

/// The buttons of one job. Those that do not apply are off and say why.
#[component]
pub fn JobActs(
    /// The job as the person sees it. Its id never changes.
    target: Signal<Target>,
    /// Tells the popovers of several bars on a page apart.
    #[prop(into)]
    prefix: String,
) -> impl IntoView {
    let state = Memo::new(move |_| target.with(|target| target.state));
    let main = Memo::new(move |_| Verb::main(state.get()));
    let third = Memo::new(move |_| Verb::third(state.get()));
    let (for_main, for_undo, for_run) = (prefix.clone(), format!("{prefix}-undo"), format!("{prefix}-run"));
    let asks = Memo::new(move |_| target.with(|target| target.asks_first(Verb::Run)));
    let act = move |verb: Verb, tone: &'static str| match verb {
        Verb::Undo => view! { <UndoAct target id=for_undo.clone()/> }.into_any(),
        Verb::Run if asks.get() => view! { <RunAct target id=for_run.clone() tone/> }.into_any(),
        _ => view! { <PlainAct verb target tone/> }.into_any(),
    };
    let main_act = {
        let act = act.clone();
        move || act(main.get(), "primary")
    };
    let third_act = move || act(third.get(), "plain");
    view! {
        <div class="acts" role="group" aria-label=t!("acts-group")>
            {main_act}
            <RescheduleAct target id=format!("{for_main}-reschedule")/>
            {third_act}
            <span class="acts-space"></span>
            <CancelAct target id=format!("{prefix}-cancel")/>
        </div>
    }
}

/// Why the button of an act is off for this person and a job that is so; `None` while it is on.
pub(crate) fn why_off(verb: Verb, state: JobState, asked_to_stop: bool) -> Option<String> {
    if verb == Verb::Cancel && state == JobState::Active && asked_to_stop {
        return Some(t!("acts-asked-already"));
    }
    off_because(verb, state)
}

/// Why a button is off for this person and this job; `None` while it is on.
fn off_because(verb: Verb, state: JobState) -> Option<String> {
    let lacks =
        [verb.permission(), verb.permission_in(state)].into_iter().find(|&right| !Session::get().may(right));
    lacks.map(i18n::needs).or_else(|| verb.refusal(state))
}

#[cfg(test)]
mod tests {
    use super::*;

    fn standing(id: &str, version: u64) -> Standing {
        let answer = format!(r#"{{"id":"{id}","state":"held","version":{version},"due_ms":1,"at_ms":1}}"#);
        serde_json::from_str(&answer).unwrap()
    }

    #[test]
    fn a_page_knows_where_its_acts_left_each_job_until_it_has_read_it() {
        let owner = Owner::new();
        owner.set();
        let acted = Acted::provide();
        let since = |id: &str, seen| {
            let standing = untrack(|| acted.since(&JobId::new(id).unwrap(), Version(seen)));
            standing.map(|standing| standing.version)
        };
        for (id, version) in [("a", 2), ("b", 5), ("a", 3)] {
            acted.remember(&standing(id, version));
        }
        assert_eq!((since("a", 1), since("b", 1)), (Some(Version(3)), Some(Version(5))));
        assert_eq!((since("a", 3), since("c", 1)), (None, None));

        for n in 0..STANDINGS_MAX {
            acted.remember(&standing(&format!("other-{n}"), 2));
        }
        assert_eq!((since("a", 1), since("other-0", 1)), (None, Some(Version(2))));
    }
}
