//! What the words of a command line are taken for, and whose they are.

use super::Shell;
use serde_json::json;

#[tokio::test(flavor = "multi_thread")]
async fn an_option_that_is_none_is_not_advised_to_be_taken_for_a_queue() {
    let shell = Shell::new().await;
    let output = shell.run(&["pause", "mail", "--for", "1h"]);
    let said = String::from_utf8(output.stderr).unwrap();
    assert_eq!(output.status.code(), Some(2));
    assert!(said.contains("'--for'") && !said.contains("-- --for"), "{said}");
    assert!(shell.values(&["queues"]).is_empty());
}

#[tokio::test(flavor = "multi_thread")]
async fn a_rate_is_read_as_people_write_it() {
    let shell = Shell::new().await;
    for (rate, per_ms) in [("10/s", 1_000), ("10/1s", 1_000), ("10/min", 60_000), ("10/90s", 90_000)] {
        let limits = &shell.values(&["limit", "mail", "--rate", rate])[0];
        assert_eq!(limits["limits"]["rate"], json!({ "jobs": 10, "per_ms": per_ms }), "{rate}: {limits}");
    }
    assert_eq!(shell.says(&["limit", "mail", "--rate", "10/soon"]).0, 2);
}

#[tokio::test(flavor = "multi_thread")]
async fn an_act_is_of_who_used_sudo_else_of_the_user_and_never_of_nobody() {
    let shell = Shell::new().await;
    let acts = |names: &[(&str, &str)]| {
        let mut command = shell.command(&["pause", "mail"]);
        command.env_remove("USER").env_remove("LOGNAME").envs(names.iter().copied());
        assert!(command.status().unwrap().success());
        shell.run(&["resume", "mail"]);
        let acts = shell.values(&["audit", "list", "--act", "pause", "--limit", "1"]);
        acts[0]["by"].as_str().unwrap().to_owned()
    };
    assert_eq!(acts(&[("SUDO_USER", "ann"), ("USER", "reprieve")]), "cli:ann");
    assert_eq!(acts(&[("LOGNAME", "ben")]), "cli:ben");
    let own = std::process::Command::new("id").arg("--user").arg("--name").output().unwrap();
    assert_eq!(acts(&[]), format!("cli:{}", String::from_utf8(own.stdout).unwrap().trim()));
}
