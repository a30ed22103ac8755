//! A life of jobs under a user with the rights of the recipe and no others.

use reprieve::model::{Delay, JobId, JobState, Kind, Namespace, QueueName, Subject};
use reprieve::store::acl_recipe;
use reprieve::testing::RedisServer;
use reprieve::{Due, Engine, EngineConfig, Error, Failure, JobContext, NewJob, OutageKind};
use std::collections::BTreeMap;
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
    for shards in [1, 4] {
        let name = Namespace::new(if shards == 1 { "default" } else { "other" }).unwrap();
        ask(server.url(), &acl_recipe("reprieve", &name).split(' ').collect::<Vec<_>>());
        let engine =
            Engine::connect(EngineConfig::new(url.clone()).namespace(name).shards(shards)).await.unwrap();
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
        assert!(began.elapsed() < Duration::from_secs(60), "jobs run under the recipe");
        tokio::time::sleep(Duration::from_millis(20)).await;
    }
    operator.cancel_subject(&Subject::new("resource:1").unwrap()).await.unwrap();
    inspector.overview().await.unwrap();
    inspector.job(&id("fails")).await.unwrap().unwrap();
    worker.shutdown().await;
    maintenance.shutdown().await;
}

/// What a doctor finds of the rights of a user, who has those of the recipe with that change.
async fn rights_after(server: &RedisServer, shards: u16, change: &[&str]) -> (Option<Vec<String>>, bool) {
    let namespace = Namespace::new("shop").unwrap();
    let recipe = acl_recipe("poor", &namespace).replacen(" on ", " reset on ", 1);
    ask(server.url(), &recipe.split(' ').chain(change.iter().copied()).collect::<Vec<_>>());
    let url = format!("{}?user=poor&pass=password", server.url());
    let config = EngineConfig::new(url).namespace(namespace).shards(shards);
    let found = Engine::examine(&config).await.unwrap();
    (found.missing_rights, found.withheld.is_some())
}

#[tokio::test]
async fn each_right_that_is_missing_is_named_and_no_other() {
    let server = RedisServer::start().unwrap();
    for shards in [1, 3] {
        assert_eq!(rights_after(&server, shards, &[]).await, (Some(Vec::new()), false));
    }
    let recipe = acl_recipe("poor", &Namespace::new("shop").unwrap());
    // To say what is missing at all, these two are needed; the test after this one is about them.
    let of_the_doctor = ["+acl|whoami", "+acl|dryrun"];
    let rights = recipe.split(' ').filter(|word| word.starts_with('+') && !of_the_doctor.contains(word));
    let mut tried = 0;
    for right in rights {
        let without = right.replacen('+', "-", 1);
        let (missing, _) = rights_after(&server, 1, &[&without]).await;
        // Redis lets everybody begin a connection.
        let free = ["+hello"].contains(&right);
        let expected = if free { Vec::new() } else { vec![right.to_owned()] };
        assert_eq!(missing, Some(expected), "{without}");
        tried += 1;
    }
    assert!(tried > 70, "{tried} rights");
}

#[tokio::test]
async fn keys_that_may_not_be_touched_are_named_as_a_pattern() {
    let server = RedisServer::start().unwrap();
    let (one, many) = ("~reprieve:{shop}:*", "~reprieve:{shop.*}:*");
    for (shards, change, expected) in [
        (1, &["resetkeys"][..], &[one][..]),
        (1, &["resetkeys", one], &[]),
        (1, &["resetkeys", "%R~reprieve:{shop}:*"], &[one]),
        (1, &["resetkeys", many, "-zadd"], &[one, "+zadd"]),
        (3, &["resetkeys", one], &[many]),
        (3, &["resetkeys", many], &[one]),
        (3, &["resetkeys", one, "~reprieve:{shop.0}:*"], &[many]),
    ] {
        let expected: Vec<String> = expected.iter().map(|&right| right.to_owned()).collect();
        assert_eq!(
            rights_after(&server, shards, change).await.0,
            Some(expected),
            "{shards} shards, {change:?}"
        );
    }
}

#[tokio::test]
async fn a_user_that_may_read_nothing_is_told_from_a_redis_that_is_away() {
    let server = RedisServer::start().unwrap();
    let (missing, withheld) = rights_after(&server, 1, &["-info"]).await;
    assert_eq!((missing, withheld), (Some(vec!["+info".to_owned()]), true));
    for change in [&["-@all", "+ping"][..], &["-acl|whoami", "-info"], &["-acl|dryrun", "-time"]] {
        assert_eq!(rights_after(&server, 1, change).await, (None, true), "{change:?}");
    }
    assert_eq!(rights_after(&server, 1, &["-acl|dryrun"]).await, (None, false));
    let away = Engine::examine(&EngineConfig::new("redis://127.0.0.1:1")).await;
    assert!(away.is_err());
}

