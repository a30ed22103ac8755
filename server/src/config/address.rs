//! Addresses, as the configuration has them.

use ipnet::IpNet;
use std::net::IpAddr;
use url::Url;

/// Reads an address of HTTP or HTTPS that has neither query nor fragment. `what` is whose it is. The sentence does not repeat
/// it: it may hold a password.
pub(super) fn read_http(text: &str, what: &str) -> Result<Url, String> {
    let url: Url = text.parse().map_err(|why| format!("{what} is not a URL: {why}"))?;
    if !matches!(url.scheme(), "http" | "https") || url.host().is_none() {
        return Err(format!("{what} is not an HTTP address"));
    }
    if url.query().is_some() || url.fragment().is_some() {
        return Err(format!("{what} has a query or a fragment, which none has"));
    }
    Ok(url)
}

/// An address, or a network of them.
pub(super) fn read_net(text: &str) -> Result<IpNet, String> {
    let one = text.parse::<IpAddr>().map(|address| IpNet::from(address.to_canonical()));
    let net = one
        .or_else(|_| text.parse())
        .map_err(|_| format!("{text:?} is neither an address nor a network, such as 10.0.0.0/8"))?;
    if net.prefix_len() == 0 {
        return Err(format!("{text:?} is everybody, whose word is worth nothing"));
    }
    Ok(net)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn an_address_is_one_of_http_without_query_or_fragment_and_is_not_repeated() {
        for fits in ["http://a.example", "https://u:p%23@a.example:1/x", "http://[::1]"] {
            assert!(read_http(fits, "it").is_ok(), "{fits}");
        }
        for not in [
            "",
            "canary.example",
            "socks5://canary",
            "http://u:canary#p@host",
            "https://canary?a",
            "https://canary#a",
        ] {
            let why = read_http(not, "it").unwrap_err();
            assert!(why.starts_with("it ") && !why.contains("canary"), "{why}");
        }
    }
}
