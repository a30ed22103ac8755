//! The Redis that everything is measured on: a process of our own on TCP loopback.

use anyhow::{Context, Result};
use redis::InfoDict;
use redis::aio::MultiplexedConnection;
use reprieve::testing::RedisServer;
use std::net::TcpListener;
use std::time::Duration;
use tokio::io::{AsyncBufReadExt, AsyncWriteExt, BufReader};
use tokio::net::TcpStream;

/// Replies to the bench itself may take long: flushing millions of keys does.
const TIMEOUT: Duration = Duration::from_secs(120);

/// A redis-server without persistence unless its options say otherwise.
pub(crate) struct Bed {
    port: u16,
    connection: MultiplexedConnection,
    _server: RedisServer,
}

impl Bed {
    pub(crate) async fn start(options: &[&str]) -> Result<Self> {
        // The number is free now; nobody else here takes it within the next few milliseconds.
        let port = TcpListener::bind("127.0.0.1:0")?.local_addr()?.port();
        let text = port.to_string();
        let mut all = vec!["--port", &text, "--bind", "127.0.0.1", "--save", "", "--appendonly", "no"];
        all.extend_from_slice(options);
        let server = RedisServer::start_with(&all)?;
        let config = redis::AsyncConnectionConfig::new().set_response_timeout(Some(TIMEOUT));
        let client = redis::Client::open(format!("redis://127.0.0.1:{port}"))?;
        let connection = client.get_multiplexed_async_connection_with_config(&config).await?;
        Ok(Self { port, connection, _server: server })
    }

    pub(crate) fn url(&self) -> String {
        format!("redis://127.0.0.1:{}", self.port)
    }

    pub(crate) const fn port(&self) -> u16 {
        self.port
    }

    /// Takes everything out, and waits until its memory is given back.
    pub(crate) async fn clear(&self) -> Result<()> {
        self.tell(&["FLUSHALL", "SYNC"]).await?;
        self.tell(&["CONFIG", "SET", "notify-keyspace-events", ""]).await?;
        self.tell(&["MEMORY", "PURGE"]).await
    }

    /// Processor time of Redis's main thread so far, µs. It holds still where the wall clock counts what other
    /// programs do to the machine.
    pub(crate) async fn processor_us(&self) -> Result<f64> {
        let info = self.info("cpu").await?;
        let seconds = |name: &str| info.get::<f64>(name).context("redis does not tell its processor time");
        Ok((seconds("used_cpu_user_main_thread")? + seconds("used_cpu_sys_main_thread")?) * 1e6)
    }

    pub(crate) async fn memory_bytes(&self) -> Result<f64> {
        self.info("memory").await?.get("used_memory").context("redis does not tell its memory")
    }

    pub(crate) async fn version(&self) -> Result<String> {
        self.info("server").await?.get("redis_version").context("redis does not tell its version")
    }

    /// Forgets slow calls, and notes from now on those that take so long.
    pub(crate) async fn watch_slow(&self, from: Duration) -> Result<()> {
        self.tell(&["CONFIG", "SET", "slowlog-log-slower-than", &from.as_micros().to_string()]).await?;
        self.tell(&["CONFIG", "SET", "slowlog-max-len", "100000"]).await?;
        self.tell(&["SLOWLOG", "RESET"]).await
    }

    /// How long the slowest of the calls noted since took, µs; 0 when there was none.
    pub(crate) async fn slowest_us(&self) -> Result<f64> {
        // What was called may be any bytes.
        type Entry = (i64, i64, f64, redis::Value, redis::Value, redis::Value);
        let mut get = redis::cmd("SLOWLOG");
        let entries: Vec<Entry> = get.arg("GET").arg(-1).query_async(&mut self.connection.clone()).await?;
        Ok(entries.into_iter().map(|(_, _, took_us, ..)| took_us).fold(0.0, f64::max))
    }

    /// Commands that programs send in that time; what scripts call is theirs and not counted.
    pub(crate) async fn commands_during(&self, time: Duration) -> Result<usize> {
        let mut stream = TcpStream::connect(("127.0.0.1", self.port)).await?;
        stream.write_all(b"MONITOR\r\n").await?;
        let mut lines = BufReader::new(stream).lines();
        lines.next_line().await?;
        let mut commands = 0;
        let counting = async {
            while let Ok(Some(line)) = lines.next_line().await {
                commands += usize::from(!line.contains(" lua] "));
            }
        };
        tokio::time::timeout(time, counting).await.ok();
        Ok(commands)
    }

    async fn info(&self, section: &str) -> Result<InfoDict> {
        Ok(redis::cmd("INFO").arg(section).query_async(&mut self.connection.clone()).await?)
    }

    async fn tell(&self, words: &[&str]) -> Result<()> {
        let mut command = redis::Cmd::new();
        for word in words {
            command.arg(*word);
        }
        Ok(command.exec_async(&mut self.connection.clone()).await?)
    }
}
