//! The filter bar: one line, its terms as chips, what is wrong with it.

use leptos::html;
use leptos::prelude::*;
use leptos::server_fn::ServerFn as _;
use leptos_router::hooks::use_navigate;
#[cfg(feature = "ssr")]
use leptos_router::params::ParamsMap;
use reprieve::model::filter::{Field, PayloadPath, is_open};
use reprieve::model::{Filter, FilterError, StateGroup};

use super::address::{Address, KeptFields};
use super::facets::Narrowing;
use super::pick::Pick;
use super::sealed::Unsealed;
use crate::api::ApplyFilter;
use crate::components::error_panel::ErrorPanel;
use crate::components::fields::BackField;
use crate::components::icons::{Icon, icon};
use crate::components::post_form::FormAction;
use crate::components::refusal;
use crate::error::ApiError;
use crate::live::effect::effect;
use crate::session::Session;
use crate::{i18n, index_field, t};

/// The field of the line; `/` leads to it.
const FIELD: &str = "filter";
/// What is wrong with the line.
const FAULT: &str = "filter-fault";
/// What may be written next.
const SUGGESTIONS: &str = "filter-suggestions";

/// A plain form; with script it goes to the list that the filter is about. What payloads are searched for goes by the
/// server, which seals it: until then it stands in no address.
#[component]
pub(crate) fn FilterBar(
    /// The list on screen.
    address: Memo<Address>,
    /// What its jobs are like.
    narrowing: Narrowing,
) -> impl IntoView {
    let navigate = use_navigate();
    let line = NodeRef::<html::Input>::new();
    let unsealed = Unsealed::get();
    let typed = RwSignal::new(String::new());
    let shown = move || {
        let known = address.with(|address| unsealed.line(&address.q));
        // Until the server has said what it is, what was typed there last.
        known.unwrap_or_else(|| typed.get_untracked())
    };
    typed.set(untrack(shown));
    effect(move || typed.set(shown()));
    let apply = FormAction::<ApplyFilter>::new();
    // A line that was typed and does not read goes nowhere.
    let mistaken = RwSignal::new(None::<String>);
    let submit = move |event: leptos::ev::SubmitEvent| {
        event.prevent_default();
        let Some(line) = line.get_untracked() else { return };
        let (here, line) = (address.get_untracked(), line.value());
        let reads = line.parse::<Filter>().is_ok();
        mistaken.set((!reads).then(|| line.clone()));
        if !reads {
            refusal::lead_to(FIELD);
            return;
        }
        let to = settled(&here, &line);
        if to.q.is_empty() || !is_open(&to.q) {
            navigate(&to.href(), leptos_router::NavigateOptions::default());
        } else {
            apply.call(&sent(&here, line));
        }
    };
    effect(move || {
        address.track();
        mistaken.set(None);
    });
    let refused = move || {
        let error = apply.value().get()?.err()?;
        Some(view! { <ErrorPanel error/> })
    };
    let fault = Memo::new(move |_| {
        let q = address.with(|address| address.q.clone());
        let line = mistaken.get().or_else(|| unsealed.line(&q))?;
        let wrong = line.parse::<Filter>().err()?;
        Some((line, wrong))
    });
    let is_wrong = Memo::new(move |_| fault.with(Option::is_some));
    let wrong = move || {
        let q = address.with(|address| address.q.clone());
        if mistaken.with(Option::is_none) && unsealed.is_lapsed(&q) {
            return Some(view! { <ErrorPanel error=ApiError::Lapsed/> }.into_any());
        }
        let (line, wrong) = fault.get()?;
        Some(view! { <Wrong q=line wrong/> }.into_any())
    };
    let fields = Session::get().index_fields;
    let options = move || {
        suggestions(&typed.get(), &narrowing, &fields)
            .into_iter()
            .map(|(value, label)| view! { <option value=value label=label></option> })
            .collect_view()
    };
    view! {
        <div class="filter-line-and-pick">
        <form class="filter-bar" method="post" role="search" aria-label=t!("filter-label") action=ApplyFilter::url() on:submit=submit>
            <input type="hidden" name="group" value=move || address.with(|address| address.group.as_str())/>
            <KeptFields address asked=&["q"]/>
            <BackField/>
            <label class="visually-hidden" for=FIELD>{t!("filter-label")}</label>
            <input
                id=FIELD
                class="filter-line"
                type="search"
                name="q"
                node_ref=line
                value=shown
                prop:value=shown
                placeholder=t!("filter-placeholder")
                list=SUGGESTIONS
                aria-invalid=move || is_wrong.get().then_some("true")
                aria-describedby=move || is_wrong.get().then_some(FAULT)
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
        {refused}
        {wrong}
    }
}

