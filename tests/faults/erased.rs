//! A subject with thousands of jobs is erased: no byte of what they held is left on disk or in memory. With
//! `REPRIEVE_TEST_LARGE` they are a hundred thousand.

use super::scene::{command, is_large, on, until};
use reprieve::model::{Delay, Erased, Kind, QueueName, Subject};
use reprieve::testing::RedisServer;
use reprieve::{Due, Engine, Failure, JobContext, NewJob};
use std::path::Path;

/// As many live jobs as a subject may have.
const ROUND: usize = 1_000;
/// Of these jobs, those that ran and left errors, logs and results.
const RAN: usize = 500;
/// Their numbers, beyond those of all others.
const FIRST_THAT_RAN: usize = 1_000_000;
const SUBJECT: &str = "customer:canary-4711";
/// What stands in payloads, errors, logs and results.
const SECRETS: [&str; 4] = ["canary-of-payload", "canary-of-error", "canary-of-log", "canary-of-result"];

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn of_thousands_of_erased_jobs_nothing_is_left_in_the_log_nor_in_memory() {
    let rounds = if is_large() { 100 } else { 10 };
    // A log of plain commands, in which texts can be looked for as they are.
    let server = RedisServer::start_with(&[
        "--save",
        "",
        "--appendonly",
        "yes",
        "--aof-use-rdb-preamble",
        "no",
        "--auto-aof-rewrite-percentage",
        "0",
    ])
    .unwrap();
    let redis = on(&server).await;
    let engine = redis.engine().clone();
    some_run(&engine).await;
    let (operator, subject) = (engine.operator("ann"), Subject::new(SUBJECT).unwrap());
    for round in 0..rounds {
        let jobs: Vec<NewJob> =
            (0..ROUND).map(|number| new_job(round * ROUND + number, Due::In(Delay::days(30)))).collect();
        for part in jobs.chunks(500) {
            engine.client().enqueue_batch(part.to_vec()).await.unwrap();
        }
        operator.cancel_subject(&subject).await.unwrap();
    }
    let folder = folder(server.url());
    for secret in SECRETS {
        assert!(is_in(&folder, secret), "{secret} was there to be looked for");
    }

    let began = std::time::Instant::now();
    let erased = operator.erase_subject(&subject, false, "request 77").await.unwrap();
    println!("{} jobs erased in {:?}", ROUND * rounds + RAN, began.elapsed());

    let Erased::Erased { jobs, .. } = erased else { panic!("{erased:?}") };
    assert_eq!(jobs, (ROUND * rounds + RAN) as u64);
    // Its entries go with later ones; docs/how-to/retention.md says so.
    command(server.url(), &["DEL", "reprieve:{default}:events"]).unwrap();
    command(server.url(), &["BGREWRITEAOF"]).unwrap();
    until("the log to be written anew", || async {
        let info = command(server.url(), &["INFO", "persistence"]).unwrap();
        let info: String = redis::from_redis_value(info).unwrap();
        info.contains("aof_rewrite_in_progress:0") && info.contains("aof_last_bgrewrite_status:ok")
    })
    .await;
    let kept = redis.snapshot().await;
    for secret in SECRETS.into_iter().chain([SUBJECT]) {
        assert!(!is_in(&folder, secret), "{secret} is on disk");
        let left = kept.iter().find(|(key, lines)| format!("{key} {lines:?}").contains(secret));
        assert_eq!(left, None, "{secret}");
    }
}

fn new_job(number: usize, due: Due) -> NewJob {
    let mut job =
        NewJob::new(Kind::new("k").unwrap(), format!("{{\"name\":\"canary-of-payload {number}\"}}"));
    job.id = Some(format!("j{number}").parse().unwrap());
    job.subject = Some(Subject::new(SUBJECT).unwrap());
    job.max_attempts = Some(1);
    job.due = due;
    job
}

/// Jobs of the subject that run before: every other one fails.
async fn some_run(engine: &Engine) {
    let worker = engine
        .worker()
        .queue(QueueName::default(), 20)
        .handler("k", |context: JobContext| async move {
            context.log("canary-of-log");
            if context.id().as_str().ends_with('0') {
                return Err(Failure::fatal("canary-of-error"));
            }
            context.set_result("canary-of-result")?;
            Ok(())
        })
        .start()
        .await
        .unwrap();
    let jobs = (0..RAN).map(|number| new_job(FIRST_THAT_RAN + number, Due::Now)).collect();
    engine.client().enqueue_batch(jobs).await.unwrap();
    let maintenance = engine.maintenance().start();
    until("some jobs to run", || async {
        let counts = engine.inspector().counts(None).await.unwrap();
        counts.done + counts.dead == RAN as u64
    })
    .await;
    worker.shutdown().await;
    maintenance.shutdown().await;
}

/// Where the server has its append-only log.
fn folder(url: &str) -> String {
    let told = |name: &str| -> String {
        let reply = command(url, &["CONFIG", "GET", name]).unwrap();
        let (_, value): (String, String) = redis::from_redis_value(reply).unwrap();
        value
    };
    format!("{}/{}", told("dir"), told("appenddirname"))
}

/// Whether a file in that folder holds the text.
fn is_in(folder: &str, text: &str) -> bool {
    std::fs::read_dir(Path::new(folder)).unwrap().any(|file| {
        let bytes = std::fs::read(file.unwrap().path()).unwrap_or_default();
        bytes.windows(text.len()).any(|window| window == text.as_bytes())
    })
}
