//! A plain sorted set: members with a due time as score.

use super::check;
use super::door::{Answer, Format};
use super::source::{OURS, ZsetSource};
use super::translate::{self, Raw};
use super::unit::{Place, Unit};
use crate::ImportFormat;
use reprieve::internals::{Adoptee, Foreign, Past, invalid};
use reprieve::model::{Kind, Timestamp};
use reprieve::{Due, NewJob, Result};

/// The one place of a sorted set.
const SET: &str = "set";

#[derive(Debug, Clone)]
pub(super) struct Zset(pub(super) ZsetSource);

impl Format for Zset {
    fn format(&self) -> ImportFormat {
        ImportFormat::Zset
    }

    fn shown(&self) -> String {
        format!("zset {}", self.0.key)
    }

    fn check(&self) -> Result<()> {
        let ZsetSource { key, id, subject, max_attempts, .. } = &self.0;
        check::filled("key", key)?;
        if OURS.iter().any(|prefix| key.starts_with(prefix)) {
            return Err(invalid("key", "is one of Reprieve's own"));
        }
        if *max_attempts == Some(0) {
            return Err(invalid("max_attempts", "is at least 1"));
        }
        check::pointer("id", id.as_ref())?;
        check::pointer("subject", subject.as_ref())
    }

    fn kind_of_members(&self) -> Option<&Kind> {
        Some(&self.0.kind)
    }

    fn may_share_ids(&self) -> bool {
        self.0.id.is_some()
    }

    fn units<'a>(&'a self, _source: &'a Foreign) -> Answer<'a, Vec<String>> {
        Box::pin(async { Ok(vec![self.0.key.clone()]) })
    }

    fn due(&self, raw: &Raw) -> Option<Timestamp> {
        translate::due(&raw.score, self.0.unit).ok()
    }

    fn places(&self, unit: &Unit) -> Vec<Place> {
        vec![Place { name: SET, key: unit.base.clone(), shape: "zset", stays: "", waits: true }]
    }

    /// Adding a member again gives it another score; so a job that still waits is replaced.
    fn translate(&self, unit: &Unit, raw: &Raw) -> std::result::Result<Adoptee, String> {
        let ZsetSource { kind, queue, unit: score_unit, id, subject, max_attempts, .. } = &self.0;
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
