//! What is tested: a Redis of its own, the program as it ships, a person and a token.

use super::Arguments;
use super::http::{self, Answer};
use super::process::Process;
use crate::bed::signal;
use anyhow::{Context, Result, bail, ensure};
use reprieve::model::{Namespace, NewToken, Permission, PersonName};
use reprieve::testing::RedisServer;
use reprieve::{Engine, EngineConfig};
use reprieve_access::{People, Tokens};
use std::fs::{self, File};
use std::net::SocketAddr;
use std::path::Path;
use std::process::Stdio;
use std::time::Duration;
use tokio::io::{AsyncBufReadExt, BufReader};
use tokio::process::{Child, Command};

/// Who looks at the dashboard.
const PERSON: &str = "ann";
const PASSWORD: &str = "correct-horse-battery";
/// How long the program may take to start, and to end.
const TIMEOUT: Duration = Duration::from_secs(60);

/// Where the program is, and how to be let in.
#[derive(Debug, Clone)]
pub(super) struct Site {
    pub(super) address: SocketAddr,
    token: String,
}

impl Site {
    /// Begins a session as people do.
    pub(super) fn sign_in(&self) -> Result<String> {
        let headers = "Content-Type: application/x-www-form-urlencoded\r\nSec-Fetch-Site: same-origin\r\n";
        let body = format!("name={PERSON}&password={PASSWORD}");
        let answer = http::ask(self.address, &http::request("POST", "/login", headers, &body))?;
        answer.session().with_context(|| format!("nobody was let in: {answer:?}"))
    }

    /// Calls the API.
    pub(super) fn call(&self, method: &str, path: &str, body: &str) -> Result<Answer> {
        http::ask(self.address, &http::request(method, path, &self.api_headers(), body))
    }

    /// The headers of every call.
    pub(super) fn api_headers(&self) -> String {
        format!("Authorization: Bearer {}\r\nContent-Type: application/json\r\n", self.token)
    }
}

pub(super) struct Program {
    pub(super) site: Site,
    pid: u32,
    child: Child,
    redis: RedisServer,
    _directory: tempfile::TempDir,
}

impl Program {
    /// Starts it; jobs are delivered to `receiver`.
    pub(super) async fn start(arguments: &Arguments, receiver: SocketAddr) -> Result<Self> {
        let directory = tempfile::tempdir()?;
        let options = ["--save", "", "--appendonly", "yes", "--appendfsync", "everysec"];
        let redis = tokio::task::block_in_place(|| RedisServer::start_with(&options))?;
        let config = EngineConfig::new(redis.url()).namespace(Namespace::new("soak")?).keep_rules();
        let engine = Engine::connect(config).await?;
        People::new(&engine).found(&PERSON.parse::<PersonName>()?, PASSWORD).await?;
        let token =
            Tokens::new(&engine).add(&NewToken::new("soak".parse()?, Permission::ALL), PERSON).await?;
        let file = directory.path().join("reprieve.toml");
        fs::write(&file, configuration(redis.url(), receiver))?;
        let (child, address) = serve(arguments, &file).await?;
        let pid = child.id().context("the program has ended")?;
        Ok(Self { site: Site { address, token }, pid, child, redis, _directory: directory })
    }

    /// The processes of the program and of its Redis.
    pub(super) const fn pids(&self) -> (u32, u32) {
        (self.pid, self.redis.pid())
    }

    /// The process of the program as it is now.
    pub(super) fn look(&self) -> Result<Process> {
        Process::look(self.pid)
    }

    /// Ends it as a service manager does.
    pub(super) async fn stop(mut self) -> Result<()> {
        signal(self.pid, "-TERM").await?;
        let ended = tokio::time::timeout(TIMEOUT, self.child.wait()).await;
        let status = ended.context("the program does not end when it is told to")??;
        ensure!(status.success(), "the program ended with {status}");
        Ok(())
    }
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

/// Starts the program. Returns where it listens.
async fn serve(arguments: &Arguments, configuration: &Path) -> Result<(Child, SocketAddr)> {
    let program = &arguments.program;
    let program = program.canonicalize().with_context(|| program.display().to_string())?;
    let log = match &arguments.log {
        Some(file) => File::create(file)?.into(),
        None => Stdio::null(),
    };
    let mut command = Command::new(program);
    command.args(["serve", "--config"]).arg(configuration).kill_on_drop(true);
    command.current_dir(configuration.parent().unwrap_or(Path::new(".")));
    command.stdin(Stdio::null()).stdout(Stdio::piped()).stderr(log);
    let mut child = command.spawn().context("the program cannot be started")?;
    let mut lines = BufReader::new(child.stdout.take().context("it has no output")?).lines();
    let address = async {
        while let Some(line) = lines.next_line().await? {
            if let Some((_, address)) = line.split_once("dashboard  http://") {
                return Ok(address.trim().parse()?);
            }
        }
        bail!("the program ended without saying where it listens; --log says why")
    };
    let address = tokio::time::timeout(TIMEOUT, address).await.context("the program does not start")??;
    // Read to its end: a full pipe would block the program.
    tokio::spawn(async move { while let Ok(Some(_)) = lines.next_line().await {} });
    Ok((child, address))
}
