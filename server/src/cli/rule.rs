//! `reprieve rule`: when jobs of a kind may start, how late, and whether bulk runs leave them alone.

use super::exit::Failure;
use super::named::Named;
use super::own::Own;
use super::session::{Run, Session};
use crate::config::{DAYS, read_days, read_hours, read_span};
use crate::http_api::{RuleView, window_hours};
use app::format::span;
use clap::{ArgAction, Args, Subcommand};
use reprieve::model::{Delay, Kind, KindRule, LatePolicy, Lateness, Window};
use serde_json::json;

/// Rules of kinds.
#[derive(Debug, Clone, Subcommand)]
pub(crate) enum Act {
    /// List the rules of all kinds
    List,
    /// Change the rule of a kind; what you leave out stays
    Set(Set),
    /// Remove the rule of a kind
    Remove {
        /// The kind
        #[arg(value_name = "KIND")]
        kind: Kind,
        #[command(flatten)]
        named: Named,
    },
}

/// What to change of a rule.
#[derive(Debug, Clone, Args)]
#[command(group = clap::ArgGroup::new("changed").required(true).multiple(true))]
pub(crate) struct Set {
    /// The kind
    #[arg(value_name = "KIND")]
    kind: Kind,
    /// The hours in which its jobs may start, such as 08:00-21:00, or `none`
    #[arg(long, value_name = "HOURS", value_parser = |text: &str| Own::read(text, read_hours), group = "changed")]
    hours: Option<Own<(u16, u16)>>,
    /// Time zone of those hours, by its IANA name [default: UTC]
    #[arg(long, value_name = "ZONE", group = "changed")]
    zone: Option<String>,
    /// On which days, such as mon-fri or sat,sun [default: every day]
    #[arg(long, value_name = "DAYS", group = "changed")]
    days: Option<String>,
    /// Spread jobs that waited for the window over that span [default: 0s]
    #[arg(long, value_name = "SPAN", value_parser = read_span, group = "changed")]
    spread: Option<Delay>,
    /// How late its jobs may start, such as 1h, or `none`
    #[arg(long, value_name = "SPAN", value_parser = |text: &str| Own::read(text, read_span), group = "changed")]
    late: Option<Own<Delay>>,
    /// What to do with those that are too late: skip, dead or run [default: skip]
    #[arg(long, value_name = "WORD", group = "changed", value_parser = |text: &str| text.parse::<LatePolicy>())]
    then: Option<LatePolicy>,
    /// Whether bulk runs leave its jobs alone
    #[arg(long, action = ArgAction::Set, num_args = 0..=1, require_equals = true, default_missing_value = "true", value_name = "BOOL", group = "changed")]
    protected: Option<bool>,
    #[command(flatten)]
    named: Named,
}

impl Set {
    /// The rule that the kind has then.
    fn on(&self, rule: Option<KindRule>) -> Result<KindRule, Failure> {
        let rule = rule.unwrap_or_else(|| KindRule::new(self.kind.clone(), None, None, Vec::new()));
        let days = self.days.as_deref().map(read_days).transpose().map_err(Failure::Usage)?;
        let hours = match self.hours {
            Some(Own(hours)) => hours,
            None => rule.window.as_ref().map(|window| (window.opens, window.closes)),
        };
        if hours.is_none() && (self.zone.is_some() || days.is_some() || self.spread.is_some()) {
            return Err(Failure::Usage(
                "--zone, --days and --spread are about --hours: say which".to_owned(),
            ));
        }
        let window = hours.map(|(opens, closes)| {
            let there = rule.window.unwrap_or_else(|| Window::daily("UTC", opens, closes));
            let zone = self.zone.clone().unwrap_or(there.zone);
            let window = Window::daily(zone, opens, closes).on(days.unwrap_or(there.days));
            window.spread(self.spread.unwrap_or(there.spread))
        });
        let most = self.late.map_or(rule.lateness.map(|late| late.most), |Own(most)| most);
        if most.is_none() && self.then.is_some() {
            return Err(Failure::Usage("--then is about --late: say how late".to_owned()));
        }
        let policy = self.then.or(rule.lateness.map(|late| late.policy)).unwrap_or(LatePolicy::Skip);
        let lateness = most.map(|most| Lateness { most, policy });
        let is_protected = self.protected.unwrap_or(rule.protected);
        Ok(KindRule::new(self.kind.clone(), window, lateness, Vec::new()).protected(is_protected))
    }
}

impl Run for Act {
    fn only_looks(&self) -> bool {
        matches!(self, Act::List)
    }

    async fn run(self, session: &Session) -> Result<(), Failure> {
        match self {
            Act::List => list(session).await,
            Act::Set(set) => {
                let rules = session.engine.inspector().rules().await?;
                let rule = set.on(rules.into_iter().find(|rule| rule.kind == set.kind))?;
                put(session, &rule, &set.named).await
            }
            Act::Remove { kind, named } => {
                put(session, &KindRule::new(kind, None, None, Vec::new()), &named).await
            }
        }
    }
}

async fn put(session: &Session, rule: &KindRule, named: &Named) -> Result<(), Failure> {
    let changed = named.key.operator(session).set_rule(rule, &named.reason.text).await;
    let changed = changed.map_err(|error| named.key.failure(error))?;
    let (kind, is_gone) = (&rule.kind, rule.window.is_none() && rule.lateness.is_none() && !rule.protected);
    let how = match (changed, is_gone) {
        (false, true) => "had no rule",
        (false, false) => "had that rule already",
        (true, true) => "has no rule now",
        (true, false) => "has that rule from now on, also for jobs that exist",
    };
    session.out.answer(&json!({ "kind": kind, "changed": changed }), format!("{kind}  {how}"));
    Ok(())
}

/// `08:00-21:00 Europe/Berlin, spread over 1 m`.
fn hours_of(window: &Window) -> String {
    let hours = format!("{} {}", window_hours(window), window.zone);
    match window.spread {
        Delay::ZERO => hours,
        over => format!("{hours}, spread over {}", span(over.as_millis())),
    }
}

async fn list(session: &Session) -> Result<(), Failure> {
    let (rules, now) = (session.engine.inspector().rules().await?, session.engine.now().await?);
    let row = |rule: &KindRule| {
        let window = rule.window.as_ref();
        let days = |window: &Window| {
            let open = DAYS.iter().zip(window.days).filter_map(|(day, on)| on.then_some(*day));
            open.collect::<Vec<_>>().join(",")
        };
        let late = rule
            .lateness
            .map(|late| format!("{}, then {}", span(late.most.as_millis()), late.policy.as_str()));
        vec![
            rule.kind.to_string(),
            window.map_or_else(String::new, hours_of),
            window.map_or_else(String::new, days),
            rule.open.first().map_or_else(String::new, |(from, _)| session.out.time(*from, now)),
            late.unwrap_or_default(),
            if rule.protected { "protected".to_owned() } else { String::new() },
        ]
    };
    let head = ["KIND", "HOURS", "DAYS", "OPENS", "LATE AT MOST", "BULK RUNS"];
    session.out.list(rules, RuleView::from, &head, row, "no rules");
    Ok(())
}
