//! Where a request comes from: its connection, or what a trusted proxy at the end of it says.
//!
//! Each proxy appends to `X-Forwarded-For` whom it was asked by. What stands before that is the visitor's own word. So the
//! list is read from its end, and the first address that is no proxy of ours is the visitor's.

use axum::extract::{ConnectInfo, Request, State};
use axum::middleware::Next;
use axum::response::Response;
use http::{Extensions, HeaderMap, HeaderName};
use ipnet::IpNet;
use std::net::{IpAddr, Ipv6Addr, SocketAddr};
use std::sync::Arc;

/// The one header that is read: two could say two things, of which a client chose one.
const FORWARDED_FOR: HeaderName = HeaderName::from_static("x-forwarded-for");
/// Proxies of ours one behind another. More are a list that somebody made up.
const HOPS_MAX: usize = 16;

/// The proxies whose word about where their visitors come from is taken.
#[derive(Debug, Clone, Default)]
pub(crate) struct TrustedProxies(Arc<[IpNet]>);

impl TrustedProxies {
    pub(crate) fn new(networks: &[IpNet]) -> Self {
        Self(networks.into())
    }

    /// Whether it is one of them.
    pub(crate) fn has(&self, address: IpAddr) -> bool {
        let address = address.to_canonical();
        self.0.iter().any(|network| network.contains(&address))
    }

    /// Who is at the other end of a connection, through all proxies of ours.
    fn client(&self, peer: IpAddr, headers: &HeaderMap) -> IpAddr {
        let mut client = peer.to_canonical();
        // Several headers are one list in their order: some proxies add a header instead of a comma.
        let lists = headers.get_all(FORWARDED_FOR).iter().rev();
        let mut hops = lists.flat_map(|list| list.as_bytes().rsplit(|&byte| byte == b',')).take(HOPS_MAX);
        while self.has(client) {
            // The last proxy that says something readable is as far as we know.
            let Some(hop) = hops.next().and_then(address) else { break };
            // Nobody asks another machine from the loopback of this one, where some doors open more easily.
            if hop.is_loopback() && !client.is_loopback() {
                break;
            }
            client = hop;
        }
        client
    }
}

/// An address, some proxies write a port behind it; `None` for anything else.
fn address(hop: &[u8]) -> Option<IpAddr> {
    let hop = std::str::from_utf8(hop).ok()?.trim_matches([' ', '\t']);
    let bracketed = || hop.strip_prefix('[')?.strip_suffix(']')?.parse::<Ipv6Addr>().ok();
    let with_port = || hop.parse::<SocketAddr>().ok().map(|address| address.ip());
    let found = hop.parse().ok().or_else(|| bracketed().map(IpAddr::from)).or_else(with_port)?;
    Some(found.to_canonical()).filter(|address| !address.is_unspecified())
}

/// Where a request comes from, once it is known.
#[derive(Debug, Clone, Copy)]
struct ComesFrom(IpAddr);

/// Finds out where a request comes from.
pub(crate) async fn layer(
    State(proxies): State<TrustedProxies>,
    mut request: Request,
    next: Next,
) -> Response {
    if let Some(peer) = peer_of(request.extensions()) {
        let client = proxies.client(peer, request.headers());
        request.extensions_mut().insert(ComesFrom(client));
    }
    next.run(request).await
}

/// Where a request comes from; `None` if its server does not say.
pub(crate) fn address_of(extensions: &Extensions) -> Option<IpAddr> {
    extensions.get().map(|ComesFrom(client)| *client).or_else(|| peer_of(extensions))
}

/// The other end of its connection: a proxy, where one stands in front.
pub(crate) fn peer_of(extensions: &Extensions) -> Option<IpAddr> {
    extensions.get::<ConnectInfo<SocketAddr>>().map(|ConnectInfo(peer)| peer.ip().to_canonical())
}

#[cfg(test)]
mod tests {
    use super::*;
    use http::HeaderValue;

    fn client(peer: &str, lists: &[&str]) -> String {
        let networks = ["10.0.0.0/24", "127.0.0.1/32", "2001:db8::/64"].map(|text| text.parse().unwrap());
        let mut headers = HeaderMap::new();
        for list in lists {
            headers.append(FORWARDED_FOR, HeaderValue::from_bytes(list.as_bytes()).unwrap());
        }
        TrustedProxies::new(&networks).client(peer.parse().unwrap(), &headers).to_string()
    }

