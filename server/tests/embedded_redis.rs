//! The embedded Redis as the operating system sees it: whose child it is, what it opens, when it ends.

use crate::support::{Running, directory, eventually, get, post_json, redis_of, run, signal};
use std::fs;
use std::net::TcpListener;
use std::os::unix::fs::PermissionsExt;
use std::path::Path;
use std::time::Instant;

#[test]
fn a_killed_program_leaves_no_redis_behind() {
    for round in 0..3 {
        let directory = directory();
        let data = directory.path().join("data");
        let running = Running::start(&data, &[]);
        let redis = running.redis().unwrap();

        running.kill();

        eventually(&format!("the end of redis {redis}, round {round}"), || {
            redis_of(&data).is_none().then_some(())
        });
    }
}

#[test]
fn a_program_started_right_after_a_kill_takes_over() {
    let directory = directory();
    let data = directory.path().join("data");
    Running::start(&data, &[]).kill();

    let second = Running::start(&data, &[]);

    eventually("ready", || (second.get("/readyz").0 == 200).then_some(()));
}

#[test]
fn a_second_program_on_the_same_data_is_refused_by_the_name_of_the_first() {
    let directory = directory();
    let data = directory.path().join("data");
    let first = Running::start(&data, &[]);

    let (status, said) = run(
        &["serve", "--login", "off", "--listen", "127.0.0.1:0", "--data", data.to_str().unwrap()],
        directory.path(),
    );

    assert!(!status.success());
    assert!(said.contains(&format!("in use by process {}", first.pid())), "{said}");
    eventually("the first is not disturbed", || (first.get("/readyz").0 == 200).then_some(()));
}

#[test]
fn a_program_that_cannot_start_leaves_a_demos_data_a_demos_and_one_that_runs_keeps_it() {
    let directory = directory();
    let data = directory.path().join("data");
    fs::create_dir_all(&data).unwrap();
    fs::write(data.join("demo"), "thrown away every day\n").unwrap();
    let taken = TcpListener::bind("127.0.0.1:0").unwrap();
    let address = taken.local_addr().unwrap().to_string();
    let on = ["--listen", &address, "--data", data.to_str().unwrap()];
    let (status, said) = run(&[&["serve", "--login", "off"][..], &on].concat(), directory.path());
    assert!(!status.success() && said.contains("is taken"), "{said}");
    assert!(data.join("demo").exists());

    let running = Running::start(&data, &[]);
    assert!(!data.join("demo").exists());
    assert!(running.terminate().success());

    let on = ["demo", "--listen", "127.0.0.1:0", "--data", data.to_str().unwrap()];
    let (status, said) = run(&on, directory.path());
    assert!(!status.success() && said.contains("is not a demo's"), "{said}");
}

#[test]
fn a_killed_redis_comes_back_while_the_dashboard_stays_up() {
    let directory = directory();
    let running = Running::start(&directory.path().join("data"), &[]);
    for _ in 0..3 {
        let redis = eventually("a redis", || running.redis());

        signal(redis, "KILL");

        eventually("ready again with another redis", || {
            assert_eq!(running.get("/healthz").0, 200, "the dashboard answers meanwhile");
            let other = running.redis().is_some_and(|pid| pid != redis);
            (other && running.get("/readyz").0 == 200).then_some(())
        });
    }
}

#[test]
fn after_more_than_five_deaths_in_a_minute_it_is_left_alone_and_says_so() {
    let directory = directory();
    let running = Running::start(&directory.path().join("data"), &[]);
    for _ in 0..6 {
        let redis = eventually("a redis", || running.redis());
        signal(redis, "KILL");
        eventually("its end", || (running.redis() != Some(redis)).then_some(()));
    }

    eventually("the explanation", || {
        running.log.try_iter().any(|line| line.contains("died 6 times within a minute")).then_some(())
    });
    assert_eq!(running.redis(), None);
    assert_eq!((running.get("/healthz").0, running.get("/readyz").0), (200, 503));
    assert!(running.terminate().success(), "it still stops in order");
}

/// Runs for so many ms, as a careless script of somebody else.
const LOOP: &str = "local t = redis.call('TIME') local start = t[1] * 1000 + t[2] / 1000
repeat t = redis.call('TIME') until t[1] * 1000 + t[2] / 1000 - start > tonumber(ARGV[1]) return 1";

/// Longer than anything here is waited for. What has been seen of it by then ends it.
const LONG_MS: u32 = 60_000;

