//! Past attempts, newest first.

use leptos::prelude::*;
use reprieve::model::{Alike, Attempt, AttemptResult};

use super::same_error::SameError;
use super::trace::trace;
use crate::components::copy::CopyButton;
use crate::components::table::{Table, head, number};
use crate::components::time::{Time, TimeStyle};
use crate::{format, i18n, t};

/// A failure text longer than this folds.
const ERROR_CHARS_OPEN: usize = 160;

/// What each attempt came to.
#[component]
pub(super) fn Attempts(
    attempts: Vec<Attempt>,
    /// The job has ended without one.
    never_ran: bool,
    /// The jobs that failed like this one.
    alike: Option<Alike>,
) -> impl IntoView {
    if attempts.is_empty() {
        return view! {
            <section class="panel" aria-label=t!("job-attempts")>
                <div class="panel-head"><h2>{t!("job-attempts")}</h2></div>
                <p class="panel-body quiet">{if never_ran { t!("job-never-ran") } else { t!("job-no-attempt") }}</p>
            </section>
        }
        .into_any();
    }
    view! {
        <section class="panel" aria-label=t!("job-attempts")>
            <div class="panel-head"><h2>{t!("job-attempts")}</h2> <SameError alike/></div>
            <Table label=t!("job-attempts-scrollable") class="cards attempts" heads=vec![
                number("#"), head(t!("job-started")), number(t!("job-took")), head(t!("job-attempt-result")),
                head(t!("job-worker")),
            ]>
                {attempts.into_iter().map(|attempt| view! { <Row attempt/> }).collect_view()}
            </Table>
        </section>
    }
    .into_any()
}

#[component]
fn Row(attempt: Attempt) -> impl IntoView {
    let took = attempt.ended.millis_since(attempt.started).max(0).unsigned_abs();
    let error = (!attempt.error.is_empty()).then(|| error(format::without_escapes(&attempt.error)));
    // An attempt never changes once it is over; its id keeps what is unfolded in it.
    let id = format!("attempt-{}-{}", attempt.number, attempt.started.as_millis());
    view! {
        <tr id=id>
            <td class="number" data-label="#">{attempt.number}</td>
            <td data-label=t!("job-started")><Time at=attempt.started style=TimeStyle::Absolute/></td>
            <td class="number" data-label=t!("job-took")>{format::short_ms(took)}</td>
            <td class="attempt-result cell-whole"><span data-result=attempt.result.as_str()>{word(attempt.result)}</span> {error}</td>
            <td class="attempt-worker cell-whole" data-label=t!("job-worker")>{attempt.worker}</td>
        </tr>
    }
}

fn error(text: String) -> AnyView {
    let copy = view! { <CopyButton text=text.clone() what=t!("job-copy-error")/> };
    let first = text.lines().next().unwrap_or_default().to_owned();
    if text.chars().count() <= ERROR_CHARS_OPEN && !text.contains('\n') {
        view! { <p class="attempt-error">{text} " " {copy}</p> }.into_any()
    } else {
        let head: String = first.chars().take(ERROR_CHARS_OPEN).collect();
        view! { <details class="attempt-error"><summary>{head}</summary> {trace(&text)} {copy}</details> }
            .into_any()
    }
}

fn word(result: AttemptResult) -> String {
    i18n::word("job-result", result.as_str())
}
