//! The people who may sign in: who they are, what proves it, and where they are signed in.
//!
//! Kept are hashes alone: argon2id of passwords, SHA-256 of session ids, invitations and recovery codes. The second
//! factor's secret is kept as it is, since codes are made of it.

mod account;
mod federated;
mod password;
pub(crate) mod second_factor;
mod sign_in;

pub use federated::{Admission, FederatedLogin};
#[cfg(feature = "testing")]
pub use password::make_cheap_hashes;
pub use password::{PASSWORD_CHARS_MAX, PASSWORD_CHARS_MIN};
pub use second_factor::Enrolment;
pub use sign_in::{
    Opened, Proof, SESSION_IDLE_MAX, SESSION_LASTS_MAX, SignIn, Signed, Visitor, counted_address,
};

use reprieve::internals::{CALLED_BY, KeptPerson, Mode, PersonChange, PutAs, Store, invalid, secret, shards};
use reprieve::model::{Delay, PersonInfo, PersonName, QueueName, Role, SessionInfo, Timestamp};
use reprieve::{Actor, Engine, Error, Result};
use std::collections::BTreeMap;
use std::sync::Arc;
use std::sync::atomic::{AtomicU64, Ordering};
use std::time::Duration;

/// How long somebody who was invited has to choose a password.
const INVITED_FOR: Delay = Delay::hours(24);
/// What programs are called where it stands who acted, as far as a person could be called so too. Nobody is: they would have
/// the acts of a program for their own.
const PROGRAMS: [&str; 14] = [
    "alerts",
    "api",
    "bulk",
    "cli",
    "client",
    "configuration",
    "cron",
    "forwarder",
    "gate",
    "janitor",
    "nobody",
    "provider",
    "recoverer",
    "reprieve",
];
/// Random bytes in the secret of an invitation.
const INVITATION_BYTES: usize = 32;

// Why something was refused, reading on from the name of a value.
const TAKEN: &str = "is taken";
const NOBODY: &str = "is nobody's here";
const CHANGED: &str = "was changed by somebody else just now; look again";
const FULL: &str = "is one too many: there are at most 500 people";
const LAST_ADMIN: &str = "is that of the last admin, and somebody has to decide who may do what";
const FEDERATED: &str = "is that of somebody for whom a provider vouches, and who has no password here";
const RAISED: &str = "cannot be raised by oneself; ask another admin";

/// Adds people, changes what they may do, signs them in.
#[derive(Debug, Clone)]
pub struct People {
    store: Store,
    /// How many passwords this one has held against a hash.
    checked: Arc<AtomicU64>,
}

/// A way in for somebody who has no password yet, or not any more; shown once.
#[derive(Debug, Clone, PartialEq, Eq)]
#[non_exhaustive]
pub struct Invitation {
    /// Whom it is for.
    pub name: PersonName,
    /// What they show.
    pub secret: String,
    /// Until when it is good.
    pub until: Timestamp,
}

impl People {
    /// Those of the namespace of that engine.
    #[must_use]
    pub fn new(engine: &Engine) -> Self {
        Self { store: shards(engine).first().clone(), checked: Arc::default() }
    }

    /// The same, whose entries in the audit say what is known of that actor, where they are in their name.
    #[must_use]
    pub fn called_by(&self, actor: &Actor) -> Self {
        Self { store: self.store.called_by(actor), ..self.clone() }
    }

    /// How many passwords this one and its clones have held against a hash so far. It is the same for a name that
    /// somebody has and for one that nobody has.
    #[must_use]
    pub fn passwords_checked(&self) -> u64 {
        self.checked.load(Ordering::Relaxed)
    }

    /// Whether it is the password whose hash this is.
    async fn verify(&self, password: &str, kept: Option<&str>) -> Result<bool, password::Busy> {
        let right = password::verify(password, kept).await?;
        self.checked.fetch_add(1, Ordering::Relaxed);
        Ok(right)
    }

