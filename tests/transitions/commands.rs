//! How many commands of Redis each step of a plain job is, so that nobody adds one unseen.

use reprieve::testing::{RedisServer, TestRedis};
use std::collections::BTreeMap;

/// A look at a Redis of its own: what other tests do would be counted too.
struct Look {
    redis: TestRedis,
    library: String,
    _server: RedisServer,
}

impl Look {
    async fn begin() -> Self {
        let server = RedisServer::start().unwrap();
        let redis = TestRedis::on(server.url(), "counted".parse().unwrap()).await;
        // Loads the library.
        redis.store().survey(None).await.unwrap();
        let listed = format!("{:?}", redis.command(&["FUNCTION", "LIST"]).await.unwrap());
        let library =
            listed.split(['\'', '"']).find(|name| name.starts_with("reprieve_")).unwrap().to_owned();
        // Without it nothing is remembered from one call to the next.
        redis.command(&["HSET", &format!("{}meta", redis.prefix()), "generation", "g"]).await.unwrap();
        Self { redis, library, _server: server }
    }

    async fn call(&self, verb: &str, arguments: &[&str]) -> Vec<String> {
        let function = format!("{}_{verb}", self.library);
        let prefix = self.redis.prefix();
        let words = [&["FCALL", &function, "1", &prefix, ""], arguments].concat();
        let reply = self.redis.command(&words).await.unwrap();
        let mut texts = Vec::new();
        flatten(reply, &mut texts);
        texts
    }

    async fn commands(&self) -> BTreeMap<String, u64> {
        let told = self.redis.command(&["INFO", "commandstats"]).await.unwrap();
        let text: String = redis::from_redis_value(told).unwrap();
        let lines = text.lines().filter_map(|line| line.strip_prefix("cmdstat_")?.split_once(":calls="));
        lines
            .map(|(name, rest)| (name.to_owned(), rest.split(',').next().unwrap().parse().unwrap()))
            .collect()
    }

    /// The commands of a call and its reply.
    async fn counted(&self, verb: &str, arguments: &[&str]) -> (String, Vec<String>) {
        // So that the time of the change is a new one.
        tokio::time::sleep(std::time::Duration::from_millis(2)).await;
        let before = self.commands().await;
        let reply = self.call(verb, arguments).await;
        let mut names = Vec::new();
        for (name, count) in self.commands().await {
            // A count of the minute's first job sets how long the minute is kept.
            if !["fcall", "info", "expire"].contains(&name.as_str()) {
                let more = count - before.get(&name).copied().unwrap_or_default();
                names.extend(std::iter::repeat_n(name, usize::try_from(more).unwrap()));
            }
        }
        (names.join(" "), reply)
    }
}

fn flatten(value: redis::Value, into: &mut Vec<String>) {
    match value {
        redis::Value::Array(items) => items.into_iter().for_each(|item| flatten(item, into)),
        other => into.push(redis::from_redis_value(other).unwrap_or_default()),
    }
}

