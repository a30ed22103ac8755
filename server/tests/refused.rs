//! What the program does not start on, and does not wait for.

use crate::support::{Running, directory, eventually, run};
use reprieve::testing::RedisServer;
use std::fs;
use std::os::unix::fs::PermissionsExt;
use std::path::{Path, PathBuf};

#[tokio::test]
async fn a_redis_that_refuses_the_password_is_not_waited_for() {
    let directory = directory();
    let redis = RedisServer::start().unwrap();
    let client = redis::Client::open(redis.url()).unwrap();
    let mut connection = client.get_multiplexed_async_connection().await.unwrap();
    let set =
        redis::cmd("CONFIG").arg(&["SET", "requirepass", "correct-horse"]).exec_async(&mut connection).await;
    set.unwrap();
    for user in ["", "?pass=canary", "?user=nobody&pass=canary"] {
        let url = format!("{}{user}", redis.url());
        fs::write(directory.path().join("address"), url).unwrap();
        fs::write(directory.path().join("reprieve.toml"), "redis_file = \"address\"").unwrap();
        let (status, said) = run(&["serve", "--login", "off", "--listen", "127.0.0.1:0"], directory.path());

        assert_eq!(status.code(), Some(1), "{said}");
        let what =
            if user.is_empty() { "none was sent" } else { "refused the user or password that was sent" };
        assert!(said.contains(what) && said.contains("address"), "{said}");
        assert!(!said.contains("canary"), "no password is told: {said}");
        let mut doctor = std::process::Command::new(crate::support::program());
        let told = doctor.arg("doctor").current_dir(directory.path()).output().unwrap().stdout;
        let told = String::from_utf8(told).unwrap();
        assert!(told.contains(what) && !told.contains("look whether a Redis listens"), "{told}");
        assert!(!told.contains("canary"), "{told}");
    }
}

/// The program in an environment of its own.
fn program_under(environment: &str, directory: &Path) -> PathBuf {
    let path = directory.join("program");
    let script = format!("#!/bin/sh\n{environment}\nexec '{}' \"$@\"\n", crate::support::program());
    fs::write(&path, script).unwrap();
    fs::set_permissions(&path, PermissionsExt::from_mode(0o755)).unwrap();
    path
}

#[test]
fn a_machine_without_certificates_of_authorities_lacks_nothing_but_https() {
    let directory = directory();
    let program = program_under("unset SSL_CERT_DIR; export SSL_CERT_FILE=/nonexistent", directory.path());
    let running = Running::start_as(
        &program,
        &directory.path().join("data"),
        &["--webhook", "k=https://127.0.0.1:1/", "--webhook-allow-private"],
    );
    eventually("ready", || (running.get("/readyz").0 == 200).then_some(()));
    let warned = running.log.try_iter().find(|line| line.contains("webhooks cannot be reached by https"));
    assert!(warned.is_some_and(|line| line.contains("ca-certificates") && line.contains("SSL_CERT_FILE")));
    assert!(running.terminate().success());
}

#[test]
fn a_proxy_that_other_programs_use_is_said_not_to_be_used() {
    let directory = directory();
    let program = program_under("export HTTPS_PROXY=http://127.0.0.1:3128", directory.path());
    let more = ["--webhook", "k=https://127.0.0.1:1/", "--webhook-allow-private"];
    let running = Running::start_as(&program, &directory.path().join("data"), &more);
    let warned = running.log.try_iter().find(|line| line.contains("HTTPS_PROXY"));
    assert!(warned.is_some_and(|line| line.contains("outgoing_proxy")));
    assert!(running.terminate().success());
}

#[test]
fn a_server_without_functions_is_refused_at_the_start() {
    let directory = directory();
    let redis = RedisServer::start_with(&["--rename-command", "FUNCTION", ""]).unwrap();
    let address = ["--redis", redis.url()];
    let on = [&["serve", "--login", "off", "--listen", "127.0.0.1:0"][..], &address].concat();
    let (status, said) = run(&on, directory.path());
    assert_eq!(status.code(), Some(1), "{said}");
    assert!(said.contains("no command FUNCTION") && !said.contains("unavailable"), "{said}");

    let (is_well, told) = doctor(&address);
    assert!(!is_well && told.contains("wrong   commands: this server has no FUNCTION"), "{told}");
    assert!(told.contains("no command FUNCTION") && !told.contains("damaged keys"), "{told}");
}

/// Whether the doctor finds nothing wrong, and what it says.
fn doctor(options: &[&str]) -> (bool, String) {
    let output = std::process::Command::new(crate::support::program()).arg("doctor").args(options).output();
    let output = output.unwrap();
    (output.status.success(), String::from_utf8(output.stdout).unwrap())
}

