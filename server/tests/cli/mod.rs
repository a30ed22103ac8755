//! The verbs of the command line, as a shell sees them: words out, a number at the end.

mod bulk;
mod kept;
mod next_steps;
mod repeats;
mod reveal;
mod rights;
mod words;

use crate::support::directory;
use reprieve::model::{AuditSize, Delay, Namespace, NewToken, Permission, QueueName};
use reprieve::testing::{RedisServer, TestRedis};
use reprieve_access::Tokens;
use serde_json::{Value, json};
use std::io::{ErrorKind, Write as _};
use std::process::{Command, Output, Stdio};

/// A shell on a namespace of its own.
struct Shell {
    redis: TestRedis,
}

impl Shell {
    async fn new() -> Self {
        Self { redis: TestRedis::namespace().await }
    }

    fn command(&self, words: &[&str]) -> Command {
        let mut command = Command::new(env!("CARGO_BIN_EXE_reprieve"));
        command
            .args(words)
            .current_dir(std::env::temp_dir())
            .env("REPRIEVE_REDIS", self.redis.url())
            .env("REPRIEVE_NAMESPACE", self.redis.engine().namespace().to_string())
            .env_remove("SUDO_USER")
            .env("USER", "ada");
        command
    }

    fn run(&self, words: &[&str]) -> Output {
        self.command(words).output().unwrap()
    }

    /// What the doctor should call the server, by its own name.
    async fn server(&self) -> String {
        let info = self.redis.command(&["INFO", "server"]).await.unwrap();
        let info: redis::InfoDict = redis::from_redis_value(info).unwrap();
        let number = |name: &str| info.get::<String>(name);
        number("valkey_version").map_or_else(
            || format!("Redis {}", number("redis_version").unwrap()),
            |valkey| format!("Valkey {valkey}"),
        )
    }

    /// The number at the end, and the words on standard output.
    fn says(&self, words: &[&str]) -> (i32, String) {
        let output = self.run(words);
        (output.status.code().unwrap(), String::from_utf8(output.stdout).unwrap())
    }

    /// The values that a verb prints with `--json`; it must end well.
    fn values(&self, words: &[&str]) -> Vec<Value> {
        let words: Vec<&str> = words.iter().copied().chain(["--json"]).collect();
        let output = self.run(&words);
        assert!(output.status.success(), "{words:?}: {}", String::from_utf8_lossy(&output.stderr));
        let text = String::from_utf8(output.stdout).unwrap();
        text.lines().map(|line| serde_json::from_str(line).unwrap()).collect()
    }

    fn with_input(&self, words: &[&str], input: &str) -> Output {
        let mut child = self
            .command(words)
            .stdin(Stdio::piped())
            .stdout(Stdio::piped())
            .stderr(Stdio::piped())
            .spawn()
            .unwrap();
        // One that has read enough ends the pipe.
        if let Err(why) = child.stdin.take().unwrap().write_all(input.as_bytes()) {
            assert_eq!(why.kind(), ErrorKind::BrokenPipe, "{words:?}");
        }
        child.wait_with_output().unwrap()
    }
}

#[tokio::test(flavor = "multi_thread")]
async fn a_job_is_enqueued_called_off_and_put_back_from_a_shell() {
    let shell = Shell::new().await;
    let added = shell.values(&[
        "enqueue",
        "delete",
        r#"{"n":1}"#,
        "--in",
        "24h",
        "--id",
        "a/1",
        "--subject",
        "resource:7",
        "--tag",
        "x",
    ]);
    assert_eq!((&added[0]["outcome"], &added[0]["state"]), (&"delayed".into(), &"delayed".into()));

    let (end, said) = shell.says(&["cancel", "a/1", "--reason", "renewed"]);
    assert_eq!((end, said.starts_with("a/1  cancelled, version 2; it was due in ")), (0, true), "{said}");
    let job = &shell.values(&["job", "a/1"])[0];
    assert_eq!(
        (&job["state"], &job["by"], &job["reason"]),
        (&"cancelled".into(), &"cli:ada".into(), &"renewed".into())
    );
    assert_eq!((&job["payload"]["n"], &job["tags"][0]), (&1.into(), &"x".into()));

    let back = shell.values(&["reinstate", "a/1"]);
    assert_eq!((&back[0]["outcome"], &back[0]["due_ms"]), (&"delayed".into(), &added[0]["due_ms"]));
    for (words, state) in [
        (&["hold", "a/1"][..], "held"),
        (&["cancel", "a/1"], "cancelled"),
        (&["reinstate", "a/1"], "held"),
        (&["unhold", "a/1"], "delayed"),
        (&["reschedule", "a/1", "--at", "2100-01-01T00:00:00Z"], "delayed"),
        (&["retry", "a/1"], "ready"),
    ] {
        assert_eq!(shell.values(words)[0]["state"], state, "{words:?}");
    }
}

#[tokio::test(flavor = "multi_thread")]
async fn a_subject_with_a_plus_in_it_is_found_by_every_verb_as_people_write_it() {
    let shell = Shell::new().await;
    let address = "ann+test@example.com";
    shell.values(&["enqueue", "k", "--id", "a", "--in", "1h", "--subject", address]);
    shell.values(&["enqueue", "k", "--id", "b", "--in", "1h", "--subject", "ann@example.com"]);

    let found = shell.values(&["subject", address]);
    assert_eq!((found.len(), &found[0]["id"]), (1, &"a".into()));
    let run = &shell.values(&["bulk", "freeze", "hold", "--subject", address])[0];
    assert_eq!(run["total"], 1, "{run}");
    shell.values(&["subject", address, "cancel"]);
    assert_eq!(shell.values(&["job", "a"])[0]["state"], "cancelled");
    assert_eq!(shell.values(&["job", "b"])[0]["state"], "delayed");
}

#[tokio::test(flavor = "multi_thread")]
async fn a_verb_whose_answer_does_not_come_ends_with_five_and_names_the_key_to_repeat_it_with() {
    let server = RedisServer::start().unwrap();
    let shell = Shell { redis: TestRedis::on(server.url(), Namespace::default()).await };
    shell.values(&["enqueue", "k", "--id", "a", "--in", "1h"]);
    // What looks is answered, what changes something waits.
    shell.redis.command(&["CLIENT", "PAUSE", "600000", "WRITE"]).await.unwrap();
    let verbs: [&[&str]; 3] =
        [&["hold", "a"], &["pause", "default"], &["limit", "default", "--concurrency", "2"]];

    let ends = std::thread::scope(|scope| {
        verbs.map(|words| scope.spawn(|| shell.run(words))).map(|running| running.join().unwrap())
    });

    shell.redis.command(&["CLIENT", "UNPAUSE"]).await.unwrap();
    for (words, end) in verbs.into_iter().zip(ends) {
        let said = String::from_utf8(end.stderr).unwrap();
        assert_eq!(end.status.code(), Some(5), "{words:?}: {said}");
        let (_, key) = said.trim_end().rsplit_once("--idempotency-key ").expect(&said);
        let again: Vec<_> = words.iter().copied().chain(["--idempotency-key", key]).collect();
        let answers = [shell.values(&again), shell.values(&again)];
        assert_eq!(answers[0], answers[1], "{words:?}");
    }
}

