//! A proxy in front that signs people in, and says so in headers.

use super::address::read_net;
use super::document::Section;
use super::login::Login;
use super::oidc::{GroupConfig, read_groups};
use super::secret::Secret;
use super::webhook::read_secret;
use http::HeaderName;
use ipnet::IpNet;
use reprieve::model::Namespace;
use std::net::IpAddr;
use std::path::Path;

/// Shortest secret, in bytes: it is all that tells the proxy from another program of its machine.
const SECRET_BYTES_MIN: usize = 16;
/// Where it is believed when nothing else is said, and no proxies are trusted: on this machine.
const HERE: [&str; 2] = ["127.0.0.1/32", "::1/128"];

/// `[proxy]`: whose word about people is taken.
#[derive(Debug, Clone, PartialEq, Eq)]
#[non_exhaustive]
pub struct ProxyConfig {
    /// Where it comes from.
    pub from: Vec<IpNet>,
    /// What it shows to be believed.
    pub secret: Secret,
    /// The header with that.
    pub secret_header: HeaderName,
    /// The header with the name of the person who is signed in there.
    pub name_header: HeaderName,
    /// The header with their groups, with commas between them.
    pub groups_header: HeaderName,
    /// What groups may do; the first that somebody is in decides. Who is in none is refused.
    pub groups: Vec<GroupConfig>,
}

impl ProxyConfig {
    /// A proxy on this machine with the usual headers.
    #[must_use]
    pub fn new(secret: Secret, groups: Vec<GroupConfig>) -> Self {
        Self {
            from: HERE.iter().filter_map(|net| net.parse().ok()).collect(),
            secret,
            secret_header: HeaderName::from_static("x-proxy-secret"),
            name_header: HeaderName::from_static("x-forwarded-user"),
            groups_header: HeaderName::from_static("x-forwarded-groups"),
            groups,
        }
    }

    /// The proxy with the groups of that namespace; `None` if none of them may come in there.
    pub(crate) fn at(&self, namespace: &Namespace, is_main: bool) -> Option<Self> {
        let groups = GroupConfig::of(&self.groups, namespace, is_main);
        (!groups.is_empty()).then(|| Self { groups, ..self.clone() })
    }

    /// Whether a request from there may be the proxy's.
    pub(crate) fn is_at(&self, address: IpAddr) -> bool {
        self.from.iter().any(|net| net.contains(&address))
    }

    /// Reads `[proxy]`. It comes from where the trusted proxies are, if it does not say where from.
    pub(super) fn read(root: &Section<'_>, login: Login, trusted: &[IpNet]) -> Option<Self> {
        root.table("proxy", |section| {
            login.check(section);
            Self::from_section(section, trusted)
        })?
    }

    fn from_section(section: &Section<'_>, trusted: &[IpNet]) -> Option<Self> {
        let secret = section.read_required("secret_file", |path| {
            let secret = read_secret(Path::new(path))?;
            match secret.expose().len() {
                SECRET_BYTES_MIN.. => Ok(secret),
                _ => Err(format!("the secret in {path} is shorter than {SECRET_BYTES_MIN} bytes")),
            }
        });
        let from = section.read_texts("from", read_net);
        let header = |key| section.read(key, read_header);
        let headers = (header("secret_header"), header("name_header"), header("groups_header"));
        let groups = read_groups(section);

        let mut config = Self::new(secret?, groups);
        match (from.as_slice(), trusted) {
            ([], []) => {}
            ([], trusted) => config.from = trusted.to_vec(),
            _ => config.from = from,
        }
        config.secret_header = headers.0.unwrap_or(config.secret_header);
        config.name_header = headers.1.unwrap_or(config.name_header);
        config.groups_header = headers.2.unwrap_or(config.groups_header);
        let all = [&config.secret_header, &config.name_header, &config.groups_header];
        if all[0] == all[1] || all[0] == all[2] || all[1] == all[2] {
            section.note("two of the proxy's headers are the same");
        }
        Some(config)
    }
}

fn read_header(text: &str) -> Result<HeaderName, String> {
    // Browsers send these by themselves, or we read them for something else.
    const TAKEN: [&str; 6] = ["authorization", "cookie", "host", "origin", "referer", "user-agent"];
    let name: HeaderName = text.parse().map_err(|_| format!("{text:?} is not the name of a header"))?;
    if TAKEN.contains(&name.as_str()) {
        return Err(format!("the header {name} means something else"));
    }
    Ok(name)
}
