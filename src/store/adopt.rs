//! `adopt` and `withdraw`: jobs come from a foreign queue, and go back.

use super::intake::add_job;
use super::reply::Reply;
use super::{Shards, Store, script};
use crate::error::{Error, Result};
use crate::model::{JobId, JobState, Shard, Timestamp};
use crate::new_job::NewJob;
use std::collections::{BTreeMap, BTreeSet};

/// A job that comes from elsewhere.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Adoptee {
    /// Its id, when that is free.
    pub id: JobId,
    /// The job as a client would describe it.
    pub job: NewJob,
    /// What happened to it where it comes from.
    pub past: Past,
}

/// What happened to a job before it came here.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Past {
    /// The state it begins in; `None` by its due time.
    pub state: Option<JobState>,
    /// Attempts made.
    pub attempt: u32,
    /// Why the latest of them failed; empty for none.
    pub last_error: String,
    /// When it failed.
    pub failed: Option<Timestamp>,
    /// What it returned, when it is done.
    pub result: Vec<u8>,
    /// When it was made; `None` is now.
    pub created: Option<Timestamp>,
}

/// A record of an importer's journal that is to become a job.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Arrival {
    /// The record's name, which no other record ever has.
    pub record: String,
    /// The id to use when the job's own is taken.
    pub spare: JobId,
    /// The job.
    pub adoptee: Adoptee,
}

/// An arrival, and whether its own id is that of a job in another shard.
struct Placed<'a> {
    arrival: &'a Arrival,
    is_held_elsewhere: bool,
}

/// What became of one record.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Adopted {
    /// It is this job now.
    New(JobId),
    /// It replaced a waiting job of this id.
    Replaced(JobId),
    /// An earlier call had taken it.
    Repeated(JobId),
    /// It was rolled back and is not to be taken.
    Withdrawn,
    /// Its subject has as many live jobs as a subject may have.
    SubjectFull,
    /// Both its own id and the one made for this case are other jobs'.
    IdTaken,
}

/// What became of one record on its way back.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Withdrawn {
    /// No job of it is left here.
    Now,
    /// It stays, for that reason, in that state.
    Stays {
        /// `changed`, `active`, `ended` or `gone`.
        word: String,
        /// Its job.
        id: String,
        /// The job's state; empty when it is gone.
        state: String,
    },
}

impl Shards {
    /// The shard of a job that comes from elsewhere, and of what is known of its record.
    pub fn home_of(&self, adoptee: &Adoptee) -> Shard {
        self.home(&adoptee.id, &adoptee.job).shard()
    }

    /// Which shards know these records, by what the records became. A record is asked about with the rules of today, which
    /// may name another home than those it was taken with.
    async fn knowing(&self, import: &str, records: &[&str]) -> Result<Vec<Option<Shard>>> {
        let mut known = vec![None; records.len()];
        if self.count() == 1 || records.is_empty() {
            return Ok(known);
        }
        let answers = self.each(|store| store.knows(import, records)).await?;
        for (store, answer) in self.all().iter().zip(answers) {
            for (place, _) in known.iter_mut().zip(answer).filter(|(_, knows)| *knows) {
                *place = Some(store.shard());
            }
        }
        Ok(known)
    }

