//! Which Redis: a private one in the data directory, or one that runs elsewhere.

use super::mistake::Origin;
use super::secret::Secret;
use super::sources::{Sources, flag};
use super::webhook::read_secret;
use reprieve::EngineConfig;
use std::fmt;
use std::path::{Path, PathBuf};

/// Which Redis.
#[derive(Debug, Clone, PartialEq, Eq)]
#[non_exhaustive]
pub enum RedisConfig {
    /// A private child in the data directory.
    Embedded {
        /// The program to run; `valkey-server` or `redis-server` on the path when absent.
        program: Option<PathBuf>,
        /// How much memory it may use, as Redis says it; three quarters of what there is when absent.
        maxmemory: Option<String>,
    },
    /// One that runs elsewhere.
    External(RedisUrl),
}

impl RedisConfig {
    pub(super) fn read(from: &Sources<'_>) -> Self {
        let Sources { notes, root, flags, .. } = *from;
        let program = from.variable("REPRIEVE_REDIS_SERVER").or(root.text("redis_server"));
        let maxmemory = from.variable("REPRIEVE_REDIS_MAXMEMORY").or(root.text("redis_maxmemory"));
        let maxmemory = notes.read(maxmemory.as_ref(), read_memory);
        // A URL and a file with a URL are one setting in two spellings: the later layer's wins.
        let layers = [
            (flag("--redis", flags.place.redis.as_ref()), None),
            (from.variable("REPRIEVE_REDIS"), from.variable("REPRIEVE_REDIS_FILE")),
            (root.text("redis"), root.text("redis_file")),
        ];
        let given = layers.into_iter().find(|(url, file)| url.is_some() || file.is_some());
        let (given, file) = given.unwrap_or_default();
        if let (Some(url), Some(_)) = (&given, &file) {
            notes.add(&url.origin, "redis and redis_file say the same thing; keep one of them");
        }
        let of_file =
            notes.read(file.as_ref(), |path| RedisUrl::read(read_secret(Path::new(path))?.expose()));
        let url = notes.read(given.as_ref(), RedisUrl::read).or(of_file);
        let on_line = given.filter(|given| matches!(given.origin, Origin::Flag(_)));
        if let (Some(url), Some(given)) = (&url, &on_line)
            && url.has_password
        {
            notes.add(
                &given.origin,
                "a password on the command line can be read by every user of this machine; put the \
                     URL into REPRIEVE_REDIS, or into a file named by redis_file or REPRIEVE_REDIS_FILE",
            );
        }
        // A directory named on the command line has the word before a Redis of an earlier layer.
        let embedded = flags.place.data.is_some() && !flags.is_data_unnamed;
        if let Some(given) = on_line.filter(|_| embedded) {
            let both = "--data and --redis name two places for the same jobs; keep one of them";
            notes.add(&given.origin, both);
        }
        match url.filter(|_| !embedded) {
            Some(url) => Self::External(url),
            None => Self::Embedded { program: program.map(|given| given.value.into()), maxmemory },
        }
    }
}

/// An amount of memory in Redis's own words, such as `2gb`.
fn read_memory(text: &str) -> Result<String, String> {
    let lower = text.to_ascii_lowercase();
    let digits = lower.trim_end_matches(|c: char| c.is_ascii_alphabetic());
    let is_unit = matches!(lower.get(digits.len()..), Some("" | "b" | "k" | "kb" | "m" | "mb" | "g" | "gb"));
    if is_unit && digits.parse::<u32>().is_ok() || lower.parse::<u64>().is_ok() {
        return Ok(lower);
    }
    Err(format!("{text:?} is not an amount of memory, such as 512mb or 2gb; 0 is no limit"))
}

impl fmt::Display for RedisConfig {
    /// For people; without a password.
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Embedded { .. } => f.write_str("the data directory"),
            Self::External(url) => url.fmt(f),
        }
    }
}

/// How the address of a Redis begins.
const SCHEMES: [&str; 11] = [
    "redis",
    "rediss",
    "valkey",
    "valkeys",
    "unix",
    "redis+unix",
    "valkey+unix",
    "redis+cluster",
    "rediss+cluster",
    "redis+sentinel",
    "rediss+sentinel",
];

/// The address of a Redis. Prints without its password.
#[derive(Clone, PartialEq, Eq)]
pub struct RedisUrl {
    url: Secret,
    shown: String,
    has_password: bool,
}

impl RedisUrl {
    /// Reads `redis://`, `rediss://`, `unix:`, `redis+unix:`, `redis+cluster://` or `redis+sentinel://`.
    ///
    /// # Errors
    /// A sentence without the address, which may hold a password.
    pub fn read(text: &str) -> Result<Self, String> {
        const EXAMPLES: &str = "write for instance redis://127.0.0.1:6379, rediss://…, unix:///run/redis.sock, \
             redis+cluster://a:6379,b:6379 or redis+sentinel://a:26379,b:26379/name";
        let engine = EngineConfig::new(text.trim());
        if let Some((scheme, _)) = text.trim().split_once("://")
            && !SCHEMES.contains(&scheme)
            && scheme.bytes().all(|byte| byte.is_ascii_lowercase() || byte == b'+')
        {
            return Err(format!("Redis URLs do not begin with {scheme}:; {EXAMPLES}"));
        }
        engine.check().map_err(|why| format!("{why}; {EXAMPLES}"))?;
        Ok(Self {
            url: Secret::new(text.trim().to_owned()),
            shown: engine.place(),
            has_password: engine.has_password(),
        })
    }

    /// The address with its password, for the connection.
    #[must_use]
    pub fn expose(&self) -> &str {
        self.url.expose()
    }
}

impl fmt::Display for RedisUrl {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.shown)
    }
}

impl fmt::Debug for RedisUrl {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "RedisUrl({})", self.shown)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn an_amount_of_memory_is_as_redis_says_it() {
        for right in ["0", "64mb", "2GB", "512k", "8589934592"] {
            assert!(read_memory(right).is_ok(), "{right}");
        }
        for wrong in ["", "much", "2tb", "mb", "-1", "1.5gb", "80%"] {
            assert!(read_memory(wrong).unwrap_err().contains("512mb"), "{wrong}");
        }
    }

    #[test]
    fn a_redis_url_prints_without_user_and_password() {
        for text in [
            "redis://user:canary@redis.example:6380/2",
            "rediss://:canary@redis.example",
            "redis+unix:///run/redis.sock?db=1&pass=canary",
            "redis+cluster://user:canary@a:1,b:2",
            "rediss+sentinel://:canary@a:1,b:2/shop",
        ] {
            let url = RedisUrl::read(text).unwrap();

            assert!(!format!("{url} {url:?}").contains("canary"), "{url}");
            assert_eq!(url.expose(), text);
        }
    }

    #[test]
    fn an_unusable_redis_url_is_refused_without_repeating_it() {
        let unencoded = ["redis://Abc#canary@127.0.0.1:6379", "redis://user:54321/canary@127.0.0.1/0"];
        for text in ["http://u:canary@a", "canary", "redis//canary", ""].into_iter().chain(unencoded) {
            let why = RedisUrl::read(text).unwrap_err();

            assert!(!why.contains("canary") && why.contains("redis://127.0.0.1:6379"), "{why}");
        }
    }
}
