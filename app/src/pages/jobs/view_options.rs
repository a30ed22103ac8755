//! How a list is shown: its columns and those from payloads, the height of rows, how many on a page.

use leptos::prelude::*;
use reprieve::model::filter::PayloadPath;
use reprieve::model::{Permission, Role};

use super::heading::heading;
use super::kept_fields::KeptFields;
use crate::components::fields::labelled;
use crate::components::icons::{Icon, icon};
use crate::list::{Address, Column, ORDER, SIZES, column_words};
use crate::session::Session;
use crate::{routes, t};

/// The popover with the choices.
const OPTIONS: &str = "view-options";

/// A popover with a plain GET form: the address keeps the choice.
#[component]
pub(crate) fn ViewOptions(address: Address) -> impl IntoView {
    let sizes = SIZES.map(|size| {
        view! { <option value=size.to_string() selected=address.size == size>{size.to_string()}</option> }
    });
    let places = Column::ALL.map(|column| view! { <Place column address=address.clone()/> });
    // Not as downloads: a person who has not confirmed lately who they are is led to where they do.
    let with_payloads = Session::get().may(Permission::ExportPayloads).then(|| {
        view! {
            <p class="export-links">
                <a class="button" href=address.export_href("payloads.csv")>{t!("filter-export-payloads-csv")}</a>
                <a class="button" href=address.export_href("payloads.jsonl")>{t!("filter-export-payloads-lines")}</a>
            </p>
            <small class="field-hint">{t!("filter-export-payloads-hint")}</small>
        }
    });
    let hint = match Session::get().role {
        Some(Role::Support) => t!("filter-export-hint-support"),
        _ => t!("filter-export-hint"),
    };
    view! {
        <span class="confirm">
            <button type="button" class="button" popovertarget=OPTIONS>{icon(Icon::Sliders)} <span>{t!("filter-view")}</span></button>
            <div id=OPTIONS class="popover" popover="auto" role="dialog" aria-label=t!("filter-view")>
                <form method="get" action=routes::jobs(address.group, None)>
                    <KeptFields address=address.clone() asked=&["columns", "rows", "size"]/>
                    <fieldset class="view-places">
                        <legend>{t!("filter-places")}</legend>
                        <input type="hidden" name=ORDER value=column_words(&address.always())/>
                        {places}
                    </fieldset>
                    {labelled("view-columns", t!("filter-columns"), None, view! {
                        <input id="view-columns" type="text" name="columns" value=address.paths() autocomplete="off" spellcheck="false"/>
                        <small class="field-hint">{t!("filter-columns-hint")}</small>
                    })}
                    {labelled("view-rows", t!("filter-density"), None, view! {
                        <select id="view-rows" name="rows">
                            <option value="roomy">{t!("filter-two-lines")}</option>
                            <option value="compact" selected=address.is_compact()>{t!("filter-compact")}</option>
                        </select>
                    })}
                    {labelled("view-size", t!("filter-page-size"), None, view! {
                        <select id="view-size" name="size">{sizes}</select>
                    })}
                    <button type="submit" class="button" data-tone="primary">{t!("filter-show")}</button>
                </form>
                <h2>{t!("filter-export")}</h2>
                <p class="export-links">
                    <a class="button" href=address.export_href("jobs.csv") download="">{t!("filter-export-csv")}</a>
                    <a class="button" href=address.export_href("jobs.jsonl") download="">{t!("filter-export-lines")}</a>
                </p>
                <small class="field-hint">{hint}</small>
                {with_payloads}
            </div>
        </span>
    }
}

/// Says which of the columns that were asked for lead into no payload.
#[component]
pub(crate) fn UnreadColumns(
    /// The columns as the address has them.
    line: String,
) -> impl IntoView {
    let wrong = first_unread(&line)?;
    Some(view! { <p class="field-fault" role="alert">{t!("filter-columns-wrong", path = wrong)}</p> })
}

/// The first of some paths that leads into no payload.
fn first_unread(line: &str) -> Option<String> {
    let mut paths = line.split(',').map(str::trim).filter(|path| !path.is_empty());
    let unread = |path: &&str| path.parse::<PayloadPath>().is_err() && path.parse::<Column>().is_err();
    paths.find(unread).map(ToOwned::to_owned)
}

/// Where a column of every list stands, or that it is hidden.
#[component]
fn Place(column: Column, address: Address) -> impl IntoView {
    let always = address.always();
    let places = (0..Column::ALL.len()).map(|at| {
        // Its word is its value.
        view! { <option selected=always.get(at) == Some(&column)>{(at + 1).to_string()}</option> }
    });
    let is_hidden = !always.contains(&column);
    let hide = (column != Column::Job)
        .then(|| view! { <option value="hidden" selected=is_hidden>{t!("filter-place-hidden")}</option> });
    let (id, places) = (format!("view-{}", column.field()), places.collect_view());
    view! {
        <label for=id.clone()>{heading(column, address.group)}</label>
        <select id=id name=column.field()>{places} {hide}</select>
    }
}
