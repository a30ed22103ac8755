//! The binary.

use clap::Parser;
use reprieve_server::cli::{Cli, Command};

fn main() -> anyhow::Result<()> {
    match Cli::parse().command {
        Command::RedisGuard(flags) => reprieve_server::redis_child::guard::run(&flags),
        _ => anyhow::bail!("not yet"),
    }
}
