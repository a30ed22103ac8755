//! Which addresses a webhook may reach: the public internet, unless the operator said otherwise.
//!
//! A person who may write the configuration, or a name server, must not be able to
//! turn this process into a door to the machine and network it runs in.

use ipnet::{Ipv4Net, Ipv6Net};
use std::net::{IpAddr, Ipv4Addr, Ipv6Addr};
use url::{Host, Url};

/// Networks of IPv4 that are not the public internet (IANA special-purpose registry).
const V4_CLOSED: [Ipv4Net; 15] = [
    v4([0, 0, 0, 0], 8),       // this network; 0.0.0.0 reaches the machine itself on Linux
    v4([10, 0, 0, 0], 8),      // private
    v4([100, 64, 0, 0], 10),   // carrier-grade NAT; some clouds keep their metadata there
    v4([127, 0, 0, 0], 8),     // loopback
    v4([169, 254, 0, 0], 16),  // link-local, the metadata service of most clouds
    v4([172, 16, 0, 0], 12),   // private
    v4([192, 0, 0, 0], 24),    // protocol assignments
    v4([192, 0, 2, 0], 24),    // documentation
    v4([192, 88, 99, 0], 24),  // the former relay of 6to4
    v4([192, 168, 0, 0], 16),  // private
    v4([198, 18, 0, 0], 15),   // benchmarks
    v4([198, 51, 100, 0], 24), // documentation
    v4([203, 0, 113, 0], 24),  // documentation
    v4([224, 0, 0, 0], 4),     // multicast
    v4([240, 0, 0, 0], 4),     // reserved, broadcast
];

/// Public IPv6 lies in here; everything outside is closed at once.
const V6_GLOBAL: Ipv6Net = v6([0x2000, 0, 0], 3);

/// Networks of IPv6 inside [`V6_GLOBAL`] that are not the public internet.
const V6_CLOSED: [Ipv6Net; 3] = [
    v6([0x2001, 0, 0], 23),     // protocol assignments, Teredo among them
    v6([0x2001, 0xdb8, 0], 32), // documentation
    v6([0x3fff, 0, 0], 20),     // documentation
];

/// IPv4 as sockets of IPv6 write it: `::ffff:1.2.3.4`.
const MAPPED: Ipv6Net = Ipv6Net::new_assert(Ipv6Addr::new(0, 0, 0, 0, 0, 0xffff, 0, 0), 96);
/// How networks without IPv4 reach it (NAT64, RFC 6052): `64:ff9b::1.2.3.4`. What is around it is closed. A network may
/// have prefixes of its own besides, which only its operator knows.
const NAT64: Ipv6Net = v6([0x64, 0xff9b, 0], 96);
/// IPv6 through IPv4 (RFC 3056): `2002:102:304::`.
const SIX_TO_FOUR: Ipv6Net = v6([0x2002, 0, 0], 16);

const fn v4(octets: [u8; 4], prefix: u8) -> Ipv4Net {
    let [a, b, c, d] = octets;
    Ipv4Net::new_assert(Ipv4Addr::new(a, b, c, d), prefix)
}

const fn v6(start: [u16; 3], prefix: u8) -> Ipv6Net {
    let [a, b, c] = start;
    Ipv6Net::new_assert(Ipv6Addr::new(a, b, c, 0, 0, 0, 0, 0), prefix)
}

/// Whether an address lies on the public internet. One with an IPv4 address inside leads there, and is judged
/// by that. `nat64` are the prefixes of the operator's own.
pub(crate) fn is_public(address: IpAddr, nat64: &[Ipv6Net]) -> bool {
    match (address, inside(address, nat64)) {
        (IpAddr::V4(v4), _) | (IpAddr::V6(_), Some(v4)) => !V4_CLOSED.iter().any(|net| net.contains(&v4)),
        (IpAddr::V6(v6), None) => V6_GLOBAL.contains(&v6) && !V6_CLOSED.iter().any(|net| net.contains(&v6)),
    }
}

/// The address of IPv4 to which one of IPv6 leads.
fn inside(address: IpAddr, nat64: &[Ipv6Net]) -> Option<Ipv4Addr> {
    let IpAddr::V6(v6) = address else { return None };
    let octets = v6.octets();
    if MAPPED.contains(&v6) {
        let [.., a, b, c, d] = octets;
        Some(Ipv4Addr::new(a, b, c, d))
    } else if let Some(prefix) = nat64.iter().chain([&NAT64]).find(|prefix| prefix.contains(&v6)) {
        Some(behind(octets, prefix.prefix_len()))
    } else if SIX_TO_FOUR.contains(&v6) {
        let [_, _, a, b, c, d, ..] = octets;
        Some(Ipv4Addr::new(a, b, c, d))
    } else {
        None
    }
}

