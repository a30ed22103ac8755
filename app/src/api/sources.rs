//! The Redis that a wizard takes jobs over from.
//!
//! Its address may hold a password, so it stays in the memory of this server: the browser, and the address of the
//! page, have a name for it that means nothing anywhere else.

use leptos::prelude::*;
use memory::{remember, with_source};
use reprieve::Error;
use reprieve_access::allowance::ACTS;
use reprieve_import::Recognised;

use super::answer;
use crate::call::Post;
use crate::error::ApiError;
use crate::{access, i18n, t};

/// What lies on a Redis.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Around {
    /// Its address without its password; empty for the one Reprieve is on.
    pub address: String,
    /// What was recognised.
    pub recognised: Recognised,
}

/// Connects to another Redis, reads its keys and remembers the way to it for some hours; answers a name for it, and
/// leads to the wizard with that name. Changes nothing there. Needs `ImportJobs`.
#[server(prefix = "/api/fn", endpoint = "connect_source", protocol = Post)]
pub async fn connect_source(
    address: String,
    #[server(default)] user: String,
    #[server(default)] password: String,
    #[server(default)] authority: String,
    #[server(default)] certificate: String,
    #[server(default)] key: String,
    #[server(default)] back: Option<String>,
) -> Result<String, ApiError> {
    let wizard = back.clone();
    answer::onward(
        back,
        move |name: &String| with_source(wizard.as_deref().unwrap_or_default(), name),
        async move {
            let engine = access::caller()?.importer()?;
            let known = Known::new(&address, &user, &password)?.by_tls(&authority, &certificate, &key)?;
            // What is wrong with that Redis is no trouble of ours.
            let looked = reprieve_import::recognise(
                &engine,
                Some(&known.url),
                known.authority.as_deref(),
                known.client(),
            )
            .await;
            looked.map_err(|error| ApiError::Invalid { why: error.to_string() })?;
            Ok(remember(known))
        },
    )
    .await
}

/// What can be taken over from a Redis: `from` is what [`connect_source`] answered, or empty for the one Reprieve is on.
/// Changes nothing. Needs `ImportJobs`.
pub async fn recognise_sources(from: &str) -> Result<Around, ApiError> {
    let engine = access::caller()?.importer()?;
    access::caller()?.spend(ACTS, "/import", "").await?;
    let known = known(from)?;
    let (url, authority, client) = match &known {
        Some(known) => (Some(known.url.as_str()), known.authority.as_deref(), known.client()),
        None => (None, None, None),
    };
    let address = url.map(reprieve_import::shown_address).unwrap_or_default();
    let recognised = reprieve_import::recognise(&engine, url, authority, client)
        .await
        .map_err(|error| trouble_at(url.is_some(), error))?;
    Ok(Around { address, recognised })
}

/// What went wrong with a source, which may be on another Redis than ours: an outage there is none of ours.
pub(super) fn trouble_at(is_elsewhere: bool, error: Error) -> ApiError {
    let is_ours = !is_elsewhere || access::outage().1.is_some();
    match error {
        Error::Unavailable { what } if !is_ours => {
            tracing::warn!("another redis is unavailable: {what}");
            ApiError::OtherRedis { why: t!("errors-other-redis-away") }
        }
        Error::Refused { why } if !is_ours => ApiError::OtherRedis { why: i18n::import_said(&why) },
        error => error.into(),
    }
}

pub(super) use memory::{Known, known};

mod memory {
    use std::collections::VecDeque;
    use std::fmt::Write as _;
    use std::sync::{LazyLock, Mutex, PoisonError};
    use std::time::{Duration, Instant};

    use rand::Rng as _;
    use reprieve_import::{Layout, Source};

    use crate::error::ApiError;
    use crate::{routes, t};

    /// Addresses remembered at a time; the oldest makes room.
    const KNOWN_MAX: usize = 32;
    /// For how long: a working day, as taking over is watched for hours.
    const KEPT: Duration = Duration::from_secs(12 * 3_600);
    /// Bytes of each part of an address, and of an authority: some certificates.
    const PART_BYTES_MAX: usize = 512;
    const AUTHORITY_BYTES_MAX: usize = 64 * 1_024;

