//! The page of a job that exists, kept true in place: nothing under the reader's eyes is built anew.

use leptos::prelude::*;
use leptos::task::spawn_local;
use leptos_meta::Title;
use reprieve::model::{JobDetail, JobLog, JobState, Timestamp, WorkerInfo};

use super::attempts::Attempts;
use super::diagram::Diagram;
use super::facts::{Facts, Headers};
use super::history::History;
use super::log::{Log, Outcome, Progress};
use super::more::MoreActs;
use super::payload::Payload;
use super::sentence::{beside_state, held_since, sentence};
use super::siblings::Siblings;
use crate::api::get_job;
use crate::clock::Clock;
use crate::components::acts::{Acted, JobActs, Target};
use crate::components::badge::Badge;
use crate::components::copy::CopyButton;
use crate::components::error_panel::ErrorPanel;
use crate::components::icons::{Icon, icon};
use crate::error::ApiError;
use crate::live::Live;
use crate::live::effect::effect;
use crate::live::quiet::is_quiet;
use crate::live::reading::{is_time_to_ask_again, is_to_be_asked_again, note_trouble};
use crate::live::voice::Voice;
use crate::{format, i18n, routes, t};

/// A lease is extended without an event: a running job is read again this often, in seconds.
const ACTIVE_EVERY: i64 = 3;
/// With less of its lease left than this, a worker has missed heartbeats: it extends at a third, which
/// leaves ten seconds of the shortest usual lease, and what is on screen may be a reading old.
const SILENT_MS: i64 = 4_000;

/// Everything of one job.
#[component]
pub(super) fn Detail(
    /// The job as it was read first.
    detail: JobDetail,
    /// The latest lines of its log.
    log: JobLog,
    /// Whether it is the page itself, and names it.
    is_page: bool,
) -> impl IntoView {
    let clock = Clock::get();
    let id = detail.job.id.to_string();
    let detail = RwSignal::new(detail);
    let trouble = RwSignal::new(None);
    let moved = RwSignal::new(None);
    keep_true(detail, trouble, moved);

    let job = Memo::new(move |_| detail.with(|detail| detail.job.clone()));
    let state = Memo::new(move |_| job.with(|job| job.state));
    // Whoever enqueues a job may put another one in its place.
    let kind = Memo::new(move |_| job.with(|job| job.kind.to_string()));
    let subject = Memo::new(move |_| job.with(|job| job.subject.as_ref().map(ToString::to_string)));
    // The server writes the head when the page is done, and may have taken down by then what the page is made of.
    let first = kind.get_untracked();
    let title = move || format!("{} · Reprieve", kind.try_get().unwrap_or_else(|| first.clone()));
    let title = is_page.then(|| view! { <Title text=title/> });
    let acted = Acted::get();
    let target = Memo::new(move |_| acted.brought(detail.with(|detail| Target::from(detail))));
    let now_ms = move || clock.now_ms().unwrap_or_else(|| detail.with(|detail| detail.read_at.as_millis()));
    let held = Memo::new(move |_| detail.with(|detail| held_since(&detail.history)));
    let beside = Memo::new(move |_| {
        job.with(|job| held.with(|held| beside_state(job, held.as_ref(), clock.zone(), now_ms())))
    });
    let badge = move || view! { <Badge state=state.get() detail=beside.get()/> };
    let text = move || job.with(|job| held.with(|held| sentence(job, held.as_ref(), clock.zone(), now_ms())));
    let subject = move || {
        let text = subject.get()?;
        Some(
            view! { <a class="job-subject" href="#subject" rel="external">{text.clone()}</a> <CopyButton text what=t!("job-copy-subject")/> },
        )
    };
    let kind = move || kind.get();
    // Beside a list the page has its title already.
    let title_line = if is_page {
        view! { <h1 tabindex="-1">{kind} " " {badge}</h1> }.into_any()
    } else {
        view! { <h2 class="job-title" tabindex="-1">{kind} " " {badge}</h2> }.into_any()
    };
    view! {
        {title}
        <article class="job">
            <header class="job-head">
                {title_line}
                <p class="job-names">{subject} <code>{id.clone()}</code> <CopyButton text=id what=t!("job-copy-id")/></p>
                <p class="job-sentence">{text}</p>
                <Moved moved/>
                <Trouble trouble detail/>
                <Lease detail/>
                <Progress detail/>
                <div class="job-acts">
                    <JobActs target=target.into() prefix="job"/>
                    <MoreActs job target=target.into()/>
                </div>
            </header>
            <Diagram detail/>
            <Siblings detail/>
            <div class="job-columns">
                <div class="job-column">
                    <Payload job/>
                    <Outcome detail/>
                    <Log detail first=log/>
                    <Attempts detail/>
                </div>
                <div class="job-column">
                    <Facts detail/>
                    <Headers job/>
                </div>
            </div>
            <History detail/>
        </article>
    }
}

