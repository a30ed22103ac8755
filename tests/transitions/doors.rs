//! What the doors ask of the engine: tokens, first answers, searches, a purge by a person.

use super::expect::difference;
use super::seed::{Stage, ann, mail, t};
use reprieve::model::{Check, Delay, Finding, Halt, HaltReason, JobState, NewToken, Permission};
use reprieve::store::Intent;
use reprieve::testing::TestRedis;
use reprieve::{Begun, Error};
use reprieve_access::{Checked, Tokens};
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};

#[tokio::test]
async fn a_token_opens_what_it_was_made_for_until_it_is_revoked() {
    let redis = TestRedis::namespace().await;
    let tokens = Tokens::new(redis.engine());
    let new = NewToken::new("ci".parse().unwrap(), [Permission::EnqueueJobs]).queues([mail()]);

    let text = tokens.add(&new, "cli:ada").await.unwrap();

    let Checked::Good(info) = tokens.check(&text).await.unwrap() else { panic!("it is not good") };
    assert_eq!(
        (info.permissions, info.queues, info.by.as_str()),
        (vec![Permission::EnqueueJobs], vec![mail()], "cli:ada")
    );
    let listed = tokens.list().await.unwrap();
    assert!(listed[0].used.is_some() && listed[0].expires.is_none(), "{listed:?}");
    let kept = format!("{:?}", redis.snapshot().await);
    assert!(!kept.contains(&text) && !kept.contains(text.rsplit_once('_').unwrap().1), "the token is kept");

    let mut forged = text.clone();
    let last = if forged.pop() == Some('0') { '1' } else { '0' };
    forged.push(last);
    assert_eq!(tokens.check(&forged).await.unwrap(), Checked::Unknown);
    assert!(
        matches!(tokens.add(&new, "cli:ada").await, Err(Error::Invalid { .. })),
        "the name was given twice"
    );
    assert!(tokens.revoke(&new.name, "cli:ada", "leaked").await.unwrap());
    assert_eq!(tokens.check(&text).await.unwrap(), Checked::Unknown);
    assert!(!tokens.revoke(&new.name, "cli:ada", "").await.unwrap());
    assert_eq!(redis.snapshot().await["audit"].len(), 2, "making and revoking are both in the audit");
}

#[tokio::test]
async fn a_token_ends_with_its_time_by_the_clock_of_redis() {
    let redis = TestRedis::namespace().await;
    let tokens = Tokens::new(redis.engine());
    let new = NewToken::new("short".parse().unwrap(), [Permission::View]).good_for(Some(Delay::millis(1)));
    let text = tokens.add(&new, "ann").await.unwrap();
    let expires = tokens.list().await.unwrap()[0].expires.unwrap();
    // Redis's clock moves by itself; a millisecond is all it takes.
    while redis.engine().now().await.unwrap() < expires {}

    assert!(matches!(tokens.check(&text).await.unwrap(), Checked::Expired(_)));
    let nothing = NewToken::new("idle".parse().unwrap(), []);
    assert!(matches!(tokens.add(&nothing, "ann").await, Err(Error::Invalid { .. })));
}

#[tokio::test]
async fn tokens_that_ended_long_ago_make_room_for_new_ones() {
    let redis = TestRedis::namespace().await;
    let at = |days: i64| Tokens::new(&redis.engine().at(t(0) + Delay::days(days)));
    let named = |name: String| NewToken::new(name.parse().unwrap(), [Permission::View]);
    for n in 0..998 {
        at(0).add(&named(format!("lasting-{n}")), "ann").await.unwrap();
    }
    for days in [1, 2] {
        let ends = named(format!("good-for-{days}")).good_for(Some(Delay::days(days)));
        at(0).add(&ends, "ann").await.unwrap();
    }
    let full = at(90).add(&named("new".to_owned()), "ann").await.unwrap_err();
    assert!(matches!(full, Error::Invalid { field: "token", .. }), "{full}");

    at(91).add(&named("new".to_owned()), "ann").await.unwrap();

    let names: Vec<String> =
        at(91).list().await.unwrap().into_iter().map(|token| token.name.to_string()).collect();
    assert_eq!(names.len(), 1_000);
    assert!(names.contains(&"new".to_owned()) && names.contains(&"good-for-2".to_owned()));
    assert!(!names.contains(&"good-for-1".to_owned()), "it ended 90 days before");
    let audit = format!("{:?}", redis.snapshot().await["audit"]);
    assert!(audit.contains("good-for-1") && audit.contains("ended 90 days ago or earlier"), "{audit}");
}

#[tokio::test]
async fn what_is_no_token_is_unknown_whatever_it_holds() {
    let redis = TestRedis::namespace().await;
    let tokens = Tokens::new(redis.engine());
    let secret = "a".repeat(64);
    for text in [
        "",
        "rpv_",
        "rpv_ci_",
        &format!("rpv_ci_{secret}"),
        &format!("rpv_{{x}}:_{secret}"),
        "\u{0}",
        &"x".repeat(100_000),
    ] {
        assert_eq!(tokens.check(text).await.unwrap(), Checked::Unknown);
    }
    assert!(!redis.snapshot().await.contains_key("tokens"));
}

