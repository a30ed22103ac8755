//! How a list is shown: its columns and those from payloads, the height of rows, how many on a page.

use leptos::html;
use leptos::prelude::*;
use reprieve::model::filter::PayloadPath;
use reprieve::model::{Permission, Role};

use super::address::{Address, KeptFields, ORDER, SIZES};
use super::columns::{self, Column};
use crate::components::icons::{Icon, icon};
use crate::session::Session;
use crate::{routes, t};

/// The popover with the choices.
const OPTIONS: &str = "view-options";
/// What is wrong with the paths that were typed.
const FAULT: &str = "view-columns-fault";

/// A popover with a plain GET form: the address keeps the choice.
#[component]
pub(crate) fn ViewOptions(
    /// The list on screen.
    address: Memo<Address>,
) -> impl IntoView {
    let sizes = SIZES.map(|size| {
        let chosen = move || address.with(|address| address.size == size);
        view! { <option value=size.to_string() selected=chosen>{size.to_string()}</option> }
    });
    let order = move || columns::words(&address.get().always());
    let places = Column::ALL.map(|column| view! { <Place column address/> });
    let line = NodeRef::<html::Input>::new();
    let unread = RwSignal::new(None::<String>);
    // Without script what does not read is left out, as it is of an old link.
    let submit = move |event: leptos::ev::SubmitEvent| {
        let wrong = line.get_untracked().and_then(|line| first_unread(&line.value()));
        if wrong.is_some() {
            event.prevent_default();
        }
        unread.set(wrong);
    };
    let fault = move || {
        unread.get().map(|path| view! { <p id=FAULT class="field-fault" role="alert">{t!("filter-columns-wrong", path = path)}</p> })
    };
    let compact = move || address.with(Address::is_compact);
    // Not as downloads: whoever has not confirmed lately who they are is led to where they do.
    let with_payloads = Session::get().may(Permission::ExportPayloads).then(|| {
        view! {
            <p class="export-links">
                <a class="button" href=move || address.get().export_href("payloads.csv") rel="external">{t!("filter-export-payloads-csv")}</a>
                <a class="button" href=move || address.get().export_href("payloads.jsonl") rel="external">{t!("filter-export-payloads-lines")}</a>
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
                <form method="get" action=move || routes::jobs(address.get().group, None) on:submit=submit>
                    <KeptFields address asked=&["columns", "rows", "size"]/>
                    <fieldset class="view-places">
                        <legend>{t!("filter-places")}</legend>
                        <input type="hidden" name=ORDER value=order/>
                        {places}
                    </fieldset>
                    <div class="field">
                        <label for="view-columns">{t!("filter-columns")}</label>
                        <input id="view-columns" type="text" name="columns" node_ref=line value=move || address.get().paths() aria-invalid=move || unread.get().map(|_| "true") aria-describedby=move || unread.get().map(|_| FAULT) autocomplete="off" spellcheck="false"/>
                        <small class="field-hint">{t!("filter-columns-hint")}</small>
                        {fault}
                    </div>
                    <div class="field">
                        <label for="view-rows">{t!("filter-density")}</label>
                        <select id="view-rows" name="rows">
                            <option value="roomy">{t!("filter-two-lines")}</option>
                            <option value="compact" selected=compact>{t!("filter-compact")}</option>
                        </select>
                    </div>
                    <div class="field">
                        <label for="view-size">{t!("filter-page-size")}</label>
                        <select id="view-size" name="size">{sizes}</select>
                    </div>
                    <button type="submit" class="button" data-tone="primary">{t!("filter-show")}</button>
                </form>
                <h2>{t!("filter-export")}</h2>
                <p class="export-links">
                    <a class="button" href=move || address.get().export_href("jobs.csv") rel="external" download="">{t!("filter-export-csv")}</a>
                    <a class="button" href=move || address.get().export_href("jobs.jsonl") rel="external" download="">{t!("filter-export-lines")}</a>
                </p>
                <small class="field-hint">{hint}</small>
                {with_payloads}
            </div>
        </span>
    }
}

/// The first of some paths that leads into no payload.
fn first_unread(line: &str) -> Option<String> {
    let mut paths = line.split(',').map(str::trim).filter(|path| !path.is_empty());
    let unread = |path: &&str| path.parse::<PayloadPath>().is_err() && Column::from_word(path).is_none();
    paths.find(unread).map(ToOwned::to_owned)
}

/// Where a column of every list stands, or that it is hidden.
#[component]
fn Place(column: Column, address: Memo<Address>) -> impl IntoView {
    let is_at = move |at: usize| address.with(|address| address.always().get(at) == Some(&column));
    let is_hidden = move || address.with(|address| !address.always().contains(&column));
    let places = (0..Column::ALL.len()).map(|at| {
        // Its word is its value.
        view! { <option selected=move || is_at(at)>{(at + 1).to_string()}</option> }
    });
    let hide = (column != Column::Job)
        .then(|| view! { <option value="hidden" selected=is_hidden>{t!("filter-place-hidden")}</option> });
    let id = format!("view-{}", column.field());
    view! {
        <label for=id.clone()>{move || column.heading(address.get().group)}</label>
        <select id=id name=column.field()>{places.collect_view()} {hide}</select>
    }
}
