//! The filter bar: one line, its terms as chips, what is wrong with it.

use leptos::prelude::*;
use leptos::server_fn::ServerFn;
use reprieve::model::filter::Field;
use reprieve::model::{Filter, FilterError, JobState};

use super::kept_fields::KeptFields;
use super::pick::Pick;
use crate::api::filter::ApplyFilter;
use crate::components::error_panel::ErrorPanel;
use crate::components::fields::BackField;
use crate::components::icons::{Icon, icon};
use crate::error::ApiError;
use crate::list::Address;
use crate::list::sealed::Unsealed;
use crate::session::Session;
use crate::{i18n, index_field, t};

/// The field of the line; `/` leads to it.
const FIELD: &str = "filter";
/// What is wrong with the line.
const FAULT: &str = "filter-fault";
/// What may be written next.
const SUGGESTIONS: &str = "filter-suggestions";

/// A plain form, which goes by the server: what payloads are searched for stands in no address before it is sealed.
#[component]
pub(crate) fn FilterBar(address: Address) -> impl IntoView {
    let unsealed = Unsealed::get();
    let line = unsealed.line(&address.q);
    let (wrong, fault) = if unsealed.is_lapsed(&address.q) {
        (Some(view! { <ErrorPanel error=ApiError::Lapsed/> }.into_any()), None)
    } else if let Err(wrong) = line.parse::<Filter>() {
        (Some(view! { <Wrong q=line.clone() wrong/> }.into_any()), Some(FAULT))
    } else {
        (None, None)
    };
    let terms = terms().into_iter();
    let terms =
        terms.map(|(term, label)| view! { <option value=term.clone() label=label data-term=term></option> });
    view! {
        <div class="filter-line-and-pick">
        <form class="filter-bar" method="post" role="search" aria-label=t!("filter-label") action=ApplyFilter::PATH data-leads="">
            <input type="hidden" name="group" value=address.group.as_str()/>
            <KeptFields address=address.clone() asked=&["q"]/>
            <BackField/>
            <label class="visually-hidden" for=FIELD>{t!("filter-label")}</label>
            <input
                id=FIELD
                class="filter-line"
                type="search"
                name="q"
                value=line
                placeholder=t!("filter-placeholder")
                list=SUGGESTIONS
                aria-invalid=fault.map(|_| "true")
                aria-describedby=fault
                maxlength="500"
                autocomplete="off"
                autocapitalize="off"
                spellcheck="false"
            />
            <datalist id=SUGGESTIONS data-own="">{terms.collect_view()}</datalist>
            <button type="submit" class="button">{t!("filter-apply")}</button>
        </form>
        <Pick address=address.clone()/>
        </div>
        <Chips address/>
        {wrong}
    }
}

/// What a line may begin with, and what it means: the script puts it behind what was typed already, together with the names
/// that stand beside the list.
fn terms() -> Vec<(String, String)> {
    let fields = Field::ALL
        .into_iter()
        .map(|field| (field.example().to_owned(), i18n::word("filter-field", field.as_str())));
    let states = JobState::ALL.into_iter().map(|state| (format!("state:{state}"), i18n::state(state)));
    let indexed = Session::get().index_fields;
    let indexed = indexed
        .iter()
        .map(|field| (format!("{}:", index_field::in_filter(field)), t!("filter-field-indexed")));
    fields.chain(indexed).chain(states).collect()
}

/// Each term, and the way to the list without it.
#[component]
fn Chips(address: Address) -> impl IntoView {
    let unsealed = Unsealed::get();
    let filter = address.q.parse::<Filter>().ok().filter(|filter| !filter.is_empty())?;
    let clear = address.filtered(&Filter::default()).href();
    let chips = filter.terms().iter().enumerate().map(|(place, term)| {
        let term = unsealed.said(&term.to_string());
        let name = t!("filter-remove", term = term.clone());
        view! {
            <li>
                <a class="chip" href=address.filtered(&filter.without(place)).href() data-here="" aria-label=name.clone() title=name>
                    <code>{term}</code>
                    {icon(Icon::Close)}
                </a>
            </li>
        }
    });
    Some(view! {
        <ul class="chips" aria-label=t!("filter-terms")>
            {chips.collect_view()}
            <li><a class="chip-clear" href=clear data-here="">{t!("filter-clear")}</a></li>
        </ul>
    })
}

/// The line with the part that does not read marked, and why.
#[component]
fn Wrong(q: String, wrong: FilterError) -> impl IntoView {
    let end = wrong.at.saturating_add(wrong.bytes).min(q.len());
    let part = |from: usize, to: usize| q.get(from..to).unwrap_or_default().to_owned();
    let at = wrong.at.min(q.len());
    let (before, marked, after) = (part(0, at), part(at, end), part(end, q.len()));
    let marked = if marked.is_empty() { "…".to_owned() } else { marked };
    view! {
        <p id=FAULT class="filter-wrong" role="alert">
            <code>{before}<mark title=t!("filter-wrong-at")>{marked}</mark>{after}</code>
            <span>{i18n::filter_problem(&wrong)}</span>
        </p>
    }
}
