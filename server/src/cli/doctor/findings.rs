//! What each thing that was looked at means, and what to do about it.

use crate::cli::output::counted;
use crate::cli::session::{START_ONE, no_server_on};
use app::format::span;
use reprieve::model::{self, Attention, Check, Namespace, Overview, Verdict};
use reprieve::zones::ZoneRules;
use reprieve::{Error, Examination};
use serde::Serialize;
use std::path::Path;

/// One thing that was looked at.
#[derive(Debug, Serialize)]
pub(super) struct Finding {
    /// Of which namespace; `None` for what is said of the Redis as a whole.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub(super) namespace: Option<Namespace>,
    /// How good it is.
    pub(super) verdict: Verdict,
    /// What was looked at.
    pub(super) what: String,
    /// What was found.
    pub(super) found: String,
    /// What to do; nothing where all is well.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub(super) advice: Option<String>,
}

impl Finding {
    fn new(verdict: Verdict, what: &str, found: impl Into<String>, advice: impl Into<String>) -> Self {
        Self {
            namespace: None,
            verdict,
            what: what.to_owned(),
            found: found.into(),
            advice: Some(advice.into()),
        }
    }

    /// The same as said of that namespace.
    pub(super) fn of(self, namespace: &Namespace) -> Self {
        Self { namespace: Some(namespace.clone()), ..self }
    }

    fn good(what: &str, found: impl Into<String>) -> Self {
        Self {
            namespace: None,
            verdict: Verdict::Good,
            what: what.to_owned(),
            found: found.into(),
            advice: None,
        }
    }

    fn look(what: &str, found: impl Into<String>, advice: impl Into<String>) -> Self {
        Self::new(Verdict::Look, what, found, advice)
    }

    fn wrong(what: &str, found: impl Into<String>, advice: impl Into<String>) -> Self {
        Self::new(Verdict::Wrong, what, found, advice)
    }
}

/// There is no server of a data directory.
pub(super) fn no_server(data: &Path) -> Finding {
    Finding::wrong("reachability", no_server_on(data), START_ONE)
}

/// Nobody answers, or something that refuses.
pub(super) fn unreachable(error: &Error, place: &str) -> Finding {
    let advice = match error {
        // Each of these says itself what to do.
        error if error.is_denied() || error.is_tls_refusal() => {
            "do what the sentence says; a Redis does listen there".to_owned()
        }
        Error::Refused { .. } => "do what the sentence says; nothing was changed".to_owned(),
        error => instead(&error.to_string(), place).unwrap_or_else(|| look_there(place)),
    };
    Finding::wrong("reachability", error.to_string(), advice)
}

const NO_SUCH_MASTER: &str =
    "look which masters the Sentinels know (SENTINEL MASTERS); its name is the last part of the address";

/// What to write instead of an address that leads to something else; `None` where that does not show.
fn instead(why: &str, place: &str) -> Option<String> {
    let why = why.to_lowercase();
    let is_tls = place.starts_with("rediss");
    let advice = if why.contains("unknown command") && why.contains("sentinel") {
        "what listens there is a Redis and no Sentinel: name Sentinels, or write redis://"
    } else if place.contains("+sentinel://") && (why.contains("master") || why.contains("no such")) {
        // They answered: what is to be mended is the address.
        return Some(NO_SUCH_MASTER.to_owned());
    } else if why.contains("reset") && !is_tls {
        "if that Redis speaks TLS, write rediss://"
    } else if (why.contains("in time") || why.contains("corrupt message")) && is_tls {
        "if that Redis speaks no TLS, write redis://"
    } else {
        return None;
    };
    Some(format!("{advice}; else {}", look_there(place)))
}

fn look_there(place: &str) -> String {
    format!("look whether a Redis listens at {place}; `reprieve serve` starts an embedded one")
}

/// It answers, and must not be used as it is.
pub(super) fn refused(why: &str) -> Finding {
    Finding::wrong("namespace", why, "do what the sentence says; nothing was changed")
}

/// What is kept does not read.
pub(super) fn unreadable(error: &Error) -> Finding {
    let advice = if error.is_denied() || matches!(error, Error::Refused { .. }) {
        "do what the sentence says; nothing was changed"
    } else {
        "look at the key it names, and see operations.md on damaged keys"
    };
    Finding::wrong("namespace", error.to_string(), advice)
}

