//! The machinery in one line: forwarder, workers, Redis.

use leptos::prelude::*;
use reprieve::model::{Durability, Kept, Overview, RedisHealth};

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
pub(crate) fn Health(overview: Overview) -> impl IntoView {
    let forwarder = match overview.forwarder_tick {
        Some(at) if overview.read_at.millis_since(at) < TICK_MS_MAX => {
            let behind_ms = overview.forwarding_behind().as_millis();
            let health = if behind_ms < BEHIND_MS_MAX { "good" } else { "bad" };
            view! { <dd data-health=health>{ticking(overview.forwarders, behind_ms)}</dd> }.into_any()
        }
        Some(at) => {
            let text = t!("overview-last-tick", at = HERE);
            view! { <dd data-health="bad"><TimedSentence text at/></dd> }.into_any()
        }
        None => view! { <dd data-health="bad">{t!("overview-never-ran")}</dd> }.into_any(),
    };
    let workers = match overview.workers {
        0 => t!("overview-none"),
        workers => t!("overview-workers-slots", count = workers, slots = overview.slots),
    };
    let served = if overview.workers > 0 { "good" } else { "plain" };
    view! {
        <footer class="health">
            <dl>
                <div><dt>{t!("overview-forwarder")}</dt>{forwarder}</div>
                <div><dt>{t!("overview-workers-title")}</dt><dd data-health=served>{workers}</dd></div>
                <Redis redis=overview.redis/>
            </dl>
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
        <div><dt>{t!("overview-durability")}</dt><dd data-health="plain">{durability(redis.durability)}</dd></div>
    }
}

/// What of an acknowledged write survives which accident: the disk, then the replicas, then what is confirmed.
fn durability(of: Durability) -> String {
    let disk = match of.kept {
        Kept::Memory => t!("overview-kept-memory"),
        Kept::Snapshots => t!("overview-kept-snapshots"),
        Kept::System => t!("overview-kept-system"),
        Kept::EverySecond => t!("overview-kept-second"),
        Kept::Always => t!("overview-kept-always"),
        _ => t!("overview-kept-unknown"),
    };
    let others = [
        (of.replicas > 0).then(|| t!("overview-kept-replicas", count = of.replicas)),
        (of.needed > 0).then(|| t!("overview-kept-needed", count = of.needed)),
        (of.confirmed_by > 0).then(|| t!("overview-kept-confirmed", count = of.confirmed_by)),
    ];
    let and = |before: String, next: String| t!("overview-kept-and", before = before, next = next);
    others.into_iter().flatten().fold(disk, and)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_survives_is_said_in_the_words_of_the_page() {
        let kinds =
            [Kept::Memory, Kept::Snapshots, Kept::Unknown, Kept::System, Kept::EverySecond, Kept::Always];
        for kept in kinds {
            for (replicas, needed, confirmed_by) in [(0, 0, 0), (1, 2, 0), (2, 1, 1)] {
                let of = Durability::new(kept, replicas, needed, confirmed_by);
                assert_eq!(durability(of), of.to_string(), "in English as the engine says it");
            }
        }
    }
}
