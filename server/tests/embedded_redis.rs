//! The embedded Redis as the operating system sees it: whose child it is, what it opens, when it ends.

use crate::support::{Running, directory, eventually, exchange, get, post_json, redis_of, run, signal};
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
    // It heals by itself: nobody has to act.
    let log: Vec<String> = running.log.try_iter().collect();
    assert!(
        log.iter().any(|line| line.contains("WARN") && line.contains("died and is started again")),
        "{log:#?}"
    );
    assert!(!log.iter().any(|line| line.contains("ERROR")), "{log:#?}");
}

#[test]
fn a_token_that_is_not_good_stands_in_the_log_with_where_it_came_from() {
    let directory = directory();
    let running = Running::start(&directory.path().join("data"), &["--login", "required"]);
    let address = running.address;
    let request = format!(
        "GET /api/v1/queues HTTP/1.1\r\nHost: {address}\r\nAuthorization: Bearer none\r\nConnection: close\r\n\r\n"
    );

    let (status, answer) = exchange(address, &request).unwrap();

    assert_eq!(status, 401, "{answer}");
    let is_its = |line: &String| line.contains("a token that is not good");
    let line = eventually("it is in the log", || running.log.try_iter().find(is_its));
    assert!(line.contains("was sent from 127.0.0.1") && !line.contains("Some("), "{line}");
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
    // Made before: a busy Redis greets no new connection.
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
fn it_takes_no_more_memory_than_it_is_told_and_less_than_there_is_when_it_is_told_nothing() {
    let maxmemory = |settings: &str| {
        let directory = directory();
        let (data, file) = (directory.path().join("data"), directory.path().join("reprieve.toml"));
        fs::write(&file, settings).unwrap();
        let _running = Running::start(&data, &["--config", file.to_str().unwrap()]);
        let client = redis::Client::open(format!("unix://{}/redis.sock", data.display())).unwrap();
        let mut connection = client.get_connection().unwrap();
        let told: Vec<String> =
            redis::cmd("CONFIG").arg("GET").arg("maxmemory").query(&mut connection).unwrap();
        told[1].parse::<u64>().unwrap()
    };

    assert_eq!(maxmemory("redis_maxmemory = \"64mb\""), 64 << 20);
    assert_eq!(maxmemory("redis_maxmemory = \"0\""), 0);
    let machine = fs::read_to_string("/proc/meminfo").unwrap();
    let total = machine.lines().find_map(|line| line.strip_prefix("MemTotal:")).unwrap();
    let total: u64 = total.trim().trim_end_matches(" kB").parse().unwrap();
    let own = maxmemory("");
    assert!(0 < own && own <= total * 1_024 / 4 * 3, "{own} of {total} kB");
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
    assert!(said.contains("damaged") && said.contains("-check-aof --fix"), "{said}");
    assert!(said.contains(file.to_str().unwrap()), "it names the file: {said}");
    assert_eq!(fs::read(&file).unwrap(), content, "nothing was changed");
}

/// The arguments of a start on that data.
fn on(data: &Path) -> Vec<String> {
    let words = ["serve", "--login", "off", "--listen", "127.0.0.1:0", "--data", data.to_str().unwrap()];
    words.map(str::to_owned).to_vec()
}

fn refused(data: &Path, directory: &Path) -> String {
    let words = on(data);
    let (status, said) = run(&words.iter().map(String::as_str).collect::<Vec<_>>(), directory);
    assert!(!status.success(), "{said}");
    said
}

/// The file of the append-only directory whose name ends so.
fn appended(data: &Path, ending: &str) -> std::path::PathBuf {
    let mut entries = fs::read_dir(data.join("redis/appendonlydir")).unwrap().flatten();
    entries.find(|entry| entry.path().to_string_lossy().ends_with(ending)).unwrap().path()
}

#[test]
fn data_of_another_server_is_not_called_damaged() {
    let directory = directory();
    let data = directory.path().join("data");
    assert!(Running::start(&data, &[]).terminate().success());
    let base = appended(&data, ".base.rdb");
    let sound = fs::read(&base).unwrap();
    let (magic, writer) = match sound.starts_with(b"VALKEY") {
        true => (b"REDIS0012", "Redis from 7.4"),
        false => (b"VALKEY080", "Valkey from 9.0"),
    };
    // With what the directory says of it, and as one of an earlier version.
    for note in [true, false] {
        let mut foreign = sound.clone();
        foreign[..9].copy_from_slice(magic);
        fs::write(&base, &foreign).unwrap();
        if !note {
            fs::remove_file(data.join("redis.json")).unwrap();
        }

        let said = refused(&data, directory.path());

        assert!(
            said.contains(&format!("was written by {writer}")) && said.contains("redis_server"),
            "{said}"
        );
        assert!(!said.contains("is damaged") && !said.contains("--fix"), "{said}");
        assert_eq!(fs::read(&base).unwrap(), foreign, "nothing was changed");
    }
    // Broken in the middle or at its beginning, it is none of another server, and nothing that cuts helps.
    let mut overwritten = sound.clone();
    overwritten[..9].fill(b'X');
    for broken in [&sound[..sound.len() / 2], &overwritten] {
        fs::write(&base, broken).unwrap();
        let said = refused(&data, directory.path());
        assert!(!said.contains("--fix") && said.contains("restore the directory from a backup"), "{said}");
    }

    fs::write(&base, &sound).unwrap();
    assert!(Running::start(&data, &[]).terminate().success());
}

/// A server of another version, which is the one on the path.
fn other_version(directory: &Path) -> std::path::PathBuf {
    let path = directory.join("redis-server");
    let folders = std::env::var_os("PATH").unwrap();
    let mut real = std::env::split_paths(&folders).map(|folder| folder.join("redis-server"));
    let real = real.find(|file| file.is_file()).unwrap();
    let script = format!(
        "#!/bin/sh\n[ \"$1\" = --version ] && echo 'Redis server v=7.9.9 sha=0' && exit\nexec {} \"$@\"\n",
        real.display()
    );
    fs::write(&path, script).unwrap();
    fs::set_permissions(&path, fs::Permissions::from_mode(0o755)).unwrap();
    path
}

#[test]
fn the_server_that_wrote_the_data_opens_it_again_and_a_change_is_said() {
    let directory = directory();
    let data = directory.path().join("data");
    let other = other_version(directory.path());
    let config = directory.path().join("other.toml");
    fs::write(&config, format!("redis_server = \"{}\"\n", other.display())).unwrap();
    let with_other = ["--config", config.to_str().unwrap()];
    let said = |running: &Running| {
        eventually("ready", || (running.get("/readyz").0 == 200).then_some(()));
        running.log.try_iter().find(|line| line.contains("was written by"))
    };

    let first = Running::start(&data, &[]);
    assert_eq!(said(&first), None, "it is fresh");
    assert!(first.terminate().success());
    let second = Running::start(&data, &with_other);
    let told = said(&second).expect("another server opens it");
    assert!(told.contains("Redis 7.9.9") && told.contains("copy the directory"), "{told}");
    assert!(second.terminate().success());
    let third = Running::start(&data, &[]);
    assert_eq!(said(&third), None, "the one that wrote it last is found again");
    assert!(fs::read_to_string(data.join("redis.json")).unwrap().contains("7.9.9"));
    assert!(third.terminate().success());
    fs::remove_file(&other).unwrap();
    let fourth = Running::start(&data, &[]);
    assert!(said(&fourth).is_some_and(|told| told.contains("7.9.9")), "it is gone");

    // A cut that another server advises may be a sound end for the one that wrote it.
    assert!(fourth.terminate().success());
}

/// Copies a folder of files and folders.
fn copy(from: &Path, to: &Path) {
    assert!(std::process::Command::new("cp").arg("-r").args([from, to]).status().unwrap().success());
}

/// Every server that `cargo xtask nightly servers` has fetched, with the data of every other one.
#[test]
#[ignore = "needs the servers in REPRIEVE_TEST_SERVERS"]
fn the_data_of_a_server_is_read_whole_by_a_newer_one_and_by_others_or_refused_by_its_name() {
    let folder = std::env::var("REPRIEVE_TEST_SERVERS").unwrap();
    let mut servers: Vec<_> = fs::read_dir(folder).unwrap().map(|entry| entry.unwrap().path()).collect();
    servers.sort();
    assert!(servers.len() > 1, "{servers:?}");
    let name = |server: &Path| server.file_name().unwrap().to_str().unwrap().to_owned();
    let directory = directory();
    let with = |server: &Path| {
        let file = directory.path().join("server.toml");
        fs::write(&file, format!("redis_server = \"{}\"\n", server.join("redis-server").display())).unwrap();
        ["--config".to_owned(), file.to_str().unwrap().to_owned()]
    };
    for writer in &servers {
        let (options, data) = (with(writer), directory.path().join(name(writer)));
        let running = Running::start(&data, &options.each_ref().map(String::as_str));
        post_json(running.address, "/api/v1/jobs", r#"{"id":"a","kind":"k","delay_ms":3600000}"#);
        assert!(running.terminate().success());
    }
    for (index, writer) in servers.iter().enumerate() {
        for (other, reader) in servers.iter().enumerate().filter(|(other, _)| *other != index) {
            let (options, data) = (with(reader), directory.path().join("copy"));
            copy(&directory.path().join(name(writer)), &data);
            let pair = format!("{} by {}", name(writer), name(reader));
            let program = Path::new(crate::support::program());
            match Running::try_start(program, &data, &options.each_ref().map(String::as_str)) {
                Ok(running) => {
                    println!("{pair}: read");
                    eventually("ready", || (running.get("/readyz").0 == 200).then_some(()));
                    assert_eq!(running.get("/api/v1/jobs/a").0, 200, "{pair}");
                    assert!(running.terminate().success());
                }
                Err(said) => {
                    println!("{pair}: refused");
                    let family = if name(writer).starts_with("valkey") { "Valkey" } else { "Redis" };
                    assert!(said.contains(&format!("was written by {family} ")), "{pair}: {said}");
                    assert!(said.contains("that is no damage") && !said.contains("--fix"), "{pair}: {said}");
                    // They are in the order of their versions.
                    let is_newer = name(reader).starts_with(&family.to_lowercase()) && other > index;
                    assert!(!is_newer, "{pair}: {said}");
                }
            }
            fs::remove_dir_all(&data).unwrap();
        }
    }
}

#[test]
fn a_start_on_data_that_is_there_warns_of_no_halt() {
    let directory = directory();
    let data = directory.path().join("data");
    let first = Running::start(&data, &[]);
    post_json(first.address, "/api/v1/jobs", r#"{"kind":"k","delay_ms":600000}"#);
    assert!(first.terminate().success());

    let second = Running::start(&data, &[]);

    // Another server has the data, until everybody has looked at it.
    let told = eventually("jobs to start", || second.log.try_iter().find(|line| line.contains("jobs start")));
    assert!(told.contains("INFO"), "{told}");
    assert!(second.terminate().success());
}

#[test]
fn data_that_does_not_say_which_server_wrote_it_starts_no_jobs_until_a_person_says_so() {
    let directory = directory();
    let data = directory.path().join("data");
    let namespaces = ["--namespace", "default,billing"];
    assert!(Running::start(&data, &namespaces).terminate().success());
    fs::remove_file(data.join("redis.json")).unwrap();

    let running = Running::start(&data, &namespaces);

    eventually("ready", || (running.get("/readyz").0 == 200).then_some(()));
    let told = running.log.try_iter().find(|line| line.contains("does not say which server wrote it"));
    assert!(told.is_some());
    let halts = |running: &Running| {
        ["", "/n/billing"].map(|at| running.get(&format!("{at}/api/v1/halt")).1.contains(r#""restored""#))
    };
    assert_eq!(halts(&running), [true, true]);
    assert!(running.terminate().success());
    let again = Running::start(&data, &namespaces);
    assert_eq!(halts(&again), [true, true], "a restart is no permission");
    for at in ["", "/n/billing"] {
        post_json(again.address, &format!("{at}/api/v1/halt/clear"), r#"{"reason": "looked through"}"#);
    }
    assert_eq!(halts(&again), [false, false]);
    assert!(again.terminate().success());
    let last = Running::start(&data, &namespaces);
    assert_eq!(halts(&last), [false, false]);
    assert!(last.terminate().success());

    // Given: a program that died between its first look at such data and the halt.
    let note = fs::read_to_string(data.join("redis.json")).unwrap();
    assert!(!note.contains("is_restored"), "{note}");
    fs::write(data.join("redis.json"), note.replacen('{', r#"{"is_restored": true,"#, 1)).unwrap();
    let after = Running::start(&data, &namespaces);
    assert_eq!(halts(&after), [true, true]);
    assert!(after.terminate().success());
}

#[test]
fn a_file_that_another_version_wrote_is_not_advised_to_be_cut() {
    let directory = directory();
    let data = directory.path().join("data");
    let running = Running::start(&data, &[]);
    post_json(running.address, "/api/v1/jobs", r#"{"kind":"k","delay_ms":600000}"#);
    assert!(running.terminate().success());
    let note = fs::read_to_string(data.join("redis.json")).unwrap();
    let version = note.split("\"server\": \"").nth(1).unwrap().split('"').next().unwrap().to_owned();
    fs::write(data.join("redis.json"), note.replace(&version, "Redis 99.0.0")).unwrap();
    let file = appended(&data, ".incr.aof");
    let mut content = fs::read(&file).unwrap();
    content.extend(b"*1\r\n$9\r\nNEWERWORD\r\n");
    fs::write(&file, &content).unwrap();

    let said = refused(&data, directory.path());

    assert!(said.contains("was written by Redis 99.0.0") && !said.contains("--fix"), "{said}");
}

#[test]
fn a_verb_finds_a_running_server_whatever_its_environment_is() {
    let directory = directory();
    let data = directory.path().join("d".repeat(120));
    let runtime = directory.path().join("r");
    fs::create_dir(&runtime).unwrap();
    let program = directory.path().join("program");
    let script = format!("#!/bin/sh\nunset XDG_RUNTIME_DIR\nexec '{}' \"$@\"\n", crate::support::program());
    fs::write(&program, script).unwrap();
    fs::set_permissions(&program, fs::Permissions::from_mode(0o755)).unwrap();
    let running = Running::start_as(&program, &data, &[]);

    for verb in ["jobs", "doctor"] {
        let output = std::process::Command::new(crate::support::program())
            .args([verb, "--data", data.to_str().unwrap()])
            .env("XDG_RUNTIME_DIR", &runtime)
            .current_dir(directory.path())
            .output()
            .unwrap();
        let told = String::from_utf8_lossy(&output.stderr).into_owned();
        assert!(!told.contains("no server runs"), "{verb}: {told}");
    }
    assert!(running.terminate().success());
}

#[test]
fn a_data_directory_with_any_sign_in_its_name_is_served() {
    let directory = directory();
    let data = directory.path().join("a #b?c%41 d");
    let running = Running::start(&data, &[]);
    eventually("ready", || (running.get("/readyz").0 == 200).then_some(()));
    let jobs = std::process::Command::new(crate::support::program());
    let status = { jobs }.args(["jobs", "--data", data.to_str().unwrap()]).output().unwrap().status;
    assert!(status.success());
}

#[test]
fn a_locale_of_ours_that_this_machine_does_not_have_does_not_reach_it() {
    let directory = directory();
    // Redis puts its name where its environment was: a program in its place says what it was given.
    let (server, told) = (directory.path().join("server"), directory.path().join("locale"));
    let script = format!("#!/bin/sh\necho \"$LC_ALL\" >> '{}'\nexec redis-server \"$@\"\n", told.display());
    fs::write(&server, script).unwrap();
    let program = directory.path().join("program");
    let script = format!(
        "#!/bin/sh\nexport LC_ALL=xx_XX.UTF-8 REPRIEVE_REDIS_SERVER='{}'\nexec '{}' \"$@\"\n",
        server.display(),
        crate::support::program()
    );
    fs::write(&program, script).unwrap();
    for file in [&server, &program] {
        fs::set_permissions(file, fs::Permissions::from_mode(0o755)).unwrap();
    }

    let running = Running::start_as(&program, &directory.path().join("data"), &[]);

    // Once to be asked for its version, once to run.
    let told = fs::read_to_string(&told).unwrap();
    assert_eq!(told.lines().last(), Some("C"), "{told}");
    assert!(running.terminate().success());
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
    assert!(said.contains("dump.rdb is a snapshot") && said.contains("backup"), "{said}");
    assert!(!appended.exists() && data.join("redis/dump.rdb").exists(), "nothing was changed");
}

#[test]
fn data_that_would_not_be_read_is_not_begun_anew_beside() {
    let directory = directory();
    let data = directory.path().join("data");
    let appended = data.join("redis/appendonlydir");
    let kept = directory.path().join("kept");
    let refused = || {
        let words = ["serve", "--login", "off", "--listen", "127.0.0.1:0", "--data", data.to_str().unwrap()];
        let (status, said) = run(&words, directory.path());
        assert!(!status.success() && said.contains("it would start empty"), "{said}");
        said
    };
    let running = Running::start(&data, &[]);
    post_json(running.address, "/api/v1/jobs", r#"{"id":"a","kind":"k","delay_ms":3600000}"#);
    assert!(running.terminate().success());

    let manifest = appended.join("appendonly.aof.manifest");
    fs::rename(&manifest, &kept).unwrap();
    assert!(refused().contains("no manifest"));
    fs::rename(&kept, &manifest).unwrap();
    fs::rename(&appended, &kept).unwrap();
    assert!(refused().contains("appendonlydir is gone"));
    assert!(!appended.exists(), "nothing was made");

    fs::rename(&kept, &appended).unwrap();
    let running = Running::start(&data, &[]);
    assert_eq!(running.get("/api/v1/jobs/a").0, 200);
    assert!(running.terminate().success());
    fs::remove_dir_all(&appended).unwrap();
    fs::remove_file(data.join("redis.json")).unwrap();
    assert!(Running::start(&data, &[]).terminate().success(), "somebody means it");
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
