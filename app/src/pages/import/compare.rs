//! Shadow: what they do, beside what we would have done.

use leptos::prelude::*;
use leptos_router::hooks::use_query_map;
use leptos_router::params::ParamsMap;
use reprieve_import::Comparison;

use super::look::named;
use super::source::{self, WATCH};
use crate::components::error_panel::or_why;
use crate::components::section::Section;
use crate::error::ApiError;
use crate::{format, routes, t};

/// A link to the same page that has watched for some seconds, and the table of differences. The script says that it watches
/// until the page comes.
#[component]
pub(super) fn Compare(
    /// What was seen, on a page that has watched.
    seen: Option<Result<Comparison, ApiError>>,
) -> impl IntoView {
    let result = seen.map(|answer| or_why(answer.map(|seen| view! { <Table seen/> })));
    let mut query: ParamsMap = source::kept(use_query_map().get_untracked()).into_iter().collect();
    query.insert(WATCH, "yes".to_owned());
    let href = format!("{}{}#import-shadow", routes::IMPORT, query.to_query_string());
    view! {
        <Section id="import-shadow" title=t!("import-step-shadow") hint=t!("import-shadow-hint")>
            <p>
                <a class="button" href=href data-here="">
                    <span class="if-idle">{t!("import-watch")}</span>
                    <span class="if-busy">{t!("import-watching")}</span>
                </a>
            </p>
            <div role="status">{result}</div>
        </Section>
    }
}

#[component]
fn Table(seen: Comparison) -> impl IntoView {
    let ms = |value: Option<u64>| value.map_or_else(|| "–".to_owned(), format::short_ms);
    let rows = [
        (t!("import-seen"), format::number(seen.seen)),
        (t!("import-ours"), format::number(seen.ours_by_now)),
        (t!("import-theirs"), format::number(seen.theirs_by_now)),
        (t!("import-early"), format::number(seen.early)),
        (t!("import-overdue"), format::number(seen.overdue)),
        (t!("import-moved"), format::number(seen.rescheduled)),
        (t!("import-late-p50"), ms(seen.late_ms_p50)),
        (t!("import-late-p99"), ms(seen.late_ms_p99)),
    ];
    let row = |(what, value): (String, String)| {
        view! { <tr><th scope="row">{what}</th><td class="number">{value}</td></tr> }
    };
    view! {
        <table class="table"><tbody>{rows.map(row)}</tbody></table>
        <ul class="import-named">{seen.differences.into_iter().map(named).collect_view()}</ul>
    }
}
