//! Rules of kinds: set, read, and kept up to date with the calendar.

use super::acts::Intent;
use super::{Store, script};
use crate::error::{Error, Result};
use crate::model::{Delay, Kind, KindRule, Timestamp, Window};
use crate::windows;
use redis::Pipeline;
use serde::{Deserialize, Serialize};
use std::collections::HashMap;

/// A rule as `lua/lib/terms.lua` reads it, every value a text. What only Rust reads is in `window`.
#[derive(Serialize, Deserialize)]
struct Stored {
    window: Window,
    spread_ms: String,
    open: Vec<String>,
}

impl Stored {
    fn of(window: &Window, now: Timestamp) -> Result<String> {
        let open = windows::openings(window, now)?;
        let open = open.into_iter().flat_map(|(from, to)| [from, to]).map(|at| at.as_millis().to_string());
        let stored = Self {
            window: window.clone(),
            spread_ms: window.spread.as_millis().to_string(),
            open: open.collect(),
        };
        serde_json::to_string(&stored)
            .map_err(|error| Error::invalid("window", format!("cannot be written as JSON: {error}")))
    }
}

impl Store {
    async fn put_rule(&self, kind: &Kind, rule: &str, seen: &str, intent: &Intent) -> Result<bool> {
        let mut call = self.call(&script::SET_RULE);
        call.arg(kind.as_str()).arg(rule).arg(seen).arg(&intent.actor).arg(&intent.why);
        match self.grow(&call).await?.text()?.as_str() {
            "set" | "removed" => Ok(true),
            "unchanged" | "changed" => Ok(false),
            "rules_full" => {
                Err(Error::invalid("kind", "is new, and the namespace has its limit of 200 rules"))
            }
            unknown => Err(Error::codec(format!("set_rule replied with the unknown word {unknown:?}"))),
        }
    }

    /// Sets the window of a kind, or removes it: see `lua/set_rule.lua`. `false` when it was so already.
    ///
    /// # Errors
    /// [`Error::Invalid`]: nothing changed.
    pub async fn set_window(&self, kind: &Kind, window: Option<&Window>, intent: &Intent) -> Result<bool> {
        let now = self.now().await?;
        let rule = window.map(|window| Stored::of(window, now)).transpose()?.unwrap_or_default();
        self.put_rule(kind, &rule, "", intent).await
    }

    /// Every rule, by kind, as stored.
    async fn stored_rules(&self) -> Result<HashMap<String, String>> {
        let mut reads = Pipeline::new();
        reads.hgetall(self.keys().rules());
        let (rules,): (HashMap<String, String>,) = self.pipeline(&reads).await?;
        Ok(rules)
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
                let stored: Stored = serde_json::from_str(&text).ok()?;
                let times: Vec<Timestamp> =
                    stored.open.iter().filter_map(|at| Timestamp::from_millis(at.parse().ok()?)).collect();
                let open = times.chunks_exact(2).filter_map(|pair| Some((*pair.first()?, *pair.get(1)?)));
                Some(KindRule::new(Kind::new(kind).ok()?, Some(stored.window), open.collect()))
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
            let Ok(fresh) = Stored::of(&stored.window, now) else { continue };
            if fresh != text && self.put_rule(&kind, &fresh, &text, &Intent::of("")).await? {
                count += 1;
            }
        }
        Ok(count)
    }
}

/// How often the openings are worked out anew: they reach days ahead.
pub(crate) const REFRESH: Delay = Delay::minutes(10);
