//! Before a run starts: exactly which jobs, what happens to them, what is left alone; then why, and how many.

use leptos::prelude::*;
use leptos::server_fn::ServerFn;
use leptos_router::params::ParamsMap;
use reprieve::model::{
    BULK_SAMPLES_AFTER_MAX, BulkRun, BulkState, BulkVerb, Delay, JobRow, JobState, Permission, Shift,
};

use crate::api::bulk::{AbortBulk, CollectBulk, KindOfRun, RunView, StartBulk, get_bulk_samples};
use crate::api::bulk::{TYPED_FROM, typed_from};
use crate::api::typed_count;
use crate::components::badge::Badge;
use crate::components::error_panel::ErrorPanel;
use crate::components::fields::{BackField, ReasonFields, Submit, labelled};
use crate::components::table::{Table, head};
use crate::components::time::{HERE, Time, TimeStyle, TimedSentence};
use crate::error::ApiError;
use crate::i18n::ReasonsFor;
use crate::session::Session;
use crate::{format, i18n, routes, t};

/// In the address: how many jobs stand before those that are shown.
const SAMPLES_AFTER: &str = "samples";

/// Some of the jobs of a run, twenty at a time.
pub(super) struct Samples {
    /// How many stand before them.
    after: u16,
    rows: Result<Vec<JobRow>, ApiError>,
}

impl Samples {
    /// Those that the address asks for; `None` of a run that has none to show.
    pub(super) async fn read(run: &BulkRun, query: &ParamsMap) -> Option<Self> {
        if run.total == 0 || !matches!(run.state, BulkState::Frozen | BulkState::Waiting) {
            return None;
        }
        let after = query.get(SAMPLES_AFTER).and_then(|text| text.parse().ok()).unwrap_or(0);
        let after = after.min(BULK_SAMPLES_AFTER_MAX);
        Some(Self { after, rows: get_bulk_samples(run.id.clone(), after).await })
    }
}

/// The frozen jobs and the form that starts the run.
#[component]
pub(super) fn DryRun(view: RunView, samples: Option<Samples>) -> impl IntoView {
    let RunView { run, kinds, .. } = view;
    let expires = run.expires.map(|at| {
        let text = t!("bulk-later-ones", at = HERE);
        view! { <p class="run-later"><TimedSentence text at/></p> }
    });
    let span = format::span(run.takes().as_millis());
    let takes =
        if run.rate.is_some() { t!("bulk-takes", span = span) } else { t!("bulk-takes-about", span = span) };
    let touches = (run.subjects > 0)
        .then(|| view! { <p class="run-touches">{t!("bulk-touches", count = run.subjects)}</p> });
    let cut = run.cut.then(|| view! { <p class="run-cut" role="note">{t!("bulk-cut")}</p> });
    let range = run.due_ms.map(|(first, last)| {
        view! {
            <p>
                {t!("bulk-due-range")} " "
                <Time at=first style=TimeStyle::Absolute/> " – " <Time at=last style=TimeStyle::Absolute/>
            </p>
        }
    });
    if run.total == 0 {
        // Where it had to stop looking nobody knows whether one fits.
        let none = if run.cut {
            let text = t!("bulk-none-first", looked = run.looked_at);
            view! { <p class="run-cut" role="note">{text}</p> }.into_any()
        } else {
            view! { <p class="run-none">{t!("bulk-none")}</p> }.into_any()
        };
        return view! {
            {none}
            <p><a class="button" href=routes::JOBS>{t!("bulk-to-lists")}</a></p>
        }
        .into_any();
    }
    let (session, waits) = (Session::get(), run.state == BulkState::Waiting);
    // The person who asked has done what they can.
    let is_over_to_others = waits && session.two_people && run.asked_by == session.name;
    let form = (!is_over_to_others).then(|| view! { <StartForm run=run.clone()/> });
    let snapshot = t!("bulk-snapshot", count = run.total, at = HERE);
    let samples = samples.map(|samples| view! { <SamplesTable run=run.clone() samples/> });
    view! {
        {waits.then(|| view! { <Asked run=run.clone()/> })}
        <section class="panel run-told">
            <p class="run-snapshot">
                <TimedSentence text=snapshot at=run.created style=TimeStyle::Absolute/>
                " " <small>{t!("bulk-mark")} " " <code>{run.mark()}</code></small>
            </p>
            {expires}
            {cut}
            <p class="run-means"><Means run=run.clone()/></p>
            {touches}
            <p>{takes}</p>
            <Skipped run=run.clone() kinds=kinds.clone()/>
            <Felt run=run.clone() kinds/>
            {range}
        </section>
        <Splits run/>
        {samples}
        {form}
    }
    .into_any()
}

