//! The binary.

use clap::Parser;
use reprieve_server::cli::{Cli, Command, Flags};
use reprieve_server::config::Config;
use reprieve_server::{redis_child, serve, telemetry, work};
use std::process::ExitCode;

/// What a shell expects of a program that was started with wrong settings, as clap does.
const EXIT_USAGE: u8 = 2;

fn main() -> ExitCode {
    let outcome = match Cli::parse().command {
        Command::RedisGuard(flags) => redis_child::guard::run(&flags),
        Command::Serve(flags) => with_config(&flags, serve),
        Command::Worker(flags) => with_config(&flags, work),
        Command::Demo(_) => Err(anyhow::anyhow!("the demo is not in this build")),
        _ => Ok(()),
    };
    match outcome {
        Ok(()) => ExitCode::SUCCESS,
        Err(why) => {
            // `{:#}` puts the causes behind it, in one line.
            eprintln!("reprieve: {why:#}");
            let settings = why.downcast_ref::<reprieve_server::config::Mistakes>().is_some();
            if settings { EXIT_USAGE.into() } else { ExitCode::FAILURE }
        }
    }
}

/// Reads the settings, starts logging, and runs a command on them.
#[tokio::main]
async fn with_config<C>(flags: &Flags, command: C) -> anyhow::Result<()>
where
    C: AsyncFnOnce(Config) -> anyhow::Result<()>,
{
    let config = Config::load(flags)?;
    telemetry::start(config.log);
    command(config).await
}
