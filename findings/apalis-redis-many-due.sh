#!/bin/sh
# The Rust crate apalis-redis 1.0.0: when some 8,000 scheduled tasks are due at once, none of its workers gets a task any more.
#
# A fetch moves all tasks whose time has come to the list of those that are ready, and gives all their ids to one
# command; Lua passes at most about 8,000 values to one. The fetch fails, the ids stay, and so does the next fetch: a day
# without workers, or many tasks with one time, stop the queue, also for tasks that are not scheduled. Reprieve moves
# at most so many due jobs in a call, whatever waits.
#
# Schedules tasks for the same second and runs a worker for five seconds from then on. Seen:
#   of 1000 due at once ran 1000
#   of 9000 due at once ran 0
# Exits with 1 if that changes. Needs redis-server and cargo.
set -eu

folder="$(mktemp -d)"
trap 'kill "$(cat "$folder/redis.pid" 2>/dev/null)" 2>/dev/null || true; rm -rf "$folder"' EXIT
redis-server --port 0 --unixsocket "$folder/redis.sock" --save '' --dir "$folder" --daemonize yes \
  --pidfile "$folder/redis.pid" > "$folder/log"
while ! [ -S "$folder/redis.sock" ]; do sleep 0.1; done

mkdir "$folder/src"
cat > "$folder/Cargo.toml" <<'END'
[package]
name = "found"
version = "0.0.0"
edition = "2024"

[dependencies]
apalis = { version = "=1.0.0", features = ["limit"] }
apalis-redis = "=1.0.0"
futures = "0.3"
tokio = { version = "1", features = ["full"] }
END
cat > "$folder/src/main.rs" <<'END'
use apalis::prelude::*;
use apalis_redis::{Config, RedisStorage};
use futures::stream;
use std::sync::Arc;
use std::sync::atomic::{AtomicUsize, Ordering::SeqCst};
use std::time::{Duration, SystemTime, UNIX_EPOCH};

async fn run(_: u64, ran: Data<Arc<AtomicUsize>>) -> Result<(), BoxDynError> {
    ran.fetch_add(1, SeqCst);
    Ok(())
}

#[tokio::main]
async fn main() -> Result<(), Box<dyn std::error::Error + Send + Sync>> {
    let redis = apalis_redis::connect(std::env::args().nth(1).unwrap()).await?;
    for tasks in [1_000_usize, 9_000] {
        let name = format!("of{tasks}");
        let storage = || RedisStorage::new(redis.clone()).with_config(Config::default().queue(&name).batch_size(100));
        let due = SystemTime::now().duration_since(UNIX_EPOCH)?.as_secs() + 3;
        for first in (0..tasks).step_by(100) {
            let task = |n| TaskBuilder::new(n as u64).run_at_timestamp(due).build();
            storage().push_all(stream::iter((first..first + 100).map(task).collect::<Vec<_>>())).await?;
        }
        let ran = Arc::new(AtomicUsize::new(0));
        tokio::time::sleep(Duration::from_secs(4)).await;
        let worker = WorkerBuilder::new(name.as_str()).backend(storage()).data(ran.clone()).concurrency(100).build(run);
        tokio::time::timeout(Duration::from_secs(5), worker.run()).await.ok();
        println!("of {tasks} due at once ran {}", ran.load(SeqCst));
    }
    Ok(())
}
END
(cd "$folder" && cargo build --quiet)

answer="$("$folder/target/debug/found" "redis+unix://$folder/redis.sock" 2> "$folder/said")"
echo "$answer"
[ "$answer" = 'of 1000 due at once ran 1000
of 9000 due at once ran 0' ] || { cat "$folder/said" >&2; echo 'this has changed' >&2; exit 1; }