/// What a function may not do Redis tells without its word for that, and differently in each version.
#[tokio::test]
async fn a_right_that_functions_lack_is_an_outage_with_its_name_until_it_is_there() {
    let server = RedisServer::start().unwrap();
    ask(server.url(), &acl_recipe("reprieve", &Namespace::default()).split(' ').collect::<Vec<_>>());
    let engine = Engine::connect(EngineConfig::new(format!("{}?user=reprieve&pass=password", server.url())));
    let engine = engine.await.unwrap();
    assert_eq!(engine.missing_rights().await, Some(Vec::new()));
    let maintenance = engine.maintenance().start();
    let job = || vec![NewJob::new(Kind::new("notice").unwrap(), "{}")];
    for right in ["xadd", "zadd", "hincrby"] {
        ask(server.url(), &["ACL", "SETUSER", "reprieve", &format!("-{right}")]);

        match engine.client().enqueue_batch(job()).await {
            // What only counts goes on without.
            Ok(_) => assert_eq!(right, "hincrby"),
            Err(error) => {
                assert!(
                    error.is_denied() && error.to_string().contains("`reprieve acl`"),
                    "{right}: {error}"
                );
            }
        }
        let began = Instant::now();
        let named = format!("+{right};");
        while engine.outage().is_none_or(|outage| !outage.error.contains(&named)) {
            assert!(began.elapsed() < Duration::from_secs(60), "{named}: {:?}", engine.outage());
            tokio::time::sleep(Duration::from_millis(20)).await; // it is looked for beside the call
        }
        // Other calls work meanwhile, several a second.
        for _ in 0..30 {
            let outage = engine.outage().expect("it is missing still");
            assert_eq!(outage.kind, OutageKind::Denied, "{outage:?}");
            tokio::time::sleep(Duration::from_millis(50)).await;
        }
        ask(server.url(), &["ACL", "SETUSER", "reprieve", &format!("+{right}")]);
        engine.client().enqueue_batch(job()).await.unwrap();
        let began = Instant::now();
        while engine.outage().is_some() {
            assert!(began.elapsed() < Duration::from_secs(60), "{:?}", engine.outage());
            tokio::time::sleep(Duration::from_millis(20)).await;
        }
    }
    maintenance.shutdown().await;
}

/// All keys of a namespace, with what they hold.
fn contents(server: &RedisServer, namespace: &Namespace) -> BTreeMap<String, redis::Value> {
    let pattern = format!("reprieve:{{{namespace}}}:*");
    let keys: Vec<String> = redis::from_redis_value(ask(server.url(), &["KEYS", &pattern])).unwrap();
    keys.into_iter().map(|key| (key.clone(), ask(server.url(), &["DUMP", &key]))).collect()
}

#[tokio::test]
async fn a_call_that_lacks_a_right_changes_nothing_and_says_so() {
    let server = RedisServer::start().unwrap();
    let recipe = acl_recipe("reprieve", &Namespace::default());
    ask(server.url(), &recipe.split(' ').collect::<Vec<_>>());
    let rights: Vec<&str> = recipe.split(' ').filter_map(|word| word.strip_prefix('+')).collect();
    let config = EngineConfig::new(format!("{}?user=reprieve&pass=password", server.url()));
    let engine = Engine::connect(config).await.unwrap();
    let (operator, id) = (engine.operator("ann"), |name: &str| JobId::new(name).unwrap());
    let (mut refused, subject) = (0, |name: &str| Subject::new(format!("resource:{name}")).unwrap());
    for (number, right) in rights.iter().enumerate() {
        let name = format!("j{number}");
        let jobs = ["cancelled", "held", "subject"].map(|what| {
            let mut job = NewJob::new(Kind::new("notice").unwrap(), "{}");
            job.id = Some(id(&format!("{name}/{what}")));
            job.subject = Some(subject(&name));
            job.due = Due::In(Delay::hours(1));
            job
        });
        engine.client().enqueue_batch(jobs.to_vec()).await.unwrap();
        ask(server.url(), &["ACL", "SETUSER", "reprieve", &format!("-{right}")]);
        // Rights are believed to be there for a second, by a library that is loaded.
        ask(server.url(), &["FUNCTION", "FLUSH"]);
        let before = contents(&server, &Namespace::default());

        let outcomes = [
            engine
                .client()
                .enqueue_batch(vec![NewJob::new(Kind::new("notice").unwrap(), "{}")])
                .await
                .map(drop),
            operator.cancel(&id(&format!("{name}/cancelled"))).operation("op").await.map(drop),
            operator.hold(&id(&format!("{name}/held"))).await.map(drop),
            operator.cancel_subject(&subject(&name)).await.map(drop),
        ];

        let errors: Vec<&Error> = outcomes.iter().flat_map(|outcome| outcome.as_ref().err()).collect();
        if errors.is_empty() {
            // Nobody who enqueues or cancels needs it.
        } else {
            refused += 1;
            assert!(
                errors.len() == outcomes.len() && errors.iter().all(|error| error.is_denied()),
                "{right}: {outcomes:?}"
            );
            assert_eq!(contents(&server, &Namespace::default()), before, "without {right}: {outcomes:?}");
        }
        ask(server.url(), &["ACL", "SETUSER", "reprieve", &format!("+{right}")]);
    }
    assert!(refused > 40, "{refused} of {} rights are needed", rights.len());
}

