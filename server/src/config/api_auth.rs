//! Whether the HTTP API asks for a token.

use super::Login;
use std::net::SocketAddr;
use std::str::FromStr;

/// Whether the HTTP API asks for a token. One that is sent is always checked.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
#[non_exhaustive]
pub enum ApiAuth {
    /// Everybody who reaches the API may do everything: for a server that only this machine reaches.
    #[default]
    Off,
    /// Every request needs a token that may do what it asks.
    Required,
}

impl ApiAuth {
    /// What holds where nothing was said: where people sign in programs do, too, and so they do where other machines
    /// reach the server.
    #[must_use]
    pub fn beside(login: Login, address: SocketAddr) -> Self {
        let here = address.ip().to_canonical().is_loopback();
        if here && login == Login::Off { Self::Off } else { Self::Required }
    }
}

impl FromStr for ApiAuth {
    type Err = String;

    fn from_str(text: &str) -> Result<Self, String> {
        match text {
            "off" => Ok(Self::Off),
            "required" => Ok(Self::Required),
            other => Err(format!("api_auth {other:?} is not known; use off or required")),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn only_a_server_of_this_machine_without_logins_asks_for_no_token_by_itself() {
        for (address, expected) in [
            ("127.0.0.1:1", ApiAuth::Off),
            ("[::1]:1", ApiAuth::Off),
            ("[::ffff:127.0.0.1]:1", ApiAuth::Off),
            ("0.0.0.0:1", ApiAuth::Required),
            ("192.168.0.1:1", ApiAuth::Required),
        ] {
            assert_eq!(ApiAuth::beside(Login::Off, address.parse().unwrap()), expected, "{address}");
            assert_eq!(ApiAuth::beside(Login::Required, address.parse().unwrap()), ApiAuth::Required);
        }
        assert!("maybe".parse::<ApiAuth>().is_err());
    }
}