/// How far the look for its jobs has come.
pub(super) fn how_far_looked(run: &BulkRun) -> String {
    t!("bulk-looking", looked = run.looked_at, count = run.total)
}

/// How far the look for its jobs has come, and the way on for the person who made the run. Where scripts run, their page goes
/// on by itself until that fails.
#[component]
pub(super) fn Looking(
    run: BulkRun,
    /// Why it could not go on.
    error: Option<ApiError>,
) -> impl IntoView {
    let is_own = run.by == Session::get().name;
    let class = if error.is_some() { "button" } else { "button only-plain" };
    let go_on = is_own.then(|| {
        view! {
            <form method="post" action=CollectBulk::PATH>
                <input type="hidden" name="run" value=run.id.to_string()/>
                <BackField/>
                <button type="submit" class=class>{t!("bulk-look-on")}</button>
            </form>
        }
    });
    view! {
        <p class="run-snapshot">{how_far_looked(&run)}</p>
        {error.map(|error| view! { <ErrorPanel error is_aside=true/> })}
        {go_on}
    }
}

/// What happens to the jobs, in a sentence or two.
#[component]
fn Means(run: BulkRun) -> impl IntoView {
    if run.verb == BulkVerb::Cancel && run.acts_on_changed && !run.spares_started {
        return t!("bulk-means-cancel-all").into_any();
    }
    if run.verb == BulkVerb::Unhold && run.undo_of.is_some() {
        return t!("bulk-means-unhold-back").into_any();
    }
    if run.verb != BulkVerb::Reschedule {
        return i18n::bulk_consequence(run.verb).into_any();
    }
    if run.shift == Some(Shift::By(0)) && run.spread > Delay::ZERO {
        return t!("bulk-means-apart", span = format::span(run.spread.as_millis())).into_any();
    }
    let spread = (run.spread > Delay::ZERO)
        .then(|| t!("bulk-means-spread", span = format::span(run.spread.as_millis())));
    let moved = match run.shift {
        Some(Shift::To(due)) => {
            let text = t!("bulk-means-to", at = HERE);
            view! { <TimedSentence text at=due style=TimeStyle::Absolute/> }.into_any()
        }
        Some(Shift::By(ms)) if ms < 0 => {
            t!("bulk-means-earlier", span = format::span(ms.saturating_neg())).into_any()
        }
        Some(Shift::By(ms)) => t!("bulk-means-later", span = format::span(ms)).into_any(),
        _ => t!("bulk-means-back").into_any(),
    };
    view! { {moved} {spread.map(|spread| format!(" {spread}"))} }.into_any()
}

