//! Thousands of acts of people while Redis is killed again and again: each change has its one entry in the audit. With
//! `REPRIEVE_TEST_LARGE` a hundred thousand.

use super::scene::{command, durable_server, id, is_large, job, on, until, within};
use rand::rngs::StdRng;
use rand::seq::IndexedRandom as _;
use rand::{Rng as _, SeedableRng as _};
use reprieve::model::Delay;
use reprieve::{Due, Engine, Result};
use std::collections::BTreeMap;
use std::time::Duration;
use tokio::task::JoinSet;

const PEOPLE: usize = 40;
/// Jobs of each person: few, so that acts meet jobs in every state.
const JOBS_EACH: usize = 20;
/// Entries read at once.
const PAGE: &str = "5000";

/// Verb and job of every act that was answered with a change, by operation.
type Changes = BTreeMap<String, (&'static str, String)>;

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn every_change_has_its_one_entry_however_often_redis_is_killed_between() {
    let (acts_each, kills) = if is_large() { (2_500, 20) } else { (500, 5) };
    let mut server = durable_server();
    let redis = on(&server).await;
    let engine = redis.engine().clone();
    let mut people = JoinSet::new();
    for person in 0..PEOPLE {
        people.spawn(acts_of(engine.clone(), person, acts_each));
    }
    for _ in 0..kills {
        // So that acts happen before, between and after.
        tokio::time::sleep(Duration::from_millis(1_000)).await;
        server.kill().unwrap();
        server.restart().unwrap();
    }
    let changes: Changes = people.join_all().await.into_iter().flatten().collect();

    let mut entries = Changes::new();
    for (operation, verb, target) in audit(server.url()) {
        let verb = *VERBS.iter().find(|known| **known == verb).unwrap();
        let twice = entries.insert(operation.clone(), (verb, target));
        assert_eq!(twice, None, "{operation} stands there twice");
    }
    assert_eq!(changes.len(), entries.len());
    assert!(changes == entries, "an act has another's entry");
    assert!(changes.len() > PEOPLE * acts_each / 4, "{} changes are too few to show anything", changes.len());
    // The connection to read with is that of before the last kill.
    until("redis to be found again", || async { engine.inspector().verify_audit(1, None).await.is_ok() })
        .await;
    let check = engine.inspector().verify_audit(u64::MAX, None).await.unwrap();
    assert!(check.is_sound(), "{:?}", check.broken);
    assert_eq!(check.checked, changes.len() as u64);
    println!("{} acts, {} changes, {kills} kills", PEOPLE * acts_each, changes.len());
}

const VERBS: [&str; 5] = ["hold", "unhold", "cancel", "reinstate", "reschedule"];

/// What one person does to their jobs, repeating each act until it is answered.
async fn acts_of(engine: Engine, person: usize, acts: usize) -> Changes {
    let mut random = StdRng::seed_from_u64(person as u64);
    let names: Vec<String> = (0..JOBS_EACH).map(|number| format!("p{person}-{number}")).collect();
    let mut jobs: Vec<_> = names.iter().map(|name| job(name)).collect();
    for job in &mut jobs {
        job.due = Due::In(Delay::days(300));
    }
    until("the jobs to be taken in", || async { engine.client().enqueue_batch(jobs.clone()).await.is_ok() })
        .await;
    let mut changes = Changes::new();
    for number in 0..acts {
        let (name, verb) = (&names[random.random_range(0..JOBS_EACH)], VERBS.choose(&mut random).unwrap());
        let operation = format!("op-{person}-{number}");
        let answered = async {
            loop {
                match act(&engine, &format!("person {person}"), verb, name, &operation).await {
                    Ok(word) => break word,
                    Err(_) => tokio::time::sleep(Duration::from_millis(20)).await, // nothing tells that Redis is back
                }
            }
        };
        let word = within("an answer", answered).await;
        if !["wrong_state", "already_finished", "overdue"].contains(&word) {
            changes.insert(operation, (verb, name.clone()));
        }
    }
    changes
}

async fn act(engine: &Engine, by: &str, verb: &str, name: &str, operation: &str) -> Result<&'static str> {
    let (operator, id) = (engine.operator(by), id(name));
    Ok(match verb {
        "hold" => operator.hold(&id).operation(operation).await?.word(),
        "unhold" => operator.unhold(&id).operation(operation).await?.word(),
        "cancel" => operator.cancel(&id).operation(operation).await?.word(),
        "reinstate" => operator.reinstate(&id).operation(operation).await?.word(),
        _ => operator.reschedule(&id, Due::In(Delay::days(301))).operation(operation).await?.word(),
    })
}

/// Operation, verb and target of every entry.
fn audit(url: &str) -> Vec<(String, String, String)> {
    let (mut entries, mut from) = (Vec::new(), "-".to_owned());
    loop {
        let reply = command(url, &["XRANGE", "reprieve:{default}:audit", &from, "+", "COUNT", PAGE]).unwrap();
        let page: Vec<(String, BTreeMap<String, String>)> = redis::from_redis_value(reply).unwrap();
        let Some((last, _)) = page.last() else { return entries };
        from = format!("({last}");
        for (_, fields) in &page {
            let field = |name: &str| fields.get(name).map_or("", String::as_str);
            let targets =
                [field("target"), field("targets")].into_iter().flat_map(|ids| ids.split_whitespace());
            let of_target =
                |target: &str| (field("op").to_owned(), field("verb").to_owned(), target.to_owned());
            entries.extend(targets.map(of_target));
        }
    }
}