#[tokio::test(flavor = "multi_thread")]
async fn the_number_at_the_end_says_what_happened() {
    let shell = Shell::new().await;
    shell.values(&["enqueue", "k", "--id", "ready"]);
    shell.values(&["enqueue", "k", "--id", "holder", "--in", "1h", "--unique", "key", "--unique-for", "1h"]);
    for (words, end) in [
        (&["hold", "ready"][..], 3),
        (&["cancel", "ready", "--if-version", "7"], 3),
        (&["enqueue", "k", "--unique", "key", "--unique-for", "1h"], 3),
        (&["job", "none"], 4),
        (&["cancel", "none"], 4),
        (&["cancel", "none", "ready"], 4),
        (&["cancel", "none", "holder", "--if-version", "9"], 3),
        (&["cancel"], 2),
        (&["cancel", "a b"], 2),
        (&["reschedule", "ready"], 2),
        (&["enqueue", "k", "{"], 2),
        (&["enqueue", "k", "--in", "soon"], 2),
        (&["enqueue", "k", "--file", "x"], 2),
        (&["enqueue", "--file", "/nonexistent", "--in", "30d"], 2),
        (&["enqueue", "--file", "/nonexistent", "--queue", "mail"], 2),
        (&["enqueue", "--file", "/nonexistent", "--unlimited"], 2),
        (&["enqueue", "--file", "/nonexistent", "--late", "1h"], 2),
        (&["enqueue", "--file", "/nonexistent", "--tag", "x"], 2),
        (&["enqueue", "--file", "/nonexistent"], 1),
        (&["jobs", "archived"], 2),
        (&["queues", "--redis", "redis://127.0.0.1:1"], 1),
        (&["queues", "--namespace", "{x}"], 2),
    ] {
        let output = shell.run(words);
        let said = String::from_utf8_lossy(&output.stderr).into_owned();
        assert_eq!(output.status.code(), Some(end), "{words:?}: {said}");
        assert!(!said.is_empty(), "{words:?} says nothing");
    }
    let refused = shell.run(&["job", "none", "--json"]);
    let line: Value = serde_json::from_slice(&refused.stderr).unwrap();
    assert_eq!(line["code"], "not_found");
}

#[tokio::test(flavor = "multi_thread")]
async fn a_file_is_taken_in_as_a_whole_or_not_at_all() {
    let shell = Shell::new().await;
    let jobs: String =
        (0..1_200).map(|n| format!("{{\"kind\":\"k\",\"id\":\"j{n}\",\"delay_ms\":60000}}\n")).collect();

    let refused = shell.with_input(&["enqueue", "--file", "-"], &format!("{jobs}{{\"kind\":5}}\n"));
    assert_eq!(refused.status.code(), Some(2));
    assert!(String::from_utf8_lossy(&refused.stderr).contains("line 1201"), "{refused:?}");
    assert_eq!(shell.values(&["queues"]), Vec::<Value>::new());

    let taken = shell.with_input(&["enqueue", "--file", "-"], &format!("{jobs}\n"));
    assert_eq!(String::from_utf8_lossy(&taken.stdout), "1200 taken in, 0 known before, 0 not taken in\n");
    let again = shell.with_input(&["enqueue", "--file", "-"], &jobs);
    assert_eq!(String::from_utf8_lossy(&again.stdout), "0 taken in, 1200 known before, 0 not taken in\n");
    assert_eq!(shell.values(&["jobs", "--limit", "2000"]).len(), 1_200);
    assert_eq!(shell.values(&["jobs", "delayed", "--limit", "7", "--queue", "default"]).len(), 7);
}

#[tokio::test(flavor = "multi_thread")]
async fn a_file_that_breaks_off_says_what_it_took_in_and_from_which_line_on_nothing_is_known() {
    let shell = Shell::new().await;
    // A namespace has no more queues.
    let jobs: String =
        (0..1_040).map(|n| format!("{{\"kind\":\"k\",\"queue\":\"q{n}\",\"id\":\"j{n}\"}}\n")).collect();

    let broken = shell.with_input(&["enqueue", "--file", "-"], &jobs);
    assert_eq!(broken.status.code(), Some(1), "{broken:?}");
    let said = String::from_utf8(broken.stderr).unwrap();
    assert!(said.contains("1000 taken in, 0 known before, 0 not taken in, then: "), "{said}");
    assert!(said.contains("1,000 queues; nothing from line 1001 on"), "{said}");

    let again = shell.with_input(&["enqueue", "--file", "-", "--json"], &jobs);
    let line: Value = serde_json::from_slice(&again.stderr).unwrap();
    assert_eq!((&line["code"], &line["taken"], &line["known"]), (&"failed".into(), &0.into(), &1_000.into()));
    assert_eq!(line["line"], 1_001);

    let large = format!("{{\"kind\":\"k\"}}\n{{\"kind\":\"k\",\"payload\":\"{}\"}}\n", "x".repeat(300_000));
    let refused = shell.with_input(&["enqueue", "--file", "-"], &large);
    assert_eq!(refused.status.code(), Some(2));
    assert!(String::from_utf8_lossy(&refused.stderr).contains("line 2: "), "{refused:?}");
}

#[tokio::test(flavor = "multi_thread")]
async fn a_command_that_is_run_again_under_its_key_takes_no_job_in_twice() {
    let shell = Shell::new().await;
    let jobs = "{\"kind\":\"k\",\"delay_ms\":60000}\n".repeat(3);
    for _ in 0..2 {
        shell.values(&["enqueue", "mail", "{}", "--in", "1h", "--idempotency-key", "one"]);
        let file = shell.with_input(&["enqueue", "--file", "-", "--idempotency-key", "three"], &jobs);
        assert_eq!(String::from_utf8_lossy(&file.stdout), "3 taken in, 0 known before, 0 not taken in\n");
    }
    assert_eq!(shell.values(&["jobs", "--limit", "100"]).len(), 4);

    let other = shell.run(&["enqueue", "sms", "{}", "--in", "1h", "--idempotency-key", "one"]);
    assert_eq!(other.status.code(), Some(2), "{other:?}");
    assert!(String::from_utf8_lossy(&other.stderr).contains("was used for other jobs"), "{other:?}");
}