/// What a Redis says of itself, and what it says of a namespace: the same findings as on its page, in the same words.
pub(super) fn of_redis(found: &Examination) -> (Vec<Finding>, Vec<Finding>) {
    let in_words = |finding: &model::Finding| Finding {
        namespace: None,
        verdict: finding.verdict(),
        what: app::findings::title(finding.check()),
        found: app::findings::sentence(finding),
        advice: app::findings::advice(finding),
    };
    let (of_all, of_one): (Vec<_>, Vec<_>) =
        reprieve::findings(found).into_iter().partition(|finding| is_of_all(finding.check()));
    (of_all.iter().map(in_words).collect(), of_one.iter().map(in_words).collect())
}

/// Which rules of time zones a process on this machine goes by.
pub(super) fn time_zones(rules: &ZoneRules) -> Finding {
    let from = rules.directory.as_ref().map(|at| format!("of this machine, {}", at.display()));
    let from = from.unwrap_or_else(|| "inside this program".to_owned());
    Finding::good("time zones", format!("rules {}, {from}", rules.version))
}

/// A process of the namespace has later rules of time zones than this machine.
pub(super) fn later_zones(overview_zones: &str, own: &ZoneRules) -> Option<Finding> {
    (overview_zones > own.version.as_str()).then(|| {
        Finding::look(
            "time zones",
            format!(
                "a process of the namespace has rules {overview_zones}, and a process here would have {}",
                own.version
            ),
            "update tzdata or this program here; until then a process here fires no cron entries",
        )
    })
}

/// Whether it is the same for all namespaces of a Redis.
const fn is_of_all(check: Check) -> bool {
    matches!(
        check,
        Check::Version
            | Check::Eviction
            | Check::Memory
            | Check::Persistence
            | Check::Clocks
            | Check::Latency
            | Check::Commands
            | Check::Libraries
            | Check::Role
    )
}

/// What the screens would call to somebody's attention.
pub(super) fn of_namespace(overview: &Overview) -> Vec<Finding> {
    let mut all = Vec::new();
    for attention in &overview.attention {
        let finding = match attention {
            Attention::Overdue { queue, since } => Finding::wrong(
                "queue",
                format!(
                    "{queue} has jobs that were due {} ago and do not move",
                    span(overview.read_at.millis_since(*since))
                ),
                "start a process with a forwarder, and look whether its clock is right",
            ),
            Attention::NoWorkers { queue, ready } => Finding::look(
                "queue",
                format!("{queue} has {ready} ready job{} and no worker", if *ready == 1 { "" } else { "s" }),
                "start a worker that serves it, or configure a webhook",
            ),
            Attention::Dying { queue, example, last_hour, or_more, .. } => Finding::look(
                "queue",
                format!(
                    "{}{last_hour} job{} of {queue} died in the last hour: {example}",
                    if *or_more { "at least " } else { "" },
                    if *last_hour == 1 { "" } else { "s" }
                ),
                "reprieve jobs dead says why",
            ),
            Attention::Paused { queue, paused } => Finding::look(
                "queue",
                format!("{queue} is paused by {}", paused.by),
                "reprieve resume lets it go on",
            ),
            Attention::SilentWorker { worker, .. } => Finding::look(
                "worker",
                format!("{worker} is silent with jobs in its hands"),
                "its jobs are taken back when their leases end; look what became of it",
            ),
            Attention::DamagedKeys { keys, key } => Finding::wrong(
                "namespace",
                format!(
                    "{} passed over: {key}",
                    counted(
                        *keys,
                        "key holds something of another type, and its queue is",
                        "keys hold something of another type, and their queues are"
                    )
                ),
                "mend or remove it, see operations.md on damaged keys",
            ),
            Attention::Parked { jobs } => Finding::look(
                "queue",
                format!("{} no handler in the last hour", counted(*jobs, "job found", "jobs found")),
                "start a worker with a handler for their kinds",
            ),
            // Said already, from what Redis says itself.
            _ => continue,
        };
        all.push(finding);
    }
    all.push(Finding::good(
        "work",
        format!(
            "{}, {} with {}",
            counted(overview.queues.len(), "queue", "queues"),
            counted(overview.workers, "worker", "workers"),
            counted(overview.slots, "slot", "slots")
        ),
    ));
    all
}
