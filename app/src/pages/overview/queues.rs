//! Every queue in one row: how full, how fast, how late, and the switch that pauses it.

use std::sync::Arc;

use leptos::prelude::*;
use leptos::task::spawn_local;
use leptos_router::hooks::use_query_map;
use reprieve::model::{Overview, Permission, QueueName, QueueSummary, StateGroup, Timestamp};

use crate::api::{PauseQueue, ResumeQueue, resume_queue};
use crate::components::fields::BackField;
use crate::components::icons::{Icon, icon};
use crate::components::post_form::{FormAction, PostForm};
use crate::components::time::{HERE, Time, TimedSentence};
use crate::live::Live;
use crate::live::effect::effect;
use crate::live::paced::Paced;
use crate::notice::{Notices, Undo};
use crate::session::Session;
use crate::{format, i18n, routes, t};

use super::address_with;

/// Queues that have a row at first; the others for whoever asks.
const ROWS_FIRST: usize = 50;
/// What the address says where all have one.
const ALL: &str = "all";

/// Pausing and resuming, once for the whole table.
#[derive(Clone, Copy)]
struct Switches {
    pause: FormAction<PauseQueue>,
    resume: FormAction<ResumeQueue>,
    /// Which queue was switched last: what "Undo" switches back.
    last: StoredValue<Option<QueueName>>,
}

/// The table of queues.
#[component]
pub fn Queues(
    /// The overview as last read.
    overview: Signal<Option<Overview>>,
) -> impl IntoView {
    let switches =
        Switches { pause: FormAction::new(), resume: FormAction::new(), last: StoredValue::new(None) };
    tell_outcomes(switches);
    let query = use_query_map();
    let all = Memo::new(move |_| query.with(|query| query.get_str("queues") == Some(ALL)));
    let count = Memo::new(move |_| overview.with(|o| o.as_ref().map_or(0, |o| o.queues.len())));
    let names = Memo::new(move |before: Option<&Vec<QueueName>>| {
        let most = if all.get() { usize::MAX } else { ROWS_FIRST };
        let before = before.map(Vec::as_slice).unwrap_or_default();
        overview.with(|o| o.as_ref().map(|o| shown(&o.queues, before, most)).unwrap_or_default())
    });
    let more = move || {
        let (all, count) = (all.get(), count.get());
        (count > ROWS_FIRST).then(|| {
            let (said, word, link) = match all {
                true => (t!("overview-queues-all", count = count), "", t!("overview-queues-fewer")),
                false => (
                    t!("overview-queues-some", some = ROWS_FIRST, count = count),
                    ALL,
                    t!("overview-queues-more"),
                ),
            };
            let href = move || address_with(query, "queues", word);
            view! { <p class="panel-foot">{said} " " <a href=href data-noscroll="">{link}</a></p> }
        })
    };
    let summary = move |name: QueueName| {
        Memo::new(move |_| {
            overview
                .with(|o| o.as_ref().and_then(|o| o.queues.iter().find(|queue| queue.name == name).cloned()))
        })
    };
    let read_at = Memo::new(move |_| overview.with(|o| o.as_ref().map_or(Timestamp::EPOCH, |o| o.read_at)));
    view! {
        <section class="panel" id="queues" aria-labelledby="queues-title">
            <div class="panel-head">
                <h2 id="queues-title">{t!("overview-queues")}</h2>
            </div>
            <div class="table-scroll" tabindex="0" role="group" aria-labelledby="queues-title">
                <table class="table cards queues">
                    <thead>
                        <tr>
                            <th scope="col">{t!("overview-col-queue")}</th>
                            <th scope="col" class="number">{i18n::group(StateGroup::Delay)}</th>
                            <th scope="col" class="number">{i18n::group(StateGroup::Ready)}</th>
                            <th scope="col" class="number">{i18n::group(StateGroup::Active)}</th>
                            <th scope="col" class="number">{i18n::group(StateGroup::Dead)}</th>
                            <th scope="col" class="number">{t!("overview-col-oldest")}</th>
                            <th scope="col" class="number">{t!("overview-col-in")}</th>
                            <th scope="col" class="number">{t!("overview-col-out")}</th>
                            <th scope="col" class="number">{t!("overview-col-late")}</th>
                            <th scope="col"><span class="visually-hidden">{t!("overview-col-switch")}</span></th>
                        </tr>
                    </thead>
                    <tbody>
                        <For each=move || names.get() key=Clone::clone let:name>
                            <QueueRow name=name.clone() summary=summary(name) read_at switches/>
                        </For>
                    </tbody>
                </table>
            </div>
            {more}
        </section>
    }
}

