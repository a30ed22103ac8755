//! Rules of kinds, retention and batches from a shell.

use super::Shell;
use serde_json::{Value, json};
use std::path::PathBuf;

/// Ends with that number, says something, and leaves what `list` prints as it was.
fn refused(shell: &Shell, list: &[&str], words: &[&str], end: i32) {
    let before = shell.values(list);
    let output = shell.run(words);
    assert_eq!(output.status.code(), Some(end), "{words:?}: {}", String::from_utf8_lossy(&output.stderr));
    assert!(!output.stderr.is_empty(), "{words:?} says nothing");
    assert_eq!(shell.values(list), before, "{words:?} changed something");
}

#[tokio::test(flavor = "multi_thread")]
async fn a_rule_of_a_kind_is_set_listed_and_removed_from_a_shell() {
    let shell = Shell::new().await;
    let set = [
        "rule",
        "set",
        "notice",
        "--hours",
        "08:00-21:00",
        "--zone",
        "Europe/Berlin",
        "--days",
        "mon-fri",
        "--spread",
        "1min",
        "--late",
        "1h",
        "--then",
        "dead",
        "--reason",
        "nobody is called at night",
    ];
    assert_eq!(shell.values(&set), [json!({ "kind": "notice", "changed": true })]);
    assert_eq!(shell.values(&set)[0]["changed"], false);
    assert_eq!(shell.says(&set), (0, "notice  had that rule already\n".to_owned()));

    let rule = &shell.values(&["rule", "list"])[0];
    let window = &rule["window"];
    assert_eq!((&window["hours"], &window["zone"]), (&json!("08:00-21:00"), &json!("Europe/Berlin")));
    assert_eq!((&window["spread_ms"], &window["days"][4]), (&json!(60_000), &json!("fri")));
    assert_eq!(rule["lateness"], json!({ "most_ms": 3_600_000, "then": "dead" }));
    let (end, table) = shell.says(&["rule", "list"]);
    assert!(end == 0 && table.contains("mon,tue,wed,thu,fri") && table.contains("1 h, then dead"), "{table}");

    for wrong in [
        &["rule", "set", "notice"][..],
        &["rule", "set", "notice", "--hours", "8-21"],
        &["rule", "set", "notice", "--hours", "08:00-21:00", "--days", "monday"],
        &["rule", "set", "notice", "--hours", "08:00-21:00", "--spread", "soon"],
        &["rule", "set", "other", "--zone", "UTC"],
        &["rule", "set", "other", "--spread", "1min", "--late", "1h"],
        &["rule", "set", "other", "--then", "dead"],
        &["rule", "set", "notice", "--late", "1h", "--then", "explode"],
        &["rule", "set", "a b", "--late", "1h"],
        &["rule", "set", "notice", "--hours", "08:00-21:00", "--zone", "Mars/Olympus"],
        &["rule", "set", "notice", "--hours", "08:00-21:00", "--spread", "2d"],
        &["rule", "remove"],
    ] {
        refused(&shell, &["rule", "list"], wrong, 2);
    }
    assert_eq!(shell.values(&["rule", "set", "notice", "--protected"])[0]["changed"], true);
    let kept = &shell.values(&["rule", "list"])[0];
    assert_eq!(
        (&kept["protected"], &kept["window"], &kept["lateness"]),
        (&json!(true), window, &rule["lateness"])
    );
    let (_, table) = shell.says(&["rule", "list"]);
    assert!(table.contains("protected") && table.contains("Europe/Berlin, spread over 1 m"), "{table}");
    shell.values(&["rule", "set", "notice", "--hours", "09:00-17:00", "--late", "none", "--protected=false"]);
    let less = &shell.values(&["rule", "list"])[0];
    assert_eq!(
        (&less["window"]["hours"], &less["window"]["zone"]),
        (&json!("09:00-17:00"), &json!("Europe/Berlin"))
    );
    assert_eq!((&less["lateness"], &less["protected"]), (&Value::Null, &json!(false)));
    assert_eq!(shell.values(&["rule", "remove", "notice"])[0]["changed"], true);
    assert_eq!(shell.says(&["rule", "remove", "notice"]), (0, "notice  had no rule\n".to_owned()));
    assert_eq!(shell.says(&["rule", "list"]), (0, "no rules\n".to_owned()));
}

