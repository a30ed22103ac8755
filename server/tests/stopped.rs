//! The program is asked to stop while Redis is away: it ends before a supervisor loses timeouts.

use crate::support::{Running, TIMEOUT, directory, post_json, signal};
use reprieve::testing::RedisServer;
use std::net::{SocketAddr, TcpListener};
use std::sync::mpsc::{Receiver, channel};
use std::time::Duration;

/// After so long many supervisors kill.
const STOP_MAX: Duration = Duration::from_secs(30);

#[test]
fn it_ends_in_time_where_redis_is_gone() {
    ends_in_time(|mut redis| {
        redis.kill().unwrap();
        redis
    });
}

#[test]
fn it_ends_in_time_where_redis_does_not_answer() {
    ends_in_time(|redis| {
        signal(redis.pid(), "STOP");
        redis
    });
}

/// Stops it while a job runs that does not end, behind the loss of Redis.
fn ends_in_time(lose: impl FnOnce(RedisServer) -> RedisServer) {
    let (directory, redis) = (directory(), RedisServer::start().unwrap());
    let (sink, taken) = silent();
    let webhook = format!("*=http://{sink}/");
    let options = ["--redis", redis.url(), "--webhook", webhook.as_str(), "--webhook-allow-private"];
    let running = Running::start(&directory.path().join("data"), &options);
    post_json(running.address, "/api/v1/jobs", r#"{"kind":"parcel"}"#);
    taken.recv_timeout(TIMEOUT).unwrap();

    let redis = lose(redis);

    let (status, took) = running.terminate_within(STOP_MAX);
    println!("it ended after {took:?}: {status}");
    drop(redis);
}

/// Takes connections and answers nothing. Tells of each.
fn silent() -> (SocketAddr, Receiver<()>) {
    let listener = TcpListener::bind("127.0.0.1:0").unwrap();
    let address = listener.local_addr().unwrap();
    let (tell, told) = channel();
    std::thread::spawn(move || {
        let mut kept = Vec::new();
        for stream in listener.incoming().flatten() {
            kept.push(stream);
            if tell.send(()).is_err() {
                return;
            }
        }
    });
    (address, told)
}
