//! Signing in: a proof becomes a session, if nobody tried too often.

use super::{People, password, second_factor};
use reprieve::Actor;
use reprieve::Result;
use reprieve::internals::secret;
use reprieve::internals::{Guess, KeptPerson};
use reprieve::model::{Delay, PersonName, QueueName, Role, Timestamp};
use std::collections::BTreeMap;
use std::net::{IpAddr, Ipv6Addr};
use std::time::Duration;

/// How long a session lasts without use.
pub const SESSION_IDLE_MAX: Duration = Duration::from_secs(30 * 60);
/// How long a session lasts with all use: a working day.
pub const SESSION_LASTS_MAX: Duration = Duration::from_secs(8 * 60 * 60);
/// How exactly the last use is known, in ms: a write for each request would be dear.
const SEEN_EVERY_MS: i64 = 60_000;
/// Random bytes of a session id, and of what makes a device known.
const ID_BYTES: usize = 32;
/// Longest name and longest description of a browser that is kept, in bytes.
const AGENT_BYTES_MAX: usize = 160;
/// Failures that are for nothing: of one name, and of one address, behind which there may be an office.
const FREE_OF_NAME: u32 = 5;
const FREE_OF_ADDRESS: u32 = 20;

/// Who fails to sign in, in the audit.
const NOBODY_YET: &str = "nobody";

/// A proof of their own, made now.
pub(super) const OWN: (Option<Timestamp>, &str) = (None, "");

/// With which device, if any, and by which counters a proof was counted as failed before it was looked at.
pub(super) type Counted<'a> = (&'a str, &'a [(String, u32)]);
/// It was counted nowhere.
pub(super) const UNCOUNTED: Counted<'_> = ("", &[]);

/// Fields of what is kept of somebody that their proof changes: a code is good once.
pub(super) type Used = BTreeMap<&'static str, String>;
/// It changes nothing.
pub(super) const UNUSED: &Used = &Used::new();

/// What somebody shows to prove who they are.
#[derive(Debug, Clone, Copy)]
pub struct Proof<'a> {
    /// Who they say they are.
    pub name: &'a str,
    /// Their password.
    pub password: &'a str,
    /// A code of their second factor, or one for when that is lost; empty for none.
    pub code: &'a str,
}

/// Where somebody comes from.
#[derive(Debug, Clone, Copy, Default)]
pub struct Visitor<'a> {
    /// The address, if it is known.
    pub address: Option<IpAddr>,
    /// What the browser says it is.
    pub agent: &'a str,
    /// The session the browser has, which ends with this one's beginning; empty for none.
    pub session: &'a str,
    /// What makes the browser known; empty for nothing.
    pub device: &'a str,
}

/// What became of a proof.
#[derive(Debug, Clone, PartialEq, Eq)]
#[non_exhaustive]
pub enum SignIn {
    /// They are in.
    In(Opened),
    /// Name, password or code is wrong; which one is not said.
    Wrong,
    /// It was tried too often: not looked at.
    Wait(Duration),
    /// Too many are signing in at once: not looked at.
    Busy,
}

/// A session that has just begun.
#[derive(Debug, Clone, PartialEq, Eq)]
#[non_exhaustive]
pub struct Opened {
    /// What opens it; only its hash is kept.
    pub session: String,
    /// What makes this browser known from now on.
    pub device: String,
    /// Whose it is.
    pub name: PersonName,
}

/// Who somebody with a session is.
#[derive(Debug, Clone, PartialEq, Eq)]
#[non_exhaustive]
pub struct Signed {
    /// Their name.
    pub name: PersonName,
    /// What they are now.
    pub role: Role,
    /// In which queues; empty for all.
    pub queues: Vec<QueueName>,
    /// The tag of the language they chose for the screens; empty for none.
    pub language: String,
    /// When they last proved who they are.
    pub proved: Timestamp,
    /// When their session ends whatever they do.
    pub ends: Timestamp,
    /// Redis's time.
    pub now: Timestamp,
}

/// Whether a session may still be used.
pub(super) fn is_live(now: Timestamp, created: Timestamp, seen: Timestamp) -> bool {
    let within = |since: Timestamp, most: Duration| {
        i64::try_from(most.as_millis()).is_ok_and(|most| now.millis_since(since) < most)
    };
    within(created, SESSION_LASTS_MAX) && within(seen, SESSION_IDLE_MAX)
}