#[test]
fn a_redis_that_runs_something_long_is_said_to_be_busy_and_loses_nothing() {
    let directory = directory();
    let data = directory.path().join("data");
    let running = Running::start(&data, &[]);
    let jobs: Vec<String> =
        (0..20).map(|n| format!(r#"{{"kind":"k","id":"job-{n}","delay_ms":600000}}"#)).collect();
    post_json(running.address, "/api/v1/jobs", &format!("[{}]", jobs.join(",")));
    let began = Instant::now();
    let client = redis::Client::open(format!("unix://{}", data.join("redis.sock").display())).unwrap();
    // Made before: whoever comes to a busy Redis is not greeted.
    let (mut connection, mut beside) = (client.get_connection().unwrap(), client.get_connection().unwrap());
    let looping = std::thread::spawn(move || {
        redis::cmd("EVAL").arg(LOOP).arg(0).arg(LONG_MS).query::<i32>(&mut connection)
    });

    eventually("the page that says so", || {
        let asked = Instant::now();
        let (status, page) = running.get("/jobs/delay");
        println!("{status} after {:?}", asked.elapsed());
        let says = status == 503 && page.contains("Redis is busy");
        assert!(says || !looping.is_finished(), "the script is over and the page has not said so");
        says.then_some(())
    });
    assert_eq!((running.get("/healthz").0, running.get("/readyz").0), (200, 503));
    redis::cmd("SCRIPT").arg("KILL").exec(&mut beside).unwrap();
    assert!(looping.join().unwrap().is_err(), "it ran until it was ended");

    eventually("the jobs again", || {
        let (status, page) = running.get("/jobs/delay");
        (status == 200 && page.contains("job-19")).then_some(())
    });
    println!("there again {:?} after it began", began.elapsed());
    eventually("ready", || (running.get("/readyz").0 == 200).then_some(()));
    let (_, told) = running.get("/api/v1/queues");
    assert!(told.contains("\"delayed\":20"), "{told}");
}

#[test]
fn it_opens_no_port_and_only_its_owner_reaches_it() {
    let directory = directory();
    let data = directory.path().join("data");
    let running = Running::start(&data, &[]);
    let redis = running.redis().unwrap();

    let mode = |path: &Path| path.symlink_metadata().unwrap().permissions().mode() & 0o777;
    assert_eq!((mode(&data), mode(&data.join("redis"))), (0o700, 0o700));
    assert_eq!((mode(&data.join("redis.sock")), mode(&data.join("lock"))), (0o600, 0o600));
    assert_eq!(tcp_sockets_of(redis), 0);
    // The lock file of the server is the server's: that is how a leftover one is noticed.
    let holds_lock = fs::read_dir(format!("/proc/{redis}/fd"))
        .unwrap()
        .flatten()
        .any(|fd| fs::read_link(fd.path()).is_ok_and(|target| target.ends_with("redis.lock")));
    assert!(holds_lock);
}

#[test]
fn our_settings_do_not_reach_its_environment() {
    let directory = directory();
    let data = directory.path().join("data");
    let secret = directory.path().join("secret");
    fs::write(&secret, "whsec_Y2FuYXJ5Y2FuYXJ5Y2FuYXJ5Y2FuYXJ5Y2FuYXJ5").unwrap();
    let running = Running::start(&data, &["--config", config_with_secret(directory.path(), &secret)]);
    let redis = running.redis().unwrap();

    for file in ["environ", "cmdline"] {
        let content = fs::read(format!("/proc/{redis}/{file}")).unwrap();
        let content = String::from_utf8_lossy(&content).into_owned();
        assert!(!content.contains("Y2FuYXJ5") && !content.contains("REPRIEVE_"), "{content}");
    }
    let log: Vec<String> = running.log.try_iter().collect();
    assert!(!log.join("\n").contains("Y2FuYXJ5"), "{log:?}");
}

#[test]
fn a_damaged_file_is_explained_with_the_command_that_repairs_it() {
    let directory = directory();
    let data = directory.path().join("data");
    let running = Running::start(&data, &[]);
    let address = running.address;
    let jobs: Vec<String> = (0..50)
        .map(|n| format!(r#"{{"kind":"k","id":"job-{n}","payload":{n},"delay_ms":600000}}"#))
        .collect();
    post_json(address, "/api/v1/jobs", &format!("[{}]", jobs.join(",")));
    assert!(running.terminate().success());
    let file = fs::read_dir(data.join("redis/appendonlydir"))
        .unwrap()
        .flatten()
        .map(|entry| entry.path())
        .find(|path| path.to_string_lossy().ends_with(".incr.aof"))
        .unwrap();
    let mut content = fs::read(&file).unwrap();
    // The head of a command: zeros inside a value would only be another value.
    let middle = content.len() / 2;
    let head = middle + content[middle..].windows(3).position(|three| three == b"\r\n*").unwrap();
    content[head..head + 8].fill(0);
    fs::write(&file, &content).unwrap();

    let (status, said) = run(
        &["serve", "--login", "off", "--listen", "127.0.0.1:0", "--data", data.to_str().unwrap()],
        directory.path(),
    );

    assert!(!status.success());
    assert!(said.contains("damaged") && said.contains("redis-check-aof --fix"), "{said}");
    assert!(said.contains(file.to_str().unwrap()), "it names the file: {said}");
    assert_eq!(fs::read(&file).unwrap(), content, "nothing was changed");
}

#[test]
fn a_snapshot_that_would_not_be_read_is_refused_with_what_to_do() {
    let directory = directory();
    let data = directory.path().join("data");
    assert!(Running::start(&data, &[]).terminate().success());
    let appended = data.join("redis/appendonlydir");
    fs::write(data.join("redis/dump.rdb"), "REDIS0011").unwrap();
    assert!(
        Running::start(&data, &[]).terminate().success(),
        "beside append-only files it is nobody's matter"
    );
    fs::remove_dir_all(&appended).unwrap();

    let (status, said) = run(
        &["serve", "--login", "off", "--listen", "127.0.0.1:0", "--data", data.to_str().unwrap()],
        directory.path(),
    );

    assert!(!status.success());
    assert!(said.contains("dump.rdb is a snapshot") && said.contains("Backup"), "{said}");
    assert!(!appended.exists() && data.join("redis/dump.rdb").exists(), "nothing was changed");
}

#[test]
fn a_missing_program_is_told_in_one_sentence_with_the_command() {
    let directory = directory();
    let output = std::process::Command::new(crate::support::program())
        .args(["serve", "--login", "off", "--listen", "127.0.0.1:0", "--data", "data"])
        .env("PATH", directory.path())
        .current_dir(directory.path())
        .output()
        .unwrap();

    let said = String::from_utf8_lossy(&output.stderr).into_owned();
    assert!(!output.status.success());
    assert!(said.contains("no redis-server or valkey-server found; install one with"), "{said}");
    assert_eq!(said.trim().lines().count(), 1, "{said}");
}

#[test]
fn a_signal_ends_program_and_redis_in_order() {
    for name in ["TERM", "INT"] {
        let directory = directory();
        let data = directory.path().join("data");
        let running = Running::start(&data, &[]);
        signal(running.pid(), name);

        eventually("both are gone", || {
            let gone = redis_of(&data).is_none() && get(running.address, "/healthz").is_err();
            gone.then_some(())
        });
        let socket_left = data.join("redis.sock").exists();
        assert!(!socket_left, "redis ended by itself and tidied up");
    }
}

#[test]
fn it_lives_on_when_nobody_reads_what_it_prints() {
    let directory = directory();
    let data = directory.path().join("data");
    // `start` stops reading after the line with the address, in the middle of the greeting.
    let mut running = Running::start(&data, &[]);
    running.log = std::sync::mpsc::channel().1;
    signal(running.redis().unwrap(), "KILL");

    eventually("ready after a death that was logged to nobody", || {
        (running.redis().is_some() && running.get("/readyz").0 == 200).then_some(())
    });
    assert!(running.terminate().success());
}

fn config_with_secret(directory: &Path, secret: &Path) -> &'static str {
    let text = format!(
        "[[webhook]]\nkind = \"mail.*\"\nurl = \"https://example.com/hook\"\nsecret_file = \"{}\"\n",
        secret.display()
    );
    fs::write(directory.join("given.toml"), text).unwrap();
    "given.toml"
}

/// Sockets of the process that are in the kernel's tables for TCP.
fn tcp_sockets_of(pid: u32) -> usize {
    let tables: String = ["tcp", "tcp6", "udp", "udp6"]
        .iter()
        .filter_map(|table| fs::read_to_string(format!("/proc/{pid}/net/{table}")).ok())
        .collect();
    let open: Vec<String> = tables
        .lines()
        .filter_map(|line| line.split_whitespace().nth(9).map(|inode| format!("socket:[{inode}]")))
        .collect();
    fs::read_dir(format!("/proc/{pid}/fd"))
        .unwrap()
        .flatten()
        .filter_map(|fd| fs::read_link(fd.path()).ok())
        .filter(|target| open.iter().any(|socket| target.as_os_str() == socket.as_str()))
        .count()
}