/// What will be left alone, as far as that is known before, and what is out of reach.
#[component]
fn Skipped(run: BulkRun, kinds: Vec<KindOfRun>) -> impl IntoView {
    let spared = spared(&run);
    let skipped: u64 = spared.iter().map(|(_, count)| count).sum();
    let states = spared.into_iter().map(|(state, count)| {
        view! { <li><Badge state/> " " {format::number(count)}</li> }
    });
    let asked = asked_to_stop(&run);
    let skipped = (skipped > 0).then(|| {
        view! {
            <p class="run-skipped">{t!("bulk-skipped-before", count = skipped)}</p>
            <ul class="run-spared">{states.collect_view()}</ul>
        }
    });
    let asked =
        (asked > 0).then(|| view! { <p class="run-skipped">{t!("bulk-running-asked", count = asked)}</p> });
    let forbidden = run.words.get("forbidden").copied().unwrap_or(0);
    let forbidden = (forbidden > 0)
        .then(|| view! { <p class="run-skipped">{t!("bulk-forbidden-before", count = forbidden)}</p> });
    let protected: Vec<(String, u64)> = kinds
        .into_iter()
        .filter(|kind| kind.protected)
        .map(|kind| (kind.kind.to_string(), kind.count))
        .collect();
    let sum: u64 = protected.iter().map(|(_, count)| count).sum();
    let protected = (sum > 0).then(|| {
        let lines = most_first(protected).into_iter().map(|(kind, count)| {
            view! { <li>{kind} " " {format::number(count)}</li> }
        });
        view! {
            <p class="run-skipped">{t!("bulk-protected-before", count = sum)}</p>
            <ul class="run-spared">{lines.collect_view()}</ul>
        }
    });
    let queues = run.only_in.iter().map(ToString::to_string).collect::<Vec<_>>().join(", ");
    let only = (!queues.is_empty()).then(|| view! { <p>{t!("bulk-only-in", queues = queues)}</p> });
    view! { {only} {skipped} {protected} {asked} {forbidden} }
}

/// How many of its jobs were in that state when they were frozen.
fn in_state(run: &BulkRun, state: JobState) -> u64 {
    run.split.get(&format!("state:{state}")).copied().unwrap_or(0)
}

/// How many of them run, and are asked to stop instead of being called off.
fn asked_to_stop(run: &BulkRun) -> u64 {
    if run.verb == BulkVerb::Cancel { in_state(run, JobState::Active) } else { 0 }
}

/// The states that do not allow the verb, with how many jobs of the run are in them.
fn spared(run: &BulkRun) -> Vec<(JobState, u64)> {
    let others = JobState::ALL.into_iter().filter(|state| !run.verb.states().contains(state));
    others.map(|state| (state, in_state(run, state))).filter(|(_, count)| *count > 0).collect()
}

/// What customers feel of it, kind by kind. Of jobs that may be left alone nobody knows the kinds: there it is so many at
/// most.
#[component]
fn Felt(run: BulkRun, kinds: Vec<KindOfRun>) -> impl IntoView {
    let title = i18n::bulk_felt(run.verb)?;
    let session = Session::get();
    let felt = kinds.into_iter().filter(|kind| !kind.protected && session.is_felt(kind.kind.as_str()));
    let felt = most_first(felt.map(|kind| (kind.called, kind.count)).collect());
    let is_most = asked_to_stop(&run) > 0 || !spared(&run).is_empty() || run.words.contains_key("forbidden");
    let lines = felt.iter().map(|(kind, count)| {
        let (kind, count) = (kind.clone(), *count);
        let line = if is_most {
            t!("bulk-felt-most", kind = kind, count = count)
        } else {
            t!("bulk-felt-kind", kind = kind, count = count)
        };
        view! { <li>{line}</li> }
    });
    (!felt.is_empty()).then(|| {
        view! {
            <p>{title}</p>
            <ul class="run-spared">{lines.collect_view()}</ul>
        }
    })
}

