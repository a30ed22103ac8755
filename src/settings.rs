//! The settings of a namespace, known to the whole process and read again every few seconds.

use crate::error::Result;
use crate::model::Settings;
use crate::redaction::{Redaction, Sight};
use crate::store::Shards;
use std::sync::{Arc, PoisonError, RwLock};
use std::time::{Duration, Instant};

/// How old they may be: what a change by another process takes to be seen.
const AGE_MAX: Duration = Duration::from_secs(2);

/// What is known of them. Cloning shares it.
#[derive(Debug, Clone)]
pub struct KnownSettings {
    shards: Shards,
    known: Arc<RwLock<Option<Known>>>,
    /// What the reader may see.
    sight: Sight,
}

#[derive(Debug, Clone)]
struct Known {
    settings: Arc<Settings>,
    redaction: Arc<Redaction>,
    read: Instant,
}

impl KnownSettings {
    pub(crate) fn new(shards: Shards) -> Self {
        Self { shards, known: Arc::default(), sight: Sight::default() }
    }

    /// The settings, at most two seconds old.
    pub(crate) async fn get(&self) -> Result<Arc<Settings>> {
        Ok(self.fresh().await?.settings)
    }

    /// What is hidden, at most two seconds old. Where it cannot be known nothing may be shown.
    pub async fn redaction(&self) -> Result<Arc<Redaction>> {
        let redaction = self.fresh().await?.redaction;
        Ok(if self.sight == Sight::default() { redaction } else { Arc::new(redaction.seen_with(self.sight)) })
    }

    /// The same for somebody who may see no more than that.
    pub(crate) fn seen_with(&self, sight: Sight) -> Self {
        Self { sight, ..self.clone() }
    }

    /// Whether the reader may see errors whole.
    pub(crate) const fn sees_errors(&self) -> bool {
        self.sight.errors
    }

    /// The settings as they were last read; the defaults before the first time.
    pub(crate) fn latest(&self) -> Arc<Settings> {
        self.read_lock().map(|known| known.settings).unwrap_or_default()
    }

    /// Has them read again: this process has just changed them.
    pub(crate) fn forget(&self) {
        *self.known.write().unwrap_or_else(PoisonError::into_inner) = None;
    }

    fn read_lock(&self) -> Option<Known> {
        self.known.read().unwrap_or_else(PoisonError::into_inner).clone()
    }

    async fn fresh(&self) -> Result<Known> {
        if let Some(known) = self.read_lock().filter(|known| known.read.elapsed() < AGE_MAX) {
            return Ok(known);
        }
        let read = Instant::now();
        let settings = self.shards.first().settings().await?;
        let redaction = Arc::new(Redaction::new(&settings.redaction));
        let known = Known { settings: Arc::new(settings), redaction, read };
        *self.known.write().unwrap_or_else(PoisonError::into_inner) = Some(known.clone());
        Ok(known)
    }
}
