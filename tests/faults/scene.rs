//! A Redis of the test's own, which it may break.

use reprieve::model::{HaltReason, JobId, Kind, Namespace};
use reprieve::testing::{RedisServer, TestRedis};
use reprieve::{Engine, EngineConfig, NewJob};
use std::collections::HashMap;
use std::time::{Duration, Instant};
use tokio::net::{TcpListener, TcpStream, UnixStream};

/// Far longer than anything here takes, even on a busy machine.
pub(crate) const TIMEOUT: Duration = Duration::from_secs(60);

/// Every write is on disk before it is answered, as in the embedded Redis.
pub(crate) fn durable_server() -> RedisServer {
    RedisServer::start_with(&["--save", "", "--appendonly", "yes", "--appendfsync", "always"]).unwrap()
}

/// Whether tests of sheer number are to run at full size, instead of a fifth.
pub(crate) fn is_large() -> bool {
    std::env::var_os("REPRIEVE_TEST_LARGE").is_some()
}

pub(crate) async fn on(server: &RedisServer) -> TestRedis {
    TestRedis::on(server.url(), Namespace::default()).await
}

pub(crate) async fn connect(server: &RedisServer) -> reprieve::Result<Engine> {
    Engine::connect(EngineConfig::new(server.url())).await
}

/// The URL of a way to a server on which `pass` carries what each connection says, both ways.
pub(crate) async fn way_to<F: Future<Output = ()> + Send + 'static>(
    server: &RedisServer,
    pass: impl Fn(TcpStream, UnixStream) -> F + Send + Sync + 'static,
) -> String {
    let door = TcpListener::bind("127.0.0.1:0").await.unwrap();
    let url = format!("redis://{}/", door.local_addr().unwrap());
    let socket = server.url().split_once("://").unwrap().1.to_owned();
    tokio::spawn(async move {
        while let Ok((client, _)) = door.accept().await {
            client.set_nodelay(true).unwrap();
            tokio::spawn(pass(client, UnixStream::connect(&socket).await.unwrap()));
        }
    });
    url
}

pub(crate) fn id(text: &str) -> JobId {
    JobId::new(text).unwrap()
}

pub(crate) fn job(name: &str) -> NewJob {
    let mut job = NewJob::new(Kind::new("k").unwrap(), "{}");
    job.id = Some(id(name));
    job
}

/// Why the namespace stands still, if it does and Redis can say so.
pub(crate) async fn halt(engine: &Engine) -> Option<HaltReason> {
    engine.inspector().halt().await.ok()?.map(|standing| standing.why)
}

/// Why the namespace stood still, each time so far: one that ends by itself may be over before it is looked for.
pub(crate) fn stood_still(url: &str) -> Vec<String> {
    let entries = command(url, &["XRANGE", "reprieve:{default}:audit", "-", "+"]).unwrap();
    let entries: Vec<(String, HashMap<String, String>)> = redis::from_redis_value(entries).unwrap();
    let begun = entries.into_iter().filter(|(_, entry)| entry["verb"] == "set_halt");
    begun.map(|(_, mut entry)| entry.remove("why").unwrap()).collect()
}

/// How many looks there were at the data and its clock. Each process looks once a second.
pub(crate) fn looks_so_far(url: &str) -> u64 {
    let heartbeat = command(url, &["HGET", "reprieve:{default}:meta", "heartbeat"]).unwrap();
    redis::from_redis_value::<Option<u64>>(heartbeat).unwrap().unwrap_or(0)
}

/// Waits until there were so many looks more.
pub(crate) async fn looks(url: &str, more: u64) {
    let before = looks_so_far(url);
    until("somebody to look", || async { looks_so_far(url) >= before + more }).await;
}

/// A plain command on a connection of its own.
pub(crate) fn command(url: &str, words: &[&str]) -> redis::RedisResult<redis::Value> {
    let mut connection = redis::Client::open(url)?.get_connection()?;
    let mut command = redis::cmd(words[0]);
    for word in &words[1..] {
        command.arg(*word);
    }
    command.query(&mut connection)
}

/// Waits for something that must come.
pub(crate) async fn within<T>(what: &str, future: impl Future<Output = T>) -> T {
    tokio::time::timeout(TIMEOUT, future).await.unwrap_or_else(|_| panic!("{what} takes too long"))
}

/// Asks again and again until it is so.
pub(crate) async fn until<F: Future<Output = bool>>(what: &str, mut is_so: impl FnMut() -> F) -> Duration {
    let began = Instant::now();
    while !is_so().await {
        assert!(began.elapsed() < TIMEOUT, "{what} takes too long");
        tokio::time::sleep(Duration::from_millis(20)).await; // Redis has no signal for it
    }
    began.elapsed()
}