#[tokio::test]
async fn a_key_stands_for_one_request_and_its_first_answer() {
    let redis = TestRedis::namespace().await;
    let answers = redis.engine().answers();
    let begin =
        async |key: &str, request: &str| answers.begin("api /jobs", key, request.as_bytes()).await.unwrap();

    let Begun::Open(first) = begin("k", "body").await else { panic!("it is new") };
    let ids: Vec<_> = (0..3).map(|n| first.ids().job_id(n).unwrap()).collect();
    assert!(ids.is_sorted() && ids[0] != ids[1], "{ids:?}");
    // The first one got no answer: its repeat may do it again, under the same ids.
    let Begun::Open(again) = begin("k", "body").await else { panic!("it has no answer yet") };
    assert!(first.is_first() && !again.is_first(), "of what the first came to nobody knows");
    assert_eq!(again.ids().job_id(2), Some(ids[2].clone()));
    again.settle("answer".to_owned()).await.unwrap();

    assert!(matches!(begin("k", "body").await, Begun::Answered(answer) if answer == "answer"));
    assert!(matches!(begin("k", "other").await, Begun::OtherRequest));
    assert!(matches!(answers.begin("api /else", "k", b"other").await.unwrap(), Begun::Open(_)));
    let Begun::Open(given_back) = begin("free", "body").await else { panic!("it is new") };
    given_back.give_back().await.unwrap();
    assert!(matches!(begin("free", "other").await, Begun::Open(_)));
}

#[tokio::test]
async fn a_person_removes_ended_jobs_and_no_others() {
    for state in JobState::ALL {
        let stage = Stage::new().await;
        let given = stage.given(state).await;
        let before = stage.snapshot().await;

        let purged = stage.at(given.now).purge_job(&given.id, &ann()).await.unwrap();

        if state.is_final() {
            assert_eq!(purged.word(), "purged", "{state}");
            assert!(!stage.snapshot().await.keys().any(|key| key.starts_with("job:")), "{state}");
            let gone = stage.at(given.now).purge_job(&given.id, &ann()).await;
            assert!(matches!(gone, Err(Error::NotFound { .. })));
        } else {
            assert_eq!(purged.word(), "wrong_state", "{state}");
            assert_eq!(difference(&before, &stage.snapshot().await), Vec::<String>::new(), "{state}");
        }
        stage.assert_sound().await;
    }
}

#[tokio::test]
async fn a_purge_repeated_under_its_operation_gets_the_first_answer() {
    let stage = Stage::new().await;
    let given = stage.given(JobState::Dead).await;
    let mut intent: Intent = ann();
    intent.operation = "once".to_owned();

    let first = stage.at(given.now).purge_job(&given.id, &intent).await.unwrap();
    let again = stage.at(given.now).purge_job(&given.id, &intent).await.unwrap();

    assert_eq!(first, again);
}

#[tokio::test]
async fn an_examination_says_what_this_redis_is() {
    let redis = TestRedis::namespace().await;
    redis.engine().client().enqueue_raw("k".parse().unwrap(), "{}").send().await.unwrap();
    let config = reprieve::EngineConfig::new(redis.url()).namespace(redis.name().clone());

    let found = reprieve::Engine::examine(&config).await.unwrap();

    assert_eq!((found.schema.as_deref(), found.role.as_str()), (Some(found.schema_known), "master"));
    assert!(found.clock_ahead_ms.abs() < 1_000 && found.clock_back == Delay::ZERO, "{found:?}");
    assert!(found.round_trip_us_p50 > 0 && found.round_trip_us_p50 <= found.round_trip_us_max);
    assert_eq!((found.user.as_deref(), found.missing_rights.as_deref()), (Some("default"), Some(&[][..])));
    assert_eq!((found.quarantined, found.damaged), (0, 0));
}

/// A Redis whose slow calls the report has as well, for which the least rights are not enough.
async fn looked_at() -> TestRedis {
    TestRedis::beside(1, &["+slowlog|get"]).await
}

#[tokio::test]
async fn of_a_halt_it_is_told_and_no_forwarder_is_missed() {
    let redis = looked_at().await;
    let meta = format!("{}meta", redis.prefix());
    redis.command(&["HSET", &meta, "forwarded_ms", "1", "halt", "went_back 1 0 0"]).await.unwrap();

    let findings = redis.engine().inspector().redis().await.unwrap().findings;

    let told = findings.iter().filter(|found| matches!(found.check(), Check::Halt | Check::Forwarder));
    let told: Vec<_> = told.collect();
    let is_why = |standing: &Halt| standing.why == HaltReason::WentBack;
    assert!(matches!(&told[..], [Finding::Halt { standing }] if is_why(standing)), "{told:?}");
}

#[tokio::test]
async fn the_clock_of_a_busy_redis_has_not_gone_back() {
    let redis = looked_at().await;
    let engine = redis.engine();
    let is_busy = Arc::new(AtomicBool::new(true));
    let producers: Vec<_> = (0..2)
        .map(|_| {
            let (client, is_busy) = (engine.client(), Arc::clone(&is_busy));
            tokio::spawn(async move {
                while is_busy.load(Ordering::Relaxed) {
                    client.enqueue_raw("k".parse().unwrap(), "{}").send().await.unwrap();
                }
            })
        })
        .collect();

    let mut found = Vec::new();
    // One look in a few meets a change of the millisecond after the one it began in.
    for _ in 0..50 {
        found.extend(engine.inspector().redis().await.unwrap().findings);
    }
    is_busy.store(false, Ordering::Relaxed);
    for producer in producers {
        producer.await.unwrap();
    }

    let backs: Vec<_> = found.iter().filter(|found| matches!(found, Finding::ClockBack { .. })).collect();
    assert!(backs.is_empty(), "{backs:?}");
}
