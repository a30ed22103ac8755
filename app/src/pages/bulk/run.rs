//! The page of one run: before it starts, while it goes, and after.

use std::time::Duration;

use leptos::prelude::*;
use leptos_meta::Title;
use leptos_router::hooks::{use_params_map, use_query_map};
use leptos_router::params::ParamsMap;
use reprieve::model::{BulkRun, BulkState, OutcomePlace, RunId};

use super::dry_run::{DryRun, Looking, Samples, how_far_looked};
use super::outcomes::Outcomes;
use super::progress::{Progress, how_far};
use super::which::Which;
use crate::api::bulk::look_on;
use crate::api::bulk::{RunView, get_bulk_run};
use crate::components::error_panel::ErrorPanel;
use crate::components::page_head::PageTitle;
use crate::error::ApiError;
use crate::light::{self, RefreshedEvery, Told, suspended};
use crate::pages::not_found::NotThere;
use crate::session::Session;
use crate::{i18n, routes, t};

/// For how long one reading of the page looks for more jobs of its run.
const LOOKS: Duration = Duration::from_secs(1);

/// What one verb does, or would do, to many jobs.
#[component]
pub fn RunPage() -> impl IntoView {
    let query = use_query_map().get_untracked();
    let id = use_params_map().get_untracked().get("run").and_then(|text| text.parse::<RunId>().ok());
    let page = suspended(async move {
        match read(id, &query).await {
            Ok(known) => view! { <Run known/> }.into_any(),
            Err(ApiError::NoRun) => view! { <Unknown/> }.into_any(),
            Err(error) => view! {
                <PageTitle title=t!("bulk-title")/>
                <ErrorPanel error/>
            }
            .into_any(),
        }
    });
    view! {
        <p class="crumbs"><a href=routes::BULK>{t!("bulk-back-to-runs")}</a></p>
        {page}
    }
}

/// What is known of a run.
struct Known {
    view: RunView,
    samples: Option<Samples>,
    /// Why the look for its jobs could not go on.
    stuck: Option<ApiError>,
}

/// Reads the run. While it looks for its jobs, each reading by the script of the person who made it goes on with that.
async fn read(id: Option<RunId>, query: &ParamsMap) -> Result<Known, ApiError> {
    let id = id.ok_or(ApiError::NoRun)?;
    let after = query.get("after").and_then(|text| text.parse::<OutcomePlace>().ok()).unwrap_or_default();
    let mut view = get_bulk_run(id.clone(), after.clone()).await?;
    let is_own = view.run.by == Session::get().name;
    let mut stuck = None;
    if view.run.state == BulkState::Collecting && is_own && light::is_read_again() {
        match look_on(&id, LOOKS).await {
            Ok(_) => view = get_bulk_run(id, after).await?,
            Err(error) => stuck = Some(error),
        }
    }
    let samples = Samples::read(&view.run, query).await;
    Ok(Known { view, samples, stuck })
}

/// How often a run in that state is read again, in seconds: while it moves by itself, and where somebody else may move it. 0
/// where only its reader does, who is filling in a form.
const fn pulse_seconds(state: BulkState) -> u32 {
    match state {
        BulkState::Running | BulkState::Collecting => 1,
        BulkState::Waiting | BulkState::Stopped => 5,
        _ => 0,
    }
}

/// What is read out when it changes.
fn told(run: &BulkRun) -> Option<String> {
    match run.state {
        BulkState::Waiting => None,
        BulkState::Collecting => Some(how_far_looked(run)),
        BulkState::Frozen => Some(t!("bulk-looked", count = run.total)),
        _ => Some(how_far(run)),
    }
}

#[component]
fn Run(known: Known) -> impl IntoView {
    let Known { view, samples, stuck } = known;
    let run = view.run.clone();
    let title = i18n::bulk_act(&run);
    let seconds = if stuck.is_some() { 0 } else { pulse_seconds(run.state) };
    let told = told(&run).map(|text| view! { <Told of=text.clone() text goes_on=true/> });
    let body = match run.state {
        BulkState::Collecting => view! { <Looking run=run.clone() error=stuck/> }.into_any(),
        BulkState::Frozen | BulkState::Waiting => view! { <DryRun view samples/> }.into_any(),
        _ => view! {
            <Progress run=run.clone() undo_waits=view.undo_waits/>
            <Outcomes view/>
        }
        .into_any(),
    };
    view! {
        <Title text=t!("jobs-title", list = title.clone())/>
        <RefreshedEvery seconds/>
        {told}
        <Head title run/>
        {body}
    }
}

/// No such run, or no more.
#[component]
fn Unknown() -> impl IntoView {
    let (why, way) = (t!("errors-next-no-run"), t!("bulk-back-to-runs"));
    view! { <NotThere title=t!("bulk-unknown") why href=routes::BULK way/> }
}

#[component]
fn Head(title: String, run: BulkRun) -> impl IntoView {
    let why = (!run.why.is_empty()).then(|| i18n::why(&run.why));
    let who = run.by.clone();
    // Which jobs those are stands on the page of the run that is undone.
    let of = run.undo_of.clone();
    let state = run.state;
    view! {
        <header class="run-head">
            <h1 tabindex="-1">{title}</h1>
            <span class="run-state" data-state=state.as_str()>{i18n::bulk_state(state)}</span>
        </header>
        <p class="run-which">
            {match of {
                Some(of) => view! { <a href=routes::bulk_run(&of)>{t!("bulk-undoes")}</a> }.into_any(),
                None => view! { <Which run/> }.into_any(),
            }}
        </p>
        <p class="run-who"><small>{who} {why.map(|why| format!(" · {why}"))}</small></p>
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_run_is_read_again_as_often_as_it_moves_or_somebody_else_may_move_it() {
        let paces = BulkState::ALL.map(|state| (pulse_seconds(state), state));
        let at =
            |pace| paces.iter().filter(|(it, _)| *it == pace).map(|(_, state)| *state).collect::<Vec<_>>();
        assert_eq!(at(1), [BulkState::Collecting, BulkState::Running]);
        assert_eq!(at(5), [BulkState::Waiting, BulkState::Stopped]);
    }
}
