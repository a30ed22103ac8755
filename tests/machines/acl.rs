//! A life of jobs under a user with the rights of the recipe and no others.

use reprieve::model::{Delay, JobId, JobState, Kind, Namespace, QueueName, Subject};
use reprieve::store::acl_recipe;
use reprieve::testing::RedisServer;
use reprieve::{Due, Engine, EngineConfig, Failure, JobContext, NewJob};
use std::time::{Duration, Instant};

fn ask(url: &str, words: &[&str]) -> redis::Value {
    let mut connection = redis::Client::open(url).unwrap().get_connection().unwrap();
    let mut command = redis::cmd(words[0]);
    for word in &words[1..] {
        command.arg(*word);
    }
    command.query(&mut connection).unwrap()
}

#[tokio::test]
async fn every_job_lives_under_a_user_with_the_least_rights() {
    let server = RedisServer::start().unwrap();
    let namespace = Namespace::default();
    let recipe = acl_recipe("reprieve", &namespace);
    ask(server.url(), &recipe.split(' ').collect::<Vec<_>>());
    let url = format!("{}?user=reprieve&pass=password", server.url());
    for cells in [1, 4] {
        let name = Namespace::new(if cells == 1 { "default" } else { "other" }).unwrap();
        ask(server.url(), &acl_recipe("reprieve", &name).split(' ').collect::<Vec<_>>());
        let engine =
            Engine::connect(EngineConfig::new(url.clone()).namespace(name).cells(cells)).await.unwrap();
        live(&engine).await;
    }
    let log = ask(server.url(), &["ACL", "LOG"]);
    assert_eq!(log, redis::Value::Array(Vec::new()), "something was denied");
}

async fn live(engine: &Engine) {
    let maintenance = engine.maintenance().start();
    let worker = engine
        .worker()
        .queue(QueueName::default(), 4)
        .handler("notice", |context: JobContext| async move {
            if context.attempt() == 1 && context.id().as_str() == "fails" {
                return Err(Failure::fatal("no"));
            }
            Ok(())
        })
        .start()
        .await
        .unwrap();
    let job = |name: &str, due| {
        let mut job = NewJob::new(Kind::new("notice").unwrap(), "{}");
        job.id = Some(JobId::new(name).unwrap());
        job.subject = Some(Subject::new("resource:1").unwrap());
        job.due = due;
        job
    };
    let later = Due::In(Delay::hours(1));
    let jobs = vec![
        job("runs", Due::Now),
        job("fails", Due::Now),
        job("soon", Due::In(Delay::millis(200))),
        job("held", later),
        job("cancelled", later),
        job("moved", later),
    ];
    engine.client().enqueue_batch(jobs).await.unwrap();
    let (operator, id) = (engine.operator("ann"), |name: &str| JobId::new(name).unwrap());
    operator.hold(&id("held")).await.unwrap();
    operator.unhold(&id("held")).await.unwrap();
    operator.cancel(&id("cancelled")).operation("op").await.unwrap();
    operator.reinstate(&id("cancelled")).await.unwrap();
    operator.reschedule(&id("moved"), Due::In(Delay::hours(2))).await.unwrap();
    operator.edit(&id("moved"), "[]").await.unwrap();
    operator.pause(&QueueName::default(), "a while").await.unwrap();
    operator.resume(&QueueName::default(), "over").await.unwrap();
    let (inspector, began) = (engine.inspector(), Instant::now());
    while inspector.counts(None).await.unwrap().of(JobState::Done) < 2 {
        assert!(began.elapsed() < Duration::from_secs(30), "jobs run under the recipe");
        tokio::time::sleep(Duration::from_millis(20)).await;
    }
    operator.cancel_subject(&Subject::new("resource:1").unwrap()).await.unwrap();
    inspector.overview().await.unwrap();
    inspector.job(&id("fails")).await.unwrap().unwrap();
    worker.shutdown().await;
    maintenance.shutdown().await;
}
