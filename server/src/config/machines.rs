//! More than one machine: shards, whom to trust, and what replicas must have.

use super::draft::Draft;
use super::mistake::{Given, Mistakes};
use super::namespaces::NamespaceConfig;
use crate::text;
use reprieve::model::SHARDS_MAX;

/// Most replicas a write may wait for: nobody has more, and a mistyped number would make every act wait in vain.
const REPLICAS_MAX: u32 = 20;

/// How the Redis behind the jobs is spread.
#[derive(Clone, PartialEq, Eq)]
#[non_exhaustive]
pub struct MachinesConfig {
    /// How many shards the namespace has; fixed at its first use.
    pub shards: u16,
    /// Certificates in PEM, one of which must have signed for the server; `None` for the usual authorities.
    pub ca: Option<Vec<u8>>,
    /// What is shown to a server that wants client certificates: a certificate in PEM, and its key.
    pub client_certificate: Option<(Vec<u8>, Vec<u8>)>,
    /// How many replicas must have what a person does; 0 for none.
    pub confirm_replicas: u32,
}

impl std::fmt::Debug for MachinesConfig {
    /// Without the key.
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("MachinesConfig")
            .field("shards", &self.shards)
            .field("ca", &self.ca.is_some())
            .field("client_certificate", &self.client_certificate.is_some())
            .field("confirm_replicas", &self.confirm_replicas)
            .finish()
    }
}

impl MachinesConfig {
    /// `own_shards` is what the namespace's own entry in the file says: more than what the file or a variable says of
    /// whichever namespace, which those beside it get where theirs says nothing, and less than a flag.
    pub(super) fn settle(
        draft: &Draft,
        own_shards: Option<u16>,
        beside: &mut [NamespaceConfig],
        mistakes: &mut Mistakes,
    ) -> Self {
        let said = read_shards(draft.shards.as_ref(), mistakes);
        let shards = read_shards(draft.shards_flag.as_ref(), mistakes).or(own_shards).or(said);
        for namespace in beside {
            namespace.shards = namespace.shards.or(said);
        }
        let ca = mistakes
            .read(draft.redis_ca_file.as_ref(), |path| read_certificates(path).map(String::into_bytes));
        let client_certificate =
            client_certificate(draft.redis_cert_file.as_ref(), draft.redis_key_file.as_ref(), mistakes)
                .map(|(certificate, key)| (certificate.into_bytes(), key.into_bytes()));
        let confirm_replicas = mistakes.read(draft.confirm_replicas.as_ref(), |text| {
            let known = text.parse::<u32>().ok().filter(|&replicas| replicas <= REPLICAS_MAX);
            known
                .ok_or_else(|| format!("{text:?} is no number of replicas; 0 to {REPLICAS_MAX} are possible"))
        });
        Self {
            shards: shards.unwrap_or(1),
            ca,
            client_certificate,
            confirm_replicas: confirm_replicas.unwrap_or_default(),
        }
    }
}

/// Certificates in PEM, out of a file.
///
/// # Errors
/// A sentence with the file, when it cannot be read or holds none.
pub(crate) fn read_certificates(path: &str) -> Result<String, String> {
    let pem = std::fs::read(path).map_err(|why| format!("{path} cannot be read: {why}"))?;
    text::of(pem)
        .ok()
        .filter(|pem| pem.contains("-----BEGIN CERTIFICATE-----"))
        .ok_or_else(|| format!("{path} holds no certificate in PEM"))
}

/// A client certificate and its key, each out of a file; one without the other is a mistake.
pub(super) fn client_certificate(
    certificate: Option<&Given<String>>,
    key: Option<&Given<String>>,
    mistakes: &mut Mistakes,
) -> Option<(String, String)> {
    match (certificate, key) {
        (Some(alone), None) => mistakes.note(&alone.origin, "a redis_cert_file needs a redis_key_file"),
        (None, Some(alone)) => mistakes.note(&alone.origin, "a redis_key_file needs a redis_cert_file"),
        _ => {}
    }
    let certificate = mistakes.read(certificate, read_certificates);
    certificate.zip(mistakes.read(key, read_key))
}

/// A private key in PEM, out of a file.
///
/// # Errors
/// A sentence with the file, when it cannot be read, or holds none that can be used.
pub(crate) fn read_key(path: &str) -> Result<String, String> {
    let pem = std::fs::read_to_string(path).map_err(|why| format!("{path} cannot be read: {why}"))?;
    if pem.contains("ENCRYPTED PRIVATE KEY-----") {
        return Err(format!("the key in {path} is encrypted; store it without a passphrase"));
    }
    if pem.contains("PRIVATE KEY-----") {
        Ok(pem)
    } else {
        Err(format!("{path} holds no private key in PEM"))
    }
}

fn read_shards(given: Option<&Given<String>>, mistakes: &mut Mistakes) -> Option<u16> {
    mistakes.read(given, |text| {
        let known = text.parse::<u16>().ok().filter(|shards| (1..=SHARDS_MAX).contains(shards));
        known.ok_or_else(|| format!("{text:?} is no number of shards; 1 to {SHARDS_MAX} are possible"))
    })
}
