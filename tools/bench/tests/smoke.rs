//! Every driver works: a run with tiny numbers, whose figures nobody looks at.

use std::process::{Command, Stdio};

#[test]
#[ignore = "`cargo xtask nightly features` runs it"]
fn every_competitor_that_is_here_can_be_measured() {
    let directory = tempfile::tempdir().unwrap();
    let json = directory.path().join("figures.json");

    let status = Command::new(env!("CARGO_BIN_EXE_reprieve-bench"))
        .args(["--tiny", "--only", "enqueue,process,cancel,memory,durability,herd", "--json"])
        .arg(&json)
        .stdout(Stdio::null())
        .status()
        .unwrap();

    assert!(status.success());
    let report: serde_json::Value = serde_json::from_str(&std::fs::read_to_string(&json).unwrap()).unwrap();
    let figures = report["figures"].as_array().unwrap();
    for scheme in ["reprieve", "limit", "poll", "locked", "watch", "expiry", "stream", "list", "delayq"] {
        for measure in ["enqueue", "process", "cancel", "memory", "herd"] {
            let measured =
                figures.iter().any(|figure| figure["competitor"] == scheme && figure["measure"] == measure);
            // The scheme that loses what falls due while nobody listens has nothing to process afterwards.
            let loses = scheme == "expiry" && matches!(measure, "process" | "herd");
            assert!(measured || loses, "{scheme} was not measured: {measure}");
        }
    }
    let remarks = report["remarks"].as_array().unwrap();
    let failed = remarks.iter().find(|remark| remark["text"].as_str().unwrap().starts_with("failed"));
    assert_eq!(failed, None, "somebody failed");
}
