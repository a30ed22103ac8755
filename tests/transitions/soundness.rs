//! What every test asks at its end is asked of damage here: each rule of a sound namespace says what breaks it.

use super::limits::concurrency_keys;
use super::seed::{DUE, LEASE, Stage, WORKER, ann, full, id, mail, plain, subject};
use reprieve::model::{ConcurrencyKey, QueueName};
use reprieve::store::ClaimedJob;
use reprieve::testing::{Snapshot, breaches};

fn of_keys() -> QueueName {
    QueueName::new("keyed").unwrap()
}

async fn claim(stage: &Stage, queue: QueueName) -> Option<ClaimedJob> {
    stage.at(1).claim(WORKER, LEASE, 1, &[(queue, 1)]).await.unwrap().pop()
}

/// A sound namespace with a job for each rule: in queue mail `later` (with a subject, a unique key and a field that has an
/// index), `held`, `next` that is ready, `runs`, `done`, `dead` and `off`; in queue keyed `first`, which runs, and `second`,
/// which waits for it.
async fn sound() -> Snapshot {
    let stage = Stage::new().await;
    stage.redis.engine().operator("ann").set_index_fields(&["n".parse().unwrap()], "").await.unwrap();
    stage.at(0).limit(&of_keys(), &ann(), &concurrency_keys(1, false)).await.unwrap();
    let (mut later, mut off) = (full(), plain(DUE));
    later.payload = br#"{"n":5}"#.to_vec();
    off.subject = Some(subject());
    stage.enqueue(0, "later", later).await;
    stage.enqueue(0, "held", plain(DUE)).await;
    stage.at(1).hold(&id("held"), &ann()).await.unwrap();
    stage.enqueue(0, "off", off).await;
    stage.at(1).cancel(&id("off"), &ann()).await.unwrap();
    for name in ["done", "dead", "runs"] {
        stage.enqueue(0, name, plain(-1)).await;
        let ClaimedJob { id, token, .. } = claim(&stage, mail()).await.unwrap();
        match name {
            "done" => drop(stage.at(2).complete(&[(id, token)]).await.unwrap()),
            "dead" => drop(stage.at(2).fail(&id, token, "no", None).await.unwrap()),
            _ => {}
        }
    }
    stage.enqueue(0, "next", plain(-1)).await;
    for name in ["first", "second"] {
        let mut job = plain(-1);
        (job.queue, job.concurrency_key) = (of_keys(), Some(ConcurrencyKey::new("a").unwrap()));
        stage.enqueue(0, name, job).await;
    }
    assert!(claim(&stage, of_keys()).await.is_some() && claim(&stage, of_keys()).await.is_none());
    stage.redis.index().await.unwrap();
    stage.snapshot().await
}

/// The lines of a key, which is made if it is not there.
fn lines<'a>(keys: &'a mut Snapshot, key: &str) -> &'a mut Vec<String> {
    keys.entry(key.to_owned()).or_default()
}

/// Gives a field of a job's record another value.
fn say(keys: &mut Snapshot, job: &str, field: &str, value: &str) {
    let record = keys.get_mut(&format!("job:{job}")).unwrap();
    let begins = format!("{field} = ");
    record.retain(|line| !line.starts_with(&begins));
    record.push(format!("{begins}{value}"));
}

/// Takes the line away that ends so, and returns it.
fn take(keys: &mut Snapshot, key: &str, end: &str) -> String {
    let lines = keys.get_mut(key).unwrap();
    let place =
        lines.iter().position(|line| line.ends_with(end)).unwrap_or_else(|| panic!("{key}: {lines:?}"));
    lines.remove(place)
}

/// Puts it with another score.
fn score(keys: &mut Snapshot, key: &str, job: &str, score: &str) {
    take(keys, key, &format!(" {job}"));
    lines(keys, key).push(format!("{score} {job}"));
}

/// Changes the text of the latest event of a job.
fn retell(keys: &mut Snapshot, job: &str, from: &str, to: &str) {
    let of = format!("\"job\":\"{job}\"");
    let event = keys.get_mut("events").unwrap().iter_mut().rfind(|event| event.contains(&of)).unwrap();
    assert!(event.contains(from), "{event}");
    *event = event.replace(from, to);
}

type Damage = fn(&mut Snapshot);

