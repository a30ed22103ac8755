//! What the job says while it runs: how far it is, its log, its result.

use leptos::prelude::*;
use leptos::task::spawn_local;
use leptos::{ev, html};
use reprieve::model::{JobDetail, JobLog, JobState, LogLevel, LogLine};

use super::payload::body;
use crate::api::get_log;
use crate::clock::Clock;
use crate::components::copy::CopyButton;
use crate::live::effect::effect;
use crate::{format, routes, t};

/// Lines that are read at first; the rest on demand.
pub(super) const LINES_FIRST: u16 = 100;
/// Lines kept of a job, and so on screen.
const LINES_MAX: u16 = 1_000;
/// What the address of a job calls its log, and all of it.
pub(super) const LOG: &str = "log";
const ALL: &str = "all";

/// How many of the latest lines an address asks for.
pub(super) fn lines_asked(log: Option<&str>) -> u16 {
    if log == Some(ALL) { LINES_MAX } else { LINES_FIRST }
}

/// How far it is. Nothing at all for a job that never said.
#[component]
pub(super) fn Progress(
    /// The job.
    detail: RwSignal<JobDetail>,
) -> impl IntoView {
    let progress = Memo::new(move |_| detail.with(|detail| detail.job.progress.clone()));
    let stale = move || {
        detail.with(|detail| {
            let old = detail.job.progress.as_ref().is_some_and(|said| said.attempt != detail.job.attempt);
            old || detail.job.state != JobState::Active
        })
    };
    move || {
        progress.get().map(|said| {
            let percent = t!("job-percent", percent = said.percent);
            view! {
                <div class="job-progress" data-stale=move || stale().to_string()>
                    <progress max="100" value=said.percent.to_string() aria-label=t!("job-progress")></progress>
                    <span>{percent} " " {said.text}</span>
                </div>
            }
        })
    }
}

/// The log. While the job runs new lines come in below, unless somebody stopped them.
#[component]
pub(super) fn Log(
    /// The job.
    detail: RwSignal<JobDetail>,
    /// The latest lines as they were read with the page.
    first: JobLog,
) -> impl IntoView {
    let clock = Clock::get();
    let lines = RwSignal::new(first.lines);
    let follows = RwSignal::new(true);
    let level = RwSignal::new(LogLevel::Debug);
    let total = Memo::new(move |_| detail.with(|detail| detail.job.log_lines));
    let id = StoredValue::new(detail.with_untracked(|detail| detail.job.id.clone()));
    effect(move || {
        let (total, follows) = (total.get(), follows.get());
        let last = lines.with_untracked(|lines| lines.last().map_or(0, |line| line.number));
        if follows && total > last {
            spawn_local(async move {
                if let Ok(more) = get_log(id.get_value(), last, LINES_MAX).await {
                    append(lines, more.lines);
                }
            });
        }
    });
    // Of more lines than are kept the earlier ones are gone.
    let earlier = move || {
        lines.with(|lines| {
            lines.len() < usize::from(LINES_MAX) && lines.first().is_some_and(|line| line.number > 1)
        })
    };
    let list = NodeRef::<html::Ol>::new();
    let all = move |event: ev::MouseEvent| {
        if event.ctrl_key() || event.meta_key() || event.shift_key() {
            return;
        }
        event.prevent_default();
        spawn_local(async move {
            if let Ok(log) = get_log(id.get_value(), 0, LINES_MAX).await {
                let _ = lines.try_set(log.lines);
                // The link is gone.
                #[cfg(feature = "hydrate")]
                if let Some(list) = list.try_get_untracked().flatten() {
                    let _ = list.focus();
                }
            }
        });
    };
    let whole = format!("{}?{LOG}={ALL}", routes::job(&id.get_value()));
    let shown = move || {
        let level = level.get();
        lines.with(|lines| lines.iter().filter(|line| line.level >= level).cloned().collect::<Vec<_>>())
    };
    let none = Memo::new(move |_| total.get() == 0);
    let choose = move |event| level.set(event_target_value(&event).parse().unwrap_or_default());
    let copied = Signal::derive(move || {
        lines.with(|lines| lines.iter().map(|line| line.text.as_str()).collect::<Vec<_>>().join("\n"))
    });
    let follow = move |_| follows.update(|follows| *follows = !*follows);
    view! {
        <section class="panel job-log" aria-label=t!("job-log") hidden=move || none.get()>
            <div class="panel-head">
                <h2>{t!("job-log")}</h2>
                <small>{move || t!("job-log-kept", count = total.get())}</small>
                <label class="job-log-level">
                    {t!("job-log-from")} " "
                    <select on:change=choose>
                        {LogLevel::ALL.map(|level| view! { <option value=level.as_str()>{word(level)}</option> })}
                    </select>
                </label>
                <button type="button" class="button" data-size="small" aria-pressed=move || (!follows.get()).to_string() on:click=follow>
                    {move || if follows.get() { t!("job-log-stop") } else { t!("job-log-follow") }}
                </button>
                <CopyButton text=copied what=t!("job-copy-log")/>
            </div>
            <div class="panel-body">
                {move || earlier().then(|| view! { <a href=whole.clone() on:click=all>{t!("job-log-earlier")}</a> })}
                <ol class="log-lines" tabindex="0" aria-label=t!("job-log") node_ref=list>
                    <For each=shown key=|line| line.number let:line>
                        <li data-level=line.level.as_str()>
                            <span class="log-at">{move || format::clock(line.at, clock.zone())}</span>
                            <span class="log-level">{word(line.level)}</span>
                            <span class="log-text">{format::without_escapes(&line.text)}</span>
                        </li>
                    </For>
                </ol>
            </div>
        </section>
    }
}

