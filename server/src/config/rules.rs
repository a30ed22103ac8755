//! Rules that the configuration declares: of kinds, and of queues.

use super::document::Section;
use super::span::read_settable_span;
use super::window::{read_days, read_hours};
use reprieve::model::retention::KEPT_MOST_MAX;
use reprieve::model::{Delay, Kind, LatePolicy, Lateness, QueueName, RetentionRule, Window};

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
pub(super) fn read_rules(root: &Section<'_>) -> Vec<RuleConfig> {
    root.tables_by_name("rule", rule, |rule| rule.kind.as_str())
}

fn rule(section: &Section<'_>) -> Option<RuleConfig> {
    let notes = section.notes;
    let kind = section.read_required("kind", str::parse::<Kind>);
    let (hours, zone) = (section.text("hours"), section.text("zone"));
    let (days, spread) = (section.text("days"), section.text("spread"));
    let (late, then) = (section.text("late"), section.text("then"));
    let read_hours = notes.read(hours.as_ref(), read_hours);
    let read_days = notes.read(days.as_ref(), read_days);
    let read_spread = notes.read(spread.as_ref(), read_settable_span);
    let most = notes.read(late.as_ref(), read_settable_span);
    let policy = notes
        .read(then.as_ref(), |text| text.parse::<LatePolicy>().map_err(|words| format!("then is {words}")));

    for (given, key) in [(&zone, "zone"), (&days, "days"), (&spread, "spread")] {
        if let Some(given) = given.as_ref().filter(|_| hours.is_none()) {
            notes.add(
                &given.origin,
                format!("{key} is about hours: say which, such as hours = \"08:00-21:00\""),
            );
        }
    }
    if let Some(given) = then.as_ref().filter(|_| late.is_none()) {
        notes.add(&given.origin, "then is about late: say how late, such as late = \"1h\"");
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
        notes.add(&zone.origin, format!("{:?} is not a time zone, such as Europe/Berlin", zone.value));
    }
    if let (Some(window), Some(spread)) = (&window, &spread)
        && window.spread >= window.open_for()
    {
        notes.add(&spread.origin, "a spread is shorter than its hours: jobs are spread within them");
    }
    let protected = section.truth("protected") == Some(true);
    if window.is_none() && hours.is_none() && late.is_none() && !protected {
        section.note("a rule needs hours, late, or protected = true");
    }
    Some(RuleConfig {
        kind: kind?,
        window,
        lateness: most.map(|most| Lateness { most, policy: policy.unwrap_or_default() }),
        protected,
    })
}

/// Reads every `[[queue]]`.
pub(super) fn read_queues(root: &Section<'_>) -> Vec<QueueConfig> {
    let queue = |section: &Section<'_>| {
        let name = section.read_required("name", str::parse::<QueueName>);
        let span = |key| section.read(key, read_settable_span);
        let most = |key| section.number_in(key, 1..=KEPT_MOST_MAX);
        let mut retention = RetentionRule::default();
        (retention.done, retention.cancelled, retention.dead) =
            (span("done"), span("cancelled"), span("dead"));
        (retention.done_most, retention.dead_most) = (most("done_most"), most("dead_most"));
        Some(QueueConfig { name: name?, retention })
    };
    root.tables_by_name("queue", queue, |queue| queue.name.as_str())
}
