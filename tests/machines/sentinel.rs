//! A master, a replica, three Sentinels: the master dies under load, and nothing of ours is restarted.

use crate::machines::load::Load;
use crate::machines::ports::{command, free, tells, until};
use crate::machines::replicas::{Server, pair};
use reprieve::model::{Cancelled, Delay, JobId, Kind};
use reprieve::testing::RedisServer;
use reprieve::{Due, Engine, EngineConfig, NewJob};
use std::time::{Duration, Instant};

const SENTINELS: usize = 3;

struct Watched {
    master: Server,
    replica: Server,
    sentinels: Vec<(u16, RedisServer)>,
}

impl Watched {
    fn start() -> Self {
        let (master, replica) = pair();
        let lines = [
            format!("sentinel monitor shop 127.0.0.1 {} 2", master.port),
            "sentinel down-after-milliseconds shop 2000".to_owned(),
            "sentinel failover-timeout shop 5000".to_owned(),
        ];
        let lines: Vec<&str> = lines.iter().map(String::as_str).collect();
        let start = |port| (port, RedisServer::sentinel(port, &lines).unwrap());
        let sentinels: Vec<_> = free(SENTINELS).into_iter().map(start).collect();
        for (port, _) in &sentinels {
            until("the Sentinels to know the replica and one another", || {
                tells(*port, "sentinel", &format!("slaves=1,sentinels={SENTINELS}"))
            });
        }
        Self { master, replica, sentinels }
    }

    fn url(&self, master: &str) -> String {
        let hosts: Vec<_> = self.sentinels.iter().map(|(port, _)| format!("127.0.0.1:{port}")).collect();
        format!("redis+sentinel://{}/{master}", hosts.join(","))
    }
}

/// Takes a job in, calls it off, and returns how many replicas had that.
async fn call_off(engine: &Engine, name: &str) -> reprieve::Result<Option<u32>> {
    let id = JobId::new(name).unwrap();
    let mut job = NewJob::new(Kind::new("notice").unwrap(), "{}");
    job.id = Some(id.clone());
    job.due = Due::In(Delay::hours(1));
    engine.client().enqueue_batch(vec![job]).await?;
    match engine.operator("ann").cancel(&id).operation(name).await? {
        Cancelled::Now(standing) => Ok(standing.replicas),
        other => panic!("{other:?}"),
    }
}

#[tokio::test(flavor = "multi_thread", worker_threads = 4)]
async fn jobs_go_on_where_the_sentinels_point_when_the_master_dies() {
    let began = Instant::now();
    let mut watched = tokio::task::spawn_blocking(Watched::start).await.unwrap();
    println!("servers stand after {:?}", began.elapsed());
    a_replica_is_refused(&watched).await;

    let config = EngineConfig::new(watched.url("shop"));
    let engine = Engine::connect(config.clone()).await.unwrap();
    let careful = Engine::connect(config.confirm_replicas(1).keep_rules()).await.unwrap();
    let mut confirmed = Some(0);
    for number in 0..20 {
        // On a busy machine the replica may take longer than is waited for.
        confirmed = call_off(&careful, &format!("before-{number}")).await.unwrap();
        if confirmed != Some(0) {
            break;
        }
    }
    assert_eq!(confirmed, Some(1), "the master has a replica");
    let maintenance = engine.maintenance().start();
    let load = Load::start(&engine).await;
    load.acknowledges(300).await;

    watched.master.server.kill().unwrap();
    // Until here it may have answered what no replica has.
    let killed = Instant::now();
    let heir = watched.replica.port;
    let promoted = move || {
        until("the replica to take over", || tells(heir, "replication", "role:master"));
    };
    tokio::task::spawn_blocking(promoted).await.unwrap();
    println!("the replica was master {:?} after the kill", killed.elapsed());
    load.acknowledges(300).await;
    println!("300 jobs more {:?} after the kill", killed.elapsed());
    // The connection it had kept for confirmed writes led to the dead master.
    let confirmed = loop {
        match call_off(&careful, "after").await {
            Ok(replicas) => break replicas,
            Err(error) => assert!(killed.elapsed() < crate::machines::ports::TIMEOUT, "{error}"),
        }
        tokio::time::sleep(Duration::from_millis(50)).await;
    };
    assert_eq!(confirmed, Some(0), "the new master has no replica");

    load.settle(&engine, killed).await;
    maintenance.shutdown().await;
    println!("all in {:?}", began.elapsed());
}