#[test]
fn a_server_without_fcall_is_said_to_have_none() {
    let redis = RedisServer::start_with(&["--rename-command", "FCALL", ""]).unwrap();
    let (is_well, told) = doctor(&["--redis", redis.url()]);
    assert!(!is_well && told.contains("wrong   commands: this server has no FCALL"), "{told}");
    assert!(!told.contains("damaged keys"), "{told}");
}

/// As a managed service that has neither.
const NEITHER: [&str; 8] =
    ["--appendonly", "yes", "--rename-command", "CONFIG", "", "--rename-command", "WAIT", ""];

#[test]
fn a_server_without_wait_cannot_confirm_and_is_refused_before_anything_starts_if_it_should() {
    let directory = directory();
    let redis = RedisServer::start_with(&NEITHER).unwrap();
    let confirming = ["--redis", redis.url(), "--confirm-replicas", "1"];
    let on = [&["serve", "--login", "off", "--listen", "127.0.0.1:0"][..], &confirming].concat();
    let (status, said) = run(&on, directory.path());
    assert_eq!(status.code(), Some(1), "{said}");
    assert!(said.contains("no command WAIT, which confirm_replicas needs"), "{said}");

    fs::write(directory.path().join("reprieve.toml"), "confirm_replicas = 1\n").unwrap();
    let config = directory.path().join("reprieve.toml");
    let (is_well, told) = doctor(&["--redis", redis.url(), "--config", config.to_str().unwrap()]);
    assert!(!is_well && told.contains("which confirm_replicas needs"), "{told}");
}

/// Without `CONFIG` nothing is missing but what it would tell.
#[test]
fn a_server_without_config_and_wait_is_taken_and_said_to_have_neither() {
    let directory = directory();
    let redis = RedisServer::start_with(&NEITHER).unwrap();
    let (is_well, told) = doctor(&["--redis", redis.url()]);
    assert!(is_well && told.contains("look    commands: this server has no CONFIG, WAIT"), "{told}");
    assert!(told.contains("may use every command"), "{told}");
    let running = Running::start(&directory.path().join("data"), &["--redis", redis.url()]);
    eventually("ready", || (running.get("/readyz").0 == 200).then_some(()));
    assert!(running.terminate().success());
}

#[tokio::test]
async fn a_start_that_a_missing_right_ends_says_which_and_does_not_panic() {
    let directory = directory();
    let redis = RedisServer::start().unwrap();
    let client = redis::Client::open(redis.url()).unwrap();
    let mut connection = client.get_multiplexed_async_connection().await.unwrap();
    let recipe = reprieve::acl_recipe("poor", &reprieve::model::Namespace::default());
    for right in ["zadd", "set", "type", "zrange"] {
        let recipe = recipe.replacen(" on ", " reset on ", 1);
        let mut command = redis::cmd("ACL");
        for word in recipe.split(' ').skip(1) {
            command.arg(word);
        }
        command.arg(format!("-{right}")).exec_async(&mut connection).await.unwrap();
        let file = format!("redis = \"{}?user=poor&pass=password\"\n", redis.url());
        fs::write(directory.path().join("reprieve.toml"), file).unwrap();
        let hook = ["--webhook", "k=http://127.0.0.1:1/", "--webhook-allow-private"];
        let on = [&["serve", "--login", "off", "--listen", "127.0.0.1:0"][..], &hook].concat();

        let (status, said) = run(&on, directory.path());

        assert_eq!(status.code(), Some(1), "{right}: {said}");
        assert!(said.contains(&format!("+{right};")), "{right}: {said}");
        assert!(said.contains("`reprieve acl`") && !said.contains("panicked"), "{right}: {said}");
    }
}

#[test]
fn a_password_that_is_not_encoded_is_a_mistake_and_no_part_of_it_is_told() {
    let directory = directory();
    for address in [
        "redis://Abc#canary@127.0.0.1:6379",
        "redis://user:54321/canary@127.0.0.1/0",
        "redis://:canary?x@127.0.0.1",
        "rediss://:can%ary@127.0.0.1",
        "redis+cluster://:can/ary@127.0.0.1:1,127.0.0.1:2",
        "redis+sentinel://:can#ary@127.0.0.1:1/name",
    ] {
        for verb in ["doctor", "jobs", "serve"] {
            let output = std::process::Command::new(crate::support::program())
                .arg(verb)
                .env("REPRIEVE_REDIS", address)
                .current_dir(directory.path())
                .output()
                .unwrap();
            let told = format!(
                "{}{}",
                String::from_utf8_lossy(&output.stdout),
                String::from_utf8_lossy(&output.stderr)
            );
            assert_eq!(output.status.code(), Some(2), "{verb} {address}: {told}");
            assert!(told.contains("percent-encode"), "{verb} {address}: {told}");
            for part in ["canary", "can%ary", "can/ary", "can#ary", "54321", "Abc"] {
                assert!(!told.contains(part), "{verb} {address}: {told}");
            }
        }
    }
}
