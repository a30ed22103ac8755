//! A Redis that speaks TLS, signed for by an authority of its own.

use crate::machines::ports::{TIMEOUT, free};
use reprieve::model::{JobId, JobState, Kind, QueueName};
use reprieve::testing::RedisServer;
use reprieve::{Due, Engine, EngineConfig, Failure, JobContext, NewJob};
use std::path::Path;
use std::process::Command;
use std::time::{Duration, Instant};

fn openssl(folder: &Path, arguments: &str) {
    let output = Command::new("openssl").args(arguments.split(' ')).current_dir(folder).output().unwrap();
    assert!(output.status.success(), "{arguments}: {}", String::from_utf8_lossy(&output.stderr));
}

/// An authority: `<name>.key` and `<name>.pem`.
fn authority(folder: &Path, name: &str) -> Vec<u8> {
    let how = "req -x509 -newkey ec -pkeyopt ec_paramgen_curve:prime256v1 -nodes -days 2";
    openssl(folder, &format!("{how} -subj /CN={name} -keyout {name}.key -out {name}.pem"));
    std::fs::read(folder.join(format!("{name}.pem"))).unwrap()
}

/// A certificate for `localhost` from that authority, `<name>.key` and `<name>.pem`.
fn sign(folder: &Path, authority: &str, name: &str) {
    let key = "req -newkey ec -pkeyopt ec_paramgen_curve:prime256v1 -nodes";
    openssl(folder, &format!("{key} -subj /CN=localhost -keyout {name}.key -out {name}.csr"));
    std::fs::write(folder.join("names"), "subjectAltName=DNS:localhost\nbasicConstraints=CA:FALSE\n")
        .unwrap();
    let sign = format!("x509 -req -in {name}.csr -CA {authority}.pem -CAkey {authority}.key -CAcreateserial");
    openssl(folder, &format!("{sign} -days 2 -extfile names -out {name}.pem"));
}

/// A server with a certificate for `localhost` from that authority; its port.
fn server(folder: &Path, authority: &str) -> (u16, RedisServer) {
    sign(folder, authority, "server");
    server_with(folder, authority, "no")
}

/// A server with what is in `server.key` and `server.pem`, which asks its clients for certificates or not; its port.
fn server_with(folder: &Path, authority: &str, auth_clients: &str) -> (u16, RedisServer) {
    let (port, path) = (free(1)[0], |name: &str| folder.join(name).display().to_string());
    let options = [
        "--tls-port",
        &port.to_string(),
        "--bind",
        "127.0.0.1",
        "--tls-cert-file",
        &path("server.pem"),
        "--tls-key-file",
        &path("server.key"),
        "--tls-ca-cert-file",
        &path(&format!("{authority}.pem")),
        "--tls-auth-clients",
        auth_clients,
        "--save",
        "",
    ];
    (port, RedisServer::start_with(&options).unwrap())
}

#[tokio::test]
async fn a_server_is_trusted_only_with_its_authority() {
    let folder = tempfile::tempdir().unwrap();
    let ours = authority(folder.path(), "ours");
    let theirs = authority(folder.path(), "theirs");
    let (port, _server) = server(folder.path(), "ours");
    let url = format!("rediss://localhost:{port}/");
    let connect = |config: EngineConfig| async {
        let began = Instant::now();
        let result = tokio::time::timeout(TIMEOUT, Engine::connect(config)).await;
        let error = result.expect("an answer in bounded time").unwrap_err().to_string();
        println!("{error} (after {:?})", began.elapsed());
        error
    };

    let engine = Engine::connect(EngineConfig::new(&url).ca(ours.clone())).await.unwrap();
    a_job_lives(&engine).await;

    let unsigned = connect(EngineConfig::new(&url)).await;
    assert!(unsigned.contains("authority") && unsigned.contains("redis_ca_file"), "{unsigned}");
    let strange = connect(EngineConfig::new(&url).ca(theirs)).await;
    assert!(strange.contains("authority") && strange.contains("redis_ca_file"), "{strange}");
    let other_name = connect(EngineConfig::new(format!("rediss://127.0.0.1:{port}/")).ca(ours)).await;
    assert!(other_name.contains("is for localhost, and it was called 127.0.0.1"), "{other_name}");
    let rubbish = connect(EngineConfig::new(&url).ca("no certificate")).await;
    assert!(rubbish.contains("no certificate in PEM"), "{rubbish}");
    connect(EngineConfig::new(format!("redis://localhost:{port}/"))).await;
}

