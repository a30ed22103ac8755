//! The end of the log is missing, as after a machine that stopped while writing.

use super::scene::{command, durable_server, job, on, until};
use reprieve::testing::breaches_beside_events;
use std::fs::{self, OpenOptions};
use std::path::PathBuf;

/// How often the log is cut, and how many bytes more each time than the time before.
const CUTS: u64 = 12;
const BYTES_MORE: u64 = 97;

/// The file that the server adds to.
fn log(url: &str) -> PathBuf {
    let told: Vec<String> =
        redis::from_redis_value(command(url, &["CONFIG", "GET", "dir"]).unwrap()).unwrap();
    let folder = PathBuf::from(&told[1]).join("appendonlydir");
    let files = fs::read_dir(folder).unwrap().map(|entry| entry.unwrap().path());
    files.filter(|path| path.to_string_lossy().ends_with(".incr.aof")).max().unwrap()
}

fn is_rewriting(url: &str) -> bool {
    let told: String = redis::from_redis_value(command(url, &["INFO", "persistence"]).unwrap()).unwrap();
    told.contains("aof_rewrite_in_progress:1") || told.contains("aof_rewrite_scheduled:1")
}

#[tokio::test(flavor = "multi_thread")]
async fn whatever_is_cut_off_the_end_of_the_log_what_is_left_is_sound() {
    let mut server = durable_server();
    let redis = on(&server).await;
    let engine = redis.engine();
    let mut lost = 0;
    for round in 0..CUTS {
        for number in 0..20 {
            let name = format!("j{round}-{number}");
            let enqueue = || async { engine.client().enqueue_batch(vec![job(&name)]).await.is_ok() };
            until("redis to be found again", enqueue).await;
            if number % 3 == 0 {
                engine.client().cancel(&super::scene::id(&name)).await.unwrap();
            }
        }
        let before = redis.snapshot().await.len();
        let file = log(server.url());
        server.kill().unwrap();
        let length = fs::metadata(&file).unwrap().len();
        let cut = OpenOptions::new().write(true).open(&file).unwrap();
        cut.set_len(length - 1 - round * BYTES_MORE).unwrap();

        server.restart().unwrap();

        let keys = redis.snapshot().await;
        assert_eq!(breaches_beside_events(&keys), Vec::<String>::new(), "cut {round}");
        lost += before - keys.len();
        // A transaction that was torn is not applied, but Redis leaves its beginning in the log, and would apply it at the
        // next start together with whatever follows.
        command(server.url(), &["BGREWRITEAOF"]).unwrap();
        until("the log to be written anew", || async { !is_rewriting(server.url()) }).await;
    }
    assert!(lost > 0, "nothing was cut off that mattered");
}
