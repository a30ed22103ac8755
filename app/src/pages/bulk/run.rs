//! The page of one run: before it starts, while it goes, and after.

use leptos::prelude::*;
use leptos_meta::Title;
use leptos_router::hooks::{use_params_map, use_query_map};
use reprieve::model::{BulkRun, BulkState, OutcomePlace, RunId};

use super::dry_run::{DryRun, how_far_looked};
use super::ended::tell_when_ended;
use super::outcomes::Outcomes;
use super::progress::{Progress, how_far};
use super::which::Which;
use crate::api::{AbortBulk, CollectBulk, RunView, StartBulk, get_bulk_run};
use crate::components::empty::Empty;
use crate::components::error_panel::ErrorPanel;
use crate::components::focus::lead_to_heading;
use crate::components::loading::{Loading, Shape};
use crate::components::post_form::FormAction;
use crate::error::ApiError;
use crate::live::Live;
use crate::live::effect::effect;
use crate::live::reading::Reading;
use crate::live::voice::Voice;
use crate::notice::Notices;
use crate::session::Session;
use crate::{i18n, routes, t};

/// How often a run that moves is read again, in seconds.
const MOVING_SECONDS: i64 = 1;
/// The same of one that somebody else may start, end or let go on.
const WAITING_SECONDS: i64 = 5;

/// What one verb does, or would do, to many jobs.
#[component]
pub fn RunPage() -> impl IntoView {
    let params = use_params_map();
    let query = use_query_map();
    let id = Memo::new(move |_| {
        params.with(|params| params.get("run").and_then(|text| text.parse::<RunId>().ok()))
    });
    let after = Memo::new(move |_| {
        query.with(|query| {
            query.get("after").and_then(|text| text.parse::<OutcomePlace>().ok()).unwrap_or_default()
        })
    });
    let live = Live::get();
    // Only what moves is read again and again: a form that is being filled in stays. What others may move is read now and
    // then; while it is as it was, nothing is written anew.
    let pace = RwSignal::new(None);
    let (moving, waiting) = (live.pulse(MOVING_SECONDS), live.pulse(WAITING_SECONDS));
    let beat = Memo::new(move |_| match pace.get() {
        Some(Pace::Moving) => moving.get(),
        Some(Pace::Waiting) => waiting.get(),
        None => 0,
    });
    let start = FormAction::<StartBulk>::new();
    let abort = FormAction::<AbortBulk>::new();
    let collect = FormAction::<CollectBulk>::new();
    let (started, aborted, collected) = (start.version(), abort.version(), collect.version());
    let notices = Notices::get();
    effect(move || {
        // Not when it is answered: by then the page may have been left.
        if let Some(run) = start.sent("run").and_then(|run| RunId::new(run).ok()) {
            tell_when_ended(run, notices, live);
        }
    });
    let run = Reading::new(
        move || (id.get(), after.get(), beat.get(), started.get(), aborted.get(), collected.get()),
        |(id, after, ..)| async move {
            match id {
                Some(id) => get_bulk_run(id, after).await,
                None => Err(ApiError::NoRun),
            }
        },
    );
    // The button that has it look on goes with the look, and may have had the focus.
    let looked = StoredValue::new(false);
    effect(move || {
        let Some(state) = run.get().and_then(Result::ok).map(|view| view.run.state) else { return };
        let looks = state == BulkState::Collecting;
        if looked.get_value() && !looks {
            lead_to_heading();
        }
        looked.set_value(looks);
    });
    effect(move || {
        let now = match run.get() {
            Some(Ok(view)) => pace_of(view.run.state),
            // Whether it still goes on nobody knows: it is asked again soon.
            Some(Err(error)) if error.may_pass() => {
                run.refetch_after(&error);
                return;
            }
            _ => None,
        };
        if pace.get_untracked() != now {
            pace.set(now);
        }
    });
    // Whoever made it has it go on looking, for as long as they look at it.
    let me = Session::get().name;
    effect(move || {
        let Some(view) = run.get().and_then(Result::ok) else { return };
        let is_own = view.run.state == BulkState::Collecting && view.run.by == me;
        // Not again and again what was refused.
        let failed = collect.value().with_untracked(|answer| matches!(answer, Some(Err(_))));
        if is_own && !failed && !collect.pending().get_untracked() {
            collect.call(&CollectBulk { run: view.run.id, back: None });
        }
    });
    // Of a run that was found whole from the beginning no look has ended.
    let looked_for = StoredValue::new(None::<RunId>);
    Voice::get().follow(move || {
        let view = run.get()?.ok()?;
        let was_looked_for = looked_for.with_value(|id| id.as_ref() == Some(&view.run.id));
        match view.run.state {
            BulkState::Collecting => {
                looked_for.set_value(Some(view.run.id.clone()));
                Some(how_far_looked(&view.run))
            }
            BulkState::Frozen => was_looked_for.then(|| t!("bulk-looked", count = view.run.total)),
            BulkState::Waiting => None,
            _ => Some(how_far(&view.run)),
        }
    });
    let page = move || {
        let known = Memo::new(move |before: Option<&Option<RunView>>| {
            known_after(before.cloned().flatten(), run.get(), id.get().as_ref())
        });
        let error = Memo::new(move |_| run.get().and_then(Result::err));
        Suspend::new(async move {
            let _first = run.await;
            view! { <Known known error start abort collect/> }
        })
    };
    view! {
        <p class="crumbs"><a href=routes::BULK>{t!("bulk-back-to-runs")}</a></p>
        <Loading shape=Shape::Panels>{page()}</Loading>
    }
}

