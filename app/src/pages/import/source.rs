//! Which source: its format, where it is, and what its jobs are to become.

use leptos::prelude::*;
use leptos_router::params::ParamsMap;

use crate::api::import::Wanted;
use crate::api::sources::HERE;
use crate::components::fields::labelled;
use crate::{routes, t};

/// The part of an address that tells what came of a form.
const SAID: &str = "said";

/// The source that an address names; `None` when it names none yet.
pub(super) fn of_query(query: &ParamsMap) -> Option<Wanted> {
    let text = |name: &str| query.get(name).unwrap_or_default();
    let from = text("from");
    let wanted = Wanted {
        from: if from == HERE { String::new() } else { from },
        format: text("format"),
        name: text("name"),
        place: text("place"),
        kind: text("kind"),
        queue: text("into"),
        unit: text("unit"),
        id: text("id"),
        subject: text("subject"),
    };
    (!wanted.format.is_empty()).then_some(wanted)
}

/// The part of an address that asks the page to watch the source, where no script does.
pub(super) const WATCH: &str = "watch";

/// Whether the page has to watch the source. What came of a form that was sent from there is told at once.
pub(super) fn is_watched(query: &ParamsMap) -> bool {
    query.get(WATCH).is_some() && query.get(SAID).is_none()
}

/// What an address keeps that asks for the same page anew.
pub(super) fn kept(query: ParamsMap) -> Vec<(String, String)> {
    let is_kept = |name: &str| name != WATCH && name != SAID;
    query
        .into_iter()
        .map(|(name, value)| (name.into_owned(), value))
        .filter(|(name, _)| is_kept(name))
        .collect()
}

/// A form that leads to the same page with the source in its address: it works without script, and can be kept.
#[component]
pub(super) fn SourceForm(wanted: Wanted) -> impl IntoView {
    let formats = [
        ("zset", t!("import-format-zset")),
        ("delayq", "delayq".to_owned()),
        ("asynq", "asynq".to_owned()),
        ("bullmq", "BullMQ".to_owned()),
        ("sidekiq", "Sidekiq".to_owned()),
        ("rq", "RQ".to_owned()),
        ("arq", "arq".to_owned()),
        ("bee-queue", "Bee-Queue".to_owned()),
        ("celery", "Celery".to_owned()),
    ];
    let chosen = wanted.format.clone();
    let format = move |(word, name): (&'static str, String)| {
        view! { <option value=word selected=chosen == word>{name}</option> }
    };
    let units = ["auto", "s", "ms", "us"].map(|unit| {
        let name = match unit {
            "s" => t!("import-unit-s"),
            "ms" => t!("import-unit-ms"),
            "us" => t!("import-unit-us"),
            _ => t!("import-unit-auto"),
        };
        view! { <option value=unit selected=wanted.unit == unit>{name}</option> }
    });
    let field = |id: &'static str, name: &'static str, label: String, hint: String, value: String| {
        let (input, hints) = (format!("import-{id}"), format!("import-{id}-hint"));
        let (labelled, described) = (input.clone(), hints.clone());
        view! {
            <div class="field">
                <label for=labelled>{label}</label>
                <input id=input name=name value=value maxlength="256" autocomplete="off" aria-describedby=described/>
                <small id=hints>{hint}</small>
            </div>
        }
    };
    view! {
        <section class="panel settings-section" aria-labelledby="import-source">
            <div class="panel-head"><h2 id="import-source">{t!("import-step-source")}</h2></div>
            <form class="panel-body settings-form" method="get" action=routes::IMPORT>
                {(!wanted.from.is_empty()).then(|| view! { <input type="hidden" name="from" value=wanted.from/> })}
                <div class="settings-grid">
                    {labelled("import-format", t!("import-format"), None, view! {
                        <select id="import-format" name="format">{formats.map(format)}</select>
                    })}
                    {field("place", "place", t!("import-place"), t!("import-place-hint"), wanted.place)}
                    {field("kind", "kind", t!("import-kind"), t!("import-kind-hint"), wanted.kind)}
                    {field("into", "into", t!("import-into"), t!("import-into-hint"), wanted.queue)}
                    {labelled("import-unit", t!("import-unit"), None, view! {
                        <select id="import-unit" name="unit">{units}</select>
                    })}
                    {field("id", "id", t!("import-id"), t!("import-id-hint"), wanted.id)}
                    {field("subject", "subject", t!("import-subject"), t!("import-subject-hint"), wanted.subject)}
                    {field("name", "name", t!("import-name"), t!("import-name-hint"), wanted.name)}
                </div>
                <p><button type="submit" class="button" data-tone="primary">{t!("import-look")}</button></p>
            </form>
        </section>
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_page_watches_where_it_is_asked_to_until_a_form_was_sent_from_there() {
        let place = ("place", "due");
        for (query, watched) in [
            (vec![place], false),
            (vec![place, (WATCH, "yes")], true),
            (vec![place, (WATCH, "yes"), (SAID, "import.taken")], false),
        ] {
            let query: ParamsMap = query.into_iter().collect();
            assert_eq!(is_watched(&query), watched, "{query:?}");
            assert_eq!(kept(query), [("place".to_owned(), "due".to_owned())]);
        }
    }
}
