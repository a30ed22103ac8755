//! More than one machine: shards, whom to trust, and what replicas must have.

use super::namespaces::NamespaceConfig;
use super::pem::{client_certificate, read_certificates};
use super::sources::{Sources, flag};
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
    pub(super) fn read(from: &Sources<'_>, own_shards: Option<u16>, beside: &mut [NamespaceConfig]) -> Self {
        let Sources { notes, root, flags, .. } = *from;
        let said = from.variable("REPRIEVE_SHARDS").or(root.digits("shards"));
        let said = notes.read(said.as_ref(), read_shards);
        let shards = flag("--shards", flags.place.shards.as_ref());
        let shards = notes.read(shards.as_ref(), read_shards).or(own_shards).or(said);
        for namespace in beside {
            namespace.shards = namespace.shards.or(said);
        }
        let ca = flag("--redis-ca-file", flags.place.redis_ca_file.as_ref())
            .or(from.variable("REPRIEVE_REDIS_CA_FILE"))
            .or(root.text("redis_ca_file"));
        // It is not ours: where it leads nowhere, the usual authorities are left.
        let usual = || from.variable("SSL_CERT_FILE").and_then(|given| read_certificates(&given.value).ok());
        let ca = notes.read(ca.as_ref(), read_certificates).or_else(usual);
        let certificate = flag("--redis-cert-file", flags.place.redis_cert_file.as_ref())
            .or(from.variable("REPRIEVE_REDIS_CERT_FILE"))
            .or(root.text("redis_cert_file"));
        let key = flag("--redis-key-file", flags.place.redis_key_file.as_ref())
            .or(from.variable("REPRIEVE_REDIS_KEY_FILE"))
            .or(root.text("redis_key_file"));
        let client_certificate = client_certificate("redis", certificate.as_ref(), key.as_ref(), notes);
        let confirm_replicas = flag("--confirm-replicas", flags.confirm_replicas.as_ref())
            .or(from.variable("REPRIEVE_CONFIRM_REPLICAS"))
            .or(root.digits("confirm_replicas"));
        let confirm_replicas = notes.read(confirm_replicas.as_ref(), |text| {
            let known = text.parse::<u32>().ok().filter(|&replicas| replicas <= REPLICAS_MAX);
            known.ok_or_else(|| {
                format!("{text:?} is not a number of replicas; 0 to {REPLICAS_MAX} are possible")
            })
        });
        Self {
            shards: shards.unwrap_or(1),
            ca: ca.map(String::into_bytes),
            client_certificate: client_certificate.map(|(pem, key)| (pem.into_bytes(), key.into_bytes())),
            confirm_replicas: confirm_replicas.unwrap_or_default(),
        }
    }
}

fn read_shards(text: &str) -> Result<u16, String> {
    let known = text.parse::<u16>().ok().filter(|shards| (1..=SHARDS_MAX).contains(shards));
    known.ok_or_else(|| format!("{text:?} is not a number of shards; 1 to {SHARDS_MAX} are possible"))
}

#[cfg(test)]
mod tests {
    use super::super::{Config, Flags};

    #[test]
    fn redis_is_trusted_by_the_authorities_that_are_named_else_by_those_of_other_programs() {
        let authorities = [(); 2].map(|()| crate::tls::made::Authority::new());
        let [ours, usual] =
            authorities.each_ref().map(|of| of.path().join("ca.pem").to_str().unwrap().to_owned());
        let text = |path: &str| std::fs::read_to_string(path).unwrap();
        let trusted = |given: &[(&str, &str)]| {
            let variable = |name: &str| {
                given.iter().find(|(known, _)| *known == name).map(|(_, value)| (*value).to_owned())
            };
            let config = Config::load_with(&Flags::default(), &variable).unwrap();
            config.machines.ca.map(|pem| String::from_utf8(pem).unwrap())
        };

        assert_eq!(trusted(&[]), None);
        assert_eq!(trusted(&[("SSL_CERT_FILE", &usual)]), Some(text(&usual)));
        let both = [("SSL_CERT_FILE", &*usual), ("REPRIEVE_REDIS_CA_FILE", &ours)];
        assert_eq!(trusted(&both), Some(text(&ours)));
        assert_eq!(trusted(&[("SSL_CERT_FILE", "/nonexistent")]), None);
    }
}