#[tokio::test(flavor = "multi_thread")]
async fn retention_is_set_and_shown_from_a_shell_and_counts_for_jobs_that_end_from_then_on() {
    let shell = Shell::new().await;
    let set = [
        "retention",
        "set",
        "--queue",
        "mail",
        "--done",
        "1d",
        "--cancelled",
        "90min",
        "--dead-most",
        "5000",
    ];
    let said = &shell.values(&set)[0];
    assert_eq!((&said["queue"], &said["rule"]["done_ms"]), (&json!("mail"), &json!(86_400_000)), "{said}");
    assert_eq!(
        shell.values(&["retention", "show"])[0]["queues"],
        json!({ "mail": {
            "done_ms": 86_400_000, "dead_ms": null, "cancelled_ms": 5_400_000,
            "done_most": null, "dead_most": 5_000,
        } })
    );
    let (end, table) = shell.says(&["retention", "show"]);
    let mail = table.lines().find(|line| line.starts_with("mail")).unwrap();
    let columns: Vec<&str> = mail.split_whitespace().collect();
    assert_eq!((end, columns), (0, vec!["mail", "1d", "(90d)", "90min", "-", "5000"]), "{table}");

    for wrong in [
        &["retention"][..],
        &["retention", "set", "--queue", "mail"],
        &["retention", "set", "--done", "soon"],
        &["retention", "set", "--queue", "a{b", "--done", "1d"],
        &["retention", "set", "--ready", "1d"],
        &["retention", "set", "--done=-1d"],
        &["retention", "set", "--dead-most", "0"],
        &["retention", "set", "--cancelled-most", "9"],
    ] {
        refused(&shell, &["retention", "show"], wrong, 2);
    }
    let said = &shell.values(&["retention", "set", "--queue", "mail", "--dead", "30d", "--done", "none"])[0];
    assert_eq!(
        said["rule"],
        json!({
            "done_ms": null, "dead_ms": 2_592_000_000_i64, "cancelled_ms": 5_400_000,
            "done_most": null, "dead_most": 5_000,
        }),
        "what is not named stays"
    );
    let (_, said) = shell.says(&["retention", "set", "--queue", "mail", "--dead", "90d"]);
    assert!(said.starts_with("mail  has this rule for jobs that end from now on:\n"), "{said}");
    let columns: Vec<&str> = said.lines().last().unwrap().split_whitespace().collect();
    assert_eq!(columns, ["mail", "(7d)", "90d", "90min", "-", "5000"], "{said}");
    let none = ["--dead", "none", "--cancelled", "none", "--dead-most", "none"];
    shell.values(&[&["retention", "set", "--queue", "mail"][..], &none].concat());
    assert_eq!(shell.values(&["retention", "show"])[0]["queues"], json!({}));
}

fn file(folder: &tempfile::TempDir, name: &str, content: &Value) -> PathBuf {
    let path = folder.path().join(name);
    std::fs::write(&path, content.to_string()).unwrap();
    path
}

#[tokio::test(flavor = "multi_thread")]
async fn a_batch_that_breaks_off_says_how_many_of_its_jobs_are_in_and_how_to_go_on() {
    let (shell, folder) = (Shell::new().await, tempfile::tempdir().unwrap());
    // Paused, so that none of them makes room for another queue.
    let fill = "for n = 1, 999 do
        redis.call('SADD', KEYS[1] .. 'queues', 'q' .. n)
        redis.call('HSET', KEYS[1] .. 'q:q' .. n .. ':paused', 'by', 'ann')
    end";
    shell.redis.command(&["EVAL", fill, "1", &shell.redis.prefix()]).await.unwrap();
    let queue = |number: usize| match number {
        148 => "new",
        149 => "one-too-many",
        _ => "q1",
    };
    let row =
        |n: usize| json!({ "kind": "row", "queue": queue(n), "delay_ms": 60_000, "id": format!("row-{n}") });
    let rows: Vec<Value> = (0..150).map(row).collect();
    let new = json!({ "id": "whole", "completion": { "kind": "report", "queue": "q1" }, "jobs": rows });
    let open = json!({ "id": "grown", "completion": { "kind": "report", "queue": "q1" }, "open": true });
    let more: Vec<Value> =
        (0..150).map(|n| json!({ "kind": "row", "queue": queue(n), "id": format!("more-{n}") })).collect();
    let [new, open, more] = [("new.json", new), ("open.json", open), ("more.json", json!(more))]
        .map(|(name, content)| file(&folder, name, &content));
    shell.values(&["batch", "make", open.to_str().unwrap()]);

    for words in
        [&["batch", "make", new.to_str().unwrap()][..], &["batch", "add", "grown", more.to_str().unwrap()]]
    {
        let broken = shell.run(words);
        assert_eq!(broken.status.code(), Some(1), "{broken:?}");
        let said = String::from_utf8(broken.stderr).unwrap();
        for part in [
            "100 taken in, 0 known before",
            "1,000 queues; nothing from job 101 on",
            "the same command again",
        ] {
            assert!(said.contains(part), "{words:?}, {part}: {said}");
        }
        let again = shell.run(&[words, &["--json"]].concat());
        let line: Value = serde_json::from_slice(&again.stderr).unwrap();
        let told = ["code", "taken", "known", "refused", "job"].map(|name| line[name].clone());
        assert_eq!(told, [json!("failed"), json!(0), json!(100), json!(0), json!(101)], "{line}");
    }
}

