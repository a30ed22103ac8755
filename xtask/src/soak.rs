//! Hours of load, a minute of attacks, or a very long file, on the program as it ships.

use std::process::Command;

use anyhow::Result;

use crate::site::{self, Profile};
use crate::step::{Step, cargo, root, succeed, target_dir};
use crate::{demo, install, redis};

/// What says that it is not hours of load, and the verb of the program `soak`, which everything else goes to.
const OTHERS: [(&str, &str); 2] = [("--hostile", "flood"), ("--export", "export")];

/// Builds what ships and what plays its visitors, and lets them at each other.
pub(crate) fn soak(rest: &[String]) -> Result<()> {
    install::wasm_target()?;
    redis::ensure()?;
    site::build(Profile::Release)?;
    let program = demo::release_server()?;
    Step::new("compiling the visitors (release)").run(&mut cargo([
        "build",
        "--locked",
        "--release",
        "--package",
        "soak",
    ]))?;
    let mut command = Command::new(target_dir().join("release/soak"));
    command.current_dir(root()).args(arguments(rest)).arg("--program").arg(program);
    succeed(&mut command)
}

/// The verb of the program, and what follows it.
fn arguments(rest: &[String]) -> Vec<&str> {
    let other = OTHERS.into_iter().find(|(said, _)| rest.iter().any(|word| word == said));
    let arguments =
        rest.iter().map(String::as_str).filter(|word| other.is_none_or(|(said, _)| *word != said));
    std::iter::once(other.map_or("run", |(_, verb)| verb)).chain(arguments).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn one_word_decides_and_the_others_go_on() {
        let words = |text: &str| text.split(' ').map(ToOwned::to_owned).collect::<Vec<_>>();
        assert_eq!(arguments(&words("--minutes 120")), ["run", "--minutes", "120"]);
        assert_eq!(arguments(&words("--hostile --seconds 60")), ["flood", "--seconds", "60"]);
        assert_eq!(arguments(&words("--jobs 10 --export")), ["export", "--jobs", "10"]);
    }
}
