//! `reprieve rule`: when jobs of a kind may start, how late, and whether bulk runs leave them alone.

use super::exit::Failure;
use super::named::Named;
use super::session::{Run, Session};
use crate::config::{DAYS, read_days, read_hours, read_span};
use crate::http_api::{RuleView, window_hours};
use app::format::span;
use clap::{Args, Subcommand};
use reprieve::model::{Delay, Kind, KindRule, LatePolicy, Lateness, Window};
use serde_json::json;

/// Rules of kinds.
#[derive(Debug, Clone, Subcommand)]
pub(crate) enum Act {
    /// List the rules of all kinds
    List,
    /// Set the rule of a kind; replaces the one it had
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

/// The rule of a kind as it is to be.
#[derive(Debug, Clone, Args)]
pub(crate) struct Set {
    /// The kind
    #[arg(value_name = "KIND")]
    kind: Kind,
    /// The hours in which its jobs may start, such as 08:00-21:00
    #[arg(long, value_name = "HOURS", value_parser = read_hours, required_unless_present_any = ["late", "protected"])]
    hours: Option<(u16, u16)>,
    /// Time zone of those hours, by its IANA name
    #[arg(long, value_name = "ZONE", default_value = "UTC", requires = "hours")]
    zone: String,
    /// On which days, such as mon-fri or sat,sun; every day without it
    #[arg(long, value_name = "DAYS", requires = "hours")]
    days: Option<String>,
    /// Spread jobs that waited for the window over that span
    #[arg(long, value_name = "SPAN", value_parser = read_span, requires = "hours")]
    spread: Option<Delay>,
    /// How late its jobs may start, such as 1h
    #[arg(long, value_name = "SPAN", value_parser = read_span)]
    late: Option<Delay>,
    /// What to do with those that are too late: skip, dead or run
    #[arg(long, value_name = "WORD", default_value = "skip", requires = "late", value_parser = |text: &str| text.parse::<LatePolicy>())]
    then: LatePolicy,
    /// Have bulk runs leave its jobs alone
    #[arg(long)]
    protected: bool,
    #[command(flatten)]
    named: Named,
}

impl Run for Act {
    fn only_looks(&self) -> bool {
        matches!(self, Act::List)
    }

    async fn run(self, session: &Session) -> Result<(), Failure> {
        match self {
            Act::List => list(session).await,
            Act::Set(set) => {
                let days = set.days.as_deref().map_or(Ok([true; 7]), read_days).map_err(Failure::Usage)?;
                let window = set.hours.map(|(opens, closes)| {
                    Window::daily(&set.zone, opens, closes).on(days).spread(set.spread.unwrap_or(Delay::ZERO))
                });
                let lateness = set.late.map(|most| Lateness { most, policy: set.then });
                let rule = KindRule::new(set.kind, window, lateness, Vec::new()).protected(set.protected);
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
        (false, _) => "had that rule already",
        (true, true) => "has no rule now",
        (true, false) => "has that rule from now on, also for jobs that exist",
    };
    session.out.answer(&json!({ "kind": kind, "changed": changed }), format!("{kind}  {how}"));
    Ok(())
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
            window.map_or_else(String::new, |window| format!("{} {}", window_hours(window), window.zone)),
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
