//! One worker.

use leptos::prelude::*;
use reprieve::model::{RunMode, Timestamp, WorkerAtWork, WorkerInfo, WorkerOrder, WorkerStanding};

use super::jobs::JobsInHand;
use super::orders::WorkerActs;
use crate::components::copy::CopyButton;
use crate::components::time::Time;
use crate::{format, i18n, t};

/// One worker.
#[component]
pub(super) fn WorkerCard(
    at: WorkerAtWork,
    /// When that was read, by Redis's clock.
    read_at: Timestamp,
) -> impl IntoView {
    let WorkerAtWork { info, standing, jobs, .. } = at.clone();
    let title = format!("worker-{}", info.id);
    let labelled = title.clone();
    let stuck = (info.stuck > 0)
        .then(|| view! { <p class="worker-stuck">{t!("workers-stuck", count = info.stuck)}</p> });
    view! {
        <li>
            <article class="panel worker" data-standing=standing.as_str() aria-labelledby=labelled>
                <header class="panel-head">
                    <h2 id=title><code>{info.id.clone()}</code> <CopyButton text=info.id.clone() what="worker"/></h2>
                    <span class="standing" data-standing=standing.as_str()>
                        {standing_word(standing, read_at.millis_since(info.seen))}
                    </span>
                    {pending_word(&info, standing).map(|text| view! { <small>{text}</small> })}
                    <WorkerActs at/>
                </header>
                <dl class="worker-facts">{facts(&info, standing)}</dl>
                {stuck}
                <JobsInHand jobs busy=info.busy/>
            </article>
        </li>
    }
}

/// How a worker stands, in words; of one that is not heard any more also for how long.
fn standing_word(standing: WorkerStanding, unheard_ms: i64) -> String {
    let span = format::span(unheard_ms.max(0));
    match standing {
        WorkerStanding::Silent => t!("workers-state-silent-for", span = span),
        WorkerStanding::Stopping => t!("workers-state-stopping"),
        WorkerStanding::Quiet => t!("workers-state-quiet"),
        WorkerStanding::Live => t!("workers-state-live"),
        WorkerStanding::Gone => t!("workers-state-gone-for", span = span),
    }
}

/// What it is yet to hear, or why it does not do what it heard; `None` where there is neither.
fn pending_word(info: &WorkerInfo, standing: WorkerStanding) -> Option<String> {
    match (info.order, standing) {
        (WorkerOrder::Quiet, WorkerStanding::Live) if info.claims => Some(t!("workers-pending-claim")),
        (WorkerOrder::Resume, WorkerStanding::Quiet) if info.claims => None,
        (WorkerOrder::Quiet, WorkerStanding::Live) => Some(t!("workers-pending-quiet")),
        (WorkerOrder::Stop, WorkerStanding::Live | WorkerStanding::Quiet) => Some(t!("workers-pending-stop")),
        (WorkerOrder::Resume, WorkerStanding::Quiet) => Some(match info.quiet_itself {
            Some(true) => t!("workers-quiet-by-itself"),
            Some(false) => t!("workers-pending-resume"),
            None => t!("workers-quiet-unsaid"),
        }),
        _ => None,
    }
}

fn facts(info: &WorkerInfo, standing: WorkerStanding) -> impl IntoView + use<> {
    let queues = info.queues.iter().map(ToString::to_string).collect::<Vec<_>>().join(", ");
    let queues = if queues.is_empty() { "–".to_owned() } else { queues };
    let modes = RunMode::of([info]).into_iter().filter(|mode| *mode != RunMode::Handlers);
    let modes: Vec<String> = modes.map(|mode| i18n::run_mode(&mode)).collect();
    let modes = (!modes.is_empty())
        .then(|| view! { <div><dt>{t!("workers-modes")}</dt><dd>{modes.join(", ")}</dd></div> });
    if info.claims {
        return claimant_facts(info, queues, modes.into_any(), standing).into_any();
    }
    let slots = t!("workers-slots-of", busy = info.busy, slots = info.slots);
    let memory = info.memory_bytes.map_or_else(|| "–".to_owned(), format::bytes);
    view! {
        <div><dt>{t!("workers-host")}</dt><dd>{info.host.clone()}</dd></div>
        <div><dt>{t!("workers-process")}</dt><dd>{info.pid.to_string()}</dd></div>
        <div><dt>{t!("workers-version")}</dt><dd>{info.version.clone()}</dd></div>
        <div><dt>{t!("workers-queues")}</dt><dd>{queues}</dd></div>
        {modes}
        <div>
            <dt>{t!("workers-slots")}</dt>
            <dd class="slots">
                <meter min="0" max=info.slots.to_string() value=info.busy.to_string() aria-label=t!("workers-slots")></meter>
                {slots}
            </dd>
        </div>
        <div><dt>{t!("workers-memory")}</dt><dd>{memory}</dd></div>
        <div><dt>{t!("workers-started")}</dt><dd><Time at=info.started/></dd></div>
        <div><dt>{t!("workers-heartbeat")}</dt><dd data-health=bad_if_silent(standing)><Time at=info.seen/></dd></div>
    }
    .into_any()
}

/// Of one that claims by calls of its own: its process, and how much it can do at once, are not known.
fn claimant_facts(
    info: &WorkerInfo,
    queues: String,
    modes: AnyView,
    standing: WorkerStanding,
) -> impl IntoView + use<> {
    view! {
        <div><dt>{t!("workers-queues")}</dt><dd>{queues}</dd></div>
        {modes}
        <div><dt>{t!("workers-in-hand")}</dt><dd>{info.busy.to_string()}</dd></div>
        <div><dt>{t!("workers-first-claim")}</dt><dd><Time at=info.started/></dd></div>
        <div><dt>{t!("workers-last-claim")}</dt><dd data-health=bad_if_silent(standing)><Time at=info.seen/></dd></div>
    }
}

fn bad_if_silent(standing: WorkerStanding) -> Option<&'static str> {
    matches!(standing, WorkerStanding::Silent | WorkerStanding::Gone).then_some("bad")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_worker_that_is_not_heard_says_for_how_long() {
        assert_eq!(standing_word(WorkerStanding::Silent, 22_400), "Silent: not heard from for 22 s");
        assert_eq!(standing_word(WorkerStanding::Gone, 120_000), "Gone: not heard from for 2 m");
        assert_eq!(standing_word(WorkerStanding::Live, 900), "Live");
    }

    #[test]
    fn a_worker_that_is_to_take_jobs_again_and_does_not_yet_says_whose_wish_that_is() {
        let mut info = WorkerInfo::new("w", "host", 1, Timestamp::EPOCH);
        (info.quiet, info.order) = (true, WorkerOrder::Resume);
        let told = pending_word(&info, WorkerStanding::Quiet);
        assert_eq!(told.as_deref(), Some("Takes jobs again at its next heartbeat"));
        info.quiet_itself = Some(true);
        let told = pending_word(&info, WorkerStanding::Quiet);
        assert_eq!(told.as_deref(), Some("Its own program asked for it"));
        let mut older = serde_json::to_value(&info).unwrap();
        older.as_object_mut().unwrap().remove("quiet_itself");
        let older: WorkerInfo = serde_json::from_value(older).unwrap();
        let told = pending_word(&older, WorkerStanding::Quiet);
        assert_eq!(
            told.as_deref(),
            Some("No order keeps it quiet; whether its own program does is not known")
        );
        info.order = WorkerOrder::Stop;
        let told = pending_word(&info, WorkerStanding::Quiet);
        assert_eq!(told.as_deref(), Some("Stops at its next heartbeat"));
    }
}
