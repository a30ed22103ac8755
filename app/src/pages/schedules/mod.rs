//! Schedules: what repeats, and will it do what I think?

mod acts;
mod detail;
mod form;
mod preview;
mod rules;
mod table;
mod ticks;

use leptos::prelude::*;
use leptos_meta::Title;
use leptos_router::hooks::use_params_map;
use reprieve::model::{CronName, Permission};

use self::detail::Detail;
use self::form::ScheduleForm;
use self::table::ScheduleTable;
use crate::api::{get_schedule, list_schedules};
use crate::components::acts::provide_operations;
use crate::components::empty::Empty;
use crate::components::error_panel::ErrorPanel;
use crate::components::icons::{Icon, icon};
use crate::components::loading::{Loading, Shape};
use crate::error::ApiError;
use crate::live::Live;
use crate::live::latest::Latest;
use crate::live::reading::Reading;
use crate::schedule::{ScheduleDetail, Schedules};
use crate::session::Session;
use crate::{i18n, routes, t};

/// How often what passes by itself is read again, in seconds: the next tick of an entry.
const PULSE_SECONDS: i64 = 5;

/// Every schedule.
#[component]
pub fn SchedulesPage() -> impl IntoView {
    provide_operations();
    let live = Live::get();
    let pulse = live.pulse(PULSE_SECONDS);
    let schedules = Reading::new(move || (live.revision(), pulse.get()), |_| list_schedules());
    let list = move || {
        let latest = Latest::of(schedules);
        Suspend::new(async move {
            let _first = schedules.await;
            view! { <Listed latest/> }
        })
    };
    view! {
        <Title text=format!("{} · Reprieve", t!("schedules-title"))/>
        <header class="page-head">
            <h1 tabindex="-1">{t!("schedules-title")}</h1>
            <NewLink/>
        </header>
        <Loading shape=Shape::Table>{list()}</Loading>
    }
}

/// The way to a new schedule; off, with the reason, for whoever may not make one.
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

/// The list once something is known; an error beside the old one, or alone.
#[component]
fn Listed(latest: Latest<Schedules>) -> impl IntoView {
    let error = move || latest.error.get().map(|error| view! { <ErrorPanel error/> });
    let empty =
        Memo::new(move |_| latest.data.with(|known| known.as_ref().map(|known| known.items.is_empty())));
    let body = move || match empty.get()? {
        true => Some(
            view! { <Empty text=t!("schedules-empty")><p>{t!("schedules-empty-how")}</p></Empty> }.into_any(),
        ),
        false => Some(view! { <ScheduleTable latest/> }.into_any()),
    };
    view! { {error} {body} }
}

/// One schedule.
#[component]
pub fn SchedulePage() -> impl IntoView {
    provide_operations();
    let live = Live::get();
    let pulse = live.pulse(PULSE_SECONDS);
    let name = name_of_address();
    let detail = Reading::new(
        move || (name.get(), live.revision(), pulse.get()),
        |(name, ..)| async move { get_schedule(name.ok_or(ApiError::NotFound)?).await },
    );
    let page = move || {
        let latest = Latest::of(detail);
        Suspend::new(async move {
            let _first = detail.await;
            view! { <Shown latest/> }
        })
    };
    view! {
        <Loading shape=Shape::Panels>{page()}</Loading>
    }
}

/// One schedule once it is known; an error beside what was known, or alone.
#[component]
fn Shown(latest: Latest<ScheduleDetail>) -> impl IntoView {
    let unknown = Memo::new(move |_| {
        latest.data.with(Option::is_none) && latest.error.with(|error| error == &Some(ApiError::NotFound))
    });
    let error = move || {
        let error = latest.error.get().filter(|_| !unknown.get())?;
        Some(view! { <ErrorPanel error/> })
    };
    let known = Memo::new(move |_| latest.data.with(Option::is_some));
    let body = move || match (unknown.get(), known.get()) {
        (true, _) => Some(view! { <Unknown/> }.into_any()),
        (false, true) => Some(view! { <Detail latest/> }.into_any()),
        (false, false) => None,
    };
    view! { {error} {body} }
}

/// No such schedule, or no more. The status 404 comes with the failed read.
#[component]
fn Unknown() -> impl IntoView {
    view! {
        <Title text=format!("{} · Reprieve", t!("schedules-unknown"))/>
        <h1 tabindex="-1">{t!("schedules-unknown")}</h1>
        <Empty text=t!("schedules-unknown-why")>
            <a class="button" href=routes::SCHEDULES>{t!("schedules-to-list")}</a>
        </Empty>
    }
}

/// The form of a new schedule.
#[component]
pub fn NewSchedulePage() -> impl IntoView {
    provide_operations();
    view! {
        <Title text=format!("{} · Reprieve", t!("schedules-new"))/>
        <h1 tabindex="-1">{t!("schedules-new")}</h1>
        <ScheduleForm before=None/>
    }
}

/// The form of a schedule there is.
#[component]
pub fn EditSchedulePage() -> impl IntoView {
    provide_operations();
    let name = name_of_address();
    let detail = Reading::new(
        move || name.get(),
        |name| async move { get_schedule(name.ok_or(ApiError::NotFound)?).await },
    );
    let form = move || {
        Suspend::new(async move {
            match detail.await {
                Ok(detail) => {
                    let title =
                        t!("schedules-edit-title", name = detail.schedule.state.entry.name.to_string());
                    view! {
                        <Title text=format!("{title} · Reprieve")/>
                        <h1 tabindex="-1">{title}</h1>
                        <ScheduleForm before=Some(detail.schedule)/>
                    }
                    .into_any()
                }
                Err(ApiError::NotFound) => view! { <Unknown/> }.into_any(),
                Err(error) => {
                    detail.refetch_after(&error);
                    view! { <h1 tabindex="-1">{t!("schedules-title")}</h1> <ErrorPanel error/> }.into_any()
                }
            }
        })
    };
    view! { <Transition>{form}</Transition> }
}

/// The schedule in the address; `None` for what cannot be a name.
fn name_of_address() -> Memo<Option<CronName>> {
    let params = use_params_map();
    Memo::new(move |_| params.with(|params| CronName::new(params.get_str("name").unwrap_or_default()).ok()))
}