/// What a step costs once it has been made a moment ago, by the shortest of several rounds: what is remembered of a namespace
/// counts for a second, and a busy machine may take longer than that between two calls.
fn shortest(rounds: &[BTreeMap<&'static str, String>], step: &str) -> String {
    let of_step = rounds.iter().map(|round| round[step].clone());
    of_step.min_by_key(|commands| commands.split(' ').count()).unwrap()
}

#[tokio::test]
async fn each_step_of_a_plain_job_takes_the_commands_that_it_needs() {
    let look = Look::begin().await;
    let mut rounds = Vec::new();
    for round in 0..6 {
        let mut costs = BTreeMap::new();
        let [a, b, c] = ["a", "b", "c"].map(|name| format!("{name}{round}"));
        let job = |id, due| ["client", id, "mail", "notice", "", "{}", due, ""];
        costs.insert("enqueue, delayed", look.counted("enqueue", &job(&c, "+3600000")).await.0);
        costs.insert("cancel", look.counted("cancel", &[&c, "", "ann", "", ""]).await.0);
        costs.insert("enqueue, ready", look.counted("enqueue", &job(&a, "")).await.0);
        look.call("enqueue", &job(&b, "+1")).await;
        tokio::time::sleep(std::time::Duration::from_millis(5)).await;
        costs.insert("forward", look.counted("forward", &["9", "0"]).await.0);
        let (commands, claimed) = look.counted("claim", &["w", "12000", "1", "mail", "1"]).await;
        costs.insert("claim", commands);
        let token = |record: &str| record.split(' ').nth(1).unwrap().to_owned();
        let (id, first) = (&claimed[1], token(&claimed[2]));
        costs.insert("extend", look.counted("extend", &["12000", id, &first]).await.0);
        let (commands, next) =
            look.counted("complete_and_claim", &["w", "12000", "1", "1", id, &first, "mail", "1"]).await;
        costs.insert("complete_and_claim", commands);
        costs.insert("complete", look.counted("complete", &[&next[2], &token(&next[3])]).await.0);
        rounds.push(costs);
    }

    let expected = [
        ("enqueue, delayed", "exists hincrby hmget hset mset time xadd zadd zadd"),
        ("enqueue, ready", "exists get hincrby hmget hset incrby llen mset time xadd zadd"),
        (
            "forward",
            "get hincrby hmget hset hset incrby llen mget mset time xadd zadd zrange zrange zrange zrange zrange zrange zrem zremrangebyrank",
        ),
        ("claim", "hincrby hincrby hmget hset llen mget mset time xadd zadd zrange zremrangebyrank"),
        ("extend", "hmget mget mset time zadd"),
        (
            "complete_and_claim",
            "hincrby hincrby hincrby hincrby hmget hset mget mget mset time xadd zadd zadd zadd zrange zrem zremrangebyrank",
        ),
        ("complete", "hincrby hincrby hmget hset mget mset time xadd zadd zadd zrem"),
        ("cancel", "hget hincrby hmget hset hset mget mset time xadd xadd zadd zadd zrem"),
    ];
    let found = expected.map(|(step, _)| (step, shortest(&rounds, step)));
    assert_eq!(found, expected.map(|(step, commands)| (step, commands.to_owned())));
}

fn words(texts: &[String]) -> Vec<&str> {
    texts.iter().map(String::as_str).collect()
}

/// The commands of each routine call on that many jobs at once.
async fn costs_of(look: &Look, round: usize, count: usize) -> BTreeMap<&'static str, String> {
    let most = count.to_string();
    let jobs = |name: &str, due: &'static str| -> Vec<String> {
        let one = |n| {
            let id = format!("{name}{round}-{n}");
            [id.as_str(), "mail", "notice", "", "{}", due, ""].map(str::to_owned)
        };
        ["client".to_owned()].into_iter().chain((0..count).flat_map(one)).collect()
    };
    // Ids and tokens, of a reply that has the records of jobs behind so many other words.
    let held = |reply: &[String], before: usize| -> Vec<String> {
        let one = |pair: &[String]| [pair[0].clone(), pair[1].split(' ').nth(1).unwrap().to_owned()];
        reply[before..].chunks(2).flat_map(one).collect()
    };
    let mut costs = BTreeMap::new();
    costs.insert("enqueue", look.counted("enqueue", &words(&jobs("a", ""))).await.0);
    look.call("enqueue", &words(&jobs("b", "+1"))).await;
    tokio::time::sleep(std::time::Duration::from_millis(5)).await; // until these are due
    costs.insert("forward", look.counted("forward", &[&most, "0"]).await.0);
    let (commands, claimed) = look.counted("claim", &["w", "12000", &most, "mail", &most]).await;
    costs.insert("claim", commands);
    let first = held(&claimed, 1);
    assert_eq!(first.len(), 2 * count);
    costs.insert("extend", look.counted("extend", &[&["12000"], &words(&first)[..]].concat()).await.0);
    let both = [&["w", "12000", &most, &most], &words(&first)[..], &["mail", &most]].concat();
    let (commands, claimed) = look.counted("complete_and_claim", &both).await;
    costs.insert("complete_and_claim", commands);
    let second = held(&claimed, 1 + count);
    assert_eq!(second.len(), 2 * count);
    costs.insert("complete", look.counted("complete", &words(&second)).await.0);
    costs
}

#[tokio::test]
async fn a_routine_call_takes_no_more_commands_for_a_hundred_jobs_than_for_two() {
    let look = Look::begin().await;
    let (mut few, mut many) = (Vec::new(), Vec::new());
    for round in 0..6 {
        few.push(costs_of(&look, 2 * round, 2).await);
        many.push(costs_of(&look, 2 * round + 1, 100).await);
    }
    for step in many[0].keys() {
        assert_eq!(shortest(&many, step), shortest(&few, step), "{step}");
    }
}

