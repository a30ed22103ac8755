//! Schedules: what repeats, and will it do what I think?

mod acts;
mod detail;
mod form;
mod preview;
mod rules;
mod table;
mod ticks;

use leptos::prelude::*;
use leptos_router::hooks::{use_params_map, use_query_map};
use reprieve::model::{CronName, Permission};

use self::detail::Detail;
use self::form::ScheduleForm;
use self::table::ScheduleTable;
use crate::api::schedules::{get_schedule, list_schedules};
use crate::components::empty::Empty;
use crate::components::error_panel::ErrorPanel;
use crate::components::icons::{Icon, icon};
use crate::components::page_head::{PageHead, PageTitle};
use crate::error::ApiError;
use crate::light::{RefreshedEvery, suspended};
use crate::pages::not_found::NotThere;
use crate::schedule::ScheduleDetail;
use crate::session::Session;
use crate::{i18n, routes, t};

/// How often what passes by itself is read again, in seconds: the next tick of an entry.
const PULSE_SECONDS: u32 = 5;

/// Every schedule.
#[component]
pub fn SchedulesPage() -> impl IntoView {
    let list = suspended(async {
        match list_schedules().await {
            Ok(schedules) if schedules.is_empty() => {
                view! { <Empty text=t!("schedules-empty")><p>{t!("schedules-empty-how")}</p></Empty> }
                    .into_any()
            }
            Ok(schedules) => view! { <ScheduleTable schedules/> }.into_any(),
            Err(error) => view! { <ErrorPanel error/> }.into_any(),
        }
    });
    view! {
        <PageTitle title=t!("schedules-title")/>
        <RefreshedEvery seconds=PULSE_SECONDS by_events=true/>
        <header class="page-head">
            <h1 tabindex="-1">{t!("schedules-title")}</h1>
            <NewLink/>
        </header>
        {list}
    }
}

/// The way to a new schedule; off, with the reason, for a person who may not make one.
#[component]
fn NewLink() -> impl IntoView {
    if Session::get().may(Permission::ManageCron) {
        view! { <a class="button" data-tone="primary" href=routes::NEW_SCHEDULE>{icon(Icon::Repeat)} {t!("schedules-new")}</a> }
            .into_any()
    } else {
        let why = i18n::needs(Permission::ManageCron);
        view! { <button type="button" class="button" aria-disabled="true" title=why>{t!("schedules-new")}</button> }
            .into_any()
    }
}

/// One schedule.
#[component]
pub fn SchedulePage() -> impl IntoView {
    let detail = asked();
    let page = suspended(async move {
        match detail.await {
            Ok(detail) => view! { <Detail detail/> }.into_any(),
            Err(ApiError::NotFound) => view! { <Unknown/> }.into_any(),
            Err(error) => view! { <ErrorPanel error/> }.into_any(),
        }
    });
    view! {
        <RefreshedEvery seconds=PULSE_SECONDS by_events=true/>
        {page}
    }
}

/// No such schedule, or no more.
#[component]
fn Unknown() -> impl IntoView {
    let (why, way) = (t!("schedules-unknown-why"), t!("schedules-to-list"));
    view! { <NotThere title=t!("schedules-unknown") why href=routes::SCHEDULES way/> }
}

/// The form of a new schedule.
#[component]
pub fn NewSchedulePage() -> impl IntoView {
    let query = use_query_map().get_untracked();
    let form = suspended(async move {
        let tried = form::tried(None, &query).await;
        view! { <ScheduleForm before=None tried/> }
    });
    view! {
        <PageHead title=t!("schedules-new") every=0/>
        {form}
    }
}

/// The form of a schedule there is.
#[component]
pub fn EditSchedulePage() -> impl IntoView {
    let detail = asked();
    let query = use_query_map().get_untracked();
    let form = suspended(async move {
        match detail.await {
            Ok(detail) => {
                let tried = form::tried(Some(&detail.schedule.state.entry), &query).await;
                let title = t!("schedules-edit-title", name = detail.schedule.state.entry.name.to_string());
                view! {
                    <PageTitle title=title.clone()/>
                    <h1 tabindex="-1">{title}</h1>
                    <ScheduleForm before=Some(detail.schedule) tried/>
                }
                .into_any()
            }
            Err(ApiError::NotFound) => view! { <Unknown/> }.into_any(),
            Err(error) => {
                view! { <h1 tabindex="-1">{t!("schedules-title")}</h1> <ErrorPanel error/> }.into_any()
            }
        }
    });
    view! {
        <RefreshedEvery seconds=0/>
        {form}
    }
}

/// The schedule in the address.
fn asked() -> impl Future<Output = Result<ScheduleDetail, ApiError>> {
    let name = use_params_map().get_untracked().get("name").and_then(|name| CronName::new(name).ok());
    async { get_schedule(name.ok_or(ApiError::NotFound)?).await }
}
