//! What can be done to the rows ticked, or to all that match. Each button leads to a page that says what it would do.

use leptos::html;
use leptos::prelude::*;
use reprieve::model::{BulkVerb, Permission, StateGroup};

use super::address::Address;
use super::exact::Exact;
use super::rows::Rows;
use super::sealed::Unsealed;
use super::ticks::Ticks;
use crate::clock::Clock;
use crate::components::acts::{MomentField, tomorrow_at_nine};
use crate::components::confirm::is_enter_in_field;
use crate::components::fields::BackField;
use crate::components::icons::{Icon, icon};
use crate::session::Session;
use crate::{i18n, t};

/// The popover of the new due time.
const RESCHEDULE: &str = "bulk-reschedule";

/// The verbs of a list, the usual one first; what destroys stands last.
const fn verbs(group: StateGroup) -> &'static [BulkVerb] {
    use BulkVerb::{Cancel, Hold, Purge, Reinstate, Reschedule, RetryNow, Unhold};
    match group {
        StateGroup::Delay => &[RetryNow, Reschedule, Hold, Cancel],
        StateGroup::Ready | StateGroup::Active => &[Cancel],
        StateGroup::Dead => &[RetryNow, Purge],
        StateGroup::Done => &[Purge],
        StateGroup::Cancelled => &[Reinstate, RetryNow, Purge],
        StateGroup::Held => &[Unhold, RetryNow, Reschedule, Cancel],
    }
}

/// The verb as its button says it.
fn word(verb: BulkVerb, group: StateGroup) -> String {
    match (verb, group) {
        (BulkVerb::Cancel, StateGroup::Active) => t!("bulk-verb-ask"),
        (BulkVerb::Cancel, _) => t!("bulk-verb-cancel"),
        (BulkVerb::RetryNow, StateGroup::Dead) => t!("bulk-verb-retry"),
        (BulkVerb::RetryNow, _) => t!("bulk-verb-run"),
        (BulkVerb::Reschedule, _) => t!("bulk-verb-reschedule"),
        (BulkVerb::Hold, _) => t!("bulk-verb-hold"),
        (BulkVerb::Unhold, _) => t!("bulk-verb-release"),
        (BulkVerb::Reinstate, _) => t!("bulk-verb-put-back"),
        (BulkVerb::Purge, _) => t!("bulk-verb-purge"),
        (other, _) => other.to_string(),
    }
}

/// Stands in the form around the table. Without script it is always there.
#[component]
pub(crate) fn BulkBar(
    /// The list on screen.
    address: Address,
    /// Its rows.
    rows: Rows,
    /// Which of them are ticked.
    ticks: Ticks,
    /// How many jobs match in all, once that was counted.
    exact: Exact,
) -> impl IntoView {
    let group = address.group;
    let all = RwSignal::new(false);
    let filter = address.line();
    let (unsealed, line) = (Unsealed::get(), filter.clone());
    let matching = all_of_what(move || unsealed.said(&line), group, rows, exact);
    let buttons = verbs(group).iter().map(|&verb| view! { <VerbButton verb group/> }).collect_view();
    let clear = move |_| {
        ticks.clear();
        all.set(false);
    };
    let is_empty = move || (ticks.count() == 0 && !all.get()).to_string();
    view! {
        // The first button of a form is what Enter in a field presses: without script it would be that of some verb. One that
        // is off has Enter send nothing.
        <button type="submit" disabled hidden></button>
        <div class="bulk-bar" role="group" aria-label=t!("bulk-bar") data-empty=is_empty>
            <input type="hidden" name="group" value=group.as_str()/>
            <input type="hidden" name="q" value=filter/>
            <BackField/>
            <strong class="bulk-count" role="status">{move || t!("bulk-ticked", count = ticks.count())}</strong>
            <label class="bulk-all">
                <input type="checkbox" name="all" value="true" prop:checked=move || all.get() on:change=move |event| all.set(event_target_checked(&event))/>
                <span>{matching}</span>
            </label>
            <span class="bulk-verbs">{buttons}</span>
            <button type="button" class="button bulk-clear" data-tone="quiet" on:click=clear>{t!("bulk-untick")}</button>
        </div>
    }
}

