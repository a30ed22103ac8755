//! What runs here.

use leptos::prelude::*;

use super::Section;
use crate::session::Session;
use crate::{routes, t};

/// Versions, health, licence.
#[component]
pub(super) fn About(redis: String, shards: u16) -> impl IntoView {
    let namespace = Session::get().namespace;
    let commit = (crate::COMMIT != "unknown").then(|| view! { " " <code>{crate::COMMIT}</code> });
    view! {
        <Section id="about" title=t!("settings-about") hint=t!("settings-about-hint")>
            <dl class="redis-facts">
                <div><dt>"Reprieve"</dt><dd>{crate::VERSION} {commit}</dd></div>
                <div><dt>"Redis"</dt><dd><a href=routes::REDIS>{redis}</a></dd></div>
                <div><dt>{t!("settings-zone-rules")}</dt><dd>{reprieve::zones::version().version.as_str()}</dd></div>
                <div><dt>{t!("frame-namespace")}</dt><dd><code>{namespace}</code></dd></div>
                <div><dt>{t!("redis-shards")}</dt><dd>{shards.to_string()}</dd></div>
                <div><dt>{t!("settings-api")}</dt><dd><a href="/api/docs" rel="external">"OpenAPI"</a></dd></div>
                <div><dt>{t!("settings-health")}</dt><dd><a href="/readyz" rel="external">"/readyz"</a> " · " <a href="/metrics" rel="external">"/metrics"</a></dd></div>
                <div><dt>{t!("settings-licence")}</dt><dd>"MIT OR Apache-2.0"</dd></div>
            </dl>
        </Section>
    }
}
