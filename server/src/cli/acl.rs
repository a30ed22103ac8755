//! `reprieve acl`: the command that makes a Redis user with the least rights.
//!
//! It connects to nothing: there is no such user yet.

use super::besides;
use super::exit::Failure;
use super::output::{Output, complain};
use super::session::Reach;
use clap::Args;
use serde::Serialize;

/// Prints the command for the configured namespaces, all their shards, and the sinks and importers of the configuration.
#[derive(Debug, Clone, Args)]
pub struct Acl {
    /// Name of the user
    #[arg(long, value_name = "NAME", default_value = "reprieve", value_parser = read_user)]
    user: String,
    #[command(flatten)]
    reach: Reach,
}

#[derive(Serialize)]
struct Recipe {
    command: String,
}

impl Acl {
    /// Prints, and returns what the shell sees: 0, or 2 for settings that cannot be read.
    pub fn print(self) -> u8 {
        match self.reach.config_of_all() {
            Ok(config) => {
                let mut command = reprieve::acl_recipe(&self.user, &config.namespace);
                let extra_namespaces =
                    config.extra_namespaces.iter().flat_map(|other| reprieve::acl_keys(&other.name));
                for right in extra_namespaces.chain(besides::rights(&config)) {
                    command += " ";
                    command += &right;
                }
                let sentence = command.clone();
                Output::new(self.reach.json).answer(&Recipe { command }, sentence);
                0
            }
            Err(failure) => self.refuse(&failure),
        }
    }

    fn refuse(&self, failure: &Failure) -> u8 {
        complain(&failure.line(self.reach.json));
        failure.exit()
    }
}

/// A name that stays one word of the command, and is not that of the user everybody else is.
fn read_user(text: &str) -> Result<String, String> {
    let plain = |c: char| c.is_ascii_alphanumeric() || "._-".contains(c);
    if text.is_empty() || !text.chars().all(plain) {
        return Err("a user has letters, digits and . _ - in its name".to_owned());
    }
    if text == "default" {
        return Err("\"default\" is the user of all who name none; choose another".to_owned());
    }
    Ok(text.to_owned())
}
