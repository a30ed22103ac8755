//! The job as it stood: a slider through its history.

use leptos::prelude::*;
use reprieve::model::{HistoryEntry, JobDetail};

use crate::components::badge::Badge;
use crate::components::time::{Time, TimeStyle};
use crate::{i18n, t};

/// Steps through the changes that are kept. Needs a script; the table below tells the same without one.
#[component]
pub(super) fn AsOf(
    /// The job with its history.
    detail: RwSignal<JobDetail>,
) -> impl IntoView {
    // Counted from the oldest that is kept, so that a new change does not move the one that is looked at.
    let chosen = RwSignal::new(None::<usize>);
    let count = Memo::new(move |_| detail.with(|detail| detail.history.len()));
    let last = move || count.get().saturating_sub(1);
    let place = Memo::new(move |_| chosen.get().unwrap_or(usize::MAX).min(last()));
    let step = move || detail.with(|detail| at_step(&detail.history, place.get()));
    let pick = move |event| {
        let wanted = event_target_value(&event).parse().unwrap_or_default();
        // At its end it follows the job again.
        chosen.set(Some(wanted).filter(|&wanted| wanted < last()));
    };
    let told = move || {
        step().map(|entry| {
            let who = if entry.why.is_empty() {
                t!("job-as-of-by", who = entry.by.clone())
            } else {
                t!("job-as-of-by-why", who = entry.by.clone(), why = i18n::why(&entry.why))
            };
            view! {
                <p class="as-of-told">
                    <strong>{t!("job-as-of-version", version = entry.version.to_string())}</strong>
                    <Badge state=entry.to/>
                    <span><Time at=entry.at style=TimeStyle::Exact/></span>
                    <span>{t!("job-due")} " " <Time at=entry.due style=TimeStyle::Absolute/></span>
                    <span>{who}</span>
                </p>
            }
        })
    };
    let spoken = move || step().map(|entry| t!("job-as-of-version", version = entry.version.to_string()));
    view! {
        <div class="as-of" hidden=move || count.get() < 2>
            <label for="as-of">{t!("job-as-of")}</label>
            <input
                id="as-of"
                type="range"
                min="0"
                max=move || last().to_string()
                // In the markup as well: without it a slider begins in the middle, as if somebody had moved it there.
                value=untrack(last).to_string()
                prop:value=move || place.get().to_string()
                aria-valuetext=spoken
                on:input=pick
            />
            {told}
        </div>
    }
}

/// The change at a place, counted from the oldest; the history itself comes newest first.
fn at_step(history: &[HistoryEntry], place: usize) -> Option<HistoryEntry> {
    history.iter().rev().nth(place).cloned()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_first_step_is_the_oldest_change() {
        let history: Vec<HistoryEntry> = serde_json::from_str(
            r#"[{"at":2,"from":"delayed","to":"held","version":2,"due":9,"by":"ann","reason":""},
                {"at":1,"from":null,"to":"delayed","version":1,"due":9,"by":"client","reason":""}]"#,
        )
        .unwrap();
        assert_eq!(at_step(&history, 0).unwrap().by, "client");
        assert_eq!(at_step(&history, 1).unwrap().by, "ann");
        assert_eq!(at_step(&history, 2), None);
    }
}