    #[test]
    fn the_last_address_that_is_no_proxy_of_ours_is_the_visitors() {
        for (peer, lists, told) in [
            ("10.0.0.7", vec!["203.0.113.9"], "203.0.113.9"),
            ("10.0.0.7", vec!["198.51.100.1, 203.0.113.9"], "203.0.113.9"),
            ("10.0.0.7", vec!["198.51.100.1,203.0.113.9 ,\t10.0.0.8"], "203.0.113.9"),
            ("10.0.0.7", vec!["198.51.100.1", "203.0.113.9"], "203.0.113.9"),
            ("10.0.0.7", vec!["203.0.113.9:4711"], "203.0.113.9"),
            ("10.0.0.7", vec!["::ffff:203.0.113.9"], "203.0.113.9"),
            ("10.0.0.7", vec!["[2001:db8:1::9]:80"], "2001:db8:1::9"),
            ("10.0.0.7", vec!["[2001:db8:1::9]"], "2001:db8:1::9"),
            ("::ffff:10.0.0.7", vec!["203.0.113.9"], "203.0.113.9"),
            ("2001:db8::1", vec!["2001:db8:1::9"], "2001:db8:1::9"),
            // Proxies of ours all the way: somebody at the first of them.
            ("10.0.0.7", vec!["10.0.0.9, 10.0.0.8"], "10.0.0.9"),
            ("127.0.0.1", vec!["127.0.0.1"], "127.0.0.1"),
            ("10.0.0.7", vec![], "10.0.0.7"),
        ] {
            assert_eq!(client(peer, &lists), told, "{peer} {lists:?}");
        }
    }

    #[test]
    fn what_nobody_of_ours_wrote_is_nobodys_address() {
        for (peer, lists, told) in [
            ("203.0.113.1", vec!["198.51.100.1"], "203.0.113.1"),
            ("10.0.1.7", vec!["10.0.0.7"], "10.0.1.7"),
            ("127.0.0.2", vec!["198.51.100.1"], "127.0.0.2"),
            // As far as it reads, from its end.
            ("10.0.0.7", vec!["198.51.100.1, unknown"], "10.0.0.7"),
            ("10.0.0.7", vec!["198.51.100.1, "], "10.0.0.7"),
            ("10.0.0.7", vec!["198.51.100.1", ""], "10.0.0.7"),
            ("10.0.0.7", vec!["198.51.100.1; 203.0.113.9"], "10.0.0.7"),
            ("10.0.0.7", vec!["198.51.100.1 203.0.113.9"], "10.0.0.7"),
            ("10.0.0.7", vec!["for=203.0.113.9"], "10.0.0.7"),
            ("10.0.0.7", vec!["\"203.0.113.9\""], "10.0.0.7"),
            ("10.0.0.7", vec!["203.0.113.0/24"], "10.0.0.7"),
            ("10.0.0.7", vec!["3405803785"], "10.0.0.7"),
            ("10.0.0.7", vec!["203.0.113.09"], "10.0.0.7"),
            ("10.0.0.7", vec!["203.0.113.9\u{e9}"], "10.0.0.7"),
            ("10.0.0.7", vec!["0.0.0.0"], "10.0.0.7"),
            ("10.0.0.7", vec!["::"], "10.0.0.7"),
            ("10.0.0.7", vec!["203.0.113.9, x, 10.0.0.8"], "10.0.0.8"),
            // This machine's loopback is nowhere behind another one.
            ("10.0.0.7", vec!["127.0.0.1"], "10.0.0.7"),
            ("10.0.0.7", vec!["::1"], "10.0.0.7"),
            ("127.0.0.1", vec!["127.0.0.1, 10.0.0.8"], "10.0.0.8"),
        ] {
            assert_eq!(client(peer, &lists), told, "{peer} {lists:?}");
        }
        let endless = format!("203.0.113.9{}", ", 10.0.0.8".repeat(HOPS_MAX));
        assert_eq!(client("10.0.0.7", &[&endless]), "10.0.0.8");
    }
}
