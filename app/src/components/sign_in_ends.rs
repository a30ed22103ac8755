//! Says in time that a sign-in ends, whatever somebody does.

use leptos::prelude::*;
use leptos::task::spawn_local;
use reprieve::model::Timestamp;

use crate::api::sign_in_ends;
use crate::clock::Clock;
use crate::live::effect::effect;
use crate::live::voice::Voice;
use crate::session::Session;
use crate::{format, light, routes, t};

/// How long before the end it is told of, in milliseconds: time to send what was typed.
const TOLD_MS: i64 = 5 * 60_000;

/// The bar that says so in the last minutes. Nothing where nobody signs in.
#[component]
pub fn SignInEnds() -> impl IntoView {
    if light::is_on() {
        return Session::get().ends.map(|ends| {
            view! {
                <p class="live-banner" id="sign-in-ends" data-live="ending" data-own data-ends-ms=ends.as_millis() hidden>
                    <span></span> " "
                    <a href=routes::sign_in(routes::ACCOUNT) target="_blank">{t!("account-ending-anew")}</a>
                </p>
            }
            .into_any()
        });
    }
    Session::get().ends.map(|ends| view! { <Ending ends/> }.into_any())
}

#[component]
fn Ending(
    /// When it ended at the time the page was made.
    ends: Timestamp,
) -> impl IntoView {
    let clock = Clock::get();
    let ends = RwSignal::new(ends);
    let is_sure = RwSignal::new(false);
    let left = Memo::new(move |_| minutes_left(clock.now_ms()?, ends.get()));
    // They may have signed in anew in another tab: before it is told of, and each minute from then on.
    effect(move || {
        if left.get().is_none() {
            return is_sure.set(false);
        }
        spawn_local(async move {
            if let Ok(Some(now)) = sign_in_ends().await {
                let _ = ends.try_set(now);
            }
            let _ = is_sure.try_set(true);
        });
    });
    let told = Memo::new(move |_| (is_sure.get() && left.get().is_some()).then(|| ends.get()));
    let sentence = move || Some(t!("account-ending", at = format::minute(told.get()?, clock.zone())));
    Voice::get().follow(sentence);
    move || {
        let sentence = sentence()?;
        Some(view! {
            <p class="live-banner" data-live="ending">
                {sentence} " "
                <a href=routes::sign_in(routes::ACCOUNT) target="_blank" rel="external">{t!("account-ending-anew")}</a>
            </p>
        })
    }
}

/// How many whole minutes are left, where it is to be told of.
fn minutes_left(now_ms: i64, ends: Timestamp) -> Option<i64> {
    let left_ms = ends.as_millis().saturating_sub(now_ms);
    (1..=TOLD_MS).contains(&left_ms).then_some(left_ms / 60_000)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_end_of_a_sign_in_is_told_of_in_its_last_five_minutes() {
        let ends = Timestamp::saturating_from_millis(1_000_000);
        let left = |before_ms: i64| minutes_left(1_000_000 - before_ms, ends);
        assert_eq!([300_001, 300_000, 240_000, 239_999].map(left), [None, Some(5), Some(4), Some(3)]);
        assert_eq!([1, 0, -1].map(left), [Some(0), None, None], "then the dialog says that it has ended");
    }
}
