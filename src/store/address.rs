//! Where Redis is: one server, one behind Sentinels, or a Cluster.

use super::client::TlsFiles;
use super::sentinel::Sentinels;
use super::url::{is_socket, redact};
use crate::error::{Error, Result};
use redis::{ConnectionInfo, IntoConnectionInfo};

/// Most nodes an address may name: they are asked one after the other.
const NODES_MAX: usize = 100;

/// How a Redis is reached.
#[derive(Debug, Clone)]
pub(super) enum Address {
    /// `redis://`, `rediss://` or `unix://`.
    One(Box<ConnectionInfo>),
    /// `redis+cluster://host:port,host:port`: any of its nodes.
    Cluster(Vec<ConnectionInfo>),
    /// `redis+sentinel://host:port,host:port/name`: Sentinels, and the name they know the master by.
    Sentinel(Box<Sentinels>),
}

impl Address {
    /// Reads an address. `rediss+cluster` and `rediss+sentinel` speak TLS.
    pub(super) fn parse(url: &str) -> Result<Self> {
        let refused = |why: String| Error::Refused {
            why: format!("{:?} is not the address of a Redis: {why}", redact(url)),
        };
        if let Some(sign) = unescaped(url) {
            return Err(refused(format!(
                "its user or password holds a {sign:?} as it is; percent-encode the password \
                 (# is %23, / is %2F, ? is %3F, % is %25, @ is %40)"
            )));
        }
        let Some((scheme, rest)) = url.split_once("://") else {
            return one(url).map(|server| Self::One(Box::new(server))).map_err(refused);
        };
        let Some((scheme, kind)) = scheme.split_once('+').filter(|(_, kind)| *kind != "unix") else {
            return one(url).map(|server| Self::One(Box::new(server))).map_err(refused);
        };
        let (login, rest) = rest.rsplit_once('@').map_or(("", rest), |(login, rest)| (login, rest));
        let (hosts, path) = rest.split_once('/').unwrap_or((rest, ""));
        if hosts.split(',').count() > NODES_MAX {
            return Err(refused(format!("it names more than {NODES_MAX} nodes")));
        }
        let at = |login: &str, host: &str, database: &str| {
            let at = if login.is_empty() { "" } else { "@" };
            one(&format!("{scheme}://{login}{at}{host}/{database}"))
        };
        let nodes = |login: &str| {
            hosts.split(',').map(|host| at(login, host.trim(), "")).collect::<Result<Vec<_>, _>>()
        };
        match kind {
            "cluster" if path.is_empty() => nodes(login).map(Self::Cluster).map_err(refused),
            "cluster" => Err(refused("a Cluster has one database, so nothing follows its nodes".to_owned())),
            "sentinel" => {
                let (path, query) = path.split_once('?').unwrap_or((path, ""));
                let (master, database) = path.split_once('/').unwrap_or((path, "0"));
                if master.is_empty() {
                    return Err(refused("the name of the master is missing: …/name at its end".to_owned()));
                }
                let own = sentinel_login(query).map_err(refused)?;
                let first = hosts.split(',').next().unwrap_or_default();
                Ok(Self::Sentinel(Box::new(Sentinels {
                    nodes: nodes(&own).map_err(refused)?,
                    own_login: !own.is_empty(),
                    master: master.to_owned(),
                    login: at(login, first, database).map_err(refused)?,
                })))
            }
            unknown => Err(refused(format!(
                "{scheme}+{unknown} is none of {scheme}, {scheme}+cluster, {scheme}+sentinel"
            ))),
        }
    }

    /// Whether it holds a password.
    pub(super) fn has_password(&self) -> bool {
        let holds = |node: &ConnectionInfo| node.redis_settings().password().is_some();
        match self {
            Self::One(server) => holds(server),
            Self::Cluster(nodes) => nodes.iter().any(holds),
            Self::Sentinel(sentinels) => holds(&sentinels.login) || sentinels.nodes.iter().any(holds),
        }
    }
}

/// Refuses a URL that names no Redis, and certificates that are none.
pub(crate) fn check_address(url: &str, tls: &TlsFiles) -> Result<()> {
    Address::parse(url)?;
    tls.check()
}

/// Whether a URL holds a password.
pub(crate) fn has_password(url: &str) -> bool {
    Address::parse(url).is_ok_and(|address| address.has_password())
}

/// The login of the Sentinels themselves, `sentinel_user=…&sentinel_password=…`, as it stands before a host.
fn sentinel_login(query: &str) -> Result<String, String> {
    let (mut user, mut password) = ("", None);
    for pair in query.split('&').filter(|pair| !pair.is_empty()) {
        match pair.split_once('=') {
            Some(("sentinel_user", value)) => user = value,
            Some(("sentinel_password", value)) => password = Some(value),
            _ => return Err("only sentinel_user and sentinel_password can follow the ?".to_owned()),
        }
    }
    match password {
        Some(password) => Ok(format!("{user}:{password}")),
        None if user.is_empty() => Ok(String::new()),
        None => Err("a sentinel_user needs a sentinel_password".to_owned()),
    }
}

