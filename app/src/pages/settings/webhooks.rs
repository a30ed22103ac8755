//! Where due jobs are posted.

use leptos::prelude::*;

use super::Section;
use crate::access::Webhook;
use crate::components::snippet::Snippet;
use crate::{access, t};

/// How the configuration says where jobs go.
const EXAMPLE: &str =
    "[[webhook]]\nkind = \"email.*\"\nurl = \"https://example.com/jobs\"\nsecret_file = \"webhook.secret\"";

/// Those there are. They are set where the program is started: they hold secrets, and lead into its network.
#[component]
pub(super) fn Webhooks() -> impl IntoView {
    let webhooks = access::site().webhooks;
    let none = webhooks.is_empty().then(|| view! { <p>{t!("settings-webhooks-none")}</p> });
    view! {
        <Section id="webhooks" title=t!("settings-webhooks") hint=t!("settings-webhooks-hint")>
            {none}
            <ul class="settings-rules">{webhooks.iter().cloned().map(row).collect_view()}</ul>
            <Snippet title="reprieve.toml" code=EXAMPLE.to_owned()/>
        </Section>
    }
}

fn row(webhook: Webhook) -> impl IntoView {
    let Webhook { kind, queue, origin, is_signed } = webhook;
    let what = match queue {
        Some(queue) => t!("settings-webhook-of-queue", kind = kind, queue = queue.as_str(), origin = origin),
        None => t!("settings-webhook", kind = kind, origin = origin),
    };
    let signed = if is_signed { t!("settings-webhook-signed") } else { t!("settings-webhook-unsigned") };
    view! { <li><span>{what}</span> <span class="settings-hint">{signed}</span></li> }
}
