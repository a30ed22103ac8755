//! What the browser loads: `target/site`.

use std::path::{Path, PathBuf};
use std::process::Command;

use anyhow::Result;

use crate::browser;
use crate::install::WASM;
use crate::step::{Step, cargo, root, target_dir};

/// How much work goes into a small download.
#[derive(Clone, Copy, PartialEq, Eq)]
pub(crate) enum Profile {
    /// For tests and for those who work on the screens: with the assertions of Leptos, and ten times larger.
    Dev,
    /// The same without assertions.
    Demo,
    /// What ships: optimised as a whole, cut in pieces, compressed.
    Release,
}

impl Profile {
    /// The profile in Cargo.toml that the browser's part is compiled with.
    pub(crate) const fn cargo(self) -> &'static str {
        match self {
            Self::Dev => "wasm-dev",
            Self::Demo => "wasm-demo",
            Self::Release => "wasm-release",
        }
    }
}

/// Where the server finds the site when it is built.
pub(crate) fn folder() -> PathBuf {
    root().join("target/site")
}

/// Builds the site.
pub(crate) fn build(profile: Profile) -> Result<()> {
    compile(profile)?;
    assemble(profile, &maker(profile)?)
}

/// Compiles the browser's part. Cargo keeps it apart from all else: another build can go on meanwhile.
pub(crate) fn compile(profile: Profile) -> Result<()> {
    let mut compile = cargo(["rustc", "--locked", "--package", "app", "--lib", "--target", WASM]);
    let feature = if profile == Profile::Release { "split" } else { "hydrate" };
    compile.args(["--no-default-features", "--features", feature, "--profile", profile.cargo()]);
    compile.args(["--crate-type", "cdylib"]);
    if profile == Profile::Release {
        // Who calls whom stays in the library: it says what can be cut off.
        compile.args(["--", "-C", "link-arg=--emit-relocs"]);
    }
    Step::new(format!("compiling the browser's part ({})", profile.cargo())).run(&mut compile)
}

/// Makes the site out of what was compiled, by the program of `tools/site`.
pub(crate) fn assemble(profile: Profile, maker: &Path) -> Result<()> {
    let compiled = target_dir().join(WASM).join(profile.cargo()).join("app.wasm");
    let script = browser::packed_script()?;
    Step::new("building the site").run(Command::new(maker).args([compiled, script, folder()]))
}

/// Compiles the program that makes it: with what cuts and compresses only where that is asked for, in a folder of its
/// own, so that neither has the other compiled anew.
fn maker(profile: Profile) -> Result<PathBuf> {
    let mut build = cargo(["build", "--locked", "--package", "site"]);
    let mut folder = target_dir();
    if profile == Profile::Release {
        folder.push("ship");
        build.args(["--features", "ship"]).arg("--target-dir").arg(&folder);
    }
    Step::new("compiling what makes the site").run(&mut build)?;
    Ok(folder.join("debug/site"))
}
