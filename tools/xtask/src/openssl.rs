//! The `openssl` program, with which the tests of TLS make their authorities.

use anyhow::{Result, bail};

use crate::install::{Package, on_path, package};

const OPENSSL: Package = Package {
    title: "openssl",
    apt: "openssl",
    dnf: "openssl",
    apk: "openssl",
    pacman: "openssl",
    brew: "openssl",
};

/// Makes sure that it is on PATH.
pub(crate) fn ensure() -> Result<()> {
    if on_path("openssl").is_none() {
        package(&OPENSSL)?;
        if on_path("openssl").is_none() {
            bail!("the package was installed, but openssl is not on PATH");
        }
    }
    Ok(())
}
