//! Which calls kept Redis busy for long.

use super::Store;
use super::library::LIBRARY;
use crate::model::{SlowCall, Timestamp};
use redis::{FromRedisValue, Value};

/// Calls that are read: what fits on a screen.
const SLOW_CALLS_MAX: u32 = 20;

impl Store {
    /// The latest slow calls, newest first; `None` if we may not know. Of a Cluster those of one node.
    pub(crate) async fn slow_calls(&self) -> Option<Vec<SlowCall>> {
        let mut command = redis::cmd("SLOWLOG");
        command.arg("GET").arg(SLOW_CALLS_MAX);
        let reply: redis::RedisResult<Vec<Value>> =
            command.query_async(&mut self.connections().reads()).await;
        Some(reply.ok()?.into_iter().filter_map(slow_call).collect())
    }
}

/// One entry: number, time in s, duration in µs, words, and more that is not ours to show.
pub(super) fn slow_call(entry: Value) -> Option<SlowCall> {
    let Value::Array(fields) = entry else { return None };
    let mut fields = fields.into_iter().skip(1);
    let seconds = i64::from_redis_value(fields.next()?).ok()?;
    let took_us = u64::from_redis_value(fields.next()?).ok()?;
    // The first two words; the others may hold payloads, and need not be text.
    let Value::Array(words) = fields.next()? else { return None };
    let mut words = words.into_iter().filter_map(|word| String::from_redis_value(word).ok());
    let command = words.next()?.to_uppercase();
    let name = words.next().filter(|_| command == "FCALL").and_then(|name| LIBRARY.verb_of(&name));
    let at = Timestamp::saturating_from_millis(seconds.saturating_mul(1_000));
    Some(SlowCall { at, took_us, what: name.unwrap_or(&command).to_owned(), ours: name.is_some() })
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::store::script;

    fn text(text: &str) -> Value {
        Value::BulkString(text.as_bytes().to_vec())
    }

    #[test]
    fn a_script_of_ours_is_named_and_arguments_are_left_out() {
        let heartbeat = LIBRARY.function(&script::HEARTBEAT);
        let entry = |words: Vec<Value>| {
            Value::Array(vec![
                Value::Int(7),
                Value::Int(1_700_000_000),
                Value::Int(12_345),
                Value::Array(words),
            ])
        };
        let ours = slow_call(entry(vec![text("fcall"), text(heartbeat), text("1"), text("secret")])).unwrap();
        assert_eq!((ours.what.as_str(), ours.ours, ours.took_us), ("heartbeat", true, 12_345));
        assert_eq!(ours.at.as_millis(), 1_700_000_000_000);
        let other = slow_call(entry(vec![text("set"), text("key"), Value::BulkString(vec![0xff])])).unwrap();
        assert_eq!((other.what.as_str(), other.ours), ("SET", false));
        assert_eq!(slow_call(Value::Nil), None);
    }
}
