//! Redis at a glance.

use leptos::prelude::*;
use reprieve::model::RedisReport;

use crate::components::time::{Time, TimeStyle};
use crate::{format, t};

/// The facts that are neither good nor bad.
#[component]
pub(super) fn Facts(report: RedisReport) -> impl IntoView {
    let said = |text: &str| if text.is_empty() { t!("redis-not-said") } else { text.to_owned() };
    let started = match report.started {
        Some(at) => view! { <Time at style=TimeStyle::Absolute/> }.into_any(),
        None => t!("redis-not-said").into_any(),
    };
    let connections = match report.connections_max {
        Some(most) => t!("redis-connections-of", count = report.connections, most = most),
        None => format::number(report.connections),
    };
    view! {
        <section class="panel" aria-labelledby="redis-facts">
            <div class="panel-head">
                <h2 id="redis-facts">{t!("redis-facts")}</h2>
            </div>
            <dl class="redis-facts">
                <div><dt>{t!("redis-mode")}</dt><dd>{said(&report.mode)}</dd></div>
                <div><dt>{t!("redis-role")}</dt><dd>{said(&report.role)}</dd></div>
                <div><dt>{t!("redis-uptime")}</dt><dd>{started}</dd></div>
                <div><dt>{t!("redis-connections")}</dt><dd>{connections}</dd></div>
                <div><dt>{t!("redis-replicas")}</dt><dd>{format::number(report.replicas)}</dd></div>
                <div>
                    <dt>{t!("redis-confirmed")}</dt>
                    <dd>{t!("redis-confirmed-by", count = report.confirm_replicas)}</dd>
                </div>
                <div><dt>{t!("redis-shards")}</dt><dd>{report.shards.to_string()}</dd></div>
                <div><dt>{t!("redis-keys")}</dt><dd>{format::number(report.keys)}</dd></div>
            </dl>
        </section>
    }
}
