//! Certificates and keys, out of files.

use super::mistake::{Given, Notes};
use crate::text;

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
    let certificate = notes.read(certificate, read_certificates);
    certificate.zip(notes.read(key, read_key))
}

/// A private key in PEM, out of a file.
///
/// # Errors
/// A sentence with the file, when it cannot be read, or holds none that can be used.
pub(crate) fn read_key(path: &str) -> Result<String, String> {
    let pem = std::fs::read(path).map_err(|why| format!("{path} cannot be read: {why}"))?;
    let pem = text::of(pem).map_err(|why| format!("{path} cannot be read: {why}"))?;
    if pem.contains("ENCRYPTED PRIVATE KEY-----") {
        return Err(format!("the key in {path} is encrypted; store it without a passphrase"));
    }
    if pem.contains("PRIVATE KEY-----") {
        Ok(pem)
    } else {
        Err(format!("{path} holds no private key in PEM"))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_key_is_read_as_every_other_text() {
        let directory = tempfile::tempdir().unwrap();
        let path = directory.path().join("key.pem");
        let read = |bytes: &[u8]| {
            std::fs::write(&path, bytes).unwrap();
            read_key(path.to_str().unwrap())
        };
        let key = "-----BEGIN PRIVATE KEY-----\n";
        assert_eq!(read(format!("\u{feff}{key}").as_bytes()).as_deref(), Ok(key));
        let utf_16: Vec<u8> =
            [0xfeff].into_iter().chain(key.encode_utf16()).flat_map(u16::to_le_bytes).collect();
        assert!(read(&utf_16).unwrap_err().contains("UTF-16"));
    }
}
