//! One failure: its error, how often and when, and the way back for its jobs.

use leptos::prelude::*;
use leptos::server_fn::ServerFn;
use leptos_router::params::ParamsMap;
use reprieve::model::{FailureGroup, Permission, QueueName, StateGroup, Timestamp};

use super::mask::Mask;
use super::mute::{MuteButton, Muted};
use crate::api::bulk::TYPED_FROM;
use crate::api::failures::RetryFailures;
use crate::components::confirm::Confirm;
use crate::components::fields::{BackField, ReasonFields, labelled};
use crate::components::icons::{Icon, icon};
use crate::components::time::Time;
use crate::i18n::{self, ReasonsFor};
use crate::session::Session;
use crate::{format, routes, t};

/// How fast a group may be retried, in jobs a second.
const RATES: [u32; 5] = [1, 10, 50, 200, 1_000];
/// What is chosen at first.
const RATE_FIRST: u32 = 10;
/// The drawing of the hours: width of one and height of all, in pixels.
const HOUR_WIDTH: usize = 5;
const HOURS_HEIGHT: u32 = 24;

/// One group.
#[component]
pub(super) fn Group(
    /// Its name on the page.
    id: String,
    group: FailureGroup,
    /// The queue the page is about.
    queue: Option<QueueName>,
    /// When its jobs were counted.
    read_at: Timestamp,
) -> impl IntoView {
    let error = if group.mask.is_empty() { t!("dead-no-error") } else { group.mask.clone() };
    let kinds =
        named(group.kinds.iter().map(|(kind, count)| (kind.to_string(), *count)), group.of_other_kinds);
    let queues =
        named(group.queues.iter().map(|(queue, count)| (queue.to_string(), *count)), group.in_other_queues);
    let list = list_of(&group, queue.as_ref());
    let example = routes::job(&group.example);
    let heading = format!("{id}-title");
    let stays = format!("{id}-mute-switch");
    let (labelled_by, about, name) = (heading.clone(), heading.clone(), id.clone());
    view! {
        <li class="panel failure" id=name aria-labelledby=labelled_by>
            <div class="failure-head">
                <strong class="failure-count">{format::number(group.count)}</strong>
                <h2 id=heading class="failure-mask">{error}</h2>
                <Hours hours=group.hours.clone()/>
            </div>
            <dl class="failure-facts">
                <div><dt>{t!("dead-first")}</dt><dd><Time at=group.first/></dd></div>
                <div><dt>{t!("dead-last")}</dt><dd><Time at=group.last/></dd></div>
                <div><dt>{t!("dead-kinds")}</dt><dd>{kinds}</dd></div>
                <div><dt>{t!("dead-queues")}</dt><dd>{queues}</dd></div>
            </dl>
            <p class="failure-example"><a href=example data-row-link="">{t!("dead-example")}</a> " " <code>{group.example_error.clone()}</code></p>
            <div class="failure-acts">
                {list.map(|href| view! { <a class="button" href=href>{icon(Icon::List)} {t!("dead-list")}</a> })}
                <Retry id=id.clone() about=about.clone() mask=group.mask.clone() count=group.count queue=queue.clone() read_at/>
                <div data-stays=stays>
                    {match group.muted {
                        Some(mute) => view! { <Muted mute/> }.into_any(),
                        None => view! { <MuteButton id about mask=group.mask queue/> }.into_any(),
                    }}
                </div>
            </div>
        </li>
    }
    .into_any()
}

/// `notice 12, sms 3, others 2`.
fn named(names: impl Iterator<Item = (String, u64)>, others: u64) -> String {
    let others = (others > 0).then(|| t!("dead-others", count = others));
    let names = names.map(|(name, count)| format!("{name} {}", format::number(count)));
    names.chain(others).collect::<Vec<_>>().join(", ")
}

/// The list of dead jobs, of the queue that the page is about, whose error holds the longest part that all of the group
/// have; `None` where there is none.
fn list_of(group: &FailureGroup, queue: Option<&QueueName>) -> Option<String> {
    let beside = queue.map(|queue| format!(" queue:{queue}")).unwrap_or_default();
    let term = routes::error_term(&group.mask, beside.len())?;
    let mut query = ParamsMap::new();
    if let Some(queue) = queue {
        query.insert("queue", queue.to_string());
    }
    query.insert("q", term);
    Some(format!("{}{}", routes::jobs(StateGroup::Dead, None), query.to_query_string()))
}