/// What is done to the namespace, and what is said of it then.
const DAMAGED: [(&str, Damage); 35] = [
    // One set for each job, at its place.
    ("later is in (\"mail\", Delayed) and in (\"mail\", Held)", |keys| {
        let line = keys["q:mail:delayed"][0].clone();
        lines(keys, "q:mail:held").push(line);
    }),
    ("gone is in mail:delayed and has no record", |keys| {
        lines(keys, "q:mail:delayed").push("1 gone".to_owned());
    }),
    ("later is in mail:delayed, its record says mail:held", |keys| say(keys, "later", "state", "held")),
    ("later is in mail:delayed, its record says sms:delayed", |keys| say(keys, "later", "queue", "sms")),
    ("later has score 1 in mail:delayed", |keys| score(keys, "q:mail:delayed", "later", "1")),
    ("held has score 1 in mail:held", |keys| score(keys, "q:mail:held", "held", "1")),
    ("next has score 1 in mail:ready", |keys| score(keys, "q:mail:ready", "next", "1")),
    ("done has score 1 in mail:done", |keys| score(keys, "q:mail:done", "done", "1")),
    ("dead has score 1 in mail:dead", |keys| score(keys, "q:mail:dead", "dead", "1")),
    ("off has score 1 in mail:cancelled", |keys| score(keys, "q:mail:cancelled", "off", "1")),
    ("second has score 1 in keyed:ready", |keys| score(keys, "q:keyed:ready", "second", "1")),
    ("runs has a record and is in no set", |keys| drop(take(keys, "q:mail:active", " runs"))),
    // Subjects.
    ("0 later is missing from subject:resource:4711", |keys| {
        drop(take(keys, "subject:resource:4711", " later"));
    }),
    ("off is missing from subject:resource:4711", |keys| score(keys, "subject:resource:4711", "off", "0")),
    ("0 held does not belong into subject:resource:4711", |keys| {
        lines(keys, "subject:resource:4711").push("0 held".to_owned());
    }),
    // Unique keys.
    ("unique:expiry-4711 points to gone", |keys| lines(keys, "unique:expiry-4711")[0] = "gone".to_owned()),
    ("unique:expiry-4711 points to held", |keys| lines(keys, "unique:expiry-4711")[0] = "held".to_owned()),
    ("unique:other points to later", |keys| lines(keys, "unique:other").push("later".to_owned())),
    // What is kept until when.
    ("dead is kept until None", |keys| drop(take(keys, "expiring", " dead"))),
    ("off is kept until Some(\"1\")", |keys| score(keys, "expiring", "off", "1")),
    ("later is kept until Some(\"1\")", |keys| lines(keys, "expiring").push("1 later".to_owned())),
    ("done is kept until None", |keys| lines(keys, "expiring").retain(|line| !line.contains(" done "))),
    ("gone is kept and has no record", |keys| lines(keys, "expiring").push("1 gone".to_owned())),
    // Wake tokens.
    ("q:mail:wake holds 2 tokens", |keys| lines(keys, "q:mail:wake").push("1".to_owned())),
    ("queue mail has ready jobs and no wake token", |keys| drop(keys.remove("q:mail:wake"))),
    // When the forwarder looks.
    ("the forwarder looks into mail at None", |keys| drop(take(keys, "due", " mail"))),
    ("the forwarder looks into mail at Some(9999999999999)", |keys| {
        score(keys, "due", "mail", "9999999999999");
    }),
    // Concurrency keys.
    (
        "jobs have the slots {(\"keyed\", \"a\"): 1} and the concurrency keys say {(\"keyed\", \"a\"): 2}",
        |keys| {
            lines(keys, "q:keyed:concurrency")[0] = "a = 2".to_owned();
        },
    ),
    ("an ended job has a slot of concurrency key b", |keys| {
        say(keys, "done", "concurrency_key", "b");
        say(keys, "done", "concurrency_slot", "1");
    }),
    ("jobs of concurrency key a wait for nobody", |keys| lines(keys, "q:keyed:concurrency").clear()),
    ("held waits in concurrency key a and is Some(\"held\")", |keys| {
        lines(keys, "q:keyed:concurrency:a").push("1 held".to_owned());
    }),
    // The index.
    ("gone is in the index and has no record", |keys| lines(keys, "index:jobs").push("gone = n".to_owned())),
    ("the index has values of {}", |keys| drop(keys.remove("index:values"))),
    // Events.
    ("done stood at", |keys| retell(keys, "done", "\"from\":\"active\"", "\"from\":\"ready\"")),
    ("done stood at", |keys| retell(keys, "done", "\"version\":\"3\"", "\"version\":\"4\"")),
];

#[tokio::test]
async fn each_rule_of_a_sound_namespace_says_what_breaks_it() {
    let sound = sound().await;
    assert_eq!(breaches(&sound), Vec::<String>::new(), "{sound:#?}");
    for (said, damage) in DAMAGED {
        let mut keys = sound.clone();
        damage(&mut keys);
        let found = breaches(&keys);
        assert!(found.iter().any(|breach| breach.contains(said)), "{said}: {found:?}\n{sound:#?}");
    }
}

#[tokio::test]
async fn what_belongs_to_a_job_that_is_gone_or_tells_of_it_is_found() {
    let sound = sound().await;
    for part in ["attempts:", "history:", "log:", "long:"] {
        let (mut keys, key) = (sound.clone(), format!("{part}gone"));
        lines(&mut keys, &key).push("1".to_owned());
        assert_eq!(breaches(&keys), [format!("{key} belongs to no job")]);
    }
    for (job, said) in
        [("held", "held has events and no record"), ("held", "held is in mail:held and has no record")]
    {
        let mut keys = sound.clone();
        keys.remove(&format!("job:{job}"));
        assert!(breaches(&keys).iter().any(|breach| breach == said), "{said}: {:?}", breaches(&keys));
    }
    let mut keys = sound;
    keys.get_mut("events").unwrap().pop();
    let found = breaches(&keys);
    assert!(found.iter().any(|breach| breach.contains("its last event says")), "{found:?}");
}
