//! Signing in people for whom somebody else vouches: a provider that has seen their proof and says what they may do.
//!
//! They are known by what the provider calls them, which it never gives to anybody else, and not by their name, which
//! they may be able to choose there. So nobody becomes a person with a password here, or another person of the provider,
//! by taking their name.

use super::sign_in::{UNCOUNTED, UNUSED};
use super::{CHANGED, Opened, People, SignIn, Visitor, change, is_program, rights_of, said, words_of};
use reprieve::Result;
use reprieve::internals::{Mode, PutAs, invalid, secret};
use reprieve::model::{PersonName, QueueName, Role, Timestamp};
use std::collections::BTreeMap;

/// Who adds and changes them, in the audit.
const BY: &str = "provider";
/// How often it is looked again when somebody else changes the same person: adding and changing take one each.
const ROUNDS_MAX: u32 = 5;

/// Somebody for whom a provider vouches.
#[derive(Debug, Clone, Copy)]
pub struct FederatedLogin<'a> {
    /// Which provider, and what it calls them.
    pub subject: &'a str,
    /// Under which name they are added when they come for the first time.
    pub name: &'a PersonName,
    /// What they are.
    pub role: Role,
    /// In which queues; empty for all.
    pub queues: &'a [QueueName],
    /// What makes them that, for the audit.
    pub why: &'a str,
    /// When they proved to the provider who they are; `None` if it does not say.
    pub proved: Option<Timestamp>,
}

/// What became of it.
#[derive(Debug, Clone, PartialEq, Eq)]
#[non_exhaustive]
pub enum Admission {
    /// They are in.
    In(Opened),
    /// Somebody else has their name here, or a program.
    Taken,
    /// They are kept out here, whatever the provider says.
    Disabled,
    /// They are new, and there are 500 people already.
    Full,
}

impl People {
    /// Begins a session of somebody for whom a provider vouches. They are added when they are new; when they are
    /// something else than before, that is changed and their other sessions end.
    ///
    /// # Errors
    /// [`Error::Unavailable`](reprieve::Error::Unavailable);
    /// [`Error::Invalid`](reprieve::Error::Invalid) when they are changed by somebody else all the time.
    pub async fn admit(&self, federated: &FederatedLogin<'_>, visitor: &Visitor<'_>) -> Result<Admission> {
        let hash = secret::hash(federated.subject);
        for _ in 0..ROUNDS_MAX {
            let Some((name, kept)) = self.store.person_federated(&hash).await? else {
                if is_program(federated.name) {
                    return Ok(Admission::Taken);
                }
                match self.add_federated(federated, &hash).await? {
                    PutAs::Exists if self.store.person_federated(&hash).await?.is_none() => {
                        return Ok(Admission::Taken);
                    }
                    PutAs::Full => return Ok(Admission::Full),
                    _ => continue,
                }
            };
            if kept.disabled == "1" {
                return Ok(Admission::Disabled);
            }
            let before = kept.info(name.clone())?;
            if (before.role, before.queues.as_slice()) != (federated.role, federated.queues) {
                let fields = BTreeMap::from([
                    ("role", federated.role.to_string()),
                    ("queues", words_of(federated.queues)),
                ]);
                let mut change = change(&name, Mode::Change, fields, BY, "set_role");
                change.revision = Some(kept.revision.clone());
                change.ends_but = Some(String::new());
                change.why = federated.why;
                change.before = rights_of(before.role, &before.queues);
                change.after = rights_of(federated.role, federated.queues);
                match self.store.put_person(&change).await? {
                    PutAs::Saved | PutAs::Changed | PutAs::Missing => continue,
                    other => said(other)?,
                }
            }
            let proved = federated.proved.unwrap_or(Timestamp::EPOCH);
            if let SignIn::In(opened) =
                self.open(name, (&kept.revision, UNUSED), visitor, UNCOUNTED, (Some(proved), BY)).await?
            {
                return Ok(Admission::In(opened));
            }
        }
        Err(invalid("name", CHANGED))
    }

    async fn add_federated(&self, federated: &FederatedLogin<'_>, hash: &str) -> Result<PutAs> {
        let fields = BTreeMap::from([
            ("role", federated.role.to_string()),
            ("queues", words_of(federated.queues)),
            ("federated", hash.to_owned()),
        ]);
        let mut change = change(federated.name, Mode::Add, fields, BY, "add_person");
        change.why = federated.why;
        change.after = rights_of(federated.role, federated.queues);
        self.store.put_person(&change).await
    }

    /// Ends the sessions of somebody for whom the provider vouches no more. Who that is; `None` for nobody we know.
    ///
    /// # Errors
    /// [`Error::Unavailable`](reprieve::Error::Unavailable).
    pub async fn turn_away(&self, subject: &str, why: &str) -> Result<Option<PersonName>> {
        let Some((name, _)) = self.store.person_federated(&secret::hash(subject)).await? else {
            return Ok(None);
        };
        self.store.end_sessions(&name, ("", ""), BY, why).await?;
        Ok(Some(name))
    }
}
