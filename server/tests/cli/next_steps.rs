//! What a shell says of what it did not do, of what follows, and of what it leaves as it is.

use super::Shell;
use serde_json::{Value, json};

/// How it ends, and what it says on standard error.
fn complains(shell: &Shell, words: &[&str]) -> (i32, String) {
    let output = shell.run(words);
    (output.status.code().unwrap(), String::from_utf8(output.stderr).unwrap())
}

fn queues(shell: &Shell, name: &str) -> Value {
    let people = shell.values(&["people", "list"]);
    people.iter().find(|person| person["name"] == name).unwrap()["queues"].clone()
}

#[tokio::test(flavor = "multi_thread")]
async fn another_role_leaves_the_queues_of_a_person_unless_others_are_named() {
    let shell = Shell::new().await;
    shell.values(&["people", "add", "ann", "--role", "admin"]);
    shell.values(&["people", "add", "bob", "--role", "support", "--queue", "mail", "--queue", "sms"]);

    let (end, said) = shell.says(&["people", "role", "bob", "operator"]);
    assert_eq!((end, said.as_str()), (0, "bob  is operator in queues mail, sms\n"));
    assert_eq!(queues(&shell, "bob"), json!(["mail", "sms"]));

    let said = &shell.values(&["people", "role", "bob", "operator", "--queue", "push"])[0];
    assert_eq!(said, &json!({ "name": "bob", "role": "operator", "queues": ["push"] }));
    assert_eq!(queues(&shell, "bob"), json!(["push"]));

    assert_eq!(shell.says(&["people", "role", "bob", "viewer", "--queue", "a", "--every-queue"]).0, 2);
    let (end, said) = shell.says(&["people", "role", "bob", "viewer", "--every-queue"]);
    assert_eq!((end, said.as_str()), (0, "bob  is viewer in every queue\n"));
    assert_eq!(queues(&shell, "bob"), json!([]));
}

#[tokio::test(flavor = "multi_thread")]
async fn a_search_that_stops_says_so_and_goes_on_where_it_stopped() {
    let shell = Shell::new().await;
    for n in 1..=5 {
        shell.values(&["enqueue", "mail", "--id", &format!("j{n}"), "--in", &format!("{n}h")]);
    }
    shell.values(&["cancel", "j5"]);
    let ids = |output: &[u8]| -> Vec<String> {
        let lines = String::from_utf8(output.to_vec()).unwrap();
        let read =
            |line: &str| serde_json::from_str::<Value>(line).unwrap()["id"].as_str().unwrap().to_owned();
        lines.lines().map(read).collect()
    };

    let (end, said) = shell.says(&["search", "--kind", "mail", "--limit", "3"]);
    assert_eq!(end, 0);
    assert!(said.contains("there are more than 3; --limit takes a larger number, --after "), "{said}");
    let first = shell.run(&["search", "--kind", "mail", "--limit", "3", "--json"]);
    let more: Value = serde_json::from_slice(&first.stderr).unwrap();
    assert_eq!(more["code"], "more");
    let after = more["after"].as_str().unwrap();
    let rest = shell.run(&["search", "--kind", "mail", "--after", after, "--json"]);
    assert_eq!(
        (ids(&first.stdout), ids(&rest.stdout)),
        (vec!["j1".into(), "j2".into(), "j3".into()], vec!["j4".into(), "j5".into()])
    );
    for words in [
        &["search", "--limit", "5", "--json"][..],
        &["search", "--state", "delayed", "--limit", "4", "--json"],
    ] {
        assert!(shell.run(words).stderr.is_empty(), "{words:?}: all of them are there");
    }
}

#[tokio::test(flavor = "multi_thread")]
async fn what_cannot_be_done_says_what_can() {
    let shell = Shell::new().await;
    shell.values(&["enqueue", "mail", "--id", "ready"]);
    shell.values(&["enqueue", "mail", "--id", "late", "--in", "1h"]);
    for (words, end, part) in [
        (&["job", "nope"][..], 4, "there is no job \"nope\": `reprieve jobs` lists them"),
        (&["cancel", "nope"], 4, "there is no job \"nope\": `reprieve jobs` lists them"),
        (&["log", "nope"], 4, "there is no job \"nope\": `reprieve jobs` lists them"),
        (&["batch", "show", "nope"], 4, "`reprieve batch list` lists them"),
        (&["token", "revoke", "nope"], 4, "`reprieve token list` lists them"),
        (&["people", "disable", "nope"], 4, "`reprieve people list` lists them"),
        (&["hold", "ready"], 3, "ready  is ready; hold takes jobs that are delayed"),
        (&["unhold", "late"], 3, "late  is delayed; unhold takes jobs that are held"),
        (&["purge", "late"], 3, "late  is delayed; purge takes jobs that are done, dead or cancelled"),
        (&["reinstate", "late"], 3, "late  is delayed; reinstate takes jobs that are cancelled"),
        (
            &["reschedule", "ready", "--in", "1h"],
            3,
            "reschedule takes jobs that are delayed, held or retrying",
        ),
        (&["retry", "ready"], 3, "retry takes jobs that are delayed, held, retrying, dead or cancelled"),
        (&["edit", "ready", "1"], 3, "edit takes jobs that are delayed, held, retrying or dead"),
        (&["hold", "late", "--if-version", "7"], 3, "is delayed at version 1 now; nothing was changed"),
        (&["enqueue"], 2, "--file <FILE>"),
        (&["settings", "set", "alerts", "soon"], 2, "this is not JSON: "),
        (
            &["settings", "set", "alerts", r#"[{"what": "sad"}]"#],
            2,
            "alerts cannot be set to this: the word \"sad\" is not known here; known are late",
        ),
    ] {
        let (code, said) = complains(&shell, words);
        assert_eq!(code, end, "{words:?}: {said}");
        assert!(said.contains(part), "{words:?}: {said}");
    }
}

#[tokio::test(flavor = "multi_thread")]
async fn a_frozen_run_says_how_it_is_started_and_until_when() {
    let shell = Shell::new().await;
    shell.values(&["enqueue", "mail", "--id", "a", "--in", "1h"]);

    let (end, said) = shell.says(&["bulk", "freeze", "cancel", "--kind", "mail"]);

    let run = said.split(' ').nth(2).unwrap();
    assert_eq!(end, 0, "{said}");
    assert!(said.contains("(cancel 1 job) is frozen"), "{said}");
    assert!(said.contains(&format!("start it with `reprieve bulk start {run}` until ")), "{said}");
    assert!(said.contains("(in 10 m)") || said.contains("(in 9 m"), "{said}");
    let (_, said) = shell.says(&["bulk", "freeze", "cancel", "--kind", "none"]);
    assert!(!said.contains("start it"), "{said}");
}
