//! Deleting where that needs two people: one asks, somebody else starts it, and programs do neither.

use super::House;
use reprieve::model::{Attention, BulkRun, BulkState, BulkVerb, Delay, JobState, RunId};
use reprieve::{Error, NewJob, Operator};

const JOBS: u64 = 3;
const DAY_MS: i64 = 86_400_000;

/// Where deleting needs two people, and three jobs have been called off.
async fn house() -> House {
    let house = House::new().await;
    let engine = house.redis.engine();
    for number in 0..JOBS {
        let mut job = NewJob::new("k".parse().unwrap(), "{}");
        job.id = Some(format!("j{number}").parse().unwrap());
        job.due = reprieve::Due::In(Delay::hours(1));
        engine.client().enqueue_batch(vec![job]).await.unwrap();
        engine.operator("ann").cancel(&format!("j{number}").parse().unwrap()).await.unwrap();
    }
    assert!(engine.operator("ann").set_second_person(true, "four eyes").await.unwrap());
    house
}

fn person(house: &House, who: &str) -> Operator {
    house.redis.engine().operator(who).signed_in()
}

async fn frozen(house: &House, verb: BulkVerb) -> RunId {
    let mut bulk = person(house, "ann").bulk(verb);
    if verb == BulkVerb::Purge {
        let mut filter = reprieve::model::BulkFilter::default();
        filter.states = vec![JobState::Cancelled];
        bulk = bulk.filter(filter);
    }
    bulk.freeze().await.unwrap().id
}

async fn now(house: &House, run: &RunId) -> BulkRun {
    house.redis.engine().inspector().bulk_run(run).await.unwrap().unwrap()
}

async fn step(house: &House, run: &RunId) -> BulkState {
    house.redis.engine().operator("maintenance").step_bulk(run, 10).await.unwrap().unwrap().state
}

#[tokio::test]
async fn one_asks_and_somebody_else_starts_it() {
    let house = house().await;
    let run = frozen(&house, BulkVerb::Purge).await;
    let asked = person(&house, "ann").start_bulk(&run, Some(500), "the import was wrong").await.unwrap();
    assert_eq!((asked.state, asked.asked_by.as_str(), asked.started), (BulkState::Waiting, "ann", None));
    let (at, until) = (asked.asked.unwrap(), asked.expires.unwrap());
    assert_eq!(until.as_millis() - at.as_millis(), DAY_MS);
    assert_eq!(step(&house, &run).await, BulkState::Waiting, "nobody takes steps of it");

    let once_more = person(&house, "ann").start_bulk(&run, None, "").await;
    assert_eq!(once_more, Err(Error::SecondPerson));
    let program = house.redis.engine().operator("ann's token").start_bulk(&run, None, "").await;
    assert_eq!(program, Err(Error::SecondPerson));
    assert_eq!(now(&house, &run).await, asked, "nothing changed");

    house.add("bob", reprieve::model::Role::Operator).await;
    let started = person(&house, "bob").start_bulk(&run, None, "looked at it").await.unwrap();
    assert_eq!((started.state, started.rate, started.expires), (BulkState::Running, Some(500), None));
    assert_eq!(started.why, "the import was wrong");
    let mut state = started.state;
    while state == BulkState::Running {
        tokio::time::sleep(std::time::Duration::from_millis(20)).await; // its rate lets the jobs through
        state = step(&house, &run).await;
    }
    let done = now(&house, &run).await;
    assert_eq!((done.state, done.changed, done.pending), (BulkState::Done, JOBS, 0));
    let audit = house.audit().await;
    let of_run: Vec<&str> =
        audit.iter().filter_map(|entry| entry.strip_suffix(&format!(" bulk_purge {run}"))).collect();
    assert_eq!(of_run, ["ann", "bob", "ann"], "asked, started, and done in the name of its maker");
}

#[tokio::test]
async fn one_person_or_a_program_deletes_nothing() {
    let house = house().await;
    let engine = house.redis.engine();
    for operator in [person(&house, "ann"), engine.operator("a program")] {
        let job = "j0".parse().unwrap();
        assert_eq!(operator.purge(&job).await, Err(Error::SecondPerson));
    }
    let run = frozen(&house, BulkVerb::Purge).await;
    let started = engine.operator("a program").start_bulk(&run, None, "").await;
    assert_eq!(started, Err(Error::SecondPerson));
    assert_eq!(now(&house, &run).await.state, BulkState::Frozen, "a program cannot ask either");
    assert!(engine.inspector().job(&"j0".parse().unwrap()).await.unwrap().is_some());

    assert!(engine.operator("ann").set_second_person(false, "").await.unwrap());
    assert_eq!(person(&house, "ann").start_bulk(&run, None, "").await.unwrap().state, BulkState::Running);
}

