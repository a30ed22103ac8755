//! A Redis that speaks TLS, signed for by an authority of its own.

use crate::machines::ports::{PATIENCE, free};
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

/// A server with a certificate for `localhost` from that authority; its port.
fn server(folder: &Path, authority: &str) -> (u16, RedisServer) {
    let key = "req -newkey ec -pkeyopt ec_paramgen_curve:prime256v1 -nodes";
    openssl(folder, &format!("{key} -subj /CN=localhost -keyout server.key -out server.csr"));
    std::fs::write(folder.join("names"), "subjectAltName=DNS:localhost\nbasicConstraints=CA:FALSE\n")
        .unwrap();
    let sign = format!("x509 -req -in server.csr -CA {authority}.pem -CAkey {authority}.key -CAcreateserial");
    openssl(folder, &format!("{sign} -days 2 -extfile names -out server.pem"));
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
        "no",
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
        let result = tokio::time::timeout(PATIENCE, Engine::connect(config)).await;
        let error = result.expect("an answer in bounded time").unwrap_err().to_string();
        println!("{error} (after {:?})", began.elapsed());
        error
    };

    let engine = Engine::connect(EngineConfig::new(&url).ca(ours.clone())).await.unwrap();
    a_job_lives(&engine).await;

    let unsigned = connect(EngineConfig::new(&url)).await;
    assert!(unsigned.contains("UnknownIssuer") && unsigned.contains("redis_ca_file"), "{unsigned}");
    let strange = connect(EngineConfig::new(&url).ca(theirs)).await;
    assert!(strange.contains("UnknownIssuer") || strange.contains("BadSignature"), "{strange}");
    let other_name = connect(EngineConfig::new(format!("rediss://127.0.0.1:{port}/")).ca(ours)).await;
    assert!(other_name.contains("not valid for name"), "{other_name}");
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
        assert!(began.elapsed() < PATIENCE, "a job runs over TLS");
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

    let trusted = engine.recognise(Some(&url), Some(&ours)).await;
    let (wrong, unknown) =
        (engine.recognise(Some(&url), Some(&theirs)).await, engine.recognise(Some(&url), None).await);

    assert_eq!(trusted.unwrap().found, []);
    assert!(wrong.is_err() && unknown.is_err(), "{wrong:?} {unknown:?}");
}