/// Calls, and the connections of their own that claims and wake-ups have.
async fn a_job_lives(engine: &Engine) {
    let handler = |_: JobContext| async { Ok::<(), Failure>(()) };
    let worker =
        engine.worker().queue(QueueName::default(), 2).handler("notice", handler).start().await.unwrap();
    let mut job = NewJob::new(Kind::new("notice").unwrap(), "{}");
    job.id = Some(JobId::new("runs").unwrap());
    job.due = Due::Now;
    engine.client().enqueue_batch(vec![job]).await.unwrap();
    let began = Instant::now();
    while engine.inspector().counts(None).await.unwrap().of(JobState::Done) < 1 {
        assert!(began.elapsed() < TIMEOUT, "a job runs over TLS");
        tokio::time::sleep(Duration::from_millis(20)).await;
    }
    worker.shutdown().await;
}

#[tokio::test]
async fn a_source_of_jobs_is_trusted_only_with_its_authority() {
    let folder = tempfile::tempdir().unwrap();
    let ours = String::from_utf8(authority(folder.path(), "ours")).unwrap();
    let theirs = String::from_utf8(authority(folder.path(), "theirs")).unwrap();
    let (port, _there) = server(folder.path(), "ours");
    let url = format!("rediss://localhost:{port}/");
    let here = RedisServer::start().unwrap();
    let engine = Engine::connect(EngineConfig::new(here.url())).await.unwrap();

    let trusted = reprieve_import::recognise(&engine, Some(&url), Some(&ours), None).await;
    let (wrong, unknown) = (
        reprieve_import::recognise(&engine, Some(&url), Some(&theirs), None).await,
        reprieve_import::recognise(&engine, Some(&url), None, None).await,
    );

    assert_eq!(trusted.unwrap().found, []);
    assert!(wrong.is_err() && unknown.is_err(), "{wrong:?} {unknown:?}");
}

#[tokio::test]
async fn a_source_of_jobs_that_wants_a_client_certificate_is_recognised_with_one() {
    let folder = tempfile::tempdir().unwrap();
    let ours = String::from_utf8(authority(folder.path(), "ours")).unwrap();
    sign(folder.path(), "ours", "server");
    sign(folder.path(), "ours", "client");
    let (port, _there) = server_with(folder.path(), "ours", "yes");
    let url = format!("rediss://localhost:{port}/");
    let pem = |name: &str| std::fs::read_to_string(folder.path().join(name)).unwrap();
    let (certificate, key) = (pem("client.pem"), pem("client.key"));
    let here = RedisServer::start().unwrap();
    let engine = Engine::connect(EngineConfig::new(here.url())).await.unwrap();

    let shown =
        reprieve_import::recognise(&engine, Some(&url), Some(&ours), Some((&certificate, &key))).await;
    let without = reprieve_import::recognise(&engine, Some(&url), Some(&ours), None).await;

    assert_eq!(shown.unwrap().found, []);
    let told = without.unwrap_err().to_string();
    assert!(told.contains("client certificate"), "{told}");
}

