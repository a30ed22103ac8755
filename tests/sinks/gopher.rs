//! A stand-in for a server of asynq: the effects of its scripts, each in one step as theirs. It knows nothing of
//! Reprieve.

use prost::Message as _;
use redis::Value;
use reprieve::testing::TestRedis;
use std::time::{SystemTime, UNIX_EPOCH};

/// What a server reads and writes of a task's message.
#[derive(Clone, PartialEq, prost::Message)]
pub(crate) struct Task {
    #[prost(string, tag = "1")]
    pub kind: String,
    #[prost(bytes = "vec", tag = "2")]
    pub payload: Vec<u8>,
    #[prost(string, tag = "3")]
    pub id: String,
    #[prost(string, tag = "4")]
    pub queue: String,
    #[prost(int32, tag = "5")]
    pub retry: i32,
    #[prost(int32, tag = "6")]
    pub retried: i32,
    #[prost(string, tag = "7")]
    pub error_msg: String,
    #[prost(int64, tag = "8")]
    pub timeout: i64,
    #[prost(int64, tag = "12")]
    pub retention: i64,
}

/// That many seconds from now, as asynq writes times.
fn in_seconds(seconds: i64) -> String {
    let now = SystemTime::now().duration_since(UNIX_EPOCH).unwrap().as_secs();
    (i64::try_from(now).unwrap() + seconds).to_string()
}

pub(crate) struct Gopher<'a> {
    pub redis: &'a TestRedis,
    pub queue: String,
}

impl Gopher<'_> {
    fn key(&self, name: &str) -> String {
        format!("asynq:{{{}}}:{name}", self.queue)
    }

    fn task(&self, id: &str) -> String {
        self.key(&format!("t:{id}"))
    }

    async fn send(&self, words: &[&str]) -> Value {
        self.redis.command(words).await.unwrap()
    }

    /// Its `dequeue`: the id of the task, with a lease of 30 s. One step, as with asynq.
    pub(crate) async fn dequeue(&self) -> Option<String> {
        let script = "local id = redis.call('RPOPLPUSH', KEYS[1], KEYS[2])
            if not id then return nil end
            redis.call('HSET', ARGV[2] .. id, 'state', 'active')
            redis.call('HDEL', ARGV[2] .. id, 'pending_since')
            redis.call('ZADD', KEYS[3], ARGV[1], id)
            return id";
        let (pending, active, lease) = (self.key("pending"), self.key("active"), self.key("lease"));
        let popped = self
            .send(&["EVAL", script, "3", &pending, &active, &lease, &in_seconds(30), &self.task("")])
            .await;
        redis::from_redis_value(popped).unwrap()
    }

    /// Sets the end of a task's lease, so many seconds from now.
    pub(crate) async fn lease(&self, id: &str, seconds: i64) {
        self.send(&["ZADD", &self.key("lease"), &in_seconds(seconds), id]).await;
    }

    pub(crate) async fn message(&self, id: &str) -> Task {
        let bytes: Vec<u8> =
            redis::from_redis_value(self.send(&["HGET", &self.task(id), "msg"]).await).unwrap();
        Task::decode(bytes.as_slice()).unwrap()
    }

    pub(crate) async fn state(&self, id: &str) -> Option<String> {
        redis::from_redis_value(self.send(&["HGET", &self.task(id), "state"]).await).unwrap()
    }

    /// Moves a task from active to a set, in one step. An empty message leaves its message as it is.
    async fn leave_active(&self, id: &str, state: &str, message: &[u8]) {
        let mut moves = redis::pipe();
        moves.atomic();
        moves.cmd("LREM").arg(self.key("active")).arg(0).arg(id).ignore();
        moves.cmd("ZREM").arg(self.key("lease")).arg(id).ignore();
        moves.cmd("ZADD").arg(self.key(state)).arg(in_seconds(3_600)).arg(id).ignore();
        moves.cmd("HSET").arg(self.task(id)).arg("state").arg(state).ignore();
        if !message.is_empty() {
            moves.cmd("HSET").arg(self.task(id)).arg("msg").arg(message).ignore();
        }
        let client = redis::Client::open(self.redis.url()).unwrap();
        moves.query::<()>(&mut client.get_connection().unwrap()).unwrap();
    }

    /// Its `markAsComplete`.
    pub(crate) async fn complete(&self, id: &str) {
        self.leave_active(id, "completed", b"").await;
    }

    /// Its `retry` or, when the retries are used up, its `archive`. Names the state.
    pub(crate) async fn fail(&self, id: &str, error: &str) -> &'static str {
        let mut task = self.message(id).await;
        let state = if task.retried < task.retry { "retry" } else { "archived" };
        task.retried += i32::from(state == "retry");
        task.error_msg = error.to_owned();
        self.leave_active(id, state, &task.encode_to_vec()).await;
        state
    }

    /// Its `archive` for a handler that returned `SkipRetry`.
    pub(crate) async fn skip_retry(&self, id: &str, error: &str) {
        let mut task = self.message(id).await;
        task.error_msg = error.to_owned();
        self.leave_active(id, "archived", &task.encode_to_vec()).await;
    }

    /// Its `done`, for a handler that returned `RevokeTask`: nothing is left.
    pub(crate) async fn revoke(&self, id: &str) {
        let mut ends = redis::pipe();
        ends.atomic();
        ends.cmd("LREM").arg(self.key("active")).arg(0).arg(id).ignore();
        ends.cmd("ZREM").arg(self.key("lease")).arg(id).ignore();
        ends.cmd("DEL").arg(self.task(id)).ignore();
        let client = redis::Client::open(self.redis.url()).unwrap();
        ends.query::<()>(&mut client.get_connection().unwrap()).unwrap();
    }

    /// Its `forward` of a task that waits for a retry.
    pub(crate) async fn forward(&self, id: &str) {
        let script = "redis.call('ZREM', KEYS[1], ARGV[1])
            redis.call('LPUSH', KEYS[2], ARGV[1])
            redis.call('HSET', KEYS[3], 'state', 'pending')";
        let (retry, pending) = (self.key("retry"), self.key("pending"));
        self.send(&["EVAL", script, "3", &retry, &pending, &self.task(id), id]).await;
    }

    /// Whether anything of a task is left, and every id that is in one of the queue's sets.
    pub(crate) async fn is_empty(&self) -> bool {
        let keys: Vec<String> = redis::from_redis_value(self.send(&["KEYS", &self.key("*")]).await).unwrap();
        keys.is_empty()
    }
}