/// The queues that have a row, by name, at most so many: those that have one already, so that nothing moves under the
/// eyes, then those with jobs and those that are paused.
fn shown(queues: &[QueueSummary], before: &[QueueName], most: usize) -> Vec<QueueName> {
    let mut queues: Vec<&QueueSummary> = queues.iter().collect();
    if queues.len() > most {
        queues.sort_by_key(|queue| (!before.contains(&queue.name), is_idle(queue)));
        queues.truncate(most);
        queues.sort_by(|a, b| a.name.cmp(&b.name));
    }
    queues.into_iter().map(|queue| queue.name.clone()).collect()
}

fn is_idle(queue: &QueueSummary) -> bool {
    let live = [StateGroup::Delay, StateGroup::Ready, StateGroup::Active, StateGroup::Dead, StateGroup::Held];
    queue.paused.is_none() && live.into_iter().all(|group| queue.counts.group(group) == 0)
}

/// One queue; its cells change in place.
#[component]
fn QueueRow(
    name: QueueName,
    summary: Memo<Option<QueueSummary>>,
    read_at: Memo<Timestamp>,
    switches: Switches,
) -> impl IntoView {
    let (live, paced) = (Live::get(), Paced::new());
    let count_name = name.clone();
    let counts = Memo::new(move |_| {
        let told = live.counts_since(read_at.get(), |told| told.queues.get(&count_name).copied());
        paced.show(told.or_else(|| summary.get().map(|queue| queue.counts)).unwrap_or_default())
    });
    let count = |group: StateGroup| {
        let number = move || counts.get().group(group);
        let href = routes::jobs(group, Some(&name));
        view! {
            <td class="number" data-label=i18n::group(group)>
                <a class="count" href=href data-zero=move || (number() == 0).then_some("")>{move || format::number(number())}</a>
            </td>
        }
    };
    let with = move |read: fn(&QueueSummary) -> String| move || summary.with(|q| q.as_ref().map(read));
    let oldest = move || {
        summary
            .get()
            .and_then(|queue| queue.oldest_ready)
            .map(|at| view! { <Time at/> }.into_any())
            .unwrap_or_else(|| "–".into_any())
    };
    view! {
        <tr>
            <th scope="row">
                <a class="queue-name" href=routes::queue(&name)>{name.to_string()}</a>
                <PausedMark summary/>
            </th>
            {[StateGroup::Delay, StateGroup::Ready, StateGroup::Active, StateGroup::Dead].map(count)}
            <td class="number" data-label=t!("overview-col-oldest")>{oldest}</td>
            <td class="number" data-label=t!("overview-col-in")>{with(|queue| format::rate(queue.in_per_minute))}</td>
            <td class="number" data-label=t!("overview-col-out")>{with(|queue| format::rate(queue.out_per_minute))}</td>
            <td class="number" data-label=t!("overview-col-late")>{with(|queue| queue.late_ms_p99.map_or_else(|| "–".to_owned(), format::percentile))}</td>
            <td class="queue-switch"><Switch name summary switches/></td>
        </tr>
    }
}

/// Who paused it, since when and why.
#[component]
fn PausedMark(summary: Memo<Option<QueueSummary>>) -> impl IntoView {
    let paused = Memo::new(move |_| summary.get().and_then(|queue| queue.paused));
    move || {
        paused.get().map(|paused| {
            let by = if paused.why.is_empty() {
                t!("overview-paused-by", name = paused.by, at = HERE)
            } else {
                t!("overview-paused-why", name = paused.by, why = i18n::why(&paused.why), at = HERE)
            };
            view! { <small class="paused-mark"><TimedSentence text=by at=paused.at/></small> }
        })
    }
}

