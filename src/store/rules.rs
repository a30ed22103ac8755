//! Rules of kinds: set, read, and kept up to date with the calendar.

use super::intent::Intent;
use super::{Store, script};
use crate::error::{Error, Result};
use crate::model::{Delay, Kind, KindRule, Lateness, Timestamp, Window};
use crate::windows;
use redis::Cmd;
use serde::{Deserialize, Serialize};
use std::collections::HashMap;

/// How often a change is tried again that somebody else's came before.
const CHANGE_TRIES: u32 = 5;
/// What stands for "no rule is there" where a script is told which one to replace.
const NONE: &str = "none";
/// What `lua/core/constraints.lua` reads for a kind that bulk runs leave alone.
const PROTECTED: &str = "1";

/// A rule as `lua/core/constraints.lua` reads it, every value a text. What only Rust reads is in `window`.
#[derive(Default, Serialize, Deserialize)]
struct Stored {
    #[serde(default, skip_serializing_if = "Option::is_none")]
    window: Option<Window>,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    spread_ms: Option<String>,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    open: Option<Vec<String>>,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    late_ms: Option<String>,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    late: Option<String>,
    /// `1` where bulk runs leave its jobs alone.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    protected: Option<String>,
}

impl Stored {
    /// The text of a rule, with the openings from now on; empty for one that says nothing.
    fn of(rule: &KindRule, now: Timestamp) -> Result<String> {
        let KindRule { window, lateness, protected, .. } = rule;
        let window = window.as_ref();
        if window.is_none() && lateness.is_none() && !protected {
            return Ok(String::new());
        }
        let open = window.map(|window| windows::openings(window, now)).transpose()?;
        let texts = |open: Vec<(Timestamp, Timestamp)>| {
            open.into_iter().flat_map(|(from, to)| [from, to]).map(|at| at.as_millis().to_string()).collect()
        };
        let stored = Self {
            window: window.cloned(),
            spread_ms: window.map(|window| window.spread.as_millis().to_string()),
            open: open.map(texts),
            late_ms: lateness.map(|lateness| lateness.most.as_millis().to_string()),
            late: lateness.map(|lateness| lateness.policy.to_string()),
            protected: protected.then(|| PROTECTED.to_owned()),
        };
        serde_json::to_string(&stored)
            .map_err(|error| Error::invalid("window", format!("cannot be written as JSON: {error}")))
    }

    fn rule(self, kind: Kind) -> KindRule {
        let lateness = || {
            let most = Delay::millis(self.late_ms?.parse().ok()?);
            Some(Lateness { most, policy: self.late?.parse().ok()? })
        };
        let times: Vec<Timestamp> = self
            .open
            .unwrap_or_default()
            .iter()
            .filter_map(|at| Timestamp::from_millis(at.parse().ok()?))
            .collect();
        let open = times.chunks_exact(2).filter_map(|pair| Some((*pair.first()?, *pair.get(1)?)));
        KindRule::new(kind, self.window, lateness(), open.collect())
            .protected(self.protected.as_deref() == Some(PROTECTED))
    }
}

impl Store {
    /// Puts a rule where the one that was `seen` still is. Whether that changed anything; `None` when another rule is there.
    async fn put_rule(&self, kind: &Kind, rule: &str, seen: &str, intent: &Intent) -> Result<Option<bool>> {
        let mut call = self.call(&script::SET_RULE);
        call.arg(kind.as_str()).arg(rule).arg(seen).arg(&intent.actor).arg(&intent.why);
        call.operation(&intent.operation);
        match self.grow(&call).await?.text()?.as_str() {
            "set" | "removed" => Ok(Some(true)),
            "unchanged" => Ok(Some(false)),
            "changed" => Ok(None),
            "rules_full" => {
                Err(Error::invalid("kind", "is new, and the namespace has its limit of 200 rules"))
            }
            unknown => Err(super::unknown_word("set_rule", unknown)),
        }
    }

    /// Sets the rule of a kind, in place of the one it had: see `lua/functions/queues/set_rule.lua`. `false` when it was so
    /// already.
    ///
    /// # Errors
    /// [`Error::Invalid`]: nothing changed. [`Error::Unavailable`] also when others change it all the time.
    pub async fn set_rule(&self, rule: &KindRule, intent: &Intent) -> Result<bool> {
        if let Some(window) = &rule.window {
            windows::check_new(window)?;
        }
        let (kind, text) = (&rule.kind, Stored::of(rule, self.now().await?)?);
        for _ in 0..CHANGE_TRIES {
            let there = self.stored_rules().await?.remove(kind.as_str()).unwrap_or_default();
            // Under an operation id its first answer counts, which may be that of a change.
            if text == there && intent.operation.is_empty() {
                return Ok(false);
            }
            let seen = if there.is_empty() { NONE } else { &there };
            if let Some(changed) = self.put_rule(kind, &text, seen, intent).await? {
                return Ok(changed);
            }
        }
        Err(Error::Unavailable { what: format!("the rule of kind {kind} is being changed by others") })
    }

    /// Every rule, by kind, as stored.
    async fn stored_rules(&self) -> Result<HashMap<String, String>> {
        self.ask(&Cmd::hgetall(self.keys().rules())).await
    }

    /// Every rule, by kind; those that do not read are left out.
    ///
    /// # Errors
    /// [`Error::Unavailable`].
    pub async fn rules(&self) -> Result<Vec<KindRule>> {
        let mut rules: Vec<KindRule> = self
            .stored_rules()
            .await?
            .into_iter()
            .filter_map(|(kind, text)| {
                Some(serde_json::from_str::<Stored>(&text).ok()?.rule(Kind::new(kind).ok()?))
            })
            .collect();
        rules.sort_by(|a, b| a.kind.cmp(&b.kind));
        Ok(rules)
    }

    /// Brings the openings of all windows up to date. Every process may do it: all come to the same.
    ///
    /// # Errors
    /// [`Error::Unavailable`].
    pub async fn refresh_windows(&self) -> Result<u32> {
        let (now, mut count) = (self.now().await?, 0);
        for (kind, text) in self.stored_rules().await? {
            let Ok(kind) = Kind::new(kind) else { continue };
            let Ok(stored) = serde_json::from_str::<Stored>(&text) else { continue };
            // A zone that the next version of the calendar lost leaves the openings it had.
            let Ok(fresh) = Stored::of(&stored.rule(kind.clone()), now) else { continue };
            if fresh != text && self.put_rule(&kind, &fresh, &text, &Intent::of("")).await? == Some(true) {
                count += 1;
            }
        }
        Ok(count)
    }
}

/// How often the openings are worked out anew: they reach days ahead.
pub(crate) const REFRESH: Delay = Delay::minutes(10);
