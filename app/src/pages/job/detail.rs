//! The page of a job that exists.

use leptos::prelude::*;
use reprieve::model::{HistoryEntry, Job, JobDetail, JobState, WorkerInfo};

use super::There;
use super::as_of::Looked;
use super::attempts::Attempts;
use super::diagram::{Diagram, never_ran};
use super::facts::{Facts, Headers};
use super::history::History;
use super::log::{Log, Outcome, Part, Progress};
use super::more::MoreActs;
use super::payload::Payload;
use super::sentence::{beside_state, held_since, sentence, waited};
use super::siblings::Siblings;
use crate::clock::Clock;
use crate::components::acts::JobActs;
use crate::components::badge::Badge;
use crate::components::copy::CopyButton;
use crate::components::icons::{Icon, icon};
use crate::components::page_head::PageTitle;
use crate::components::time::{HERE, TimeStyle, TimedSentence};
use crate::light::{RefreshedEvery, Told};
use crate::{format, i18n, t};

/// A lease is extended without an event, and how long a job waits is told by none: a job that runs or is due is read again
/// this often, in seconds.
const MOVING_EVERY: u32 = 3;
/// With less of its lease left than this, a worker has missed heartbeats: it extends at a third, which
/// leaves ten seconds of the shortest usual lease, and what is on screen may be a reading old.
const SILENT_MS: i64 = 4_000;

/// Everything of one job.
#[component]
pub(super) fn Detail(
    there: There,
    part: Part,
    looked: Looked,
    /// Whether it is the page itself, and names it.
    is_page: bool,
) -> impl IntoView {
    let There { detail, log, alike } = there;
    let clock = Clock::get();
    let (zone, now_ms) = (clock.zone(), clock.now_ms());
    let JobDetail { job, attempts, history, .. } = detail.clone();
    let (id, kind) = (job.id.to_string(), job.kind.to_string());
    let title = is_page.then(|| view! { <PageTitle title=kind.clone()/> });
    let held = held_since(&history);
    let badge = view! { <Badge state=job.state detail=beside_state(&job, held.as_ref(), zone, now_ms)/> };
    let aged = waited(&job, now_ms).map(|since| {
        view! { " " <small class="quiet"><TimedSentence text=t!("job-aged", span = HERE) at=since style=TimeStyle::Elapsed/></small> }
    });
    // Beside a list the page has its title already.
    let title_line = if is_page {
        view! { <h1 tabindex="-1">{kind} " " {badge} {aged}</h1> }.into_any()
    } else {
        view! { <h2 class="job-title" tabindex="-1">{kind} " " {badge} {aged}</h2> }.into_any()
    };
    let subject = job.subject.as_ref().map(|subject| {
        let text = subject.to_string();
        view! {
            <a class="job-subject" href="#subject" rel="external">{text.clone()}</a> " "
            <CopyButton text what=t!("job-copy-subject")/>
        }
    });
    // Beside a list, of each job its own: what was typed about one is not said of the next.
    let prefix = if is_page { "job".to_owned() } else { format!("beside-{}", job.id) };
    view! {
        {title}
        <RefreshedEvery seconds=refreshed_every(&job, now_ms) by_events=true/>
        <article class="job">
            <header class="job-head">
                {title_line}
                <p class="job-names">{subject} <code>{id.clone()}</code> <CopyButton text=id what=t!("job-copy-id")/></p>
                <p class="job-sentence">{sentence(&job, held.as_ref(), zone, now_ms).view()}</p>
                <Moved state=job.state history=history.clone()/>
                <Lease detail=detail.clone()/>
                <Progress job=job.clone()/>
                <div class="job-acts">
                    <JobActs job=job.clone() prefix/>
                    <MoreActs job=job.clone()/>
                </div>
            </header>
            <Diagram detail=detail.clone()/>
            <Siblings detail/>
            <div class="job-columns">
                <div class="job-column">
                    <Payload job=job.clone()/>
                    <Outcome result=job.result.clone()/>
                    <Log job=job.clone() log part/>
                    <Attempts attempts never_ran=never_ran(&job) alike/>
                </div>
                <div class="job-column">
                    <Facts job=job.clone()/>
                    <Headers headers=job.headers tags=job.tags/>
                </div>
            </div>
            <History history looked/>
        </article>
    }
}

/// What no event tells: of a cancelled job that its due time has passed, which its undo then asks about.
fn refreshed_every(job: &Job, now_ms: i64) -> u32 {
    let ahead_ms = job.due.as_millis().saturating_sub(now_ms);
    match job.state {
        JobState::Active | JobState::Ready => MOVING_EVERY,
        JobState::Cancelled if ahead_ms > 0 => u32::try_from(ahead_ms / 1_000 + 1).unwrap_or(u32::MAX),
        _ => 0,
    }
}

/// That the job moved while somebody looked: the script shows it where the page has another state than at first.
#[component]
fn Moved(state: JobState, history: Vec<HistoryEntry>) -> impl IntoView {
    let entered = history.iter().find(|entry| entry.to == state && entry.from != Some(state))?;
    let at = format::clock(entered.at, Clock::get().zone());
    let text = t!("job-moved", state = i18n::state(state), at = at);
    let since = format!("{state} {}", entered.at.as_millis());
    Some(view! {
        <Told of=since.clone() text=text.clone()/>
        <p class="job-moved" data-since=since data-text=text></p>
    })
}

/// Warns when the worker of a running job gives no sign of life.
#[component]
fn Lease(detail: JobDetail) -> impl IntoView {
    let now_ms = Clock::get().now_ms();
    let silence = Silence::of(&detail, now_ms)?.sentence();
    // Its seconds go on; that it began is told.
    Some(view! {
        <Told of=format!("silence {}", detail.job.attempt) text=silence.clone()/>
        <p class="job-banner">{icon(Icon::Warning)} {silence}</p>
    })
}

/// A running job whose worker gives no sign of life.
#[derive(Debug, Clone, PartialEq, Eq)]
struct Silence {
    worker: String,
    /// For how long the worker was not heard; `None` where that is not known, or not long.
    unheard_s: Option<i64>,
    /// Until the job is taken back; zero or less once that has begun.
    left_s: i64,
}

impl Silence {
    fn sentence(self) -> String {
        let Self { worker, unheard_s, left_s } = self;
        let unheard = unheard_s.map(|seconds| format::span(seconds * 1_000));
        match (unheard, left_s) {
            (Some(span), 1..) => t!("job-unheard-soon", worker = worker, span = span, seconds = left_s),
            (Some(span), _) => t!("job-unheard", worker = worker, span = span),
            (None, 1..) => t!("job-silent-soon", worker = worker, seconds = left_s),
            (None, _) => t!("job-silent", worker = worker),
        }
    }

    /// `None` while all is well. Whether its worker is heard was true when the job was read: a screen that is stopped
    /// reads nothing, and must not take its own age for somebody's silence.
    fn of(detail: &JobDetail, now_ms: i64) -> Option<Self> {
        let job = &detail.job;
        let until = job.lease_until.filter(|_| job.state == JobState::Active)?;
        let left_ms = until.as_millis().saturating_sub(now_ms);
        let silent_after = WorkerInfo::SILENT_AFTER.as_millis();
        let seen = detail.worker_seen.filter(|&seen| detail.read_at.millis_since(seen) > silent_after);
        (left_ms < SILENT_MS || seen.is_some()).then(|| Self {
            worker: job.worker.clone().unwrap_or_default(),
            unheard_s: seen.map(|seen| now_ms.saturating_sub(seen.as_millis()) / 1_000),
            left_s: left_ms / 1_000,
        })
    }
}
