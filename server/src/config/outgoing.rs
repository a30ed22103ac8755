//! How webhooks and a provider of sign-in are reached.

use super::address::read_http;
use super::pem::{client_certificate, read_certificates};
use super::secret::Secret;
use super::sources::Sources;
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
    pub(super) fn read(from: &Sources<'_>) -> Self {
        let Sources { notes, root, .. } = *from;
        let ca = from.variable("REPRIEVE_OUTGOING_CA_FILE").or(root.text("outgoing_ca_file"));
        let certificate = from.variable("REPRIEVE_OUTGOING_CERT_FILE").or(root.text("outgoing_cert_file"));
        let key = from.variable("REPRIEVE_OUTGOING_KEY_FILE").or(root.text("outgoing_key_file"));
        let proxy = from.variable("REPRIEVE_OUTGOING_PROXY").or(root.text("outgoing_proxy"));
        let mut nat64 = root.texts("outgoing_nat64");
        nat64.extend(from.variables("REPRIEVE_OUTGOING_NAT64"));
        Self {
            ca: notes.read(ca.as_ref(), read_certificates).map(String::into_bytes),
            client_certificate: client_certificate("outgoing", certificate.as_ref(), key.as_ref(), notes)
                .map(|(certificate, key)| Secret::new(format!("{certificate}\n{key}"))),
            proxy: notes.read(proxy.as_ref(), |text| read_proxy(text).map(|_| Secret::new(text.to_owned()))),
            nat64: notes.read_all(&nat64, read_nat64),
        }
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
            "{text:?} is not a NAT64 prefix, such as 2001:db8:64::/96; it has {} bits",
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