#[tokio::test]
async fn looking_for_due_jobs_takes_no_more_commands_with_many_queues_than_with_one() {
    let look = Look::begin().await;
    let mut costs = Vec::new();
    for queues in [1, 300] {
        for n in 0..queues {
            let queue = format!("later{n}");
            look.call(
                "enqueue",
                &["client", &format!("{queue}-job{queues}"), &queue, "notice", "", "{}", "+3600000", ""],
            )
            .await;
        }
        let id = format!("due{queues}");
        look.call("enqueue", &["client", &id, "mail", "notice", "", "{}", "+1", ""]).await;
        tokio::time::sleep(std::time::Duration::from_millis(5)).await;
        let (commands, reply) = look.counted("forward", &["9", "0"]).await;
        assert_eq!(reply[0], "1");
        costs.push(commands);
        let (commands, reply) = look.counted("forward", &["9", "0"]).await;
        assert_eq!(reply[0], "0");
        costs.push(commands);
    }
    assert_eq!(costs[1], "hmget hset hset time zrange zrange");
    assert_eq!(costs[1], costs[3]);
    let count = |commands: &str| commands.split(' ').count();
    // The first of a round may look at what is known of a queue for a second.
    assert!(count(&costs[2]) <= count(&costs[0]), "{costs:?}");
}

#[tokio::test]
async fn a_sign_of_life_enters_the_due_times_that_others_have_left_out() {
    let look = Look::begin().await;
    for (id, queue) in [("a", "mail"), ("b", "sms")] {
        look.call("enqueue", &["client", id, queue, "notice", "", "{}", "+1", ""]).await;
    }
    tokio::time::sleep(std::time::Duration::from_millis(5)).await;
    look.redis.command(&["DEL", &format!("{}due", look.redis.prefix())]).await.unwrap();
    assert_eq!(look.call("forward", &["9", "0"]).await[0], "0");

    look.call("tick", &["a forwarder", ""]).await;

    assert_eq!(look.call("forward", &["9", "0"]).await[0], "2");
}

#[tokio::test]
async fn calling_off_two_jobs_of_a_subject_takes_as_many_commands_as_nine() {
    let look = Look::begin().await;
    let mut costs = Vec::new();
    for (subject, count) in [("first", 1), ("few", 2), ("more", 9)] {
        for n in 0..count {
            let id = format!("{subject}-{n}");
            look.call("enqueue", &["client", &id, "mail", "notice", subject, "{}", "+3600000", ""]).await;
        }
        let (commands, reply) = look.counted("cancel_subject", &[subject, "ann", "", "", "1000"]).await;
        assert_eq!(reply.len(), 1 + count, "{reply:?}");
        let entries = commands.split(' ').filter(|name| *name == "xadd").count();
        assert_eq!(entries, 2, "one in the audit, one among the events");
        costs.push(commands);
    }
    assert_eq!(costs[1], costs[2]);
}

#[tokio::test]
async fn what_is_remembered_of_a_namespace_ends_with_what_changes_it() {
    let look = Look::begin().await;
    let job = |id| ["client", id, "mail", "notice", "", "{}", "", ""];
    let claim = ["w", "12000", "1", "mail", "1"];
    for id in ["a", "b", "c"] {
        look.call("enqueue", &job(id)).await;
    }
    assert_eq!(look.call("claim", &claim).await.get(1).map(String::as_str), Some("a"));

    look.call("pause", &["mail", "ann", "", ""]).await;
    assert_eq!(look.call("claim", &claim).await.len(), 1, "a paused queue gives nothing");
    look.call("resume", &["mail", "ann", "", ""]).await;
    assert_eq!(look.call("claim", &claim).await.get(1).map(String::as_str), Some("b"));
    look.call("limit", &["mail", "ann", "", "2", "", "", "", "", "", "", "", "", ""]).await;
    assert_eq!(look.call("claim", &claim).await.len(), 1, "a limit holds at once");
}

#[tokio::test]
async fn what_is_remembered_of_a_namespace_is_not_that_of_other_data_under_its_name() {
    let look = Look::begin().await;
    let job = ["client", "a", "mail", "notice", "", "{}", "", ""];
    look.call("enqueue", &job).await;

    let prefix = look.redis.prefix();
    look.redis.command(&["FLUSHALL"]).await.unwrap();
    look.redis.command(&["HSET", &format!("{prefix}meta"), "generation", "another"]).await.unwrap();
    look.call("enqueue", &job).await;

    let queues = look.redis.command(&["SMEMBERS", &format!("{prefix}queues")]).await.unwrap();
    assert_eq!(redis::from_redis_value::<Vec<String>>(queues).unwrap(), ["mail"]);
}