    /// How another Redis is reached. Never printed: it may hold a password.
    #[derive(Clone)]
    pub(in crate::api) struct Known {
        pub(super) url: String,
        pub(super) authority: Option<String>,
        /// What is shown to its server where it wants a client certificate: that, and its key.
        client: Option<(String, String)>,
        /// Who connected; to others the name means nothing.
        by: String,
        since: Instant,
    }

    static KNOWN: LazyLock<Mutex<VecDeque<(String, Known)>>> = LazyLock::new(Mutex::default);

    impl Known {
        /// An address with its login, as the form has it.
        pub(super) fn new(address: &str, user: &str, password: &str) -> Result<Self, ApiError> {
            let url = with_login(address.trim(), user.trim(), password)
                .ok_or_else(|| ApiError::wrong("address", t!("import-address-wrong")))?;
            let by = crate::access::principal().name;
            Ok(Self { url, authority: None, client: None, by, since: Instant::now() })
        }

        /// The same with what TLS needs, each in PEM; empty where it needs none.
        pub(super) fn by_tls(self, authority: &str, certificate: &str, key: &str) -> Result<Self, ApiError> {
            let pem = |field: &'static str, text: &str| match text.trim() {
                long if long.len() > AUTHORITY_BYTES_MAX => {
                    Err(ApiError::wrong(field, t!("import-authority-long")))
                }
                text => Ok(Some(text.to_owned()).filter(|text| !text.is_empty())),
            };
            let authority = pem("authority", authority)?;
            let client = match (pem("certificate", certificate)?, pem("key", key)?) {
                (None, None) => None,
                (Some(certificate), Some(key)) if is_usable(&key) => Some((certificate, key)),
                (Some(_), Some(_)) => return Err(ApiError::wrong("key", t!("import-key-wrong"))),
                (None, Some(_)) => return Err(ApiError::wrong("certificate", t!("import-client-half"))),
                (Some(_), None) => return Err(ApiError::wrong("key", t!("import-client-half"))),
            };
            Ok(Self { authority, client, ..self })
        }

        /// What is shown to its server.
        pub(super) fn client(&self) -> Option<(&str, &str)> {
            self.client.as_ref().map(|(certificate, key)| (certificate.as_str(), key.as_str()))
        }

