//! How long ended jobs are kept.

use leptos::prelude::*;
use reprieve::model::{Counts, Delay, Permission, QueueName, RetentionRule, RetentionRules};

use super::{Section, form, submit};
use crate::api::SetRetention;
use crate::t;

const DAY_MS: i64 = 86_400_000;

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
    let id = queue.as_ref().map_or_else(|| "all".to_owned(), ToString::to_string);
    let field = |state: &'static str, label: String, kept: Option<Delay>, other: Option<Delay>, now: u64| {
        let id = format!("keep-{id}-{state}");
        view! {
            <div class="field">
                <label for=id.clone()>{label}</label>
                <span class="retention-days">
                    <input
                        id=id
                        name=state
                        inputmode="numeric"
                        pattern="[0-9]*"
                        maxlength="5"
                        value=days(kept)
                        placeholder=days(other)
                        autocomplete="off"
                    />
                    {t!("settings-days")}
                </span>
                <small>{t!("settings-retention-now", count = now)}</small>
            </div>
        }
    };
    let fields = view! {
        <input type="hidden" name="queue" value=queue.as_ref().map(ToString::to_string).unwrap_or_default()/>
        <strong class="retention-name">{name}</strong>
        {field("done", t!("states-done"), rule.done, otherwise.done, counts.done)}
        {field("dead", t!("states-dead"), rule.dead, otherwise.dead, counts.dead)}
        {field("cancelled", t!("states-cancelled"), rule.cancelled, otherwise.cancelled, counts.cancelled)}
        <span>{submit(Some(Permission::SetRetention), t!("settings-save"), "plain")}</span>
    };
    view! { <li>{form::<SetRetention>("retention-row", fields)}</li> }
}

/// Whole days, as the field takes them; empty for no rule.
fn days(kept: Option<Delay>) -> String {
    kept.map(|kept| (kept.as_millis() / DAY_MS).to_string()).unwrap_or_default()
}
