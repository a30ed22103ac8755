//! Sessions of people, and how often somebody may try to begin one.

use super::people::read_kept;
use super::{KeptPerson, Store, script};
use crate::error::{Error, Result};
use crate::model::{PersonName, SessionInfo, Timestamp};
use std::collections::BTreeMap;
use std::time::Duration;

/// How many digits of its hash a session is called by: enough to tell a person's own apart, too few to be looked up.
pub const CALLED_BY: usize = 12;

/// One session and whose it is.
#[derive(Debug, Clone)]
pub struct KeptSession {
    pub now: Timestamp,
    pub name: PersonName,
    pub created: Timestamp,
    pub seen: Timestamp,
    pub proved: Timestamp,
    pub person: KeptPerson,
}

/// Whether a proof may be looked at.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Guess {
    /// It may.
    Go,
    /// It may, and if it is wrong the next one has to wait.
    Last,
    /// Not before so long.
    Wait(Duration),
}

impl Store {
    /// Signs somebody in: see `lua/functions/people/open_session.lua`. `false` when they are not what was checked any more. `used` are
    /// fields of [`KeptPerson`] that the proof changes; an empty text forgets one.
    ///
    /// # Errors
    /// [`Error::Unavailable`].
    pub async fn open_session(
        &self,
        (name, revision, used): (&PersonName, &str, &BTreeMap<&'static str, String>),
        (hash, replaced): (&str, &str),
        (address, agent): (&str, &str),
        lasts: Duration,
        (proved, why): (Option<Timestamp>, &str),
    ) -> Result<bool> {
        let patch = if used.is_empty() {
            String::new()
        } else {
            serde_json::to_string(used).map_err(|why| Error::codec(why.to_string()))?
        };
        let mut call = self.call(&script::OPEN_SESSION);
        call.arg(name.as_str()).arg(revision).arg(hash).arg(replaced).arg(address).arg(agent);
        call.arg(lasts.as_millis().to_string());
        call.arg(proved.map(|proved| proved.as_millis().to_string()).unwrap_or_default()).arg(why);
        call.arg(patch);
        match self.drain(&call).await?.text()?.as_str() {
            "opened" => Ok(true),
            "changed" => Ok(false),
            unknown => Err(super::unknown_word("open_session", unknown)),
        }
    }

    /// Whose session it is: see `lua/functions/people/session.lua`.
    ///
    /// # Errors
    /// [`Error::Unavailable`]; [`Error::Codec`] when it does not read.
    pub async fn session(&self, hash: &str) -> Result<Option<KeptSession>> {
        let mut call = self.call(&script::SESSION);
        call.arg(hash);
        let mut reply = self.read(&call).await?;
        let now = reply.time("now")?;
        let Some(name) = reply.optional_text()? else { return Ok(None) };
        let name: PersonName = name.parse().map_err(|_| Error::codec("a session of nobody"))?;
        let (created, seen, proved) = (reply.time("begin")?, reply.time("use")?, reply.time("proof")?);
        let person = read_kept(&name, &reply.text()?)?;
        Ok(Some(KeptSession { now, name, created, seen, proved, person }))
    }

    /// Notes that a session was used just now, or its person proved who they are: see `lua/functions/people/touch_session.lua`.
    ///
    /// # Errors
    /// [`Error::Unavailable`].
    pub async fn touch_session(&self, hash: &str, proved: bool) -> Result<()> {
        let mut call = self.call(&script::TOUCH_SESSION);
        call.arg(hash).arg(if proved { "proved_ms" } else { "seen_ms" });
        self.drain(&call).await.map(drop)
    }

    /// Ends sessions of somebody: see `lua/functions/people/end_sessions.lua`. How many.
    ///
    /// # Errors
    /// [`Error::Unavailable`].
    pub async fn end_sessions(
        &self,
        name: &PersonName,
        (begins, keep): (&str, &str),
        actor: &str,
        why: &str,
    ) -> Result<u32> {
        let mut call = self.call(&script::END_SESSIONS);
        call.arg(name.as_str()).arg(begins).arg(keep).arg(actor).arg(why);
        self.drain(&call).await?.parse("number of sessions")
    }

    /// Where somebody is signed in, the latest use first: see `lua/functions/people/sessions.lua`.
    ///
    /// # Errors
    /// [`Error::Unavailable`].
    pub async fn sessions(&self, name: &PersonName) -> Result<(Timestamp, Vec<SessionInfo>)> {
        let mut call = self.call(&script::SESSIONS);
        call.arg(name.as_str());
        let mut reply = self.read(&call).await?;
        let now = reply.time("now")?;
        let mut sessions = Vec::new();
        while let Some(hash) = reply.next() {
            let id: String = hash.text()?.chars().take(CALLED_BY).collect();
            let (created, seen) = (reply.time("begin")?, reply.time("use")?);
            sessions.push(SessionInfo { id, created, seen, address: reply.text()?, agent: reply.text()? });
        }
        sessions.sort_by_key(|session| std::cmp::Reverse(session.seen));
        Ok((now, sessions))
    }

    /// Whether a proof may be looked at: see `lua/functions/people/guess.lua`.
    ///
    /// # Errors
    /// [`Error::Unavailable`].
    pub async fn guess(&self, device: &str, name: &str, counters: &[(String, u32)]) -> Result<Guess> {
        let mut call = self.call(&script::GUESS);
        call.arg(device).arg(name);
        for (what, free) in counters {
            call.arg(what).arg(free);
        }
        let mut reply = self.drain(&call).await?;
        Ok(match reply.text()?.as_str() {
            "wait" => Guess::Wait(Duration::from_millis(reply.parse("wait")?)),
            "last" => Guess::Last,
            "go" => Guess::Go,
            unknown => return Err(super::unknown_word("guess", unknown)),
        })
    }

    /// Takes back what [`guess`](Self::guess) counted with these, `came` being the device it was given, and knows `device`
    /// from now on: see `lua/functions/people/guessed.lua`.
    ///
    /// # Errors
    /// [`Error::Unavailable`].
    pub async fn guessed_well(
        &self,
        device: &str,
        name: &str,
        (came, counters): (&str, &[(String, u32)]),
    ) -> Result<()> {
        self.guessed("right", name, came, device, counters).await
    }

    /// Takes back what [`guess`](Self::guess) counted with these, of a proof that was not looked at: see
    /// `lua/functions/people/guessed.lua`.
    ///
    /// # Errors
    /// [`Error::Unavailable`].
    pub async fn unguess(&self, device: &str, name: &str, counters: &[(String, u32)]) -> Result<()> {
        self.guessed("unseen", name, device, "", counters).await
    }

    async fn guessed(
        &self,
        how: &str,
        name: &str,
        came: &str,
        device: &str,
        counters: &[(String, u32)],
    ) -> Result<()> {
        let mut call = self.call(&script::GUESSED);
        call.arg(how).arg(name).arg(came).arg(device);
        for (what, _) in counters {
            call.arg(what);
        }
        self.drain(&call).await.map(drop)
    }
}
