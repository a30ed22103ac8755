//! The binary.

use reprieve_server::cli::{Cli, Command, DemoFlags, Doctor, Verb};
use reprieve_server::config::{Config, Flags, LogFormat, Mistakes};
use reprieve_server::{redis_child, serve, serve_demo, telemetry, work};
use std::io::Write as _;
use std::process::ExitCode;

/// What a shell expects of a program that was started with wrong settings, as clap does.
const EXIT_USAGE: u8 = 2;

/// Where the demo keeps its data when no other place is named.
const DEMO_DATA: &str = "reprieve-demo-data";

fn main() -> ExitCode {
    let outcome = match Cli::of(std::env::args_os()).command {
        Command::RedisGuard(flags) => redis_child::guard::run(&flags),
        Command::Serve(flags) => with_config(&flags, telemetry::start, serve),
        Command::Worker(mut flags) => {
            flags.shows_nothing = true;
            with_config(&flags, telemetry::start, work)
        }
        Command::Demo(DemoFlags { flags, speed, day, .. }) => {
            // A demo fills its data with a shop's; it should not meet real jobs by accident.
            let mut flags = flags.or_data(DEMO_DATA);
            // Nor does it show what else the file has.
            flags.shows_nothing = true;
            let demo = async move |config| serve_demo(config, speed, day).await;
            with_config(&flags, telemetry::start_for_demo, demo)
        }
        Command::Verb(verb) => return do_verb(verb).into(),
        Command::Doctor(doctor) => return look(doctor).into(),
        Command::Acl(acl) => return acl.print().into(),
        Command::Completions(shell) => return shell.print().into(),
        Command::Man(pages) => return pages.write().into(),
        _ => Ok(()),
    };
    telemetry::end();
    match outcome {
        Ok(()) => ExitCode::SUCCESS,
        Err(why) => {
            // `{:#}` puts the causes behind it, in one line.
            let _ = writeln!(std::io::stderr().lock(), "reprieve: {why:#}");
            let settings = why.is::<Mistakes>();
            if settings { EXIT_USAGE.into() } else { ExitCode::FAILURE }
        }
    }
}

/// One runtime thread does: a verb waits for Redis and for nothing else.
#[tokio::main(flavor = "current_thread")]
async fn do_verb(verb: Box<Verb>) -> u8 {
    telemetry::start_quietly();
    verb.run().await
}

/// Looks at Redis and says what is found.
#[tokio::main(flavor = "current_thread")]
async fn look(doctor: Doctor) -> u8 {
    telemetry::start_quietly();
    doctor.run().await
}

/// Reads the settings, starts logging, and runs a command on them.
#[tokio::main]
async fn with_config<C>(flags: &Flags, log: fn(LogFormat), command: C) -> anyhow::Result<()>
where
    C: AsyncFnOnce(Config) -> anyhow::Result<()>,
{
    let config = Config::load(flags)?;
    log(config.log);
    command(config).await
}
