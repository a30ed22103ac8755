//! `enqueue`: batches, past times, unique keys, replacement, limits.

use super::expect::difference;
use super::seed::{DUE, Stage, ann, full, id, mail, plain, subject, t, written};
use reprieve::model::{
    AuditFilter, Delay, Enqueued, Erased, JobId, JobState, Priority, QueueName, RetentionRule, Subject,
    UniqueKey,
};
use reprieve::{Due, Error, NewJob};

#[tokio::test]
async fn a_batch_of_five_hundred_is_taken_in_one_step_in_order() {
    let stage = Stage::new().await;
    let jobs: Vec<(JobId, NewJob)> = (0..500).map(|n| (id(&format!("j{n:03}")), plain(-1))).collect();

    let answers = stage.at(0).enqueue("client", &jobs).await.unwrap();

    assert_eq!(answers.len(), 500);
    assert!(answers.iter().all(|answer| answer.word() == "ready"));
    let claimed = stage.claim(0, 500).await;
    let order: Vec<_> = claimed.iter().map(|job| job.id.as_str().to_owned()).collect();
    let expected: Vec<_> = (0..500).map(|n| format!("j{n:03}")).collect();
    assert_eq!(order, expected);
    stage.assert_sound().await;
}

#[tokio::test]
async fn the_client_takes_more_than_a_step_and_sends_nothing_when_one_job_is_bad() {
    let stage = Stage::new().await;
    let client = stage.redis.engine().client();
    let many = |count: usize| (0..count).map(|_| plain(-1)).collect::<Vec<_>>();
    let mut spoilt = many(700);
    spoilt[699].max_attempts = Some(0);
    let before = stage.snapshot().await;

    let refused = client.enqueue_batch(spoilt).await.unwrap_err();
    assert_eq!(refused.code(), "invalid");
    assert_eq!(difference(&before, &stage.snapshot().await), Vec::<String>::new());

    assert_eq!(client.enqueue_batch(many(1_201)).await.unwrap().len(), 1_201);
    assert_eq!(stage.redis.engine().inspector().counts(None).await.unwrap().ready, 1_201);
}

#[tokio::test]
async fn a_time_in_the_past_is_as_good_as_now() {
    let stage = Stage::new().await;
    for (name, due) in [("past", Due::At(t(-5))), ("present", Due::At(t(0))), ("none", Due::Now)] {
        let mut job = plain(0);
        job.due = due;
        assert_eq!(stage.enqueue(0, name, job).await.word(), "ready", "{name}");
    }
    let mut job = plain(0);
    job.due = Due::In(Delay::millis(1));
    assert!(matches!(stage.enqueue(0, "next", job).await, Enqueued::Delayed(it) if it.due == t(1)));
    stage.assert_sound().await;
}

#[tokio::test]
async fn a_job_that_a_person_enqueues_stands_in_the_audit_once_and_those_of_services_do_not() {
    let stage = Stage::new().await;
    let engine = stage.redis.engine();
    engine.client().enqueue_batch(vec![plain(-1)]).await.unwrap();
    let ann = engine.operator("ann");
    let job = |name: &str, due| {
        let mut job = full();
        (job.id, job.due) = (Some(id(name)), due);
        job
    };
    let words = [
        ann.enqueue(job("a", Due::In(Delay::hours(1)))).await.unwrap().word(),
        ann.enqueue(job("a", Due::Now)).await.unwrap().word(),
        ann.enqueue(job("b", Due::Now)).await.unwrap().word(),
    ];
    assert_eq!(words, ["delayed", "exists", "duplicate"], "its id is taken, its unique key is");
    let plain_one = ann.enqueue(plain(-1)).await.unwrap();
    assert_eq!(plain_one.word(), "ready");

    let audit = engine.inspector().audit(&AuditFilter::default(), None, 50).await.unwrap().items;

    let said: Vec<_> =
        audit.iter().map(|it| (it.verb.as_str(), it.by.as_str(), it.target.as_str())).collect();
    assert_eq!(said, [("enqueue", "ann", plain_one.id().as_str()), ("enqueue", "ann", "a")]);
    assert!(audit.iter().all(|it| it.queue == Some(mail())), "{audit:?}");
    let states: Vec<_> = audit.iter().map(|it| (it.from.as_str(), it.to.as_str())).collect();
    assert_eq!(states, [("", "ready"), ("", "delayed")]);
    let (made, ..) = stage.redis.store().job(&id("a")).await.unwrap().unwrap();
    assert_eq!(made.by, "ann");
    assert!(engine.inspector().verify_audit(1_000, None).await.unwrap().is_sound());
    stage.assert_sound().await;
}

