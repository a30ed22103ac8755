//! How webhooks and a provider of sign-in are reached.

use super::draft::Draft;
use super::machines::read_certificates;
use super::mistake::Mistakes;
use super::secret::Secret;
use url::Url;

/// How other servers are called by HTTP.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
#[non_exhaustive]
pub struct OutgoingConfig {
    /// Certificates in PEM of authorities that are trusted beside those of this machine.
    pub ca: Option<Vec<u8>>,
    /// The proxy that leads out; `None` to call directly.
    pub proxy: Option<Secret>,
}

impl OutgoingConfig {
    pub(super) fn settle(draft: &Draft, mistakes: &mut Mistakes) -> Self {
        let ca = mistakes
            .read(draft.outgoing_ca_file.as_ref(), |path| read_certificates(path).map(String::into_bytes));
        let proxy =
            mistakes.read(draft.outgoing_proxy.as_ref(), |text| read_proxy(text).map(|_| text.to_owned()));
        Self { ca, proxy: proxy.map(Secret::new) }
    }
}

/// Checks the address of a proxy. The sentence does not repeat it: it may hold a password.
fn read_proxy(text: &str) -> Result<Url, String> {
    const EXAMPLE: &str =
        "write for instance http://proxy.example:3128, with user and password percent-encoded";
    let url: Url = text.parse().map_err(|_| format!("the address of the proxy cannot be read; {EXAMPLE}"))?;
    let fits = matches!(url.scheme(), "http" | "https") && url.host().is_some() && !text.contains('#');
    if fits && url.path() == "/" && url.query().is_none() {
        return Ok(url);
    }
    Err(format!("this is not the address of an HTTP proxy; {EXAMPLE}"))
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
