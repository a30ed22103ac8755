//! The other jobs of the subject, in the order they are due; all of them can be called off at once.

use leptos::prelude::*;
use reprieve::model::{JobDetail, JobId, JobState, Subject, Timestamp, Version};

use crate::components::acts::{CancelSubjectAct, SubjectOutcome};
use crate::components::badge::Badge;
use crate::components::time::TimePair;
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
    is_this: bool,
}

impl Sibling {
    /// All that is written of it.
    fn key(&self) -> (JobId, String, JobState, Timestamp) {
        (self.id.clone(), self.kind.clone(), self.state, self.due)
    }
}

/// The jobs of the subject as a small timeline. Nothing at all where it is the only one.
#[component]
pub(super) fn Siblings(
    /// The job with its siblings.
    detail: RwSignal<JobDetail>,
) -> impl IntoView {
    let subject = Memo::new(move |_| detail.with(|detail| detail.job.subject.clone()));
    // What was typed or answered about one subject is nothing of another one's.
    view! {
        <For each=move || subject.get() key=Clone::clone let:subject>
            <Timeline subject detail/>
        </For>
    }
}

/// The jobs of one subject.
#[component]
fn Timeline(subject: Subject, detail: RwSignal<JobDetail>) -> impl IntoView {
    let siblings = Memo::new(move |_| detail.with(timeline));
    let live_jobs = Memo::new(move |_| siblings.with(|all| live(all)));
    let outcome = RwSignal::new(None);
    let name = subject.to_string();
    let folded = Memo::new(move |_| siblings.with(|all| split(all).0.len()));
    let any_folded = Memo::new(move |_| folded.get() > 0);
    let earlier = move || {
        any_folded.get().then(|| {
            view! {
                <details>
                    <summary>{move || t!("job-siblings-earlier", count = folded.get())}</summary>
                    <ol>
                        <For each=move || siblings.with(|all| split(all).0.to_vec()) key=Sibling::key let:job>
                            <Stop job/>
                        </For>
                    </ol>
                </details>
            }
        })
    };
    view! {
        <section
            class="panel siblings"
            id="subject"
            aria-label=t!("job-siblings")
            hidden=move || siblings.with(Vec::len) < 2
        >
            <div class="panel-head">
                <h2>{t!("job-siblings-of", subject = name)}</h2>
                <CancelSubjectAct subject live_jobs outcome/>
            </div>
            <SubjectOutcome outcome/>
            {earlier}
            <ol>
                <For each=move || siblings.with(|all| split(all).1.to_vec()) key=Sibling::key let:job>
                    <Stop job/>
                </For>
            </ol>
        </section>
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
    let mut all: Vec<Sibling> = detail
        .siblings
        .iter()
        .filter(|row| row.id != this.id)
        .map(|row| Sibling {
            id: row.id.clone(),
            kind: row.kind.to_string(),
            state: row.state,
            version: row.version,
            due: row.due,
            is_this: false,
        })
        .collect();
    all.push(Sibling {
        id: this.id.clone(),
        kind: this.kind.to_string(),
        state: this.state,
        version: this.version,
        due: this.due,
        is_this: true,
    });
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
    view! {
        <li class="sibling" data-state=job.state.as_str() aria-current=job.is_this.then_some("true")>
            <span class="sibling-name">{name}</span>
            <Badge state=job.state/>
            <TimePair at=job.due/>
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