impl People {
    /// Looks at a proof and begins a session under a new id.
    ///
    /// # Errors
    /// [`Error::Unavailable`](reprieve::Error::Unavailable): nobody gets in then.
    pub async fn sign_in(&self, proof: &Proof<'_>, visitor: &Visitor<'_>) -> Result<SignIn> {
        let counters = counters(proof.name, visitor.address);
        let (device, name) = (hash_of(visitor.device), proof.name.to_lowercase());
        let guess = self.store.guess(&device, &name, &counters).await?;
        if let Guess::Wait(wait) = guess {
            return Ok(SignIn::Wait(wait));
        }
        let looked = self.look_at(proof, visitor, (&device, &counters)).await;
        if matches!(looked, Ok(SignIn::Busy) | Err(_)) {
            self.unguess(&device, &name, &counters).await;
        }
        if guess == Guess::Last && matches!(looked, Ok(SignIn::Wrong)) {
            self.note_wait(&name, visitor).await;
        }
        looked
    }

    /// Writes into the audit that the next proof of that name, or from there, has to wait. It does so for a name that
    /// nobody has as well: how long it takes tells nothing.
    async fn note_wait(&self, name: &str, visitor: &Visitor<'_>) {
        let by = actor_at(NOBODY_YET, visitor.address);
        let name = name.parse().map(|name: PersonName| name.to_string()).unwrap_or_default();
        self.called_by(&by).note_denied(&by.name, "sign_in", &name, "too often").await;
    }

    /// Takes back that a proof was counted as failed of which nothing was said.
    pub(super) async fn unguess(&self, device: &str, name: &str, counters: &[(String, u32)]) {
        if let Err(error) = self.store.unguess(device, name, counters).await {
            tracing::debug!(%error, "a proof that was not looked at stays counted: {error}");
        }
    }

    /// Looks at a proof that is allowed by now.
    async fn look_at(
        &self,
        proof: &Proof<'_>,
        visitor: &Visitor<'_>,
        counted: Counted<'_>,
    ) -> Result<SignIn> {
        let Ok(name) = proof.name.to_lowercase().parse::<PersonName>() else {
            // As long as for somebody.
            return Ok(match self.verify(proof.password, None).await {
                Ok(_) => SignIn::Wrong,
                Err(password::Busy) => SignIn::Busy,
            });
        };
        let (now, kept, _) = self.store.person(&name).await?;
        let hash = kept.as_ref().map(|kept| kept.password.as_str()).filter(|hash| !hash.is_empty());
        let right = match self.verify(proof.password, hash).await {
            Ok(right) => right,
            Err(password::Busy) => return Ok(SignIn::Busy),
        };
        let Some(kept) = kept.filter(|kept| right && kept.disabled != "1") else { return Ok(SignIn::Wrong) };
        let Some(used) = used(&kept, proof, now).await? else { return Ok(SignIn::Wrong) };
        // A code that is used elsewhere at the same time is no proof: the person has another revision then.
        self.open(name, (&kept.revision, &used), visitor, counted, OWN).await
    }

    /// The same, whose entries in the audit say where that person's request came from.
    pub(super) fn seen_from(&self, name: &PersonName, visitor: &Visitor<'_>) -> Self {
        self.called_by(&actor_at(name.as_str(), visitor.address))
    }

    /// Begins the session of somebody whose proof was good, as of that revision of theirs, and keeps in the same step what
    /// of them is used up. `proof` says when that was, if not now, and who vouches.
    pub(super) async fn open(
        &self,
        name: PersonName,
        (revision, used): (&str, &Used),
        visitor: &Visitor<'_>,
        counted: Counted<'_>,
        proof: (Option<Timestamp>, &str),
    ) -> Result<SignIn> {
        let (session, device) = (secret::random::<ID_BYTES>()?, secret::random::<ID_BYTES>()?);
        let address = visitor.address.map(|address| address.to_string()).unwrap_or_default();
        let agent = shortened(visitor.agent);
        let hashes = (secret::hash(&session), hash_of(visitor.session));
        let opened = self
            .seen_from(&name, visitor)
            .store
            .open_session(
                (&name, revision, used),
                (&hashes.0, &hashes.1),
                (&address, &agent),
                SESSION_LASTS_MAX,
                proof,
            )
            .await?;
        if !opened {
            return Ok(SignIn::Wrong);
        }
        self.store.guessed_well(&secret::hash(&device), name.as_str(), counted).await?;
        Ok(SignIn::In(Opened { session, device, name }))
    }

