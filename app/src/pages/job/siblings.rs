//! The other jobs of the subject, in the order they are due; all of them can be called off at once.

use leptos::prelude::*;
use leptos::server_fn::ServerFn;
use reprieve::model::{JobDetail, JobId, JobState, Permission, Subject, Timestamp, Version};

use crate::api::acts::CancelSubject;
use crate::components::acts::OperationOnField;
use crate::components::badge::Badge;
use crate::components::confirm::Confirm;
use crate::components::fields::{BackField, ReasonFields};
use crate::components::icons::{Icon, icon};
use crate::components::time::{Time, TimePair, TimeStyle};
use crate::session::Session;
use crate::{routes, t};

/// Jobs that ended before stay in sight up to this many; older ones fold.
const ENDED_MAX: usize = 5;

/// One job of the subject.
#[derive(Debug, Clone, PartialEq)]
struct Sibling {
    id: JobId,
    kind: String,
    state: JobState,
    version: Version,
    due: Timestamp,
    /// Somebody asked the running attempt to stop.
    asked: bool,
    is_this: bool,
}

/// A job or a row as one of them.
macro_rules! sibling {
    ($job:expr, $is_this:expr) => {
        Sibling {
            id: $job.id.clone(),
            kind: $job.kind.to_string(),
            state: $job.state,
            version: $job.version,
            due: $job.due,
            asked: $job.state == JobState::Active && $job.cancel_requested.is_some(),
            is_this: $is_this,
        }
    };
}

/// The jobs of the subject as a small timeline. Nothing at all where it is the only one.
#[component]
pub(super) fn Siblings(detail: JobDetail) -> impl IntoView {
    let subject = detail.job.subject.clone()?;
    let all = timeline(&detail);
    let name = subject.to_string();
    let (earlier, rest) = split(&all);
    let stops = |jobs: &[Sibling]| jobs.iter().cloned().map(|job| view! { <Stop job/> }).collect_view();
    let earlier = (!earlier.is_empty()).then(|| {
        let count = earlier.len();
        view! {
            <details>
                <summary>{t!("job-siblings-earlier", count = count)}</summary>
                <ol>{stops(earlier)}</ol>
            </details>
        }
    });
    let rest = stops(rest);
    let alone = all.len() < 2;
    Some(view! {
        <section class="panel siblings" id="subject" aria-label=t!("job-siblings") hidden=alone>
            <div class="panel-head">
                <h2>{t!("job-siblings-of", subject = name)}</h2>
                <CancelAll subject live_jobs=live(&all)/>
            </div>
            {earlier}
            <ol>{rest}</ol>
        </section>
    })
}

/// The button that calls off every live job of the subject.
#[component]
fn CancelAll(
    subject: Subject,
    /// Its live jobs and their versions, as they are on screen.
    live_jobs: Vec<(JobId, Version)>,
) -> impl IntoView {
    let session = Session::get();
    let (named, count) = (subject.to_string(), live_jobs.len());
    let what = match count {
        0 => t!("acts-cancel-its-jobs"),
        count => t!("acts-cancel-its-live-jobs", count = count),
    };
    let why = match count {
        0 => t!("acts-subject-nothing-live"),
        _ => session.off_everywhere(Permission::CancelJobs).unwrap_or_default(),
    };
    view! {
        <Confirm
            id="subject-cancel"
            dismiss_first=session.is_production()
            trigger=move || view! { {icon(Icon::SlashedCircle)} <span>{what.clone()}</span> }
            title=t!("acts-cancel-subject-title", subject = named.clone())
            sentence=t!("acts-cancel-subject-consequence", count = count, subject = named.clone())
            dismiss=t!("acts-keep-jobs")
            disabled_because=why
            tone="danger"
        >
            <form method="post" action=CancelSubject::PATH>
                <input type="hidden" name="subject" value=named/>
                <OperationOnField jobs=live_jobs/>
                <BackField/>
                <ReasonFields id="subject-cancel-why" destroys=true/>
                <button type="submit" class="button" data-tone="destroy">{t!("acts-cancel-jobs", count = count)}</button>
            </form>
        </Confirm>
    }
}

/// The ended jobs that fold, and the rest. This job and whatever comes after a live one always stay.
fn split(all: &[Sibling]) -> (&[Sibling], &[Sibling]) {
    let first = all.iter().position(|job| job.is_this || !job.state.is_final()).unwrap_or(all.len());
    all.split_at(first.saturating_sub(ENDED_MAX))
}

/// The jobs that can be called off, and their versions.
fn live(all: &[Sibling]) -> Vec<(JobId, Version)> {
    all.iter().filter(|job| !job.state.is_final()).map(|job| (job.id.clone(), job.version)).collect()
}

fn timeline(detail: &JobDetail) -> Vec<Sibling> {
    let this = &detail.job;
    let others = detail.siblings.iter().filter(|row| row.id != this.id);
    let mut all: Vec<Sibling> =
        others.map(|row| sibling!(row, false)).chain([sibling!(this, true)]).collect();
    all.sort_by(|a, b| (a.due, &a.id).cmp(&(b.due, &b.id)));
    all
}

#[component]
fn Stop(job: Sibling) -> impl IntoView {
    let name = if job.is_this {
        view! { <strong>{job.kind}</strong> <small>{t!("job-this")}</small> }.into_any()
    } else {
        view! { <a href=routes::job(&job.id)>{job.kind}</a> }.into_any()
    };
    // What will not run at its time is no count down.
    let time = match job.state {
        JobState::Cancelled | JobState::Held => {
            let word = if job.state == JobState::Held { t!("job-due") } else { t!("job-was-due") };
            view! { <span class="time-pair"><span>{word}</span> <small><Time at=job.due style=TimeStyle::Absolute/></small></span> }
                .into_any()
        }
        _ => view! { <TimePair at=job.due/> }.into_any(),
    };
    let asked = if job.asked { t!("job-asked-to-stop") } else { String::new() };
    view! {
        <li class="sibling" id=format!("sibling-{}", job.id) data-state=job.state.as_str() aria-current=job.is_this.then_some("true")>
            <span class="sibling-name">{name}</span>
            <Badge state=job.state detail=asked/>
            {time}
        </li>
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn sibling(n: i64, state: JobState, is_this: bool) -> Sibling {
        Sibling {
            id: JobId::new(format!("j{n}")).unwrap(),
            kind: "notice".to_owned(),
            state,
            version: Version(1),
            due: Timestamp::saturating_from_millis(n),
            asked: false,
            is_this,
        }
    }

    #[test]
    fn only_what_ended_long_before_folds() {
        let mut all: Vec<Sibling> = (0..20).map(|n| sibling(n, JobState::Done, false)).collect();
        all.push(sibling(20, JobState::Delayed, true));
        let (folded, shown) = split(&all);
        assert_eq!((folded.len(), shown.len()), (15, 6));

        all.insert(0, sibling(0, JobState::Retrying, false));
        assert_eq!(split(&all).0.len(), 0, "a live job before them keeps all in sight");
    }
}