#[tokio::test]
async fn an_id_twice_in_a_batch_is_taken_once() {
    let stage = Stage::new().await;
    let batch = [(id("a"), plain(-1)), (id("a"), plain(-1))];
    let words: Vec<_> =
        stage.at(0).enqueue("client", &batch).await.unwrap().iter().map(Enqueued::word).collect();
    assert_eq!(words, ["ready", "exists"]);
    stage.assert_sound().await;
}

#[tokio::test]
async fn a_unique_key_has_one_live_holder_and_is_freed_when_that_ends() {
    let stage = Stage::new().await;
    stage.enqueue(0, "first", full()).await;

    let before = stage.snapshot().await;
    let answer = stage.enqueue(0, "second", full()).await;
    assert_eq!(answer, Enqueued::Duplicate { id: id("second"), holder: id("first") });
    assert_eq!(difference(&before, &stage.snapshot().await), Vec::<String>::new());

    stage.at(1).cancel(&id("first"), &ann()).await.unwrap();
    assert_eq!(stage.enqueue(2, "second", full()).await.word(), "delayed");

    // The first cannot come back to life while the second holds the key.
    let before = stage.snapshot().await;
    let holder = Error::Duplicate { holder: id("second") };
    assert_eq!(stage.at(3).reinstate(&id("first"), &ann(), None).await.unwrap_err(), holder);
    assert_eq!(stage.at(3).retry_now(&id("first"), &ann()).await.unwrap_err(), holder);
    assert_eq!(difference(&before, &stage.snapshot().await), Vec::<String>::new());

    stage.at(4).cancel(&id("second"), &ann()).await.unwrap();
    assert_eq!(stage.at(5).reinstate(&id("first"), &ann(), None).await.unwrap().word(), "delayed");
    assert_eq!(stage.enqueue(6, "third", full()).await.word(), "duplicate", "the key was taken back");
    stage.assert_sound().await;
}

#[tokio::test]
async fn a_unique_key_that_is_taken_back_lasts_as_long_as_its_producer_said() {
    let stage = Stage::new().await;
    let mut job = full();
    job.unique = job.unique.map(|(key, _)| (key, Delay::hours(2)));
    stage.enqueue(0, "a", job).await;
    stage.at(1).cancel(&id("a"), &ann()).await.unwrap();

    stage.at(2).reinstate(&id("a"), &ann(), None).await.unwrap();

    let left = stage.seconds_left("*unique:expiry-4711").await;
    assert!((7_000..=7_200).contains(&left), "{left}");
}

#[tokio::test]
async fn replacing_moves_a_job_to_its_new_time_subject_and_key() {
    let stage = Stage::new().await;
    stage.enqueue(0, "a", full()).await;
    let mut new = plain(2 * DUE);
    new.replace = true;
    new.payload = b"{\"new\":true}".to_vec();
    new.subject = Some(Subject::new("resource:9").unwrap());
    new.unique = Some((UniqueKey::new("other").unwrap(), Delay::days(1)));

    let Enqueued::Replaced(standing) = stage.enqueue(1, "a", new).await else { panic!() };

    assert_eq!((standing.version.0, standing.due), (2, t(2 * DUE)));
    assert_eq!(stage.redis.store().job(&id("a")).await.unwrap().unwrap().0.payload, b"{\"new\":true}");
    assert_eq!(stage.enqueue(2, "b", full()).await.word(), "delayed", "the old key is free");
    stage.assert_sound().await;
}