/// The address of IPv4 behind a prefix that long. The ninth octet is left out (RFC 6052, 2.2).
fn behind(octets: [u8; 16], prefix_bits: u8) -> Ipv4Addr {
    let mut rest = octets.into_iter().enumerate().skip(usize::from(prefix_bits / 8));
    let mut next = || rest.find(|(at, _)| *at != 8).map_or(0, |(_, octet)| octet);
    Ipv4Addr::new(next(), next(), next(), next())
}

/// Says why a URL may not be called, and that `setting` would allow it. Names are checked when they are looked up. `nat64` are
/// the prefixes of the operator's own.
///
/// # Errors
/// A sentence for the operator; without the URL, which may hold a token.
pub(crate) fn check(url: &Url, allow_private: bool, setting: &str, nat64: &[Ipv6Net]) -> Result<(), String> {
    if allow_private {
        return Ok(());
    }
    if url.scheme() != "https" {
        return Err(format!(
            "it is not https, so anyone on the way could read the jobs; {setting} allows http too, for receivers on your own \
             network"
        ));
    }
    let address: IpAddr = match url.host() {
        Some(Host::Ipv4(address)) => address.into(),
        Some(Host::Ipv6(address)) => address.into(),
        Some(Host::Domain(_)) => return Ok(()),
        None => return Err("it names no host".to_owned()),
    };
    if is_public(address, nat64) {
        Ok(())
    } else {
        Err(format!("{}: that is {CLOSED}; {setting} allows it", named(address, nat64)))
    }
}

/// What is said of an address that may not be called.
pub(crate) const CLOSED: &str = "not an address of the public internet";

/// What allows a private address: of a webhook of the configuration, of one of the command line, and where nobody knows which
/// it is of.
pub(crate) const ALLOW_KEY: &str = "allow_private = true";
pub(crate) const ALLOW_FLAG: &str = "--webhook-allow-private";
pub(crate) const ALLOW_EITHER: &str = "allow_private = true or --webhook-allow-private";

