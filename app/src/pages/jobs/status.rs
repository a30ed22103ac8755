//! How a filtered list was answered: at once by an index, or by looking through jobs, which can be stopped.

use leptos::prelude::*;
use reprieve::model::Timestamp;

use super::part::PART;
use super::reading::{Counting, Listed};
use crate::clock::Clock;
use crate::light::Told;
use crate::list::Address;
use crate::{format, t};

/// What the bar says of a filtered list. The script of the page follows its links by itself, step after step, until it is
/// stopped.
#[component]
pub(crate) fn Status(
    listed: Listed,
    /// How far an exact count is, where one was asked for.
    counting: Option<Counting>,
    /// Where it is.
    address: Address,
) -> impl IntoView {
    let is_short = listed.is_short(address.size);
    let text = match &counting {
        Some(counting) => counted(counting),
        None => said(&listed, is_short),
    };
    let look_on = listed.next_href(&address).filter(|_| is_short && counting.is_none()).map(|href| {
        view! { <a class="button" data-size="small" data-goes-on="" data-stop=t!("filter-stop") href=href>{t!("filter-look-on")}</a> }
    });
    // Once the rows on screen are not all there are, and no index tells how many those are.
    let is_open = counting.is_some() || !listed.indexed && listed.next.is_some();
    let count = is_open.then(|| {
        let goes_on = counting.as_ref().is_some_and(|counting| counting.next.is_some());
        let word = match &counting {
            Some(_) if goes_on => t!("filter-count-on"),
            Some(_) => t!("filter-count-again"),
            None => t!("filter-count-exactly"),
        };
        let href = count_href(counting.as_ref(), &address);
        view! {
            <a class="button" data-size="small" data-step="" data-goes-on=goes_on.then_some("") data-stop=t!("filter-stop-counting") href=href>{word}</a>
        }
    });
    view! {
        <span id="list-status" class="list-status" data-part="">{text.clone()}</span>
        <span id="list-steps" data-part="">{look_on} {count}</span>
        <Told of=text.clone() text/>
    }
}

fn said(listed: &Listed, is_short: bool) -> String {
    if listed.indexed {
        return t!("filter-indexed", count = listed.among);
    }
    let (looked, found) = (listed.looked.at.min(listed.among), listed.looked.found);
    // A full page with more behind it is not all that there is.
    if listed.next.is_some() && !is_short {
        return t!("filter-scanned-first", looked = looked, among = listed.among, shown = found);
    }
    t!("filter-scanned", looked = looked, among = listed.among, found = found)
}

/// How far the count is, or what it came to and when.
fn counted(counting: &Counting) -> String {
    if counting.next.is_some() {
        let looked = counting.looked.at.min(counting.among);
        return t!("filter-counting", looked = looked, among = counting.among, found = counting.looked.found);
    }
    let clock = Clock::get();
    let now = Timestamp::saturating_from_millis(clock.now_ms());
    t!("filter-counted", count = counting.looked.found, at = format::clock(now, clock.zone()))
}

/// The address of the next step of an exact count.
fn count_href(counting: Option<&Counting>, address: &Address) -> String {
    let there = address.starting_at(counting.and_then(|counting| counting.next.clone()));
    let before = counting.filter(|counting| counting.next.is_some()).map(|counting| counting.looked);
    there.href_with(&format!("{PART}=count&{}", before.unwrap_or_default().in_query()))
}