#[tokio::test]
async fn a_job_replaced_under_the_same_unique_key_goes_on_holding_it() {
    let stage = Stage::new().await;
    stage.enqueue(0, "a", full()).await;
    let mut new = full();
    new.replace = true;

    assert_eq!(stage.enqueue(1, "a", new).await.word(), "replaced");

    let answer = stage.enqueue(2, "b", full()).await;
    assert_eq!(answer, Enqueued::Duplicate { id: id("b"), holder: id("a") });
    stage.at(3).cancel(&id("a"), &ann()).await.unwrap();
    assert_eq!(stage.enqueue(4, "b", full()).await.word(), "delayed", "the key is free");
    stage.assert_sound().await;
}

#[tokio::test]
async fn a_replaced_ready_job_keeps_its_place_unless_it_has_to_wait_again() {
    let stage = Stage::new().await;
    for name in ["a", "b"] {
        stage.enqueue(0, name, plain(-1)).await;
    }
    let replacing = |due| {
        let mut job = plain(due);
        job.replace = true;
        job
    };
    stage.enqueue(1, "a", replacing(-1)).await;
    assert_eq!(stage.claim(2, 1).await[0].id, id("a"));

    stage.enqueue(3, "b", replacing(500)).await;
    assert_eq!(stage.state_of("b").await, Some(JobState::Delayed));
    assert!(stage.claim(4, 9).await.is_empty());
    stage.assert_sound().await;
}

#[tokio::test]
async fn a_job_cannot_be_replaced_into_another_queue() {
    let stage = Stage::new().await;
    stage.enqueue(0, "a", plain(DUE)).await;
    let before = stage.snapshot().await;
    let mut job = plain(DUE);
    (job.replace, job.queue) = (true, QueueName::new("other").unwrap());
    assert_eq!(stage.enqueue(1, "a", job).await.word(), "exists");
    assert_eq!(difference(&before, &stage.snapshot().await), Vec::<String>::new());
}

#[tokio::test]
async fn a_subject_takes_a_thousand_live_jobs_and_no_more() {
    let stage = Stage::new().await;
    let about = |due| {
        let mut job = plain(due);
        job.subject = Some(subject());
        job
    };
    for chunk in 0..2 {
        let jobs: Vec<_> = (0..500).map(|n| (id(&format!("j{chunk}-{n}")), about(DUE))).collect();
        stage.at(0).enqueue("client", &jobs).await.unwrap();
    }
    assert_eq!(stage.enqueue(0, "x", about(DUE)).await, Enqueued::SubjectFull { id: id("x") });
    let mut again = about(2 * DUE);
    again.replace = true;
    assert_eq!(stage.enqueue(0, "j0-1", again).await.word(), "replaced", "it counts already");

    let cancelled = stage.at(1).cancel_subject(&subject(), &ann(), 1_000).await.unwrap();
    let reprieve::model::SubjectCancelled::Cancelled { jobs } = cancelled else { panic!("{cancelled:?}") };
    assert_eq!(jobs.len(), 1_000);
    assert_eq!(stage.enqueue(2, "x", about(DUE)).await.word(), "delayed");
    stage.assert_sound().await;
}

#[tokio::test]
async fn cancel_subject_beyond_its_limit_says_how_many_and_changes_nothing() {
    let stage = Stage::new().await;
    for name in ["a", "b", "c"] {
        let mut job = plain(DUE);
        job.subject = Some(subject());
        stage.enqueue(0, name, job).await;
    }
    let before = stage.snapshot().await;
    let answer = stage.at(1).cancel_subject(&subject(), &ann(), 2).await.unwrap();
    assert_eq!(answer, reprieve::model::SubjectCancelled::TooMany { live: 3 });
    assert_eq!(difference(&before, &stage.snapshot().await), Vec::<String>::new());
}

