//! Bulk runs from a shell, carried out by a process with maintenance.

use super::Shell;
use serde_json::{Value, json};
use std::process::Stdio;
use std::time::{Duration, Instant};

/// Far longer than a run takes to begin, even on a busy machine.
const TIMEOUT: Duration = Duration::from_secs(60);

/// Jobs due on the first days of 2030, one a day.
fn given(shell: &Shell, count: usize) {
    for n in 1..=count {
        let (id, due) = (format!("j{n}"), format!("2030-01-0{n}T09:00:00Z"));
        shell.values(&["enqueue", "notice", "--id", &id, "--at", &due, "--tag", "spring"]);
    }
}

fn due(shell: &Shell, id: &str) -> i64 {
    shell.values(&["job", id])[0]["due_ms"].as_i64().unwrap()
}

fn run_of(said: &[Value]) -> String {
    said[0]["id"].as_str().unwrap().to_owned()
}

#[tokio::test(flavor = "multi_thread")]
async fn jobs_of_a_range_of_due_times_are_moved_and_spread_over_a_span() {
    let shell = Shell::new().await;
    given(&shell, 5);
    let maintenance = shell.redis.engine().maintenance().start();
    let frozen = shell.values(&[
        "bulk",
        "freeze",
        "reschedule",
        "--due-from",
        "2030-01-02T09:00:00Z",
        "--due-before",
        "2030-01-05T09:00:00Z",
        "--to",
        "2030-02-01T00:00:00Z",
        "--spread",
        "3h",
        "--reason",
        "the holidays",
    ]);
    // From is in, before is out; nothing moved yet.
    assert_eq!((&frozen[0]["state"], &frozen[0]["total"]), (&json!("frozen"), &json!(3)), "{}", frozen[0]);
    let (early, late) = (due(&shell, "j1"), due(&shell, "j5"));
    let second = due(&shell, "j2");

    let run = run_of(&frozen);
    let done = shell.values(&["bulk", "start", &run, "--rate", "1000", "--wait"]);

    assert_eq!((&done[0]["state"], &done[0]["changed"]), (&json!("done"), &json!(3)), "{}", done[0]);
    assert_eq!((due(&shell, "j1"), due(&shell, "j5")), (early, late));
    assert_ne!(due(&shell, "j2"), second);
    let target = 1_896_134_400_000_i64;
    let mut moved = ["j2", "j3", "j4"].map(|id| due(&shell, id) - target);
    moved.sort_unstable();
    assert!(moved[0] >= 0 && moved[2] <= 3 * 3_600_000, "{moved:?}");
    assert!(moved[1] - moved[0] >= 1_800_000 && moved[2] - moved[1] >= 1_800_000, "spread: {moved:?}");
    assert_eq!(shell.values(&["bulk", "show", &run])[0]["words"], done[0]["words"]);
    maintenance.shutdown().await;
}

#[tokio::test(flavor = "multi_thread")]
async fn what_was_called_off_in_bulk_comes_back_by_undo() {
    let shell = Shell::new().await;
    given(&shell, 3);
    let maintenance = shell.redis.engine().maintenance().start();
    let was = due(&shell, "j1");
    let frozen = shell.values(&["bulk", "freeze", "cancel", "--tag", "spring", "--kind", "notice"]);
    let run = run_of(&frozen);
    let (end, said) = shell.says(&["bulk", "start", &run, "--wait"]);
    assert_eq!(end, 0);
    assert!(said.contains("is done: 0 pending, 3 changed, 0 skipped, 0 failed"), "{said}");
    assert_eq!(shell.values(&["job", "j1"])[0]["state"], "cancelled");

    let undo = run_of(&shell.values(&["bulk", "undo", &run, "--reason", "a mistake"]));
    shell.values(&["bulk", "start", &undo, "--wait"]);

    assert_eq!((&shell.values(&["job", "j1"])[0]["state"], due(&shell, "j1")), (&json!("delayed"), was));
    assert_eq!(shell.values(&["bulk", "list"]).len(), 2);
    let (_, table) = shell.says(&["bulk", "list"]);
    assert!(table.starts_with("RUN") && table.contains("cli:ada"), "{table}");
    assert_eq!(run_of(&shell.values(&["bulk", "undo", &run])), undo, "undone once");
    maintenance.shutdown().await;
}

