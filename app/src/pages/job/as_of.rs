//! The job as it stood: a slider through its history.

use leptos::prelude::*;
use leptos_router::params::ParamsMap;
use reprieve::model::HistoryEntry;

use super::here;
use crate::components::badge::Badge;
use crate::components::time::{Time, TimeStyle};
use crate::{i18n, t};

/// What the address calls the change that is looked at, and the last one that there was then.
const AS_OF: &str = "as_of";
const OF: &str = "as_of_last";

/// Which change is looked at, counted from the oldest that is kept, so that a new one does not move it; `None` for the
/// latest, whichever that is.
#[derive(Clone, Copy)]
pub(super) struct Looked(Option<usize>);

impl Looked {
    /// The one that the address names. To look at the last one is to follow the job.
    pub(super) fn of(query: &ParamsMap) -> Self {
        let number = |word| query.get_str(word).and_then(|text| text.parse().ok());
        let last = number(OF).unwrap_or(usize::MAX);
        Self(number(AS_OF).filter(|&place| place < last))
    }

    fn place(self, count: usize) -> usize {
        let last = count.saturating_sub(1);
        self.0.unwrap_or(last).min(last)
    }
}

/// Steps through the changes that are kept. Nothing where there is one.
#[component]
pub(super) fn AsOf(
    history: Vec<HistoryEntry>,
    /// Which change is looked at.
    looked: Looked,
) -> impl IntoView {
    let last = history.len().checked_sub(1).filter(|&last| last > 0)?;
    let place = looked.place(history.len());
    let entry = at_step(&history, place)?;
    let version = t!("job-as-of-version", version = entry.version.to_string());
    let who = if entry.why.is_empty() {
        t!("job-as-of-by", who = entry.by)
    } else {
        t!("job-as-of-by-why", who = entry.by, why = i18n::why(&entry.why))
    };
    Some(view! {
        <form class="as-of" method="get" action=here::path() data-at-once="">
            {here::fields_but(&[AS_OF, OF])}
            <input type="hidden" name=OF value=last.to_string()/>
            <label for="as-of">{t!("job-as-of")}</label>
            <input
                id="as-of" type="range" name=AS_OF min="0" max=last.to_string() value=place.to_string()
                aria-valuetext=version.clone()
            />
            <button type="submit" class="button only-plain">{t!("overview-as-of-show")}</button>
            <p class="as-of-told">
                <strong>{version}</strong>
                <Badge state=entry.to/>
                <span><Time at=entry.at style=TimeStyle::Exact/></span>
                <span>{t!("job-due")} " " <Time at=entry.due style=TimeStyle::Absolute/></span>
                <span>{who}</span>
            </p>
        </form>
    })
}

/// The change at a place, counted from the oldest; the history itself comes newest first.
fn at_step(history: &[HistoryEntry], place: usize) -> Option<HistoryEntry> {
    history.iter().rev().nth(place).cloned()
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::given;

    #[test]
    fn the_first_step_is_the_oldest_change() {
        let step = |at, by| given::entry(serde_json::json!({ "at": at, "by": by }));
        let history = [step(2, "ann"), step(1, "client")];
        assert_eq!(at_step(&history, 0).unwrap().by, "client");
        assert_eq!(at_step(&history, 1).unwrap().by, "ann");
        assert_eq!(at_step(&history, 2), None);
    }

    #[test]
    fn to_look_at_the_last_change_is_to_follow_the_job_and_nobody_else_is_moved() {
        let place = |pairs: &[(&'static str, &str)], count| {
            let query = pairs.iter().map(|&(word, value)| (word, value.to_owned())).collect::<ParamsMap>();
            Looked::of(&query).place(count)
        };
        assert_eq!(place(&[], 3), 2);
        assert_eq!(place(&[(AS_OF, "2"), (OF, "2")], 4), 3);
        assert_eq!(place(&[(AS_OF, "1"), (OF, "2")], 4), 1);
        assert_eq!(place(&[(AS_OF, "9")], 3), 2);
        assert_eq!(place(&[(AS_OF, "x")], 0), 0);
    }
}
