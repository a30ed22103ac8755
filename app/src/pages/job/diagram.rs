//! The way a job takes: where it waits, when it was due and began, how it ended. The path it took is lit.

use leptos::prelude::*;
use reprieve::model::{HistoryEntry, JobDetail, JobState, Timestamp};

use crate::clock::Clock;
use crate::components::icons::{Icon, icon};
use crate::components::time::{Time, TimeStyle};
use crate::{format, i18n, t};

/// One box.
#[derive(Debug, Clone, PartialEq)]
struct Stop {
    state: JobState,
    /// When it was entered last; for a waiting job the time it waits for.
    at: Option<Timestamp>,
    note: String,
    here: bool,
    passed: bool,
}

/// The four steps of every job.
#[component]
pub(super) fn Diagram(
    /// The job with its history.
    detail: RwSignal<JobDetail>,
) -> impl IntoView {
    let step = move |heading: String, stops: fn(&JobDetail) -> Vec<Stop>| {
        let stops = Memo::new(move |_| detail.with(stops));
        let lit = move || stops.with(|stops| stops.iter().any(|stop| stop.here || stop.passed)).to_string();
        view! {
            <li class="step" data-lit=lit>
                <h2>{heading}</h2>
                <ul>{move || stops.get().into_iter().map(|stop| view! { <Box stop/> }).collect_view()}</ul>
            </li>
        }
    };
    view! {
        <section class="diagram" aria-label=t!("job-way")>
            <ol>
                {step(t!("job-step-waits"), waiting)}
                {step(t!("job-step-due"), ready)}
                {step(t!("job-step-runs"), running)}
                {step(t!("job-step-ends"), endings)}
            </ol>
        </section>
    }
}

#[component]
fn Box(stop: Stop) -> impl IntoView {
    let clock = Clock::get();
    let Stop { state, at, note, here, passed } = stop;
    let time = at.map(|at| view! { <Time at style=TimeStyle::Absolute/> });
    let ticking = (here && !state.is_final()).then_some(at).flatten().map(|at| {
        move || {
            clock
                .now_ms()
                .map(|now_ms| view! { <span class="stop-distance">{format::distance(at, now_ms)}</span> })
        }
    });
    let note = (!note.is_empty()).then(|| view! { <span class="stop-note">{note}</span> });
    view! {
        <li
            class="stop"
            data-stop=state.as_str()
            data-passed=passed.to_string()
            data-here=here.to_string()
            aria-current=here.then_some("step")
        >
            <span class="stop-name">{icon(Icon::of_state(state))} {i18n::state(state)}</span>
            {time}
            {ticking}
            {note}
        </li>
    }
}

/// When it entered a state last, as far as its history is kept.
fn entered(detail: &JobDetail, state: JobState) -> Option<Timestamp> {
    detail.history.iter().find(|entry| entry.to == state && entry.from != Some(state)).map(|entry| entry.at)
}

fn waiting(detail: &JobDetail) -> Vec<Stop> {
    let job = &detail.job;
    let state = match job.state {
        waits @ (JobState::Delayed | JobState::Held | JobState::Retrying) => waits,
        _ if job.attempt > 1 && entered(detail, JobState::Retrying).is_some() => JobState::Retrying,
        _ => JobState::Delayed,
    };
    let here = job.state == state;
    let waited = here || entered(detail, state).is_some();
    let note = match (state, waited) {
        (_, false) => t!("job-due-at-once"),
        (JobState::Retrying, true) => {
            t!("job-after-attempt", attempt = job.attempt.saturating_sub(u32::from(!here)).max(1))
        }
        _ => String::new(),
    };
    vec![Stop { state, at: Some(job.due), note, here, passed: waited }]
}

fn ready(detail: &JobDetail) -> Vec<Stop> {
    let job = &detail.job;
    let here = job.state == JobState::Ready;
    let at =
        entered(detail, JobState::Ready).filter(|_| !matches!(job.state, JobState::Delayed | JobState::Held));
    let note = match (at.map(|at| at.millis_since(job.due)), early_ms(&detail.history)) {
        (Some(_), Some(early_ms)) => t!("jobs-early-by", span = format::span(early_ms)),
        // What waits for its next attempt is due anew: neither is the word.
        (Some(late_ms @ 0..), None) if job.state != JobState::Retrying => {
            t!("job-late-by", span = format::span(late_ms))
        }
        _ => String::new(),
    };
    vec![Stop { state: JobState::Ready, at, note, here, passed: at.is_some() }]
}

/// How long before its time it became ready at last: somebody ran it by hand, which made it due at once.
fn early_ms(history: &[HistoryEntry]) -> Option<i64> {
    let ready = history.iter().position(|entry| entry.to == JobState::Ready && entry.from.is_some())?;
    let (entry, before) = (history.get(ready)?, history.get(ready + 1)?);
    let early_ms = before.due.millis_since(entry.at);
    (before.due != entry.due && early_ms > 0).then_some(early_ms)
}

fn running(detail: &JobDetail) -> Vec<Stop> {
    let job = &detail.job;
    let here = job.state == JobState::Active;
    let note = match (&job.worker, job.attempt) {
        (Some(worker), 1..) => t!("job-attempt-on", attempt = job.attempt, worker = worker.clone()),
        _ => String::new(),
    };
    vec![Stop { state: JobState::Active, at: job.started, note, here, passed: job.started.is_some() }]
}

fn endings(detail: &JobDetail) -> Vec<Stop> {
    let job = &detail.job;
    [JobState::Done, JobState::Dead, JobState::Cancelled]
        .into_iter()
        .map(|state| {
            let here = job.state == state;
            Stop { state, at: job.ended.filter(|_| here), note: String::new(), here, passed: here }
        })
        .collect()
}