#[tokio::test]
async fn every_right_of_the_recipe_that_is_missing_at_the_start_is_an_outage_with_its_name() {
    let server = RedisServer::start().unwrap();
    // Those without which it cannot be asked, or nothing can be connected to; the first is free.
    let others =
        ["+hello", "+acl|whoami", "+acl|dryrun", "+info", "+hget", "+fcall", "+multi", "+exec", "+ping"];
    let recipe = acl_recipe("poor", &Namespace::default());
    for right in recipe.split(' ').filter(|word| word.starts_with('+') && !others.contains(word)) {
        let without = right.replacen('+', "-", 1);
        let fresh = recipe.replacen(" on ", " reset on ", 1);
        ask(server.url(), &fresh.split(' ').chain([without.as_str()]).collect::<Vec<_>>());
        let url = format!("{}?user=poor&pass=password", server.url());
        let Ok(engine) = Engine::connect(EngineConfig::new(url)).await else { continue };

        assert_eq!(engine.missing_rights().await, Some(vec![right.to_owned()]));

        let outage = engine.outage().unwrap_or_else(|| panic!("{without} is silent"));
        assert!(outage.kind == OutageKind::Denied && outage.error.contains(right), "{outage:?}");
    }
}

/// A worker that cannot be started says why, and ends nothing else.
#[tokio::test]
async fn a_worker_without_a_right_that_it_needs_is_refused_in_words() {
    let server = RedisServer::start().unwrap();
    for right in ["zadd", "set", "type", "zrange"] {
        let fresh = acl_recipe("poor", &Namespace::default()).replacen(" on ", " reset on ", 1);
        let without = format!("-{right}");
        ask(server.url(), &fresh.split(' ').chain([without.as_str()]).collect::<Vec<_>>());
        let url = format!("{}?user=poor&pass=password", server.url());
        let engine = Engine::connect(EngineConfig::new(url)).await.unwrap();
        let worker = engine.worker().queue(QueueName::default(), 4).handler_for_all(|_| async { Ok(()) });

        match worker.start().await {
            Ok(worker) => worker.shutdown().await,
            Err(error) => assert!(error.is_denied(), "{right}: {error}"),
        }
    }
}

/// What a function may lose without harm fails in silence: the process that watches tells.
#[tokio::test]
async fn a_right_that_only_a_write_of_no_consequence_lacks_is_an_outage_and_no_damage() {
    let server = RedisServer::start().unwrap();
    ask(server.url(), &acl_recipe("reprieve", &Namespace::default()).split(' ').collect::<Vec<_>>());
    let engine = Engine::connect(EngineConfig::new(format!("{}?user=reprieve&pass=password", server.url())));
    let engine = engine.await.unwrap();
    let maintenance = engine.maintenance().start();
    let job = || vec![NewJob::new(Kind::new("notice").unwrap(), "{}")];
    ask(server.url(), &["ACL", "SETUSER", "reprieve", "-llen"]);

    engine.client().enqueue_batch(job()).await.unwrap();

    let began = Instant::now();
    while engine.outage().is_none_or(|outage| !outage.error.contains("+llen;")) {
        assert!(began.elapsed() < Duration::from_secs(60), "{:?}", engine.outage());
        tokio::time::sleep(Duration::from_millis(20)).await; // until the next look
    }
    let meta = "reprieve:{default}:meta";
    assert_eq!(ask(server.url(), &["HGET", meta, "damaged"]), redis::Value::Nil);

    ask(server.url(), &["ACL", "SETUSER", "reprieve", "+llen"]);
    engine.client().enqueue_batch(job()).await.unwrap();
    let began = Instant::now();
    while engine.outage().is_some() {
        assert!(began.elapsed() < Duration::from_secs(60), "{:?}", engine.outage());
        tokio::time::sleep(Duration::from_millis(20)).await; // until it has been calm for a while
    }
    assert_eq!(ask(server.url(), &["HGET", meta, "lacks"]), redis::Value::Nil);
    maintenance.shutdown().await;
}
