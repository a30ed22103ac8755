//! How webhooks and a provider of sign-in are reached.

use super::address::read_http;
use super::draft::Draft;
use super::mistake::Mistakes;
use super::pem::{client_certificate, read_certificates};
use super::secret::Secret;
use ipnet::Ipv6Net;
use url::Url;

/// How long a prefix of NAT64 may be: behind each there is one place for an address of IPv4 (RFC 6052, 2.2).
const NAT64_LENGTHS: [u8; 6] = [32, 40, 48, 56, 64, 96];

/// How other servers are called by HTTP.
#[derive(Clone, PartialEq, Eq, Default)]
#[non_exhaustive]
pub struct OutgoingConfig {
    /// Certificates in PEM of authorities that are trusted beside those of this machine.
    pub ca: Option<Vec<u8>>,
    /// What is shown to servers that want client certificates: a certificate and its key in PEM.
    pub client_certificate: Option<Secret>,
    /// The proxy that leads out; `None` to call directly.
    pub proxy: Option<Secret>,
    /// Prefixes behind which this network reaches IPv4, beside `64:ff9b::/96` (NAT64): what a webhook reaches by one is judged
    /// by the address of IPv4 inside.
    pub nat64: Vec<Ipv6Net>,
}

impl std::fmt::Debug for OutgoingConfig {
    /// Without certificates, whose bytes tell nobody anything.
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("OutgoingConfig")
            .field("ca", &self.ca.is_some())
            .field("client_certificate", &self.client_certificate.is_some())
            .field("proxy", &self.proxy)
            .field("nat64", &self.nat64)
            .finish()
    }
}

impl OutgoingConfig {
    pub(super) fn settle(draft: &Draft, mistakes: &mut Mistakes) -> Self {
        let ca = mistakes
            .read(draft.outgoing_ca_file.as_ref(), |path| read_certificates(path).map(String::into_bytes));
        let (certificate, key) = (draft.outgoing_cert_file.as_ref(), draft.outgoing_key_file.as_ref());
        let client_certificate = client_certificate("outgoing", certificate, key, mistakes)
            .map(|(certificate, key)| Secret::new(format!("{certificate}\n{key}")));
        let proxy =
            mistakes.read(draft.outgoing_proxy.as_ref(), |text| read_proxy(text).map(|_| text.to_owned()));
        let nat64 = draft.outgoing_nat64.iter().filter_map(|net| mistakes.read(Some(net), read_nat64));
        Self { ca, client_certificate, proxy: proxy.map(Secret::new), nat64: nat64.collect() }
    }
}

/// Checks the address of a proxy. The sentence does not repeat it: it may hold a password.
fn read_proxy(text: &str) -> Result<Url, String> {
    const EXAMPLE: &str =
        "write for instance http://proxy.example:3128, with user and password percent-encoded";
    let url = read_http(text, "the address of the proxy").map_err(|why| format!("{why}; {EXAMPLE}"))?;
    if url.path() == "/" { Ok(url) } else { Err(format!("the address of the proxy has a path; {EXAMPLE}")) }
}

fn read_nat64(text: &str) -> Result<Ipv6Net, String> {
    let fits = |net: &Ipv6Net| NAT64_LENGTHS.contains(&net.prefix_len());
    text.parse().ok().filter(fits).ok_or_else(|| {
        format!(
            "{text:?} is no prefix of NAT64, such as 2001:db8:64::/96; it has {} bits",
            NAT64_LENGTHS.map(|bits| bits.to_string()).join(", ")
        )
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_proxy_is_an_http_address_and_is_not_repeated() {
        for text in ["http://proxy.example:3128", "https://u:p%23@proxy.example"] {
            assert!(read_proxy(text).is_ok(), "{text}");
        }
        for text in [
            "proxy.example:3128",
            "socks5://canary",
            "http://u:canary#p@host",
            "http://u:canary/x@host:1",
            "",
        ] {
            let why = read_proxy(text).unwrap_err();
            assert!(!why.contains("canary") && why.contains("http://proxy.example:3128"), "{why}");
        }
    }
}