/// How soon a run is to be read again.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Pace {
    /// It moves by itself.
    Moving,
    /// Somebody else may move it.
    Waiting,
}

/// `None` for one that nobody but whoever looks at it is expected to move.
const fn pace_of(state: BulkState) -> Option<Pace> {
    match state {
        BulkState::Running | BulkState::Collecting => Some(Pace::Moving),
        BulkState::Waiting | BulkState::Stopped => Some(Pace::Waiting),
        _ => None,
    }
}

/// What is known of the run of that id after it was read: what could not be read now is as it was, for as long as that may
/// pass.
fn known_after(
    before: Option<RunView>,
    read: Option<Result<RunView, ApiError>>,
    id: Option<&RunId>,
) -> Option<RunView> {
    match read {
        Some(Ok(view)) => Some(view),
        Some(Err(error)) if error.may_pass() => before.filter(|view| Some(&view.run.id) == id),
        Some(Err(_)) => None,
        None => before,
    }
}

/// The run once it is known; an error above what was known of it, or alone. A form that is being filled in stays.
#[component]
fn Known(
    /// What is known of it.
    known: Memo<Option<RunView>>,
    /// Why the newest attempt to read it failed; `None` when it did not.
    error: Memo<Option<ApiError>>,
    /// Starts it, or lets a stopped one go on.
    start: FormAction<StartBulk>,
    /// Ends it where it is.
    abort: FormAction<AbortBulk>,
    /// Goes on looking for its jobs.
    collect: FormAction<CollectBulk>,
) -> impl IntoView {
    let unknown = Memo::new(move |_| error.with(|error| error == &Some(ApiError::NoRun)));
    let error = move || error.get().filter(|_| !unknown.get()).map(|error| view! { <ErrorPanel error/> });
    let body = move || {
        if unknown.get() {
            return view! { <Unknown/> }.into_any();
        }
        let Some(view) = known.get() else {
            return view! { <Title text=t!("bulk-page-title")/> }.into_any();
        };
        let title = i18n::bulk_act(&view.run);
        let page_title = t!("jobs-title", list = title.clone());
        let head = view.run.clone();
        let body = match view.run.state {
            BulkState::Frozen | BulkState::Collecting | BulkState::Waiting => {
                view! { <DryRun view start abort collect/> }.into_any()
            }
            _ => view! {
                <Progress run=view.run.clone() undo_waits=view.undo_waits start abort/>
                <Outcomes view/>
            }
            .into_any(),
        };
        view! { <Title text=page_title/> <Head title run=head/> {body} }.into_any()
    };
    view! { {error} {body} }
}

/// No such run, or no more. The status 404 comes with the failed read.
#[component]
fn Unknown() -> impl IntoView {
    view! {
        <Title text=format!("{} · Reprieve", t!("bulk-unknown"))/>
        <h1 tabindex="-1">{t!("bulk-unknown")}</h1>
        <Empty text=t!("errors-next-no-run")>
            <a class="button" href=routes::BULK>{t!("bulk-back-to-runs")}</a>
        </Empty>
    }
}

#[component]
fn Head(title: String, run: BulkRun) -> impl IntoView {
    let why = (!run.why.is_empty()).then(|| i18n::why(&run.why));
    let who = run.by.clone();
    // Which jobs those are stands on the page of the run that is undone.
    let of = run.undo_of.clone();
    let state = run.state;
    view! {
        <header class="run-head">
            <h1 tabindex="-1">{title}</h1>
            <span class="run-state" data-state=state.as_str()>{i18n::bulk_state(state)}</span>
        </header>
        <p class="run-which">
            {match of {
                Some(of) => view! { <a href=routes::bulk_run(&of)>{t!("bulk-undoes")}</a> }.into_any(),
                None => view! { <Which run/> }.into_any(),
            }}
        </p>
        <p class="run-who"><small>{who} {why.map(|why| format!(" · {why}"))}</small></p>
    }
}

#[cfg(test)]
mod tests {
    use super::super::example;
    use super::*;

    fn view(id: &str) -> RunView {
        let run = example::run(id, BulkState::Frozen);
        RunView { run, outcomes: Vec::new(), next: None, kinds: Vec::new(), undo_waits: false }
    }

    #[test]
    fn a_run_that_others_may_move_is_read_again_now_and_then() {
        let paces = BulkState::ALL.map(|state| (state, pace_of(state)));
        let at = |pace| paces.iter().filter(move |(_, it)| *it == pace).map(|(state, _)| *state);
        assert!(
            at(Some(Pace::Waiting)).all(|state| matches!(state, BulkState::Waiting | BulkState::Stopped))
        );
        assert_eq!((at(Some(Pace::Waiting)).count(), at(Some(Pace::Moving)).count()), (2, 2));
    }

    #[test]
    fn what_was_known_of_a_run_stays_while_it_cannot_be_read_and_never_stands_for_another() {
        let (own, other) = (RunId::new("r1").unwrap(), RunId::new("r2").unwrap());
        let after = |read, id| known_after(Some(view("r1")), read, Some(id));
        let away = || Some(Err(ApiError::Unavailable { sentence: "gone".to_owned(), since: None }));
        assert_eq!(after(away(), &own), Some(view("r1")));
        assert_eq!(after(None, &own), Some(view("r1")), "while it is asked");
        assert_eq!(after(Some(Ok(view("r2"))), &other), Some(view("r2")));
        assert_eq!(after(away(), &other), None);
        assert_eq!(after(Some(Err(ApiError::NoRun)), &own), None, "it is forgotten");
    }
}