#[tokio::test(flavor = "multi_thread")]
async fn what_every_verb_takes_may_stand_before_it_and_ids_come_from_standard_input() {
    let shell = Shell::new().await;
    for (id, kind, span) in [("a", "mail", "1h30m"), ("b", "mail", "2h"), ("c", "sms", "3h")] {
        shell.values(&["enqueue", kind, "--id", id, "--in", span, "--tag", kind]);
    }
    let ids = |words: &[&str]| -> Vec<String> {
        let output = shell.run(words);
        assert!(output.status.success(), "{words:?}: {output:?}");
        let lines = String::from_utf8(output.stdout).unwrap();
        let read =
            |line: &str| serde_json::from_str::<Value>(line).unwrap()["id"].as_str().unwrap().to_owned();
        lines.lines().map(read).collect()
    };
    assert_eq!(ids(&["--json", "jobs"]), ["a", "b", "c"]);
    assert_eq!(ids(&["--json", "jobs", "--kind", "mail"]), ["a", "b"]);
    assert_eq!(ids(&["jobs", "delayed", "--tag", "sms", "--queue", "default", "--json"]), ["c"]);
    assert_eq!(ids(&["jobs", "--due-to", "2000-01-01T00:00:00Z", "--json"]), Vec::<String>::new());
    assert_eq!(ids(&["jobs", "--due-from", "2000-01-01T00:00:00Z", "--limit", "2", "--json"]), ["a", "b"]);
    assert_eq!(ids(&["jobs", "--error", "refused", "--json"]), Vec::<String>::new());
    let more = shell.run(&["jobs", "--kind", "mail", "--limit", "1"]);
    let more = String::from_utf8(more.stdout).unwrap();
    let (_, place) = more.split_once("--after ").unwrap();
    let place = place.split(' ').next().unwrap();
    assert_eq!(ids(&["jobs", "--kind", "mail", "--after", place, "--json"]), ["b"]);

    let listed = shell.run(&["jobs", "--kind", "mail", "--json"]);
    let cancelled = shell.with_input(&["cancel", "-"], &String::from_utf8(listed.stdout).unwrap());
    assert!(cancelled.status.success(), "{cancelled:?}");
    let held = shell.with_input(&["hold", "-"], "\n c \n");
    assert!(held.status.success(), "{held:?}");
    assert_eq!(ids(&["jobs", "cancelled", "--json"]).len(), 2);
    assert_eq!(ids(&["jobs", "held", "--json"]), ["c"]);
    let wrong = shell.with_input(&["unhold", "-"], "c\nno id\n");
    let said = String::from_utf8_lossy(&wrong.stderr).into_owned();
    assert!(wrong.status.code() == Some(2) && said.contains("line 2 of standard input"), "{said}");
    assert_eq!(ids(&["jobs", "held", "--json"]), ["c"], "nothing was done");
}

#[tokio::test(flavor = "multi_thread")]
async fn a_byte_order_mark_is_dropped_and_utf_16_is_named() {
    let shell = Shell::new().await;
    let mark = "\u{feff}";
    let taken = shell.with_input(&["enqueue", "k", "-", "--id", "marked"], &format!("{mark}{{\"a\":1}}"));
    assert!(taken.status.success(), "{taken:?}");
    let taken = shell.with_input(&["enqueue", "--file", "-"], &format!("{mark}{{\"kind\":\"k\"}}\n"));
    assert!(taken.status.success(), "{taken:?}");
    let folder = tempfile::tempdir().unwrap();
    let file = |name: &str, bytes: &[u8]| {
        let path = folder.path().join(name);
        std::fs::write(&path, bytes).unwrap();
        path.to_str().unwrap().to_owned()
    };
    let batch = json!({ "id": "b", "completion": { "kind": "k" }, "jobs": [{ "kind": "k" }] });
    let batch = file("batch.json", format!("{mark}{batch}").as_bytes());
    assert_eq!(shell.values(&["batch", "make", &batch])[0]["outcome"], "made");
    let utf_16: Vec<u8> = "\u{feff}{\"kind\":\"k\"}\n".encode_utf16().flat_map(u16::to_le_bytes).collect();
    let utf_16 = file("utf-16.json", &utf_16);
    for words in [["batch", "make", &utf_16], ["plan", "make", &utf_16], ["enqueue", "--file", &utf_16]] {
        let refused = shell.run(&words);
        let said = String::from_utf8_lossy(&refused.stderr).into_owned();
        assert!(!refused.status.success() && said.contains("UTF-16"), "{words:?}: {said}");
    }
}

#[tokio::test(flavor = "multi_thread")]
async fn what_is_longer_than_a_payload_or_a_line_may_be_is_told_with_the_limit() {
    let shell = Shell::new().await;
    // Whether the limit falls between two characters or into one.
    for start in ["\"", "\"x"] {
        let payload = format!("{start}{}\"", "é".repeat(300_000));
        let refused = shell.with_input(&["enqueue", "k", "-"], &payload);
        let said = String::from_utf8_lossy(&refused.stderr).into_owned();
        assert_eq!(refused.status.code(), Some(2), "{said}");
        assert!(said.contains("has more than 524288 bytes, at most 262144 are allowed"), "{said}");
    }

    let job = |bytes: usize| {
        let job = format!("{{\"kind\":\"k\",\"payload\":\"{}\"", "x".repeat(100_000));
        format!("{job}{}}}\n", " ".repeat(bytes - 1 - job.len()))
    };
    let file = format!("{}{}{{\"kind\":5}}\n", job(524_288), job(2_000_000));
    let refused = shell.with_input(&["enqueue", "--file", "-"], &file);
    let said = String::from_utf8_lossy(&refused.stderr).into_owned();
    assert_eq!(refused.status.code(), Some(2), "{said}");
    let told =
        "nothing was taken in: line 2 has more than 524288 bytes, at most so many are allowed; line 3: ";
    assert!(said.contains(told), "{said}");
    assert_eq!(said.matches("line ").count(), 2, "{said}");

    let taken = shell.with_input(&["enqueue", "--file", "-"], &job(524_288));
    assert!(taken.status.success(), "{}", String::from_utf8_lossy(&taken.stderr));
}

#[tokio::test(flavor = "multi_thread")]
async fn a_list_that_ends_before_its_jobs_says_where_to_go_on() {
    let shell = Shell::new().await;
    let jobs: String =
        (0..9).map(|n| format!("{{\"kind\":\"k\",\"id\":\"j{n}\",\"delay_ms\":{}}}\n", 60_000 + n)).collect();
    assert!(shell.with_input(&["enqueue", "--file", "-"], &jobs).status.success());
    for state in ["delay", "delayed"] {
        let (mut seen, mut after) = (Vec::new(), Vec::<String>::new());
        loop {
            let words = ["jobs", state, "--limit", "4", "--json"].into_iter();
            let output = shell.run(&words.chain(after.iter().map(String::as_str)).collect::<Vec<_>>());
            let rows = String::from_utf8(output.stdout).unwrap();
            let id =
                |row: &str| serde_json::from_str::<Value>(row).unwrap()["id"].as_str().unwrap().to_owned();
            seen.extend(rows.lines().map(id));
            if output.stderr.is_empty() {
                break;
            }
            let more: Value = serde_json::from_slice(&output.stderr).unwrap();
            assert_eq!(more["code"], "more");
            after = vec!["--after".to_owned(), more["after"].as_str().unwrap().to_owned()];
        }
        assert_eq!(seen, (0..9).map(|n| format!("j{n}")).collect::<Vec<_>>(), "{state}");
        let (_, said) = shell.says(&["jobs", state, "--limit", "4"]);
        assert!(said.contains("there are more than 4; --limit takes a larger number, --after "), "{said}");
    }
}

