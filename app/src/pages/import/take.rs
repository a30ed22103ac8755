//! Taking over and putting back: what is written is listed before it is written.

use leptos::prelude::*;
use reprieve::model::{ImportStanding, ImportWarning, Observation, Permission, RolledBack, TakenOver};

use super::look::named;
use crate::api::bulk::TYPED_FROM;
use crate::api::{RollBackImport, TakeOverImport, Wanted, typed_count};
use crate::components::error_panel::ErrorPanel;
use crate::components::fields::{BackField, ReasonFields};
use crate::components::post_form::{FormAction, PostForm};
use crate::error::ApiError;
use crate::i18n::ReasonsFor;
use crate::live::reading::is_to_be_asked_again;
use crate::session::Session;
use crate::{i18n, t};

/// What the wizard does. Its outcome stays on screen while the source is looked at anew.
#[derive(Clone, Copy)]
pub(super) struct Deeds {
    pub(super) take: FormAction<TakeOverImport>,
    pub(super) back: FormAction<RollBackImport>,
    /// About which source the page asked for the last of them, and how many it had announced; 0 where no number was typed.
    last: StoredValue<Option<(Wanted, u64)>>,
}

/// Whether what was asked for was refused as it was asked: nothing was done, and what is typed stays.
fn is_refused<T>(answer: &Option<Result<T, ApiError>>) -> bool {
    matches!(answer, Some(Err(error)) if !is_to_be_asked_again(Some(error)))
}

/// Whether it was refused for the number that was typed.
fn is_about_count<T>(answer: &Option<Result<T, ApiError>>) -> bool {
    matches!(answer, Some(Err(ApiError::WrongField { field, .. })) if field == "typed")
}

impl Deeds {
    pub(super) fn new() -> Self {
        Self { take: FormAction::new(), back: FormAction::new(), last: StoredValue::new(None) }
    }

    /// Grows with each deed, also with one that was cut off: some of it is done then. Not with one that was refused.
    pub(super) fn done(self) -> Memo<usize> {
        let Self { take, back, last } = self;
        Memo::new(move |before: Option<&usize>| {
            let done = take.version().get() + back.version().get();
            let refused = take.value().with_untracked(is_refused) || back.value().with_untracked(is_refused);
            // A number is wanted by now that the form has no field for.
            let lacks = back.value().with_untracked(is_about_count)
                && last.with_value(|last| matches!(last, Some((_, 0))));
            before.copied().filter(|_| refused && !lacks).unwrap_or(done)
        })
    }

    /// The answer, if it is about this source, with how many were announced. One that the page asked nothing for is that to
    /// the plain form which led here.
    fn about<T>(
        self,
        answer: Option<Result<T, ApiError>>,
        wanted: &Wanted,
    ) -> Option<(Result<T, ApiError>, u64)> {
        let announced = self.last.with_value(|last| match last {
            Some((about, announced)) => (about == wanted).then_some(*announced),
            None => Some(0),
        });
        answer.zip(announced)
    }
}

/// The hidden fields of a source.
#[component]
fn WantedFields(wanted: Wanted) -> impl IntoView {
    let fields = [
        ("from", wanted.from),
        ("format", wanted.format),
        ("name", wanted.name),
        ("place", wanted.place),
        ("kind", wanted.kind),
        ("queue", wanted.queue),
        ("unit", wanted.unit),
        ("id", wanted.id),
        ("subject", wanted.subject),
    ];
    fields.map(|(name, value)| view! { <input type="hidden" name=format!("wanted[{name}]") value=value/> })
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
pub(super) fn TakeOver(
    wanted: Wanted,
    announced: Announced,
    warnings: Vec<ImportWarning>,
    deeds: Deeds,
) -> impl IntoView {
    let takeable = announced.most;
    let Deeds { take, back, last } = deeds;
    let refusal = (!Session::get().may(Permission::ImportJobs)).then(|| i18n::needs(Permission::ImportJobs));
    let off = refusal.is_some();
    let of_this = wanted.clone();
    let result = move || {
        deeds.about(take.value().get(), &of_this).map(|answer| match answer {
            (Ok(taken), announced) => view! { <Taken announced taken/> }.into_any(),
            (Err(error), _) => view! { <ErrorPanel error/> }.into_any(),
        })
    };
    let asked = wanted.clone();
    let ask = move |_| {
        back.clear();
        last.set_value(Some((asked.clone(), takeable)));
    };
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
        <section class="panel settings-section" aria-labelledby="import-take">
            <div class="panel-head"><h2 id="import-take">{t!("import-step-take")}</h2></div>
            <div class="panel-body">
                <p>{sentence}</p>
                {long}
                <div hidden=takeable == 0>
                <h3>{t!("import-writes")}</h3>
                <ul class="import-named">
                    <li>{source}</li>
                    <li>{t!("import-writes-journal", name = name)}</li>
                    <li>{jobs}</li>
                </ul>
                <PostForm action=take attr:class="settings-form">
                    <WantedFields wanted/>
                    <input type="hidden" name="announced" value=takeable.to_string()/>
                    <BackField/>
                    <ReasonFields id="import-take" sort=ReasonsFor::Changing needed=true/>
                    <p class="field-hint">{t!("import-reason-hint")}</p>
                    <Typed id="import-typed" count=takeable/>
                    {(!warnings.is_empty()).then(|| view! { <Accept warnings/> })}
                    <p>
                        <button
                            type="submit"
                            class="button"
                            data-tone="danger"
                            disabled=move || take.pending().get()
                            aria-disabled=off.then_some("true")
                            title=refusal
                            on:click=ask
                        >
                            {word}
                        </button>
                    </p>
                </PostForm>
                </div>
                <div role="status">{result}</div>
            </div>
        </section>
    }
}