    /// The word for why something was refused, for screens that have sentences of their own; `None` for what is no
    /// refusal.
    #[must_use]
    pub fn refusal(error: &Error) -> Option<&'static str> {
        let Error::Invalid { why, .. } = error else { return None };
        [
            (TAKEN, "taken"),
            (NOBODY, "nobody"),
            (CHANGED, "changed"),
            (FULL, "full"),
            (LAST_ADMIN, "last_admin"),
            (RAISED, "raised"),
            (FEDERATED, "federated"),
            (account::HAS_FACTOR, "has_factor"),
            (password::SHORT, "short"),
            (password::LONG, "long"),
            (password::COMMON_WHY, "common"),
        ]
        .into_iter()
        .find_map(|(sentence, word)| (sentence == why).then_some(word))
        .or_else(|| why.starts_with(account::TOO_OFTEN).then_some("rate_limited"))
    }

    /// What [`sessions`](Self::sessions) calls the session with this id.
    #[must_use]
    pub fn call_of(session: &str) -> String {
        secret::hash(session).chars().take(CALLED_BY).collect()
    }

    /// Whether there is nobody yet.
    ///
    /// # Errors
    /// [`Error::Unavailable`].
    pub async fn is_empty(&self) -> Result<bool> {
        Ok(self.store.people().await?.is_empty())
    }

    /// Everybody by name.
    ///
    /// # Errors
    /// [`Error::Unavailable`].
    pub async fn list(&self) -> Result<Vec<PersonInfo>> {
        self.store.people().await
    }

    /// What is known of somebody.
    ///
    /// # Errors
    /// [`Error::Unavailable`].
    pub async fn get(&self, name: &PersonName) -> Result<Option<PersonInfo>> {
        let (_, kept, _) = self.store.person(name).await?;
        kept.map(|kept| kept.info(name.clone())).transpose()
    }

    /// Makes the first person, who may do everything.
    ///
    /// # Errors
    /// [`Error::Invalid`] once there is anybody, for a password that will not do, and for what programs are called.
    pub async fn found(&self, name: &PersonName, password: &str) -> Result<()> {
        free(name)?;
        let hash = self.hash_of(password, name).await?;
        let fields = BTreeMap::from([("role", Role::Admin.to_string()), ("password", hash)]);
        let mut change = change(name, Mode::First, fields, name.as_str(), "add_person");
        change.after = Role::Admin.to_string();
        self.put(&change).await
    }

    /// Adds somebody, who chooses a password with the invitation.
    ///
    /// # Errors
    /// [`Error::Invalid`] for a name that is taken, as those are that programs have, and above 500 people.
    pub async fn add(
        &self,
        name: &PersonName,
        role: Role,
        queues: &[QueueName],
        by: &str,
    ) -> Result<Invitation> {
        free(name)?;
        let (invitation, mut fields) = self.invitation(name).await?;
        fields.insert("role", role.to_string());
        fields.insert("queues", words_of(queues));
        let mut change = change(name, Mode::Add, fields, by, "add_person");
        change.after = rights_of(role, queues);
        self.put(&change).await?;
        Ok(invitation)
    }

    /// A new way in for somebody who lost their password or their second factor: with it they choose anew.
    ///
    /// # Errors
    /// [`Error::Invalid`] for nobody, and for whom a provider vouches.
    pub async fn invite(&self, name: &PersonName, by: &str) -> Result<Invitation> {
        let (_, kept, _) = self.store.person(name).await?;
        if !kept.ok_or_else(nobody)?.federated.is_empty() {
            return Err(invalid("name", FEDERATED));
        }
        let (invitation, fields) = self.invitation(name).await?;
        self.put(&change(name, Mode::Change, fields, by, "invite_person")).await?;
        Ok(invitation)
    }

    async fn invitation(&self, name: &PersonName) -> Result<(Invitation, BTreeMap<&'static str, String>)> {
        let (now, _, _) = self.store.person(name).await?;
        let (secret, until) = (secret::random::<INVITATION_BYTES>()?, now + INVITED_FOR);
        let fields = BTreeMap::from([
            ("invited", secret::hash(&secret)),
            ("invited_until_ms", until.as_millis().to_string()),
        ]);
        Ok((Invitation { name: name.clone(), secret, until }, fields))
    }

    /// Changes what somebody is, and where. They sign in anew.
    ///
    /// # Errors
    /// [`Error::Invalid`] for nobody, for oneself to become more, and for the last who decides to become less.
    pub async fn set_role(
        &self,
        name: &PersonName,
        role: Role,
        queues: &[QueueName],
        by: &str,
        why: &str,
    ) -> Result<()> {
        self.set_role_seen(name, None, (role, queues), by, why).await
    }

    /// The same by somebody who has seen that they were `seen`, and where: refused if they are something else by now.
    ///
    /// # Errors
    /// As for [`set_role`](Self::set_role), and [`Error::Invalid`] when it was changed meanwhile.
    pub async fn set_role_seen(
        &self,
        name: &PersonName,
        seen: Option<(Role, &[QueueName])>,
        (role, queues): (Role, &[QueueName]),
        by: &str,
        why: &str,
    ) -> Result<()> {
        let (_, kept, _) = self.store.person(name).await?;
        let kept = kept.ok_or_else(nobody)?;
        let before = kept.info(name.clone())?;
        if seen.is_some_and(|seen| seen != (before.role, before.queues.as_slice())) {
            return Err(invalid("name", CHANGED));
        }
        let wider = !before.queues.is_empty()
            && (queues.is_empty() || queues.iter().any(|queue| !before.queues.contains(queue)));
        if by == name.as_str() && (role > before.role || wider) {
            return Err(invalid("role", RAISED));
        }
        let fields = BTreeMap::from([("role", role.to_string()), ("queues", words_of(queues))]);
        let mut change = change(name, Mode::Change, fields, by, "set_role");
        change.revision = Some(kept.revision);
        change.ends_but = Some(String::new());
        change.why = why;
        change.before = rights_of(before.role, &before.queues);
        change.after = rights_of(role, queues);
        self.put(&change).await
    }

    /// Keeps somebody out, from now on and wherever they are signed in; or lets them in again.
    ///
    /// # Errors
    /// [`Error::Invalid`] for nobody and for the last who decides.
    pub async fn set_disabled(&self, name: &PersonName, disabled: bool, by: &str, why: &str) -> Result<()> {
        let word = if disabled { "1" } else { "" };
        let verb = if disabled { "disable_person" } else { "enable_person" };
        let fields = BTreeMap::from([("disabled", word.to_owned())]);
        let mut change = change(name, Mode::Change, fields, by, verb);
        change.ends_but = disabled.then(String::new);
        change.why = why;
        self.put(&change).await
    }

    /// Forgets somebody.
    ///
    /// # Errors
    /// [`Error::Invalid`] for nobody and for the last who decides.
    pub async fn remove(&self, name: &PersonName, by: &str, why: &str) -> Result<()> {
        said(self.store.remove_person(name, by, why).await?)
    }

    /// Where somebody is signed in.
    ///
    /// # Errors
    /// [`Error::Unavailable`].
    pub async fn sessions(&self, name: &PersonName) -> Result<Vec<SessionInfo>> {
        let (now, mut sessions) = self.store.sessions(name).await?;
        sessions.retain(|session| sign_in::is_live(now, session.created, session.seen));
        Ok(sessions)
    }

    /// Ends one session of somebody, called as [`sessions`](Self::sessions) calls it, or all for an empty text, but for
    /// the one that is opened by `keep`. How many.
    ///
    /// # Errors
    /// [`Error::Unavailable`].
    pub async fn end_sessions(
        &self,
        name: &PersonName,
        id: &str,
        keep: Option<&str>,
        by: &str,
        why: &str,
    ) -> Result<u32> {
        let keep = keep.map(secret::hash).unwrap_or_default();
        self.store.end_sessions(name, (id, &keep), by, why).await
    }

    /// Takes one of so many that somebody may do in a span of time. How long to wait when none is left.
    ///
    /// # Errors
    /// [`Error::Unavailable`].
    pub async fn spend(&self, what: &str, who: &str, most: u32, span: Duration) -> Result<Option<Duration>> {
        self.store.spend(&format!("{what}:{}", secret::hash(who)), most, span).await
    }

    /// Writes down that somebody was refused something.
    ///
    /// # Errors
    /// [`Error::StorageFull`] and [`Error::Unavailable`].
    pub async fn denied(&self, who: &str, asked: &str, target: &str, lacks: &str) -> Result<()> {
        self.store.audit_denied(who, asked, target, lacks).await
    }

    /// The same; says so in the log when that cannot be done.
    pub async fn note_denied(&self, who: &str, asked: &str, target: &str, lacks: &str) {
        if let Err(error) = self.denied(who, asked, target, lacks).await {
            tracing::warn!(%error, "a refusal could not be written into the audit: {error}");
        }
    }

    async fn put(&self, change: &PersonChange<'_>) -> Result<()> {
        said(self.store.put_person(change).await?)
    }

    async fn hash_of(&self, password: &str, name: &PersonName) -> Result<String> {
        password::check(password, name.as_str())?;
        password::hash(password).await.map_err(|why| match why {
            password::HashError::Busy => {
                Error::Unavailable { what: "too many passwords are being checked".to_owned() }
            }
            password::HashError::Failed(error) => error,
        })
    }
}

