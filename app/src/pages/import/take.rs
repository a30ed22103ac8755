//! Taking over and putting back: what is written is listed before it is written.

use leptos::prelude::*;
use leptos::server_fn::ServerFn;
use reprieve::model::Permission;
use reprieve_import::{ImportStanding, ImportWarning, Observation};

use crate::api::bulk::TYPED_FROM;
use crate::api::import::{RollBackImport, TakeOverImport, Wanted};
use crate::api::typed_count;
use crate::components::fields::{BackField, ReasonFields, Submit};
use crate::components::section::Section;
use crate::i18n::ReasonsFor;
use crate::session::Session;
use crate::{i18n, t};

/// How long an answer is waited for where the script sends the form, in ms: thousands of items take their time.
const WAITS_MS: u32 = 600_000;

/// The hidden fields of a source.
#[component]
fn WantedFields(wanted: Wanted) -> impl IntoView {
    let field = |(name, value): (String, serde_json::Value)| {
        let value = value.as_str().map(ToOwned::to_owned);
        view! { <input type="hidden" name=format!("wanted[{name}]") value=value/> }
    };
    let fields = serde_json::to_value(wanted).ok()?.as_object()?.clone();
    Some(fields.into_iter().map(field).collect_view())
}

/// How much is told to be taken over. Everything that can be is, also what a look did not reach.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) struct Announced {
    /// What was looked at and can be taken.
    least: u64,
    /// All that may be: the same, or all that lies there where it was not looked at one by one.
    most: u64,
}

impl Announced {
    /// As far as a look knows.
    pub(super) fn of(seen: &Observation) -> Self {
        let taken = seen.places.iter().filter(|place| place.taken);
        let there = taken.fold(0_u64, |sum, place| sum.saturating_add(place.count));
        let least = seen.takeable;
        Self { least, most: if seen.complete { least } else { there.max(least) } }
    }

    const fn is_exact(self) -> bool {
        self.least == self.most
    }
}

/// Takes everything over, once the count was typed.
#[component]
pub(super) fn TakeOver(wanted: Wanted, announced: Announced, warnings: Vec<ImportWarning>) -> impl IntoView {
    let takeable = announced.most;
    let refusal = Session::get().lacks(&[Permission::ImportJobs]);
    let Announced { least, most } = announced;
    let [sentence, source, jobs, word] = if announced.is_exact() {
        [
            t!("import-take-sentence", count = most),
            t!("import-writes-source", count = most),
            t!("import-writes-jobs", count = most),
            t!("import-take", count = most),
        ]
    } else {
        [
            t!("import-take-sentence-partly", least = least, most = most),
            t!("import-writes-source-most", most = most),
            t!("import-writes-jobs-most", most = most),
            t!("import-take-all"),
        ]
    };
    let long = (!announced.is_exact()).then(|| view! { <p>{t!("import-take-long")}</p> });
    let name = wanted.named().to_owned();
    view! {
        <Section id="import-take" title=t!("import-step-take")>
            <p>{sentence}</p>
            {long}
            <div hidden=takeable == 0>
            <h3>{t!("import-writes")}</h3>
            <ul class="import-named">
                <li>{source}</li>
                <li>{t!("import-writes-journal", name = name)}</li>
                <li>{jobs}</li>
            </ul>
            <form method="post" action=TakeOverImport::PATH class="settings-form" data-waits=WAITS_MS>
                <WantedFields wanted/>
                <input type="hidden" name="announced" value=takeable.to_string()/>
                <BackField/>
                <ReasonFields id="import-take" sort=ReasonsFor::Changing needed=true/>
                <p class="field-hint">{t!("import-reason-hint")}</p>
                <Typed id="import-typed" count=takeable/>
                {(!warnings.is_empty()).then(|| view! { <Accept warnings/> })}
                <p>
                    <Submit tone="danger" off=refusal>{word}</Submit>
                </p>
            </form>
            </div>
        </Section>
    }
}

/// What a person ticks to take over in spite of warnings; the sentence names them.
#[component]
fn Accept(warnings: Vec<ImportWarning>) -> impl IntoView {
    let codes = warnings.iter().map(|warning| warning.code.as_str()).collect::<Vec<_>>().join(",");
    let said = warnings.iter().map(i18n::import_warning).collect::<Vec<_>>().join(" ");
    view! {
        <label class="choice-tick">
            <input type="checkbox" name="accepted" value=codes required/> " " {t!("import-accept", warnings = said)}
        </label>
    }
}

/// Where the count is typed that was told.
#[component]
fn Typed(id: &'static str, count: u64) -> impl IntoView {
    view! {
        <div class="field">
            <label for=id>{t!("import-type-count", count = count)}</label>
            <input
                id=id
                class="import-typed"
                name="typed"
                inputmode="numeric"
                autocomplete="off"
                required=true
                pattern=typed_count::PATTERN
            />
        </div>
    }
}

/// Puts back what has not run, as long as the journal is kept.
#[component]
pub(super) fn RollBack(wanted: Wanted, standing: ImportStanding) -> impl IntoView {
    let refusal = Session::get().lacks(&[Permission::ImportJobs]);
    let there = standing.moved.saturating_add(standing.parked);
    let (is_any, asks) = (there > 0, there >= TYPED_FROM);
    let count = asks.then(|| view! { <Typed id="import-typed-back" count=there/> });
    let finish = format!("reprieve import {} finish --name {} …", wanted.format, wanted.named());
    let open = if standing.closed { t!("import-closed") } else { t!("import-open") };
    view! {
        <Section id="import-back" title=t!("import-step-back")>
            <p hidden=is_any>{t!("import-nothing-taken")}</p>
            <p hidden=!is_any>{t!("import-standing", moved = standing.moved, parked = standing.parked)} " " {open}</p>
            <p hidden=!is_any>{t!("import-back-until")} " " <code>{finish}</code></p>
            <div hidden=!is_any>
                <form method="post" action=RollBackImport::PATH class="settings-form" data-waits=WAITS_MS>
                    <WantedFields wanted/>
                    <input type="hidden" name="announced" value=there.to_string()/>
                    <BackField/>
                    <ReasonFields id="import-back" sort=ReasonsFor::Changing needed=true/>
                    <p class="field-hint">{t!("import-reason-hint")}</p>
                    {count}
                    <Submit off=refusal>{t!("import-roll-back")}</Submit>
                </form>
            </div>
        </Section>
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn seen(complete: bool, takeable: u64, places: &[(u64, bool)]) -> Observation {
        let place = |(count, taken): &(u64, bool)| serde_json::json!({ "place": "p", "count": count, "taken": taken, "reason": "" });
        let mut seen = Observation::default();
        (seen.complete, seen.takeable) = (complete, takeable);
        let places = places.iter().map(place).collect::<Vec<_>>();
        seen.places = serde_json::from_value(places.into()).unwrap();
        seen
    }

    #[test]
    fn what_was_not_looked_at_is_announced_as_well() {
        let announced = |complete, takeable, places: &[_]| {
            let Announced { least, most } = Announced::of(&seen(complete, takeable, places));
            (least, most)
        };
        assert_eq!(announced(true, 7, &[(9, true), (5, false)]), (7, 7), "two cannot be taken");
        assert_eq!(announced(false, 10_000, &[(523_000, true), (12, true), (5, false)]), (10_000, 523_012));
        assert_eq!(announced(false, 10_000, &[(9_000, true)]), (10_000, 10_000), "some left meanwhile");
    }
}
