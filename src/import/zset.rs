//! A plain sorted set: members with a due time as score.

use super::door::{Call, Place, Unit};
use super::script;
use super::source::{ScoreUnit, ZsetSource};
use super::translate::{self, Raw};
use crate::model::Kind;
use crate::new_job::{Due, NewJob};
use crate::store::{Adoptee, Past};

/// The one place of a sorted set.
const SET: &str = "set";

#[derive(Debug, Clone)]
pub(super) struct ZsetDoor {
    source: ZsetSource,
}

impl ZsetDoor {
    pub(super) const fn new(source: ZsetSource) -> Self {
        Self { source }
    }

    pub(super) const fn unit(&self) -> ScoreUnit {
        self.source.unit
    }

    pub(super) const fn kind(&self) -> &Kind {
        &self.source.kind
    }

    pub(super) const fn reads_ids(&self) -> bool {
        self.source.id.is_some()
    }

    pub(super) fn units(&self) -> Vec<(String, String)> {
        vec![(self.source.key.clone(), self.source.key.clone())]
    }

    pub(super) fn places(&self, unit: &Unit) -> Vec<Place> {
        vec![Place { name: SET, key: unit.base.clone(), shape: "zset", stays: "", waits: true }]
    }

    pub(super) fn look(&self, _unit: &Unit, place: &Place) -> Call {
        Call::new(&script::ZSET_LOOK, vec![place.key.clone()])
    }

    pub(super) fn park(&self, unit: &Unit) -> Call {
        Call::new(&script::ZSET_PARK, vec![unit.journal.clone(), unit.base.clone()])
    }

    pub(super) fn restore(&self, unit: &Unit) -> Call {
        Call::new(&script::ZSET_RESTORE, vec![unit.journal.clone(), unit.base.clone()])
    }

    /// Adding a member again gives it another score; so a job that still waits is replaced.
    pub(super) fn translate(&self, unit: &Unit, raw: &Raw) -> Result<Adoptee, String> {
        let ZsetSource { kind, queue, unit: score_unit, id, subject, max_attempts, .. } = &self.source;
        let mut job = NewJob::new(kind.clone(), raw.name.clone());
        job.queue = queue.clone();
        job.due = Due::At(translate::due(&raw.score, *score_unit)?);
        job.subject = translate::subject(&raw.name, subject.as_ref())?;
        job.replace = true;
        if max_attempts.is_some() {
            job.max_attempts = *max_attempts;
        }
        let id = match id {
            None => translate::made_id(&unit.base, &raw.name),
            Some(pointer) => {
                let found = translate::pointed(&raw.name, pointer)
                    .filter(|text| !text.is_empty())
                    .ok_or_else(|| format!("it has no text or number at {pointer}"))?;
                translate::job_id(&unit.base, found.as_bytes())
            }
        };
        Ok(Adoptee { id, job, past: Past::default() })
    }
}