/// Each term, and the way to the list without it.
#[component]
fn Chips(address: Memo<Address>) -> impl IntoView {
    let unsealed = Unsealed::get();
    move || {
        let address = address.get();
        let filter = address.q.parse::<Filter>().ok().filter(|filter| !filter.is_empty())?;
        let clear = address.filtered(&Filter::default()).href();
        let chips = filter.terms().iter().enumerate().map(|(place, term)| {
            let term = unsealed.said(&term.to_string());
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
        <p id=FAULT class="filter-wrong" role="alert">
            <code>{before}<mark title=t!("filter-wrong-at")>{marked}</mark>{after}</code>
            <span>{i18n::filter_problem(&wrong)}</span>
        </p>
    }
}

/// The form as it is sent from a list.
fn sent(here: &Address, q: String) -> ApplyFilter {
    ApplyFilter {
        group: here.group,
        q,
        queue: here.queue.as_ref().map(ToString::to_string).unwrap_or_default(),
        dir: here.direction_word().to_owned(),
        columns: here.columns.clone(),
        rows: here.rows.map(|rows| rows.to_string()).unwrap_or_default(),
        size: here.size.to_string(),
        back: None,
    }
}

/// The address of the list that a line leads to, from a list of which [`Address::kept`] keeps so much; `seal` makes of the
/// line what may stand in it.
#[cfg(feature = "ssr")]
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

/// Lines that the one being typed may become, each with what it means or how many jobs it finds.
fn suggestions(line: &str, narrowing: &Narrowing, indexed: &[PayloadPath]) -> Vec<(String, String)> {
    let (head, word) = last_word(line);
    let dash = if word.starts_with('-') { "-" } else { "" };
    let word = word.trim_start_matches('-');
    let with = |term: &str| format!("{head}{dash}{term}");
    match word.split_once(':') {
        None => Field::ALL
            .into_iter()
            .filter(|field| field.as_str().starts_with(word))
            .map(|field| (with(field.example()), i18n::filter_field(field)))
            .chain(
                indexed
                    .iter()
                    .map(|field| format!("{}:", index_field::in_filter(field)))
                    .filter(|term| term.starts_with(word))
                    .map(|term| (with(&term), t!("filter-field-indexed"))),
            )
            .collect(),
        Some((field, value)) => narrowing
            .names(field)
            .into_iter()
            .filter(|(name, _)| name.starts_with(value))
            .map(|(name, said)| (with(&format!("{field}:{name}")), said))
            .collect(),
    }
}

/// What stands in front of the word being typed, and that word. A blank may take more than one byte.
fn last_word(line: &str) -> (&str, &str) {
    let blank = line.char_indices().rev().find(|(_, sign)| sign.is_whitespace());
    line.split_at(blank.map_or(0, |(at, sign)| at + sign.len_utf8()))
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
    fn the_word_being_typed_stands_behind_any_blank() {
        for (line, parts) in [
            ("", ("", "")),
            ("ta", ("", "ta")),
            ("kind:a ta", ("kind:a ", "ta")),
            ("kind:a\u{3000}ta", ("kind:a\u{3000}", "ta")),
            ("kind:a\u{a0}", ("kind:a\u{a0}", "")),
        ] {
            assert_eq!(last_word(line), parts, "{line:?}");
        }
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
