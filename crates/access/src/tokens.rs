//! API tokens: made here, shown once, known afterwards by their hash alone.
//!
//! A token reads `rpv_<name>_<64 hexadecimal digits>`: a prefix that scanners for leaked secrets know it by, the
//! name under which it is looked up, and 256 random bits. Kept is the SHA-256 of the whole: against that many random
//! bits a slow hash would protect nothing more, and every request pays for it.

use reprieve::internals::secret::{self, hash};
use reprieve::internals::{KeptAs, Store, invalid, shards};
use reprieve::model::{NewToken, PersonName, QueueName, Role, Timestamp, TokenInfo, TokenName};
use reprieve::{Actor, Engine, Error, Result};
use std::collections::HashMap;
use std::sync::{Arc, Mutex, PoisonError};
use subtle::ConstantTimeEq as _;

/// What every token begins with.
const PREFIX: &str = "rpv_";
/// Random bytes of a token.
const SECRET_BYTES: usize = 32;
/// How exactly the last use is known, in ms: a write a request would be dear for a hint.
const USED_EVERY_MS: i64 = 60_000;

/// Makes, lists, revokes and checks tokens.
#[derive(Debug, Clone)]
pub struct Tokens {
    store: Store,
    /// When a use was last written down by this process, by name. As many as there are tokens at most.
    written: Arc<Mutex<HashMap<TokenName, Timestamp>>>,
}

/// What a text that claims to be a token is.
#[derive(Debug, Clone, PartialEq, Eq)]
#[non_exhaustive]
pub enum Checked {
    /// A token of ours, and good.
    Good(TokenInfo),
    /// A token of ours whose time is over.
    Expired(TokenInfo),
    /// No token, not any more, or not with these digits.
    Unknown,
}

// Why a token was refused, reading on from the word or from its name.
const POWERLESS: &str = "may do nothing; give it at least one permission";
const EXISTS: &str = "exists; revoke it first";
const FULL: &str = "is one too many: there are at most 1,000";

impl Tokens {
    /// Those of the namespace of that engine.
    #[must_use]
    pub fn new(engine: &Engine) -> Self {
        Self { store: shards(engine).first().clone(), written: Arc::default() }
    }

    /// The same, whose entries in the audit say what is known of that actor.
    #[must_use]
    pub fn called_by(&self, actor: &Actor) -> Self {
        Self { store: self.store.called_by(actor), ..self.clone() }
    }

