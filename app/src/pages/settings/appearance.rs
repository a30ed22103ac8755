//! How one visitor likes the screens.

use leptos::prelude::*;

use super::{Section, form, submit};
use crate::api::settings::SetAppearance;
use crate::components::fields::labelled;
use crate::i18n::{self, Language};
use crate::preferences::{Density, OF_BROWSER, Preferences, SingleKeys, Theme};
use crate::{access, t, zone};

/// Theme, density, zone, clock, language and single keys; kept in cookies of this browser, the language also in the account.
#[component]
pub(super) fn Appearance() -> impl IntoView {
    let chosen = Preferences::get();
    let themes = Theme::ALL.map(|theme| {
        let name = i18n::word("frame-theme", theme.as_str());
        view! { <option value=theme.as_str() selected=theme == Theme::current()>{name}</option> }
    });
    let languages = Language::OFFERED.map(|language| {
        let selected = language == Language::current();
        view! { <option value=language.tag() lang=language.tag() selected=selected>{language.own_name()}</option> }
    });
    let density = Density::ALL.map(|density| {
        let name = i18n::word("settings-density", density.as_str());
        view! { <option value=density.as_str() selected=density == chosen.density>{name}</option> }
    });
    let fields = view! {
        <div class="settings-grid">
            {labelled("set-theme", t!("frame-theme"), None, view! { <select id="set-theme" name="theme">{themes}</select> })}
            {labelled("set-language", t!("frame-language"), None, view! {
                <select id="set-language" name="language">{languages}</select>
            })}
            {labelled("set-density", t!("settings-density"), None, view! {
                <select id="set-density" name="density">{density}</select>
            })}
            {labelled("set-clock", t!("settings-clock"), None, view! {
                <select id="set-clock" name="clock">
                    <option value="24" selected=!chosen.zone.hour12>{t!("settings-clock-24")}</option>
                    <option value="12" selected=chosen.zone.hour12>{t!("settings-clock-12")}</option>
                </select>
            })}
            {labelled("set-zone", t!("settings-zone"), None, view! {
                <input id="set-zone" name="zone" list="zones" value=chosen.chosen placeholder=access::settings().look.zone.clone() autocomplete="off" aria-describedby="set-zone-hint"/>
                <small id="set-zone-hint">{t!("settings-zone-hint")}</small>
                <datalist id="zones">
                    <option value="UTC"></option>
                    <option value=OF_BROWSER></option>
                    {zone::names().into_iter().map(|zone| view! { <option value=zone></option> }).collect_view()}
                </datalist>
            })}
            <div class="field">
                <span class="settings-label">{t!("settings-keys")}</span>
                <label class="settings-check">
                    <input type="checkbox" name="keys" value="on" checked=SingleKeys::current() == SingleKeys::On/>
                    {t!("settings-keys-on")}
                </label>
            </div>
        </div>
        <p>{submit(None, t!("settings-save"), "primary")}</p>
    };
    view! {
        <Section id="appearance" title=t!("settings-appearance") hint=t!("settings-appearance-hint")>
            {form::<SetAppearance>("settings-form", fields)}
        </Section>
    }
}