/// The first sign in the login of an address that ends it for a reader of addresses, or begins an escape that is none.
/// A password in which `@` stands as it is can be told: the last one is before the host.
fn unescaped(url: &str) -> Option<char> {
    if is_socket(url) {
        return url.split_once('?').and_then(|(_, login)| login.contains('#').then_some('#'));
    }
    let (_, rest) = url.split_once("://")?;
    let (login, _) = rest.rsplit_once('@')?;
    let is_escape =
        |after: &str| after.len() > 1 && after.bytes().take(2).all(|byte| byte.is_ascii_hexdigit());
    login.char_indices().map(|(at, sign)| (sign, login.get(at + 1..).unwrap_or_default())).find_map(
        |(sign, after)| match sign {
            '/' | '?' | '#' => Some(sign),
            '%' if !is_escape(after) => Some(sign),
            _ => None,
        },
    )
}

fn one(url: &str) -> Result<ConnectionInfo, String> {
    let server = url.into_connection_info().map_err(|error| match error.detail() {
        Some(detail) => detail.to_owned(),
        // Behind the words for people stands how the client files them.
        None => error.to_string().split(" - ").next().unwrap_or_default().to_owned(),
    })?;
    // Redis 7.0 knows no CLIENT SETINFO and takes no recipe that allows it; later ones would log a refusal for every
    // connection of a user with the least rights.
    let settings = server.redis_settings().clone().set_skip_set_lib_name();
    Ok(server.set_redis_settings(settings))
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::store::client::is_tls;

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
        let Ok(Address::Sentinel(found)) = sentinel else { panic!("{sentinel:?}") };
        assert_eq!((found.nodes.len(), found.master.as_str()), (2, "shop"));
        assert_eq!(found.login.redis_settings().password(), Some("secret"));
        assert_eq!(found.nodes[0].redis_settings().password(), None);
        assert!(is_tls(&found.login));
        let own = "redis+sentinel://:secret@a:1,b:2/shop?sentinel_user=ann&sentinel_password=p%40ss";
        let Ok(Address::Sentinel(found)) = Address::parse(own) else { panic!() };
        assert_eq!(found.nodes[1].redis_settings().password(), Some("p@ss"));
        assert_eq!(found.nodes[1].redis_settings().username(), Some("ann"));
        assert_eq!(found.login.redis_settings().password(), Some("secret"));
        for socket in ["redis+unix:///run/redis.sock?db=1", "valkey+unix:///run/redis.sock"] {
            assert!(matches!(Address::parse(socket), Ok(Address::One(_))), "{socket}");
        }
    }

    #[test]
    fn a_password_that_is_not_encoded_is_told_and_never_shown() {
        for scheme in ["redis", "rediss", "redis+cluster", "redis+sentinel", "rediss+sentinel"] {
            for sign in ["#", "/", "?", "%", "%2", "%zz", "@/", "#@"] {
                for login in
                    [format!("Abc{sign}kanary"), format!("user:54{sign}kanary"), format!(":{sign}kanary")]
                {
                    let url = format!("{scheme}://{login}@127.0.0.1:6379/name");
                    let error = Address::parse(&url).unwrap_err().to_string();
                    assert!(error.contains("percent-encode"), "{url}: {error}");
                    assert!(!error.contains("kanary") && error.contains("127.0.0.1:6379"), "{url}: {error}");
                }
            }
        }
        let socket = Address::parse("unix:///run/redis.sock?pass=p#kanary").unwrap_err().to_string();
        assert!(socket.contains("percent-encode") && !socket.contains("kanary"), "{socket}");
        for (url, password) in [
            ("redis://user:p%23%2F%3F%25%40@h", "p#/?%@"),
            ("redis://user:p@ss@h:1", "p@ss"),
            ("unix:///run/redis.sock?pass=p%23ss", "p#ss"),
        ] {
            let Ok(Address::One(server)) = Address::parse(url) else { panic!("{url}") };
            assert_eq!(server.redis_settings().password(), Some(password));
        }
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
            ("secret", "not the address"),
            ("user:secret@a:1", "not the address"),
            ("redis://secret:port", "not the address"),
            ("redis+sentinel://a:1/shop?sentinel_pass=secret", "sentinel_password"),
            ("redis+sentinel://a:1/shop?sentinel_user=secret", "needs a sentinel_password"),
        ] {
            let error = Address::parse(url).unwrap_err().to_string();
            assert!(error.contains(says) && !error.contains("secret"), "{url}: {error}");
        }
    }
}
