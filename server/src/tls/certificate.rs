//! A certificate with its key: read from two files, and refused in words while nobody depends on it.

use crate::config::{TlsConfig, pair};
use crate::text;
use jiff::Timestamp;
use rustls::client::verify_server_cert_signed_by_trust_anchor;
use rustls::crypto::CryptoProvider;
use rustls::pki_types::{CertificateDer, UnixTime};
use rustls::server::ParsedCertificate;
use rustls::sign::CertifiedKey;
use rustls::{CertificateError, Error, RootCertStore};
use sha2::{Digest as _, Sha256};
use std::fs::File;
use std::io::Read as _;
use std::os::unix::fs::PermissionsExt as _;
use std::path::Path;
use std::sync::Arc;
use std::time::Duration;

/// A chain of a few certificates has about ten thousand bytes.
const FILE_BYTES_MAX: u64 = 1 << 20;
/// The last second of the year 9999, after which no certificate says it holds.
const FAR_SECONDS: u64 = 253_402_300_799;

/// What the two files held.
#[derive(Debug, Clone)]
pub(super) struct Certificate {
    /// For handshakes.
    pub(super) key: Arc<CertifiedKey>,
    /// The hash of both files: whether they have changed.
    pub(super) print: [u8; 32],
    /// When it ends; `None` if it does not say.
    pub(super) until: Option<Timestamp>,
    /// Whether everybody on this machine may read the key.
    pub(super) is_open: bool,
}

impl Certificate {
    /// Reads and checks both files.
    ///
    /// # Errors
    /// A sentence that names the file and the next step. Never a part of the key.
    pub(super) fn read(files: &TlsConfig, provider: &CryptoProvider, now: Timestamp) -> Result<Self, String> {
        let (chain_pem, _) = bounded(&files.cert_file)?;
        let (key_pem, mode) = bounded(&files.key_file)?;
        let names = [&files.cert_file, &files.key_file].map(|file| file.display().to_string());
        let [cert_file, key_file] = &names;
        let key = pair((cert_file, &chain_pem), (key_file, &key_pem), provider)?;
        let leaf = key.end_entity_cert().map_err(|_| format!("{cert_file} holds no certificate in PEM"))?;
        let (from, until) = span(leaf, provider);
        if let Some(from) = from.filter(|&from| from > now) {
            return Err(format!(
                "the certificate in {cert_file} is not good before {from}; is the clock of this machine right?"
            ));
        }
        if let Some(until) = until.filter(|&until| until < now) {
            return Err(format!("the certificate in {cert_file} was good until {until}; renew it"));
        }
        let mut print = Sha256::new();
        print.update(Sha256::digest(&chain_pem));
        print.update(Sha256::digest(&key_pem));
        Ok(Self { key: Arc::new(key), print: print.finalize().into(), until, is_open: mode & 0o007 != 0 })
    }
}

/// The bytes of a file behind the byte order mark that editors put there, and who may read it.
fn bounded(path: &Path) -> Result<(Vec<u8>, u32), String> {
    let read = || -> std::io::Result<(Vec<u8>, u32)> {
        let file = File::open(path)?;
        let mode = file.metadata()?.permissions().mode();
        let mut bytes = Vec::new();
        file.take(FILE_BYTES_MAX + 1).read_to_end(&mut bytes)?;
        Ok((bytes, mode))
    };
    let (bytes, mode) = read().map_err(|why| format!("{} cannot be read: {why}", path.display()))?;
    match u64::try_from(bytes.len()) {
        Ok(length) if length <= FILE_BYTES_MAX => Ok((text::unmarked(&bytes).to_vec(), mode)),
        _ => Err(format!("{} has more than {FILE_BYTES_MAX} bytes", path.display())),
    }
}

/// From when until when a certificate is good.
///
/// rustls says so only in its refusals: one from long before, and one from long after. It looks at the time before it
/// looks for an authority, so that none is needed.
fn span(leaf: &CertificateDer<'_>, provider: &CryptoProvider) -> (Option<Timestamp>, Option<Timestamp>) {
    let Ok(leaf) = ParsedCertificate::try_from(leaf) else { return (None, None) };
    let refusal = |seconds| {
        let time = UnixTime::since_unix_epoch(Duration::from_secs(seconds));
        let nobody = RootCertStore::empty();
        let algorithms = provider.signature_verification_algorithms.all;
        match verify_server_cert_signed_by_trust_anchor(&leaf, &nobody, &[], time, algorithms) {
            Err(Error::InvalidCertificate(why)) => Some(why),
            _ => None,
        }
    };
    let from = match refusal(0) {
        Some(CertificateError::NotValidYetContext { not_before, .. }) => timestamp(not_before),
        _ => None,
    };
    let until = match refusal(FAR_SECONDS) {
        Some(CertificateError::ExpiredContext { not_after, .. }) => timestamp(not_after),
        _ => None,
    };
    (from, until)
}

