//! What can be done to the rows ticked, or to all that match. Each button leads to a page that says what it would do.

use leptos::prelude::*;
use leptos::server_fn::ServerFn;
use reprieve::model::{BulkVerb, Permission, StateGroup};

use super::reading::{Counting, Listed};
use crate::api::bulk::FreezeBulk;
use crate::clock::Clock;
use crate::components::acts::{MomentInput, ZoneField, tomorrow_at_nine};
use crate::components::fields::{BackField, labelled};
use crate::components::icons::{Icon, icon};
use crate::list::Address;
use crate::list::sealed::Unsealed;
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
    let word = match (verb, group) {
        (BulkVerb::Cancel, StateGroup::Active) => "ask",
        (BulkVerb::RetryNow, StateGroup::Dead) => "retry",
        _ => verb.as_str(),
    };
    i18n::word("bulk-verb", word)
}

/// The form of the bar. The ticks of the rows belong to it by its id: the table is not within it.
pub(super) const BULK: &str = "bulk";

/// Stands above the table. Without script it is always there; a script shows it while something is ticked.
#[component]
pub(crate) fn BulkBar(
    address: Address,
    listed: Listed,
    /// How many jobs match in all, where that was counted.
    counting: Option<Counting>,
) -> impl IntoView {
    let group = address.group;
    let filter = address.line();
    let matching = all_of_what(&Unsealed::get().said(&filter), group, &listed, counting.as_ref());
    let buttons = verbs(group).iter().map(|&verb| view! { <VerbButton verb group/> }).collect_view();
    view! {
        <form id=BULK method="post" action=FreezeBulk::PATH autocomplete="off">
            // The first button of a form is what Enter in a field presses: without script it would be that of some verb. One
            // that is off has Enter send nothing.
            <button type="submit" disabled hidden></button>
            <div class="bulk-bar" role="group" aria-label=t!("bulk-bar")>
                <input type="hidden" name="group" value=group.as_str()/>
                <input type="hidden" name="q" value=filter/>
                <BackField/>
                <strong class="bulk-count" role="status" data-own=""></strong>
                <label class="bulk-all">
                    <input type="checkbox" name="all" value="true"/>
                    <span id="bulk-all" data-part="">{matching}</span>
                </label>
                <span class="bulk-verbs">{buttons}</span>
                <button type="reset" class="button bulk-clear" data-tone="quiet">{t!("bulk-untick")}</button>
            </div>
        </form>
    }
}

/// What *all* means here: the filter in its words, and how many that is, as far as it is known.
fn all_of_what(filter: &str, group: StateGroup, listed: &Listed, counting: Option<&Counting>) -> String {
    let whole = counting.filter(|counting| counting.next.is_none()).map(|counting| counting.looked.found);
    let count = match whole {
        _ if listed.indexed => Some(listed.among),
        None if counting.is_none() && listed.next.is_none() => Some(listed.looked.found),
        counted => counted,
    };
    match count {
        Some(count) if filter.is_empty() => t!("bulk-all-in", count = count, list = i18n::group(group)),
        Some(count) => t!("bulk-all-matching", count = count, filter = filter.to_owned()),
        None => {
            let so_far = counting.map_or(listed.looked.found, |counting| counting.looked.found);
            t!("bulk-all-matching-some", count = so_far, filter = filter.to_owned())
        }
    }
}

#[component]
fn VerbButton(verb: BulkVerb, group: StateGroup) -> impl IntoView {
    let session = Session::get();
    let needs = session.lacks(&[Permission::RunBulk, verb.permission()]);
    let off = needs.is_some().then_some("true");
    let tone = if matches!(verb, BulkVerb::Cancel | BulkVerb::Purge) { "danger" } else { "plain" };
    if verb != BulkVerb::Reschedule {
        return view! {
            <button type="submit" class="button" data-tone=tone name="verb" value=verb.as_str() aria-disabled=off title=needs>
                {word(verb, group)}
            </button>
        }
        .into_any();
    }
    let clock = Clock::get();
    let at_nine = tomorrow_at_nine(clock.now_ms(), clock.zone());
    let tomorrow = at_nine.map(|at| {
        view! { <option value=at.as_millis().to_string()>{t!("acts-tomorrow-nine")}</option> }
    });
    view! {
        <span class="confirm">
            <button type="button" class="button" popovertarget=RESCHEDULE aria-disabled=off title=needs>
                {icon(Icon::Calendar)}
                <span>{word(verb, group)}</span>
            </button>
            <div id=RESCHEDULE class="popover" popover="auto" role="dialog" aria-labelledby="bulk-reschedule-title">
                <h2 id="bulk-reschedule-title">{t!("bulk-reschedule-title")}</h2>
                {labelled("bulk-preset", t!("bulk-later"), None, view! {
                    <select id="bulk-preset" name="preset">
                        <option value="+900">{t!("bulk-later-15m")}</option>
                        <option value="+3600">{t!("bulk-later-1h")}</option>
                        <option value="+86400">{t!("bulk-later-24h")}</option>
                        {tomorrow}
                        <option value="at">{t!("bulk-later-at")}</option>
                    </select>
                })}
                // Giving a moment chooses it.
                <div data-chooses="preset at"><MomentInput id="bulk-due".to_owned() name="due" label=t!("bulk-at") first=None/></div>
                <ZoneField/>
                {labelled("bulk-spread", t!("bulk-spread"), None, view! {
                    <input id="bulk-spread" type="number" name="spread_minutes" min="0" max="527040" value="0"/>
                })}
                <button type="submit" class="button" data-tone="primary" name="verb" value=verb.as_str()>
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
