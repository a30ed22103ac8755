//! Which rights of the recipe the user lacks that we are to a Redis, found out without using one.

use super::rights::{keys_of, named, needed};
use super::{Examination, Shards, Store};
use futures_util::future::join_all;
use std::collections::BTreeSet;

/// What Redis says of a command that may be used on a key that may not. Of the other it says `to run`.
const ABOUT_KEYS: &str = "permissions to access";
/// What it says of a command that it does not have; of a user, `User '…' not found`.
const NO_COMMAND: &str = "Command '";

/// What it answers to one that is tried.
enum Tried {
    Allowed,
    /// The command may not be used.
    Command,
    /// It may, and not on this key.
    Key,
    /// The server has no such command, for anybody.
    Absent,
    /// Who asks may not know.
    Untold,
}

impl Shards {
    /// The rights that we lack; each is an outage until it is there. `None` if it may not say.
    pub(crate) async fn missing_rights(&self) -> Option<Vec<String>> {
        let store = self.first();
        let (missing, _) = self.missing(store, &store.who().await.ok()?).await.unzip();
        if missing.is_some() {
            store.connections().rights_are_missing(missing.as_deref());
        }
        missing
    }

    /// Who we are to it, and what of what we need it would refuse.
    pub(super) async fn rights(&self, found: &mut Examination) {
        let store = self.first();
        let user = match store.who().await {
            Ok(user) => user,
            // It is there, and says not even that.
            Err(error) if error.code() == Some("NOPERM") => String::new(),
            Err(_) => return,
        };
        if !user.is_empty() {
            (found.missing_rights, found.missing_commands) = self.missing(store, &user).await.unzip();
        }
        found.user = Some(user);
    }

    /// As the recipe calls them, keys first, and the commands that the server does not have; `None` if it may not say.
    async fn missing(&self, store: &Store, user: &str) -> Option<(Vec<String>, Vec<String>)> {
        let own_key = store.keys().meta();
        // Of several shards the first is called `<namespace>.0`.
        let tag = store.keys().tag();
        let namespace = if self.count() == 1 { tag } else { tag.trim_end_matches(".0") };
        let answers = join_all(needed().map(|tried| store.try_as(user, tried, &own_key))).await;
        let (mut commands, mut absent) = (Vec::new(), BTreeSet::new());
        let (mut whole, mut in_shards) = (false, false);
        for (tried, answer) in needed().zip(answers) {
            match answer {
                Tried::Allowed => {}
                Tried::Command => commands.push(named(tried)),
                Tried::Key if self.count() == 1 => whole = true,
                Tried::Key => in_shards = true,
                Tried::Absent => drop(absent.insert(command(tried))),
                Tried::Untold => return None,
            }
        }
        if self.count() > 1 {
            // How many shards there are stands in a key of the namespace as a whole.
            let meta = format!("reprieve:{{{namespace}}}:meta");
            whole = matches!(store.try_as(user, "get @", &meta).await, Tried::Key);
            for shard in self.all().iter().skip(1) {
                in_shards |= matches!(store.try_as(user, "set @ v", &shard.keys().meta()).await, Tried::Key);
            }
        }
        let mut rights = Vec::new();
        let [of_one, of_many] = keys_of(namespace);
        rights.extend(whole.then_some(of_one));
        rights.extend(in_shards.then_some(of_many));
        rights.extend(commands);
        Some((rights, absent.into_iter().collect()))
    }
}

impl Store {
    /// Who we are to it.
    async fn who(&self) -> redis::RedisResult<String> {
        redis::cmd("ACL").arg("WHOAMI").query_async(&mut self.connections().reads()).await
    }

    /// Looks which rights are missing, beside whatever goes on.
    pub(super) fn look_at_rights(&self) {
        let store = self.clone();
        self.connections().home().spawn(async move {
            let missing = match store.who().await {
                Ok(user) => store.missing_commands(&user).await,
                Err(_) => None,
            };
            store.connections().rights_are_missing(missing.as_deref());
            if missing.is_none_or(|missing| missing.is_empty()) {
                // A function that lacks it still will say so again.
                let forgotten = redis::cmd("HDEL")
                    .arg(store.keys().meta())
                    .arg("lacks")
                    .exec_async(&mut store.connections().writes())
                    .await;
                if let Err(error) = forgotten {
                    tracing::debug!(%error, "the right that was missing is still noted: {error}");
                }
            }
        });
    }

    /// The rights to commands that it would refuse here, as the recipe calls them; `None` if it may not say.
    async fn missing_commands(&self, user: &str) -> Option<Vec<String>> {
        let own_key = self.keys().meta();
        let answers = join_all(needed().map(|tried| self.try_as(user, tried, &own_key))).await;
        let mut missing = Vec::new();
        for (tried, answer) in needed().zip(answers) {
            match answer {
                // What a server does not have, no right brings.
                Tried::Allowed | Tried::Absent => {}
                Tried::Command => missing.push(named(tried)),
                Tried::Key => missing.push(format!("~{}*", self.keys().prefix())),
                Tried::Untold => return None,
            }
        }
        missing.dedup();
        Some(missing)
    }

    async fn try_as(&self, user: &str, tried: &str, key: &str) -> Tried {
        let mut dry = redis::cmd("ACL");
        dry.arg("DRYRUN").arg(user);
        for word in tried.split([' ', '|']) {
            dry.arg(if word == "@" { key } else { word });
        }
        match dry.query_async::<String>(&mut self.connections().reads()).await {
            Ok(answer) if answer == "OK" => Tried::Allowed,
            Ok(answer) if answer.contains(ABOUT_KEYS) => Tried::Key,
            Ok(_) => Tried::Command,
            Err(error) if error.detail().is_some_and(|why| why.starts_with(NO_COMMAND)) => Tried::Absent,
            Err(_) => Tried::Untold,
        }
    }
}

/// The command in what is tried, such as `CONFIG` in `config|get appendfsync`.
fn command(tried: &str) -> String {
    tried.split([' ', '|']).next().unwrap_or_default().to_uppercase()
}
