//! The name of a Redis leads to another server: the old one is a replica now, or frozen, and its connections stay open.

use super::scene::{command, id, job, until, within};
use crate::machines::replicas::{Server, pair};
use reprieve::model::{EventId, QueueName};
use reprieve::{Engine, EngineConfig};
use reprieve_import::{ImportName, ImportWarningCode, Layout, Source};
use std::net::SocketAddr;
use std::sync::{Arc, Mutex};
use std::time::{Duration, Instant};
use tokio::net::{TcpListener, TcpStream};

/// How long it may take until all works on the new server: connections that are never answered are waited for.
const HEALED_WITHIN: Duration = Duration::from_secs(30);

/// A name: new connections go where it leads at the time, open ones stay where they are.
struct Name {
    leads_to: Arc<Mutex<u16>>,
    address: SocketAddr,
}

impl Name {
    async fn of(server: &Server) -> Self {
        let door = TcpListener::bind("127.0.0.1:0").await.unwrap();
        let address = door.local_addr().unwrap();
        let leads_to = Arc::new(Mutex::new(server.port));
        let present = Arc::clone(&leads_to);
        tokio::spawn(async move {
            while let Ok((mut client, _)) = door.accept().await {
                let port = *present.lock().unwrap();
                tokio::spawn(async move {
                    let Ok(mut server) = TcpStream::connect(("127.0.0.1", port)).await else { return };
                    drop(tokio::io::copy_bidirectional(&mut client, &mut server).await);
                });
            }
        });
        Self { leads_to, address }
    }

    fn leads_to(&self, server: &Server) {
        *self.leads_to.lock().unwrap() = server.port;
    }

    fn url(&self) -> String {
        format!("redis://{}", self.address)
    }
}

/// Everything that has connections: calls, a worker that waits, live events, confirmed acts.
async fn heals_after(switch: impl FnOnce(&Server, &Server)) {
    let (old, new) = tokio::task::spawn_blocking(pair).await.unwrap();
    let name = Name::of(&old).await;
    let engine = Engine::connect(EngineConfig::new(name.url()).shards(2)).await.unwrap();
    let careful = Engine::connect(EngineConfig::new(name.url()).shards(2).confirm_replicas(1)).await.unwrap();
    let worker =
        engine.worker().queue(QueueName::new("other").unwrap(), 4).handler_for_all(|_| async { Ok(()) });
    let worker = worker.start().await.unwrap();
    let maintenance = engine.maintenance().start();
    let mut events = engine.events().subscribe();
    within("the streams", engine.events().ready()).await;
    engine.client().enqueue_batch(vec![job("before"), job("also")]).await.unwrap();
    drop(careful.operator("ann").cancel(&id("before")).operation("first").await.unwrap());
    until("the replica to have it", || async { has(&new, "before") && has(&new, "also") }).await;

    switch(&old, &new);
    name.leads_to(&new);

    let switched = Instant::now();
    let mut number = 0;
    until("a job to be taken in", || {
        number += 1;
        let job = job(&format!("after-{number}"));
        let client = engine.client();
        async move { client.enqueue_batch(vec![job]).await.is_ok() }
    })
    .await;
    until("a read", || async { engine.inspector().counts(None).await.is_ok() }).await;
    until("a confirmed act", || async {
        careful.operator("ann").cancel(&id("also")).operation("second").await.is_ok()
    })
    .await;
    let live = until("a live event of it", || {
        let came = std::iter::from_fn(|| events.try_recv().ok())
            .any(|event| event.job.as_str().starts_with("after-"));
        async move { came }
    })
    .await;
    until("the outage to be over", || async { engine.outage().is_none() }).await;
    println!("healed within {:?}, live after {live:?}", switched.elapsed());
    assert!(switched.elapsed() < HEALED_WITHIN, "{:?}", switched.elapsed());
    for number in 1..=20 {
        let id = format!("later-{number}");
        engine.client().enqueue_batch(vec![job(&id)]).await.unwrap();
    }
    old.signal("-CONT");
    worker.shutdown().await;
    maintenance.shutdown().await;
}

