//! A figure that moves at most once a second, from wherever it is told.

use std::time::Duration;

use leptos::prelude::*;

/// How long a figure stays as it is, in ms: what moves faster cannot be read. The stream tells counts once a second and pages
/// read them once a second, which together would be twice.
const STAYS_MS: i64 = 1_000;

/// What is shown of a figure, and since when.
pub struct Paced<T: Send + Sync + 'static> {
    shown: StoredValue<Shown<T>>,
    /// Has those who show it look again.
    again: RwSignal<()>,
}

impl<T: Send + Sync + 'static> Clone for Paced<T> {
    fn clone(&self) -> Self {
        *self
    }
}

impl<T: Send + Sync + 'static> Copy for Paced<T> {}

impl<T: PartialEq + Clone + Send + Sync + 'static> Paced<T> {
    /// A figure of which nothing is shown yet.
    #[must_use]
    pub fn new() -> Self {
        let shown = Shown { figure: None, since_ms: None, is_awaited: false };
        Self { shown: StoredValue::new(shown), again: RwSignal::new(()) }
    }

    /// What to show now that `figure` is known: that, or for the rest of its second what was shown before. Whoever asks is
    /// woken when that is over.
    #[must_use]
    pub fn show(self, figure: T) -> T {
        let Some(now_ms) = now_ms() else { return figure };
        let _ = self.again.try_get();
        let (shown, wait_ms) = self
            .shown
            .try_update_value(|shown| {
                let wait_ms = shown.follow(figure.clone(), now_ms).filter(|_| !shown.is_awaited);
                shown.is_awaited |= wait_ms.is_some();
                (shown.figure.clone(), wait_ms)
            })
            .unwrap_or_default();
        if let Some(wait_ms) = wait_ms {
            set_timeout(move || self.look_again(), Duration::from_millis(wait_ms));
        }
        shown.unwrap_or(figure)
    }

    fn look_again(self) {
        let _ = self.shown.try_update_value(|shown| shown.is_awaited = false);
        let _ = self.again.try_set(());
    }
}

impl<T: PartialEq + Clone + Send + Sync + 'static> Default for Paced<T> {
    fn default() -> Self {
        Self::new()
    }
}

struct Shown<T> {
    /// `None` before the first.
    figure: Option<T>,
    /// When it became this one, by the browser's clock, ms; `None` for the first, which the page came with.
    since_ms: Option<i64>,
    /// Whether somebody is going to look again.
    is_awaited: bool,
}

impl<T: PartialEq> Shown<T> {
    /// Takes the figure over unless it has to wait: for so many ms.
    fn follow(&mut self, figure: T, now_ms: i64) -> Option<u64> {
        if self.figure.as_ref() == Some(&figure) {
            return None;
        }
        // A clock that was set back would have it wait for as long.
        let stood_ms = self.since_ms.map(|since_ms| now_ms.saturating_sub(since_ms)).filter(|ms| *ms >= 0);
        let wait_ms = stood_ms.and_then(|ms| u64::try_from(STAYS_MS - ms).ok()).filter(|ms| *ms > 0);
        if wait_ms.is_none() {
            self.since_ms = self.figure.is_some().then_some(now_ms);
            self.figure = Some(figure);
        }
        wait_ms
    }
}

/// The browser's time in ms; `None` on the server, where nothing moves.
fn now_ms() -> Option<i64> {
    #[cfg(feature = "hydrate")]
    return Some(crate::clock::browser::now_ms());
    #[cfg(not(feature = "hydrate"))]
    None
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_figure_moves_once_a_second_and_then_to_the_latest() {
        let mut shown = Shown { figure: None, since_ms: None, is_awaited: false };
        let mut told = |figure, now_ms| (shown.follow(figure, now_ms), shown.figure);
        assert_eq!(told(1, 5_000), (None, Some(1)), "what the page came with");
        assert_eq!(told(2, 5_100), (None, Some(2)), "the first change is shown at once");
        assert_eq!(told(3, 5_200), (Some(900), Some(2)));
        assert_eq!(told(4, 6_099), (Some(1), Some(2)));
        assert_eq!(told(4, 6_100), (None, Some(4)));
        assert_eq!(told(4, 9_000), (None, Some(4)), "the same is no change");
        assert_eq!(told(5, 9_000), (None, Some(5)));
        assert_eq!(told(6, 8_000), (None, Some(6)), "the clock was set back");
    }
}
