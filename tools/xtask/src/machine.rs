//! A machine of its own, booted with systemd and without a network, in which what ships is installed and used.
//!
//! It is a folder with this machine's own distribution, so that what was built here runs there, and it forgets what
//! happened in it.

use std::fs;
use std::path::{Path, PathBuf};
use std::process::Command;

use anyhow::{Context, Result, bail};

use crate::dist::folder;
use crate::install::{needed, privilege};
use crate::step::{Step, captured, root};

/// What is installed in it: a Redis, as the package wants one, and all that the samples in `deploy` are for.
const CONTENTS: &str = "adduser,ca-certificates,curl,jq,openssl,systemd,systemd-sysv,\
    redis-server,nginx-light,haproxy,caddy,apache2,prometheus,docker-compose";

/// Services that would take ports from each other; the check starts each in turn.
const STOPPED: &str = "nginx haproxy caddy apache2 prometheus";

/// The check takes less than a minute.
const SECONDS_MAX: &str = "900";

/// Installs the package, uses it with the samples of `deploy`, upgrades it to the newer one, removes it, and installs the
/// archive by hand.
pub(crate) fn check(archive: &Path, deb: &Path, newer: &Path) -> Result<()> {
    let machine = machine()?;
    let shared = folder().join("check");
    if shared.exists() {
        fs::remove_dir_all(&shared)?;
    }
    fs::create_dir_all(&shared)?;
    fs::copy(archive, shared.join("reprieve.tar.gz"))?;
    fs::copy(deb, shared.join("reprieve.deb"))?;
    fs::copy(newer, shared.join("newer.deb"))?;
    Step::new("installing and using it").measure(|| boot(&machine, &shared))
}

/// The machine, which is made once.
fn machine() -> Result<PathBuf> {
    let machine = folder().join("machine");
    let stamp = folder().join("machine.contents");
    let (distribution, suite) = distribution()?;
    let wanted = format!("{suite} {CONTENTS}");
    if machine.exists() && fs::read_to_string(&stamp).is_ok_and(|made_of| made_of == wanted) {
        return Ok(machine);
    }
    needed("mmdebstrap", "mmdebstrap")?;
    Step::new("making a machine to install it on (mmdebstrap)").measure(|| {
        // Not before it is whole again.
        fs::write(&stamp, "")?;
        succeed_as_root(&["rm", "--recursive", "--force"], &[&machine])?;
        // Ubuntu keeps proxies and Prometheus apart from what it looks after itself.
        let components = if distribution == "ubuntu" { "main,universe" } else { "main" };
        let stop = format!("--customize-hook=chroot \"$1\" systemctl disable {STOPPED}");
        let make =
            ["mmdebstrap", "--quiet", "--variant=apt", "--include", CONTENTS, "--components", components];
        succeed_as_root(&[&make[..], &[&stop, &suite]].concat(), &[&machine])?;
        Ok(fs::write(&stamp, &wanted)?)
    })?;
    Ok(machine)
}

/// Boots the machine, waits until the check in it has ended, and tells what it said if it failed.
fn boot(machine: &Path, shared: &Path) -> Result<()> {
    needed("systemd-nspawn", "systemd-container")?;
    let deploy = root().join("deploy");
    let mut words =
        vec!["timeout", SECONDS_MAX, "systemd-nspawn", "--quiet", "--private-network", "--register=no"];
    if !Path::new("/run/systemd/system").exists() {
        // There is no systemd here that would make a unit for it.
        words.push("--keep-unit");
    }
    let directory = format!("--directory={}", machine.display());
    let shared_as = format!("--bind={}:/check", shared.display());
    let deploy_as = format!("--bind-ro={}:/deploy", deploy.display());
    let unit = format!(
        "--bind-ro={}:/etc/systemd/system/check.service",
        deploy.join("tests/check.service").display()
    );
    words.extend(["--volatile=overlay", &directory, &shared_as, &deploy_as, &unit]);
    words.extend(["--boot", "--", "--unit=check.service"]);
    let (succeeded, console) = captured(&mut as_root(&words)?)?;
    let told = fs::read_to_string(shared.join("log")).unwrap_or_default();
    print!("{told}");
    match (succeeded, told.is_empty()) {
        (true, false) => Ok(()),
        (true, true) => bail!("the machine came up and checked nothing:\n{console}"),
        (false, true) => bail!("the machine did not come up:\n{console}"),
        (false, false) => bail!("the check in the machine failed, see above"),
    }
}

/// A command that root runs.
pub(crate) fn as_root(words: &[&str]) -> Result<Command> {
    let Some(prefix) = privilege("apt-get")? else {
        bail!("this needs root: a machine of its own is booted");
    };
    let mut all = prefix.iter().chain(words);
    let mut command = Command::new(all.next().context("no command")?);
    command.args(all);
    Ok(command)
}

fn succeed_as_root(words: &[&str], paths: &[&Path]) -> Result<()> {
    let (succeeded, told) = captured(as_root(words)?.args(paths))?;
    if !succeeded {
        bail!("{} failed:\n{told}", words[0]);
    }
    Ok(())
}

/// `debian` and `bookworm`, or what else runs here.
pub(crate) fn distribution() -> Result<(String, String)> {
    read_distribution(&fs::read_to_string("/etc/os-release")?)
}

fn read_distribution(told: &str) -> Result<(String, String)> {
    let value = |key: &str| {
        let line = told.lines().find_map(|line| line.strip_prefix(key)?.strip_prefix('='));
        line.map(|value| value.trim_matches('"').to_owned())
            .with_context(|| format!("/etc/os-release has no {key}; this needs Debian or Ubuntu"))
    };
    Ok((value("ID")?, value("VERSION_CODENAME")?))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_machine_is_made_of_what_runs_here() {
        let told = "NAME=\"Debian GNU/Linux\"\nVERSION_CODENAME=bookworm\nID=debian\n";
        assert_eq!(read_distribution(told).unwrap(), ("debian".to_owned(), "bookworm".to_owned()));
        assert!(read_distribution("ID=arch\n").is_err());
    }
}
