//! What shells and `man` want to know of the command line.

use super::Cli;
use super::exit::Failure;
use super::output::complain;
use clap::builder::Resettable;
use clap::{Args, CommandFactory as _};
use clap_complete::Shell;
use std::io::Write as _;
use std::path::PathBuf;

/// Prints the completion script of a shell.
#[derive(Debug, Clone, Args)]
pub struct Completions {
    /// Which shell
    shell: Shell,
}

/// Writes the manual pages.
#[derive(Debug, Clone, Args)]
pub struct Man {
    /// Directory to write into; made if it is not there
    #[arg(value_name = "DIRECTORY")]
    directory: PathBuf,
}

impl Completions {
    /// To standard output.
    pub fn print(&self) -> u8 {
        let mut script = Vec::new();
        clap_complete::generate(self.shell, &mut Cli::command(), "reprieve", &mut script);
        // A reader such as `head` may have read enough.
        let _ = std::io::stdout().lock().write_all(&script);
        0
    }
}

impl Man {
    /// One page a verb; what the shell sees.
    #[must_use]
    pub fn write(&self) -> u8 {
        // The pages are the same wherever they are written: `--version` names the time zones of this machine.
        let command = Cli::command().long_version(Resettable::Reset);
        let written = std::fs::create_dir_all(&self.directory)
            .and_then(|()| clap_mangen::generate_to(command, &self.directory));
        let Err(why) = written else { return 0 };
        let failure = Failure::Failed(format!("{}: {why}", self.directory.display()));
        complain(&failure.line(false));
        failure.exit()
    }
}
