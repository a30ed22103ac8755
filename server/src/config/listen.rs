//! Where the dashboard listens, and under which names it answers.

use super::address::read_net;
use super::base_path::BasePath;
use super::login::Login;
use super::sources::{Sources, flag, flags};
use super::span::read_span;
use ipnet::IpNet;
use reprieve::model::Delay;
use std::net::{IpAddr, Ipv4Addr, SocketAddr};
use std::time::Duration;

/// Where the dashboard listens, and under which names it answers.
#[derive(Debug, Clone, PartialEq, Eq)]
#[non_exhaustive]
pub struct ListenConfig {
    /// The address; port 0 takes a free one.
    pub address: SocketAddr,
    /// Names it answers to besides `localhost` and plain IP addresses.
    pub allowed_hosts: Vec<AllowedHost>,
    /// Proxies in front whose `X-Forwarded-For` says where visitors come from.
    pub trusted_proxies: Vec<IpNet>,
    /// How long an idle connection is kept: longer than any proxy in front keeps its own, or that may send a request into
    /// one that we close.
    pub keep_alive: Duration,
    /// The path that everything is below.
    pub base_path: BasePath,
}

impl ListenConfig {
    /// The port of the default address.
    pub const PORT: u16 = 8080;
    /// How long an idle connection is kept unless something else is set: nginx and most balancers keep theirs for 60 s,
    /// caddy for 2 minutes.
    pub const KEEP_ALIVE: Duration = Duration::from_secs(180);

    /// `with_tls` is whether somebody named a certificate.
    pub(super) fn read(from: &Sources<'_>, with_tls: bool, login: Login) -> Self {
        let Sources { notes, root, serve, flags: line, .. } = *from;
        let plain =
            from.variable_truth("REPRIEVE_INSECURE_PLAIN_HTTP").or(serve.truth("insecure_plain_http"));
        let reach = Reach {
            encrypted: with_tls || line.insecure_plain_http || plain == Some(true),
            signed_in: login != Login::Off,
        };
        let address = flag("--listen", line.listen.as_ref()).or(from.variable("REPRIEVE_LISTEN"));
        let address = address.or(root.text("listen"));
        let mut hosts = serve.texts("allowed_hosts");
        hosts.extend(from.variables("REPRIEVE_ALLOWED_HOSTS"));
        hosts.extend(flags("--allow-host", &line.allow_host));
        let mut proxies = serve.texts("trusted_proxies");
        proxies.extend(from.variables("REPRIEVE_TRUSTED_PROXIES"));
        proxies.extend(flags("--trusted-proxy", &line.trusted_proxy));
        let keep_alive = from.variable("REPRIEVE_KEEP_ALIVE").or(serve.text("keep_alive"));
        let base_path = flag("--base-path", line.base_path.as_ref()).or(from.variable("REPRIEVE_BASE_PATH"));
        let base_path = base_path.or(serve.text("base_path"));
        let address = notes.read(address.as_ref(), |text| read_address(text, reach));
        Self {
            address: address.unwrap_or(Self::default().address),
            allowed_hosts: notes.read_all(&hosts, AllowedHost::read),
            trusted_proxies: notes.read_all(&proxies, read_net),
            keep_alive: notes.read(keep_alive.as_ref(), read_keep_alive).unwrap_or(Self::KEEP_ALIVE),
            base_path: notes
                .read(base_path.as_ref(), |path| path.parse::<BasePath>().map_err(|why| why.to_string()))
                .unwrap_or_default(),
        }
    }
}

impl Default for ListenConfig {
    fn default() -> Self {
        let address = (Ipv4Addr::LOCALHOST, Self::PORT).into();
        let (allowed_hosts, trusted_proxies) = (Vec::new(), Vec::new());
        Self {
            address,
            allowed_hosts,
            trusted_proxies,
            keep_alive: Self::KEEP_ALIVE,
            base_path: BasePath::default(),
        }
    }
}

