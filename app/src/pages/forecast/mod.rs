//! The forecast: what fires when?

mod chart;
mod controls;
mod data_table;
mod month;
mod notes;
mod spread;

use leptos::prelude::*;
use leptos_router::hooks::use_query_map;
use leptos_router::params::ParamsMap;
use reprieve::model::filter::{Pattern, Term, Test};
use reprieve::model::{InvalidName, QueueName, StateGroup, Subject, Timestamp};

use self::chart::Histogram;
use self::controls::Controls;
use self::data_table::DataTable;
use self::month::MonthGrid;
use self::notes::Notes;
use self::spread::Spread;
use crate::api::forecast::get_forecast;
use crate::components::empty::Empty;
use crate::components::error_panel::or_why;
use crate::components::page_head::PageHead;
use crate::components::time::{HERE, TimeStyle, TimedSentence};
use crate::error::ApiError;
use crate::forecast::{Asked, Outlook, View};
use crate::light::suspended;
use crate::preferences::Preferences;
use crate::{format, i18n, routes, t};

/// How often it is read again, in seconds: counts of days change slowly, and the line of now with them.
const PULSE_SECONDS: u32 = 15;

/// What fires when?
#[component]
pub fn ForecastPage() -> impl IntoView {
    let query = use_query_map().get_untracked();
    let (asked, named) = (asked_in(&query), Named::of(&query));
    let shown = suspended(async {
        let outlook = get_forecast(asked.clone()).await;
        view! { <Shown outlook asked named/> }
    });
    view! {
        <PageHead title=t!("forecast-title") every=PULSE_SECONDS/>
        {shown}
    }
}

/// A name in the address as it was typed, and what is wrong with it.
#[derive(Debug, Clone, PartialEq, Eq)]
struct Name {
    text: String,
    fault: Option<String>,
}

/// The queue and the subject.
#[derive(Debug, Clone, PartialEq, Eq)]
struct Named {
    queue: Name,
    subject: Name,
}

impl Named {
    fn of(query: &ParamsMap) -> Self {
        let name = |key, wrong: fn(String) -> Option<InvalidName>| {
            let text = text(query, key);
            let fault = wrong(text.clone()).filter(|_| !text.is_empty());
            Name { text, fault: fault.map(|wrong| i18n::bad_name(&wrong)) }
        };
        Self {
            queue: name("queue", |text| QueueName::new(text).err()),
            subject: name("subject", |text| Subject::new(text).err()),
        }
    }

    /// Whether one of them is no name: what is due of it cannot be told, and what is due of all was not asked for.
    fn is_wrong(&self) -> bool {
        self.queue.fault.is_some() || self.subject.fault.is_some()
    }
}

/// What the address asks for; without a zone in it, on the clocks of the zone in which times are written.
fn asked_in(query: &ParamsMap) -> Asked {
    let zone = Some(text(query, "zone")).filter(|zone| !zone.is_empty());
    Asked {
        view: View::from_word(&text(query, "view")),
        date: text(query, "date"),
        zone: zone.unwrap_or_else(|| Preferences::get().zone_name),
        queue: QueueName::new(text(query, "queue")).ok(),
        subject: Subject::new(text(query, "subject")).ok(),
    }
}

fn text(query: &ParamsMap, key: &str) -> String {
    query.get_str(key).unwrap_or_default().trim().to_owned()
}

/// The controls and, where it is known, what is due.
#[component]
fn Shown(outlook: Result<Outlook, ApiError>, asked: Asked, named: Named) -> impl IntoView {
    let is_wrong = named.is_wrong();
    let controls = view! { <Controls outlook=outlook.as_ref().ok().cloned() asked named/> };
    let body = or_why(outlook.map(|outlook| (!is_wrong).then(|| view! { <Known outlook/> })));
    view! {
        {controls}
        <div class="forecast">{body}</div>
    }
}

/// A part of the calendar.
#[component]
fn Known(outlook: Outlook) -> impl IntoView {
    let total = outlook.total();
    let lead = t!("forecast-total", count = total);
    let picture = match outlook.asked.view {
        View::Month => view! { <MonthGrid outlook=outlook.clone()/> }.into_any(),
        _ => view! { <Histogram outlook=outlook.clone()/> }.into_any(),
    };
    let any = outlook.largest() > 0;
    let empty = (!any).then(|| {
        let next = outlook.next.map(|at| {
            let text = t!("forecast-next", at = HERE);
            view! { <p><TimedSentence text at style=TimeStyle::Absolute/></p> }
        });
        view! { <Empty text=t!("forecast-empty")>{next}</Empty> }
    });
    // A run is of queues; what is of one subject is put off at the desk.
    let spread = outlook.asked.subject.is_none().then(|| view! { <Spread outlook=outlook.clone()/> });
    let picture = (any || outlook.asked.view == View::Month).then_some(picture);
    view! {
        <h2>{period(&outlook)}</h2>
        <p class="forecast-lead">{lead} " " <Overdue outlook=outlook.clone()/></p>
        {empty}
        {picture}
        <Notes outlook=outlook.clone()/>
        {spread}
        <DataTable outlook/>
    }
}

