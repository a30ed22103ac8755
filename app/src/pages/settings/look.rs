//! How the namespace looks to everybody.

use leptos::prelude::*;
use reprieve::model::{Colour, Look, Permission, Setting};

use super::checked::Checked;
use super::{Section, form, submit};
use crate::api::settings::SetLook;
use crate::components::fields::labelled;
use crate::session::Session;
use crate::{i18n, t};

/// Name, colour, and the badge of its environment.
#[component]
pub(super) fn LookForm(look: Look) -> impl IntoView {
    let session = Session::get();
    let setting = Setting::Look(look.clone());
    let colours = Colour::ALL.map(|colour| {
        let name = i18n::colour(colour);
        let word = colour.as_str();
        view! {
            <label class="settings-colour">
                <input type="radio" name="colour" value=word checked=colour == look.colour/>
                <span class="namespace-mark" data-colour=word aria-hidden="true"></span>
                {name}
            </label>
        }
    });
    let fields = view! {
        <Checked setting/>
        <div class="settings-grid">
            {labelled("look-title", t!("settings-look-title"), None, view! {
                <input id="look-title" name="title" maxlength="40" value=look.title placeholder=session.namespace autocomplete="off"/>
            })}
            {labelled("look-environment", t!("settings-look-environment"), None, view! {
                <input
                    id="look-environment"
                    name="environment"
                    maxlength="20"
                    list="environments"
                    value=look.environment
                    autocomplete="off"
                    aria-describedby="look-environment-hint"
                />
                <small id="look-environment-hint">{t!("settings-look-environment-hint")}</small>
                <datalist id="environments">
                    <option value="production"></option>
                    <option value="staging"></option>
                    <option value="test"></option>
                </datalist>
            })}
        </div>
        {labelled("look-zone", t!("settings-look-zone"), Some(t!("settings-look-zone-hint")), view! {
            // The names are those of the list in the section above.
            <input
                id="look-zone"
                name="zone"
                list="zones"
                value=look.zone
                autocomplete="off"
                aria-describedby="look-zone-hint"
            />
        })}
        <fieldset class="settings-colours">
            <legend>{t!("settings-look-colour")}</legend>
            {colours}
        </fieldset>
        <p>{submit(Some(Permission::ManageSettings), t!("settings-save"), "primary")}</p>
    };
    view! {
        <Section id="namespace" title=t!("settings-namespace") hint=t!("settings-namespace-hint")>
            {form::<SetLook>("settings-form", fields)}
        </Section>
    }
}