/// Adds lines that are not there yet; the oldest go where they grow too many.
fn append(lines: RwSignal<Vec<LogLine>>, more: Vec<LogLine>) {
    let _ = lines.try_update(|lines| {
        let last = lines.last().map_or(0, |line| line.number);
        lines.extend(more.into_iter().filter(|line| line.number > last));
        let surplus = lines.len().saturating_sub(usize::from(LINES_MAX));
        lines.drain(..surplus);
    });
}

fn word(level: LogLevel) -> String {
    match level {
        LogLevel::Debug => t!("job-log-debug"),
        LogLevel::Info => t!("job-log-info"),
        LogLevel::Warn => t!("job-log-warn"),
        LogLevel::Error => t!("job-log-error"),
    }
}

/// What the run came to. Nothing at all where its handler kept nothing.
#[component]
pub(super) fn Outcome(
    /// The job.
    detail: RwSignal<JobDetail>,
) -> impl IntoView {
    let result = Memo::new(move |_| detail.with(|detail| detail.job.result.clone()));
    move || {
        let bytes = result.get();
        (!bytes.is_empty()).then(|| {
            let copied = String::from_utf8_lossy(&bytes).into_owned();
            view! {
                <section class="panel" aria-label=t!("job-result")>
                    <div class="panel-head">
                        <h2>{t!("job-result")}</h2>
                        <small>{format::bytes(u64::try_from(bytes.len()).unwrap_or(u64::MAX))}</small>
                        <CopyButton text=copied what=t!("job-copy-result")/>
                    </div>
                    <div class="panel-body">{body(&bytes, None)}</div>
                </section>
            }
        })
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use reprieve::model::Timestamp;

    #[test]
    fn an_address_asks_for_the_latest_lines_or_for_all() {
        assert_eq!([None, Some("some"), Some("all")].map(lines_asked), [LINES_FIRST, LINES_FIRST, LINES_MAX]);
    }

    #[test]
    fn lines_that_are_there_do_not_come_twice() {
        let line = |n| LogLine::new(n, Timestamp::EPOCH, 1, LogLevel::Info, n.to_string());
        let owner = Owner::new();
        owner.with(|| {
            let lines = RwSignal::new(vec![line(1), line(2)]);
            append(lines, vec![line(2), line(3)]);
            assert_eq!(
                lines.with(|lines| lines.iter().map(|line| line.number).collect::<Vec<_>>()),
                [1, 2, 3]
            );
            append(lines, (4..=1_100).map(line).collect());
            assert_eq!(lines.with(|lines| (lines.len(), lines[0].number)), (1_000, 101));
        });
    }
}
