//! What was recognised: counts as evidence, samples decoded, what stays and why.

use leptos::prelude::*;
use reprieve_import::{ImportSample, Observation, PlaceCount, Unreadable};

use crate::api::import::Looked;
use crate::components::empty::Empty;
use crate::components::section::Section;
use crate::components::table::{Table, head};
use crate::components::time::{Time, TimeStyle};
use crate::{format, i18n, t};

/// Samples shown: enough to see whether ids, kinds and times are right.
const SAMPLES: usize = 5;
/// Items that stay, named one by one; the rest is counted.
const NAMED: usize = 20;

/// Everything a look has found. Nothing was changed by it.
#[component]
pub(super) fn LookedAt(looked: Looked) -> impl IntoView {
    let Observation {
        places,
        complete,
        takeable,
        unreadable_count,
        overdue,
        samples,
        unreadable,
        notes,
        warnings,
        ..
    } = looked.observation;
    let summary = t!("import-found", takeable = takeable, left = unreadable_count, overdue = overdue);
    let partial = (!complete).then(|| view! { <p>{t!("import-partial")}</p> });
    let notes = notes.iter().map(|note| view! { <li>{i18n::import_said(note)}</li> }).collect_view();
    let warns = (!warnings.is_empty()).then(|| {
        let said = warnings.iter().map(|warning| view! { <li>{i18n::import_warning(warning)}</li> });
        view! { <h3>{t!("import-warnings")}</h3> <ul>{said.collect_view()}</ul> }
    });
    let is_nothing_there = places.is_empty();
    let place = |place: PlaceCount| {
        let what = match place.holds {
            Some(holds) => t!("import-wrong-type", holds = i18n::redis_type(&holds)),
            None if place.taken => t!("import-taken"),
            None => i18n::import_said(&place.why),
        };
        view! {
            <tr>
                <th scope="row"><code>{place.place}</code></th>
                <td class="number">{format::number(place.count)}</td>
                <td>{what}</td>
            </tr>
        }
    };
    let stays = unreadable.into_iter().take(NAMED).map(named).collect_view();
    let places = (!is_nothing_there).then(|| places_table(places.into_iter().map(place).collect_view()));
    let samples = (!samples.is_empty())
        .then(|| samples_table(samples.into_iter().take(SAMPLES).map(sample).collect_view()));
    let nothing = is_nothing_there.then(|| view! { <Empty text=t!("import-nothing-there")/> });
    let stay = (unreadable_count > 0).then(|| {
        view! { <h3>{t!("import-stays", count = unreadable_count)}</h3> <ul class="import-named">{stays}</ul> }
    });
    view! {
        <Section id="import-looked" title=t!("import-step-look")>
            <p role="status"><strong>{(!is_nothing_there).then_some(summary)}</strong></p>
            {nothing}
            {partial}
            {warns}
            <ul>{notes}</ul>
            {places}
            {samples}
            {stay}
        </Section>
    }
}

fn places_table(rows: impl IntoView) -> impl IntoView {
    view! {
        <div class="table-scroll" tabindex="0" role="region" aria-label=t!("import-places")>
            <table class="table">
                <caption class="visually-hidden">{t!("import-places")}</caption>
                <thead>
                    <tr>
                        <th scope="col">{t!("import-where")}</th>
                        <th scope="col" class="number">{t!("import-count")}</th>
                        <th scope="col">{t!("import-what")}</th>
                    </tr>
                </thead>
                <tbody>{rows}</tbody>
            </table>
        </div>
    }
}

fn samples_table(rows: impl IntoView + 'static) -> impl IntoView {
    view! {
        <h3>{t!("import-samples")}</h3>
        <Table label=t!("import-samples") heads=vec![
            head(t!("import-item")), head(t!("import-job")), head(t!("import-due")), head(t!("import-payload")),
        ]>
            {rows}
        </Table>
    }
}

fn sample(sample: ImportSample) -> impl IntoView {
    let due = sample.due.map(|at| view! { <Time at style=TimeStyle::Absolute/> });
    view! {
        <tr>
            <th scope="row"><code>{sample.name}</code> " " <small>{sample.place}</small></th>
            <td>
                {sample.kind} " · " {sample.queue} <br/> <code>{sample.id}</code>
                {sample.subject.map(|subject| view! { <small>" " {subject}</small> })}
            </td>
            <td>{due}</td>
            <td><code class="import-preview">{sample.preview}</code> " " <small>{format::bytes(sample.payload_bytes)}</small></td>
        </tr>
    }
}

/// One item that stays, with its reason.
pub(super) fn named(item: Unreadable) -> impl IntoView {
    view! { <li><code>{item.name}</code> " (" {item.place} "): " {i18n::import_said(&item.reason)}</li> }
}
