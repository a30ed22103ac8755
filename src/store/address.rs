//! Where Redis is: one server, one behind Sentinels, or a Cluster.

use super::connection::redact;
use crate::error::{Error, Result};
use redis::{Client, ConnectionInfo, IntoConnectionInfo, TlsCertificates};

/// Most nodes an address may name: they are asked one after the other.
const NODES_MAX: usize = 100;

/// How a Redis is reached.
#[derive(Debug, Clone)]
pub(super) enum Address {
    /// `redis://`, `rediss://` or `unix://`.
    One(ConnectionInfo),
    /// `redis+cluster://host:port,host:port`: any of its nodes.
    Cluster(Vec<ConnectionInfo>),
    /// `redis+sentinel://host:port,host:port/name`: Sentinels, and the name they know the master by.
    Sentinel {
        sentinels: Vec<ConnectionInfo>,
        master: String,
        /// Database, user and password of the master; the Sentinels have none.
        login: Box<ConnectionInfo>,
    },
}

impl Address {
    /// Reads an address. `rediss+cluster` and `rediss+sentinel` speak TLS.
    pub(super) fn parse(url: &str) -> Result<Self> {
        let refused = |why: String| Error::Refused {
            why: format!("{:?} is not the address of a Redis: {why}", redact(url)),
        };
        let Some((scheme, rest)) = url.split_once("://") else {
            return one(url).map(Self::One).map_err(refused);
        };
        let Some((scheme, kind)) = scheme.split_once('+') else {
            return one(url).map(Self::One).map_err(refused);
        };
        // A password may hold any of the separators.
        let (login, rest) = rest.rsplit_once('@').map_or(("", rest), |(login, rest)| (login, rest));
        let (hosts, path) = rest.split_once('/').unwrap_or((rest, ""));
        if hosts.split(',').count() > NODES_MAX {
            return Err(refused(format!("it names more than {NODES_MAX} nodes")));
        }
        let at = |login: &str, host: &str| {
            let at = if login.is_empty() { "" } else { "@" };
            one(&format!("{scheme}://{login}{at}{host}/"))
        };
        let nodes =
            |login: &str| hosts.split(',').map(|host| at(login, host.trim())).collect::<Result<Vec<_>, _>>();
        match kind {
            "cluster" if path.is_empty() => nodes(login).map(Self::Cluster).map_err(refused),
            "cluster" => Err(refused("a Cluster has one database, so nothing follows its nodes".to_owned())),
            "sentinel" => {
                let (master, database) = path.split_once('/').unwrap_or((path, "0"));
                if master.is_empty() {
                    return Err(refused("the name of the master is missing: …/name at its end".to_owned()));
                }
                let first = hosts.split(',').next().unwrap_or_default();
                let at_sign = if login.is_empty() { "" } else { "@" };
                let login =
                    one(&format!("{scheme}://{login}{at_sign}{first}/{database}")).map_err(refused)?;
                let sentinels = nodes("").map_err(refused)?;
                Ok(Self::Sentinel { sentinels, master: master.to_owned(), login: Box::new(login) })
            }
            unknown => Err(refused(format!(
                "{scheme}+{unknown} is none of {scheme}, {scheme}+cluster, {scheme}+sentinel"
            ))),
        }
    }
}

fn one(url: &str) -> Result<ConnectionInfo, String> {
    let server = url.into_connection_info().map_err(|error| error.to_string())?;
    // Redis 7.0 knows no CLIENT SETINFO and takes no recipe that allows it; later ones would log a refusal for every
    // connection of a user with the least rights.
    let settings = server.redis_settings().clone().set_skip_set_lib_name();
    Ok(server.set_redis_settings(settings))
}

/// A client for one server, which trusts the given authority instead of the usual ones, if any is given.
pub(super) fn client(server: ConnectionInfo, ca: Option<&[u8]>) -> redis::RedisResult<Client> {
    match certificates(ca) {
        Some(certificates) if is_tls(&server) => Client::build_with_tls(server, certificates),
        _ => Client::open(server),
    }
}

/// Whether a text holds a certificate in PEM. One without would trust nobody, and say so of the server.
pub(super) fn holds_certificate(pem: &[u8]) -> bool {
    let begins = b"-----BEGIN CERTIFICATE-----";
    pem.windows(begins.len()).any(|window| window == begins)
}

pub(super) fn certificates(ca: Option<&[u8]>) -> Option<TlsCertificates> {
    ca.map(|pem| TlsCertificates { client_tls: None, root_cert: Some(pem.to_vec()) })
}

pub(super) fn is_tls(server: &ConnectionInfo) -> bool {
    matches!(server.addr(), redis::ConnectionAddr::TcpTls { .. })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_form_of_an_address_is_read() {
        assert!(matches!(Address::parse("redis://localhost:6379/2"), Ok(Address::One(_))));
        assert!(matches!(Address::parse("unix:///run/redis.sock"), Ok(Address::One(_))));
        let Ok(Address::Cluster(nodes)) = Address::parse("redis+cluster://u:p@ss@a:1,b:2,c:3") else {
            panic!()
        };
        let texts: Vec<_> = nodes.iter().map(|node| node.addr().to_string()).collect();
        assert_eq!(texts, ["a:1", "b:2", "c:3"]);
        assert_eq!(nodes[1].redis_settings().password(), Some("p@ss"));
        let sentinel = Address::parse("rediss+sentinel://:secret@a:1,b:2/shop/3");
        let Ok(Address::Sentinel { sentinels, master, login }) = sentinel else { panic!("{sentinel:?}") };
        assert_eq!((sentinels.len(), master.as_str()), (2, "shop"));
        assert_eq!(login.redis_settings().password(), Some("secret"));
        assert_eq!(sentinels[0].redis_settings().password(), None);
        assert!(is_tls(&login));
    }

    #[test]
    fn a_wrong_address_says_what_is_wrong_and_no_password() {
        for (url, says) in [
            ("redis+cluster://:secret@a:1/2", "one database"),
            ("redis+sentinel://:secret@a:1", "name of the master"),
            ("redis+moon://:secret@a:1", "redis+moon"),
            ("http://:secret@a:1", "not the address"),
            (&format!("redis+cluster://:secret@{}", "a:1,".repeat(101)), "more than 100"),
            ("", "not the address"),
        ] {
            let error = Address::parse(url).unwrap_err().to_string();
            assert!(error.contains(says) && !error.contains("secret"), "{url}: {error}");
        }
    }
}