/// How many died in each of the last 24 hours.
#[component]
fn Hours(
    /// The oldest first.
    hours: Vec<u32>,
) -> impl IntoView {
    let most = hours.iter().copied().max().unwrap_or_default().max(1);
    let sum: u32 = hours.iter().sum();
    let width = hours.len() * HOUR_WIDTH;
    let bars = hours.into_iter().enumerate().filter(|(_, count)| *count > 0).map(|(place, count)| {
        let height = (count * HOURS_HEIGHT).div_ceil(most);
        view! {
            <rect x=(place * HOUR_WIDTH).to_string() y=(HOURS_HEIGHT - height).to_string() width=(HOUR_WIDTH - 1).to_string() height=height.to_string()></rect>
        }
    });
    view! {
        <svg class="failure-hours" viewBox=format!("0 0 {width} {HOURS_HEIGHT}") role="img" aria-label=t!("dead-hours", count = sum)>
            {bars.collect_view()}
        </svg>
    }
}

/// The button that retries the group, with the rate to choose.
#[component]
fn Retry(
    id: String,
    about: String,
    mask: String,
    count: u64,
    queue: Option<QueueName>,
    read_at: Timestamp,
) -> impl IntoView {
    let why = [Permission::RunBulk, Permission::RetryJobs]
        .into_iter()
        .find(|&permission| !Session::get().may(permission))
        .map(i18n::needs)
        .unwrap_or_default();
    let sentence = t!("dead-retry-all", count = count);
    let verb = t!("dead-retry", count = count);
    let title = verb.clone();
    // So many are looked at first, on the page of the run, which asks for the reason.
    let looks_first = count >= TYPED_FROM;
    let (sentence, button) = if looks_first {
        (format!("{sentence} {}", t!("dead-retry-look")), t!("bulk-look-first"))
    } else {
        (sentence, verb.clone())
    };
    let id = format!("{id}-retry");
    let (rate, reasons) = (format!("{id}-rate"), format!("{id}-why"));
    let rates = RATES.map(|rate| {
        view! { <option value=rate.to_string() selected=rate == RATE_FIRST>{t!("dead-rate", count = rate)}</option> }
    });
    view! {
        <Confirm
            id
            about
            trigger=move || view! { {icon(Icon::Play)} <span>{verb.clone()}</span> }
            title
            sentence
            dismiss=t!("acts-keep-jobs")
            disabled_because=why
        >
            <Mask mask=mask.clone()/>
            <form method="post" action=RetryFailures::PATH>
                <input type="hidden" name="mask" value=mask/>
                <input type="hidden" name="queue" value=queue.map(|queue| queue.to_string()).unwrap_or_default()/>
                <input type="hidden" name="read_at" value=read_at.as_millis().to_string()/>
                {looks_first.then(|| view! { <input type="hidden" name="looks" value="1"/> })}
                <BackField/>
                {labelled(rate.clone(), t!("dead-at-rate"), None, view! { <select id=rate name="rate">{rates}</select> })}
                {(!looks_first).then(|| view! { <ReasonFields id=reasons sort=ReasonsFor::Running/> })}
                <button type="submit" class="button" data-tone="primary">{button}</button>
            </form>
        </Confirm>
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use reprieve::model::JobId;

    #[test]
    fn the_list_of_a_group_asks_for_what_all_its_errors_hold() {
        let group = |mask: &str| {
            FailureGroup::new(mask.to_owned(), Timestamp::EPOCH, JobId::new("a").unwrap(), String::new())
        };
        let href = list_of(&group("no user \"#\" in table"), None).unwrap();
        assert!(href.starts_with("/jobs/dead?q=error"), "{href}");
        assert!(href.contains("in%20table") || href.contains("in+table"), "{href}");
        assert_eq!(list_of(&group("#"), None), None);
        let mail = QueueName::new("mail").unwrap();
        let href = list_of(&group("timed out"), Some(&mail)).unwrap();
        assert!(href.starts_with("/jobs/dead?queue=mail&q=error"), "of no other queue: {href}");
    }

    #[test]
    fn names_stand_with_their_counts() {
        assert_eq!(named([("a".to_owned(), 1_200), ("b".to_owned(), 3)].into_iter(), 0), "a 1,200, b 3");
        assert_eq!(named([("a".to_owned(), 1)].into_iter(), 1_200), "a 1, others 1,200");
    }
}
