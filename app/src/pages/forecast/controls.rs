//! Which part of the calendar: links and a plain form, so that the address holds it and no script is needed.

use leptos::prelude::*;

use super::Named;
use crate::forecast::{Asked, Outlook, View};
use crate::live::latest::Latest;
use crate::preferences::Preferences;
use crate::{routes, t};

fn name(view: View) -> String {
    match view {
        View::Day => t!("forecast-view-day"),
        View::Week => t!("forecast-view-week"),
        View::Month => t!("forecast-view-month"),
        View::Year => t!("forecast-view-year"),
    }
}

/// Views, steps to and fro, date, zone and queue.
#[component]
pub(super) fn Controls(
    /// What is shown.
    latest: Latest<Outlook>,
    /// What the address asks for.
    asked: Memo<Asked>,
    /// The names in it as they were typed.
    named: Memo<Named>,
) -> impl IntoView {
    // An emptied field leads back to it.
    let own = Some(Preferences::get().zone).filter(|zone| !zone.is_empty());
    let own = own.unwrap_or_else(|| "UTC".to_owned());
    // The date that is shown, also where the address names none.
    let shown = move || latest.data.with(|known| known.as_ref().map(|known| known.asked.date.clone()));
    let views = View::ALL.map(|choice| {
        let near = move || {
            latest.data.with(|known| known.as_ref().is_some_and(|known| known.views.contains(&choice)))
        };
        // Around a date that is too far for it, it is that of today.
        let date = move || shown().filter(|_| near()).unwrap_or_default();
        let href = move || Asked { view: choice, date: date(), ..asked.get() }.href();
        view! { <a href=href aria-current=move || (asked.get().view == choice).then_some("true")>{name(choice)}</a> }
    });
    let step = move |place: usize| {
        move || {
            let date = latest.data.with(|known| known.as_ref()?.before_after.get(place).cloned());
            // Nothing is known beside an error: then both lead back to today.
            date.unwrap_or_else(|| Some(String::new())).map(|date| Asked { date, ..asked.get() }.href())
        }
    };
    let is_off = move |place: usize| move || step(place)().is_none().then_some("true");
    let role = move |place: usize| move || step(place)().is_none().then_some("link");
    let file = move || Asked { date: shown().unwrap_or_default(), ..asked.get() }.file();
    let fault = move |id: &'static str, of: fn(Named) -> Option<String>| {
        move || of(named.get()).map(|fault| view! { <p class="field-fault" id=id role="alert">{fault}</p> })
    };
    view! {
        <div class="forecast-controls">
            <span class="segments" role="group" aria-label=t!("forecast-views")>{views}</span>
            <span class="segments" role="group" aria-label=t!("forecast-steps")>
                // Also without an address they keep the focus of whoever has stepped to the end of the reach.
                <a href=step(0) rel="prev" tabindex="0" role=role(0) aria-disabled=is_off(0)>{t!("forecast-before")}</a>
                <a href=move || Asked { date: String::new(), ..asked.get() }.href()>{t!("forecast-today")}</a>
                <a href=step(1) rel="next" tabindex="0" role=role(1) aria-disabled=is_off(1)>{t!("forecast-after")}</a>
            </span>
            <a class="button" href=file download="" rel="external">{t!("forecast-file")}</a>
            <form method="get" action=routes::FORECAST class="filter">
                <input type="hidden" name="view" value=move || asked.get().view.word()/>
                <label>
                    <span>{t!("forecast-date")}</span>
                    <input type="date" name="date" value=move || shown().unwrap_or_default()/>
                </label>
                <label>
                    <span>{t!("forecast-zone")}</span>
                    <input type="text" name="zone" placeholder=own value=move || asked.get().zone size="16" autocomplete="off" spellcheck="false"/>
                </label>
                <label>
                    <span>{t!("forecast-queue")}</span>
                    <input type="text" name="queue" placeholder=t!("forecast-all-queues") value=move || named.get().queue.0 aria-invalid=move || named.get().queue.1.map(|_| "true") aria-describedby=move || named.get().queue.1.map(|_| "forecast-queue-fault") size="12" autocomplete="off" spellcheck="false"/>
                </label>
                <label>
                    <span>{t!("forecast-subject")}</span>
                    <input type="text" name="subject" placeholder=t!("forecast-all-subjects") value=move || named.get().subject.0 aria-invalid=move || named.get().subject.1.map(|_| "true") aria-describedby=move || named.get().subject.1.map(|_| "forecast-subject-fault") size="16" autocomplete="off" spellcheck="false"/>
                </label>
                <button type="submit" class="button" data-tone="primary">{t!("forecast-show")}</button>
            </form>
            {fault("forecast-queue-fault", |named| named.queue.1)}
            {fault("forecast-subject-fault", |named| named.subject.1)}
        </div>
    }
}