#[tokio::test(flavor = "multi_thread")]
async fn subjects_and_queues_are_shown_and_acted_on() {
    let shell = Shell::new().await;
    for id in ["a", "b"] {
        shell.values(&["enqueue", "k", "--id", id, "--in", "1d", "--subject", "resource:7"]);
    }
    assert_eq!(shell.values(&["subject", "resource:7"]).len(), 2);
    let (_, said) = shell.says(&["subject", "resource:7", "cancel", "--reason", "renewed"]);
    assert_eq!(said, "2 cancelled, 0 running and asked to stop\n");

    let (_, said) = shell.says(&["pause", "default", "--reason", "audit"]);
    assert_eq!(said, "default  is paused; what runs goes on\n");
    let (_, said) = shell.says(&["pause", "defualt"]);
    assert_eq!(said, "defualt  is paused; no queue of that name is known yet\n");
    shell.values(&["resume", "defualt"]);
    let queue = &shell.values(&["queues"])[0];
    assert_eq!((&queue["paused"]["by"], &queue["paused"]["reason"]), (&"cli:ada".into(), &"audit".into()));
    assert_eq!(shell.values(&["resume", "default"])[0]["changed"], true);
    let (_, table) = shell.says(&["queues"]);
    assert!(table.starts_with("QUEUE") && !table.contains('\u{1b}'), "{table}");
}

