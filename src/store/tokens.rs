//! API tokens: what is known of them, never the tokens themselves.

use super::connection::Proof;
use super::{Store, script};
use crate::error::{Error, Result};
use crate::model::{NewToken, Permission, QueueName, Timestamp, TokenInfo, TokenName};
use redis::{Pipeline, Value};
use serde::{Deserialize, Serialize};
use std::collections::HashMap;

/// How a token is kept. Lists are texts with spaces between their words, and times are texts: a script's JSON has no
/// empty lists and no large numbers.
#[derive(Serialize, Deserialize)]
struct Kept {
    hash: String,
    permissions: String,
    queues: String,
    by: String,
    #[serde(default)]
    created_ms: String,
    #[serde(default)]
    expires_ms: String,
}

words! {
    /// What became of a token to be kept.
    pub enum KeptAs or "one of " {
        /// It is kept.
        Added = "added",
        /// The name is taken.
        Exists = "exists",
        /// There are too many.
        Full = "full",
    }
}

impl Store {
    /// Keeps a token's hash under its name: see `lua/functions/people/add_token.lua`.
    ///
    /// # Errors
    /// [`Error::StorageFull`] and [`Error::Unavailable`].
    pub async fn add_token(&self, token: &NewToken, hash: &str, actor: &str) -> Result<KeptAs> {
        let kept = Kept {
            hash: hash.to_owned(),
            permissions: words_of(&token.permissions),
            queues: words_of(&token.queues),
            by: actor.to_owned(),
            created_ms: String::new(),
            expires_ms: String::new(),
        };
        let kept = serde_json::to_string(&kept)
            .map_err(|why| Error::invalid("token", format!("cannot be written as JSON: {why}")))?;
        let mut call = self.call(&script::ADD_TOKEN);
        call.arg(token.name.as_str()).arg(kept).arg(actor);
        call.arg(token.good_for.map(|span| span.as_millis().to_string()).unwrap_or_default());
        super::word(&self.grow(&call).await?.text()?)
    }

    /// Forgets a token: see `lua/functions/people/revoke_token.lua`. `false` when there was none of that name.
    ///
    /// # Errors
    /// [`Error::Unavailable`].
    pub async fn revoke_token(&self, name: &TokenName, actor: &str, why: &str) -> Result<bool> {
        let mut call = self.call(&script::REVOKE_TOKEN);
        call.arg(name.as_str()).arg(actor).arg(why);
        Ok(self.drain(&call).await?.text()? == "revoked")
    }

    /// What is known of a token, its hash, and the time: see `lua/functions/people/token.lua`.
    ///
    /// # Errors
    /// [`Error::Unavailable`]; [`Error::Codec`] when it does not read.
    pub async fn token(&self, name: &TokenName) -> Result<Option<(TokenInfo, String, Timestamp)>> {
        let mut call = self.call(&script::TOKEN);
        call.arg(name.as_str());
        let mut reply = self.read(&call).await?;
        let now = reply.time("now")?;
        let Some(text) = reply.optional_text()? else { return Ok(None) };
        let (info, hash) = read(name.clone(), &text)?;
        Ok(Some((info, hash, now)))
    }

    /// Every token by name.
    ///
    /// # Errors
    /// [`Error::Unavailable`].
    pub async fn tokens(&self) -> Result<Vec<TokenInfo>> {
        let mut reads = Pipeline::new();
        reads.hgetall(self.keys().tokens()).hgetall(self.keys().tokens_used());
        let (kept, used): (HashMap<String, String>, HashMap<String, i64>) = self.pipeline(&reads).await?;
        let mut tokens = Vec::with_capacity(kept.len());
        for (name, text) in kept {
            let Ok(parsed) = name.parse::<TokenName>() else { continue };
            let (mut info, _) = read(parsed, &text)?;
            info.used = used.get(&name).copied().map(Timestamp::saturating_from_millis);
            tokens.push(info);
        }
        tokens.sort_by(|a, b| a.name.cmp(&b.name));
        Ok(tokens)
    }

    /// Writes down that a token was used. A hint for people: losing one costs nothing.
    ///
    /// # Errors
    /// [`Error::Unavailable`].
    pub async fn token_used(&self, name: &TokenName, at: Timestamp) -> Result<()> {
        let mut write = Pipeline::new();
        write.hset(self.keys().tokens_used(), name.as_str(), at.as_millis()).ignore();
        let written = write.query_async::<Value>(&mut self.connections().writes()).await;
        self.connections().note(Proof::Grows, written).map(drop)
    }
}

/// What is known, and the hash. A right that this version does not know is one less.
fn read(name: TokenName, text: &str) -> Result<(TokenInfo, String)> {
    let kept: Kept = serde_json::from_str(text)
        .map_err(|_| Error::codec(format!("what is kept of token {name} does not read")))?;
    let time = |text: &str| text.parse().ok().map(Timestamp::saturating_from_millis);
    let mut info =
        TokenInfo::new(name, time(&kept.created_ms).unwrap_or(Timestamp::saturating_from_millis(0)));
    info.permissions =
        kept.permissions.split(' ').filter_map(|word| word.parse::<Permission>().ok()).collect();
    let queues: Result<Vec<QueueName>, _> =
        kept.queues.split(' ').filter(|word| !word.is_empty()).map(str::parse).collect();
    // Of a list that does not read, nothing may become "all of them".
    info.queues =
        queues.map_err(|_| Error::codec(format!("the queues of token {} do not read", info.name)))?;
    info.by = kept.by;
    info.expires = match kept.expires_ms.as_str() {
        "" => None,
        // What does not read must not last for ever.
        other => Some(time(other).unwrap_or(Timestamp::saturating_from_millis(0))),
    };
    Ok((info, kept.hash))
}

fn words_of(names: &[impl ToString]) -> String {
    names.iter().map(ToString::to_string).collect::<Vec<_>>().join(" ")
}
