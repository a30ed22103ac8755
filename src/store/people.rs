//! The people who may sign in: what is kept of each.

use super::{Store, script};
use crate::error::{Error, Result};
use crate::model::{PersonInfo, PersonName, QueueName, Role, Timestamp};
use redis::Pipeline;
use serde::{Deserialize, Serialize};
use std::collections::{BTreeMap, HashMap};

/// What is kept of somebody, as JSON. Every value is a text, as a script's JSON has no empty lists and no large numbers.
#[derive(Debug, Clone, Default, Serialize, Deserialize)]
pub(crate) struct KeptPerson {
    /// What they are.
    #[serde(default)]
    pub(crate) role: String,
    /// In which queues, with spaces between them; empty for all.
    #[serde(default)]
    pub(crate) queues: String,
    /// "1" for somebody who may not sign in.
    #[serde(default)]
    pub(crate) disabled: String,
    /// The hash of their password in PHC form; empty before they chose one.
    #[serde(default)]
    pub(crate) password: String,
    /// The hash of what a provider knows them as; empty for somebody with a password of their own.
    #[serde(default)]
    pub(crate) vouched: String,
    /// The secret of their second factor in hexadecimal digits; empty for none.
    #[serde(default)]
    pub(crate) totp: String,
    /// The same before they have shown that they have it.
    #[serde(default)]
    pub(crate) totp_pending: String,
    /// The step of time whose code was used last: none is good twice.
    #[serde(default)]
    pub(crate) totp_step: String,
    /// Hashes of codes for when the second factor is lost, with spaces between them.
    #[serde(default)]
    pub(crate) recovery: String,
    /// The hash of the secret in their invitation; empty for none.
    #[serde(default)]
    pub(crate) invited: String,
    /// Until when that is good, in ms.
    #[serde(default)]
    pub(crate) invited_until_ms: String,
    /// The tag of the language they chose; empty for none.
    #[serde(default)]
    pub(crate) language: String,
    /// Grows with each change.
    #[serde(default)]
    pub(crate) revision: String,
    #[serde(default)]
    created_ms: String,
    #[serde(default)]
    by: String,
}

impl KeptPerson {
    fn read(name: &PersonName, text: &str) -> Result<Self> {
        serde_json::from_str(text).map_err(|_| Error::codec(format!("what is kept of {name} does not read")))
    }

    /// What screens may know.
    pub(crate) fn info(&self, name: PersonName) -> Result<PersonInfo> {
        // A role or a list that does not read must not become one with more rights.
        let role: Role =
            self.role.parse().map_err(|_| Error::codec(format!("the role of {name} does not read")))?;
        let queues: Result<Vec<QueueName>, _> = self.queues.split_whitespace().map(str::parse).collect();
        let queues = queues.map_err(|_| Error::codec(format!("the queues of {name} do not read")))?;
        let created = self.created_ms.parse().unwrap_or(0);
        let mut info = PersonInfo::new(name, role, Timestamp::saturating_from_millis(created));
        info.queues = queues;
        info.disabled = self.disabled == "1";
        info.has_password = !self.password.is_empty();
        info.vouched = !self.vouched.is_empty();
        info.has_second_factor = !self.totp.is_empty();
        info.recovery_codes = u8::try_from(self.recovery.split_whitespace().count()).unwrap_or(u8::MAX);
        info.language.clone_from(&self.language);
        info.by.clone_from(&self.by);
        Ok(info)
    }
}

/// Whom a change is about.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Mode {
    /// Somebody new.
    Add,
    /// Somebody new where there is nobody yet.
    First,
    /// Somebody who is there.
    Change,
}

/// What is to be kept of somebody from now on.
#[derive(Debug, Clone)]
pub(crate) struct PersonChange<'a> {
    pub(crate) name: &'a PersonName,
    pub(crate) mode: Mode,
    /// Fields of [`KeptPerson`]; an empty text forgets one.
    pub(crate) fields: BTreeMap<&'static str, String>,
    /// The revision this was made of; `None` for any.
    pub(crate) revision: Option<String>,
    /// `None` ends no session; an empty text all of them, another all but the one with this hash.
    pub(crate) ends_but: Option<String>,
    pub(crate) actor: &'a str,
    pub(crate) verb: &'static str,
    pub(crate) why: &'a str,
    pub(crate) before: String,
    pub(crate) after: String,
}

