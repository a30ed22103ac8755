//! A connection that ends in the middle of an answer.

use super::scene::{job, way_to};
use reprieve::testing::RedisServer;
use reprieve::{Engine, EngineConfig, Error};
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};
use tokio::io::{AsyncReadExt, AsyncWriteExt};
use tokio::net::{TcpStream, UnixStream};

/// Passes everything on, but of the next answer the first bytes only, when asked to.
async fn pass(client: TcpStream, server: UnixStream, tears: Arc<AtomicBool>) {
    let ((mut from_client, mut to_client), (mut from_server, mut to_server)) =
        (client.into_split(), server.into_split());
    let asking = tokio::spawn(async move { tokio::io::copy(&mut from_client, &mut to_server).await });
    let mut answer = [0; 64 * 1024];
    while let Ok(length @ 1..) = from_server.read(&mut answer).await {
        let torn = length > 4 && tears.swap(false, Ordering::SeqCst);
        let told = if torn { &answer[..length - 3] } else { &answer[..length] };
        if to_client.write_all(told).await.is_err() || torn {
            break;
        }
    }
    asking.abort();
}

#[tokio::test]
async fn half_an_answer_is_none_and_no_damage_in_redis() {
    let server = RedisServer::start().unwrap();
    let tears = Arc::new(AtomicBool::new(false));
    let torn = Arc::clone(&tears);
    let url = way_to(&server, move |client, server| pass(client, server, Arc::clone(&torn))).await;
    let engine = Engine::connect(EngineConfig::new(url)).await.unwrap();
    engine.client().enqueue_batch(vec![job("a")]).await.unwrap();

    tears.store(true, Ordering::SeqCst);
    let error = engine.client().enqueue_batch(vec![job("a")]).await.unwrap_err();

    assert!(matches!(error, Error::Unavailable { .. }), "{error:?}");
}
