//! Adding people, changing them and looking through all of them.

use super::people::read_kept;
use super::{KeptPerson, Store, script};
use crate::error::{Error, Result};
use crate::model::{PersonInfo, PersonName};
use redis::Cmd;
use std::collections::{BTreeMap, HashMap};

/// Whom a change is about.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Mode {
    /// Somebody new.
    Add,
    /// Somebody new where there is nobody yet.
    First,
    /// Somebody who is there.
    Change,
}

/// What is to be kept of somebody from now on.
#[derive(Debug, Clone)]
pub struct PersonChange<'a> {
    pub name: &'a PersonName,
    pub mode: Mode,
    /// Fields of [`KeptPerson`]; an empty text forgets one.
    pub fields: BTreeMap<&'static str, String>,
    /// The revision this was made of; `None` for any.
    pub revision: Option<String>,
    /// `None` ends no session; an empty text all of them, another all but the one with this hash.
    pub ends_but: Option<String>,
    pub actor: &'a str,
    pub verb: &'static str,
    pub why: &'a str,
    pub before: String,
    pub after: String,
}

words! {
    /// What became of it.
    pub enum PutAs or "one of " {
        Saved = "saved" | "removed",
        Exists = "exists",
        Missing = "missing",
        Changed = "changed",
        Full = "full",
        LastAdmin = "last_admin",
    }
}

impl Store {
    /// Adds somebody or changes what is kept of them: see `lua/functions/people/put_person.lua`.
    ///
    /// # Errors
    /// [`Error::StorageFull`] and [`Error::Unavailable`].
    pub async fn put_person(&self, change: &PersonChange<'_>) -> Result<PutAs> {
        let patch = serde_json::to_string(&change.fields).map_err(|why| Error::codec(why.to_string()))?;
        let ends = match change.ends_but.as_deref() {
            None => "none",
            Some("") => "all",
            Some(hash) => hash,
        };
        let mut call = self.call(&script::PUT_PERSON);
        call.arg(change.name.as_str());
        call.arg(match change.mode {
            Mode::Add => "add",
            Mode::First => "first",
            Mode::Change => "change",
        });
        call.arg(patch).arg(change.revision.as_deref().unwrap_or_default()).arg(ends);
        call.arg(change.actor).arg(change.verb).arg(change.why).arg(&change.before).arg(&change.after);
        super::word(&self.grow(&call).await?.text()?)
    }

    /// Forgets somebody: see `lua/functions/people/remove_person.lua`.
    ///
    /// # Errors
    /// [`Error::Unavailable`].
    pub async fn remove_person(&self, name: &PersonName, actor: &str, why: &str) -> Result<PutAs> {
        let mut call = self.call(&script::REMOVE_PERSON);
        call.arg(name.as_str()).arg(actor).arg(why);
        super::word(&self.drain(&call).await?.text()?)
    }

    /// Whom a provider knows under what this is the hash of. Bounded by the number of people there may be.
    ///
    /// # Errors
    /// [`Error::Unavailable`]; [`Error::Codec`] when somebody does not read.
    pub async fn person_federated(&self, hash: &str) -> Result<Option<(PersonName, KeptPerson)>> {
        for person in self.kept_people().await? {
            let (name, kept) = person?;
            if kept.federated == hash {
                return Ok(Some((name, kept)));
            }
        }
        Ok(None)
    }

    /// Everybody by name.
    ///
    /// # Errors
    /// [`Error::Unavailable`]; [`Error::Codec`] when one does not read.
    pub async fn people(&self) -> Result<Vec<PersonInfo>> {
        let info = |person: Result<(PersonName, KeptPerson)>| person.and_then(|(name, kept)| kept.info(name));
        let mut people: Vec<PersonInfo> = self.kept_people().await?.map(info).collect::<Result<_>>()?;
        people.sort_by(|a, b| a.name.cmp(&b.name));
        Ok(people)
    }

    /// Everybody as they are kept, in no order, each read when its turn comes.
    async fn kept_people(&self) -> Result<impl Iterator<Item = Result<(PersonName, KeptPerson)>>> {
        let kept: HashMap<String, String> = self.ask(&Cmd::hgetall(self.keys().people())).await?;
        Ok(kept.into_iter().filter_map(|(name, text)| {
            let name = name.parse::<PersonName>().ok()?;
            Some(read_kept(&name, &text).map(|kept| (name, kept)))
        }))
    }
}