/// What *all* means here: the filter in its words, and how many that is, as far as it is known.
fn all_of_what(
    filter: impl Fn() -> String,
    group: StateGroup,
    rows: Rows,
    exact: Exact,
) -> impl Fn() -> String {
    move || {
        let progress = rows.progress();
        let seen = || u64::try_from(rows.list().len()).unwrap_or(u64::MAX);
        let count = match exact.number() {
            _ if progress.indexed => Some(progress.among),
            None if rows.is_whole() => Some(seen()),
            counted => counted,
        };
        let filter = filter();
        match count {
            Some(count) if filter.is_empty() => t!("bulk-all-in", count = count, list = i18n::group(group)),
            Some(count) => t!("bulk-all-matching", count = count, filter = filter),
            None => {
                let so_far = exact.counting().map_or(0, |counting| counting.found).max(seen());
                t!("bulk-all-matching-some", count = so_far, filter = filter)
            }
        }
    }
}

#[component]
fn VerbButton(verb: BulkVerb, group: StateGroup) -> impl IntoView {
    let session = Session::get();
    let lacks =
        [Permission::RunBulk, verb.permission()].into_iter().find(|&permission| !session.may(permission));
    let off = lacks.map(|_| "true");
    let why = lacks.map(i18n::needs);
    let tone = if matches!(verb, BulkVerb::Cancel | BulkVerb::Purge) { "danger" } else { "plain" };
    if verb != BulkVerb::Reschedule {
        return view! {
            <button type="submit" class="button" data-tone=tone name="verb" value=verb.as_str() aria-disabled=off title=why>
                {word(verb, group)}
            </button>
        }
        .into_any();
    }
    // Known only where the zone is: after hydration.
    let clock = Clock::get();
    let at_nine =
        Memo::new(move |_| clock.now_ms().and_then(|now_ms| tomorrow_at_nine(now_ms, clock.zone())));
    let tomorrow = move || {
        at_nine
            .get()
            .map(|at| view! { <option value=at.as_millis().to_string()>{t!("acts-tomorrow-nine")}</option> })
    };
    let preset = NodeRef::<html::Select>::new();
    // Whoever gives a moment means it.
    let picked = Callback::new(move |()| {
        if let Some(preset) = preset.get_untracked() {
            preset.set_value("at");
        }
    });
    let own = NodeRef::<html::Button>::new();
    // By itself a browser would press the first button of the form, which is that of another verb.
    let enter = move |event: leptos::ev::KeyboardEvent| {
        if is_enter_in_field(&event) {
            event.prevent_default();
            press(own);
        }
    };
    view! {
        <span class="confirm">
            <button type="button" class="button" popovertarget=RESCHEDULE aria-disabled=off title=why>
                {icon(Icon::Calendar)}
                <span>{word(verb, group)}</span>
            </button>
            <div id=RESCHEDULE class="popover" popover="auto" role="dialog" aria-labelledby="bulk-reschedule-title" on:keydown=enter>
                <h2 id="bulk-reschedule-title">{t!("bulk-reschedule-title")}</h2>
                <div class="field">
                    <label for="bulk-preset">{t!("bulk-later")}</label>
                    <select id="bulk-preset" name="preset" node_ref=preset>
                        <option value="+900">{t!("bulk-later-15m")}</option>
                        <option value="+3600">{t!("bulk-later-1h")}</option>
                        <option value="+86400">{t!("bulk-later-24h")}</option>
                        {tomorrow}
                        <option value="at">{t!("bulk-later-at")}</option>
                    </select>
                </div>
                <MomentField id="bulk-due".to_owned() name="due" label=t!("bulk-at") picked/>
                <div class="field">
                    <label for="bulk-spread">{t!("bulk-spread")}</label>
                    <input id="bulk-spread" type="number" name="spread_minutes" min="0" max="527040" value="0"/>
                </div>
                <button node_ref=own type="submit" class="button" data-tone="primary" name="verb" value=verb.as_str()>
                    {t!("bulk-look-first")}
                </button>
                <button type="button" class="button" data-tone="quiet" popovertarget=RESCHEDULE popovertargetaction="hide">
                    {t!("bulk-keep")}
                </button>
            </div>
        </span>
    }
    .into_any()
}

fn press(button: NodeRef<html::Button>) {
    #[cfg(feature = "hydrate")]
    if let Some(button) = button.get_untracked() {
        button.click();
    }
    #[cfg(not(feature = "hydrate"))]
    let _ = button;
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_list_offers_only_verbs_that_change_its_states() {
        for group in StateGroup::ALL {
            for verb in verbs(group) {
                assert!(
                    group.states().iter().any(|state| verb.states().contains(state)),
                    "{verb} in {group}"
                );
            }
        }
    }
}
