//! What the doctor says of a user with fewer rights than are needed, and of what former versions left behind.

use super::Shell;
use serde_json::Value;
use std::process::Output;

/// A user of the shell's Redis with the rights of `reprieve acl` and that change, and the address it is reached by.
async fn user(shell: &Shell, name: &str, change: &[&str]) -> String {
    let recipe = shell.values(&["acl", "--user", name])[0]["command"].as_str().unwrap().to_owned();
    let words: Vec<&str> = recipe.split(' ').chain(change.iter().copied()).collect();
    shell.redis.command(&words).await.unwrap();
    format!("{}&user={name}&pass=password", shell.redis.url())
}

#[tokio::test(flavor = "multi_thread")]
async fn the_rights_reach_the_places_of_sinks_and_importers_too() {
    let (shell, folder) = (Shell::new().await, tempfile::tempdir().unwrap());
    let file = folder.path().join("reprieve.toml");
    let text = r#"
        [[sink]]
        name = "orders"
        type = "stream"
        queues = ["mail"]
        stream = "orders:{}"
        group = "workers"
        reply = "replies:{}"

        [[sink]]
        name = "gophers"
        type = "asynq"
        queues = ["sms"]
        asynq_queue = "sms"

        [[import]]
        name = "old"
        format = "zset"
        key = "due"
        kind = "notice"
    "#;
    std::fs::write(&file, text).unwrap();
    let said = &shell.values(&["acl", "--config", file.to_str().unwrap()])[0];
    let command = said["command"].as_str().unwrap();
    let journal = format!("~reprieve-import:{}:*", shell.redis.name());
    for right in ["~orders:{*}", "~replies:{*}", "~asynq:*", "&asynq:cancel", "+publish", "~due", &journal] {
        assert!(command.split(' ').any(|word| word == right), "{right} is not in {command}");
    }
    // Redis takes it as it is.
    shell.redis.command(&command.split(' ').collect::<Vec<_>>()).await.unwrap();
    assert!(!shell.values(&["acl"])[0]["command"].as_str().unwrap().contains("asynq"));
}

#[tokio::test(flavor = "multi_thread")]
async fn the_rights_reach_every_namespace_that_the_program_shows() {
    let (shell, folder) = (Shell::new().await, tempfile::tempdir().unwrap());
    let main = shell.redis.name().as_str();
    let reaches = |words: &[&str], names: &[&str]| {
        let command = shell.values(words)[0]["command"].as_str().unwrap().to_owned();
        for name in names {
            for right in [format!("~reprieve:{{{name}}}:*"), format!("~reprieve:{{{name}.*}}:*")] {
                assert!(command.split(' ').any(|word| word == right), "{right} is not in {command}");
            }
        }
        command
    };

    let named = reaches(&["acl", "--namespace", "shop,billing"], &["shop", "billing"]);
    let file = folder.path().join("reprieve.toml");
    std::fs::write(&file, "[[namespaces]]\nname = \"billing\"\n").unwrap();
    reaches(&["acl", "--config", file.to_str().unwrap()], &[main, "billing"]);

    // Redis takes it as it is.
    shell.redis.command(&named.split(' ').collect::<Vec<_>>()).await.unwrap();
    assert!(!reaches(&["acl"], &[main]).contains("billing"));
    let (code, _) = shell.says(&["jobs", "--namespace", "shop,billing"]);
    assert_eq!(code, 2, "a verb acts in one");
}

/// What those words answer at an address with a password, which no command line may hold.
fn at(shell: &Shell, words: &[&str], address: &str) -> Output {
    shell.command(words).env("REPRIEVE_REDIS", address).output().unwrap()
}

/// What the doctor finds under that title.
fn finding(shell: &Shell, address: &str, title: &str) -> Value {
    let output = at(shell, &["doctor", "--json"], address);
    let text = String::from_utf8(output.stdout).unwrap();
    let mut findings = text.lines().map(|line| serde_json::from_str::<Value>(line).unwrap());
    findings.find(|finding| finding["what"] == title).unwrap_or_else(|| panic!("nothing on {title}: {text}"))
}

#[tokio::test(flavor = "multi_thread")]
async fn the_doctor_names_each_right_that_is_missing_and_the_command_that_gives_it() {
    let shell = Shell::new().await;
    let whole = user(&shell, "whole", &[]).await;
    assert_eq!(finding(&shell, &whole, "rights")["verdict"], "good");

    let poor = user(&shell, "poor", &["-xadd", "-function|load"]).await;
    let said = finding(&shell, &poor, "rights");
    assert_eq!(
        (&said["verdict"], &said["found"]),
        (&"wrong".into(), &"poor lacks +xadd +function|load".into())
    );
    let advice = said["advice"].as_str().unwrap();
    assert!(advice.starts_with("ACL SETUSER poor +xadd +function|load "), "{advice}");

    let stranger = user(&shell, "stranger", &["resetkeys"]).await;
    let namespace = shell.redis.name();
    let said = finding(&shell, &stranger, "rights");
    assert_eq!(said["found"], format!("stranger lacks ~reprieve:{{{namespace}}}:*"));
    assert_eq!(finding(&shell, &stranger, "reading")["verdict"], "wrong");
}

#[tokio::test(flavor = "multi_thread")]
async fn what_the_doctor_advises_is_enough() {
    let shell = Shell::new().await;
    let address =
        user(&shell, "mended", &["resetkeys", "-@all", "+acl|whoami", "+acl|dryrun", "+ping", "+select"])
            .await;
    // Rights that it may not ask about are told once it may.
    for _ in 0..3 {
        let said = finding(&shell, &address, "rights");
        let Some(advice) = said["advice"].as_str() else { break };
        let command = advice.split(" grants them").next().unwrap();
        shell.redis.command(&command.split(' ').collect::<Vec<_>>()).await.unwrap();
    }
    let said = finding(&shell, &address, "rights");
    assert_eq!(said["verdict"], "good", "{said}");
    let output = at(&shell, &["enqueue", "k"], &address);
    assert!(output.status.success(), "{}", String::from_utf8_lossy(&output.stderr));
}

#[tokio::test(flavor = "multi_thread")]
async fn a_right_that_is_missing_is_not_taken_for_a_damaged_key() {
    let shell = Shell::new().await;
    let address = user(&shell, "uncalled", &["-fcall"]).await;
    let said = finding(&shell, &address, "namespace");
    assert!(said["found"].as_str().unwrap().contains("reprieve acl"), "{said}");
    assert!(!said["advice"].as_str().unwrap().contains("damaged"), "{said}");
}

#[tokio::test(flavor = "multi_thread")]
async fn libraries_of_former_versions_are_named_with_the_way_to_be_rid_of_them() {
    let shell = Shell::new().await;
    let name = "reprieve_00000000000000ff";
    let text = format!("#!lua name={name}\nredis.register_function('{name}_f', function() return 1 end)");
    shell.redis.command(&["FUNCTION", "LOAD", "REPLACE", &text]).await.unwrap();
    let said = finding(&shell, shell.redis.url(), "functions");
    assert_eq!(said["verdict"], "look");
    assert!(said["found"].as_str().unwrap().contains(name), "{said}");
    let advice = said["advice"].as_str().unwrap();
    let command = advice.split("redis-cli ").nth(1).unwrap();

    shell.redis.command(&command.split(' ').collect::<Vec<_>>()).await.unwrap();

    assert_eq!(finding(&shell, shell.redis.url(), "functions")["verdict"], "good");
}
