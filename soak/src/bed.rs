//! What is under load: a Redis of its own, the program as it ships, people, a token.

use crate::http::{self, Answer};
use anyhow::{Context as _, Result, bail};
use clap::Args;
use reprieve::model::{Namespace, NewToken, Permission, PersonName};
use reprieve::testing::RedisServer;
use reprieve::{Engine, EngineConfig};
use std::fs::{self, File};
use std::net::{IpAddr, Ipv4Addr, SocketAddr};
use std::path::{Path, PathBuf};
use std::process::Stdio;
use std::time::Duration;
use tokio::io::{AsyncBufReadExt as _, BufReader};
use tokio::process::{Child, Command};

/// The one who looks at the dashboard.
pub(crate) const NAME: &str = "ann";
pub(crate) const PASSWORD: &str = "correct-horse-battery";
/// How long the program may take to start, and to end.
const PATIENCE: Duration = Duration::from_secs(60);

/// What is tested, and where the report goes.
#[derive(Debug, Clone, Args)]
pub(crate) struct Tested {
    /// The program; the one built beside this one unless it is said
    #[arg(long, value_name = "FILE")]
    pub(crate) program: Option<PathBuf>,
    /// Jobs enqueued in a second
    #[arg(long, default_value_t = 50)]
    pub(crate) rate: u32,
    /// Keep the report in this folder
    #[arg(long, value_name = "FOLDER")]
    pub(crate) ledger: Option<PathBuf>,
    /// Keep what the program logs in this file
    #[arg(long, value_name = "FILE")]
    pub(crate) log: Option<PathBuf>,
}

/// Everything under load.
pub(crate) struct Bed {
    pub(crate) address: SocketAddr,
    /// The port that webhooks go to.
    pub(crate) receiver: u16,
    pub(crate) engine: Engine,
    /// May do everything.
    pub(crate) token: String,
    redis: RedisServer,
    program: Child,
    _directory: tempfile::TempDir,
}

impl Bed {
    /// Starts it; due jobs are sent to `receiver`.
    pub(crate) async fn start(tested: &Tested, receiver: SocketAddr) -> Result<Self> {
        let directory = tempfile::tempdir()?;
        let options = ["--save", "", "--appendonly", "yes", "--appendfsync", "everysec"];
        let redis = tokio::task::block_in_place(|| RedisServer::start_with(&options))?;
        let config = EngineConfig::new(redis.url()).namespace(Namespace::new("soak")?).keep_rules();
        let engine = Engine::connect(config).await?;
        engine.people().found(&NAME.parse::<PersonName>()?, PASSWORD).await?;
        let token = engine.tokens().add(&NewToken::new("soak".parse()?, Permission::ALL), NAME).await?;
        let file = directory.path().join("reprieve.toml");
        fs::write(&file, configuration(redis.url(), receiver))?;
        let (program, address) = start_program(tested, &file, directory.path()).await?;
        Ok(Self { address, receiver: receiver.port(), engine, token, redis, program, _directory: directory })
    }

    /// The processes of the program and of its Redis.
    pub(crate) fn processes(&self) -> Result<(u32, u32)> {
        Ok((self.program.id().context("the program has ended")?, self.redis.pid()))
    }

    pub(crate) fn redis_url(&self) -> &str {
        self.redis.url()
    }

    /// A session of the one who looks, begun as people begin it.
    pub(crate) async fn session(&self) -> Result<String> {
        let answer = http::ask(here(), self.address, &sign_in(NAME, PASSWORD)).await?;
        answer.cookie("rp").with_context(|| format!("nobody was let in: {}", answer.text))
    }

    /// Asks as a program with the token.
    pub(crate) async fn call(&self, method: &str, path: &str, body: &str) -> Result<Answer> {
        http::ask(here(), self.address, &http::text(method, path, &self.headers(), body)).await
    }

    /// What a program sends along.
    pub(crate) fn headers(&self) -> String {
        format!("Authorization: Bearer {}\r\nContent-Type: application/json\r\n", self.token)
    }

    /// Ends the program as a service manager does.
    pub(crate) async fn stop(mut self) -> Result<()> {
        let (program, _) = self.processes()?;
        Command::new("kill").args(["-TERM", &program.to_string()]).status().await?;
        let ended = tokio::time::timeout(PATIENCE, self.program.wait()).await;
        let status = ended.context("the program does not end when it is told to")??;
        anyhow::ensure!(status.success(), "the program ended with {status}");
        Ok(())
    }
}

/// Where honest visitors come from.
pub(crate) const fn here() -> IpAddr {
    IpAddr::V4(Ipv4Addr::LOCALHOST)
}

/// The form of the page `/login`, sent.
pub(crate) fn sign_in(name: &str, password: &str) -> String {
    let headers = "Content-Type: application/x-www-form-urlencoded\r\nSec-Fetch-Site: same-origin\r\n";
    http::text("POST", "/login", headers, &format!("name={name}&password={password}"))
}

/// Ended jobs stay for a minute, so that Redis is as full after an hour as after two minutes.
fn configuration(redis: &str, receiver: SocketAddr) -> String {
    format!(
        "listen = \"127.0.0.1:0\"\nredis = \"{redis}\"\nnamespace = \"soak\"\n\n\
         [serve]\nlogin = \"required\"\n\n\
         [retention]\ndone = \"1min\"\ncancelled = \"1min\"\ndead = \"1min\"\nundo_window = \"1min\"\n\n\
         [[webhook]]\nkind = \"soak.*\"\nurl = \"http://{receiver}/\"\nallow_private = true\n"
    )
}

async fn start_program(tested: &Tested, file: &Path, directory: &Path) -> Result<(Child, SocketAddr)> {
    let program = match &tested.program {
        Some(program) => program.canonicalize().with_context(|| program.display().to_string())?,
        None => std::env::current_exe()?.with_file_name("reprieve"),
    };
    let log = match &tested.log {
        Some(file) => File::create(file)?.into(),
        None => Stdio::null(),
    };
    let mut child = Command::new(&program)
        .args(["serve", "--config"])
        .arg(file)
        .current_dir(directory)
        .stdin(Stdio::null())
        .stdout(Stdio::piped())
        .stderr(log)
        .kill_on_drop(true)
        .spawn()
        .with_context(|| format!("{} cannot be started", program.display()))?;
    let mut lines = BufReader::new(child.stdout.take().context("it has no output")?).lines();
    let told = async {
        while let Some(line) = lines.next_line().await? {
            if let Some((_, address)) = line.split_once("dashboard  http://") {
                return Ok(address.trim().parse()?);
            }
        }
        bail!("the program ended without saying where it listens; --log says why")
    };
    let address = tokio::time::timeout(PATIENCE, told).await.context("the program does not start")??;
    // Read to its end: a full pipe would hold the program up.
    tokio::spawn(async move { while let Ok(Some(_)) = lines.next_line().await {} });
    Ok((child, address))
}