#[tokio::test]
async fn a_namespace_takes_a_thousand_queues_and_a_batch_may_fill_the_last_one() {
    let stage = Stage::new().await;
    let into = |name: String| {
        let mut job = plain(DUE);
        job.queue = QueueName::new(name).unwrap();
        job
    };
    for chunk in 0..2 {
        let jobs: Vec<_> =
            (0..499).map(|n| (id(&format!("q{chunk}-{n}")), into(format!("q{chunk}-{n}")))).collect();
        stage.at(0).enqueue("client", &jobs).await.unwrap();
    }
    stage.enqueue(0, "q998", into("q998".to_owned())).await;

    // 500 jobs, but only one new queue: the thousandth.
    let jobs: Vec<_> = (0..500).map(|n| (id(&format!("last-{n}")), into("last".to_owned()))).collect();
    let answers = stage.at(0).enqueue("client", &jobs).await.unwrap();
    assert!(answers.iter().all(|answer| answer.word() == "delayed"));

    let before = stage.snapshot().await;
    let batch = [(id("y"), into("last".to_owned())), (id("z"), into("one-too-many".to_owned()))];
    let error = stage.at(0).enqueue("client", &batch).await.unwrap_err();
    assert!(matches!(error, Error::Invalid { field: "queue", .. }), "{error}");
    assert_eq!(difference(&before, &stage.snapshot().await), Vec::<String>::new());
}

#[tokio::test]
async fn a_queue_with_nothing_left_makes_room_for_a_new_one() {
    let stage = Stage::new().await;
    let into = |name: &str| {
        let mut job = plain(DUE);
        job.queue = QueueName::new(name).unwrap();
        (id(name), job)
    };
    for chunk in 0..2 {
        let jobs: Vec<_> = (0..500).map(|n| into(&format!("q{chunk}-{n}"))).collect();
        stage.at(0).enqueue("client", &jobs).await.unwrap();
    }
    let mut rule = RetentionRule::default();
    rule.done = Some(Delay::days(1));
    let operator = stage.redis.engine().operator("ann");
    operator.set_retention(Some(&QueueName::new("q0-1").unwrap()), rule, "").await.unwrap();
    stage.at(1).pause(&QueueName::new("q0-2").unwrap(), &ann()).await.unwrap();
    for name in ["q0-0", "q0-1", "q0-2"] {
        stage.at(1).cancel(&id(name), &ann()).await.unwrap();
    }
    // Jobs that have ended are jobs.
    let refused = stage.at(2).enqueue("client", &[into("new")]).await.unwrap_err();
    assert!(matches!(refused, Error::Invalid { field: "queue", .. }), "{refused}");
    for name in ["q0-0", "q0-1", "q0-2"] {
        stage.at(2).purge_job(&id(name), &ann()).await.unwrap();
    }

    // What the same call brings a job for is not dropped.
    let before = stage.snapshot().await;
    stage.at(3).enqueue("client", &[into("q0-0"), into("new")]).await.unwrap_err();
    assert_eq!(difference(&before, &stage.snapshot().await), Vec::<String>::new());
    stage.at(3).enqueue("client", &[into("new")]).await.unwrap();

    let there: Vec<String> = stage
        .redis
        .engine()
        .inspector()
        .queues()
        .await
        .unwrap()
        .into_iter()
        .map(|queue| queue.name.to_string())
        .collect();
    let listed = |name: &str| there.iter().any(|queue| queue == name);
    assert!(listed("new") && listed("q0-1") && listed("q0-2") && listed("q0-3") && !listed("q0-0"));
    assert_eq!(there.len(), 1_000);
    stage.at(4).enqueue("client", &[into("q0-0")]).await.unwrap_err();
    stage.assert_sound().await;
}

#[tokio::test]
async fn spans_too_long_to_write_down_are_refused_or_shortened_and_the_job_stays_readable() {
    let stage = Stage::new().await;
    let client = stage.redis.engine().client();
    let endless = Delay::millis(i64::MAX);
    let before = stage.snapshot().await;
    let spoilt: [fn(&mut NewJob, Delay); 4] = [
        |job, endless| job.retention = Some(endless),
        |job, endless| job.timeout = Some(endless),
        |job, endless| job.due = Due::In(endless),
        |job, endless| job.unique = Some((UniqueKey::new("u").unwrap(), endless)),
    ];
    for spoil in spoilt {
        let mut job = plain(0);
        spoil(&mut job, endless);
        let error = client.enqueue_batch(vec![job]).await.unwrap_err();
        assert_eq!(error.code(), "invalid", "{error}");
    }
    assert_eq!(difference(&before, &stage.snapshot().await), Vec::<String>::new());

    stage.enqueue(0, "a", plain(DUE)).await;
    stage.at(1).reschedule(&id("a"), &ann(), Due::In(endless)).await.unwrap();
    stage.enqueue(0, "b", plain(-1)).await;
    let token = stage.claim(1, 1).await[0].token;
    stage.at(2).fail(&id("b"), token, "later", Some(endless)).await.unwrap();
    stage.enqueue(3, "c", plain(-1)).await;
    let token = stage.claim(3, 1).await[0].token;
    stage.at(4).snooze(&id("c"), token, endless, "later", false).await.unwrap();
    for name in ["a", "b", "c"] {
        let job = stage.redis.store().job(&id(name)).await.unwrap().unwrap().0;
        assert!(job.due > t(0) + Delay::days(300_000), "{name} is due at {}", job.due);
    }
}

