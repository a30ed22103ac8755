//! Every change of the job: when, what, who, why.

use leptos::prelude::*;
use reprieve::model::{HistoryEntry, JobState, Timestamp};

use super::as_of::{AsOf, Looked};
use crate::components::badge::Badge;
use crate::components::table::{Table, head, number};
use crate::components::time::{Time, TimeStyle};
use crate::{i18n, t};

/// The changes, newest first.
#[component]
pub(super) fn History(history: Vec<HistoryEntry>, looked: Looked) -> impl IntoView {
    let changes = with_due_before(&history);
    let rows =
        changes.into_iter().map(|(entry, due_before)| view! { <Row entry due_before/> }).collect_view();
    view! {
        <section class="panel" aria-label=t!("job-history")>
            <div class="panel-head"><h2>{t!("job-history")}</h2></div>
            <AsOf history looked/>
            <Table label=t!("job-history-scrollable") class="cards history" heads=vec![
                head(t!("job-when")), head(t!("job-change")), head(t!("job-who")), head(t!("job-why")),
                number(t!("job-version")),
            ]>
                {rows}
            </Table>
        </section>
    }
}

/// Each change with the due time before it, where that is known.
fn with_due_before(history: &[HistoryEntry]) -> Vec<(HistoryEntry, Option<Timestamp>)> {
    let before = history.iter().skip(1).map(|entry| Some(entry.due)).chain([None]);
    history.iter().cloned().zip(before).collect()
}

/// From one to the other, as it is seen and as it is heard.
fn arrow() -> impl IntoView {
    view! { <span aria-hidden="true">" → "</span> <span class="visually-hidden">" " {t!("job-to")} " "</span> }
}

#[component]
fn Row(entry: HistoryEntry, due_before: Option<Timestamp>) -> impl IntoView {
    let from = match entry.from {
        Some(from) if from != entry.to => Some(view! { <Badge state=from/> {arrow()} }.into_any()),
        Some(_) => None,
        None => Some(view! { <span class="quiet">{t!("job-enqueued")} {arrow()}</span> }.into_any()),
    };
    // A new time is the point of a change that leaves the state; a retry's own time goes without saying.
    let due = due_before.filter(|&before| before != entry.due && entry.to != JobState::Active).map(|before| {
        view! {
            <span class="history-due">
                {t!("job-due")} " " <Time at=before style=TimeStyle::Absolute/> {arrow()} <Time at=entry.due style=TimeStyle::Absolute/>
            </span>
        }
    });
    let asked = entry.asks_to_stop().then(|| t!("job-asked-to-stop"));
    let edited = edited(&entry).or(asked).map(|said| view! { <span class="history-parts">{said}</span> });
    view! {
        <tr id=format!("change-{}", entry.version)>
            <td class="cell-whole"><Time at=entry.at style=TimeStyle::Exact/></td>
            <td class="cell-whole"><span class="history-change">{from} <Badge state=entry.to/> {edited}</span> {due}</td>
            <td data-label=t!("job-who")>{entry.by}</td>
            <td class="history-why cell-whole">{i18n::why(&entry.why)}</td>
            <td class="number" data-label=t!("job-version")>{entry.version.to_string()}</td>
        </tr>
    }
}

/// That the payload is another one since, and in which parts, where that is known.
fn edited(entry: &HistoryEntry) -> Option<String> {
    match (entry.edited, entry.parts.clone()) {
        (false, _) => None,
        (true, parts) if parts.is_empty() => Some(t!("job-history-edited")),
        (true, parts) => Some(t!("job-history-edited-parts", parts = parts)),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn an_edit_tells_which_parts_of_the_payload_it_changed_where_that_is_known() {
        let told = |more: &str| {
            let line = format!(
                r#"{{"at":1,"from":"delayed","to":"delayed","version":2,"due":2,"by":"ann","reason":""{more}}}"#
            );
            edited(&serde_json::from_str(&line).unwrap())
        };
        let parts = told(r#","edited":true,"parts":"amount, customer.email""#);
        assert_eq!(parts.as_deref(), Some("new payload: amount, customer.email"));
        assert_eq!(told(r#","edited":true"#).as_deref(), Some("new payload"));
        assert_eq!(told(""), None);
    }
}
