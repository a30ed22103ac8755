//! What the line can say, picked instead of typed: due times, an error, a subject.

use leptos::html;
use leptos::prelude::*;
use leptos_router::hooks::use_navigate;
use leptos_router::params::ParamsMap;
use reprieve::model::filter::{Pattern, Term, Test};

use super::address::{Address, KeptFields};
use crate::components::acts::MomentField;
use crate::components::confirm::hide;
use crate::components::icons::{Icon, icon};
use crate::{routes, t};

/// The popover with the fields.
const PICK: &str = "filter-pick";
/// The fields, as the address of a form without script names them.
const FROM: &str = "from";
const BEFORE: &str = "before";
const ERROR: &str = "error";
const SUBJECT: &str = "subject";

/// The button beside the line, and its popover: a plain GET form, whose fields [`with_picks`] makes terms of.
#[component]
pub(crate) fn Pick(
    /// The list on screen.
    address: Memo<Address>,
) -> impl IntoView {
    let navigate = use_navigate();
    let popover = NodeRef::<html::Div>::new();
    let (error, subject) = (NodeRef::<html::Input>::new(), NodeRef::<html::Input>::new());
    let (from, before) = (RwSignal::new(String::new()), RwSignal::new(String::new()));
    let submit = move |event: leptos::ev::SubmitEvent| {
        event.prevent_default();
        let typed = |field: NodeRef<html::Input>| field.get_untracked().map(|field| field.value());
        let mut picked = ParamsMap::new();
        for (name, value) in [
            (FROM, Some(from.get_untracked())),
            (BEFORE, Some(before.get_untracked())),
            (ERROR, typed(error)),
            (SUBJECT, typed(subject)),
        ] {
            picked.insert(name, value.unwrap_or_default());
        }
        let here = address.get_untracked();
        let there = Address { q: with_picks(&here.q, &picked), after: None, ..here };
        hide(popover);
        navigate(&there.href(), leptos_router::NavigateOptions::default());
    };
    view! {
        <button type="button" class="button" popovertarget=PICK>{icon(Icon::Sliders)} <span>{t!("filter-pick")}</span></button>
        <div id=PICK class="popover" popover="auto" role="dialog" aria-label=t!("filter-pick-title") node_ref=popover>
            <form method="get" action=move || routes::jobs(address.get().group, None) on:submit=submit>
                <KeptFields address asked=&[]/>
                <fieldset class="pick-due">
                    <legend>{t!("filter-pick-due")}</legend>
                    <MomentField id="pick-from".to_owned() name=FROM label=t!("filter-pick-from") text=from/>
                    <MomentField id="pick-before".to_owned() name=BEFORE label=t!("filter-pick-before") text=before/>
                </fieldset>
                <div class="field">
                    <label for="pick-error">{t!("filter-pick-error")}</label>
                    <input id="pick-error" type="text" name=ERROR maxlength="200" autocomplete="off" spellcheck="false" node_ref=error/>
                </div>
                <div class="field">
                    <label for="pick-subject">{t!("filter-pick-subject")}</label>
                    <input id="pick-subject" type="text" name=SUBJECT maxlength="256" autocomplete="off" autocapitalize="off" spellcheck="false" node_ref=subject/>
                    <small class="field-hint">{t!("filter-pick-subject-hint")}</small>
                </div>
                <button type="submit" class="button" data-tone="primary">{t!("filter-pick-add")}</button>
            </form>
        </div>
    }
}

/// The line as it was typed, with a term for each field that was filled in.
pub(crate) fn with_picks(line: &str, picked: &ParamsMap) -> String {
    let pick = |name| picked.get(name).map(|text| text.trim().to_owned()).filter(|text| !text.is_empty());
    let due = match (pick(FROM).map(with_zone), pick(BEFORE).map(with_zone)) {
        (Some(from), Some(before)) => Some(format!("due:>={from} due:<{before}")),
        (Some(from), None) => Some(format!("due:>={from}")),
        (None, Some(before)) => Some(format!("due:<{before}")),
        (None, None) => None,
    };
    let error = pick(ERROR).map(|text| Term::new(Test::Error(vec![text])).to_string());
    let subject = pick(SUBJECT).map(|text| {
        let pattern = match text.strip_suffix('*') {
            Some(start) => Pattern::starting(start),
            None => Pattern::exactly(text),
        };
        Term::new(Test::Subject(vec![pattern])).to_string()
    });
    let terms = [due, error, subject].into_iter().flatten();
    let all = std::iter::once(line.trim().to_owned()).chain(terms).filter(|part| !part.is_empty());
    all.collect::<Vec<_>>().join(" ")
}

/// A time as the filter writes it: what a field sends without script has no zone, and stands for UTC.
fn with_zone(mut moment: String) -> String {
    let clock = moment.split_once('T').map(|(_, clock)| clock);
    if clock.is_some_and(|clock| !clock.contains(['Z', '+', '-'])) {
        moment.push('Z');
    }
    moment
}

#[cfg(test)]
mod tests {
    use super::*;
    use reprieve::model::Filter;

    fn picked(fields: &[(&'static str, &str)]) -> ParamsMap {
        let mut map = ParamsMap::new();
        for (name, value) in fields {
            map.insert(*name, (*value).to_owned());
        }
        map
    }

    #[test]
    fn what_was_picked_is_said_in_the_line() {
        let with = |line: &str, fields: &[(&'static str, &str)]| with_picks(line, &picked(fields));
        assert_eq!(with("kind:a", &[]), "kind:a");
        assert_eq!(with("", &[(ERROR, " gave up: \"no\" ")]), r#"error:"gave up: \"no\"""#);
        assert_eq!(with("kind:a", &[(SUBJECT, "customer:7*"), (ERROR, "")]), "kind:a subject:customer:7*");
        assert_eq!(
            with("", &[(FROM, "2026-08-12T09:00"), (BEFORE, "2026-08-12T17:00+08:00")]),
            "due:>=2026-08-12T09:00Z due:<2026-08-12T17:00+08:00"
        );
        for line in [with("", &[(FROM, "2026-08-12T09:00:30-03:30")]), with("", &[(SUBJECT, "a b*c")])] {
            assert!(line.parse::<Filter>().is_ok(), "{line}");
        }
    }

    #[test]
    fn a_line_that_does_not_read_stays_as_it_was_typed() {
        assert_eq!(with_picks("kind:", &picked(&[(ERROR, "x")])), "kind: error:x");
    }
}
