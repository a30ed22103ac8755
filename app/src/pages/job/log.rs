//! What the job says while it runs: how far it is, its log, its result.

use leptos::prelude::*;
use leptos_router::params::ParamsMap;
use reprieve::model::{Job, JobLog, JobState, LogLevel};

use super::here;
use super::payload::body;
use crate::clock::Clock;
use crate::components::copy::CopyButton;
use crate::{format, i18n, t};

/// Lines that are shown at first; the rest on demand.
const LINES_FIRST: u16 = 100;
/// Lines kept of a job, and so on screen.
const LINES_MAX: u16 = 1_000;
/// What the address of a job calls its log, and all of it.
const LOG: &str = "log";
const ALL: &str = "all";
/// What it calls the last line, where somebody reads and nothing is to come in.
const UNTIL: &str = "log_until";

/// Which lines of the log the address asks for.
#[derive(Clone, Copy)]
pub(super) struct Part {
    /// As many of the latest ones.
    most: u16,
    /// Up to that one.
    until: Option<u64>,
}

impl Part {
    pub(super) fn of(query: &ParamsMap) -> Self {
        let most = if query.get_str(LOG) == Some(ALL) { LINES_MAX } else { LINES_FIRST };
        Self { most, until: query.get_str(UNTIL).and_then(|text| text.parse().ok()) }
    }

    /// Behind which line it begins, and how many lines it has of a log that has so many.
    pub(super) fn lines(self, all: u64) -> (u64, u16) {
        let last = self.until.unwrap_or(all).min(all);
        let first = last.saturating_sub(self.most.into());
        (first, u16::try_from(last - first).unwrap_or(LINES_MAX))
    }
}

/// How far it is. Nothing at all for a job that never said.
#[component]
pub(super) fn Progress(job: Job) -> impl IntoView {
    job.progress.map(|said| {
        let stale = said.attempt != job.attempt || job.state != JobState::Active;
        let percent = t!("job-percent", percent = said.percent);
        view! {
            <div class="job-progress" data-stale=stale.to_string()>
                <progress max="100" value=said.percent.to_string() aria-label=t!("job-progress")></progress>
                <span>{percent} " " {said.text}</span>
            </div>
        }
    })
}

/// The log. While the job runs new lines come in below, unless somebody stopped them. The style sheet hides the lines below
/// the chosen level.
#[component]
pub(super) fn Log(
    job: Job,
    log: JobLog,
    /// Which of them these are.
    part: Part,
) -> impl IntoView {
    if job.log_lines == 0 {
        return None;
    }
    let zone = Clock::get().zone();
    let lines = log.lines;
    // Of more lines than are kept the earlier ones are gone.
    let earlier = lines.len() < usize::from(LINES_MAX) && lines.first().is_some_and(|line| line.number > 1);
    let earlier = earlier.then(|| {
        view! { <a href=here::with(LOG, Some(ALL.to_owned())) data-here="">{t!("job-log-earlier")}</a> }
    });
    let follow = match part.until {
        Some(_) => Some((here::with(UNTIL, None), t!("job-log-follow"))),
        None if job.state.is_final() => None,
        None => Some((here::with(UNTIL, Some(job.log_lines.to_string())), t!("job-log-stop"))),
    };
    let follow = follow.map(|(href, words)| {
        view! { <a class="button" data-size="small" href=href data-here="">{words}</a> }
    });
    let copied = lines.iter().map(|line| line.text.as_str()).collect::<Vec<_>>().join("\n");
    let lines = lines.into_iter().map(|line| {
        view! {
            <li id=format!("line-{}", line.number) data-level=line.level.as_str()>
                <span class="log-at">{format::clock(line.at, zone)}</span>
                <span class="log-level">{word(line.level)}</span>
                <span class="log-text">{format::without_escapes(&line.text)}</span>
            </li>
        }
    });
    Some(view! {
        <section class="panel job-log" aria-label=t!("job-log")>
            <div class="panel-head">
                <h2>{t!("job-log")}</h2>
                <small>{t!("job-log-kept", count = job.log_lines)}</small>
                <label class="job-log-level">
                    {t!("job-log-from")} " "
                    <select>
                        {LogLevel::ALL.map(|level| view! { <option value=level.as_str()>{word(level)}</option> })}
                    </select>
                </label>
                {follow}
                <CopyButton text=copied what=t!("job-copy-log")/>
            </div>
            <div class="panel-body">
                {earlier}
                <ol class="log-lines" id="log-lines" tabindex="0" aria-label=t!("job-log")>{lines.collect_view()}</ol>
            </div>
        </section>
    })
}

fn word(level: LogLevel) -> String {
    i18n::word("job-log", level.as_str())
}

/// What the run came to. Nothing at all where its handler kept nothing.
#[component]
pub(super) fn Outcome(
    /// What it kept.
    result: Vec<u8>,
) -> impl IntoView {
    if result.is_empty() {
        return None;
    }
    let copied = String::from_utf8_lossy(&result).into_owned();
    Some(view! {
        <section class="panel" aria-label=t!("job-result")>
            <div class="panel-head">
                <h2>{t!("job-result")}</h2>
                <small>{format::bytes(u64::try_from(result.len()).unwrap_or(u64::MAX))}</small>
                <CopyButton text=copied what=t!("job-copy-result")/>
            </div>
            <div class="panel-body">{body(&result, None)}</div>
        </section>
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn an_address_asks_for_the_latest_lines_for_all_or_for_those_up_to_one() {
        let lines = |pairs: &[(&'static str, &str)], all| {
            let query = pairs.iter().map(|&(word, value)| (word, value.to_owned())).collect::<ParamsMap>();
            Part::of(&query).lines(all)
        };
        assert_eq!(lines(&[], 0), (0, 0));
        assert_eq!(lines(&[], 150), (50, 100));
        assert_eq!(lines(&[(LOG, "some")], 30), (0, 30));
        assert_eq!(lines(&[(LOG, ALL)], 5_000), (4_000, 1_000));
        assert_eq!(lines(&[(UNTIL, "120")], 150), (20, 100));
        assert_eq!(lines(&[(UNTIL, "500"), (LOG, ALL)], 150), (0, 150));
    }
}
