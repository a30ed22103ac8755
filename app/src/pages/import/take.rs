//! Taking over and putting back: what is written is listed before it is written.

use leptos::prelude::*;
use reprieve::model::{InletStanding, Observation, Permission, RolledBack, TakenOver};

use super::look::named;
use crate::api::{Wanted, roll_back_inlet, take_over_inlet};
use crate::components::error_panel::ErrorPanel;
use crate::error::ApiError;
use crate::session::Session;
use crate::{i18n, t};

/// What was answered, and about which source.
type Answer<T> = (Wanted, Result<T, ApiError>);

/// What the wizard does. Its outcome stays on screen while the source is looked at anew.
#[derive(Clone, Copy)]
pub(super) struct Deeds {
    /// The source, how many items were announced, and how many were typed; how many were announced goes along.
    take: Action<(Wanted, u64, u64), Answer<(u64, TakenOver)>>,
    back: Action<Wanted, Answer<RolledBack>>,
}

impl Deeds {
    /// `asked` grows with each, also with one that was cut off: some of it is done then.
    pub(super) fn new(asked: RwSignal<u64>) -> Self {
        let take = Action::new(move |(wanted, announced, typed): &(Wanted, u64, u64)| {
            let (wanted, announced, typed) = (wanted.clone(), *announced, *typed);
            async move {
                let taken = take_over_inlet(wanted.clone(), announced, typed).await;
                asked.update(|count| *count += 1);
                (wanted, taken.map(|taken| (announced, taken)))
            }
        });
        let back = Action::new(move |wanted: &Wanted| {
            let wanted = wanted.clone();
            async move {
                let restored = roll_back_inlet(wanted.clone()).await;
                asked.update(|count| *count += 1);
                (wanted, restored)
            }
        });
        Self { take, back }
    }
}

/// The answer about this source.
fn about<T: Clone>(answer: Option<Answer<T>>, wanted: &Wanted) -> Option<Result<T, ApiError>> {
    answer.filter(|(about, _)| about == wanted).map(|(_, answer)| answer)
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
pub(super) fn TakeOver(wanted: Wanted, announced: Announced, deeds: Deeds) -> impl IntoView {
    let takeable = announced.most;
    let Deeds { take, back } = deeds;
    let refusal = (!Session::get().may(Permission::ImportJobs)).then(|| i18n::needs(Permission::ImportJobs));
    let may = refusal.is_none();
    let typed = RwSignal::new(String::new());
    let number = move || typed.with(|text| text.replace([',', ' '], "").parse::<u64>().ok());
    let ready = move || may && takeable > 0 && number() == Some(takeable) && !take.pending().get();
    let of_this = wanted.clone();
    let result = move || {
        about(take.value().get(), &of_this).map(|answer| match answer {
            Ok((announced, taken)) => view! { <Taken announced taken/> }.into_any(),
            Err(error) => view! { <ErrorPanel error/> }.into_any(),
        })
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
                <div class="field">
                    <label for="import-typed">{t!("import-type-count", count = takeable)}</label>
                    <input
                        id="import-typed"
                        class="import-typed"
                        inputmode="numeric"
                        autocomplete="off"
                        on:input:target=move |event| typed.set(event.target().value())
                    />
                </div>
                <p>
                    <button
                        type="button"
                        class="button"
                        data-tone="danger"
                        disabled=move || !ready()
                        title=refusal
                        on:click=move |_| {
                            back.clear();
                            take.dispatch((wanted.clone(), takeable, number().unwrap_or_default()));
                        }
                    >
                        {word}
                    </button>
                </p>
                </div>
                <div role="status">{result}</div>
            </div>
        </section>
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
        {taken.notes.into_iter().map(|note| view! { <p>{i18n::inlet_said(&note)}</p> }).collect_view()}
        <ul class="import-named">{taken.left.into_iter().map(named).collect_view()}</ul>
    }
}

/// Puts back what has not run, as long as the journal is kept.
#[component]
pub(super) fn RollBack(wanted: Wanted, standing: InletStanding, deeds: Deeds) -> impl IntoView {
    let Deeds { take, back } = deeds;
    let may = Session::get().may(Permission::ImportJobs);
    let is_any = standing.moved.saturating_add(standing.parked) > 0;
    let possible = may && is_any;
    let of_this = wanted.clone();
    let result = move || {
        about(back.value().get(), &of_this).map(|answer| match answer {
            Ok(RolledBack { restored, kept_count, kept, .. }) => view! {
                <p><strong>{t!("import-restored", restored = restored, kept = kept_count)}</strong></p>
                <ul class="import-named">{kept.into_iter().map(named).collect_view()}</ul>
            }
            .into_any(),
            Err(error) => view! { <ErrorPanel error/> }.into_any(),
        })
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
                <p hidden=!is_any>
                    <button
                        type="button"
                        class="button"
                        disabled=move || !possible || back.pending().get()
                        on:click=move |_| {
                            take.clear();
                            back.dispatch(wanted.clone());
                        }
                    >
                        {t!("import-roll-back")}
                    </button>
                </p>
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