/// Whether a server has a job, in whichever shard.
fn has(server: &Server, job: &str) -> bool {
    let in_shard = |shard: u16| {
        let key = format!("reprieve:{{default.{shard}}}:job:{job}");
        command(&server.url(), &["EXISTS", &key]).is_ok_and(|found| found == redis::Value::Int(1))
    };
    in_shard(0) || in_shard(1)
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn all_connections_follow_a_name_whose_server_has_become_a_replica() {
    heals_after(|old, new| {
        command(&new.url(), &["REPLICAOF", "NO", "ONE"]).unwrap();
        command(&old.url(), &["REPLICAOF", "127.0.0.1", &new.port.to_string()]).unwrap();
    })
    .await;
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn all_connections_follow_a_name_whose_server_is_frozen() {
    heals_after(|old, new| {
        command(&new.url(), &["REPLICAOF", "NO", "ONE"]).unwrap();
        old.signal("-STOP");
    })
    .await;
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn a_source_of_jobs_is_followed_to_another_server() {
    let (old, new) = tokio::task::spawn_blocking(pair).await.unwrap();
    let (name, here) = (Name::of(&old).await, reprieve::testing::RedisServer::start().unwrap());
    let engine = Engine::connect(EngineConfig::new(here.url())).await.unwrap();
    let layout = serde_json::from_value::<Layout>(serde_json::json!({
        "format": "zset", "key": "legacy", "kind": "k",
    }));
    let import = reprieve_import::Importer::new(
        &engine,
        ImportName::new("legacy").unwrap(),
        Source::at(name.url(), layout.unwrap()),
    )
    .unwrap();
    let import = import.accepting(&ImportWarningCode::ALL);
    command(&old.url(), &["ZADD", "legacy", "4000000000", "one", "4000000000", "two"]).unwrap();
    let waits = redis::Value::Int(2);
    until("the replica to have it", || async {
        command(&new.url(), &["ZCARD", "legacy"]).is_ok_and(|count| count == waits)
    })
    .await;
    import.observe().await.unwrap();

    command(&new.url(), &["REPLICAOF", "NO", "ONE"]).unwrap();
    command(&old.url(), &["REPLICAOF", "127.0.0.1", &new.port.to_string()]).unwrap();
    name.leads_to(&new);

    let healed =
        until("the items to be taken over", || async { import.take_over(|_| {}).await.is_ok() }).await;
    assert!(healed < HEALED_WITHIN, "{healed:?}");
    assert_eq!(engine.inspector().counts(None).await.unwrap().delayed, 2);
}

/// What a Redis that is a replica for good is asked.
#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn a_redis_that_stays_a_replica_is_not_hammered_with_connections() {
    let (old, _new) = tokio::task::spawn_blocking(pair).await.unwrap();
    let engine = Engine::connect(EngineConfig::new(old.url())).await.unwrap();
    let worker = engine.worker().queue(QueueName::default(), 4).handler_for_all(|_| async { Ok(()) });
    let worker = worker.start().await.unwrap();
    let maintenance = engine.maintenance().start();
    let _events = engine.events().subscribe();
    within("the streams", engine.events().ready()).await;
    command(&old.url(), &["REPLICAOF", "127.0.0.1", "1"]).unwrap();
    let before = connections(&old);

    let began = Instant::now();
    while began.elapsed() < Duration::from_secs(6) {
        assert!(engine.client().enqueue_batch(vec![job("a")]).await.is_err());
        tokio::time::sleep(Duration::from_millis(5)).await; // a service that asks again and again
    }

    // Four connections, renewed at once, after 100 ms, 200, 400 and so on, then every 2 s.
    let opened = connections(&old) - before;
    assert!((4..=60).contains(&opened), "{opened} connections in 6 s");
    assert!(engine.client().enqueue_batch(vec![job("a")]).await.is_err());
    assert!(
        engine.events().latest().await.unwrap().of(reprieve::model::Shard::FIRST) >= EventId::ZERO,
        "it is read"
    );
    worker.shutdown().await;
    maintenance.shutdown().await;
}

fn connections(server: &Server) -> u64 {
    let info =
        redis::from_redis_value::<String>(command(&server.url(), &["INFO", "stats"]).unwrap()).unwrap();
    let line = info.lines().find_map(|line| line.strip_prefix("total_connections_received:")).unwrap();
    line.trim().parse().unwrap()
}
