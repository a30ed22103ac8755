//! How long ended jobs are kept, and how many.

use leptos::prelude::*;
use leptos::server_fn::ServerFn as _;
use reprieve::model::{Counts, Delay, Permission, QueueName, RetentionRule, RetentionRules};

use super::{Section, form_to, submit};
use crate::api::settings::SetRetention;
use crate::components::fields::labelled;
use crate::{format, kept, t};

/// One row for the namespace, one for each queue: days, and how many jobs are kept now.
#[component]
pub(super) fn Retention(rules: RetentionRules, kept: Vec<(QueueName, Counts)>) -> impl IntoView {
    let mut all = Counts::default();
    kept.iter().for_each(|(_, counts)| all.add(counts));
    let whole = row(None, rules.namespace, RetentionRule::default(), all);
    let rows: Vec<_> = kept
        .into_iter()
        .map(|(queue, counts)| {
            let own = rules.queues.get(&queue).copied().unwrap_or_default();
            row(Some(queue), own, rules.namespace, counts)
        })
        .collect();
    view! {
        <Section id="retention" title=t!("settings-retention") hint=t!("settings-retention-hint")>
            <ul class="retention">{whole}{rows}</ul>
        </Section>
    }
}

fn row(
    queue: Option<QueueName>,
    rule: RetentionRule,
    otherwise: RetentionRule,
    counts: Counts,
) -> impl IntoView {
    let name = queue.as_ref().map_or_else(|| t!("settings-retention-all"), ToString::to_string);
    // What was typed is put back by the id of its field: no two rows share one.
    let row = queue.as_ref().map_or_else(|| "keep".to_owned(), |queue| format!("keep-{queue}"));
    let field = |state: &'static str,
                 label: String,
                 [own, other]: [Option<Delay>; 2],
                 most: Option<AnyView>,
                 now: u64| {
        let id = format!("{row}-{state}");
        let text = |span: Option<Delay>| span.map(kept::text).unwrap_or_default();
        // A span with a unit of its own says so itself.
        let unit = text(own.or(other)).bytes().all(|byte| byte.is_ascii_digit()).then(|| t!("settings-days"));
        view! {
            {labelled(id.clone(), label, None, view! {
                <span class="retention-days">
                    <input
                        id=id
                        name=state
                        pattern="[0-9]+ ?(d|h|m|min)?"
                        maxlength="9"
                        value=text(own)
                        placeholder=text(other)
                        autocomplete="off"
                    />
                    {unit}
                </span>
                {most}
                <small>{t!("settings-retention-now", count = now)}</small>
            })}
        }
    };
    let most = |name: &'static str, state: String, [own, other]: [Option<u64>; 2]| {
        let text = |most: Option<u64>| most.map(format::number).unwrap_or_default();
        view! {
            <span class="retention-days">
                {t!("settings-retention-most")}
                <input
                    id=format!("{row}-{name}")
                    name=name
                    maxlength="13"
                    inputmode="numeric"
                    value=text(own)
                    placeholder=text(other)
                    autocomplete="off"
                    aria-label=t!("settings-retention-most-of", state = state)
                />
            </span>
        }
        .into_any()
    };
    let (done, dead, cancelled) = (t!("states-done"), t!("states-dead"), t!("states-cancelled"));
    let most_done = most("done_most", done.clone(), [rule.done_most, otherwise.done_most]);
    let most_dead = most("dead_most", dead.clone(), [rule.dead_most, otherwise.dead_most]);
    let fields = view! {
        <input type="hidden" name="queue" value=queue.as_ref().map(ToString::to_string).unwrap_or_default()/>
        // What was on screen: nobody overwrites what they have not read.
        <input type="hidden" name="seen" value=serde_json::to_string(&kept::shown(&rule)).unwrap_or_default()/>
        <strong class="retention-name">{name}</strong>
        {field("done", done, [rule.done, otherwise.done], Some(most_done), counts.done)}
        {field("dead", dead, [rule.dead, otherwise.dead], Some(most_dead), counts.dead)}
        {field("cancelled", cancelled, [rule.cancelled, otherwise.cancelled], None, counts.cancelled)}
        <span>{submit(Some(Permission::SetRetention), t!("settings-save"), "plain")}</span>
    };
    // Its address tells it from the rows of other queues, for what is wrong with it.
    let of = queue.as_ref().map(|queue| format!("?queue={queue}")).unwrap_or_default();
    view! { <li>{form_to(format!("{}{of}", SetRetention::PATH), "retention-row", fields)}</li> }
}
