//! What people set for a namespace, and what is hidden because of it.

use reprieve::model::{
    AlertKind, AlertRule, Attention, BUCKETS_MS, Colour, Delay, Filter, JobId, Kind, Look, QueueName,
    RedactionRule, StateGroup, Subject,
};
use reprieve::model::{ListQuery, filter::FilteredQuery};
use reprieve::testing::TestRedis;
use reprieve::{Due, NewJob};

fn rule(kinds: &str, path: &str, keep: u8) -> RedactionRule {
    RedactionRule { kinds: kinds.to_owned(), path: path.to_owned(), keep }
}

/// A job with a secret, waiting.
async fn given_a_secret(redis: &TestRedis) -> JobId {
    let mut job = NewJob::new(Kind::new("send_sms").unwrap(), r#"{"phone":"+4915155501234","n":1}"#);
    let id = JobId::new("a").unwrap();
    job.id = Some(id.clone());
    job.subject = Some(Subject::new("customer:1").unwrap());
    job.due = Due::In(Delay::hours(1));
    redis.engine().client().enqueue_batch(vec![job]).await.unwrap();
    id
}

#[tokio::test]
async fn a_hidden_part_of_a_payload_is_in_nothing_that_is_read() {
    let redis = TestRedis::namespace().await;
    let id = given_a_secret(&redis).await;
    let operator = redis.engine().operator("ann");
    assert!(operator.set_redaction(&[rule("send_*", "phone", 4)], "privacy").await.unwrap());
    assert!(!operator.set_redaction(&[rule("send_*", "phone", 4)], "again").await.unwrap());

    let inspector = redis.engine().inspector();
    let subject = Subject::new("customer:1").unwrap();
    let mut query = FilteredQuery::new("payload.n:1".parse::<Filter>().unwrap(), [StateGroup::Delay]);
    query.columns = vec!["phone".parse().unwrap()];
    let seen = [
        format!("{:?}", String::from_utf8(inspector.job(&id).await.unwrap().unwrap().job.payload).unwrap()),
        format!("{:?}", inspector.list(&ListQuery::group(StateGroup::Delay)).await.unwrap()),
        format!("{:?}", inspector.rows(std::slice::from_ref(&id)).await.unwrap()),
        format!("{:?}", inspector.subject(&subject).await.unwrap()),
        format!("{:?}", inspector.filtered(&query).await.unwrap()),
    ];
    for text in seen {
        assert!(!text.contains("5550123"), "{text}");
        assert!(text.contains("•••• 1234 (hidden)"), "{text}");
    }
    // Nor can it be guessed by asking.
    let guess = FilteredQuery::new("payload.phone:*5550*".parse::<Filter>().unwrap(), [StateGroup::Delay]);
    assert!(inspector.filtered(&guess).await.unwrap().rows.is_empty());
}

#[tokio::test]
async fn a_worker_gets_the_whole_payload() {
    let redis = TestRedis::namespace().await;
    let id = given_a_secret(&redis).await;
    let operator = redis.engine().operator("ann");
    operator.set_redaction(&[rule("*", "*", 0)], "").await.unwrap();
    operator.retry_now(&id).await.unwrap();
    let claimed =
        redis.engine().claimant("w").claim(&[QueueName::default()], 1, Delay::seconds(10)).await.unwrap();
    assert!(String::from_utf8_lossy(&claimed[0].payload).contains("+4915155501234"));
}

#[tokio::test]
async fn what_was_copied_from_a_screen_never_replaces_what_is_there() {
    let redis = TestRedis::namespace().await;
    let id = given_a_secret(&redis).await;
    let operator = redis.engine().operator("ann");
    operator.set_redaction(&[rule("*", "phone", 0)], "").await.unwrap();
    let shown = redis.engine().inspector().job(&id).await.unwrap().unwrap().job.payload;

    let edited = operator.edit(&id, shown.clone()).await.unwrap_err();
    let again = NewJob::new(Kind::new("send_sms").unwrap(), shown);
    let duplicated = redis.engine().client().enqueue_batch(vec![again]).await.unwrap_err();

    assert_eq!((edited.code(), duplicated.code()), ("invalid", "invalid"));
    operator.set_redaction(&[], "").await.unwrap();
    let kept = redis.engine().inspector().job(&id).await.unwrap().unwrap().job.payload;
    assert!(String::from_utf8(kept).unwrap().contains("+4915155501234"));
}

#[tokio::test]
async fn settings_that_make_no_sense_change_nothing() {
    let redis = TestRedis::namespace().await;
    let operator = redis.engine().operator("ann");
    let before = redis.snapshot().await;
    for bad in [
        rule("", "a", 0),
        rule("send sms", "a", 0),
        rule("*", "", 0),
        rule("*", "a..b", 0),
        rule("*", "a", 5),
    ] {
        assert_eq!(
            operator.set_redaction(std::slice::from_ref(&bad), "").await.unwrap_err().code(),
            "invalid",
            "{bad:?}"
        );
    }
    let many = vec![rule("*", "a", 0); 51];
    assert_eq!(operator.set_redaction(&many, "").await.unwrap_err().code(), "invalid");
    let look = Look { title: "x".repeat(41), ..Look::default() };
    assert_eq!(operator.set_look(&look, "").await.unwrap_err().code(), "invalid");
    assert_eq!(operator.set_reasons(&[String::new()], "").await.unwrap_err().code(), "invalid");
    assert_eq!(redis.snapshot().await, before);
}

#[tokio::test]
async fn a_change_is_seen_and_stands_in_the_audit() {
    let redis = TestRedis::namespace().await;
    let operator = redis.engine().operator("ann");
    let look = Look {
        title: "Shop".to_owned(),
        colour: Colour::Green,
        environment: "production".to_owned(),
        zone: "Asia/Shanghai".to_owned(),
    };
    assert!(operator.set_look(&look, "so that nobody errs").await.unwrap());
    assert!(operator.set_reasons(&["Moved house".to_owned()], "").await.unwrap());

    let settings = redis.engine().settings().await.unwrap();
    assert_eq!((&settings.look, settings.reasons.as_slice()), (&look, &["Moved house".to_owned()][..]));
    assert_eq!(redis.engine().latest_settings(), settings);
    let audit =
        format!("{:?}", redis.command(&["XRANGE", &format!("{}audit", redis.prefix()), "-", "+"]).await);
    assert!(audit.contains("set_look") && audit.contains("so that nobody errs") && audit.contains("Shop"));
}

#[tokio::test]
async fn an_alert_names_the_queue_that_is_over_its_limit() {
    let redis = TestRedis::namespace().await;
    let operator = redis.engine().operator("ann");
    let unserved = |queue: Option<QueueName>, over| AlertRule { what: AlertKind::Unserved, queue, over };
    let other = QueueName::new("other").unwrap();
    operator.set_alerts(&[unserved(None, 1), unserved(Some(other), 0), unserved(None, 2)], "").await.unwrap();
    let job = || NewJob::new(Kind::new("k").unwrap(), "{}");
    redis.engine().client().enqueue_batch(vec![job(), job()]).await.unwrap();

    let alerts = redis.engine().inspector().alerts().await.unwrap();

    let said: Vec<_> = alerts.iter().map(|alert| (alert.queue.as_str(), alert.now, alert.over)).collect();
    assert_eq!(said, [("default", 2, 1)]);
    let test = operator.test_alert().await.unwrap();
    let job = redis.engine().inspector().job(&test).await.unwrap().unwrap().job;
    assert_eq!((job.kind.as_str(), job.queue.as_str()), ("reprieve_alert", "reprieve_alerts"));
    assert!(String::from_utf8(job.payload).unwrap().contains(r#""test":true"#));
}

#[tokio::test]
async fn alerts_that_nobody_receives_are_no_reason_for_alerts() {
    let redis = TestRedis::namespace().await;
    let (engine, operator) = (redis.engine(), redis.engine().operator("ann"));
    let rules = [AlertKind::Unserved, AlertKind::Dead, AlertKind::Waiting];
    let rules = rules.map(|what| AlertRule { what, queue: None, over: 0 });
    operator.set_alerts(&rules, "").await.unwrap();
    let said = async || {
        let alerts = engine.inspector().alerts().await.unwrap();
        alerts.iter().map(|alert| (alert.what, alert.now)).collect::<Vec<_>>()
    };
    let fails = async |queue, count| {
        let (store, lease) = (redis.store(), Delay::seconds(30));
        let queue = QueueName::new(queue).unwrap();
        let claimed = store.claim("w", lease, count, &[(queue, count)]).await.unwrap();
        assert_eq!(claimed.len(), usize::try_from(count).unwrap());
        for job in claimed {
            store.fail(&job.id, job.token, "nobody is there", None).await.unwrap();
        }
    };

    // Two that wait, and two that died.
    for _ in 0..4 {
        operator.test_alert().await.unwrap();
    }
    fails("reprieve_alerts", 2).await;
    assert_eq!(said().await, []);

    let job = || NewJob::new(Kind::new("k").unwrap(), "{}");
    engine.client().enqueue_batch(vec![job()]).await.unwrap();
    let mut of_job = said().await;
    // It may wait for a millisecond already.
    of_job.retain(|(what, _)| *what != AlertKind::Waiting);
    assert_eq!(of_job, [(AlertKind::Unserved, 1)]);
    fails("default", 1).await;
    assert_eq!(said().await, [(AlertKind::Dead, 1)]);
}

#[tokio::test]
async fn jobs_that_became_ready_late_raise_an_alert_and_jobs_that_wait_for_a_worker_do_not() {
    let redis = TestRedis::namespace().await;
    let engine = redis.engine();
    let rule = AlertRule { what: AlertKind::Late, queue: None, over: 5_000 };
    engine.operator("ann").set_alerts(&[rule], "").await.unwrap();
    let now = engine.now().await.unwrap();
    let store = |minutes_ago| redis.store().at(now - Delay::minutes(minutes_ago));
    let enqueue = async |id: &str| {
        let mut job = NewJob::new(Kind::new("k").unwrap(), "{}");
        job.due = Due::At(now - Delay::minutes(2));
        store(3).enqueue("client", &[(JobId::new(id).unwrap(), job)]).await.unwrap();
    };
    let claim = async || {
        let queue = QueueName::default();
        let attention = engine.inspector().overview().await.unwrap().attention;
        assert!(attention.contains(&Attention::NoWorkers { queue: queue.clone(), ready: 2 }));
        let claimed = store(0).claim("w", Delay::seconds(30), 9, &[(queue, 9)]).await.unwrap();
        assert_eq!(claimed.len(), 2);
        let alerts = engine.inspector().alerts().await.unwrap();
        alerts.iter().map(|alert| alert.what).collect::<Vec<_>>()
    };

    enqueue("a").await;
    enqueue("b").await;
    assert_eq!(store(2).forward(9, 0).await.unwrap().moved, 2);
    assert_eq!(claim().await, [], "they waited two minutes for a worker");

    enqueue("c").await;
    enqueue("d").await;
    assert_eq!(store(1).forward(9, 0).await.unwrap().moved, 2);
    assert_eq!(claim().await, [AlertKind::Late], "they became ready a minute late");
}

#[tokio::test]
async fn jobs_that_wait_for_a_worker_raise_an_alert_unless_their_queue_is_paused() {
    let redis = TestRedis::namespace().await;
    let (engine, operator) = (redis.engine(), redis.engine().operator("ann"));
    let waiting = |over| AlertRule { what: AlertKind::Waiting, queue: None, over };
    operator.set_alerts(&[waiting(100_000), waiting(200_000)], "").await.unwrap();
    let now = engine.now().await.unwrap();
    let job = (JobId::new("a").unwrap(), NewJob::new(Kind::new("k").unwrap(), "{}"));
    redis.store().at(now - Delay::minutes(2)).enqueue("client", &[job]).await.unwrap();
    let said = async || {
        let alerts = engine.inspector().alerts().await.unwrap();
        alerts.iter().map(|alert| (alert.over, alert.now / 60_000)).collect::<Vec<_>>()
    };

    assert_eq!(said().await, [(100_000, 2)]);
    operator.pause(&QueueName::default(), "").await.unwrap();
    assert_eq!(said().await, []);
}

#[tokio::test]
async fn a_worker_of_one_queue_alone_leaves_the_others_told_as_unserved() {
    let redis = TestRedis::namespace().await;
    let engine = redis.engine();
    let rule = AlertRule { what: AlertKind::Unserved, queue: None, over: 0 };
    engine.operator("ann").set_alerts(&[rule], "").await.unwrap();
    let mut job = NewJob::new(Kind::new("k").unwrap(), "{}");
    job.queue = QueueName::new("other").unwrap();
    engine.client().enqueue_batch(vec![job]).await.unwrap();
    let said = async || {
        let alerts = engine.inspector().alerts().await.unwrap();
        alerts.iter().map(|alert| (alert.queue.to_string(), alert.now)).collect::<Vec<_>>()
    };

    let worker = engine.worker().queue(QueueName::default(), 1);
    let worker = worker.handler("reprieve_alert", |_| async { Ok(()) });
    let worker = worker.start().await.unwrap();

    assert_eq!(said().await, [("other".to_owned(), 1)]);
    worker.shutdown().await;
}

#[tokio::test]
async fn an_alert_that_could_never_be_is_refused() {
    let redis = TestRedis::namespace().await;
    let operator = redis.engine().operator("ann");
    let late = |over| AlertRule { what: AlertKind::Late, queue: None, over };
    let most = AlertRule::LATE_MS_BELOW;
    assert_eq!(BUCKETS_MS.last(), Some(&most), "nothing is counted as later");

    let refused = operator.set_alerts(&[late(most)], "").await.unwrap_err();
    assert!(refused.to_string().contains("300000 ms"), "{refused}");
    assert!(operator.set_alerts(&[late(most - 1)], "").await.unwrap());
    let dead = AlertRule { what: AlertKind::Dead, queue: None, over: most };
    assert!(operator.set_alerts(&[dead], "").await.unwrap(), "there may be so many dead jobs");
}

#[tokio::test]
async fn what_somebody_else_has_set_meanwhile_is_not_overwritten() {
    let redis = TestRedis::namespace().await;
    let engine = redis.engine();
    let seen = engine.inspector().settings().await.unwrap();
    let (ann, bea) = (engine.operator("ann"), engine.operator("bea"));
    let look = |title: &str| Look { title: title.to_owned(), ..Look::default() };

    let first = ann.having_seen((*seen).clone()).set_look(&look("Shop"), "").await;
    let second = bea.having_seen((*seen).clone()).set_look(&look("Store"), "").await;

    assert_eq!(first, Ok(true));
    assert_eq!(second.unwrap_err().code(), "setting_changed");
    let now = engine.inspector().settings().await.unwrap();
    assert_eq!(now.look.title, "Shop");
    assert_eq!(
        bea.having_seen((*now).clone()).set_look(&look("Store"), "").await,
        Ok(true),
        "now she has seen it"
    );
    // What was not touched meanwhile can be set by a caller who has seen the old rest.
    let reasons = ["Moved house".to_owned()];
    assert_eq!(ann.having_seen((*seen).clone()).set_reasons(&reasons, "").await, Ok(true));
    assert_eq!(
        bea.having_seen((*seen).clone()).set_reasons(&[], "").await.unwrap_err().code(),
        "setting_changed"
    );
}
