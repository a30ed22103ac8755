//! Finding a server program and asking for its version.

use super::ChildError;
use super::memory;
use super::written::Written;
use std::path::{Path, PathBuf};
use std::process::Command;

/// Names looked for, the first found is used. Valkey first: where somebody installed it beside
/// Redis, it is the newer one.
const NAMES: [&str; 2] = ["valkey-server", "redis-server"];
/// Lua scripts with `#!lua` flags came with 7.0.
const MAJOR_MIN: u32 = 7;

/// A server program that is new enough.
#[derive(Debug, Clone, PartialEq, Eq)]
#[non_exhaustive]
pub struct RedisProgram {
    /// Where it is.
    pub path: PathBuf,
    /// What it calls itself, for instance `Redis 7.0.15`.
    pub version: String,
    /// How much memory it may use, as `maxmemory` of Redis says it; 0 is no limit.
    pub maxmemory: String,
}

impl RedisProgram {
    /// The configured program; else the one that wrote the data in that directory, if it is still there; else the first
    /// on the path.
    ///
    /// # Errors
    /// [`ChildError::Missing`] with the command that installs one; [`ChildError::Program`] if it
    /// does not run or is older than 7.0.
    pub fn find(configured: Option<&Path>, data: &Path) -> Result<Self, ChildError> {
        let path = match configured {
            Some(path) => path.to_owned(),
            None => {
                let wrote =
                    || Written::read(data).map(|written| written.program).filter(|path| path.is_file());
                wrote().or_else(on_path).ok_or(ChildError::Missing { install: install_command() })?
            }
        };
        let version = ask_version(&path).map_err(|why| ChildError::Program { program: path.clone(), why })?;
        Ok(Self { path, version, maxmemory: memory::limit().to_string() })
    }

    /// The same with another limit of memory, where one is given.
    #[must_use]
    pub fn within(mut self, maxmemory: Option<&str>) -> Self {
        if let Some(maxmemory) = maxmemory {
            maxmemory.clone_into(&mut self.maxmemory);
        }
        self
    }
}

fn on_path() -> Option<PathBuf> {
    let directories = std::env::var_os("PATH")?;
    NAMES.iter().find_map(|name| {
        std::env::split_paths(&directories).map(|directory| directory.join(name)).find(|path| path.is_file())
    })
}

fn ask_version(program: &Path) -> Result<String, String> {
    let output =
        Command::new(program).arg("--version").output().map_err(|why| format!("it does not run: {why}"))?;
    let text = String::from_utf8_lossy(&output.stdout);
    read_version(&text)
}

/// Reads `Redis server v=7.0.15 sha=…` or `Valkey server v=8.1.4 sha=…`.
fn read_version(text: &str) -> Result<String, String> {
    let number = text.split_whitespace().find_map(|word| word.strip_prefix("v="));
    let major =
        number.and_then(|number| number.split('.').next()).and_then(|major| major.parse::<u32>().ok());
    let (Some(number), Some(major)) = (number, major) else {
        return Err("it does not say its version as a redis-server does".to_owned());
    };
    let name = text.split_whitespace().next().unwrap_or("Redis");
    if major < MAJOR_MIN {
        return Err(format!(
            "it is {name} {number}, and Reprieve needs 7.0 or newer; put a newer one, or a Valkey, before it on the \
             path, name one by redis_server, or point --redis at a Redis that runs elsewhere"
        ));
    }
    Ok(format!("{name} {number}"))
}

/// What to type on this machine, by the package manager it has.
fn install_command() -> &'static str {
    const COMMANDS: [(&str, &str); 7] = [
        ("apt-get", "sudo apt-get install redis-server"),
        ("dnf", "sudo dnf install valkey"),
        ("pacman", "sudo pacman -S valkey"),
        ("apk", "sudo apk add valkey"),
        ("zypper", "sudo zypper install redis"),
        ("brew", "brew install valkey"),
        ("nix-env", "nix-env -iA nixpkgs.valkey"),
    ];
    let directories = std::env::var_os("PATH").unwrap_or_default();
    let has =
        |name: &str| std::env::split_paths(&directories).any(|directory| directory.join(name).is_file());
    COMMANDS
        .iter()
        .find(|(manager, _)| has(manager))
        .map_or("your package manager (the package is called redis or valkey)", |(_, command)| command)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn versions_below_seven_are_refused() {
        assert_eq!(read_version("Redis server v=7.0.15 sha=0:0 malloc=libc"), Ok("Redis 7.0.15".to_owned()));
        assert_eq!(read_version("Valkey server v=8.1.4 sha=0:0"), Ok("Valkey 8.1.4".to_owned()));
        let why = read_version("Redis server v=6.2.14 sha=0").unwrap_err();
        assert!(why.contains("needs 7.0") && why.contains("redis_server"), "{why}");
        assert!(read_version("hello").is_err() && read_version("").is_err());
    }

    #[test]
    fn a_configured_program_that_is_none_is_named() {
        let error =
            RedisProgram::find(Some(Path::new("/nowhere/redis-server")), Path::new("/nowhere")).unwrap_err();

        assert!(error.to_string().starts_with("/nowhere/redis-server cannot be used"), "{error}");
    }
}
