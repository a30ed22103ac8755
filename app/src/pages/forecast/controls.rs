//! Which part of the calendar: links and a plain form, so that the address holds it and no script is needed.

use leptos::prelude::*;

use super::{Name, Named};
use crate::forecast::{Asked, Outlook, View};
use crate::preferences::Preferences;
use crate::{i18n, routes, t};

fn name(view: View) -> String {
    i18n::word("forecast-view", view.as_str())
}

/// Views, steps to and fro, date, zone and queue.
#[component]
pub(super) fn Controls(outlook: Option<Outlook>, asked: Asked, named: Named) -> impl IntoView {
    // The date that is shown, also where the address names none.
    let shown = outlook.as_ref().map(|outlook| outlook.asked.date.clone()).unwrap_or_default();
    let views = View::ALL.map(|choice| {
        // Around a date that is too far for it, it is that of today.
        let is_near = outlook.as_ref().is_some_and(|outlook| outlook.views.contains(&choice));
        let date = if is_near { shown.clone() } else { String::new() };
        let href = Asked { view: choice, date, ..asked.clone() }.href();
        view! { <a href=href aria-current=(asked.view == choice).then_some("true")>{name(choice)}</a> }
    });
    // Beside an error both lead back to today.
    let [before, after] = outlook.map_or([const { Some(String::new()) }; 2], |outlook| outlook.before_after);
    let at = |date: String| Asked { date, ..asked.clone() };
    let step = |rel: &'static str, date: Option<String>, word: String| {
        let is_end = date.is_none();
        // At the end of the range it has no address, but keeps the focus.
        view! {
            <a
                href=date.map(|date| at(date).href())
                rel=rel
                tabindex="0"
                role=is_end.then_some("link")
                aria-disabled=is_end.then_some("true")
            >
                {word}
            </a>
        }
    };
    let field = |key: &'static str, label: String, every: String, size: &'static str, name: &Name| {
        let (text, is_wrong) = (name.text.clone(), name.fault.is_some());
        view! {
            <label>
                <span>{label}</span>
                <input type="text" name=key placeholder=every value=text aria-invalid=is_wrong.then_some("true") aria-describedby=is_wrong.then(|| fault_id(key)) size=size autocomplete="off" spellcheck="false"/>
            </label>
        }
    };
    let fault = |key: &'static str, name: &Name| {
        let fault = name.fault.clone();
        fault.map(|fault| view! { <p class="field-fault" id=fault_id(key) role="alert">{fault}</p> })
    };
    view! {
        <div class="forecast-controls">
            <span class="segments" role="group" aria-label=t!("forecast-views")>{views}</span>
            <span class="segments" role="group" aria-label=t!("forecast-steps")>
                {step("prev", before, t!("forecast-before"))}
                <a href=at(String::new()).href()>{t!("forecast-today")}</a>
                {step("next", after, t!("forecast-after"))}
            </span>
            <a class="button" href=at(shown.clone()).file() download="">{t!("forecast-file")}</a>
            <form method="get" action=routes::FORECAST class="filter">
                <input type="hidden" name="view" value=asked.view.as_str()/>
                <label>
                    <span>{t!("forecast-date")}</span>
                    <input type="date" name="date" value=shown/>
                </label>
                <label>
                    <span>{t!("forecast-zone")}</span>
                    // An emptied field leads back to one's own.
                    <input type="text" name="zone" placeholder=Preferences::get().zone_name value=asked.zone.clone() size="16" autocomplete="off" spellcheck="false"/>
                </label>
                {field("queue", t!("forecast-queue"), t!("forecast-all-queues"), "12", &named.queue)}
                {field("subject", t!("forecast-subject"), t!("forecast-all-subjects"), "16", &named.subject)}
                <button type="submit" class="button" data-tone="primary">{t!("forecast-show")}</button>
            </form>
            {fault("queue", &named.queue)}
            {fault("subject", &named.subject)}
        </div>
    }
}

/// Ties a field to what is wrong with it, for screen readers.
fn fault_id(key: &str) -> String {
    format!("forecast-{key}-fault")
}
