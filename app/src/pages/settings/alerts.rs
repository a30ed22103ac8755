//! When somebody is told that a queue is not well.

use leptos::prelude::*;
use reprieve::model::{AlertKind, AlertRule, BUCKETS_MS, Permission};

use super::{Section, form, submit};
use crate::api::settings::{AddAlert, RemoveAlert, TestAlert};
use crate::components::fields::labelled;
use crate::components::snippet::Snippet;
use crate::{format, i18n, t};

/// What sends alerts somewhere. It names the queue: without it the program would take jobs of every queue, other workers'
/// too, and no queue were unserved.
const WEBHOOK: &str = "[[webhook]]\nkind = \"reprieve_alert\"\nqueue = \"reprieve_alerts\"\nurl = \"https://example.com/alerts\"\nsecret_file = \"alerts.secret\"";

/// The rules there are, one more, and a test.
#[component]
pub(super) fn Alerts(rules: Vec<AlertRule>) -> impl IntoView {
    let none = rules.is_empty().then(|| view! { <p>{t!("settings-alerts-none")}</p> });
    let kinds = AlertKind::ALL.map(|kind| {
        let name = i18n::word("settings-alert", kind.as_str());
        view! { <option value=kind.as_str()>{name}</option> }
    });
    let steps = BUCKETS_MS.map(format::number).join(", ");
    let fields = view! {
        {labelled("alert-what", t!("settings-alert-what"), None, view! {
            <select id="alert-what" name="what">{kinds}</select>
        })}
        <div class="settings-grid">
            {labelled("alert-over", t!("settings-alert-over"), Some(t!("settings-alert-over-hint", steps = steps)), view! {
                <input id="alert-over" name="over" inputmode="numeric" pattern="[0-9]+" maxlength="9" required autocomplete="off" aria-describedby="alert-over-hint"/>
            })}
            {labelled("alert-queue", t!("settings-alert-queue"), Some(t!("settings-alert-queue-hint")), view! {
                <input id="alert-queue" name="queue" maxlength="64" autocomplete="off" aria-describedby="alert-queue-hint"/>
            })}
        </div>
        <p>{submit(Some(Permission::ManageSettings), t!("settings-alert-add"), "primary")}</p>
    };
    let test = submit(Some(Permission::ManageSettings), t!("settings-alert-test"), "plain");
    view! {
        <Section id="alerts" title=t!("settings-alerts") hint=t!("settings-alerts-hint")>
            {none}
            <ul class="settings-rules">{rules.into_iter().map(row).collect_view()}</ul>
            {form::<AddAlert>("settings-form", fields)}
            <h3>{t!("settings-alert-where")}</h3>
            <p class="settings-hint">{t!("settings-alert-where-hint")}</p>
            <Snippet title="reprieve.toml" code=WEBHOOK.to_owned()/>
            {form::<TestAlert>("settings-form", test)}
        </Section>
    }
}

fn row(rule: AlertRule) -> impl IntoView {
    let queue = rule.queue.as_ref().map(ToString::to_string).unwrap_or_default();
    let of = if queue.is_empty() { t!("settings-alert-each") } else { queue.clone() };
    let what = match rule.what {
        AlertKind::Late => t!("settings-alert-late-rule", queue = of, over = rule.over),
        AlertKind::Dead => t!("settings-alert-dead-rule", queue = of, over = rule.over),
        AlertKind::Unserved => t!("settings-alert-unserved-rule", queue = of, over = rule.over),
        AlertKind::Waiting => t!("settings-alert-waiting-rule", queue = of, over = rule.over),
    };
    let fields = view! {
        <input type="hidden" name="what" value=rule.what.as_str()/>
        <input type="hidden" name="over" value=rule.over.to_string()/>
        <input type="hidden" name="queue" value=queue/>
        {submit(Some(Permission::ManageSettings), t!("settings-remove"), "plain")}
    };
    view! { <li><span>{what}</span> {form::<RemoveAlert>("", fields)}</li> }
}
