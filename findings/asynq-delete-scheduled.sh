#!/bin/sh
# The Rust crate asynq 0.1.8: `delete_task` of its inspector cannot delete a task that waits for its time.
#
# Its client writes scheduled tasks to `asynq:{<queue>}:scheduled`; its inspector looks for them in
# `asynq:<queue>:scheduled`, without the braces, and reports an error. The task stays and runs at its time. To call
# such tasks off, take the queue over: Reprieve reads the keys that the client writes.
#
# Schedules a task in an hour and deletes it. Seen:
#   delete_task: an error
#   scheduled after: 1
# Exits with 1 if that changes. Needs redis-server, cargo and redis-cli.
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
asynq = "=0.1.8"
tokio = { version = "1", features = ["full"] }
END
cat > "$folder/src/main.rs" <<'END'
use asynq::backend::{RedisBroker, RedisConnectionType, RedisInspector};
use asynq::inspector::InspectorTrait;
use std::time::{Duration, SystemTime};

#[tokio::main]
async fn main() -> Result<(), Box<dyn std::error::Error>> {
    let redis = RedisConnectionType::single(std::env::args().nth(1).unwrap())?;
    let client = asynq::client::Client::new(redis.clone()).await?;
    let task = asynq::task::Task::new("notice", b"{}")?.with_task_id("4711");
    client.schedule(task, SystemTime::now() + Duration::from_secs(3_600)).await?;
    let inspector = RedisInspector::from_broker(std::sync::Arc::new(RedisBroker::new(redis).await?));
    println!("delete_task: {}", if inspector.delete_task("default", "4711").await.is_ok() { "deleted" } else { "an error" });
    Ok(())
}
END
(cd "$folder" && cargo build --quiet)

waiting() { redis-cli -s "$folder/redis.sock" ZCARD 'asynq:{default}:scheduled'; }
answer="$("$folder/target/debug/found" "redis+unix://$folder/redis.sock")"
echo "$answer"
echo "scheduled after: $(waiting)"
[ "$answer" = 'delete_task: an error' ] && [ "$(waiting)" = 1 ] || { echo 'this has changed' >&2; exit 1; }
