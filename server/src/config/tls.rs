//! `[tls]`: where the certificate of the dashboard and its key are.

use super::sources::{Sources, flag};
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
    pub(super) fn read(from: &Sources<'_>) -> Option<Self> {
        let (cert, key) =
            from.root.table_or_empty("tls", |tls| (tls.required("cert_file"), tls.required("key_file")));
        let cert = flag("--tls-cert-file", from.flags.tls_cert_file.as_ref())
            .or(from.variable("REPRIEVE_TLS_CERT_FILE"))
            .or(cert);
        let key = flag("--tls-key-file", from.flags.tls_key_file.as_ref())
            .or(from.variable("REPRIEVE_TLS_KEY_FILE"))
            .or(key);
        match (&cert, &key) {
            (None, None) => return None,
            (Some(cert), None) => from.notes.add(
                &cert.origin,
                "a certificate needs its key: name it with key_file in [tls], or --tls-key-file",
            ),
            (None, Some(key)) => from.notes.add(
                &key.origin,
                "a key needs its certificate: name it with cert_file in [tls], or --tls-cert-file",
            ),
            (Some(_), Some(_)) => {}
        }
        let [cert, key] = [cert, key].map(|given| given.map(|given| given.value).unwrap_or_default());
        Some(Self::new(cert, key))
    }
}
