//! Repeats, lateness, spreading and editing from a shell.

use super::Shell;
use reprieve::model::{Delay, QueueName};

#[tokio::test(flavor = "multi_thread")]
async fn the_flags_of_a_key_say_which_of_two_jobs_wins() {
    let shell = Shell::new().await;
    let add = |id: &str, payload: &str, more: &[&str]| {
        let words = ["enqueue", "digest", payload, "--in", "1h", "--id", id, "--unique-for", "1d"];
        shell.run(&[&words[..], more].concat()).status.code()
    };
    // While it lives: the second is refused.
    assert_eq!((add("a1", "1", &["--unique", "a"]), add("a2", "2", &["--unique", "a"])), (Some(0), Some(3)));
    // By content: another payload is other work.
    let content = ["--unique-content"];
    assert_eq!((add("b1", "1", &content), add("b2", "2", &content)), (Some(0), Some(0)));
    assert_eq!(add("b3", "1", &content), Some(3));
    // Throttle: the first, even when it has ended.
    let throttle = ["--unique", "c", "--unique-mode", "throttle"];
    assert_eq!(add("c1", "1", &throttle), Some(0));
    shell.values(&["cancel", "c1"]);
    assert_eq!(add("c2", "2", &throttle), Some(3));
    // Debounce: the last, in the first's place.
    let debounce = ["--unique", "d", "--unique-mode", "debounce", "--max-wait", "2h"];
    assert_eq!((add("d1", "1", &debounce), add("d2", "2", &debounce)), (Some(0), Some(0)));
    assert_eq!(shell.values(&["job", "d1"])[0]["payload"], 2);
    assert_eq!(shell.run(&["job", "d2"]).status.code(), Some(4));

    for wrong in [
        &["enqueue", "k", "--unique", "x"][..],
        &["enqueue", "k", "--unique-for", "1d"],
        &["enqueue", "k", "--unique-content"],
        &["enqueue", "k", "--unique", "x", "--unique-content", "--unique-for", "1d"],
        &["enqueue", "k", "--unique", "x", "--unique-for", "1d", "--unique-mode", "last"],
        &["enqueue", "k", "--unique", "x", "--unique-for", "1d", "--max-wait", "1h"],
        &["enqueue", "k", "--then", "dead"],
        &["enqueue", "k", "--late", "1h", "--then", "explode"],
    ] {
        assert_eq!(shell.run(wrong).status.code(), Some(2), "{wrong:?}");
    }
    assert_eq!(shell.values(&["jobs", "--limit", "100"]).len(), 4);
}

#[tokio::test(flavor = "multi_thread")]
async fn a_job_may_be_too_late_and_a_file_is_spread() {
    let shell = Shell::new().await;
    shell.values(&[
        "enqueue",
        "k",
        "--id",
        "late",
        "--at",
        "2020-01-01T00:00:00Z",
        "--late",
        "1h",
        "--then",
        "dead",
    ]);
    let claimed =
        shell.redis.store().claim("w", Delay::seconds(12), 9, &[(QueueName::default(), 9)]).await.unwrap();
    assert!(claimed.is_empty(), "too late to start");
    assert_eq!(shell.values(&["job", "late"])[0]["state"], "dead");

    let jobs: String = (0..50)
        .map(|n| format!("{{\"kind\":\"k\",\"id\":\"s{n}\",\"due_at\":\"2030-01-01T00:00:00Z\"}}\n"))
        .collect();
    let taken = shell.with_input(&["enqueue", "--file", "-", "--spread", "1h"], &jobs);
    assert!(taken.status.success(), "{taken:?}");
    let jobs = shell.values(&["jobs", "delayed", "--limit", "100"]);
    let mut due: Vec<i64> =
        jobs.iter().map(|job| job["due_ms"].as_i64().unwrap() - 1_893_456_000_000).collect();
    due.sort_unstable();
    due.dedup();
    assert!(due.len() > 40 && due[0] >= 0 && due[due.len() - 1] < 3_600_000, "{due:?}");
}

#[tokio::test(flavor = "multi_thread")]
async fn a_payload_is_changed_unless_the_job_has_moved_on() {
    let shell = Shell::new().await;
    shell.values(&["enqueue", "k", "1", "--id", "a", "--in", "1h"]);
    let version = shell.values(&["job", "a"])[0]["version"].to_string();
    let edited =
        &shell.values(&["edit", "a", r#"{"n": 2}"#, "--if-version", &version, "--reason", "a typo"])[0];
    assert_eq!(edited["state"], "delayed", "{edited}");
    assert_eq!(shell.values(&["job", "a"])[0]["payload"]["n"], 2);
    shell.values(&["edit", "a", r#"{"n": 3}"#]);
    let job = shell.run(&["job", "a"]);
    let said = String::from_utf8_lossy(&job.stdout);
    assert!(said.contains("delayed, new payload: n"), "{said}");
    for (words, end) in [
        (&["edit", "a", "3", "--if-version", &version][..], 3),
        (&["edit", "a", "{"], 2),
        (&["edit", "none", "3"], 4),
    ] {
        assert_eq!(shell.run(words).status.code(), Some(end), "{words:?}");
    }
    shell.values(&["cancel", "a"]);
    for words in
        [&["edit", "a", "text"][..], &["enqueue", "k", "text"], &["cron", "put", "c", "@daily", "k", "text"]]
    {
        let refused = shell.run(words);
        let said = String::from_utf8_lossy(&refused.stderr);
        assert!(refused.status.code() == Some(2) && said.contains("JSON is wanted"), "{words:?}: {said}");
    }
    assert_eq!(shell.run(&["edit", "a", "3"]).status.code(), Some(3), "a cancelled job keeps its payload");
    assert_eq!(shell.values(&["job", "a"])[0]["payload"]["n"], 3);
}