#[tokio::test]
async fn payloads_come_back_byte_for_byte() {
    let stage = Stage::new().await;
    let payloads: [&[u8]; 5] = [
        b"",
        b"\0\xff\xfe",
        b"{\"n\":18446744073709551615,\"e\":[],\"o\":{}}",
        "snö\r\n*1".as_bytes(),
        &[7; 262_144],
    ];
    for (n, payload) in payloads.into_iter().enumerate() {
        let mut job = plain(-1);
        job.payload = payload.to_vec();
        stage.enqueue(0, &format!("p{n}"), job).await;
    }
    let claimed = stage.claim(1, 9).await;
    assert!(claimed.iter().map(|job| job.payload.as_slice()).eq(payloads));
}

#[tokio::test]
async fn a_batch_writes_one_event_a_job() {
    let stage = Stage::new().await;
    let mut first = plain(-1);
    first.priority = Priority::FIRST;
    stage.at(0).enqueue("client", &[(id("a"), first), (id("b"), plain(DUE))]).await.unwrap();
    assert_eq!(written(&stage.snapshot().await), (2, 0));
    assert_eq!(stage.redis.engine().inspector().counts(Some(&mail())).await.unwrap().ready, 1);
}

#[tokio::test]
async fn a_subject_with_a_thousand_live_jobs_takes_no_ended_one_back() {
    let stage = Stage::new().await;
    let about = |due| {
        let mut job = plain(due);
        job.subject = Some(subject());
        job
    };
    for name in ["called-off", "too"] {
        stage.enqueue(0, name, about(DUE)).await;
        stage.at(0).cancel(&id(name), &ann()).await.unwrap();
    }
    for chunk in 0..4 {
        let jobs: Vec<_> = (0..250).map(|n| (id(&format!("j{chunk}-{n}")), about(DUE))).collect();
        stage.at(0).enqueue("client", &jobs).await.unwrap();
    }
    let before = stage.snapshot().await;

    let refused = stage.at(1).reinstate(&id("called-off"), &ann(), None).await.unwrap_err();
    assert_eq!(refused, Error::SubjectFull { id: id("called-off") });
    let refused = stage.at(1).retry_now(&id("too"), &ann()).await.unwrap_err();
    assert_eq!(refused.code(), "subject_full");
    assert_eq!(difference(&before, &stage.snapshot().await), Vec::<String>::new());
    assert_eq!(
        stage.at(1).retry_now(&id("j0-0"), &ann()).await.unwrap().word(),
        "ready",
        "it counts already"
    );

    stage.at(2).cancel(&id("j0-1"), &ann()).await.unwrap();
    assert_eq!(stage.at(2).reinstate(&id("called-off"), &ann(), None).await.unwrap().word(), "delayed");
    assert_eq!(stage.at(2).retry_now(&id("too"), &ann()).await.unwrap_err().code(), "subject_full");
    stage.assert_sound().await;
}

#[tokio::test]
async fn a_subject_with_more_live_jobs_than_one_step_calls_off_is_not_erased_and_says_so() {
    let stage = Stage::new().await;
    // Only other hands make it so many.
    for n in 0..1_001 {
        stage.command(&["ZADD", &format!("*subject:{}", subject()), "0", &format!("j{n}")]).await;
    }
    let operator = stage.redis.engine().operator("ann");
    let erased = operator.erase_subject(&subject(), true, "request 77").await.unwrap();
    assert_eq!(erased, Erased::TooMany { live: 1_001 });
}
