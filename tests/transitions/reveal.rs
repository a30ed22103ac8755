//! A look at one hidden part of a payload: written down before it is answered, and kept nowhere.

use super::expect::difference;
use super::seed::{DUE, Stage, ann, full, id, plain, t};
use reprieve::model::{AuditFilter, JobState, PartPath, RedactionRule, Revealed, Timestamp, Version};
use reprieve::testing::TestRedis;
use reprieve::{Due, Error, NewJob};

const SECRET: &str = "+4915155501234";

fn rule(path: &str) -> RedactionRule {
    RedactionRule { kinds: "*".to_owned(), path: path.to_owned(), keep: 4 }
}

fn part(text: &str) -> PartPath {
    text.parse().unwrap()
}

fn about_a_customer(due: i64) -> NewJob {
    let mut job = plain(due);
    job.payload = format!(r#"{{"customer":{{"phone":"{SECRET}","name":"Ann"}},"n":1}}"#).into_bytes();
    job
}

/// A job with a phone number that a rule hides.
async fn hidden(redis: &TestRedis, name: &str) {
    let mut job = about_a_customer(DUE);
    (job.id, job.due) = (Some(id(name)), Due::In(reprieve::model::Delay::hours(1)));
    redis.engine().client().enqueue_batch(vec![job]).await.unwrap();
    redis.engine().operator("ann").set_redaction(&[rule("customer.phone")], "").await.unwrap();
}

#[tokio::test]
async fn a_look_answers_that_one_value_and_leaves_nothing_but_its_entry() {
    let redis = TestRedis::namespace().await;
    hidden(&redis, "a").await;
    let before = redis.snapshot().await;

    let looked = redis.engine().operator("bob").reveal(&id("a"), part("/customer/phone"));
    let revealed = looked.because("  the number bounced: ticket 8812 ").await.unwrap();

    let Revealed::Part { value, part: at, .. } = revealed else { panic!("{revealed:?}") };
    assert_eq!(
        (String::from_utf8(value).unwrap(), at.to_string().as_str()),
        (format!("\"{SECRET}\""), "/customer/phone")
    );
    let changed = difference(&before, &redis.snapshot().await);
    let entry: Vec<_> = changed.iter().filter(|line| line.starts_with("+ audit ")).collect();
    assert_eq!(entry.len(), 1, "{changed:#?}");
    let said =
        ["bob", "reveal", "a", "mail", "the number bounced: ticket 8812", "revealed", "/customer/phone"];
    assert!(said.iter().all(|word| entry[0].contains(word)), "{entry:?}");
    let beside: Vec<_> =
        changed.iter().filter(|line| !line.contains(" audit ") && !line.contains(" meta ")).collect();
    assert!(beside.is_empty(), "neither the job nor its events: {beside:#?}");
    assert!(!changed.concat().contains("5550123"), "{changed:#?}");

    let audit = redis.engine().inspector().audit(&AuditFilter::default(), None, 10).await.unwrap();
    let newest = &audit.items[0];
    assert_eq!(
        (newest.verb.as_str(), newest.to.as_str(), newest.why.as_str(), newest.ticket.as_deref()),
        ("reveal", "/customer/phone", "the number bounced", Some("8812"))
    );
    let sound = redis.engine().inspector().verify_audit(100, None).await.unwrap();
    assert!(sound.is_sound(), "{sound:?}");
}

#[tokio::test]
async fn what_shows_nothing_writes_nothing() {
    let redis = TestRedis::namespace().await;
    hidden(&redis, "a").await;
    let bob = redis.engine().operator("bob");
    let before = redis.snapshot().await;
    for (at, word) in [
        ("/n", "not_hidden"),
        ("/customer", "not_hidden"),
        ("", "not_hidden"),
        ("/customer/fax", "no_such_part"),
        ("/customer/phone/0", "within"),
        ("/m/0", "no_such_part"),
    ] {
        let looked = bob.reveal(&id("a"), part(at)).because("r").an_hour_max(Some(1)).await.unwrap();
        assert_eq!(looked.word(), word, "{at}");
    }
    for why in ["", "  \t", &"x".repeat(1_025)] {
        let refused = bob.reveal(&id("a"), part("/customer/phone")).because(why).await.unwrap_err();
        assert!(matches!(refused, Error::Invalid { field: "reason", .. }), "{refused:?}");
    }
    let gone = bob.reveal(&id("gone"), part("/customer/phone")).because("r").await.unwrap_err();
    assert_eq!(gone.code(), "not_found");
    assert_eq!(difference(&before, &redis.snapshot().await), Vec::<String>::new());
}

#[tokio::test]
async fn a_person_who_looked_as_often_as_they_may_waits_for_the_hour_to_end_wherever_they_ask() {
    let redis = TestRedis::with_shards(3).await;
    for name in ["a", "b", "c", "d"] {
        hidden(&redis, name).await;
    }
    let engines = [redis.engine(), redis.engine()];
    let look = async |at: i64, who: &str, count: usize| {
        let operator = engines[count % 2].at(t(at)).operator(who);
        let name = ["a", "b", "c", "d"][count % 4];
        operator.reveal(&id(name), part("/customer/phone")).because("r").an_hour_max(Some(3)).await
    };
    for count in 0..3 {
        assert_eq!(look(0, "sue", count).await.unwrap().word(), "part");
    }

    let refused = look(60_000, "sue", 3).await.unwrap_err();

    let Error::TooOften { wait } = &refused else { panic!("{refused:?}") };
    assert_eq!(wait.as_secs(), 59 * 60);
    assert_eq!(refused.code(), "rate_limited");
    let audit = redis.engine().inspector().audit(&AuditFilter::default(), None, 10).await.unwrap();
    let denied = audit.items.iter().find(|entry| entry.is_denied()).unwrap();
    assert_eq!(
        (denied.by.as_str(), denied.verb.as_str(), denied.why.as_str()),
        ("sue", "reveal", "too often")
    );
    assert_eq!(look(60_000, "tom", 3).await.unwrap().word(), "part", "each person has an hour of their own");
    assert_eq!(look(3_600_000, "sue", 3).await.unwrap().word(), "part");
}

#[tokio::test]
async fn a_job_can_be_looked_at_in_every_state_and_its_version_stays() {
    for state in JobState::ALL {
        let stage = Stage::new().await;
        let given = stage.given(state).await;
        let operator = stage.redis.engine().at(t(given.now)).operator("bob");
        operator.set_redaction(&[rule("*")], "").await.unwrap();
        let looked = operator.reveal(&given.id, part("")).because("r").await.unwrap();
        assert!(
            matches!(looked, Revealed::Part { ref value, at, .. } if value == b"{}" && at == t(given.now))
        );
        let (job, ..) = stage.redis.store().job(&given.id).await.unwrap().unwrap();
        assert_eq!((job.state, job.version), (state, given.version));
    }
}

#[tokio::test]
async fn a_job_that_changed_since_its_payload_was_read_is_not_written_down() {
    let stage = Stage::new().await;
    stage.enqueue(0, "a", full()).await;
    let before = stage.snapshot().await;
    let mut stale = ann();
    stale.seen = Some(Version(2));
    let refused = stage.at(10).reveal(&id("a"), &stale, &part("/x")).await.unwrap_err();
    assert!(matches!(refused, Error::Conflict(standing) if standing.version == Version(1)));
    assert_eq!(difference(&before, &stage.snapshot().await), Vec::<String>::new());
}

#[tokio::test]
async fn bytes_that_are_no_json_are_looked_at_whole() {
    let redis = TestRedis::namespace().await;
    let mut job = plain(DUE);
    (job.id, job.payload) = (Some(id("a")), vec![0xff, 0x00, b'x']);
    redis.engine().client().enqueue_batch(vec![job]).await.unwrap();
    let operator = redis.engine().operator("bob");
    operator.set_redaction(&[rule("*")], "").await.unwrap();
    let looked = operator.reveal(&id("a"), part("")).because("r").await.unwrap();
    assert!(
        matches!(looked, Revealed::Part { ref value, at, .. } if value == &[0xff, 0x00, b'x'] && at > Timestamp::EPOCH)
    );
    let within = operator.reveal(&id("a"), part("/0")).because("r").await.unwrap();
    assert_eq!(within, Revealed::Within { part: PartPath::default() });
}