#[tokio::test]
async fn a_server_that_wants_client_certificates_gets_one_or_is_told_so_each_time() {
    let folder = tempfile::tempdir().unwrap();
    let ours = authority(folder.path(), "ours");
    authority(folder.path(), "theirs");
    for (authority, name) in [("ours", "server"), ("ours", "client"), ("theirs", "stranger")] {
        sign(folder.path(), authority, name);
    }
    let (port, _server) = server_with(folder.path(), "ours", "yes");
    let url = format!("rediss://localhost:{port}/");
    let pem = |name: &str| std::fs::read(folder.path().join(name)).unwrap();
    let config = || EngineConfig::new(&url).ca(ours.clone());
    let with =
        |name: &str| config().client_certificate(pem(&format!("{name}.pem")), pem(&format!("{name}.key")));

    let engine = Engine::connect(with("client")).await.unwrap();
    a_job_lives(&engine).await;

    for config in [config(), with("stranger")] {
        for _ in 0..5 {
            let error = Engine::connect(config.clone()).await.unwrap_err();
            let told = error.to_string();
            assert!(error.is_tls_refusal() && told.contains("client certificate"), "{told}");
            let error = Engine::examine(&config).await.unwrap_err();
            assert!(error.is_tls_refusal(), "{error}");
        }
    }
    let swapped = config().client_certificate(pem("client.key"), pem("client.pem"));
    let error = Engine::connect(swapped).await.unwrap_err().to_string();
    assert!(error.contains("client certificate is none in PEM"), "{error}");
}

#[tokio::test]
async fn a_certificate_that_is_not_taken_is_told_in_words_with_what_to_make_instead() {
    let folder = tempfile::tempdir().unwrap();
    let cases = [
        ("rsa:2048 -addext subjectAltName=DNS:localhost", "that of an authority"),
        ("rsa:2048", "that of an authority"),
        ("ec -pkeyopt ec_paramgen_curve:secp521r1 -addext subjectAltName=DNS:localhost", "P-521"),
    ];
    for (kind, says) in cases {
        let how = "req -x509 -nodes -days 2 -subj /CN=localhost -keyout server.key -out server.pem -newkey";
        openssl(folder.path(), &format!("{how} {kind}"));
        std::fs::copy(folder.path().join("server.pem"), folder.path().join("ours.pem")).unwrap();
        let (port, _server) = server_with(folder.path(), "ours", "no");
        let config = EngineConfig::new(format!("rediss://localhost:{port}/"));
        let error = Engine::connect(config.ca(std::fs::read(folder.path().join("ours.pem")).unwrap())).await;

        let error = error.unwrap_err();

        let told = error.to_string();
        assert!(error.is_tls_refusal() && told.contains(says), "{kind}: {told}");
        assert!(!told.contains('{') && !told.contains("Error("), "no words of the program's own: {told}");
    }
}

/// A Sentinel over TLS that watches the server at that address; its URL.
fn sentinel(folder: &Path, host: &str, port: u16, settings: &[&str]) -> (RedisServer, String) {
    let ports = free(2);
    let path = |name: &str| folder.join(name).display().to_string();
    let mut lines = vec![
        format!("tls-port {}", ports[1]),
        format!("tls-cert-file {}", path("server.pem")),
        format!("tls-key-file {}", path("server.key")),
        format!("tls-ca-cert-file {}", path("ours.pem")),
        "tls-auth-clients no".to_owned(),
        "tls-replication yes".to_owned(),
    ];
    lines.extend(settings.iter().map(|line| (*line).to_owned()));
    lines.push(format!("sentinel monitor shop {host} {port} 1"));
    let lines: Vec<&str> = lines.iter().map(String::as_str).collect();
    let server = RedisServer::sentinel(ports[0], &lines).unwrap();
    (server, format!("rediss+sentinel://localhost:{}/shop", ports[1]))
}

#[tokio::test]
async fn a_master_that_a_sentinel_names_is_trusted_by_the_name_in_its_certificate() {
    let folder = tempfile::tempdir().unwrap();
    let ours = authority(folder.path(), "ours");
    let (port, _master) = server(folder.path(), "ours");
    let connect = async |url: &str| Engine::connect(EngineConfig::new(url).ca(ours.clone())).await;

    let (_by_address, url) = sentinel(folder.path(), "127.0.0.1", port, &[]);
    let error = connect(&url).await.unwrap_err();
    let told = error.to_string();
    assert!(error.is_tls_refusal() && told.contains("which the Sentinel at localhost"), "{told}");
    assert!(told.contains("is for localhost") && told.contains("resolve-hostnames"), "{told}");

    let names = ["sentinel resolve-hostnames yes", "sentinel announce-hostnames yes"];
    let (_by_name, url) = sentinel(folder.path(), "localhost", port, &names);
    a_job_lives(&connect(&url).await.unwrap()).await;
}
