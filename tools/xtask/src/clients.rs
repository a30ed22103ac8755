//! The clients in Python and TypeScript: their types against the API, and their tests against the program.

use std::fs;
use std::path::{Path, PathBuf};
use std::process::{Command, ExitCode};

use anyhow::{Context, Result, bail};

use crate::step::{Step, root, succeed, target_dir};
use crate::tally::Tally;
use crate::test::{check, conclude};
use crate::{npm, python, redis, tested};

/// What somebody asked for: `[--program FILE] [--generate | --pack]`.
#[derive(Debug, Default, PartialEq, Eq)]
struct Wanted {
    /// A program that is there already, instead of one that is built now.
    program: Option<PathBuf>,
    /// Whether the types are written anew from the program's API, instead of checked.
    generate: bool,
    /// Whether packages are made.
    pack: bool,
}

fn read(arguments: &[String]) -> Result<Wanted> {
    let mut wanted = Wanted::default();
    let mut words = arguments.iter();
    while let Some(word) = words.next() {
        match word.as_str() {
            "--program" => wanted.program = Some(words.next().context("--program wants a file")?.into()),
            "--generate" => wanted.generate = true,
            "--pack" => wanted.pack = true,
            other => {
                bail!("clients does not know {other:?}; it knows --program FILE, --generate and --pack")
            }
        }
    }
    Ok(wanted)
}

/// Checks and tests the clients, or makes what was asked for.
pub(crate) fn clients(arguments: &[String]) -> Result<ExitCode> {
    let wanted = read(arguments)?;
    if wanted.pack {
        pack()?;
        return Ok(ExitCode::SUCCESS);
    }
    let program = wanted.program.map_or_else(|| tested::program("reprieve"), Ok)?;
    // The tests start it in folders of their own.
    let program = fs::canonicalize(&program).with_context(|| program.display().to_string())?;
    if wanted.generate {
        types(&program, &[])?;
        return Ok(ExitCode::SUCCESS);
    }
    Ok(conclude(&tests(&program)))
}

/// All checks and tests of the clients against a program.
pub(crate) fn tests(program: &Path) -> Tally {
    let mut tally = check("types of the clients", || types(program, &["--check"]));
    std::thread::scope(|scope| {
        // Most of what each takes is waiting for leases and for a server that starts again.
        let other = scope.spawn(|| check("client in TypeScript", || typescript_tests(program)));
        tally += check("client in Python", || python_tests(program));
        tally +=
            other.join().unwrap_or_else(|_| Tally::failed("client in TypeScript", "what runs it panicked"));
    });
    tally
}

/// The types that both clients have from the OpenAPI document.
fn types(program: &Path, arguments: &[&str]) -> Result<()> {
    redis::ensure()?;
    let mut generate = Command::new(python_tools()?.join("python"));
    npm::install(&typescript(), "the client in TypeScript")?;
    succeed(generate.arg("generate.py").args(arguments).current_dir(folder()).env("REPRIEVE", program))
}

fn python_tests(program: &Path) -> Result<()> {
    let tools = python_tools()?;
    let run = |tool: &str, arguments: &[&str]| {
        let mut command = Command::new(tools.join(tool));
        succeed(command.args(arguments).current_dir(folder().join("python")).env("REPRIEVE", program))
    };
    run("ruff", &["format", "--check", ".", "../generate.py"])?;
    run("ruff", &["check", ".", "../generate.py"])?;
    run("mypy", &["src", "tests", "examples", "../generate.py"])?;
    run("pytest", &[])
}

fn typescript_tests(program: &Path) -> Result<()> {
    npm::install(&typescript(), "the client in TypeScript")?;
    succeed(Command::new("npm").arg("test").current_dir(typescript()).env("REPRIEVE", program))
}

/// The packages as people install them, in `target/clients`.
fn pack() -> Result<()> {
    let made = target_dir().join("clients");
    if made.exists() {
        fs::remove_dir_all(&made)?;
    }
    let wheel = made.join("python");
    copy(&folder().join("python"), &["pyproject.toml", "README.md", "src"], &wheel)?;
    let mut build = Command::new(python_tools()?.join("python"));
    build.args(["-m", "build", "--outdir"]).arg(&made).arg(&wheel);
    Step::new("the package for Python").run(&mut build)?;

    npm::install(&typescript(), "the client in TypeScript")?;
    succeed(Command::new("npm").args(["run", "build"]).current_dir(typescript()))?;
    let module = made.join("typescript");
    copy(&typescript(), &["package.json", "README.md", "dist"], &module)?;
    let mut pack = Command::new("npm");
    pack.args(["pack", "--pack-destination"]).arg(&made).current_dir(&module);
    Step::new("the package for Node").run(&mut pack)
}

/// Puts parts of a client, and the licences, into a folder of their own.
fn copy(from: &Path, parts: &[&str], to: &Path) -> Result<()> {
    fs::create_dir_all(to)?;
    let licences = ["LICENSE-APACHE", "LICENSE-MIT"].map(|licence| root().join(licence));
    let parts = parts.iter().map(|part| from.join(part));
    succeed(Command::new("cp").arg("-R").args(parts).args(licences).arg(to))
}

fn python_tools() -> Result<PathBuf> {
    python::environment("python-clients", "clients/python/requirements.txt")
}

fn folder() -> PathBuf {
    root().join("clients")
}

fn typescript() -> PathBuf {
    folder().join("typescript")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn both_packages_have_the_version_of_the_program() {
        let version = env!("CARGO_PKG_VERSION");
        let (python, node) = (format!("version = \"{version}\""), format!("\"version\": \"{version}\""));
        for (file, line) in [("python/pyproject.toml", python), ("typescript/package.json", node)] {
            let text = fs::read_to_string(folder().join(file)).unwrap();
            assert!(text.contains(&line), "{file} has no line {line}");
        }
    }

    #[test]
    fn arguments_choose_what_is_done() {
        let asked = |words: &str| read(&words.split_whitespace().map(str::to_owned).collect::<Vec<_>>());
        assert_eq!(asked("").unwrap(), Wanted::default());
        let given = Wanted { program: Some("x".into()), generate: true, pack: false };
        assert_eq!(asked("--program x --generate").unwrap(), given);
        assert!(asked("--program").is_err() && asked("--publish").is_err());
    }
}