/// Which part of the calendar it is, in words: a month, a day, or the first and the last day.
fn period(outlook: &Outlook) -> String {
    let first = outlook.bars.first().map_or("", |bar| bar.date.as_str());
    let last = outlook.bars.last().map_or("", |bar| bar.date.as_str());
    match outlook.asked.view {
        View::Month => month_in_words(&outlook.asked.date),
        View::Day => day_in_words(&outlook.asked.date),
        View::Week | View::Year => {
            t!("forecast-from-to", from = day_in_words(first), to = day_in_words(last))
        }
    }
}

/// `November 2026`, of `2026-11-21`.
fn month_in_words(date: &str) -> String {
    let Ok(civil) = date.parse::<jiff::civil::DateTime>() else { return date.to_owned() };
    // As text: a year is not grouped.
    t!("forecast-month-of", month = civil.month(), year = civil.year().to_string())
}

/// `Sat 21 Nov 2026`.
fn day_in_words(date: &str) -> String {
    let Ok(civil) = date.parse::<jiff::civil::DateTime>() else { return date.to_owned() };
    let weekday = t!("time-weekday", day = civil.weekday().to_monday_one_offset());
    let month = t!("time-month", month = civil.month());
    let year = civil.year().to_string();
    t!("forecast-day-of", weekday = weekday, day = civil.day(), month = month, year = year)
}

/// Jobs due before what is shown that still wait.
#[component]
fn Overdue(outlook: Outlook) -> impl IntoView {
    (outlook.earlier > 0)
        .then(|| view! { <span class="quiet">{t!("forecast-earlier", count = outlook.earlier)}</span> })
}

/// The list of the jobs due from one instant until before another, of the queue and the subject that were asked for.
fn list_of(from: Timestamp, to: Timestamp, asked: &Asked) -> String {
    let last = Timestamp::saturating_from_millis(to.as_millis().saturating_sub(1));
    let list = routes::jobs(StateGroup::Delay, asked.queue.as_ref());
    let joint = if list.contains('?') { '&' } else { '?' };
    let subject = asked.subject.as_ref().map(|subject| {
        let term = Term::new(Test::Subject(vec![Pattern::exactly(subject.as_str())]));
        format!("%20{}", routes::encoded(&term.to_string()))
    });
    let subject = subject.unwrap_or_default();
    format!("{list}{joint}q=due:{}..{}{subject}", format::rfc3339(from), format::rfc3339(last))
}

#[cfg(test)]
mod tests {
    use super::*;
    use reprieve::model::filter::Filter;

    #[test]
    fn a_part_of_the_calendar_is_named() {
        assert_eq!(month_in_words("2026-11-21"), "November 2026");
        assert_eq!(day_in_words("2026-11-21"), "Sat 21 Nov 2026");
        let owner = Owner::new();
        owner.set();
        provide_context(i18n::Language::Chinese);
        assert_eq!(month_in_words("2026-11-21"), "2026 年 11 月");
        assert_eq!(day_in_words("2026-11-21"), "2026 年 11 月 21 日 周六");
    }

    #[test]
    fn the_list_behind_a_bar_has_exactly_its_range_of_due_times() {
        let at = |ms| Timestamp::from_millis(ms).unwrap();
        let href = list_of(at(1_795_219_200_000), at(1_795_305_600_000), &Asked::default());
        assert_eq!(href, "/jobs/delay?q=due:2026-11-21T00:00:00.000Z..2026-11-21T23:59:59.999Z");
        let mail = QueueName::new("mail").unwrap();
        let of_mail = Asked { queue: Some(mail), ..Asked::default() };
        assert!(list_of(at(0), at(1), &of_mail).starts_with("/jobs/delay?queue=mail&q=due:"));
        let of_customer = Asked { subject: Subject::new("customer:47@11").ok(), ..Asked::default() };
        assert!(list_of(at(0), at(1), &of_customer).ends_with("%20subject:customer:47%4011"));
        let filter: Filter = href.split_once("q=").unwrap().1.parse().unwrap();
        assert_eq!(filter.terms().len(), 1, "the list reads it");
    }
}
