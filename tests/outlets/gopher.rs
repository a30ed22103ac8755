//! A stand-in for a server of asynq: the effects of its scripts, by plain commands in the same order. It knows
//! nothing of Reprieve.

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

    /// Its `dequeue`: the id of the task, with a lease of 30 s.
    pub(crate) async fn dequeue(&self) -> Option<String> {
        let popped = self.send(&["RPOPLPUSH", &self.key("pending"), &self.key("active")]).await;
        let id: String = redis::from_redis_value::<Option<String>>(popped).unwrap()?;
        self.send(&["HSET", &self.task(&id), "state", "active"]).await;
        self.send(&["HDEL", &self.task(&id), "pending_since"]).await;
        self.lease(&id, 30).await;
        Some(id)
    }

    /// Sets the end of a task's lease, so many seconds from now.
    pub(crate) async fn lease(&self, id: &str, seconds: i64) {
        let now = SystemTime::now().duration_since(UNIX_EPOCH).unwrap().as_secs();
        let end = (i64::try_from(now).unwrap() + seconds).to_string();
        self.send(&["ZADD", &self.key("lease"), &end, id]).await;
    }

    pub(crate) async fn message(&self, id: &str) -> Task {
        let bytes: Vec<u8> =
            redis::from_redis_value(self.send(&["HGET", &self.task(id), "msg"]).await).unwrap();
        Task::decode(bytes.as_slice()).unwrap()
    }

    pub(crate) async fn state(&self, id: &str) -> Option<String> {
        redis::from_redis_value(self.send(&["HGET", &self.task(id), "state"]).await).unwrap()
    }

    async fn leave_active(&self, id: &str, set: &str, state: &str) {
        self.send(&["LREM", &self.key("active"), "0", id]).await;
        self.send(&["ZREM", &self.key("lease"), id]).await;
        self.send(&["ZADD", &self.key(set), "4000000000", id]).await;
        self.send(&["HSET", &self.task(id), "state", state]).await;
    }

    /// Its `markAsComplete`.
    pub(crate) async fn complete(&self, id: &str) {
        self.leave_active(id, "completed", "completed").await;
    }

    /// Its `retry` or, when the retries are used up, its `archive`. Names the state.
    pub(crate) async fn fail(&self, id: &str, error: &str) -> &'static str {
        let mut task = self.message(id).await;
        let (set, state) =
            if task.retried < task.retry { ("retry", "retry") } else { ("archived", "archived") };
        task.retried += i32::from(state == "retry");
        task.error_msg = error.to_owned();
        let mut set_message = redis::cmd("HSET");
        set_message.arg(self.task(id)).arg("msg").arg(task.encode_to_vec());
        let client = redis::Client::open(self.redis.url()).unwrap();
        set_message.query::<()>(&mut client.get_connection().unwrap()).unwrap();
        self.leave_active(id, set, state).await;
        state
    }

    /// Its `forward` of a task that waits for a retry.
    pub(crate) async fn forward(&self, id: &str) {
        self.send(&["ZREM", &self.key("retry"), id]).await;
        self.send(&["LPUSH", &self.key("pending"), id]).await;
        self.send(&["HSET", &self.task(id), "state", "pending"]).await;
    }

    /// Whether anything of a task is left, and every id that is in one of the queue's sets.
    pub(crate) async fn is_empty(&self) -> bool {
        let keys: Vec<String> = redis::from_redis_value(self.send(&["KEYS", &self.key("*")]).await).unwrap();
        keys.is_empty()
    }
}