/// Reads the job again when something changed, and until that has succeeded, unless somebody is in the middle of something.
fn keep_true(
    detail: RwSignal<JobDetail>,
    trouble: RwSignal<Option<ApiError>>,
    moved: RwSignal<Option<(JobState, Timestamp)>>,
) {
    let (live, clock, acted) = (Live::get(), Clock::get(), Acted::get());
    let read = StoredValue::new((live.revision_untracked(), 0_u64));
    let busy = StoredValue::new(false);
    let id = detail.with_untracked(|detail| detail.job.id.clone());
    effect(move || {
        let (revision, acts) = (live.revision(), acted.count());
        let now_ms = clock.now_ms().unwrap_or_default();
        if live.paused().is_some() || busy.get_value() {
            return;
        }
        let (read_revision, read_acts) = read.get_value();
        let active = detail.with_untracked(|detail| detail.job.state == JobState::Active);
        let own = acts != read_acts;
        // The stream does not say it twice because this page could not be read.
        let failed = trouble.with_untracked(|trouble| is_to_be_asked_again(trouble.as_ref()));
        let changed = revision != read_revision
            || (active && now_ms / 1_000 % ACTIVE_EVERY == 0)
            || (failed && is_time_to_ask_again(now_ms));
        if !own && (!changed || is_quiet()) {
            return;
        }
        read.set_value((revision, acts));
        busy.set_value(true);
        let id = id.clone();
        spawn_local(async move {
            let answer = get_job(id).await;
            let _ = busy.try_set_value(false);
            // Somebody is in the middle of something by now: it is read again once they are not.
            if !own && (is_quiet() || untrack(|| live.paused()).is_some()) {
                let _ = read.try_set_value((read_revision, acts));
                return;
            }
            take(answer, own, detail, trouble, moved);
        });
    });
}

/// Shows what was read. The page may have been left meanwhile.
fn take(
    answer: Result<JobDetail, ApiError>,
    own: bool,
    detail: RwSignal<JobDetail>,
    trouble: RwSignal<Option<ApiError>>,
    moved: RwSignal<Option<(JobState, Timestamp)>>,
) {
    match answer {
        Ok(now) => {
            let Some(before) = detail.try_with_untracked(|detail| detail.job.state) else { return };
            let entered = now.history.first().map_or(now.read_at, |entry| entry.at);
            if own {
                let _ = moved.try_set(None);
            } else if now.job.state != before {
                let _ = moved.try_set(Some((now.job.state, entered)));
            }
            let _ = detail.try_set(now);
            note_trouble(trouble, None);
        }
        Err(error) => note_trouble(trouble, Some(error)),
    }
}

/// Says that the job moved while somebody looked.
#[component]
fn Moved(moved: RwSignal<Option<(JobState, Timestamp)>>) -> impl IntoView {
    let clock = Clock::get();
    let text = move || {
        moved.get().map(|(state, at)| {
            t!("job-moved", state = i18n::state(state), at = format::clock(at, clock.zone()))
        })
    };
    Voice::get().follow(text);
    view! { <p class="job-moved">{text}</p> }
}

/// Why the page could not be brought up to date; what was known stays.
#[component]
fn Trouble(trouble: RwSignal<Option<ApiError>>, detail: RwSignal<JobDetail>) -> impl IntoView {
    let removed = Memo::new(move |_| trouble.with(|trouble| matches!(trouble, Some(ApiError::NotFound))));
    Voice::get().follow(move || removed.get().then(|| t!("job-removed")));
    // Its receipt outlives it there.
    let receipt = move || {
        let subject = detail.with(|detail| detail.job.subject.clone())?;
        let said = t!("job-removed-receipt", subject = subject.to_string());
        Some(view! { " " <a href=routes::desk(&subject)>{said}</a> })
    };
    move || match trouble.get()? {
        ApiError::NotFound => Some(
            view! {
                <p class="job-banner">
                    {icon(Icon::Warning)}
                    <span>{t!("job-removed")} {receipt}</span>
                </p>
            }
            .into_any(),
        ),
        error => Some(view! { <ErrorPanel error/> }.into_any()),
    }
}

/// Warns when the worker of a running job gives no sign of life.
#[component]
fn Lease(detail: RwSignal<JobDetail>) -> impl IntoView {
    let clock = Clock::get();
    let silent = Memo::new(move |_| {
        let now_ms = clock.now_ms()?;
        detail.with(|detail| Silence::of(detail, now_ms))
    });
    // Its seconds tick; that it began is told.
    let began = Memo::new(move |_| silent.with(Option::is_some));
    Voice::get()
        .follow(move || began.get().then(|| untrack(|| silent.get())).flatten().map(Silence::sentence));
    move || {
        silent
            .get()
            .map(|silence| view! { <p class="job-banner">{icon(Icon::Warning)} {silence.sentence()}</p> })
    }
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
