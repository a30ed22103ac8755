//! Certificates and keys, out of files.

use super::mistake::{Given, Notes};
use crate::text;
use rustls::crypto::{CryptoProvider, ring};
use rustls::pki_types::pem::PemObject as _;
use rustls::pki_types::{CertificateDer, PrivateKeyDer};
use rustls::sign::CertifiedKey;
use rustls::{Error, InconsistentKeys, RootCertStore};

/// Certificates in PEM, out of a file.
///
/// # Errors
/// A sentence with the file, when it cannot be read, holds none, or one that does not read.
pub(crate) fn read_certificates(path: &str) -> Result<String, String> {
    let pem = read_text(path)?;
    let chain = chain(path, pem.as_bytes())?;
    let mut readable = RootCertStore::empty();
    for (place, certificate) in (1..).zip(chain) {
        let unreadable = |why| format!("certificate {place} in {path} does not read: {why}");
        readable.add(certificate).map_err(unreadable)?;
    }
    Ok(pem)
}

fn read_text(path: &str) -> Result<String, String> {
    let bytes = std::fs::read(path).map_err(|why| format!("{path} cannot be read: {why}"))?;
    text::of(bytes).map_err(|why| format!("{path} cannot be read: {why}"))
}

/// The certificates of a file, at least one.
fn chain(file: &str, pem: &[u8]) -> Result<Vec<CertificateDer<'static>>, String> {
    let chain: Result<Vec<_>, _> = CertificateDer::pem_slice_iter(pem).collect();
    let chain = chain.map_err(|why| format!("{file} is not PEM: {why}"))?;
    if chain.is_empty() { Err(format!("{file} holds no certificate in PEM")) } else { Ok(chain) }
}

/// A certificate with its key, each out of the file of that name.
///
/// # Errors
/// A sentence that names the file and the next step. Never a part of the key.
pub(crate) fn pair(
    (certificate_file, certificate): (&str, &[u8]),
    (key_file, key): (&str, &[u8]),
    provider: &CryptoProvider,
) -> Result<CertifiedKey, String> {
    let chain = chain(certificate_file, certificate)?;
    let key = PrivateKeyDer::from_pem_slice(key).map_err(|_| no_key(key_file, key))?;
    CertifiedKey::from_der(chain, key, provider).map_err(|why| match why {
        Error::InconsistentKeys(InconsistentKeys::KeyMismatch) => format!(
            "{key_file} is not the key of the first certificate in {certificate_file}; its own comes first there"
        ),
        Error::General(_) => format!(
            "the key in {key_file} is of a kind or size that is not supported; make one on P-256 or P-384, Ed25519, or \
             RSA of 2048 bits or more, and a certificate for it"
        ),
        why => format!("{certificate_file} and {key_file} cannot be used: {why}"),
    })
}

fn no_key(file: &str, pem: &[u8]) -> String {
    let holds = |label: &str| pem.windows(label.len()).any(|window| window == label.as_bytes());
    if holds("-----BEGIN ENCRYPTED PRIVATE KEY-----") || holds("Proc-Type: 4,ENCRYPTED") {
        return format!(
            "the key in {file} is locked with a password, which nobody is there to enter; write one without: openssl pkey -in {file} -out <file>"
        );
    }
    if holds("-----BEGIN CERTIFICATE-----") {
        return format!("{file} holds a certificate and no private key; are the two files exchanged?");
    }
    format!("{file} holds no private key in PEM")
}

/// A client certificate and its key, each out of a file.
///
/// # Errors
/// A sentence with the file, when one of them cannot be read or used.
pub(crate) fn read_pair(certificate_file: &str, key_file: &str) -> Result<(String, String), String> {
    let (certificate, key) = (read_text(certificate_file)?, read_text(key_file)?);
    pair((certificate_file, certificate.as_bytes()), (key_file, key.as_bytes()), &ring::default_provider())?;
    Ok((certificate, key))
}

/// A client certificate and its key, each out of a file; one without the other is a mistake. `of` begins the names of both
/// settings.
pub(super) fn client_certificate(
    of: &str,
    certificate: Option<&Given<String>>,
    key: Option<&Given<String>>,
    notes: &Notes,
) -> Option<(String, String)> {
    match (certificate, key) {
        (Some(alone), None) => notes.add(&alone.origin, format!("{of}_cert_file needs {of}_key_file")),
        (None, Some(alone)) => notes.add(&alone.origin, format!("{of}_key_file needs {of}_cert_file")),
        _ => {}
    }
    let (certificate, key) = certificate.zip(key)?;
    read_pair(&certificate.value, &key.value).map_err(|why| notes.add(&key.origin, why)).ok()
}

#[cfg(test)]
mod tests {
    use super::*;

    use crate::tls::made::Authority;
    use std::path::PathBuf;

    fn names((certificate, key): (PathBuf, PathBuf)) -> (String, String) {
        (certificate.display().to_string(), key.display().to_string())
    }

    #[test]
    fn a_certificate_and_its_key_are_read_as_every_other_text() {
        let authority = Authority::new();
        let (certificate, key) = names(authority.sign("client", 9));
        let write = |path: &str, bytes: &[u8]| std::fs::write(path, bytes).unwrap();
        let text = std::fs::read_to_string(&key).unwrap();
        write(&key, format!("\u{feff}{text}").as_bytes());
        assert_eq!(read_pair(&certificate, &key).unwrap().1, text);
        let utf_16: Vec<u8> =
            [0xfeff].into_iter().chain(text.encode_utf16()).flat_map(u16::to_le_bytes).collect();
        write(&key, &utf_16);
        assert!(read_pair(&certificate, &key).unwrap_err().contains("UTF-16"));
    }

    #[test]
    fn what_does_not_belong_together_or_does_not_read_is_told_with_its_file() {
        let authority = Authority::new();
        let [(certificate, key), (_, other)] = ["one", "two"].map(|name| names(authority.sign(name, 9)));
        let why = read_pair(&certificate, &other).unwrap_err();
        assert!(why.contains(&other) && why.contains("is not the key of"), "{why}");
        let why = read_pair(&key, &certificate).unwrap_err();
        assert!(why.contains(&key) && why.contains("holds no certificate"), "{why}");

        std::fs::write(&other, "-----BEGIN CERTIFICATE-----\nAAAA\n-----END CERTIFICATE-----\n").unwrap();
        let why = read_certificates(&other).unwrap_err();
        assert!(why.contains(&format!("certificate 1 in {other} does not read")), "{why}");
        assert!(read_certificates(&certificate).is_ok());
    }
}