fn change<'a>(
    name: &'a PersonName,
    mode: Mode,
    fields: BTreeMap<&'static str, String>,
    actor: &'a str,
    verb: &'static str,
) -> PersonChange<'a> {
    PersonChange {
        name,
        mode,
        fields,
        revision: None,
        ends_but: None,
        actor,
        verb,
        why: "",
        before: String::new(),
        after: String::new(),
    }
}

fn said(word: PutAs) -> Result<()> {
    let why = match word {
        PutAs::Saved => return Ok(()),
        PutAs::Exists => TAKEN,
        PutAs::Missing => NOBODY,
        PutAs::Changed => CHANGED,
        PutAs::Full => FULL,
        PutAs::LastAdmin => LAST_ADMIN,
    };
    Err(invalid("name", why))
}

/// Whether a program is called so.
fn is_program(name: &PersonName) -> bool {
    PROGRAMS.contains(&name.as_str())
}

/// That no program is called so.
fn free(name: &PersonName) -> Result<()> {
    if is_program(name) { Err(invalid("name", TAKEN)) } else { Ok(()) }
}

fn nobody() -> Error {
    invalid("name", NOBODY)
}

fn words_of(queues: &[QueueName]) -> String {
    queues.iter().map(ToString::to_string).collect::<Vec<_>>().join(" ")
}

fn rights_of(role: Role, queues: &[QueueName]) -> String {
    if queues.is_empty() { role.to_string() } else { format!("{role} in {}", words_of(queues)) }
}

/// Whether a secret that was shown is the one whose hash is kept.
fn is_secret(shown: &str, kept: &str) -> bool {
    use subtle::ConstantTimeEq as _;
    !kept.is_empty() && bool::from(secret::hash(shown).as_bytes().ct_eq(kept.as_bytes()))
}

/// Whether an invitation is good.
fn is_invited(kept: &KeptPerson, shown: &str, now: Timestamp) -> bool {
    let until = kept.invited_until_ms.parse().unwrap_or(0);
    is_secret(shown, &kept.invited) && now.as_millis() < until
}