        /// What lies there.
        pub(in crate::api) fn source(self, layout: Layout) -> Source {
            let source = Source::at(self.url, layout);
            let source = match self.authority {
                Some(authority) => source.trusting(authority),
                None => source,
            };
            match self.client {
                Some((certificate, key)) => source.showing(certificate, key),
                None => source,
            }
        }
    }

    /// Whether a key is one in PEM that needs no passphrase.
    fn is_usable(key: &str) -> bool {
        key.contains("PRIVATE KEY-----") && !key.contains("ENCRYPTED PRIVATE KEY-----")
    }

    /// `redis://` or `rediss://` with the login in it; `None` for anything else.
    pub(super) fn with_login(address: &str, user: &str, password: &str) -> Option<String> {
        if [address, user, password].iter().any(|part| part.len() > PART_BYTES_MAX) {
            return None;
        }
        let (scheme, rest) = address.split_once("://").unwrap_or(("redis", address));
        // Sockets and clusters of the machine are nobody's old Redis; the command line takes them.
        if !matches!(scheme, "redis" | "rediss") || rest.is_empty() || rest.starts_with('/') {
            return None;
        }
        if user.is_empty() && password.is_empty() {
            return Some(format!("{scheme}://{rest}"));
        }
        // One login is enough.
        if rest.contains('@') {
            return None;
        }
        Some(format!("{scheme}://{}:{}@{rest}", encoded(user), encoded(password)))
    }

    /// Every byte that may mean something in an address, as `%XX`.
    fn encoded(text: &str) -> String {
        text.bytes().fold(String::new(), |mut encoded, byte| {
            if byte.is_ascii_alphanumeric() {
                encoded.push(char::from(byte));
            } else {
                // Writing to a string cannot fail.
                let _ = write!(encoded, "%{byte:02X}");
            }
            encoded
        })
    }

    /// Keeps it; its name, which nobody can guess.
    pub(super) fn remember(known: Known) -> String {
        let name = format!("{:032x}", rand::rng().random::<u128>());
        let mut all = KNOWN.lock().unwrap_or_else(PoisonError::into_inner);
        all.retain(|(_, kept)| kept.since.elapsed() < KEPT);
        while all.len() >= KNOWN_MAX {
            all.pop_front();
        }
        all.push_back((name.clone(), known));
        name
    }

    /// How the Redis of that name is reached; `None` for the one Reprieve is on.
    pub(in crate::api) fn known(name: &str) -> Result<Option<Known>, ApiError> {
        if name.is_empty() || name == super::HERE {
            return Ok(None);
        }
        let by = crate::access::principal().name;
        let all = KNOWN.lock().unwrap_or_else(PoisonError::into_inner);
        let found =
            all.iter().find(|(kept, known)| kept == name && known.by == by && known.since.elapsed() < KEPT);
        match found {
            Some((_, known)) => Ok(Some(known.clone())),
            None => Err(ApiError::Invalid { why: t!("import-source-forgotten") }),
        }
    }

    /// The wizard where it was, with another source.
    pub(super) fn with_source(back: &str, name: &str) -> String {
        let query = back.split_once('?').map_or("", |(_, query)| query);
        let kept = query.split('&').filter(|pair| {
            !pair.is_empty() && !pair.starts_with("from=") && !pair.starts_with("said=") && pair.is_ascii()
        });
        let pairs: Vec<String> = kept.map(ToOwned::to_owned).chain([format!("from={name}")]).collect();
        format!("{}?{}", routes::IMPORT, pairs.join("&"))
    }

    #[cfg(test)]
    mod tests {
        use super::*;

        #[test]
        fn a_login_is_written_so_that_no_character_of_it_means_anything() {
            let login = with_login("rediss://old.example:6380/2", "ann", "p@ss:/w?rd#").unwrap();
            assert_eq!(login, "rediss://ann:p%40ss%3A%2Fw%3Frd%23@old.example:6380/2");
            assert_eq!(with_login("old:6379", "", "").unwrap(), "redis://old:6379");
            assert_eq!(with_login("old:6379", "", "x").unwrap(), "redis://:x@old:6379");
        }

        #[test]
        fn a_client_certificate_and_its_key_come_together_and_the_key_is_open() {
            let known = || Known::new("rediss://old:6380", "", "");
            let field = |certificate: &str, key: &str| match known().unwrap().by_tls("", certificate, key) {
                Err(ApiError::WrongField { field, .. }) => Some(field),
                Err(other) => panic!("{other:?}"),
                Ok(known) => {
                    assert_eq!(known.client().is_some(), !key.trim().is_empty());
                    None
                }
            };
            let key = "-----BEGIN PRIVATE KEY-----";
            let of = |name: &str| Some(name.to_owned());
            assert_eq!(field("", " "), None);
            assert_eq!(field("c", key), None);
            assert_eq!((field("c", ""), field("", key)), (of("key"), of("certificate")));
            assert_eq!(field("c", "-----BEGIN ENCRYPTED PRIVATE KEY-----"), of("key"));
            assert_eq!(field(&"c".repeat(AUTHORITY_BYTES_MAX + 1), key), of("certificate"));
        }

        #[test]
        fn only_a_redis_on_the_network_is_connected_to() {
            let long = "a".repeat(PART_BYTES_MAX + 1);
            for bad in ["", "unix:///run/redis.sock", "http://old", "redis:///0", "file:///etc/passwd", &long]
            {
                assert_eq!(with_login(bad, "", ""), None, "{bad}");
            }
            assert_eq!(with_login("redis://ann:a@old", "bea", "b"), None, "two logins");
        }

        #[test]
        fn the_wizard_goes_on_where_it_was_with_another_source() {
            let on = |back| with_source(back, "n1");
            assert_eq!(
                on("/import?from=old&format=zset&said=x&place=due"),
                "/import?format=zset&place=due&from=n1"
            );
            assert_eq!(on("/elsewhere"), "/import?from=n1");
        }
    }
}

/// The name of the Redis that Reprieve is on, in the address of the page.
pub const HERE: &str = "here";