#[tokio::test(flavor = "multi_thread")]
async fn a_run_that_is_waited_for_and_not_done_ends_with_3_and_says_how_it_stands() {
    let shell = Shell::new().await;
    given(&shell, 2);
    let run = run_of(&shell.values(&["bulk", "freeze", "cancel"]));
    // Nobody carries it out.
    let words = ["bulk", "start", &run, "--wait", "--json"];
    let mut waiting = shell.command(&words).stdout(Stdio::piped()).stderr(Stdio::piped()).spawn().unwrap();
    let began = Instant::now();
    while shell.values(&["bulk", "show", &run])[0]["state"] != "running" {
        if waiting.try_wait().unwrap().is_some() || began.elapsed() > TIMEOUT {
            drop(waiting.kill());
            panic!("the run does not begin: {:?}", waiting.wait_with_output().unwrap());
        }
    }

    shell.values(&["bulk", "abort", &run, "--reason", "no"]);

    let ended = waiting.wait_with_output().unwrap();
    assert_eq!(ended.status.code(), Some(3), "{ended:?}");
    assert_eq!(serde_json::from_slice::<Value>(&ended.stdout).unwrap()["state"], "aborted");
    assert_eq!(serde_json::from_slice::<Value>(&ended.stderr).unwrap()["code"], "wrong_state");
}

#[tokio::test(flavor = "multi_thread")]
async fn a_bulk_cancel_spares_what_started_unless_running_jobs_are_named() {
    let shell = Shell::new().await;
    given(&shell, 1);
    for (words, spares) in [
        (&["bulk", "freeze", "cancel"][..], true),
        (&["bulk", "freeze", "cancel", "--state", "delayed"], true),
        (&["bulk", "freeze", "cancel", "--state", "delayed", "--state", "active"], false),
    ] {
        assert_eq!(shell.values(words)[0]["spares_started"], json!(spares), "{words:?}");
    }
}

#[tokio::test(flavor = "multi_thread")]
async fn a_bulk_run_that_cannot_be_made_changes_nothing() {
    let shell = Shell::new().await;
    given(&shell, 1);
    for (words, end) in [
        (&["bulk", "freeze", "explode"][..], 2),
        (&["bulk", "freeze", "reschedule"], 2),
        (&["bulk", "freeze", "reschedule", "--to", "tomorrow"], 2),
        (&["bulk", "freeze", "reschedule", "--to", "2030-01-01T00:00:00Z", "--shift-ms", "1"], 2),
        (&["bulk", "freeze", "cancel", "--due-from", "soon"], 2),
        (&["bulk", "freeze", "cancel", "--spread", "soon"], 2),
        (&["bulk", "freeze", "cancel", "--drip"], 2),
        (&["bulk", "freeze", "cancel", "--rate", "0"], 2),
        (&["bulk", "freeze", "cancel", "--state", "done"], 2),
        (&["bulk", "freeze", "cancel", "--queue", "a{b"], 2),
        (&["bulk", "show", "nobody"], 4),
        (&["bulk", "start", "nobody"], 4),
        (&["bulk", "abort", "nobody"], 4),
        (&["bulk", "undo", "nobody"], 4),
    ] {
        let output = shell.run(words);
        let said = String::from_utf8_lossy(&output.stderr).into_owned();
        assert_eq!(output.status.code(), Some(end), "{words:?}: {said}");
    }
    assert_eq!(shell.values(&["bulk", "list"]), Vec::<Value>::new());
    let frozen = run_of(&shell.values(&["bulk", "freeze", "cancel"]));
    assert_eq!(shell.values(&["bulk", "abort", &frozen, "--reason", "no"])[0]["state"], "aborted");
    assert_eq!(shell.values(&["job", "j1"])[0]["state"], "delayed");
}