/// An address, with the one of IPv4 that it leads to.
pub(crate) fn named(address: IpAddr, nat64: &[Ipv6Net]) -> String {
    match inside(address, nat64) {
        Some(v4) => format!("{address}, which leads to {v4}"),
        None => address.to_string(),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// The address that a URL names, after the spelling rules of the WHATWG, which the client follows too.
    fn address_of(url: &str) -> Option<IpAddr> {
        match Url::parse(url).ok()?.host()? {
            Host::Ipv4(v4) => Some(v4.into()),
            Host::Ipv6(v6) => Some(v6.into()),
            Host::Domain(_) => None,
        }
    }

    #[test]
    fn the_machine_and_its_network_are_closed_in_every_spelling() {
        for host in [
            "127.0.0.1",
            "127.1",
            "127.0.1",
            "2130706433",
            "0x7f000001",
            "0x7f.1",
            "0177.0.0.1",
            "0177.1",
            "017700000001",
            "0",
            "0.0.0.0",
            "127.0.0.1.",
            "127.255.255.254",
            "10.0.0.1",
            "10.1",
            "172.16.0.1",
            "172.31.255.255",
            "192.168.0.1",
            "0xc0a80001",
            "169.254.169.254",
            "2852039166",
            "0xa9fea9fe",
            "0xa9.0xfe.0xa9.0xfe",
            "0251.0376.0251.0376",
            "100.64.0.1",
            "100.100.100.200",
            "192.0.0.192",
            "198.18.0.1",
            "224.0.0.1",
            "255.255.255.255",
            "240.0.0.1",
            "[::1]",
            "[::]",
            "[0:0:0:0:0:0:0:1]",
            "[::ffff:127.0.0.1]",
            "[::ffff:7f00:1]",
            "[::ffff:10.0.0.1]",
            "[::ffff:169.254.169.254]",
            "[::ffff:a9fe:a9fe]",
            "[::127.0.0.1]",
            "[::7f00:1]",
            "[64:ff9b::7f00:1]",
            "[64:ff9b::169.254.169.254]",
            "[64:ff9b::10.0.0.1]",
            "[64:ff9b::c0a8:101]",
            "[64:ff9b::100.64.0.1]",
            "[64:ff9b::0.0.0.0]",
            "[64:ff9b::1:7f00:1]",
            "[64:ff9b:0:0:0:1:101:101]",
            "[64:ff9b:1::1]",
            "[64:ff9b:1::101:101]",
            "[64:ff9c::101:101]",
            "[::ffff:0:127.0.0.1]",
            "[::ffff:0:1.1.1.1]",
            "[::1.1.1.1]",
            "[::fffe:1.1.1.1]",
            "[2002:7f00:1::]",
            "[2002:a00:1::1]",
            "[2002:c0a8:101::1.1.1.1]",
            "[2002:e000:1::]",
            "192.88.99.1",
            "[2002:a9fe:a9fe::1]",
            "[2001:0:4136:e378:8000:63bf:80ff:fffe]",
            "[fe80::1]",
            "[fec0::1]",
            "[fc00::1]",
            "[fd00:ec2::254]",
            "[ff02::1]",
            "[2001:db8::1]",
            "[100::1]",
            "１２７.0.0.1",
            "①②⑦.0.0.1",
        ] {
            let address =
                address_of(&format!("http://{host}/")).unwrap_or_else(|| panic!("{host} is no address"));
            assert!(!is_public(address, &[]), "{host} = {address} was let through");
        }
    }

    #[test]
    fn the_public_internet_is_open() {
        for host in [
            "1.1.1.1",
            "8.8.8.8",
            "172.32.0.1",
            "172.15.255.255",
            "100.63.255.255",
            "100.128.0.1",
            "192.169.0.1",
            "223.255.255.255",
            "[2606:4700:4700::1111]",
            "[::ffff:1.1.1.1]",
            "[64:ff9b::101:101]",
            "[64:ff9b::8.8.8.8]",
            "[2002:101:101::1]",
            "[2a00:1450:4001::1]",
        ] {
            let address = address_of(&format!("https://{host}/")).unwrap();
            assert!(is_public(address, &[]), "{host} was refused");
        }
    }

    #[test]
    fn behind_a_prefix_of_the_operators_own_the_address_of_ipv4_decides() {
        // Those of RFC 6052, 2.4, with 192.0.2.33 inside.
        for (prefix, address) in [
            ("2001:db8::/32", "2001:db8:c000:221::"),
            ("2001:db8:100::/40", "2001:db8:1c0:2:21::"),
            ("2001:db8:122::/48", "2001:db8:122:c000:2:2100::"),
            ("2001:db8:122:300::/56", "2001:db8:122:3c0:0:221::"),
            ("2001:db8:122:344::/64", "2001:db8:122:344:c0:2:2100::"),
            ("2001:db8:122:344::/96", "2001:db8:122:344::192.0.2.33"),
        ] {
            let prefix: Ipv6Net = prefix.parse().unwrap();
            let found = inside(address.parse().unwrap(), &[prefix]);
            assert_eq!(found, Some(Ipv4Addr::new(192, 0, 2, 33)), "{prefix}");
        }
        let own: Ipv6Net = "2a00:64::/96".parse().unwrap();
        for (address, without, with) in [
            ("2a00:64::10.0.0.1", true, false),
            ("2a00:64::169.254.169.254", true, false),
            ("2a00:64::8.8.8.8", true, true),
            ("64:ff9b::8.8.8.8", true, true),
            ("64:ff9b::10.0.0.1", false, false),
            ("2a00:65::1", true, true),
        ] {
            let address: IpAddr = address.parse().unwrap();
            assert_eq!((is_public(address, &[]), is_public(address, &[own])), (without, with), "{address}");
        }
        let documentation: Ipv6Net = "2001:db8:64::/96".parse().unwrap();
        assert!(is_public("2001:db8:64::8.8.8.8".parse().unwrap(), &[documentation]));
    }

    #[test]
    fn a_url_is_public_https_unless_more_is_allowed() {
        for (url, allow_private, fits) in [
            ("https://example.com/hook", false, true),
            ("https://1.1.1.1/", false, true),
            ("http://example.com/hook", false, false),
            ("https://127.0.0.1/", false, false),
            ("https://[::ffff:169.254.169.254]/latest/meta-data", false, false),
            ("https://0x7f.1:8443/", false, false),
            ("https://[64:ff9b::101:101]/hook", false, true),
            ("https://[64:ff9b::7f00:1]/hook", false, false),
            ("http://127.0.0.1:9000/hook", true, true),
        ] {
            let checked = check(&url.parse().unwrap(), allow_private, ALLOW_KEY, &[]);
            assert_eq!(checked.is_ok(), fits, "{url}");
        }
        let said = |url: &str| check(&url.parse().unwrap(), false, ALLOW_KEY, &[]).unwrap_err();
        let closed = "that is not an address of the public internet; allow_private = true allows it";
        assert_eq!(said("https://127.0.0.1/"), format!("127.0.0.1: {closed}"));
        let nat64 = format!("64:ff9b::7f00:1, which leads to 127.0.0.1: {closed}");
        assert_eq!(said("https://[64:ff9b::7f00:1]/"), nat64);
        let own = ["2a00:64::/96".parse().unwrap()];
        let url = "https://[2a00:64::7f00:1]/".parse().unwrap();
        let said = check(&url, false, ALLOW_KEY, &own).unwrap_err();
        assert_eq!(said, format!("2a00:64::7f00:1, which leads to 127.0.0.1: {closed}"));
    }
}
