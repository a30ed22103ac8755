//! For tests: an authority, and certificates it has signed for `localhost`.

use rustls::crypto::{CryptoProvider, ring};
use rustls::pki_types::CertificateDer;
use rustls::pki_types::pem::PemObject as _;
use rustls::{ClientConfig, RootCertStore, SupportedProtocolVersion};
use std::os::unix::fs::PermissionsExt as _;
use std::path::{Path, PathBuf};
use std::process::Command;
use std::sync::Arc;
use tempfile::TempDir;

pub(crate) fn provider() -> Arc<CryptoProvider> {
    Arc::new(ring::default_provider())
}

pub(crate) struct Authority(TempDir);

impl Authority {
    pub(crate) fn new() -> Self {
        let made = Self(tempfile::tempdir().unwrap());
        let how = "req -x509 -newkey ec -pkeyopt ec_paramgen_curve:prime256v1 -nodes -days 9 -subj /CN=ours";
        made.openssl(&format!("{how} -keyout ca.key -out ca.pem"));
        made
    }

    pub(crate) fn path(&self) -> &Path {
        self.0.path()
    }

    pub(crate) fn openssl(&self, arguments: &str) {
        let output =
            Command::new("openssl").args(arguments.split(' ')).current_dir(&self.0).output().unwrap();
        assert!(output.status.success(), "{arguments}: {}", String::from_utf8_lossy(&output.stderr));
    }

    /// A certificate for `localhost` that is good for so many days from now, and its key.
    pub(crate) fn sign(&self, name: &str, days: u32) -> (PathBuf, PathBuf) {
        let key = "req -newkey ec -pkeyopt ec_paramgen_curve:prime256v1 -nodes -subj /CN=localhost";
        self.openssl(&format!("{key} -keyout {name}.key -out {name}.csr"));
        std::fs::write(
            self.path().join("names"),
            "subjectAltName=DNS:localhost\nbasicConstraints=CA:FALSE\n",
        )
        .unwrap();
        let sign = "x509 -req -CA ca.pem -CAkey ca.key -CAcreateserial -extfile names";
        self.openssl(&format!("{sign} -days {days} -in {name}.csr -out {name}.pem"));
        let key_file = self.path().join(format!("{name}.key"));
        std::fs::set_permissions(&key_file, std::fs::Permissions::from_mode(0o600)).unwrap();
        (self.path().join(format!("{name}.pem")), key_file)
    }

    /// Somebody who trusts this authority alone.
    pub(crate) fn client(
        &self,
        versions: &[&'static SupportedProtocolVersion],
        alpn: &[&str],
    ) -> Arc<ClientConfig> {
        let mut roots = RootCertStore::empty();
        roots.add(CertificateDer::from_pem_file(self.path().join("ca.pem")).unwrap()).unwrap();
        let client =
            ClientConfig::builder_with_provider(provider()).with_protocol_versions(versions).unwrap();
        let mut client = client.with_root_certificates(roots).with_no_client_auth();
        client.alpn_protocols = alpn.iter().map(|name| name.as_bytes().to_vec()).collect();
        Arc::new(client)
    }
}