/// The button that pauses a running queue and resumes a paused one.
#[component]
fn Switch(name: QueueName, summary: Memo<Option<QueueSummary>>, switches: Switches) -> impl IntoView {
    let paused = Memo::new(move |_| summary.with(|q| q.as_ref().is_some_and(|queue| queue.paused.is_some())));
    let may = Session::get().may(Permission::PauseQueues);
    let refusal = (!may).then(|| i18n::needs(Permission::PauseQueues));
    let name = StoredValue::new(name);
    let remember = move |_| switches.last.set_value(Some(name.get_value()));
    let button = move |picture: Icon, verb: String, label: String| {
        view! {
            <input type="hidden" name="queue" value=name.with_value(ToString::to_string)/>
            <BackField/>
            <button
                type="submit"
                class="button"
                data-size="small"
                aria-disabled=(!may).then_some("true")
                title=refusal.clone()
                aria-label=label
                on:click=remember
            >
                {icon(picture)}
                {verb}
            </button>
        }
    };
    move || {
        let button = button.clone();
        let text = name.with_value(ToString::to_string);
        if paused.get() {
            view! { <PostForm action=switches.resume>{button(Icon::Play, t!("overview-resume"), t!("overview-resume-named", name = text))}</PostForm> }
                .into_any()
        } else {
            view! { <PostForm action=switches.pause>{button(Icon::Pause, t!("overview-pause"), t!("overview-pause-named", name = text))}</PostForm> }.into_any()
        }
    }
}

/// Says what pausing and resuming achieved, with the way back, and has the page read again.
fn tell_outcomes(switches: Switches) {
    let notices = Notices::get();
    let live = Live::get();
    let Switches { pause, resume, last } = switches;
    effect(move || {
        let Some(answer) = pause.value().get() else { return };
        live.refresh();
        match (answer, last.get_value()) {
            (Ok(true), Some(queue)) => {
                let said = i18n::queue_paused(&queue);
                // The page may have been left when it is pressed: nothing of the page is used.
                let undo: Undo = Arc::new(move |attempt| {
                    let queue = queue.clone();
                    spawn_local(async move {
                        let answer = resume_queue(queue.clone(), None, None).await;
                        attempt.answer(&answer, |_| i18n::queue_resumed(&queue));
                        live.refresh();
                    });
                });
                notices.say_with_undo(said, undo);
            }
            (Ok(_), _) => notices.tell(i18n::Said::plain(t!("overview-paused-already"))),
            (Err(error), _) => notices.fail(&error),
        }
    });
    effect(move || {
        let Some(answer) = resume.value().get() else { return };
        live.refresh();
        match (answer, last.get_value()) {
            (Ok(true), Some(queue)) => notices.say(i18n::queue_resumed(&queue)),
            (Ok(_), _) => notices.tell(i18n::Said::plain(t!("overview-not-paused"))),
            (Err(error), _) => notices.fail(&error),
        }
    });
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
    fn of_many_queues_those_with_jobs_have_a_row_and_keep_it() {
        let names = |queues: &[QueueSummary], before: &[QueueName]| -> Vec<String> {
            shown(queues, before, 2).iter().map(ToString::to_string).collect()
        };
        let [few, many] = [["a", "b"].as_slice(), &["a", "b", "c", "d"]]
            .map(|all| all.iter().map(|name| queue(name, u64::from(*name > "b"))).collect::<Vec<_>>());
        assert_eq!(names(&few, &[]), ["a", "b"]);
        assert_eq!(names(&many, &[]), ["c", "d"], "c and d have jobs");
        let before = ["a", "d"].map(|name| name.parse().unwrap());
        assert_eq!(names(&many, &before), ["a", "d"]);
        assert_eq!(shown(&many, &before, usize::MAX).len(), 4);
    }
}
