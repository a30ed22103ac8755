//! What the line can say, picked instead of typed: due times, an error, a subject.

use leptos::prelude::*;

use super::kept_fields::KeptFields;
use crate::components::acts::{MomentInput, ZoneField};
use crate::components::fields::labelled;
use crate::components::icons::{Icon, icon};
use crate::list::Address;
use crate::list::picks::{BEFORE, ERROR, FROM, SUBJECT};
use crate::{routes, t};

/// The popover with the fields.
const PICK: &str = "filter-pick";

/// The button beside the line, and its popover: a plain GET form, whose fields [`with_picks`] makes terms of.
#[component]
pub(crate) fn Pick(address: Address) -> impl IntoView {
    let there = routes::jobs(address.group, None);
    view! {
        <button type="button" class="button" popovertarget=PICK>{icon(Icon::Sliders)} <span>{t!("filter-pick")}</span></button>
        <div id=PICK class="popover" popover="auto" role="dialog" aria-label=t!("filter-pick-title")>
            <form method="get" action=there>
                <KeptFields address asked=&[]/>
                <fieldset class="pick-due">
                    <legend>{t!("filter-pick-due")}</legend>
                    <MomentInput id="pick-from".to_owned() name=FROM label=t!("filter-pick-from") first=None/>
                    <MomentInput id="pick-before".to_owned() name=BEFORE label=t!("filter-pick-before") first=None/>
                    <ZoneField/>
                </fieldset>
                {labelled("pick-error", t!("filter-pick-error"), None, view! {
                    <input id="pick-error" type="text" name=ERROR maxlength="200" autocomplete="off" spellcheck="false"/>
                })}
                {labelled("pick-subject", t!("filter-pick-subject"), None, view! {
                    <input id="pick-subject" type="text" name=SUBJECT maxlength="256" autocomplete="off" autocapitalize="off" spellcheck="false"/>
                    <small class="field-hint">{t!("filter-pick-subject-hint")}</small>
                })}
                <button type="submit" class="button" data-tone="primary">{t!("filter-pick-add")}</button>
            </form>
        </div>
    }
}