/// Reads how long an idle connection is kept.
///
/// # Errors
/// A sentence, for less than a second and more than an hour.
fn read_keep_alive(text: &str) -> Result<Duration, String> {
    let span = read_span(text)?;
    if !(Delay::seconds(1)..=Delay::hours(1)).contains(&span) {
        return Err(format!("{text:?} is not between 1s and 1h"));
    }
    Ok(Duration::from_millis(span.as_millis().unsigned_abs()))
}

/// What must hold before other machines may come.
#[derive(Debug, Clone, Copy)]
struct Reach {
    /// We speak TLS, or somebody said loudly that something else encrypts the way.
    encrypted: bool,
    /// People sign in.
    signed_in: bool,
}

/// Reads `127.0.0.1:8080`, `[::1]:8080` or `localhost:8080`.
///
/// # Errors
/// A sentence, for anything that is no address, and for one that other machines could reach and should not.
fn read_address(text: &str, reach: Reach) -> Result<SocketAddr, String> {
    let numeric = match text.strip_prefix("localhost:") {
        Some(port) => format!("{}:{port}", Ipv4Addr::LOCALHOST),
        None => text.to_owned(),
    };
    let address: SocketAddr = numeric
        .parse()
        .map_err(|_| format!("{text:?} is not an address with a port, such as 127.0.0.1:8080"))?;
    if is_loopback(address.ip()) {
        return Ok(address);
    }
    let port = address.port();
    match reach {
        Reach { signed_in: false, .. } => Err(format!(
            "{address} could be reached from other machines, and with login off everybody who reaches it may do everything; \
             leave that out, or keep 127.0.0.1:{port}"
        )),
        Reach { encrypted: true, .. } => Ok(address),
        Reach { encrypted: false, .. } => Err(format!(
            "{address} could be reached from other machines, and there is no TLS: passwords and jobs could be read on the \
             way; name a certificate with --tls-cert-file and --tls-key-file, or keep 127.0.0.1:{port} behind a proxy on \
             this machine, or a tunnel: ssh -L {port}:127.0.0.1:{port} <this machine>; where something else encrypts \
             all of the way, say --insecure-plain-http"
        )),
    }
}

/// What a browser on this machine calls an address that is listened on.
pub(crate) fn named_here(address: SocketAddr) -> String {
    match address.ip() {
        ip if ip.is_unspecified() => format!("localhost:{}", address.port()),
        _ => address.to_string(),
    }
}

/// `::ffff:127.0.0.1` is loopback too, though `IpAddr::is_loopback` says no.
pub(crate) fn is_loopback(ip: IpAddr) -> bool {
    ip.to_canonical().is_loopback()
}

/// A name the dashboard may be called by, for instance behind a proxy on this machine.
#[derive(Debug, Clone, PartialEq, Eq)]
#[non_exhaustive]
pub struct AllowedHost {
    /// The name in lower case, without a port.
    pub name: String,
    /// Whether browsers see it under `https://`, because a proxy adds TLS.
    pub https: bool,
    /// The port that browsers see, for a proxy that leaves it out of the `Host` it passes on.
    pub port: Option<u16>,
}

impl AllowedHost {
    /// This machine, as a browser on it calls it.
    #[must_use]
    pub fn localhost() -> Self {
        Self { name: "localhost".to_owned(), https: false, port: None }
    }

    /// The name as it stands in an address, with the port if there is one.
    #[must_use]
    pub fn authority(&self) -> String {
        match self.port {
            Some(port) => format!("{}:{port}", self.name),
            None => self.name.clone(),
        }
    }