/// What is ticked by whoever takes over in spite of warnings; the sentence names them.
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

#[component]
fn Taken(
    /// How many were announced. What is added to the source meanwhile is taken as well.
    announced: u64,
    taken: TakenOver,
) -> impl IntoView {
    let more = taken.taken.saturating_sub(announced);
    let more = (more > 0).then(|| view! { <p>{t!("import-took-more", count = more)}</p> });
    let summary = t!(
        "import-took",
        taken = taken.taken,
        replaced = taken.replaced,
        resumed = taken.resumed,
        left = taken.left_count
    );
    view! {
        <p><strong>{summary}</strong></p>
        {more}
        {taken.notes.into_iter().map(|note| view! { <p>{i18n::import_said(&note)}</p> }).collect_view()}
        <ul class="import-named">{taken.left.into_iter().map(named).collect_view()}</ul>
    }
}

/// Puts back what has not run, as long as the journal is kept.
#[component]
pub(super) fn RollBack(wanted: Wanted, standing: ImportStanding, deeds: Deeds) -> impl IntoView {
    let Deeds { take, back, last } = deeds;
    let refusal = (!Session::get().may(Permission::ImportJobs)).then(|| i18n::needs(Permission::ImportJobs));
    let off = refusal.is_some();
    let there = standing.moved.saturating_add(standing.parked);
    let (is_any, asks) = (there > 0, there >= TYPED_FROM);
    let count = asks.then(|| {
        view! {
            <input type="hidden" name="announced" value=there.to_string()/>
            <Typed id="import-typed-back" count=there/>
        }
    });
    let of_this = wanted.clone();
    let result = move || {
        deeds.about(back.value().get(), &of_this).map(|answer| match answer {
            (Ok(RolledBack { restored, kept_count, kept, .. }), _) => view! {
                <p><strong>{t!("import-restored", restored = restored, kept = kept_count)}</strong></p>
                <ul class="import-named">{kept.into_iter().map(named).collect_view()}</ul>
            }
            .into_any(),
            (Err(error), _) => view! { <ErrorPanel error/> }.into_any(),
        })
    };
    let asked = wanted.clone();
    let ask = move |_| {
        take.clear();
        last.set_value(Some((asked.clone(), if asks { there } else { 0 })));
    };
    let finish = format!("reprieve import {} finish --name {} …", wanted.format, wanted.named());
    let open = if standing.closed { t!("import-closed") } else { t!("import-open") };
    view! {
        <section class="panel settings-section" aria-labelledby="import-back">
            <div class="panel-head"><h2 id="import-back">{t!("import-step-back")}</h2></div>
            <div class="panel-body">
                <p hidden=is_any>{t!("import-nothing-taken")}</p>
                <p hidden=!is_any>{t!("import-standing", moved = standing.moved, parked = standing.parked)} " " {open}</p>
                <p hidden=!is_any>{t!("import-back-until")} " " <code>{finish}</code></p>
                <div hidden=!is_any>
                    <PostForm action=back attr:class="settings-form">
                        <WantedFields wanted/>
                        <BackField/>
                        <ReasonFields id="import-back" sort=ReasonsFor::Changing needed=true/>
                        <p class="field-hint">{t!("import-reason-hint")}</p>
                        {count}
                        <button
                            type="submit"
                            class="button"
                            disabled=move || back.pending().get()
                            aria-disabled=off.then_some("true")
                            title=refusal
                            on:click=ask
                        >
                            {t!("import-roll-back")}
                        </button>
                    </PostForm>
                </div>
                <div role="status">{result}</div>
            </div>
        </section>
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn seen(complete: bool, takeable: u64, places: &[(u64, bool)]) -> Observation {
        let place = |(count, taken): &(u64, bool)| serde_json::json!({ "place": "p", "count": count, "taken": taken, "why": "" });
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
