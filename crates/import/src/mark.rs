//! Whose an importer's name is: that of one Redis. Under one name two of them would replace each other's jobs.
//!
//! Beside its journals a source has a mark, made by chance when something is taken from it first; the engine knows the mark
//! of each name. Where there is none yet, the name is that of the first that comes.

use super::Importer;
use reprieve::internals::{invalid, is_socket, redact};
use reprieve::{Error, Result};
use uuid::Uuid;

/// Whose a name is, as the engine keeps it: `<mark> <address>`.
#[derive(Debug, Clone, PartialEq, Eq)]
struct Known {
    mark: String,
    /// Without user and password, see [`address_of`]; empty for the Redis that Reprieve is on.
    address: String,
}

impl Known {
    fn read(text: &str) -> Self {
        let (mark, address) = text.split_once(' ').unwrap_or((text, ""));
        Self { mark: mark.to_owned(), address: address.to_owned() }
    }

    fn text(&self) -> String {
        format!("{} {}", self.mark, self.address)
    }

    /// Whether it is that of the Redis at this address, which has this mark. One that was emptied has none any more.
    fn is_of(&self, mark: Option<&str>, address: &str) -> bool {
        mark.map_or_else(|| self.address == address, |mark| self.mark == mark)
    }
}

impl Importer {
    /// Whether the source's Redis is the one that the name is of, or may become it. Changes nothing.
    pub(super) async fn has_the_name(&self) -> Result<bool> {
        let known = self.known_mark().await?;
        let there = self.mark_there().await?;
        Ok(self.may_have(known.as_ref(), there.as_deref()))
    }

    /// Makes the name that of the source's Redis from now on.
    ///
    /// # Errors
    /// [`Error::Invalid`]: the name is that of another Redis.
    pub(super) async fn claim_mark(&self) -> Result<()> {
        let known = self.known_mark().await?;
        let there = self.mark_there().await?;
        if !self.may_have(known.as_ref(), there.as_deref()) {
            return Err(self.of_another());
        }
        let mark = match there {
            Some(there) => there,
            None => self.make_mark(known.as_ref()).await?,
        };
        let ours = Known { mark, address: self.address() };
        if known.as_ref() == Some(&ours) {
            return Ok(());
        }
        self.fuse.step()?;
        let store = self.shards.first();
        store.put_import_mark(self.name.as_str(), &ours.text(), known.is_none()).await?;
        // Somebody else may have been first.
        let known = self.known_mark().await?;
        if self.may_have(known.as_ref(), Some(&ours.mark)) { Ok(()) } else { Err(self.of_another()) }
    }

    fn may_have(&self, known: Option<&Known>, there: Option<&str>) -> bool {
        known.is_none_or(|known| known.is_of(there, &self.address()))
    }

    /// Why a source is refused.
    pub(super) fn of_another(&self) -> Error {
        let why = format!(
            "{} imports from another Redis: name that one as its source (--from), or choose another name",
            self.name
        );
        invalid("import", why)
    }

    async fn known_mark(&self) -> Result<Option<Known>> {
        let known = self.shards.first().import_mark(self.name.as_str()).await?;
        Ok(known.as_deref().map(Known::read))
    }

    async fn mark_there(&self) -> Result<Option<String>> {
        let mut read = redis::cmd("GET");
        read.arg(self.mark_key());
        self.foreign.query(&read).await
    }

    /// Marks the source unless another process was faster; returns its mark. A source that was emptied gets the mark it had:
    /// with another one it would be another Redis to a caller that comes before the engine knows of that.
    async fn make_mark(&self, known: Option<&Known>) -> Result<String> {
        let mark = known.map_or_else(|| Uuid::now_v7().to_string(), |known| known.mark.clone());
        let mut write = redis::cmd("SET");
        write.arg(self.mark_key()).arg(&mark).arg("NX");
        self.fuse.step()?;
        self.foreign.query::<redis::Value>(&write).await?;
        Ok(self.mark_there().await?.unwrap_or(mark))
    }

    fn mark_key(&self) -> String {
        format!("reprieve-import:{}:{}:mark", self.namespace, self.name)
    }

    fn address(&self) -> String {
        self.source.url.as_deref().map(address_of).unwrap_or_default()
    }
}

/// Where a Redis is, without who signs in there: behind a socket's path stands its database, unless that is the first.
fn address_of(url: &str) -> String {
    let Some((socket, parameters)) = url.split_once('?').filter(|_| is_socket(url)) else {
        return redact(url);
    };
    match parameters.split('&').filter_map(|parameter| parameter.strip_prefix("db=")).next_back() {
        None | Some("0") => socket.to_owned(),
        Some(database) => format!("{socket}?db={database}"),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_name_is_that_of_a_redis_by_its_mark_and_of_an_emptied_one_by_its_address() {
        let known = Known::read("m1 redis://old:6379");
        assert_eq!(Known::read(&known.text()), known);
        assert!(known.is_of(Some("m1"), "redis://moved:6379"));
        assert!(known.is_of(None, "redis://old:6379"));
        assert!(!known.is_of(Some("m2"), "redis://old:6379"));
        assert!(!known.is_of(None, "redis://other:6379"));
        assert!(Known::read("m1 ").is_of(None, ""), "the Redis that Reprieve is on");
    }

    #[test]
    fn databases_of_one_socket_have_addresses_of_their_own_and_who_signs_in_makes_no_difference() {
        let first = "unix:///run/redis.sock";
        assert_eq!(address_of(first), first);
        assert_eq!(address_of("unix:///run/redis.sock?db=0&user=ann&pass=p@ss"), first);
        assert_eq!(address_of("unix:///run/redis.sock?db=1"), "unix:///run/redis.sock?db=1");
        assert_eq!(address_of("unix:///run/redis.sock?pass=p@ss&db=2"), "unix:///run/redis.sock?db=2");
        assert_eq!(address_of("redis://ann:p@ss@old:6379/1"), "redis://…@old:6379/1");
        // As it was written before databases of a socket were told apart.
        assert!(Known::read("m1 unix:///run/redis.sock?…").is_of(Some("m1"), "unix:///run/redis.sock?db=1"));
    }
}
