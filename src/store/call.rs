//! A call of one of the library's functions, and what is done when Redis does not know it.

use super::library::LIBRARY;
use super::reply::Item;
use super::verb::{Flags, Verb};
use redis::aio::{ConnectionLike, MultiplexedConnection};
use redis::{Arg, Cmd, RedisError, RedisResult, ToRedisArgs};
use tokio::sync::Mutex;

/// How often the library is loaded for one call, some milliseconds each: after that somebody flushes it all the time,
/// and a script of its own does.
const LOADS_MAX: u32 = 3;

/// A connection on which the library can be loaded into the server that has a key.
pub(super) trait Loads: ConnectionLike {
    async fn load(&mut self, library: &str, key: &str) -> RedisResult<()>;
}

impl Loads for MultiplexedConnection {
    async fn load(&mut self, library: &str, _: &str) -> RedisResult<()> {
        load_command(library).query_async(self).await
    }
}

pub(super) fn load_command(library: &str) -> Cmd {
    let mut load = redis::cmd("FUNCTION");
    load.arg("LOAD").arg(library);
    load
}

/// A function with its keys and arguments. Repeating it is safe: it carries the id of its job, a token, or the id of an
/// operation.
pub(super) struct Call {
    verb: &'static Verb,
    /// Its first key, which names the node of a Cluster.
    key: String,
    command: Cmd,
    /// Whether a repeat gets the first one's answer.
    is_answered_once: bool,
    /// Whether that is by an operation id, which the caller knows.
    has_operation: bool,
}

impl Call {
    pub(super) fn new(verb: &'static Verb, keys: &[&str]) -> Self {
        let mut command = redis::cmd("FCALL");
        command.arg(LIBRARY.function(verb)).arg(keys.len()).arg(keys);
        let key = keys.first().copied().unwrap_or_default().to_owned();
        Self { verb, key, command, is_answered_once: false, has_operation: false }
    }

    pub(super) fn arg(&mut self, argument: impl ToRedisArgs) -> &mut Self {
        self.command.arg(argument);
        self
    }

    /// An operation id: where it is not empty, a repeat of the call gets the first one's answer and changes nothing.
    pub(super) fn operation(&mut self, id: &str) -> &mut Self {
        self.has_operation = !id.is_empty();
        self.is_answered_once |= self.has_operation;
        self.arg(id)
    }

    /// A repeat of the call gets the first one's answer, by the ids that it has.
    pub(super) const fn answers_once(&mut self) {
        self.is_answered_once = true;
    }

    /// Whether it has an operation id.
    pub(super) const fn has_operation(&self) -> bool {
        self.has_operation
    }

    /// Whether it may be repeated until its outcome is known.
    pub(super) const fn is_answered_once(&self) -> bool {
        self.is_answered_once
    }

    /// Runs it; loads the library first where Redis does not know it. `loading` lets one call of a process do that
    /// while others wait for it.
    pub(super) async fn invoke(&self, connection: &mut impl Loads, loading: &Mutex<()>) -> RedisResult<Item> {
        let reply = self.command.query_async(connection).await;
        if !reply.as_ref().is_err_and(is_unknown_function) {
            return reply;
        }
        let _alone = loading.lock().await;
        // Another call may have loaded it meanwhile; and Redis may forget it again before it is called.
        for _ in 0..LOADS_MAX {
            let reply = self.command.query_async(connection).await;
            if !reply.as_ref().is_err_and(is_unknown_function) {
                return reply;
            }
            match connection.load(&LIBRARY.text, &self.key).await {
                Err(error) if is_full(&error) && self.verb.flags != Flags::Grows => {
                    return self.run_as_script(connection).await;
                }
                Err(error) if !is_known_library(&error) => return Err(error),
                _ => {}
            }
        }
        self.run_as_script(connection).await
    }

    /// Redis keeps no library, as when it is full: what makes room must run all the same.
    async fn run_as_script(&self, connection: &mut impl ConnectionLike) -> RedisResult<Item> {
        let script = self.verb.script();
        let mut words = self.command.args_iter().skip(2).filter_map(|word| match word {
            Arg::Simple(word) => Some(word),
            _ => None,
        });
        let keys = words.next().and_then(|count| std::str::from_utf8(count).ok()?.parse().ok());
        let mut invocation = script.prepare_invoke();
        for key in words.by_ref().take(keys.unwrap_or_default()) {
            invocation.key(key);
        }
        for argument in words {
            invocation.arg(argument);
        }
        invocation.invoke_async(connection).await
    }
}

/// Whether Redis does not know the function: it never did, it lost what it had, or somebody flushed its functions.
fn is_unknown_function(error: &RedisError) -> bool {
    error.detail().is_some_and(|detail| detail.contains("Function not found"))
}

/// Whether Redis has the library by now: another process was first.
fn is_known_library(error: &RedisError) -> bool {
    error.detail().is_some_and(|detail| detail.contains("already exists"))
}

fn is_full(error: &RedisError) -> bool {
    error.code() == Some("OOM")
}
