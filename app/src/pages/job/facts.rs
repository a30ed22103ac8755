//! The plain facts of a job, and its headers and tags.

use std::collections::BTreeMap;

use leptos::prelude::*;
use reprieve::model::{Job, JobState, Publication};

use super::sentence::place;
use crate::components::copy::CopyButton;
use crate::components::elapsed::Remaining;
use crate::components::time::{Time, TimeStyle};
use crate::session::Session;
use crate::{format, routes, t};

/// The header that names the trace a job belongs to.
const TRACE_HEADER: &str = "traceparent";

/// Due, queue, attempts, limits and retention.
#[component]
pub(super) fn Facts(job: Job) -> impl IntoView {
    let active = job.state == JobState::Active;
    let href = routes::queue(&job.queue);
    let attempts = match job.max_attempts {
        Some(max) => t!("job-attempt-of", attempt = job.attempt, max = max),
        None => t!("job-attempt-unlimited", attempt = job.attempt),
    };
    let stalls = (job.stalls > 0).then(|| t!("job-stalls", count = job.stalls));
    let unheard = (job.unheard > 0).then(|| t!("job-unheard-count", count = job.unheard));
    let publication = job.publication.map(|publication| view! { <Handed publication active/> });
    let lease = job.lease_until.filter(|_| active).map(|until| {
        view! { <dt>{t!("job-lease")}</dt><dd><Remaining until over=t!("job-lease-over")/></dd> }
    });
    let timeout = job.timeout.map(|limit| {
        view! { <dt>{t!("job-timeout")}</dt><dd>{format::span(limit.as_millis())}</dd> }
    });
    let unique = job.unique_key.map(|key| {
        view! { <dt>{t!("job-unique-key")}</dt><dd>{key.to_string()}</dd> }
    });
    let kept = job.kept_until.filter(|_| job.state.is_final()).map(|until| {
        view! { <dt>{t!("job-kept-until")}</dt><dd><Time at=until style=TimeStyle::Absolute/></dd> }
    });
    view! {
        <section class="panel" aria-label=t!("job-facts")>
            <div class="panel-head"><h2>{t!("job-facts")}</h2></div>
            <dl class="facts">
                <dt>{t!("job-due-time")}</dt>
                <dd data-testid="due">
                    <Time at=job.due style=TimeStyle::Exact/>
                    " " <CopyButton text=format::rfc3339(job.due) what=t!("job-copy-due")/>
                </dd>
                <dt>{t!("job-queue")}</dt><dd><a href=href>{job.queue.to_string()}</a></dd>
                <dt>{t!("job-enqueued")}</dt><dd><Time at=job.created style=TimeStyle::Exact/></dd>
                <dt>{t!("job-attempts")}</dt><dd>{attempts} " " {stalls} " " {unheard}</dd>
                <dt>{t!("job-priority")}</dt><dd>{job.priority.as_u8()} " " <small>{t!("job-priority-order")}</small></dd>
                {publication}
                {lease}
                {timeout}
                {unique}
                {kept}
                <dt>{t!("job-version")}</dt><dd>{job.version.to_string()}</dd>
            </dl>
        </section>
    }
}

/// Where the latest attempt was handed to, and who took it there.
#[component]
fn Handed(
    publication: Publication,
    /// Whether it is there still.
    active: bool,
) -> impl IntoView {
    let place = place(&publication);
    let entry = publication.entry;
    let taken = match (publication.taken_by, publication.taken) {
        (Some(who), Some(at)) => view! { {who} " · " <Time at style=TimeStyle::Exact/> }.into_any(),
        _ if active => t!("job-not-taken").into_any(),
        _ => t!("job-ended-untaken").into_any(),
    };
    view! {
        <dt>{t!("job-handed-to")}</dt>
        <dd data-testid="publication">{place} " · " <Time at=publication.at style=TimeStyle::Exact/></dd>
        <dt>{t!("job-entry")}</dt>
        <dd><code>{entry.clone()}</code> " " <CopyButton text=entry what=t!("job-copy-entry")/></dd>
        <dt>{t!("job-taken-by")}</dt>
        <dd data-testid="taken">{taken}</dd>
    }
}

/// What the caller gave along: headers and tags. Nothing at all where there are none.
#[component]
pub(super) fn Headers(headers: BTreeMap<String, String>, tags: Vec<String>) -> impl IntoView {
    if headers.is_empty() && tags.is_empty() {
        return None;
    }
    let traces = Session::get().traces;
    let headers = headers.into_iter().map(|(name, value)| {
        let trace = traces.as_ref().filter(|_| name == TRACE_HEADER).and_then(|page| page.of(&value));
        let trace = trace.map(|href| view! { " " <a href=href rel="external noreferrer">{t!("job-to-trace")}</a> });
        view! { <dt><code>{name.clone()}</code></dt><dd>{value.clone()} " " <CopyButton text=value what=t!("job-copy-header", name = name)/> {trace}</dd> }
    });
    let tags = (!tags.is_empty()).then(|| view! { <p class="tags">{tags.into_iter().map(|tag| view! { <span class="tag">{tag}</span> }).collect_view()}</p> });
    Some(view! {
        <section class="panel" aria-label=t!("job-headers")>
            <div class="panel-head"><h2>{t!("job-headers")}</h2></div>
            <dl class="facts">{headers.collect_view()}</dl>
            {tags}
        </section>
    })
}
