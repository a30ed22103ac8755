//! Which rows are ticked, each at the version that was seen.

use std::collections::BTreeMap;

use leptos::prelude::*;
use reprieve::model::{JobId, Version};

use super::rows::Rows;

/// The rows ticked on this page. They stay ticked whatever becomes of the row.
#[derive(Clone, Copy)]
pub(crate) struct Ticks {
    ticked: RwSignal<BTreeMap<JobId, Version>>,
    /// The row ticked last: where a range begins.
    last: StoredValue<Option<JobId>>,
    rows: Rows,
}

impl Ticks {
    /// Those of `before` ticked that are on screen, as they are seen now.
    pub(crate) fn of(rows: Rows, before: &[JobId]) -> Self {
        let shown = rows.list_untracked().into_iter().filter(|live| before.contains(&live.id));
        let ticked = shown.map(|live| (live.id, live.shown.with_untracked(|shown| shown.row.version)));
        let ticks = Self { ticked: RwSignal::new(ticked.collect()), last: StoredValue::new(None), rows };
        #[cfg(feature = "hydrate")]
        browser::listen(ticks);
        ticks
    }

    /// How many of the rows on screen: only those are sent.
    pub(crate) fn count(self) -> usize {
        let rows = self.rows.list();
        self.ticked.with(|ticked| rows.iter().filter(|live| ticked.contains_key(&live.id)).count())
    }

    /// All that are ticked.
    pub(crate) fn ids(self) -> Vec<JobId> {
        self.ticked.try_with_untracked(|ticked| ticked.keys().cloned().collect()).unwrap_or_default()
    }

    pub(crate) fn has(self, id: &JobId) -> bool {
        self.ticked.with(|ticked| ticked.contains_key(id))
    }

    /// The version that was seen when the row was ticked.
    pub(crate) fn seen(self, id: &JobId) -> Option<Version> {
        self.ticked.with(|ticked| ticked.get(id).copied())
    }

    pub(crate) fn clear(self) {
        self.ticked.set(BTreeMap::new());
    }

    /// Ticks or unticks a row; with `range` also the rows between it and the one before, by their place on screen.
    pub(crate) fn press(self, id: &JobId, range: bool) {
        let wanted = !self.ticked.with_untracked(|ticked| ticked.contains_key(id));
        let ids: Vec<JobId> = self.rows.list_untracked().into_iter().map(|live| live.id).collect();
        let place = |id: &JobId| ids.iter().position(|other| other == id);
        let first = self.last.get_value().filter(|_| range).and_then(|last| place(&last));
        let (from, to) = match (first, place(id)) {
            (Some(a), Some(b)) => (a.min(b), a.max(b)),
            (None, Some(b)) => (b, b),
            (_, None) => return,
        };
        for id in &ids[from..=to] {
            self.set(id, wanted);
        }
        self.last.set_value(Some(id.clone()));
    }

    /// Ticks every row on screen, or none where all are ticked.
    pub(crate) fn all(self) {
        let ids: Vec<JobId> = self.rows.list_untracked().into_iter().map(|live| live.id).collect();
        let wanted = !self.ticked.with_untracked(|ticked| ids.iter().all(|id| ticked.contains_key(id)));
        for id in &ids {
            self.set(id, wanted);
        }
    }

    /// Whether every row on screen is ticked.
    pub(crate) fn is_full(self) -> bool {
        let rows = self.rows.list();
        !rows.is_empty() && self.ticked.with(|ticked| rows.iter().all(|live| ticked.contains_key(&live.id)))
    }

    fn set(self, id: &JobId, wanted: bool) {
        let row = self.rows.list_untracked().into_iter().find(|live| live.id == *id);
        let Some(row) = row else { return };
        let version = row.shown.with_untracked(|shown| shown.row.version);
        self.ticked.update(|ticked| {
            if wanted {
                ticked.entry(id.clone()).or_insert(version);
            } else {
                ticked.remove(id);
            }
        });
    }
}

/// `x`, Shift `x` and `a`.
#[cfg(feature = "hydrate")]
mod browser {
    use super::Ticks;
    use crate::components::keys::browser::{are_commands, is_open};
    use crate::live::effect::effect;
    use leptos::prelude::*;
    use reprieve::model::JobId;

    pub(super) fn listen(ticks: Ticks) {
        effect(move || {
            let listener = window_event_listener(leptos::ev::keydown, move |event| {
                if event.ctrl_key() || event.alt_key() || event.meta_key() || event.default_prevented() {
                    return;
                }
                if !are_commands() || is_open() {
                    return;
                }
                let active = document().active_element();
                let row = || -> Option<JobId> {
                    active.as_ref()?.closest("tr[data-id]").ok()??.get_attribute("data-id")?.parse().ok()
                };
                match event.key().as_str() {
                    "a" => ticks.all(),
                    key @ ("x" | "X") => match row() {
                        Some(id) => ticks.press(&id, key == "X"),
                        None => return,
                    },
                    _ => return,
                }
                event.prevent_default();
            });
            on_cleanup(move || listener.remove());
        });
    }
}