    /// The word for why a token was refused, for screens that have sentences of their own; `None` for what is no refusal.
    #[must_use]
    pub fn refusal(error: &Error) -> Option<&'static str> {
        let Error::Invalid { field: "token", why } = error else { return None };
        match why.as_str() {
            POWERLESS => Some("token_powerless"),
            FULL => Some("token_full"),
            why => why.ends_with(EXISTS).then_some("token_taken"),
        }
    }

    /// Makes a token and returns it, once.
    ///
    /// # Errors
    /// [`Error::Invalid`] for one that may do nothing, for a name that is taken, and above 1,000 tokens.
    pub async fn add(&self, token: &NewToken, by: &str) -> Result<String> {
        if token.permissions.is_empty() {
            return Err(invalid("token", POWERLESS));
        }
        let text = format!("{PREFIX}{}_{}", token.name, secret::random::<SECRET_BYTES>()?);
        match self.store.add_token(token, &hash(&text), by).await? {
            KeptAs::Added => Ok(text),
            KeptAs::Exists => Err(invalid("token", format!("{:?} {EXISTS}", token.name.as_str()))),
            KeptAs::Full => Err(invalid("token", FULL)),
        }
    }

    /// Every token by name.
    ///
    /// # Errors
    /// [`Error::Unavailable`].
    pub async fn list(&self) -> Result<Vec<TokenInfo>> {
        self.store.tokens().await
    }

    /// Forgets a token, from the next request on; `false` if there was none of that name.
    ///
    /// # Errors
    /// [`Error::Unavailable`].
    pub async fn revoke(&self, name: &TokenName, by: &str, why: &str) -> Result<bool> {
        self.store.revoke_token(name, by, why).await
    }

    /// Those that somebody made, by name; with `beyond` only those that may do more than somebody who is that, in those
    /// queues.
    ///
    /// # Errors
    /// [`Error::Unavailable`].
    pub async fn made_by(
        &self,
        person: &PersonName,
        beyond: Option<(Role, &[QueueName])>,
    ) -> Result<Vec<TokenName>> {
        let is_beyond =
            |token: &TokenInfo| beyond.is_none_or(|(role, queues)| !token.is_within(role, queues));
        let made = self.list().await?.into_iter().filter(|token| token.by == person.as_str());
        Ok(made.filter(is_beyond).map(|token| token.name).collect())
    }

    /// Forgets those, from the next request on; which they were. A person who is kept out or removed, or becomes less, is
    /// or becomes so first, so that they make no more meanwhile.
    ///
    /// # Errors
    /// [`Error::Unavailable`]: some may be forgotten.
    pub async fn revoke_made_by(
        &self,
        person: &PersonName,
        beyond: Option<(Role, &[QueueName])>,
        by: &str,
        why: &str,
    ) -> Result<Vec<TokenName>> {
        let made = self.made_by(person, beyond).await?;
        for token in &made {
            self.revoke(token, by, why).await?;
        }
        Ok(made)
    }

    /// Looks a token up and notes its use.
    ///
    /// # Errors
    /// [`Error::Unavailable`]: nothing is known of the token.
    pub async fn check(&self, text: &str) -> Result<Checked> {
        let Some(name) = name_of(text) else { return Ok(Checked::Unknown) };
        let Some((info, kept, now)) = self.store.token(&name).await? else { return Ok(Checked::Unknown) };
        // Both are hashes; still, how far two agree is nobody's business.
        if !bool::from(hash(text).as_bytes().ct_eq(kept.as_bytes())) {
            return Ok(Checked::Unknown);
        }
        if info.expires.is_some_and(|expires| expires <= now) {
            return Ok(Checked::Expired(info));
        }
        self.note_use(&info.name, now).await;
        Ok(Checked::Good(info))
    }

    /// At most once a minute; a Redis that is full or away keeps nobody out.
    async fn note_use(&self, name: &TokenName, now: Timestamp) {
        {
            let mut written = self.written.lock().unwrap_or_else(PoisonError::into_inner);
            let known = written.get(name).is_some_and(|&at| now.millis_since(at) < USED_EVERY_MS);
            if known {
                return;
            }
            written.insert(name.clone(), now);
        }
        if let Err(error) = self.store.token_used(name, now).await {
            tracing::debug!(%error, token.name = %name, "the use of token {name} was not written down: {error}");
        }
    }
}

/// The name inside a text that looks like a token.
pub(crate) fn name_of(text: &str) -> Option<TokenName> {
    let (name, secret) = text.strip_prefix(PREFIX)?.rsplit_once('_')?;
    let fits = secret.len() == SECRET_BYTES * 2 && secret.bytes().all(|byte| byte.is_ascii_hexdigit());
    name.parse().ok().filter(|_| fits)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_name_is_read_out_of_a_token_and_out_of_nothing_else() {
        let secret = "0123456789abcdef".repeat(4);
        assert_eq!(name_of(&format!("rpv_ci_deploy_{secret}")), Some("ci_deploy".parse().unwrap()));
        for wrong in [
            "",
            "rpv_",
            "rpv_x",
            &format!("rpv__{secret}"),
            &format!("rpv_{{}}_{secret}"),
            &secret,
            &format!("rpv_ci_{}", &secret[1..]),
            &format!("rpv_ci_{}é", &secret[2..]),
        ] {
            assert_eq!(name_of(wrong), None, "{wrong}");
        }
    }
}