    /// Reads `reprieve.example` or, if a proxy in front adds TLS, `https://reprieve.example`; each may end with the port
    /// that browsers see, such as `http://reprieve.example:8090`.
    ///
    /// # Errors
    /// A sentence, for anything that is no host name.
    pub fn read(text: &str) -> Result<Self, String> {
        let (https, authority) = match text.strip_prefix("https://") {
            Some(authority) => (true, authority),
            None => (false, text.strip_prefix("http://").unwrap_or(text)),
        };
        let (name, port) = match authority.split_once(':') {
            // Port 0 is none.
            Some((name, port)) => (name, Some(port.parse().ok().filter(|port| *port > 0))),
            None => (authority, None),
        };
        let fits = |c: char| c.is_ascii_alphanumeric() || matches!(c, '.' | '-' | '_');
        if name.is_empty() || name.len() > 253 || !name.chars().all(fits) || port == Some(None) {
            return Err(format!(
                "{text:?} is not a host name such as reprieve.example, https://reprieve.example or \
                 http://reprieve.example:8090"
            ));
        }
        Ok(Self { name: name.to_ascii_lowercase(), https, port: port.flatten() })
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn other_machines_come_only_over_tls_and_only_where_people_sign_in() {
        let reach = |encrypted, signed_in| Reach { encrypted, signed_in };
        for good in ["127.0.0.1:8080", "[::1]:0", "localhost:80", "127.8.9.1:1", "[::ffff:127.0.0.1]:80"] {
            assert!(read_address(good, reach(false, false)).is_ok(), "{good} was refused");
        }
        for open in ["0.0.0.0:8080", "[::]:8080", "192.168.1.5:80", "[::ffff:10.0.0.1]:80"] {
            let why = read_address(open, reach(false, true)).unwrap_err();
            assert!(why.contains("no TLS") && why.contains("ssh -L"), "{why}");
            for encrypted in [false, true] {
                let why = read_address(open, reach(encrypted, false)).unwrap_err();
                assert!(why.contains("may do everything"), "{why}");
            }
            assert!(read_address(open, reach(true, true)).is_ok(), "{open} was refused");
        }
        for nonsense in ["", "8080", "localhost", "example.com:80"] {
            assert!(
                read_address(nonsense, reach(true, true)).unwrap_err().contains("such as 127.0.0.1:8080")
            );
        }
    }

    #[test]
    fn an_address_of_every_network_card_is_called_by_a_name_of_this_machine() {
        for (address, named) in [
            ("0.0.0.0:1", "localhost:1"),
            ("[::]:2", "localhost:2"),
            ("[::1]:3", "[::1]:3"),
            ("10.0.0.1:4", "10.0.0.1:4"),
        ] {
            assert_eq!(named_here(address.parse().unwrap()), named);
        }
    }

    #[test]
    fn an_idle_connection_is_kept_longer_than_common_proxies_keep_theirs() {
        assert!(ListenConfig::default().keep_alive > Duration::from_secs(120));
        assert_eq!(read_keep_alive("75s"), Ok(Duration::from_secs(75)));
        for wrong in ["0s", "999ms", "61min", "75"] {
            assert!(read_keep_alive(wrong).is_err(), "{wrong:?} was accepted");
        }
    }

    #[test]
    fn an_allowed_host_is_a_name_with_or_without_scheme_and_port_and_has_no_path() {
        let named = |https, port| AllowedHost { name: "reprieve.example".to_owned(), https, port };
        for (text, read) in [
            ("https://Reprieve.Example", named(true, None)),
            ("reprieve.example", named(false, None)),
            ("http://reprieve.example:8090", named(false, Some(8_090))),
            ("https://reprieve.example:8443", named(true, Some(8_443))),
            ("reprieve.example:81", named(false, Some(81))),
        ] {
            assert_eq!(AllowedHost::read(text), Ok(read), "{text}");
        }
        for wrong in
            ["", "*", "a b", "a/b", "a:", "a:0", "a:65536", "a:1:2", "ftp://a", "http://a/", "http://"]
        {
            assert!(AllowedHost::read(wrong).is_err(), "{wrong:?} was accepted");
        }
    }
}
