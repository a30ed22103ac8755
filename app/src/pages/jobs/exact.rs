//! How many jobs match in all where no index tells: counted step by step beside the list, until somebody stops it.

use leptos::prelude::*;
use leptos::task::spawn_local;

use super::address::Address;
use crate::api::count_on;
use crate::clock::Clock;
use crate::error::ApiError;

/// How far a count is.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub(crate) struct Counting {
    /// Jobs found so far.
    pub(crate) found: u64,
    /// Jobs looked at so far.
    pub(crate) looked_at: u64,
    /// Jobs there are to look at.
    pub(crate) among: u64,
    /// Where it goes on; `None` at the beginning and at the end.
    next: Option<String>,
    /// When everything was looked at, by the server's clock in ms; `None` before.
    pub(crate) done_ms: Option<i64>,
}

/// The count of a list on screen.
#[derive(Clone, Copy)]
pub(crate) struct Exact {
    address: StoredValue<Address>,
    clock: Clock,
    counting: RwSignal<Option<Counting>>,
    going: RwSignal<bool>,
    /// Whether a step is on its way.
    busy: StoredValue<bool>,
    trouble: RwSignal<Option<ApiError>>,
}

impl Exact {
    /// Of a list; nothing is counted before somebody asks.
    pub(crate) fn of(address: Address) -> Self {
        Self {
            address: StoredValue::new(address),
            clock: Clock::get(),
            counting: RwSignal::new(None),
            going: RwSignal::new(false),
            busy: StoredValue::new(false),
            trouble: RwSignal::new(None),
        }
    }

    /// How far it is; `None` until somebody asks.
    pub(crate) fn counting(self) -> Option<Counting> {
        self.counting.try_get().flatten()
    }

    /// How many jobs match in all, once that is known.
    pub(crate) fn number(self) -> Option<u64> {
        self.counting
            .try_with(|counting| counting.as_ref().filter(|now| now.done_ms.is_some()).map(|now| now.found))
            .flatten()
    }

    pub(crate) fn is_going(self) -> bool {
        self.going.try_get().unwrap_or_default()
    }

    /// Why it could not go on; what was counted stays.
    pub(crate) fn trouble(self) -> Option<ApiError> {
        self.trouble.try_get().flatten()
    }

    /// Stops after the present step.
    pub(crate) fn stop(self) {
        let _ = self.going.try_set(false);
    }

    /// Begins, goes on where it was stopped, or begins anew where it had ended.
    pub(crate) fn count(self) {
        if self.going.try_get_untracked() != Some(false) {
            return;
        }
        let _ = self.trouble.try_set(None);
        let _ = self.going.try_set(true);
        // The step that was on its way when somebody stopped it goes on with this.
        if self.busy.try_get_value() != Some(false) {
            return;
        }
        let _ = self.counting.try_update(|counting| match counting {
            Some(now) if now.done_ms.is_none() => {}
            _ => *counting = Some(Counting::default()),
        });
        spawn_local(self.go_on());
    }

    async fn go_on(self) {
        let _ = self.busy.try_set_value(true);
        while self.going.try_get_untracked() == Some(true) {
            if let Err(error) = self.step().await {
                let _ = self.trouble.try_set(Some(error));
                break;
            }
        }
        let _ = self.busy.try_set_value(false);
        self.stop();
    }

    /// One step; the last one stops it.
    async fn step(self) -> Result<(), ApiError> {
        let asked = self.address.try_with_value(|address| (address.group, address.filter()));
        let Some((group, Ok(filter))) = asked else {
            self.stop();
            return Ok(());
        };
        let after = self.counting.try_with_untracked(|now| now.as_ref()?.next.clone()).flatten();
        let step = count_on(group, filter.to_string(), after).await?;
        if step.next.is_none() {
            self.stop();
        }
        let done_ms = self.clock.now_ms_untracked().filter(|_| step.next.is_none());
        let _ = self.counting.try_update(|counting| {
            let now = counting.get_or_insert_default();
            now.found += step.found;
            now.looked_at += step.looked_at;
            now.among = step.among;
            now.next = step.next.map(|place| place.to_string());
            now.done_ms = done_ms;
        });
        Ok(())
    }
}
