//! What the line can say, picked instead of typed: due times, an error, a subject.

use leptos::prelude::*;
use leptos_router::params::ParamsMap;
use reprieve::model::filter::{Pattern, Term, Test};

use super::address::{Address, KeptFields};
use crate::api::when;
use crate::components::acts::{MomentInput, ZoneField};
use crate::components::icons::{Icon, icon};
use crate::{routes, t};

/// The popover with the fields.
const PICK: &str = "filter-pick";
/// The fields, as the address of a form without script names them.
const FROM: &str = "from";
const BEFORE: &str = "before";
const ERROR: &str = "error";
const SUBJECT: &str = "subject";
/// In which zone the times are.
const ZONE: &str = "zone";

/// The button beside the line, and its popover: a plain GET form, whose fields [`with_picks`] makes terms of.
#[component]
pub(crate) fn Pick(
    /// The list on screen.
    address: Address,
) -> impl IntoView {
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
                <div class="field">
                    <label for="pick-error">{t!("filter-pick-error")}</label>
                    <input id="pick-error" type="text" name=ERROR maxlength="200" autocomplete="off" spellcheck="false"/>
                </div>
                <div class="field">
                    <label for="pick-subject">{t!("filter-pick-subject")}</label>
                    <input id="pick-subject" type="text" name=SUBJECT maxlength="256" autocomplete="off" autocapitalize="off" spellcheck="false"/>
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
    let zone = pick(ZONE).unwrap_or_default();
    let at = |name| pick(name).map(|text| with_offset(when::in_zone(&text, &zone)));
    let due = match (at(FROM), at(BEFORE)) {
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

/// A time as the filter writes it: one without a zone stands for UTC.
fn with_offset(mut moment: String) -> String {
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
        assert_eq!(
            with("", &[(FROM, "2026-08-12T09:00"), (ZONE, "Europe/Berlin")]),
            "due:>=2026-08-12T07:00:00Z"
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