    /// Takes jobs over, each in its shard, and answers in their order. Repeating it changes nothing. An id is unique in the
    /// namespace: one whose own is that of a job in another shard gets its spare, in the home it has by its own.
    ///
    /// # Errors
    /// [`Error::StorageFull`] and [`Error::Unavailable`]: some may have been taken; repeat it.
    pub async fn adopt(&self, import: &str, arrivals: &[Arrival]) -> Result<Vec<Adopted>> {
        let records: Vec<&str> = arrivals.iter().map(|arrival| arrival.record.as_str()).collect();
        let known = self.knowing(import, &records).await?;
        let new = || arrivals.iter().zip(&known).filter(|(_, known)| known.is_none()).map(|(new, _)| new);
        let found = self.holders(&new().map(|new| &new.adoptee.id).collect::<Vec<_>>()).await?;
        for home in new().map(|new| self.home_of(&new.adoptee)).collect::<BTreeSet<_>>() {
            found.prepare(self.shard(home)).await?;
        }
        let mut at_home: BTreeMap<Shard, (Vec<usize>, Vec<Placed<'_>>)> = BTreeMap::new();
        for (place, (arrival, known)) in arrivals.iter().zip(&known).enumerate() {
            let home = self.home_of(&arrival.adoptee);
            let is_held_elsewhere = found.get(&arrival.adoptee.id).is_some_and(|shard| shard != home);
            let (places, theirs) = at_home.entry(known.unwrap_or(home)).or_default();
            places.push(place);
            theirs.push(Placed { arrival, is_held_elsewhere: is_held_elsewhere && known.is_none() });
        }
        let mut answers = vec![None; arrivals.len()];
        for (shard, (places, theirs)) in at_home {
            for (place, answer) in places.into_iter().zip(self.shard(shard).adopt(import, &theirs).await?) {
                answers[place] = Some(answer);
            }
        }
        answers.into_iter().map(|answer| answer.ok_or_else(|| Error::codec("adopt did not answer"))).collect()
    }

    /// Takes jobs out again that nobody has touched, each record in the shard where it became a job; in the shard given with
    /// it where none has it, so that it does not become one there any more.
    ///
    /// # Errors
    /// [`Error::Unavailable`]: repeat it.
    pub async fn withdraw(&self, import: &str, records: &[(Shard, String)]) -> Result<Vec<Withdrawn>> {
        let names: Vec<&str> = records.iter().map(|(_, record)| record.as_str()).collect();
        let known = self.knowing(import, &names).await?;
        let mut of_shards: BTreeMap<Shard, Vec<usize>> = BTreeMap::new();
        for (place, ((home, _), known)) in records.iter().zip(known).enumerate() {
            of_shards.entry(known.unwrap_or(*home)).or_default().push(place);
        }
        let mut answers = vec![None; records.len()];
        for (shard, places) in of_shards {
            let names: Vec<&str> =
                places.iter().filter_map(|&place| Some(records.get(place)?.1.as_str())).collect();
            for (place, answer) in places.into_iter().zip(self.shard(shard).withdraw(import, &names).await?) {
                answers[place] = Some(answer);
            }
        }
        answers
            .into_iter()
            .map(|answer| answer.ok_or_else(|| Error::codec("withdraw did not answer")))
            .collect()
    }

    /// What [`withdraw`](Self::withdraw) would answer now. Changes nothing.
    ///
    /// # Errors
    /// [`Error::Unavailable`].
    pub async fn withdrawable(&self, import: &str, records: &[String]) -> Result<Vec<Withdrawn>> {
        let names: Vec<&str> = records.iter().map(String::as_str).collect();
        let known = self.knowing(import, &names).await?;
        let mut of_shards: BTreeMap<Shard, Vec<usize>> = BTreeMap::new();
        for (place, known) in known.into_iter().enumerate() {
            of_shards.entry(known.unwrap_or(Shard::FIRST)).or_default().push(place);
        }
        // What no shard knows never became a job.
        let mut answers = vec![Withdrawn::Now; records.len()];
        for (shard, places) in of_shards {
            let names: Vec<&str> = places.iter().filter_map(|&place| names.get(place).copied()).collect();
            for (place, answer) in
                places.into_iter().zip(self.shard(shard).withdrawable(import, &names).await?)
            {
                answers[place] = answer;
            }
        }
        Ok(answers)
    }

    /// Forgets that these records were taken.
    ///
    /// # Errors
    /// [`Error::Unavailable`].
    pub async fn forget_taken(&self, import: &str, records: &[String]) -> Result<()> {
        self.each(|store| store.forget_taken(import, records)).await.map(drop)
    }
}

impl Store {
    /// Takes jobs over, each with the record of the importer's journal it was made from: see `lua/functions/jobs/adopt.lua`.
    async fn adopt(&self, import: &str, jobs: &[Placed<'_>]) -> Result<Vec<Adopted>> {
        let time = |time: Option<Timestamp>| time.map(|t| t.as_millis().to_string()).unwrap_or_default();
        let mut call = self.call(&script::ADOPT);
        call.arg(actor(import)).arg(import);
        for Placed { arrival, is_held_elsewhere } in jobs {
            let Arrival { record, spare, adoptee: Adoptee { id, job, past } } = arrival;
            add_job(&mut call, if *is_held_elsewhere { spare } else { id }, job)?;
            call.arg(record).arg(spare.as_str()).arg(past.state.map_or("", JobState::as_str));
            call.arg(past.attempt).arg(&past.last_error).arg(time(past.failed));
            call.arg(past.result.as_slice()).arg(time(past.created)).arg(id.as_str());
        }
        let replies = self.grow(&call).await?;
        replies
            .map(|item| {
                let mut reply = item.list()?;
                let word = reply.text()?;
                Ok(match word.as_str() {
                    "adopted" => Adopted::New(reply.parse("job id")?),
                    "replaced" => Adopted::Replaced(reply.parse("job id")?),
                    "repeated" => Adopted::Repeated(reply.parse("job id")?),
                    "withdrawn" => Adopted::Withdrawn,
                    "subject_full" => Adopted::SubjectFull,
                    "id_taken" => Adopted::IdTaken,
                    unknown => return Err(super::unknown_word("adopt", unknown)),
                })
            })
            .collect()
    }

    /// Takes jobs out again that nobody has touched: see `lua/functions/jobs/withdraw.lua`.
    async fn withdraw(&self, import: &str, records: &[&str]) -> Result<Vec<Withdrawn>> {
        let mut call = self.call(&script::WITHDRAW);
        call.arg(actor(import)).arg(import).arg(records);
        self.drain(&call).await?.map(|item| withdrawn(item.list()?)).collect()
    }

    /// What that would answer: see `lua/functions/read/withdrawable.lua`.
    async fn withdrawable(&self, import: &str, records: &[&str]) -> Result<Vec<Withdrawn>> {
        let mut call = self.call(&script::WITHDRAWABLE);
        call.arg(import).arg(records);
        self.read(&call).await?.map(|item| withdrawn(item.list()?)).collect()
    }

    /// Which of these records it knows.
    async fn knows(&self, import: &str, records: &[&str]) -> Result<Vec<bool>> {
        let entries: Vec<Option<String>> =
            self.ask(redis::cmd("HMGET").arg(self.keys().import_taken(import)).arg(records)).await?;
        Ok(entries.iter().map(Option::is_some).collect())
    }

    /// Forgets that these records were taken.
    async fn forget_taken(&self, import: &str, records: &[String]) -> Result<()> {
        let (taken, again) = (self.keys().import_taken(import), self.keys().import_again(import));
        if records.is_empty() {
            return Ok(());
        }
        let entries: Vec<Option<String>> = self.ask(redis::cmd("HMGET").arg(&taken).arg(records)).await?;
        let owns: Vec<(&str, &str)> = records
            .iter()
            .zip(&entries)
            .filter_map(|(record, entry)| Some((record.as_str(), own_id(entry.as_deref()?)?)))
            .collect();
        let mut write = redis::pipe();
        if !owns.is_empty() {
            let latest: Vec<Option<String>> = self
                .ask(
                    redis::cmd("HMGET").arg(&again).arg(owns.iter().map(|(_, own)| *own).collect::<Vec<_>>()),
                )
                .await?;
            // A later record of the same item goes on under that id.
            let is_latest = |record: &str, of: &Option<String>| {
                of.as_deref().and_then(|of| of.split_once(' ')).is_some_and(|(_, of)| of == record)
            };
            let over: Vec<&str> = owns
                .iter()
                .zip(&latest)
                .filter(|((record, _), of)| is_latest(record, of))
                .map(|((_, own), _)| *own)
                .collect();
            if !over.is_empty() {
                write.cmd("HDEL").arg(again).arg(over).ignore();
            }
        }
        write.cmd("HDEL").arg(taken).arg(records).ignore();
        self.pipeline(&write).await
    }
}

/// {"withdrawn"}, or why a job stays, its id and state.
fn withdrawn(mut reply: Reply) -> Result<Withdrawn> {
    let word = reply.text()?;
    Ok(match word.as_str() {
        "withdrawn" => Withdrawn::Now,
        "changed" | "active" | "ended" | "gone" => {
            Withdrawn::Stays { word, id: reply.text()?, state: reply.text()? }
        }
        unknown => return Err(super::unknown_word("withdraw", unknown)),
    })
}

/// Who acts, for the history of a job.
fn actor(import: &str) -> String {
    format!("import:{import}")
}

/// The own id of a record's item, of which the engine has a job under another: the last word of what became of the record,
/// see `lua/functions/jobs/adopt.lua`.
fn own_id(entry: &str) -> Option<&str> {
    let words: Vec<&str> = entry.split(' ').collect();
    match words.as_slice() {
        ["", own] | [_, _, _, _, own] => Some(own),
        _ => None,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_became_of_a_record_says_the_own_id_of_a_job_under_another() {
        assert_eq!(own_id("spare 3 1700000000000  own"), Some("own"));
        assert_eq!(own_id("spare 3 1700000000000 replaced own"), Some("own"));
        assert_eq!(own_id(" own"), Some("own"));
        for under_its_own in ["own 3 1700000000000 ", "own 3 1700000000000 replaced", ""] {
            assert_eq!(own_id(under_its_own), None);
        }
    }
}