/// What became of it.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum PutAs {
    Saved,
    Exists,
    Missing,
    Changed,
    Full,
    LastAdmin,
}

impl Store {
    /// Adds somebody or changes what is kept of them: see `lua/put_person.lua`.
    ///
    /// # Errors
    /// [`Error::StorageFull`] and [`Error::Unavailable`].
    pub(crate) async fn put_person(&self, change: &PersonChange<'_>) -> Result<PutAs> {
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
        super::word(&self.grow(&call).await?.text()?, |word| match word {
            "saved" => Some(PutAs::Saved),
            "exists" => Some(PutAs::Exists),
            "missing" => Some(PutAs::Missing),
            "changed" => Some(PutAs::Changed),
            "full" => Some(PutAs::Full),
            "last_admin" => Some(PutAs::LastAdmin),
            _ => None,
        })
    }

    /// Forgets somebody: see `lua/remove_person.lua`.
    ///
    /// # Errors
    /// [`Error::Unavailable`].
    pub(crate) async fn remove_person(&self, name: &PersonName, actor: &str, why: &str) -> Result<PutAs> {
        let mut call = self.call(&script::REMOVE_PERSON);
        call.arg(name.as_str()).arg(actor).arg(why);
        super::word(&self.drain(&call).await?.text()?, |word| match word {
            "removed" => Some(PutAs::Saved),
            "missing" => Some(PutAs::Missing),
            "last_admin" => Some(PutAs::LastAdmin),
            _ => None,
        })
    }

    /// What is kept of somebody, and the time: see `lua/person.lua`.
    ///
    /// # Errors
    /// [`Error::Unavailable`]; [`Error::Codec`] when it does not read.
    pub(crate) async fn person(&self, name: &PersonName) -> Result<(Timestamp, Option<KeptPerson>, u32)> {
        let mut call = self.call(&script::PERSON);
        call.arg(name.as_str());
        let mut reply = self.read(&call).await?;
        let now = reply.time("now")?;
        let kept = reply.optional_text()?.map(|text| KeptPerson::read(name, &text)).transpose()?;
        Ok((now, kept, reply.parse("number of people")?))
    }

    /// Whom a provider knows under what this is the hash of. Bounded by the number of people there may be.
    ///
    /// # Errors
    /// [`Error::Unavailable`]; [`Error::Codec`] when somebody does not read.
    pub(crate) async fn person_vouched(&self, hash: &str) -> Result<Option<(PersonName, KeptPerson)>> {
        for person in self.kept_people().await? {
            let (name, kept) = person?;
            if kept.vouched == hash {
                return Ok(Some((name, kept)));
            }
        }
        Ok(None)
    }

    /// Everybody by name.
    ///
    /// # Errors
    /// [`Error::Unavailable`]; [`Error::Codec`] when one does not read.
    pub(crate) async fn people(&self) -> Result<Vec<PersonInfo>> {
        let info = |person: Result<(PersonName, KeptPerson)>| person.and_then(|(name, kept)| kept.info(name));
        let mut people: Vec<PersonInfo> = self.kept_people().await?.map(info).collect::<Result<_>>()?;
        people.sort_by(|a, b| a.name.cmp(&b.name));
        Ok(people)
    }

    /// Everybody as they are kept, in no order, each read when its turn comes.
    async fn kept_people(&self) -> Result<impl Iterator<Item = Result<(PersonName, KeptPerson)>>> {
        let mut reads = Pipeline::new();
        reads.hgetall(self.keys().people());
        let (kept,): (HashMap<String, String>,) = self.pipeline(&reads).await?;
        Ok(kept.into_iter().filter_map(|(name, text)| {
            let name = name.parse::<PersonName>().ok()?;
            Some(KeptPerson::read(&name, &text).map(|kept| (name, kept)))
        }))
    }
}

/// What a script keeps of somebody.
pub(super) fn read_kept(name: &PersonName, text: &str) -> Result<KeptPerson> {
    KeptPerson::read(name, text)
}
