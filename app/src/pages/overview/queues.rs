//! Every queue in one row: how full, how fast, how late, and the switch that pauses it.

use leptos::prelude::*;
use leptos::server_fn::ServerFn;
use leptos_router::hooks::use_query_map;
use reprieve::model::{PausedQueue, Permission, QueueSummary, StateGroup};

use super::address_with;
use crate::api::queues::{PauseQueue, ResumeQueue};
use crate::components::fields::BackField;
use crate::components::icons::{Icon, icon};
use crate::components::table::{Table, head, hidden, number};
use crate::components::time::{HERE, Time, TimedSentence};
use crate::session::Session;
use crate::{format, i18n, routes, t};

/// Queues that have a row at first; the others have one when somebody asks.
const ROWS_FIRST: usize = 50;
/// What the address says where all have one.
const ALL: &str = "all";

/// The table of queues.
#[component]
pub(crate) fn Queues(queues: Vec<QueueSummary>) -> impl IntoView {
    let query = use_query_map().get_untracked();
    let all = query.get_str("queues") == Some(ALL);
    let count = queues.len();
    let more = (count > ROWS_FIRST).then(|| {
        let (said, word, link) = match all {
            true => (t!("overview-queues-all", count = count), "", t!("overview-queues-fewer")),
            false => {
                let said = t!("overview-queues-some", some = ROWS_FIRST, count = count);
                (said, ALL, t!("overview-queues-more"))
            }
        };
        let href = address_with(&query, "queues", word);
        view! { <p class="panel-foot">{said} " " <a href=href data-here="">{link}</a></p> }
    });
    let rows = shown(queues, if all { usize::MAX } else { ROWS_FIRST });
    view! {
        <section class="panel" id="queues" aria-labelledby="queues-title">
            <div class="panel-head">
                <h2 id="queues-title">{t!("overview-queues")}</h2>
            </div>
            <Table named_by="queues-title" class="cards queues" still="queue-rows" heads=vec![
                head(t!("overview-col-queue")), number(i18n::group(StateGroup::Delay)),
                number(i18n::group(StateGroup::Ready)), number(i18n::group(StateGroup::Active)),
                number(i18n::group(StateGroup::Dead)), number(t!("overview-col-oldest")),
                number(t!("overview-col-in")), number(t!("overview-col-out")), number(t!("overview-col-late")),
                hidden(t!("overview-col-switch")),
            ]>
                {rows.into_iter().map(|queue| view! { <QueueRow queue/> }).collect_view()}
            </Table>
            {more}
        </section>
    }
}

/// The queues that have a row, by name, at most so many: those with jobs and those that are paused first.
fn shown(mut queues: Vec<QueueSummary>, most: usize) -> Vec<QueueSummary> {
    if queues.len() > most {
        queues.sort_by_key(is_idle);
        queues.truncate(most);
        queues.sort_by(|a, b| a.name.cmp(&b.name));
    }
    queues
}

fn is_idle(queue: &QueueSummary) -> bool {
    let live = [StateGroup::Delay, StateGroup::Ready, StateGroup::Active, StateGroup::Dead, StateGroup::Held];
    queue.paused.is_none() && live.into_iter().all(|group| queue.counts.group(group) == 0)
}

#[component]
fn QueueRow(queue: QueueSummary) -> impl IntoView {
    let count = |group: StateGroup| {
        let number = queue.counts.group(group);
        let href = routes::jobs(group, Some(&queue.name));
        view! {
            <td class="number" data-label=i18n::group(group)>
                <a class="count" href=href data-zero=(number == 0).then_some("")>{format::number(number)}</a>
            </td>
        }
    };
    let counts = [StateGroup::Delay, StateGroup::Ready, StateGroup::Active, StateGroup::Dead].map(count);
    let oldest = match queue.oldest_ready {
        Some(at) => view! { <Time at/> }.into_any(),
        None => "–".into_any(),
    };
    let late = queue.late_ms_p99.map_or_else(|| "–".to_owned(), format::percentile);
    view! {
        <tr id=format!("queue-row-{}", queue.name)>
            <th scope="row">
                <a class="queue-name" href=routes::queue(&queue.name)>{queue.name.to_string()}</a>
                {queue.paused.as_ref().map(paused_mark)}
            </th>
            {counts}
            <td class="number" data-label=t!("overview-col-oldest")>{oldest}</td>
            <td class="number" data-label=t!("overview-col-in")>{format::rate(queue.in_per_minute)}</td>
            <td class="number" data-label=t!("overview-col-out")>{format::rate(queue.out_per_minute)}</td>
            <td class="number" data-label=t!("overview-col-late")>{late}</td>
            <td class="queue-switch">{switch(&queue)}</td>
        </tr>
    }
}

/// Who paused it, since when and why.
fn paused_mark(paused: &PausedQueue) -> impl IntoView + use<> {
    let by = paused.by.clone();
    let text = if paused.why.is_empty() {
        t!("overview-paused-by", name = by, at = HERE)
    } else {
        t!("overview-paused-why", name = by, why = i18n::why(&paused.why), at = HERE)
    };
    view! { <small class="paused-mark"><TimedSentence text at=paused.at/></small> }
}

/// The button that pauses a running queue and resumes a paused one.
fn switch(queue: &QueueSummary) -> impl IntoView + use<> {
    let name = queue.name.to_string();
    let (path, picture, verb, label) = if queue.paused.is_some() {
        let label = t!("overview-resume-named", name = name.clone());
        (ResumeQueue::PATH, Icon::Play, t!("overview-resume"), label)
    } else {
        let label = t!("overview-pause-named", name = name.clone());
        (PauseQueue::PATH, Icon::Pause, t!("overview-pause"), label)
    };
    let lacks = !Session::get().may(Permission::PauseQueues);
    view! {
        <form method="post" action=path>
            <input type="hidden" name="queue" value=name/>
            <BackField/>
            <button
                type="submit"
                class="button"
                data-size="small"
                aria-disabled=lacks.then_some("true")
                title=lacks.then(|| i18n::needs(Permission::PauseQueues))
                aria-label=label
            >
                {icon(picture)}
                {verb}
            </button>
        </form>
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn queue(name: &str, ready: u64) -> QueueSummary {
        let mut queue = QueueSummary::empty(name.parse().unwrap());
        queue.counts.ready = ready;
        queue
    }

    #[test]
    fn of_many_queues_those_with_jobs_have_a_row() {
        let shown = |names: &[&str], most| -> Vec<String> {
            let queues = names.iter().map(|name| queue(name, u64::from(*name > "b"))).collect();
            shown(queues, most).iter().map(|queue| queue.name.to_string()).collect()
        };
        assert_eq!(shown(&["a", "b"], 2), ["a", "b"]);
        assert_eq!(shown(&["a", "b", "c", "d"], 2), ["c", "d"], "c and d have jobs");
        assert_eq!(shown(&["a", "b", "c", "d"], usize::MAX).len(), 4);
    }
}