#[tokio::test(flavor = "multi_thread")]
async fn settings_are_shown_set_and_not_overwritten_unseen() {
    let shell = Shell::new().await;
    let set =
        |value: &str| shell.run(&["settings", "set", "reasons", value, "--if-value", "[]"]).status.code();
    assert_eq!(set(r#"["Moved house"]"#), Some(0));
    assert_eq!(shell.values(&["settings", "show"])[0]["reasons"], serde_json::json!(["Moved house"]));
    assert_eq!(set(r#"["Paid"]"#), Some(3), "somebody else was faster");
    for bad in [
        &["reasons", "{"][..],
        &["reasons", "1"],
        &["weather", "1"],
        &["look", r#"{"colour":"plaid"}"#],
        &["look", r#"{"titel":"Shop"}"#],
    ] {
        let words: Vec<&str> = ["settings", "set"].iter().chain(bad).copied().collect();
        assert_eq!(shell.run(&words).status.code(), Some(2), "{bad:?}");
    }
    let (_, said) = shell.says(&["settings", "test-alert"]);
    assert!(said.ends_with("it says that it is a test\n"), "{said}");
}

#[tokio::test(flavor = "multi_thread")]
async fn a_verb_leaves_the_rules_of_the_namespace_alone() {
    let shell = Shell::new().await;
    let meta = format!("{}meta", shell.redis.prefix());
    shell.redis.command(&["HSET", &meta, "retention_done_ms", "12345"]).await.unwrap();

    shell.values(&["enqueue", "k"]);

    let kept = shell.redis.command(&["HGET", &meta, "retention_done_ms"]).await.unwrap();
    assert!(format!("{kept:?}").contains("12345"), "{kept:?}");
}

#[test]
fn shells_and_man_learn_every_verb() {
    let program = || Command::new(env!("CARGO_BIN_EXE_reprieve"));
    let script = program().args(["completions", "bash"]).output().unwrap();
    assert!(String::from_utf8_lossy(&script.stdout).contains("reinstate"));
    let folder = tempfile::tempdir().unwrap();
    assert!(program().arg("man").arg(folder.path()).status().unwrap().success());
    assert!(folder.path().join("reprieve-cancel.1").exists());
}

#[tokio::test(flavor = "multi_thread")]
async fn a_cron_entry_is_put_previewed_run_and_removed_from_a_shell() {
    let shell = Shell::new().await;
    let put =
        ["cron", "put", "nightly", "30 2 * * *", "report", r#"{"full":true}"#, "--zone", "Europe/Berlin"];
    let made = shell.values(&put);
    assert_eq!((&made[0]["outcome"], &made[0]["version"]), (&"created".into(), &1.into()));
    assert_eq!(shell.values(&put)[0]["outcome"], "unchanged");

    let (code, table) = shell.says(&["cron", "list"]);
    assert_eq!(code, 0);
    assert!(table.contains("nightly") && table.contains("Europe/Berlin"), "{table}");
    let shown = &shell.values(&["cron", "show", "nightly"])[0];
    assert_eq!(shown["entry"]["job"]["payload"]["full"], true);
    assert_eq!(shown["next"].as_array().unwrap().len(), 5);

    let ticks = shell.values(&["cron", "preview", "30 2 * * *", "--zone", "Europe/Berlin", "--limit", "3"]);
    assert_eq!(ticks.len(), 3);
    assert_eq!(shell.values(&["cron", "run", "nightly"])[0]["state"], "ready");
    assert_eq!(shell.says(&["cron", "pause", "nightly", "--reason", "month end"]).0, 0);
    assert!(shell.says(&["cron", "list"]).1.contains("paused by cli:ada month end"));
    assert_eq!(shell.says(&["cron", "remove", "nightly"]).0, 0);
    assert_eq!(shell.says(&["cron", "show", "nightly"]).0, 4);
    assert_eq!(shell.says(&["cron", "preview", "never"]).0, 2);
}

#[tokio::test(flavor = "multi_thread")]
async fn what_is_not_said_of_a_cron_entry_that_is_put_again_stays() {
    let shell = Shell::new().await;
    let put = ["cron", "put", "nightly", "30 2 * * *", "report"];
    let with = |more: &[&str]| {
        let words: Vec<&str> = put.iter().chain(more).copied().collect();
        assert_eq!(shell.run(&words).status.code(), Some(0), "{more:?}");
        shell.values(&["cron", "show", "nightly"])[0]["entry"].clone()
    };
    let said = with(&[
        r#"{"full":true}"#,
        "--zone",
        "Europe/Berlin",
        "--skip-overlap",
        "--priority",
        "1",
        "--retention",
        "7d",
        "--header",
        "tenant=7",
        "--unlimited",
        "--tag",
        "night",
    ]);
    let job = &said["job"];
    assert_eq!((&job["priority"], &job["headers"]["tenant"]), (&1.into(), &"7".into()), "{said}");
    assert_eq!(job["retention_ms"], 7 * 86_400_000);
    assert!(job["max_attempts"].is_null(), "{said}");

    let again = with(&["--timeout", "90s"]);
    let mut expected = said["job"].clone();
    expected["timeout_ms"] = 90_000.into();
    assert_eq!(
        (&again["job"], &again["zone"], &again["overlap"]),
        (&expected, &said["zone"], &said["overlap"])
    );

    let anew = with(&["--anew"]);
    assert_eq!((&anew["zone"], &anew["job"]["priority"]), (&"UTC".into(), &5.into()), "{anew}");
    assert_eq!(anew["job"]["max_attempts"], 25);
}

#[tokio::test(flavor = "multi_thread")]
async fn a_token_is_made_listed_and_revoked() {
    let shell = Shell::new().await;
    let made =
        &shell.values(&["token", "add", "ci", "--may", "jobs.enqueue", "--may", "view", "--queue", "mail"])
            [0];
    assert!(made["token"].as_str().unwrap().starts_with("rpv_ci_"), "{made}");
    let known = &shell.values(&["token", "list"])[0];
    assert_eq!(known["permissions"], serde_json::json!(["view", "jobs.enqueue"]));
    assert_eq!((&known["queues"][0], &known["by"]), (&"mail".into(), &"cli:ada".into()));
    assert!(known["expires_ms"].is_i64() && !known.to_string().contains(made["token"].as_str().unwrap()));
    for (words, end) in [
        (&["token", "add", "ci", "--may", "all"][..], 3),
        (&["token", "add", "x"], 2),
        (&["token", "add", "x", "--may", "root"], 2),
        (&["token", "add", "a b", "--may", "all"], 2),
        (&["token", "revoke", "none"], 4),
        (&["token", "revoke", "ci", "--reason", "leaked"], 0),
    ] {
        assert_eq!(shell.run(words).status.code(), Some(end), "{words:?}");
    }
    assert_eq!(shell.values(&["token", "list"]), Vec::<Value>::new());
}

#[tokio::test(flavor = "multi_thread")]
async fn a_person_who_is_put_out_leaves_no_token_behind_unless_it_is_said() {
    let shell = Shell::new().await;
    let tokens = Tokens::new(shell.redis.engine());
    for name in ["ann", "bob"] {
        shell.values(&["people", "add", name, "--role", "admin"]);
        for token in ["feeder", "report"] {
            let token = NewToken::new(format!("{token}-{name}").parse().unwrap(), [Permission::View]);
            tokens.add(&token, name).await.unwrap();
        }
    }
    let names =
        async || tokens.list().await.unwrap().iter().map(|token| token.name.to_string()).collect::<Vec<_>>();
    let told = shell.values(&["people", "disable", "bob"]);
    assert_eq!(told[1], json!({ "token": "feeder-bob", "revoked": false }));
    assert_eq!(told.len(), 3, "{told:?}");
    assert_eq!(names().await.len(), 4);
    let told = shell.values(&["people", "remove", "bob", "--tokens"]);
    assert_eq!(told[2], json!({ "token": "report-bob", "revoked": true }));
    assert_eq!(names().await, ["feeder-ann", "report-ann"], "those of others stay");
}

#[tokio::test(flavor = "multi_thread")]
async fn a_person_who_becomes_less_leaves_no_token_that_may_do_more_unless_it_is_said() {
    let shell = Shell::new().await;
    let tokens = Tokens::new(shell.redis.engine());
    shell.values(&["people", "add", "ann", "--role", "admin"]);
    for (token, may) in [("reads", Permission::View), ("pauses", Permission::PauseQueues)] {
        tokens.add(&NewToken::new(token.parse().unwrap(), [may]), "ann").await.unwrap();
    }
    shell.values(&["people", "add", "bob", "--role", "operator"]);
    tokens.add(&NewToken::new("bobs".parse().unwrap(), [Permission::PauseQueues]), "bob").await.unwrap();
    assert_eq!(
        shell.values(&["people", "role", "ann", "operator"]).len(),
        1,
        "it may no more than an operator"
    );
    let told = shell.values(&["people", "role", "ann", "viewer"]);
    assert_eq!(told[1], json!({ "token": "pauses", "revoked": false }));
    let told = shell.values(&["people", "role", "ann", "viewer", "--tokens"]);
    assert_eq!(told[1..], [json!({ "token": "pauses", "revoked": true })]);
    let left = tokens.list().await.unwrap();
    assert_eq!(left.iter().map(|token| token.name.as_str()).collect::<Vec<_>>(), ["bobs", "reads"]);
}

#[tokio::test(flavor = "multi_thread")]
async fn a_refusal_names_what_it_is_about() {
    let shell = Shell::new().await;
    shell.values(&["people", "add", "ann", "--role", "admin"]);
    for (words, end, about) in [
        (&["people", "add", "ann"][..], 3, "name \"ann\" "),
        (&["people", "role", "bob", "viewer"], 4, "name \"bob\" is nobody's here"),
        (&["people", "disable", "bob"], 4, "\"bob\""),
        (&["people", "sessions", "bob"], 4, "name \"bob\" is nobody's here"),
        (&["people", "end", "bob"], 4, "name \"bob\" is nobody's here"),
        (&["token", "add", "a b", "--may", "view"], 2, "name contains ' '"),
        (&["enqueue", "k", "--in", "-1h"], 2, "leave it out to run at once"),
        (&["enqueue", "k", "--at", "9999-12-31T23:59:59-01:00"], 2, "between 1970 and 9999"),
        (&["reschedule", "a", "--in", "400000d"], 2, "delay_ms is at most a thousand years"),
    ] {
        let output = shell.run(words);
        let said = String::from_utf8_lossy(&output.stderr).into_owned();
        assert_eq!(output.status.code(), Some(end), "{words:?}: {said}");
        assert!(said.contains(about), "{words:?}: {said}");
    }
}

#[tokio::test(flavor = "multi_thread")]
async fn jobs_are_found_and_removed_from_a_shell() {
    let shell = Shell::new().await;
    for id in ["a", "b"] {
        shell.values(&["enqueue", "k", "--id", id, "--in", "1d", "--tag", id]);
    }
    let found = shell.values(&["search", "--tag", "b", "--state", "delayed", "--kind", "k"]);
    assert_eq!((found.len(), &found[0]["id"]), (1, &"b".into()));
    assert_eq!(shell.run(&["purge", "b"]).status.code(), Some(3));
    shell.values(&["cancel", "b"]);
    assert_eq!(shell.values(&["purge", "b"])[0]["outcome"], "purged");
    assert_eq!(shell.says(&["workers"]), (0, "no workers in the last day\n".to_owned()));
    assert_eq!(
        shell.says(&["workers", "quiet", "nobody"]),
        (4, "nobody  was not heard in the last day\n".to_owned())
    );
    let claimant = shell.redis.engine().claimant("mailer");
    claimant.claim(&[QueueName::default()], 1, Delay::minutes(1)).await.unwrap();
    let (_, table) = shell.says(&["workers"]);
    assert!(table.contains("mailer") && table.contains("live") && !table.contains("0 of 0"), "{table}");
    assert_eq!(shell.says(&["workers", "stop", "mailer"]).0, 3);
    assert_eq!(shell.says(&["workers", "quiet", "mailer"]).0, 0);
    shell.says(&["people", "add", "ann", "--role", "admin"]);
    assert_eq!(shell.says(&["people", "end", "ann"]), (0, "ann  0 sessions ended\n".to_owned()));
}

#[tokio::test(flavor = "multi_thread")]
async fn a_worker_that_was_told_to_stop_is_told_nothing_more() {
    let shell = Shell::new().await;
    let description = r#"{"host":"h1"}"#;
    shell.redis.store().heartbeat("host-1", description).await.unwrap();
    assert_eq!(shell.says(&["workers", "stop", "host-1"]).0, 0);
    assert_eq!(shell.says(&["workers", "stop", "host-1"]).0, 0, "it has that order already");
    for order in ["quiet", "resume"] {
        assert_eq!(shell.says(&["workers", order, "host-1"]).0, 3, "{order}");
    }
}

#[tokio::test(flavor = "multi_thread")]
async fn what_others_wrote_reaches_a_terminal_without_what_it_obeys() {
    let shell = Shell::new().await;
    let hostile = "boom \u{1b}]0;owned\u{7}\u{1b}[2J\u{1b}[31mred\nsecond";
    shell.values(&["enqueue", "k", "--id", "a"]);
    let store = shell.redis.store();
    let jobs = store.claim("w", Delay::seconds(12), 1, &[(QueueName::default(), 1)]).await.unwrap();
    store.fail(&jobs[0].id, jobs[0].token, hostile, None).await.unwrap();
    shell.values(&["enqueue", "k", "--id", "b", "--in", "1d"]);
    shell.values(&["cancel", "b", "--reason", hostile]);
    for (words, shown) in [
        (&["job", "a"][..], "boom red second"),
        (&["job", "b"], "boom red second"),
        (&["jobs", "dead"], "boom red"),
        (&["audit", "list"], "boom red second"),
    ] {
        let (end, said) = shell.says(words);
        assert_eq!(end, 0, "{words:?}");
        assert!(said.contains(shown), "{words:?}: {said:?}");
        assert!(!said.contains(|sign: char| sign.is_control() && sign != '\n'), "{words:?}: {said:?}");
    }
    assert_eq!(shell.values(&["job", "a"])[0]["last_error"], hostile, "a program gets it as it is");
}

#[tokio::test(flavor = "multi_thread")]
async fn the_doctor_says_what_is_wrong_and_what_to_do() {
    let shell = Shell::new().await;
    shell.values(&["enqueue", "k"]);
    let (end, said) = shell.says(&["doctor"]);
    // The Redis of tests keeps nothing on disk, which is wrong for anybody else.
    assert_eq!(
        (end, said.contains("persistence: snapshots only"), said.contains("CONFIG SET appendonly yes")),
        (1, true, true),
        "{said}"
    );
    assert!(
        said.contains(&format!("version: {}", shell.server().await))
            && said.contains("rights: default may use every command"),
        "{said}"
    );
    let away = shell.run(&["doctor", "--redis", "redis://127.0.0.1:1", "--json"]);
    let finding: Value =
        serde_json::from_slice(away.stdout.split(|byte| *byte == b'\n').next().unwrap()).unwrap();
    assert_eq!((away.status.code(), &finding["what"]), (Some(1), &"reachability".into()));
    assert!(finding["advice"].as_str().unwrap().contains("reprieve serve"));
    let data = directory();
    let place = data.path().display().to_string();
    let none = shell.command(&["doctor", "--data", &place]).env_remove("REPRIEVE_REDIS").output().unwrap();
    let said = String::from_utf8(none.stdout).unwrap();
    assert!(said.contains("reprieve serve") && said.matches(&place).count() == 1, "{said}");
}

#[tokio::test(flavor = "multi_thread")]
async fn the_doctor_says_once_that_nothing_starts_and_what_ends_it() {
    let shell = Shell::new().await;
    shell.values(&["enqueue", "k"]);
    let meta = format!("{}meta", shell.redis.prefix());
    shell.redis.command(&["HSET", &meta, "halt", "went_back 1 0 0"]).await.unwrap();

    let (end, said) = shell.says(&["doctor"]);

    assert_eq!((end, said.matches("nothing starts").count()), (1, 1), "{said}");
    assert!(said.contains("reprieve halt clear") && !said.contains("forwarder:"), "{said}");
}

#[tokio::test(flavor = "multi_thread")]
async fn the_doctor_looks_at_every_configured_namespace_or_at_the_one_that_is_named() {
    let (shell, folder) = (Shell::new().await, tempfile::tempdir().unwrap());
    let (main, other) = (shell.redis.name().to_string(), format!("{}-billing", shell.redis.name()));
    let file = folder.path().join("reprieve.toml");
    std::fs::write(&file, format!("[[namespaces]]\nname = \"{other}\"\n")).unwrap();
    let file = file.to_str().unwrap();
    shell.values(&["enqueue", "k"]);
    shell.values(&["enqueue", "k", "--namespace", &other]);
    shell.values(&["pause", "default", "--namespace", &other]);

    let (end, said) = shell.says(&["doctor", "--config", file]);

    let parts: Vec<&str> = said.split("\n\n").collect();
    let titles: Vec<&str> = parts.iter().filter_map(|part| part.lines().next()).collect();
    assert_eq!((end, &titles[..3]), (1, &["Redis", &*main, &*other][..]), "{said}");
    assert_eq!(said.matches("version: ").count(), 1, "{said}");
    let paused = "default is paused by cli:ada";
    assert!(!parts[1].contains(paused) && parts[2].contains(paused), "{said}");
    let output = shell.run(&["doctor", "--config", file, "--json"]);
    let text = String::from_utf8(output.stdout).unwrap();
    let of = |line: &str| serde_json::from_str::<Value>(line).unwrap()["namespace"].clone();
    let mut named: Vec<Value> = text.lines().map(of).collect();
    named.dedup();
    assert_eq!(named, [Value::Null, main.clone().into(), other.clone().into()]);

    let (_, said) = shell.says(&["doctor", "--config", file, "--namespace", &main]);
    assert!(!said.contains(paused) && !said.contains(&other), "{said}");
    let (_, said) = shell.says(&["doctor", "--namespace", &format!("{main},{other}")]);
    assert!(said.contains(paused) && said.contains(&other), "{said}");
}

#[tokio::test(flavor = "multi_thread")]
async fn the_audit_is_verified_with_what_went_into_the_archive() {
    let shell = Shell::new().await;
    let engine = shell.redis.engine();
    for _ in 0..5 {
        shell.values(&["pause", "default"]);
        shell.values(&["resume", "default"]);
    }
    let folder = directory();
    let path = folder.path().to_str().unwrap();
    let verify = || shell.run(&["audit", "verify", "--archive", path]);
    assert_eq!(verify().status.code(), Some(1), "there is no archive yet");
    let surplus = engine.inspector().audit_surplus(AuditSize { entries: 5, bytes: 0 }).await.unwrap();
    engine.inspector().remove_archived(&surplus).await.unwrap();
    let lines: Vec<String> = surplus.iter().map(|entry| serde_json::to_string(entry).unwrap()).collect();
    let own = folder.path().join(engine.namespace().as_str());
    std::fs::create_dir(&own).unwrap();
    let file = own.join("0-000000000000001-0000000000.jsonl");
    std::fs::write(&file, lines.join("\n")).unwrap();

    let output = verify();
    let said = String::from_utf8(output.stdout).unwrap();
    assert!(output.status.success() && said.contains("9 entries of the archive as well"), "{said}");

    std::fs::write(&file, lines[..8].join("\n")).unwrap();
    let output = verify();
    let said = String::from_utf8(output.stderr).unwrap();
    assert!(!output.status.success() && said.contains("entries were removed, or put in"), "{said}");
}

#[tokio::test(flavor = "multi_thread")]
async fn what_speaks_against_an_import_is_said_and_has_to_be_accepted() {
    let shell = Shell::new().await;
    let name = shell.redis.engine().namespace().to_string();
    let (key, list) = (format!("due-{name}"), format!("due-list-{name}"));
    shell.redis.command(&["ZADD", &key, "1000000000", "a"]).await.unwrap();
    shell.redis.command(&["RPUSH", &list, "a"]).await.unwrap();
    let import = |step: &str, key: &str, more: &[&str]| {
        shell.says(&[&["import", "zset", step, "--key", key, "--kind", "mail"], more].concat())
    };

    let (end, said) = import("observe", &key, &[]);
    assert_eq!(end, 0, "{said}");
    for warning in
        ["warning: all_due: the only item is due by now", "warning: bare_ids: the only item is a bare id"]
    {
        assert!(said.contains(warning), "{said}");
    }
    for some in [&[][..], &["--accept-warnings", "all_due"]] {
        assert_eq!(import("take-over", &key, some).0, 3, "{some:?}");
        assert_eq!(import("follow", &key, some).0, 3, "{some:?}");
    }
    assert_eq!(import("take-over", &key, &["--accept-warnings", "all-due"]).0, 2, "no such code");
    let (end, said) = import("take-over", &key, &["--accept-warnings", "all_due,bare_ids"]);
    assert_eq!((end, said.starts_with("1 item is a job now")), (0, true), "{said}");

    let (end, said) = import("take-over", &key, &["--accept-warnings", "all_due,bare_ids"]);
    assert_eq!((end, said.starts_with("0 items are jobs now")), (0, true), "it was there: {said}");
    assert_eq!(import("observe", &key, &[]).0, 0);

    assert_eq!(import("observe", "due-nowhere", &[]).0, 4);
    assert_eq!(import("take-over", "due-nowhere", &[]).0, 4);
    assert_eq!(import("observe", &list, &[]).0, 1);
    assert_eq!(shell.says(&["import", "zset", "observe", "--key", &list, "--kind", "m", "--json"]).0, 1);
    for step in ["observe", "take-over"] {
        let nowhere = shell.run(&["import", "zset", step, "--key", "due-nowhere", "--kind", "m"]);
        let said = String::from_utf8(nowhere.stderr).unwrap();
        assert!(said.contains("nothing is there: the name may be another one"), "{said}");
    }
}

#[tokio::test(flavor = "multi_thread")]
async fn a_queue_of_bullmq_is_imported_and_put_back_from_a_shell() {
    let shell = Shell::new().await;
    let prefix = format!("due-{}", shell.redis.engine().namespace());
    let key = |what: &str| format!("{prefix}:mail:{what}");
    let job = ["name", "a:b", "data", "{}", "opts", "{}", "atm", "1", "failedReason", "gone"];
    shell.redis.command(&[&["HSET", &key("7")], &job[..]].concat()).await.unwrap();
    shell.redis.command(&["ZADD", &key("failed"), "1700000000000", "7"]).await.unwrap();
    let import = |step: &str, more: &[&str]| {
        let words = ["import", "bullmq", step, "--queue", "mail", "--prefix", &prefix, "--kind", "a:b=note"];
        shell.values(&[&words[..], more].concat()).remove(0)
    };

    let seen = import("observe", &[]);
    let place = &seen["places"][0];
    assert_eq!((&place["place"], &place["taken"]), (&json!("mail/failed"), &json!(false)), "{seen}");
    let taken = import("take-over", &["--failed"]);
    assert_eq!((&taken["taken"], &import("standing", &[])["name"]), (&json!(1), &json!("bullmq")));
    assert_eq!(shell.values(&["job", "mail:7"])[0]["kind"], "note");
    assert_eq!(import("roll-back", &[])["restored"], 1);
    assert_eq!(shell.says(&["import", "bullmq", "observe"]).0, 2, "a queue is needed");
    let step = |step: &str, queue: &str| {
        shell.says(&["import", "bullmq", step, "--queue", queue, "--prefix", &prefix]).0
    };
    assert_eq!((step("take-over", "sms"), step("observe", "sms")), (4, 4), "no such queue");
    shell.redis.command(&["HSET", &format!("{prefix}:sms:meta"), "version", "bullmq:5"]).await.unwrap();
    assert_eq!((step("take-over", "sms"), step("observe", "sms")), (0, 0), "an empty one");
}

#[tokio::test(flavor = "multi_thread")]
async fn a_sorted_set_is_imported_and_put_back_from_a_shell() {
    let shell = Shell::new().await;
    let key = format!("due-{}", shell.redis.engine().namespace());
    shell.redis.command(&["ZADD", &key, "4000000000", "a", "4000000001", "b", "inf", "never"]).await.unwrap();
    let import = |step| {
        let [accept, codes] = ["--accept-warnings", "far_future,bare_ids"];
        let why = "the old shop closes";
        ["import", "zset", step, "--key", &key, "--kind", "mail", "--reason", why, accept, codes]
            .map(str::to_owned)
    };
    let values = |step| {
        let words = import(step);
        shell.values(&words.iter().map(String::as_str).collect::<Vec<_>>())
    };

    let seen = values("observe");
    assert_eq!((&seen[0]["takeable"], &seen[0]["unreadable"][0]["name"]), (&2.into(), &"never".into()));
    assert_eq!(values("take-over")[0]["taken"], 2);
    assert_eq!(values("standing")[0]["moved"], 2);
    let words = import("roll-back");
    let (code, said) = shell.says(&words.iter().map(String::as_str).collect::<Vec<_>>());
    assert_eq!(code, 0);
    assert_eq!(
        said,
        "2 items are back as they were, 0 stay here; the importer is closed until it takes over again\n"
    );
    let acts = shell.values(&["audit", "list"]);
    let begun = |act: &&Value| act["outcome"] == "begun";
    let whys: Vec<&Value> = acts.iter().filter(begun).map(|act| &act["reason"]).collect();
    assert_eq!(whys, [&json!(format!("the old shop closes: zset {key}")); 2], "{acts:?}");
    let (code, _) = shell.says(&["import", "zset", "observe", "--key", &key]);
    assert_eq!(code, 2, "a kind is needed");
    let far =
        ["import", "zset", "observe", "--key", &key, "--kind", "mail", "--from", "rediss://127.0.0.1:1"];
    let nowhere = ["--from-ca-file", "/nonexistent.pem"];
    let refused = shell.run(&[&far[..], &nowhere].concat());
    let said = String::from_utf8_lossy(&refused.stderr);
    assert!(refused.status.code() == Some(2) && said.contains("/nonexistent.pem cannot be read"), "{said}");
    let (code, _) = shell.says(&[&far[..7], &nowhere].concat());
    assert_eq!(code, 2, "only another Redis has an authority of its own");
}

#[tokio::test(flavor = "multi_thread")]
async fn the_rights_of_a_redis_user_are_printed_without_a_redis() {
    let shell = Shell::new().await;
    let away = ["acl", "--redis", "redis://127.0.0.1:1", "--namespace", "shop", "--user", "jobs"];
    let (end, said) = shell.says(&away);
    assert_eq!(end, 0, "{said}");
    assert!(
        said.starts_with("ACL SETUSER jobs on >password ") && said.contains(" ~reprieve:{shop}:* "),
        "{said}"
    );
    assert_eq!(
        shell.values(&["acl"])[0]["command"].as_str().map(|command| command.contains("+wait")),
        Some(true)
    );
    for wrong in ["default", "a b", ""] {
        assert_eq!(shell.run(&["acl", "--user", wrong]).status.code(), Some(2), "{wrong:?}");
    }
}

#[tokio::test(flavor = "multi_thread")]
async fn a_queue_is_limited_from_a_shell() {
    let shell = Shell::new().await;
    shell.values(&["enqueue", "notice", "--in", "1h", "--concurrency-key", "tenant:7"]);
    let set = [
        "limit",
        "default",
        "--concurrency",
        "20",
        "--rate",
        "100/1s",
        "--concurrency-per-key",
        "1",
        "--ordered",
    ];
    assert_eq!(shell.values(&set)[0]["changed"], true);
    assert_eq!(shell.values(&set)[0]["changed"], false);
    let queue = &shell.values(&["queues"])[0];
    assert_eq!((&queue["limits"]["concurrency"], &queue["limits"]["ordered"]), (&20.into(), &true.into()));
    // What is left out stays.
    let less = &shell.values(&["limit", "default", "--concurrency", "5", "--rate", "none"])[0];
    assert_eq!((&less["changed"], &less["limits"]["rate"]), (&true.into(), &Value::Null));
    let shown = shell.says(&["limit", "default"]);
    assert_eq!((shown.0, shown.1.trim()), (0, "default  has concurrency 5, concurrency per key 1, ordered"));
    assert_eq!(shell.values(&["limit", "default", "--ordered=false"])[0]["limits"]["ordered"], false);
    assert_eq!(shell.values(&["limit", "default", "--none"])[0]["changed"], true);
    assert_eq!(shell.says(&["limit", "default"]).1.trim(), "default  has no limits");
    for wrong in [
        vec!["limit", "default", "--rate", "many"],
        vec!["limit", "default", "--concurrency", "0"],
        vec!["limit", "default", "--ordered"],
        vec!["limit", "default", "--none", "--rate", "1/1s"],
    ] {
        assert_eq!(shell.says(&wrong).0, 2, "{wrong:?}");
    }
}

#[tokio::test]
async fn the_audit_is_listed_and_its_first_broken_entry_is_named() {
    let shell = Shell::new().await;
    assert_eq!(shell.says(&["pause", "mail", "--reason", "a test"]).0, 0);
    assert_eq!(shell.says(&["resume", "mail"]).0, 0);
    let acts = shell.values(&["audit", "list", "--queue", "mail"]);
    let verbs: Vec<&str> = acts.iter().map(|act| act["verb"].as_str().unwrap()).collect();
    assert_eq!((verbs, acts[1]["by"].as_str().unwrap()), (vec!["resume", "pause"], "cli:ada"));
    let (exit, words) = shell.says(&["audit", "verify"]);
    assert_eq!(exit, 0, "{words}");
    assert!(words.starts_with("2 entries read as they were written"), "{words}");

    let audit = format!("{}audit", shell.redis.prefix());
    shell.redis.command(&["XTRIM", &audit, "MAXLEN", "0"]).await.unwrap();
    let output = shell.run(&["audit", "verify"]);
    let words = String::from_utf8_lossy(&output.stderr);
    assert_eq!(output.status.code(), Some(1));
    assert!(words.contains("the audit of shard 0 is not the last that was written"), "{words}");
}

#[tokio::test(flavor = "multi_thread")]
async fn who_only_looks_founds_no_namespace() {
    let shell = Shell::new().await;
    let fresh = format!("{}-fresh", shell.redis.name());
    // The doctor minds that the Redis of tests keeps nothing on disk; what is named is not there.
    for (words, end) in [
        (&["doctor"][..], 1),
        (&["queues"], 0),
        (&["jobs"], 0),
        (&["job", "a"], 4),
        (&["search"], 0),
        (&["workers"], 0),
        (&["audit", "list"], 0),
        (&["audit", "verify"], 0),
        (&["cron", "list"], 0),
        (&["cron", "show", "a"], 4),
        (&["plan", "list", "resource:7"], 0),
        (&["rule", "list"], 0),
        (&["batch", "list"], 0),
        (&["bulk", "list"], 0),
        (&["token", "list"], 0),
        (&["people", "list"], 0),
        (&["people", "sessions", "ada"], 4),
        (&["subject", "resource:7"], 0),
        (&["receipts", "resource:7"], 0),
        (&["retention", "show"], 0),
        (&["settings", "show"], 0),
        (&["halt", "status"], 0),
    ] {
        let words: Vec<&str> = words.iter().copied().chain(["--namespace", fresh.as_str()]).collect();
        let output = shell.run(&words);
        let said = String::from_utf8_lossy(&output.stderr);
        assert_eq!(output.status.code(), Some(end), "{words:?}: {said}");
        let left = shell.redis.command(&["KEYS", &format!("reprieve:{{{fresh}*")]).await.unwrap();
        assert!(left.as_sequence().is_some_and(<[_]>::is_empty), "{words:?}: {left:?}");
    }
    assert_eq!(shell.run(&["enqueue", "k", "--namespace", &fresh, "--shards", "16"]).status.code(), Some(0));
}

#[tokio::test(flavor = "multi_thread")]
async fn jobs_of_a_full_redis_are_called_off_and_removed_from_a_shell() {
    let server = RedisServer::start().unwrap();
    let shell = Shell { redis: TestRedis::on(server.url(), Namespace::default()).await };
    for id in ["a", "b"] {
        shell.values(&["enqueue", "k", "--id", id, "--in", "1d"]);
    }
    shell.redis.command(&["CONFIG", "SET", "maxmemory", "1"]).await.unwrap();

    assert_eq!(shell.says(&["cancel", "a", "b"]).0, 0);
    assert_eq!(shell.says(&["purge", "a"]).0, 0);
    assert_eq!(shell.says(&["queues"]).0, 0);
    assert_eq!(shell.says(&["enqueue", "k"]).0, 1);
}
