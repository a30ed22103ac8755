//! The filter bar: one line, its terms as chips, what is wrong with it.

use leptos::prelude::*;
use leptos::server_fn::ServerFn;
use leptos_router::params::ParamsMap;
use reprieve::model::filter::Field;
use reprieve::model::{Filter, FilterError, JobState, StateGroup};

use super::address::{Address, KeptFields};
use super::pick::Pick;
use super::sealed::Unsealed;
use crate::api::ApplyFilter;
use crate::components::error_panel::ErrorPanel;
use crate::components::fields::BackField;
use crate::components::icons::{Icon, icon};
use crate::error::ApiError;
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
pub(crate) fn FilterBar(
    /// The list on screen.
    address: Address,
) -> impl IntoView {
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
    let fields = Field::ALL.into_iter().map(|field| (field.example().to_owned(), i18n::filter_field(field)));
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

/// The address of the list that a line leads to, from a list of which [`Address::kept`] keeps so much; `seal` makes of the
/// line what may stand in it.
pub(crate) fn list_of<E>(
    group: StateGroup,
    kept: [(&'static str, String); 5],
    line: &str,
    seal: impl FnOnce(&str) -> Result<String, E>,
) -> Result<String, E> {
    let mut query = ParamsMap::new();
    for (name, value) in kept.into_iter().filter(|(_, value)| !value.is_empty()) {
        query.insert(name, value);
    }
    let there = settled(&Address::read(group.as_str(), &query), line);
    Ok(Address { q: seal(&there.q)?, ..there }.href())
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

/// The other lists that the states of its terms name; the list on screen shows none of their jobs.
pub(super) fn also_in(here: &Address) -> Vec<StateGroup> {
    let Ok(filter) = here.q.parse::<Filter>() else { return Vec::new() };
    let names = filter.terms().iter().any(|term| !term.not && term.test.field() == Some(Field::State));
    let states = filter.states();
    let is_named = |group: &StateGroup| group.states().iter().any(|state| states.contains(state));
    StateGroup::ALL.into_iter().filter(|group| names && *group != here.group && is_named(group)).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    fn here(group: StateGroup) -> Address {
        Address::read(group.as_str(), &ParamsMap::new())
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

    #[test]
    fn a_line_names_the_other_lists_its_states_are_in() {
        let also = |group, line: &str| also_in(&settled(&here(group), line));
        assert_eq!(also(StateGroup::Dead, "state:dead,done kind:a"), [StateGroup::Done]);
        assert_eq!(also(StateGroup::Delay, "state:retrying,held"), [StateGroup::Held]);
        for whole in ["state:dead", "state:retrying", "-state:retrying", "kind:a", ""] {
            assert_eq!(also(StateGroup::Delay, whole), [], "{whole}");
        }
        assert_eq!(also(StateGroup::Dead, "state:dead,done -state:done"), []);
    }

    #[test]
    fn the_address_of_a_form_has_what_the_list_had_and_the_sealed_line() {
        let kept = [
            ("queue", "mail".to_owned()),
            ("dir", "ascending".to_owned()),
            ("columns", "a.b".to_owned()),
            ("rows", String::new()),
            ("size", "100".to_owned()),
        ];
        let seal = |line: &str| {
            assert_eq!(line, "payload.phone:138", "the list says the state");
            Ok::<_, ()>("payload.phone:sealed.0".to_owned())
        };
        assert_eq!(
            list_of(StateGroup::Delay, kept.clone(), "state:dead payload.phone:138", seal).unwrap(),
            "/jobs/dead?queue=mail&size=100&q=payload.phone:sealed.0&columns=a.b"
        );
        assert_eq!(
            list_of(StateGroup::Dead, kept, "payload.phone:138", seal).unwrap(),
            "/jobs/dead?queue=mail&dir=ascending&size=100&q=payload.phone:sealed.0&columns=a.b",
            "the same list keeps its order"
        );
    }
}