/// Neither by its own address nor when Sentinels that are behind still name it.
async fn a_replica_is_refused(watched: &Watched) {
    let direct = Engine::connect(EngineConfig::new(watched.replica.url())).await.unwrap_err().to_string();
    assert!(direct.contains("is a replica") && direct.contains("redis+sentinel://"), "{direct}");

    for (sentinel, _) in &watched.sentinels {
        let port = watched.replica.port.to_string();
        command(*sentinel, &["SENTINEL", "MONITOR", "behind", "127.0.0.1", &port, "3"]).unwrap();
    }
    let named = Engine::connect(EngineConfig::new(watched.url("behind"))).await.unwrap_err().to_string();
    assert!(named.contains("does not call itself master"), "{named}");
    for (sentinel, _) in &watched.sentinels {
        command(*sentinel, &["SENTINEL", "REMOVE", "behind"]).unwrap();
    }
    let unknown = Engine::connect(EngineConfig::new(watched.url("nobody"))).await.unwrap_err().to_string();
    assert!(unknown.contains("no master of that name"), "{unknown}");
}

/// A Redis with that password, and a Sentinel of it with another or the same; the address of both, up to the query.
fn locked(redis: &str, sentinel: &str) -> (RedisServer, RedisServer, String) {
    let ports = free(2);
    let port = ports[0].to_string();
    let options = ["--port", &port, "--bind", "127.0.0.1", "--save", "", "--requirepass", redis];
    // The harness speaks to it without a password: it asks for one from here on.
    let server = RedisServer::start_with(&options[..6]).unwrap();
    command(ports[0], &["CONFIG", "SET", "requirepass", redis]).unwrap();
    let lines =
        [format!("sentinel monitor shop 127.0.0.1 {port} 1"), format!("sentinel auth-pass shop {redis}")];
    let lines: Vec<&str> = lines.iter().map(String::as_str).collect();
    let watching = RedisServer::sentinel(ports[1], &lines).unwrap();
    if !sentinel.is_empty() {
        command(ports[1], &["CONFIG", "SET", "requirepass", sentinel]).ok();
        command(ports[1], &["ACL", "SETUSER", "default", "resetpass", &format!(">{sentinel}")]).ok();
    }
    (server, watching, format!("redis+sentinel://:{redis}@127.0.0.1:{}/shop", ports[1]))
}

#[tokio::test]
async fn sentinels_that_want_a_login_get_that_of_the_master_or_their_own() {
    for (sentinel, query) in [
        ("", ""),
        ("secret", ""),
        ("other", "?sentinel_password=other"),
        ("other", "?sentinel_user=default&sentinel_password=other"),
    ] {
        let (_server, _watching, url) = locked("secret", sentinel);
        let engine = Engine::connect(EngineConfig::new(format!("{url}{query}"))).await.unwrap();
        engine.now().await.unwrap();
    }
}

#[tokio::test]
async fn a_refused_login_names_the_server_that_refused_it_and_whether_one_was_sent() {
    let (_server, watching, url) = locked("secret", "other");
    let refusal = async |url: String| {
        let error = Engine::connect(EngineConfig::new(url)).await.unwrap_err();
        assert!(error.is_denied() && !error.to_string().contains("secret"), "{error}");
        error.to_string()
    };

    let lent = refusal(url.clone()).await;
    assert!(lent.contains("the Sentinel at 127.0.0.1") && lent.contains("those of the master"), "{lent}");
    let wrong = refusal(format!("{url}?sentinel_password=secret-too")).await;
    assert!(wrong.contains("the Sentinel at 127.0.0.1") && wrong.contains("that was sent"), "{wrong}");
    let none = refusal(url.replace(":secret@", "")).await;
    assert!(none.contains("the Sentinel at 127.0.0.1") && none.contains("none was sent"), "{none}");
    assert!(none.contains("sentinel_password"), "{none}");
    let master = refusal(format!("{}?sentinel_password=other", url.replace(":secret@", ":secret-no@"))).await;
    assert!(master.contains("the master 127.0.0.1") && master.contains("that was sent"), "{master}");
    let master = refusal(format!("{}?sentinel_password=other", url.replace(":secret@", ""))).await;
    assert!(master.contains("the master 127.0.0.1") && master.contains("none was sent"), "{master}");
    drop(watching);
}