#[tokio::test(flavor = "multi_thread")]
async fn a_closed_batch_that_knows_the_beginning_of_a_file_changes_nothing() {
    let (shell, folder) = (Shell::new().await, tempfile::tempdir().unwrap());
    let rows = |count: usize| -> Value {
        (0..count).map(|n| json!({ "kind": "row", "delay_ms": 60_000, "id": format!("row-{n}") })).collect()
    };
    let new = json!({ "id": "closed", "completion": { "kind": "report" }, "jobs": rows(100) });
    let new = file(&folder, "new.json", &new);
    let more = file(&folder, "more.json", &rows(150));
    shell.values(&["batch", "make", new.to_str().unwrap()]);

    let refused = shell.run(&["batch", "add", "closed", more.to_str().unwrap()]);

    let said = String::from_utf8(refused.stderr).unwrap();
    assert_eq!(refused.status.code(), Some(3), "{said}");
    assert!(said.contains("batch closed is closed; nothing was changed"), "{said}");
}

#[tokio::test(flavor = "multi_thread")]
async fn a_batch_is_made_grown_closed_and_called_off_from_a_shell() {
    let (shell, folder) = (Shell::new().await, tempfile::tempdir().unwrap());
    let row = |id: &str| json!({ "kind": "row", "delay_ms": 60_000, "id": id });
    let new =
        json!({ "id": "import-7", "open": true, "completion": { "kind": "report" }, "jobs": [row("row-1")] });
    let new = file(&folder, "new.json", &new);
    let more = file(&folder, "more.json", &json!([row("row-2"), row("row-3")]));
    let (new, more) = (new.to_str().unwrap(), more.to_str().unwrap());

    let made = &shell.values(&["batch", "make", new])[0];
    assert_eq!((&made["outcome"], &made["total"]), (&json!("made"), &json!(1)), "{made}");
    assert_eq!(shell.values(&["batch", "make", new])[0]["outcome"], "exists");
    let added = shell.says(&["batch", "add", "import-7", more, "--close"]);
    assert_eq!(added.0, 0);
    assert!(added.1.contains("3 jobs, 3 live, 0 done, 0 dead, 0 cancelled"), "{}", added.1);
    assert_eq!(shell.values(&["batch", "close", "import-7"])[0]["outcome"], "unchanged");

    let shown = &shell.values(&["batch", "show", "import-7"])[0];
    assert_eq!(shown["live_jobs"], json!(["row-1", "row-2", "row-3"]));
    let (_, table) = shell.says(&["batch", "list"]);
    assert!(table.starts_with("BATCH") && table.contains("import-7") && table.contains("closed"), "{table}");

    let none = file(&folder, "none.json", &json!({ "id": "x" }));
    let list = ["batch", "list"];
    let late = file(&folder, "late.json", &json!([row("row-4")]));
    refused(&shell, &list, &["batch", "add", "import-7", late.to_str().unwrap()], 3);
    refused(&shell, &list, &["batch", "make", none.to_str().unwrap()], 2);
    refused(&shell, &list, &["batch", "make", "/nonexistent"], 1);
    refused(&shell, &list, &["batch", "add", "import-7", "/nonexistent"], 1);
    refused(&shell, &list, &["plan", "make", "/nonexistent"], 1);
    let step = json!({ "name": "2", "offset_ms": 0, "job": { "kind": "k" } });
    let taken = json!({ "id": "row", "subject": "resource:7", "steps": [step] });
    let taken = file(&folder, "taken.json", &taken);
    shell.values(&["enqueue", "k", "--id", "row/2", "--in", "1d"]);
    refused(&shell, &list, &["plan", "make", taken.to_str().unwrap()], 3);
    refused(&shell, &list, &["batch", "add", "import-7", new], 2);
    refused(&shell, &list, &["batch", "show", "a{b"], 2);
    for missing in
        [&["batch", "show", "nobody"][..], &["batch", "close", "nobody"], &["batch", "cancel", "nobody"]]
    {
        refused(&shell, &list, missing, 4);
    }
    let ended = &shell.values(&["batch", "cancel", "import-7", "--reason", "the wrong file"])[0];
    assert_eq!((&ended["cancelled"], &ended["live"]), (&json!(3), &json!(0)), "{ended}");
    assert_eq!(shell.values(&["job", "row-2"])[0]["reason"], "the wrong file");
}
