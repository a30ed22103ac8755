//! The event tail of a process reads for those who listen, and for nobody else.

use crate::runtime::scene::{job, within};
use redis::InfoDict;
use reprieve::testing::RedisServer;
use reprieve::{Engine, EngineConfig};
use std::time::Duration;

/// How often streams were read by that server.
fn reads(connection: &mut redis::Connection) -> u64 {
    let info: InfoDict = redis::cmd("INFO").arg("commandstats").query(connection).unwrap();
    let line: String = info.get("cmdstat_xread").unwrap_or_default();
    line.strip_prefix("calls=").and_then(|rest| rest.split(',').next()?.parse().ok()).unwrap_or(0)
}

/// Whether anybody waits for something new in a stream.
fn somebody_reads(connection: &mut redis::Connection) -> bool {
    let clients: String = redis::cmd("CLIENT").arg("LIST").query(connection).unwrap();
    clients.contains("cmd=xread")
}

#[tokio::test]
async fn nothing_is_read_for_nobody_and_who_comes_back_hears_what_is_new() {
    let server = RedisServer::start().unwrap();
    let mut connection = redis::Client::open(server.url()).unwrap().get_connection().unwrap();
    let engine = Engine::connect(EngineConfig::new(server.url())).await.unwrap();
    let (tail, client) = (engine.events(), engine.client());

    let mut first = tail.subscribe();
    within("the tail", tail.ready()).await;
    client.enqueue_batch(vec![job("heard", "work")]).await.unwrap();
    assert_eq!(within("an event", first.recv()).await.unwrap().job.as_str(), "heard");

    drop(first);
    within("the end of the reading", async {
        while somebody_reads(&mut connection) {
            tokio::time::sleep(Duration::from_millis(5)).await;
        }
    })
    .await;
    let before = reads(&mut connection);
    assert!(before > 0);
    client.enqueue_batch(vec![job("unheard", "work")]).await.unwrap();
    assert_eq!(reads(&mut connection), before);

    let mut second = tail.subscribe();
    within("the tail", tail.ready()).await;
    client.enqueue_batch(vec![job("new", "work")]).await.unwrap();
    assert_eq!(within("an event", second.recv()).await.unwrap().job.as_str(), "new");
}