/// How many in each state, queue, of each kind and about each subject; only what was counted, which no undo has.
#[component]
fn Splits(run: BulkRun) -> impl IntoView {
    let part = |prefix: &str| -> Vec<(String, u64)> {
        let of = run.split.iter().filter_map(|(name, count)| Some((name.strip_prefix(prefix)?, *count)));
        most_first(of.map(|(name, count)| (name.to_owned(), count)).collect())
    };
    let named = u64::try_from(run.by_subject.len()).unwrap_or(u64::MAX);
    let unnamed = if named > 0 && run.subjects > named {
        t!("bulk-more-subjects", count = run.subjects - named)
    } else {
        String::new()
    };
    let subjects = most_first(run.by_subject.clone().into_iter().collect());
    let state = |name: String| name.parse::<JobState>().map_or(name, i18n::state);
    let states = part("state:").into_iter().map(|(name, count)| (state(name), count)).collect();
    view! {
        <div class="splits">
            <Split title=t!("bulk-by-state") parts=states/>
            <Split title=t!("bulk-by-queue") parts=part("queue:")/>
            <Split title=t!("bulk-by-kind") parts=part("kind:")/>
            <Split title=t!("bulk-by-subject") parts=subjects unnamed/>
        </div>
    }
}

/// The largest first.
fn most_first(mut parts: Vec<(String, u64)>) -> Vec<(String, u64)> {
    parts.sort_by(|(a, m), (b, n)| n.cmp(m).then_with(|| a.cmp(b)));
    parts
}

#[component]
fn Split(
    title: String,
    parts: Vec<(String, u64)>,
    /// How many have no line; empty where all have one.
    #[prop(optional)]
    unnamed: String,
) -> impl IntoView {
    let lines = parts.into_iter().map(|(name, count)| {
        let name = if name == "*" { t!("bulk-others") } else { name };
        view! { <div><dt>{name}</dt> <dd>{format::number(count)}</dd></div> }
    });
    let lines: Vec<_> = lines.collect();
    (!lines.is_empty()).then(|| {
        view! {
            <section class="panel split">
                <h2>{title}</h2>
                <dl>{lines}</dl>
                {(!unnamed.is_empty()).then(|| view! { <p class="field-hint">{unnamed}</p> })}
            </section>
        }
    })
}

#[component]
fn SamplesTable(run: BulkRun, samples: Samples) -> impl IntoView {
    let after = samples.after;
    let rows = match samples.rows {
        Ok(rows) => rows,
        Err(error) => return view! { <ErrorPanel error/> }.into_any(),
    };
    let here = routes::bulk_run(&run.id);
    let last = u64::from(after).saturating_add(u64::try_from(rows.len()).unwrap_or(0));
    let title = match after {
        0 if last >= run.total => t!("bulk-samples-all", count = rows.len()),
        0 => t!("bulk-samples", count = rows.len()),
        after => t!("bulk-samples-behind", first = u64::from(after) + 1, last = last),
    };
    let is_more = last < run.total && last <= u64::from(BULK_SAMPLES_AFTER_MAX) && !rows.is_empty();
    let another = is_more
        .then(|| view! { <a class="button" href=format!("{here}?{SAMPLES_AFTER}={last}") data-here="">{t!("bulk-samples-another")}</a> });
    let back = (after > 0)
        .then(|| view! { <a class="button" href=here data-here="">{t!("bulk-samples-first")}</a> });
    // One that has started meanwhile is spared as well.
    let spares_active = run.spares_started && in_state(&run, JobState::Active) == 0;
    let is_skipped =
        |state: JobState| !run.verb.states().contains(&state) || spares_active && state == JobState::Active;
    let skipped = rows.iter().filter(|row| is_skipped(row.state)).count();
    let skipped = (skipped > 0)
        .then(|| view! { <p class="run-skipped">{t!("bulk-samples-skipped", count = skipped)}</p> });
    let rows = rows.into_iter().map(|row| {
        view! {
            <tr>
                <td class="cell-whole">
                    <span class="two-lines">
                        <a href=routes::job(&row.id)>{row.kind.to_string()}</a>
                        <small>{row.subject.as_ref().map(ToString::to_string)} " " {row.id.to_string()}</small>
                    </span>
                </td>
                <td data-label=t!("jobs-queue")>{row.queue.to_string()}</td>
                <td data-label=t!("bulk-sample-due")><Time at=row.due style=TimeStyle::Absolute/></td>
                <td data-label=t!("bulk-sample-state")><Badge state=row.state/></td>
            </tr>
        }
    });
    let rows = rows.collect_view();
    view! {
        <section class="panel">
            <div class="panel-head"><h2>{title.clone()}</h2> {back} {another}</div>
            {skipped}
            <Table label=title class="cards" heads=vec![
                head(t!("bulk-sample-job")), head(t!("jobs-queue")), head(t!("bulk-sample-due")),
                head(t!("bulk-sample-state")),
            ]>
                {rows}
            </Table>
        </section>
    }
    .into_any()
}

