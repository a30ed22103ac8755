//! Where the dashboard listens, and under which names it answers.

use std::net::{IpAddr, Ipv4Addr, SocketAddr};

/// Where the dashboard listens, and under which names it answers.
#[derive(Debug, Clone, PartialEq, Eq)]
#[non_exhaustive]
pub struct ListenConfig {
    /// The address; port 0 takes a free one.
    pub address: SocketAddr,
    /// Names it answers to besides `localhost` and plain IP addresses.
    pub allowed_hosts: Vec<AllowedHost>,
}

impl ListenConfig {
    /// The port of the default address.
    pub const PORT: u16 = 8080;
}

impl Default for ListenConfig {
    fn default() -> Self {
        Self { address: (Ipv4Addr::LOCALHOST, Self::PORT).into(), allowed_hosts: Vec::new() }
    }
}

/// Reads `127.0.0.1:8080`, `[::1]:8080` or `localhost:8080`.
///
/// # Errors
/// A sentence, for anything that is no address, and for one that other machines could reach.
pub(crate) fn read_address(text: &str) -> Result<SocketAddr, String> {
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
    Err(format!(
        "{address} could be reached from other machines, and Reprieve has no login yet, so it listens \
         on this machine only; keep 127.0.0.1:{port} and reach it from elsewhere through a tunnel: \
         ssh -L {port}:127.0.0.1:{port} <this machine>"
    ))
}

/// `::ffff:127.0.0.1` is loopback too, though `IpAddr::is_loopback` says no.
fn is_loopback(ip: IpAddr) -> bool {
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
}

impl AllowedHost {
    /// Reads `reprieve.example` or, if a proxy in front adds TLS, `https://reprieve.example`.
    ///
    /// # Errors
    /// A sentence, for anything that is no host name.
    pub fn read(text: &str) -> Result<Self, String> {
        let (https, name) = match text.strip_prefix("https://") {
            Some(name) => (true, name),
            None => (false, text),
        };
        let fits = |c: char| c.is_ascii_alphanumeric() || matches!(c, '.' | '-' | '_');
        if name.is_empty() || name.len() > 253 || !name.chars().all(fits) {
            return Err(format!(
                "{text:?} is not a host name such as reprieve.example or https://reprieve.example"
            ));
        }
        Ok(Self { name: name.to_ascii_lowercase(), https })
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn only_addresses_of_this_machine_are_accepted() {
        for good in ["127.0.0.1:8080", "[::1]:0", "localhost:80", "127.8.9.1:1", "[::ffff:127.0.0.1]:80"] {
            assert!(read_address(good).is_ok(), "{good} was refused");
        }
        for open in ["0.0.0.0:8080", "[::]:8080", "192.168.1.5:80", "[::ffff:10.0.0.1]:80"] {
            let why = read_address(open).unwrap_err();
            assert!(why.contains("no login yet") && why.contains("ssh -L"), "{why}");
        }
        for nonsense in ["", "8080", "localhost", "example.com:80"] {
            assert!(read_address(nonsense).unwrap_err().contains("such as 127.0.0.1:8080"));
        }
    }

    #[test]
    fn an_allowed_host_is_a_name_without_port_or_path() {
        assert_eq!(
            AllowedHost::read("https://Reprieve.Example"),
            Ok(AllowedHost { name: "reprieve.example".to_owned(), https: true })
        );
        for wrong in ["", "*", "a b", "a/b", "a:80", "http://a"] {
            assert!(AllowedHost::read(wrong).is_err(), "{wrong:?} was accepted");
        }
    }
}