    /// Who has this session; `None` when it is none, or over. `uses` says that it is a person who does something, not a
    /// page that listens.
    ///
    /// # Errors
    /// [`Error::Unavailable`](reprieve::Error::Unavailable): nothing is known then.
    pub async fn session(&self, id: &str, uses: bool) -> Result<Option<Signed>> {
        if id.len() != ID_BYTES * 2 || !id.bytes().all(|byte| byte.is_ascii_hexdigit()) {
            return Ok(None);
        }
        let hash = secret::hash(id);
        let Some(kept) = self.store.session(&hash).await? else { return Ok(None) };
        let info = kept.person.info(kept.name.clone())?;
        if info.disabled || !is_live(kept.now, kept.created, kept.seen) {
            return Ok(None);
        }
        if uses && kept.now.millis_since(kept.seen) >= SEEN_EVERY_MS {
            // A Redis that takes no writes keeps nobody from looking.
            if let Err(error) = self.store.touch_session(&hash, false).await {
                tracing::debug!(%error, "the use of a session was not written down: {error}");
            }
        }
        Ok(Some(Signed {
            name: kept.name,
            role: info.role,
            queues: info.queues,
            language: info.language,
            proved: kept.proved,
            ends: kept.created + Delay::from(SESSION_LASTS_MAX),
            now: kept.now,
        }))
    }

    /// Ends the session with this id.
    ///
    /// # Errors
    /// [`Error::Unavailable`](reprieve::Error::Unavailable).
    pub async fn sign_out(&self, id: &str) -> Result<()> {
        let hash = secret::hash(id);
        if let Some(kept) = self.store.session(&hash).await? {
            self.store.end_sessions(&kept.name, (&hash, ""), kept.name.as_str(), "sign out").await?;
        }
        Ok(())
    }
}

/// What a proof changes of whose it is; `None` if its second factor is wrong. None of it is longer than a hash.
async fn used(kept: &KeptPerson, proof: &Proof<'_>, now: Timestamp) -> Result<Option<Used>> {
    let mut used = Used::new();
    if !kept.totp.is_empty() {
        if let Some(step) = second_factor::step_of(&kept.totp, proof.code, now, &kept.totp_step)? {
            used.insert("totp_step", step.to_string());
        } else if let Some(left) = second_factor::without_recovery_code(&kept.recovery, proof.code) {
            used.insert("recovery", left);
        } else {
            return Ok(None);
        }
    }
    if password::is_of_old_terms(&kept.password)
        && let Ok(hash) = password::hash(proof.password).await
    {
        used.insert("password", hash);
    }
    Ok(Some(used))
}

/// To which address counts what is limited for each: of IPv6 the network, since one line to the internet has the last 64 bits
/// to itself, and IPv4 in the words of IPv6 is IPv4.
#[must_use]
pub fn counted_address(address: IpAddr) -> IpAddr {
    match address.to_canonical() {
        IpAddr::V4(address) => address.into(),
        IpAddr::V6(address) => Ipv6Addr::from_bits(address.to_bits() >> 64 << 64).into(),
    }
}

/// Somebody whose request came from there.
fn actor_at(name: &str, address: Option<IpAddr>) -> Actor {
    let mut actor = Actor::from(name);
    actor.address = address;
    actor
}

/// What is counted: the name, and where it comes from.
pub(super) fn counters(name: &str, address: Option<IpAddr>) -> Vec<(String, u32)> {
    let from = address.map_or_else(|| "?".to_owned(), |address| counted_address(address).to_string());
    vec![
        (format!("name:{}", secret::hash(&name.to_lowercase())), FREE_OF_NAME),
        (format!("address:{}", secret::hash(&from)), FREE_OF_ADDRESS),
    ]
}

fn hash_of(text: &str) -> String {
    if text.is_empty() { String::new() } else { secret::hash(text) }
}

/// What a browser says it is, without what could break a line.
fn shortened(agent: &str) -> String {
    let mut kept = String::new();
    for c in agent.chars().filter(|c| !c.is_control()) {
        if kept.len() + c.len_utf8() > AGENT_BYTES_MAX {
            break;
        }
        kept.push(c);
    }
    kept
}