/// Who asked for it, where deleting needs two people; and the way to take that back.
#[component]
fn Asked(run: BulkRun) -> impl IntoView {
    let session = Session::get();
    let needs = session.lacks(&[Permission::RunBulk, run.verb.permission()]);
    let (sentence, no) = if run.asked_by == session.name {
        (t!("bulk-asked-by-you"), t!("bulk-take-back"))
    } else {
        (t!("bulk-asked-by", name = run.asked_by.clone()), t!("bulk-turn-down"))
    };
    let asked = run.asked.map(|at| {
        let text = t!("bulk-asked-at", at = HERE);
        view! { <p class="field-hint"><TimedSentence text at/></p> }
    });
    view! {
        <section class="panel run-form" role="note">
            <p>{sentence}</p>
            {asked}
            <form method="post" action=AbortBulk::PATH>
                <input type="hidden" name="run" value=run.id.to_string()/>
                <input type="hidden" name="seen" value=BulkState::Waiting.as_str()/>
                <BackField/>
                <Submit off=needs>{no}</Submit>
            </form>
        </section>
    }
}

/// Reason, typed count, and the two ways out. The way that changes nothing comes first.
#[component]
fn StartForm(run: BulkRun) -> impl IntoView {
    let session = Session::get();
    let needs = session.lacks(&[Permission::RunBulk, run.verb.permission()]);
    let waits = run.state == BulkState::Waiting;
    let asks = session.two_people && run.verb == BulkVerb::Purge && !waits;
    let two_people = asks.then(|| view! { <p class="field-hint">{t!("bulk-two-people")}</p> });
    let act = if asks { t!("bulk-ask", count = run.total) } else { i18n::bulk_act(&run) };
    let many = run.total >= typed_from(run.verb, &session.environment);
    let hint = many.then(|| match run.total < TYPED_FROM {
        true => t!("bulk-reason-hint-production"),
        false => t!("bulk-reason-hint"),
    });
    let count = many.then(|| {
        view! {
            {labelled("run-count", t!("bulk-type-count", count = run.total), None, view! {
                <input id="run-count" type="text" name="count" inputmode="numeric" autocomplete="off" required=true pattern=typed_count::PATTERN/>
            })}
        }
    });
    let (stay, back) = match &run.undo_of {
        Some(undone) => (t!("bulk-leave"), routes::bulk_run(undone)),
        None => (t!("bulk-keep"), routes::JOBS.to_owned()),
    };
    let tone = if matches!(run.verb, BulkVerb::Cancel | BulkVerb::Purge) { "destroy" } else { "primary" };
    let sort = match run.verb {
        BulkVerb::Cancel | BulkVerb::Hold | BulkVerb::Purge => ReasonsFor::CallingOff,
        BulkVerb::RetryNow => ReasonsFor::Running,
        _ => ReasonsFor::Changing,
    };
    view! {
        <form method="post" action=StartBulk::PATH class="panel run-form">
            <input type="hidden" name="run" value=run.id.to_string()/>
            <BackField/>
            <ReasonFields id="run" sort needed=many hint/>
            {count}
            {two_people}
            <div class="run-buttons">
                <a class="button" href=back>{stay}</a>
                <button type="submit" class="button" data-tone=tone data-confirms="" aria-disabled=needs.is_some().then_some("true") title=needs>{act}</button>
            </div>
        </form>
    }
}
