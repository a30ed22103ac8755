//! A proxy in front that signs people in: it names them in headers, and proves that it is the proxy.

use super::proven::{NoGroup, Proven};
use super::refused::{none_of, shown};
use crate::config::{GroupConfig, ProxyConfig};
use crate::middleware::host::only;
use http::HeaderMap;
use reprieve::model::InvalidName;
use sha2::{Digest as _, Sha256};
use std::net::IpAddr;
use std::sync::Arc;

/// Longest list of groups that is read, in bytes.
const GROUPS_BYTES_MAX: usize = 16 * 1024;

/// A proxy whose word is taken.
#[derive(Debug, Clone)]
pub struct TrustedProxy(Arc<ProxyConfig>);

impl TrustedProxy {
    /// The proxy of a configuration.
    #[must_use]
    pub fn new(config: ProxyConfig) -> Self {
        Self(Arc::new(config))
    }

    /// Whom the proxy names; `None` when it is not the proxy, or it names nobody.
    pub(super) fn names(&self, peer: Option<IpAddr>, headers: &HeaderMap) -> Option<Proven> {
        let config = &self.0;
        if !config.is_at(peer?) {
            return None;
        }
        // Each exactly once: of two, one would be somebody else's. Hashes are compared, which tell nothing by how long
        // it takes.
        let secret = only(headers, &config.secret_header)?;
        if Sha256::digest(secret) != Sha256::digest(config.secret.expose()) {
            return None;
        }
        let name = only(headers, &config.name_header)?;
        let name = name.trim();
        if name.is_empty() {
            return None;
        }
        let header = &config.groups_header;
        let group = if headers.contains_key(header) {
            let groups = only(headers, header).filter(|text| text.len() <= GROUPS_BYTES_MAX)?;
            let groups: Vec<&str> =
                groups.split(',').map(str::trim).filter(|group| !group.is_empty()).collect();
            GroupConfig::first_among(&config.groups, &groups)
                .ok_or_else(|| NoGroup::InNone(none_of(header.as_str(), &groups, "proxy.group")))
        } else {
            let why = format!("the proxy sends no header `{header}`; have it send one, or set groups_header");
            Err(NoGroup::NotSaid(why))
        };
        Some(Proven {
            // What it calls them is all there is to know them by.
            subject: format!("proxy\n{name}"),
            name: name.to_lowercase().parse().map_err(|why: InvalidName| {
                format!(
                    "`{}` is {}: {why}; set name_header to another header",
                    config.name_header,
                    shown(name)
                )
            }),
            group,
            proved: None,
        })
    }
}