fn timestamp(time: UnixTime) -> Option<Timestamp> {
    Timestamp::from_second(i64::try_from(time.as_secs()).ok()?).ok()
}

#[cfg(test)]
mod tests {
    use super::super::made::{Authority, provider};
    use super::*;

    fn signed(authority: &Authority, name: &str) -> TlsConfig {
        let (cert, key) = authority.sign(name, 2);
        TlsConfig::new(cert, key)
    }

    fn read(files: &TlsConfig) -> Result<Certificate, String> {
        Certificate::read(files, &provider(), Timestamp::now())
    }

    #[test]
    fn a_certificate_says_until_when_it_is_good() {
        let authority = Authority::new();
        let files = signed(&authority, "good");
        let good = read(&files).unwrap();
        let hours = good.until.unwrap().duration_since(Timestamp::now()).as_hours();
        assert!((46..=48).contains(&hours), "{hours}");
        assert!(!good.is_open);

        let later = Timestamp::now() + Duration::from_secs(3 * 86_400);
        let why = Certificate::read(&files, &provider(), later).unwrap_err();
        assert!(why.contains("was good until") && why.contains("renew"), "{why}");
        let earlier = Timestamp::now() - Duration::from_secs(3 * 86_400);
        let why = Certificate::read(&files, &provider(), earlier).unwrap_err();
        assert!(why.contains("not good before") && why.contains("clock"), "{why}");
    }

    #[test]
    fn files_may_begin_with_a_byte_order_mark() {
        let authority = Authority::new();
        let files = signed(&authority, "marked");
        for file in [&files.cert_file, &files.key_file] {
            let pem = std::fs::read(file).unwrap();
            std::fs::write(file, [&b"\xef\xbb\xbf"[..], &pem].concat()).unwrap();
        }
        assert!(read(&files).is_ok());
    }

    #[test]
    fn what_is_wrong_with_the_files_is_said_in_words_and_without_the_key() {
        let authority = Authority::new();
        let (files, other) = (signed(&authority, "one"), signed(&authority, "two"));
        let in_folder = |name: &str, text: &[u8]| {
            let path = authority.path().join(name);
            std::fs::write(&path, text).unwrap();
            path
        };
        let key = std::fs::read_to_string(&files.key_file).unwrap();
        let locked = authority.path().join("locked.key");
        authority.openssl(&format!("pkey -in one.key -aes256 -passout pass:hush -out {}", locked.display()));
        let with = |cert: &Path, key: &Path| {
            let files = TlsConfig::new(cert, key);
            read(&files).unwrap_err()
        };
        let (cert, nowhere) = (&files.cert_file, authority.path().join("nowhere"));
        let half = in_folder("half.pem", b"-----BEGIN CERTIFICATE-----\nMIIB\n");
        let empty = in_folder("empty.pem", b"");
        let long = in_folder("long.pem", &vec![b'x'; 2 << 20]);
        for (why, expected) in [
            (with(cert, &other.key_file), "is not the key of"),
            (with(&files.key_file, cert), "holds no certificate"),
            (with(cert, cert), "are the two files exchanged"),
            (with(cert, &locked), "locked with a password"),
            (with(cert, &nowhere), "nowhere cannot be read"),
            (with(&nowhere, &files.key_file), "nowhere cannot be read"),
            (with(&half, &files.key_file), "is not PEM"),
            (with(&empty, &files.key_file), "holds no certificate"),
            (with(cert, &empty), "holds no private key"),
            (with(cert, &long), "has more than"),
        ] {
            assert!(why.contains(expected), "{expected}: {why}");
            assert!(!key.lines().any(|line| line.len() > 20 && why.contains(line)), "{why}");
        }
    }

    #[test]
    fn a_key_that_everybody_may_read_is_noticed() {
        let authority = Authority::new();
        let files = signed(&authority, "open");
        std::fs::set_permissions(&files.key_file, std::fs::Permissions::from_mode(0o640)).unwrap();
        assert!(!read(&files).unwrap().is_open, "a group of those who may is usual");
        std::fs::set_permissions(&files.key_file, std::fs::Permissions::from_mode(0o644)).unwrap();
        assert!(read(&files).unwrap().is_open);
    }
}
