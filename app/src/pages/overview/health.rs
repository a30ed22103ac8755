//! The machinery in one line: forwarder, workers, Redis.

use leptos::prelude::*;
use reprieve::model::{Overview, RedisHealth};

use crate::components::time::{HERE, TimedSentence};
use crate::{format, t};

/// The only policy under which Redis loses no jobs when it is full.
const SAFE_POLICY: &str = "noeviction";
/// A forwarder ticks every second at least; older than this is late, ms.
const TICK_MS_MAX: i64 = 5_000;

/// What is due is forwarded within milliseconds; with more than this between it and now they are behind, ms.
const BEHIND_MS_MAX: i64 = 1_000;

/// Forwarder, workers, Redis.
#[component]
pub fn Health(
    /// The overview as last read.
    overview: Signal<Option<Overview>>,
) -> impl IntoView {
    let line = move || {
        overview.get().map(|overview| {
            let forwarder = match overview.forwarder_tick {
                Some(at) if overview.read_at.millis_since(at) < TICK_MS_MAX => {
                    let behind_ms = overview.forwarding_behind().as_millis();
                    let health = if behind_ms < BEHIND_MS_MAX { "good" } else { "bad" };
                    view! { <dd data-health=health>{ticking(overview.forwarders, behind_ms)}</dd> }.into_any()
                }
                Some(at) => {
                    view! { <dd data-health="bad"><TimedSentence text=t!("overview-last-tick", at = HERE) at/></dd> }.into_any()
                }
                None => view! { <dd data-health="bad">{t!("overview-never-ran")}</dd> }.into_any(),
            };
            let workers = match overview.workers {
                0 => t!("overview-none"),
                workers => t!("overview-workers-slots", count = workers, slots = overview.slots),
            };
            let served = if overview.workers > 0 { "good" } else { "plain" };
            view! {
                <div><dt>{t!("overview-forwarder")}</dt>{forwarder}</div>
                <div><dt>{t!("overview-workers-title")}</dt><dd data-health=served>{workers}</dd></div>
                <Redis redis=overview.redis/>
            }
        })
    };
    view! {
        <footer class="health">
            <dl>{line}</dl>
        </footer>
    }
}

/// How many forwarders there are, and for how long what is due waits for them.
fn ticking(forwarders: u64, behind_ms: i64) -> String {
    match forwarders {
        // They tick, and have not said who they are: that takes some seconds.
        0 => t!("overview-ticking"),
        count if behind_ms < BEHIND_MS_MAX => t!("overview-forwarders-on-time", count = count),
        count => t!("overview-forwarders-behind", count = count, span = format::span(behind_ms)),
    }
}

#[component]
fn Redis(redis: RedisHealth) -> impl IntoView {
    let memory = match redis.memory_bytes_max {
        Some(max) => {
            t!("overview-memory-of", used = format::bytes(redis.memory_bytes), most = format::bytes(max))
        }
        None => t!("overview-memory-free", used = format::bytes(redis.memory_bytes)),
    };
    let policy = if redis.maxmemory_policy == SAFE_POLICY { "good" } else { "bad" };
    view! {
        <div><dt>"Redis"</dt><dd data-health="plain">{redis.version}</dd></div>
        <div><dt>{t!("overview-memory")}</dt><dd data-health="plain">{memory}</dd></div>
        <div><dt>{t!("overview-when-full")}</dt><dd data-health=policy>{redis.maxmemory_policy}</dd></div>
        <div><dt>{t!("overview-durability")}</dt><dd data-health="plain">{redis.durability}</dd></div>
    }
}
