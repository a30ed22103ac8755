//! The filter bar: one line, its terms as chips, what is wrong with it.

use leptos::html;
use leptos::prelude::*;
use leptos_router::hooks::use_navigate;
use reprieve::model::filter::Field;
use reprieve::model::{Filter, FilterError, StateGroup};

use super::address::Address;
use super::facets::Narrowing;
use super::pick::Pick;
use crate::components::icons::{Icon, icon};
use crate::{i18n, routes, t};

/// The field of the line; `/` leads to it.
const FIELD: &str = "filter";
/// What may be written next.
const SUGGESTIONS: &str = "filter-suggestions";

/// A plain GET form; with script it goes to the list that the filter is about.
#[component]
pub(crate) fn FilterBar(
    /// The list on screen.
    address: Memo<Address>,
    /// What its jobs are like.
    narrowing: Narrowing,
) -> impl IntoView {
    let navigate = use_navigate();
    let line = NodeRef::<html::Input>::new();
    let typed = RwSignal::new(address.with_untracked(|address| address.q.clone()));
    Effect::new(move |_| typed.set(address.with(|address| address.q.clone())));
    let submit = move |event: leptos::ev::SubmitEvent| {
        event.prevent_default();
        let Some(line) = line.get_untracked() else { return };
        let here = address.get_untracked();
        let to = settled(&here, &line.value());
        navigate(&to.href(), leptos_router::NavigateOptions::default());
    };
    let hidden = move || {
        let address = address.get();
        let queue =
            address.queue.map(|queue| view! { <input type="hidden" name="queue" value=queue.to_string()/> });
        let columns = (!address.columns.is_empty())
            .then(|| view! { <input type="hidden" name="columns" value=address.columns.clone()/> });
        let rows = address.rows.map(|rows| view! { <input type="hidden" name="rows" value=rows.as_str()/> });
        view! { {queue} {columns} {rows} <input type="hidden" name="size" value=address.size.to_string()/> }
    };
    let wrong = move || {
        let (q, wrong) = address.with(|address| (address.q.clone(), address.filter().err()));
        wrong.map(|wrong| view! { <Wrong q wrong/> })
    };
    let options = move || {
        suggestions(&typed.get(), &narrowing)
            .into_iter()
            .map(|(value, label)| view! { <option value=value label=label></option> })
            .collect_view()
    };
    view! {
        <div class="filter-line-and-pick">
        <form class="filter-bar" method="get" role="search" action=move || routes::jobs(address.get().group, None) on:submit=submit>
            {hidden}
            <label class="visually-hidden" for=FIELD>{t!("filter-label")}</label>
            <input
                id=FIELD
                class="filter-line"
                type="search"
                name="q"
                node_ref=line
                value=move || address.get().q
                prop:value=move || address.get().q
                placeholder=t!("filter-placeholder")
                list=SUGGESTIONS
                maxlength="500"
                autocomplete="off"
                autocapitalize="off"
                spellcheck="false"
                on:input=move |event| typed.set(event_target_value(&event))
            />
            <datalist id=SUGGESTIONS>{options}</datalist>
            <button type="submit" class="button">{t!("filter-apply")}</button>
        </form>
        <Pick address/>
        </div>
        <Chips address/>
        {wrong}
    }
}

/// Each term, and the way to the list without it.
#[component]
fn Chips(address: Memo<Address>) -> impl IntoView {
    move || {
        let address = address.get();
        let filter = address.q.parse::<Filter>().ok().filter(|filter| !filter.is_empty())?;
        let clear = address.filtered(&Filter::default()).href();
        let chips = filter.terms().iter().enumerate().map(|(place, term)| {
            let term = term.to_string();
            let name = t!("filter-remove", term = term.clone());
            view! {
                <li>
                    <a class="chip" href=address.filtered(&filter.without(place)).href() aria-label=name.clone() title=name>
                        <code>{term}</code>
                        {icon(Icon::Close)}
                    </a>
                </li>
            }
        });
        Some(view! {
            <ul class="chips" aria-label=t!("filter-terms")>
                {chips.collect_view()}
                <li><a class="chip-clear" href=clear>{t!("filter-clear")}</a></li>
            </ul>
        })
    }
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
        <p class="filter-wrong" role="alert">
            <code>{before}<mark title=t!("filter-wrong-at")>{marked}</mark>{after}</code>
            <span>{i18n::filter_problem(&wrong)}</span>
        </p>
    }
}

/// Where a line leads: to the list its states are in, without the terms that this list says already.
fn settled(here: &Address, line: &str) -> Address {
    let there = Address { q: line.trim().to_owned(), after: None, ..here.clone() };
    let Ok(filter) = there.q.parse::<Filter>() else { return there };
    let asks = filter.terms().iter().any(|term| term.test.field() == Some(Field::State));
    let states = filter.states();
    let Some(first) = states.first().filter(|_| asks) else { return there };
    let group = if states.iter().any(|state| here.group.states().contains(state)) {
        here.group
    } else {
        StateGroup::of(*first)
    };
    let is_said = group.states().iter().all(|state| states.contains(state))
        && states.iter().all(|state| group.states().contains(state));
    let filter = if is_said { filter.without_field(Field::State) } else { filter };
    Address { group, direction: None, q: filter.to_string(), ..there }
}

/// Lines that the one being typed may become, each with what it means or how many jobs it finds.
fn suggestions(line: &str, narrowing: &Narrowing) -> Vec<(String, String)> {
    let start = line.rfind(char::is_whitespace).map_or(0, |place| place + 1);
    let (head, word) = line.split_at(start);
    let dash = if word.starts_with('-') { "-" } else { "" };
    let word = word.trim_start_matches('-');
    let with = |term: &str| format!("{head}{dash}{term}");
    match word.split_once(':') {
        None => Field::ALL
            .into_iter()
            .filter(|field| field.as_str().starts_with(word))
            .map(|field| (with(field.example()), i18n::filter_field(field)))
            .collect(),
        Some((field, value)) => narrowing
            .names(field)
            .into_iter()
            .filter(|(name, _)| name.starts_with(value))
            .map(|(name, count)| (with(&format!("{field}:{name}")), crate::format::number(count)))
            .collect(),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn here(group: StateGroup) -> Address {
        Address::read(group.as_str(), &leptos_router::params::ParamsMap::new())
    }

    #[test]
    fn a_line_leads_to_the_list_its_states_are_in() {
        let to = |group, line: &str| settled(&here(group), line).href();
        assert_eq!(to(StateGroup::Delay, "state:dead kind:a"), "/jobs/dead?q=kind:a");
        assert_eq!(to(StateGroup::Delay, "state:retrying"), "/jobs/delay?q=state:retrying");
        assert_eq!(to(StateGroup::Dead, "state:delay"), "/jobs/delay");
        assert_eq!(to(StateGroup::Dead, "state:dead,done"), "/jobs/dead?q=state:done,dead");
        assert_eq!(to(StateGroup::Dead, "kind:"), "/jobs/dead?q=kind:");
    }
}