#[tokio::test]
async fn what_was_asked_for_can_be_taken_back_and_is_not_needed_once_nobody_has_to_ask() {
    let house = house().await;
    let (first, second) = (frozen(&house, BulkVerb::Purge).await, frozen(&house, BulkVerb::Purge).await);
    for run in [&first, &second] {
        person(&house, "ann").start_bulk(run, None, "wrong").await.unwrap();
    }
    let aborted = person(&house, "ann").abort_bulk(&first, "it was right").await.unwrap();
    assert_eq!((aborted.state, aborted.pending), (BulkState::Aborted, JOBS));
    let late = person(&house, "bob").start_bulk(&first, None, "").await;
    assert!(matches!(late, Err(Error::BulkRunMoved { .. })), "{late:?}");

    house.redis.engine().operator("ann").set_second_person(false, "").await.unwrap();
    let started = person(&house, "ann").start_bulk(&second, None, "").await.unwrap();
    assert_eq!(started.state, BulkState::Running);
}

#[tokio::test]
async fn what_deletes_nothing_needs_one() {
    let house = house().await;
    let run = frozen(&house, BulkVerb::Reinstate).await;
    let started = house.redis.engine().operator("a program").start_bulk(&run, None, "").await.unwrap();
    assert_eq!((started.state, started.asked_by.as_str()), (BulkState::Running, ""));
}

#[tokio::test]
async fn what_waits_is_on_the_overview_until_it_is_decided() {
    let house = house().await;
    let asked = async || -> Vec<(String, u64)> {
        let overview = house.redis.engine().inspector().overview().await.unwrap();
        let waiting = overview.attention.into_iter().filter_map(|item| match item {
            Attention::Asked { by, jobs, .. } => Some((by, jobs)),
            _ => None,
        });
        waiting.collect()
    };
    assert_eq!(asked().await, []);
    for decided in ["started", "turned down"] {
        let run = frozen(&house, BulkVerb::Purge).await;
        person(&house, "ann").start_bulk(&run, None, "the import was wrong").await.unwrap();
        assert_eq!(asked().await, [("ann".to_owned(), JOBS)], "{decided}");
        match decided {
            "started" => person(&house, "bob").start_bulk(&run, None, "").await.unwrap(),
            _ => person(&house, "bob").abort_bulk(&run, "").await.unwrap(),
        };
        assert_eq!(asked().await, [], "{decided}");
    }
}

#[tokio::test]
async fn however_many_nobody_started_or_sees_those_that_wait_are_on_the_overview() {
    let house = house().await;
    let elsewhere: reprieve::model::QueueName = "elsewhere".parse().unwrap();
    let here: reprieve::model::QueueName = "default".parse().unwrap();
    let mut runs = Vec::new();
    for queue in std::iter::repeat_n(&elsewhere, 5).chain([&here]) {
        let bulk = person(&house, "ann").bulk(BulkVerb::Purge).only_in([queue.clone()]);
        runs.push(bulk.freeze().await.unwrap().id);
        person(&house, "ann").start_bulk(&runs[runs.len() - 1], None, "wrong").await.unwrap();
    }
    // Asked for long ago, and forgotten since.
    let waiting = format!("{}bulk_waiting", house.redis.prefix());
    for number in 0..5 {
        house
            .redis
            .command(&["ZADD", &waiting, &number.to_string(), &format!("gone-{number}")])
            .await
            .unwrap();
    }

    let asked = async |inspector: reprieve::Inspector| -> Vec<RunId> {
        let attention = inspector.overview().await.unwrap().attention.into_iter();
        attention
            .filter_map(|item| match item {
                Attention::Asked { run, .. } => Some(run),
                _ => None,
            })
            .collect()
    };
    let inspector = house.redis.engine().inspector();
    assert_eq!(asked(inspector.clone()).await, runs[..5]);
    assert_eq!(asked(inspector.only_in([here])).await, runs[5..]);
}

#[tokio::test]
async fn a_setting_that_does_not_read_is_nobodys_word_that_one_person_is_enough() {
    let house = house().await;
    let settings = format!("{}settings", house.redis.prefix());
    house.redis.command(&["HSET", &settings, "second_person", "perhaps"]).await.unwrap();
    // A process that has read nothing yet.
    let read = house.redis.engine().inspector().settings().await.unwrap();
    assert!(read.second_person);
}
