//! `[tls]`: where the certificate of the dashboard and its key are.

use super::draft::Draft;
use super::mistake::Mistakes;
use std::path::PathBuf;

/// The files with which the dashboard speaks TLS itself. They are read when it starts, and again when they change.
#[derive(Debug, Clone, PartialEq, Eq)]
#[non_exhaustive]
pub struct TlsConfig {
    /// The certificate and those that lead to its authority, in PEM, its own first.
    pub cert_file: PathBuf,
    /// Its private key, in PEM, without a password.
    pub key_file: PathBuf,
}

impl TlsConfig {
    /// These two files.
    #[must_use]
    pub fn new(cert_file: impl Into<PathBuf>, key_file: impl Into<PathBuf>) -> Self {
        Self { cert_file: cert_file.into(), key_file: key_file.into() }
    }

    /// Only the names: other verbs take the same configuration, and need not be able to read the key.
    pub(super) fn settle(draft: &Draft, mistakes: &mut Mistakes) -> Option<Self> {
        match (&draft.tls_cert_file, &draft.tls_key_file) {
            (Some(cert), Some(key)) => Some(Self::new(&cert.value, &key.value)),
            (Some(cert), None) => {
                mistakes.note(
                    &cert.origin,
                    "a certificate needs its key: name it with key_file in [tls], or --tls-key-file",
                );
                None
            }
            (None, Some(key)) => {
                mistakes.note(
                    &key.origin,
                    "a key needs its certificate: name it with cert_file in [tls], or --tls-cert-file",
                );
                None
            }
            (None, None) => None,
        }
    }
}
