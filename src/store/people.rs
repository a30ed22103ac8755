//! The people who may sign in: what is kept of each.

use super::{Store, script};
use crate::error::{Error, Result};
use crate::model::{PersonInfo, PersonName, QueueName, Role, Timestamp};
use serde::{Deserialize, Serialize};

/// What is kept of somebody, as JSON. Every value is a text, as a script's JSON has no empty lists and no large numbers.
#[derive(Debug, Clone, Default, Serialize, Deserialize)]
pub struct KeptPerson {
    /// What they are.
    #[serde(default)]
    pub role: String,
    /// In which queues, with spaces between them; empty for all.
    #[serde(default)]
    pub queues: String,
    /// "1" for somebody who may not sign in.
    #[serde(default)]
    pub disabled: String,
    /// The hash of their password in PHC form; empty before they chose one.
    #[serde(default)]
    pub password: String,
    /// The hash of what a provider knows them as; empty for somebody with a password of their own.
    #[serde(default)]
    pub federated: String,
    /// The secret of their second factor in hexadecimal digits; empty for none.
    #[serde(default)]
    pub totp: String,
    /// The same before they have shown that they have it.
    #[serde(default)]
    pub totp_pending: String,
    /// The step of time whose code was used last: none is good twice.
    #[serde(default)]
    pub totp_step: String,
    /// Hashes of codes for when the second factor is lost, with spaces between them.
    #[serde(default)]
    pub recovery: String,
    /// The hash of the secret in their invitation; empty for none.
    #[serde(default)]
    pub invited: String,
    /// Until when that is good, in ms.
    #[serde(default)]
    pub invited_until_ms: String,
    /// The tag of the language they chose; empty for none.
    #[serde(default)]
    pub language: String,
    /// Grows with each change.
    #[serde(default)]
    pub revision: String,
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
    pub fn info(&self, name: PersonName) -> Result<PersonInfo> {
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
        info.federated = !self.federated.is_empty();
        info.has_second_factor = !self.totp.is_empty();
        info.recovery_codes = u8::try_from(self.recovery.split_whitespace().count()).unwrap_or(u8::MAX);
        info.language.clone_from(&self.language);
        info.by.clone_from(&self.by);
        Ok(info)
    }
}

impl Store {
    /// What is kept of somebody, and the time: see `lua/functions/people/person.lua`.
    ///
    /// # Errors
    /// [`Error::Unavailable`]; [`Error::Codec`] when it does not read.
    pub async fn person(&self, name: &PersonName) -> Result<(Timestamp, Option<KeptPerson>, u32)> {
        let mut call = self.call(&script::PERSON);
        call.arg(name.as_str());
        let mut reply = self.read(&call).await?;
        let now = reply.time("now")?;
        let kept = reply.optional_text()?.map(|text| KeptPerson::read(name, &text)).transpose()?;
        Ok((now, kept, reply.parse("number of people")?))
    }
}

/// What a script keeps of somebody.
pub(super) fn read_kept(name: &PersonName, text: &str) -> Result<KeptPerson> {
    KeptPerson::read(name, text)
}
