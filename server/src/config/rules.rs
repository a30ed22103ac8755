//! Rules that the configuration declares: of kinds, and of queues.

use super::document::Section;
use super::mistake::Mistakes;
use super::span::read_settable_span;
use super::window::{read_days, read_hours};
use reprieve::model::retention::KEPT_MOST_MAX;
use reprieve::model::{Delay, Kind, LatePolicy, Lateness, QueueName, RetentionRule, Window};

/// What one `[[rule]]` may say.
const RULE_KEYS: [&str; 8] = ["kind", "hours", "zone", "days", "spread", "late", "then", "protected"];
/// What one `[[queue]]` may say.
const QUEUE_KEYS: [&str; 6] = ["name", "done", "cancelled", "dead", "done_most", "dead_most"];

/// When jobs of a kind may start, how late, and whether bulk runs leave them alone.
#[derive(Debug, Clone, PartialEq, Eq)]
#[non_exhaustive]
pub struct RuleConfig {
    /// Whose jobs.
    pub kind: Kind,
    /// The hours in which they may start; `None` for any.
    pub window: Option<Window>,
    /// How late they may start; `None` for as late as it gets.
    pub lateness: Option<Lateness>,
    /// Whether bulk runs leave them alone.
    pub protected: bool,
}

/// What holds for a queue.
#[derive(Debug, Clone, PartialEq, Eq)]
#[non_exhaustive]
pub struct QueueConfig {
    /// Which queue.
    pub name: QueueName,
    /// How long its ended jobs are kept, and how many, where it differs from the namespace.
    pub retention: RetentionRule,
}

/// Reads every `[[rule]]`.
pub(crate) fn read_rules(root: &Section<'_>, mistakes: &mut Mistakes) -> Vec<RuleConfig> {
    let mut rules: Vec<RuleConfig> = Vec::new();
    for section in root.sections("rule", mistakes) {
        let Some(rule) = rule(&section, mistakes) else { continue };
        if rules.iter().any(|other| other.kind == rule.kind) {
            mistakes.note(&section.origin(), format!("there are two rules of kind {}", rule.kind));
        }
        rules.push(rule);
    }
    rules
}

fn rule(section: &Section<'_>, mistakes: &mut Mistakes) -> Option<RuleConfig> {
    section.refuse_unknown(&RULE_KEYS, mistakes);
    let kind = section.required("kind", "rule", mistakes);
    let kind = mistakes.read(kind.as_ref(), |text| text.parse::<Kind>());
    let hours = section.text("hours", mistakes);
    let read_hours = mistakes.read(hours.as_ref(), read_hours);
    let zone = section.text("zone", mistakes);
    let days = section.text("days", mistakes);
    let read_days = mistakes.read(days.as_ref(), read_days);
    let spread = section.text("spread", mistakes);
    let read_spread = mistakes.read(spread.as_ref(), read_settable_span);
    let late = section.text("late", mistakes);
    let most = mistakes.read(late.as_ref(), read_settable_span);
    let then = section.text("then", mistakes);
    let policy = mistakes
        .read(then.as_ref(), |text| text.parse::<LatePolicy>().map_err(|words| format!("then is {words}")));

    for (given, key) in [(&zone, "zone"), (&days, "days"), (&spread, "spread")] {
        if let Some(given) = given.as_ref().filter(|_| hours.is_none()) {
            mistakes.note(
                &given.origin,
                format!("{key} is about hours: say which, such as hours = \"08:00-21:00\""),
            );
        }
    }
    if let Some(given) = then.as_ref().filter(|_| late.is_none()) {
        mistakes.note(&given.origin, "then is about late: say how late, such as late = \"1h\"");
    }
    let window = read_hours.map(|(opens, closes)| {
        let zone = zone.as_ref().map_or("UTC", |zone| zone.value.as_str());
        Window::daily(zone, opens, closes)
            .on(read_days.unwrap_or([true; 7]))
            .spread(read_spread.unwrap_or(Delay::ZERO))
    });
    if let (Some(window), Some(zone)) = (&window, &zone)
        && reprieve::CronSchedule::parse("@daily", &window.zone).is_err()
    {
        mistakes.note(&zone.origin, format!("{:?} is no zone, such as Europe/Berlin", zone.value));
    }
    if let (Some(window), Some(spread)) = (&window, &spread)
        && window.spread >= window.open_for()
    {
        mistakes.note(&spread.origin, "a spread is shorter than its hours: jobs are spread within them");
    }
    let protected = section.flag("protected", mistakes).is_some_and(|given| given.value);
    if window.is_none() && hours.is_none() && late.is_none() && !protected {
        mistakes.note(&section.origin(), "a rule needs hours, late, or protected = true");
    }
    Some(RuleConfig {
        kind: kind?,
        window,
        lateness: most.map(|most| Lateness { most, policy: policy.unwrap_or_default() }),
        protected,
    })
}

/// Reads every `[[queue]]`.
pub(crate) fn read_queues(root: &Section<'_>, mistakes: &mut Mistakes) -> Vec<QueueConfig> {
    let mut queues: Vec<QueueConfig> = Vec::new();
    for section in root.sections("queue", mistakes) {
        section.refuse_unknown(&QUEUE_KEYS, mistakes);
        let name = section.required("name", "queue", mistakes);
        let name = mistakes.read(name.as_ref(), |text| text.parse::<QueueName>());
        let mut span = |key| {
            let given = section.text(key, mistakes);
            mistakes.read(given.as_ref(), read_settable_span)
        };
        let mut retention = RetentionRule::default();
        (retention.done, retention.cancelled, retention.dead) =
            (span("done"), span("cancelled"), span("dead"));
        let mut most = |key| {
            let given = section.number(key, mistakes)?;
            if (1..=KEPT_MOST_MAX).contains(&given.value) {
                return Some(given.value);
            }
            mistakes.note(&given.origin, format!("{key} is a number from 1 to {KEPT_MOST_MAX}"));
            None
        };
        (retention.done_most, retention.dead_most) = (most("done_most"), most("dead_most"));
        let Some(name) = name else { continue };
        if queues.iter().any(|other| other.name == name) {
            mistakes.note(&section.origin(), format!("there are two queues named {name}"));
        }
        queues.push(QueueConfig { name, retention });
    }
    queues
}
