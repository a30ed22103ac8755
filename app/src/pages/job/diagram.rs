//! The way a job takes: where it waits, when it was due and began, how it ended. The path it took is lit.

use leptos::prelude::*;
use reprieve::model::{HistoryEntry, Job, JobDetail, JobState, Timestamp};

use crate::components::icons::{Icon, icon};
use crate::components::time::{Time, TimeStyle};
use crate::{format, i18n, t};

/// Stays shorter than this are no idle stretch.
const STAYED_MIN_MS: i64 = 1_000;

/// One box.
#[derive(Debug, Clone, PartialEq)]
struct Stop {
    state: JobState,
    /// When it was entered last; for a waiting job the time it waits for.
    at: Option<Timestamp>,
    note: String,
    here: bool,
    passed: bool,
    /// How often it came there, as far as its history is kept.
    times: usize,
    /// For how long it stayed there when it came last, in ms; `None` while it is there, and where it never was.
    stayed_ms: Option<i64>,
}

impl Stop {
    /// With what the history says of its state.
    fn new(detail: &JobDetail, state: JobState, at: Option<Timestamp>, note: String, passed: bool) -> Self {
        let (times, stayed_ms) = visits(&detail.history, state);
        Self { state, at, note, here: detail.job.state == state, passed, times, stayed_ms }
    }
}

/// The four steps of every job. One that was cancelled before it was due never came to two of them.
#[component]
pub(super) fn Diagram(detail: JobDetail) -> impl IntoView {
    let step = |heading: String, stops: fn(&JobDetail) -> Vec<Stop>| {
        let stops = Some(stops(&detail)).filter(|stops| !stops.is_empty())?;
        let lit = stops.iter().any(|stop| stop.here || stop.passed).to_string();
        Some(view! {
            <li class="step" data-lit=lit>
                <h2>{heading}</h2>
                <ul>{stops.into_iter().map(|stop| view! { <Box stop/> }).collect_view()}</ul>
            </li>
        })
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
    let Stop { state, at, note, here, passed, times, stayed_ms } = stop;
    let time = at.map(|at| view! { <Time at style=TimeStyle::Absolute/> });
    let ticking = at
        .filter(|_| here && state != JobState::Held && !state.is_final())
        .map(|at| view! { <span class="stop-distance"><Time at/></span> });
    let note = (!note.is_empty()).then(|| view! { <span class="stop-note">{note}</span> });
    // However long nothing happened, it is one line.
    let stayed = stayed_ms.filter(|ms| *ms >= STAYED_MIN_MS).map(|ms| {
        view! { <span class="stop-note">{t!("job-stop-stayed", span = format::span(ms))}</span> }
    });
    let times = (times > 1).then(
        || view! { <span class="stop-note" data-testid="times">{t!("job-stop-times", count = times)}</span> },
    );
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
            {stayed}
            {times}
        </li>
    }
}

/// How often a state was entered, and for how long it was the state when it was entered last, in ms; `None` while it is.
/// The history begins with what came last.
fn visits(history: &[HistoryEntry], state: JobState) -> (usize, Option<i64>) {
    let enters = |entry: &HistoryEntry| entry.to == state && entry.from != Some(state);
    let times = history.iter().filter(|entry| enters(entry)).count();
    let stayed_ms = history.iter().position(enters).and_then(|entered| {
        let left = history[..entered].iter().rev().find(|entry| entry.to != state)?;
        Some(left.at.millis_since(history[entered].at))
    });
    (times, stayed_ms)
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
    vec![Stop::new(detail, state, Some(job.due), note, waited)]
}

/// Whether a job ended before any attempt of it began.
pub(super) fn never_ran(job: &Job) -> bool {
    job.state.is_final() && job.attempt == 0 && job.started.is_none()
}

fn ready(detail: &JobDetail) -> Vec<Stop> {
    let job = &detail.job;
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
    if at.is_none() && never_ran(job) {
        return Vec::new();
    }
    vec![Stop::new(detail, JobState::Ready, at, note, at.is_some())]
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
    if never_ran(job) {
        return Vec::new();
    }
    let note = match (&job.worker, job.attempt) {
        (Some(worker), 1..) => t!("job-attempt-on", attempt = job.attempt, worker = worker.clone()),
        _ => String::new(),
    };
    vec![Stop::new(detail, JobState::Active, job.started, note, job.started.is_some())]
}

fn endings(detail: &JobDetail) -> Vec<Stop> {
    let job = &detail.job;
    [JobState::Done, JobState::Dead, JobState::Cancelled]
        .into_iter()
        .map(|state| {
            let here = job.state == state;
            Stop::new(detail, state, job.ended.filter(|_| here), String::new(), here)
        })
        .collect()
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::given;
    use JobState::{Active, Delayed, Ready, Retrying};

    #[test]
    fn a_way_taken_more_than_once_says_so_and_a_stay_is_one_line() {
        let at = |ms| Timestamp::from_millis(ms).unwrap();
        let steps = [
            (0, None, Delayed),
            // Rescheduled: it stays where it is.
            (5_000, Some(Delayed), Delayed),
            (60_000, Some(Delayed), Ready),
            (60_100, Some(Ready), Active),
            (61_000, Some(Active), Retrying),
            (90_000, Some(Retrying), Ready),
            (90_200, Some(Ready), Active),
        ];
        let mut history: Vec<HistoryEntry> =
            steps.iter().map(|&(ms, from, to)| entry(at(ms), from, to)).collect();
        history.reverse();

        assert_eq!(visits(&history, Delayed), (1, Some(60_000)));
        assert_eq!(visits(&history, Retrying), (1, Some(29_000)));
        assert_eq!(visits(&history, Ready), (2, Some(200)));
        assert_eq!(visits(&history, Active), (2, None), "it is there");
        assert_eq!(visits(&history, JobState::Dead), (0, None));
    }

    fn entry(at: Timestamp, from: Option<JobState>, to: JobState) -> HistoryEntry {
        given::entry(serde_json::json!({ "at": at, "from": from, "to": to, "due": at }))
    }
}
