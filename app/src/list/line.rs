//! Where a filter line leads.

use leptos_router::params::ParamsMap;
use reprieve::model::filter::Field;
use reprieve::model::{Filter, StateGroup};

use super::address::Address;

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
pub(crate) fn also_in(here: &Address) -> Vec<StateGroup> {
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
