//! A bulk run goes on without the person who started it, but not without their right.

use super::{House, name};
use reprieve::model::{BulkFilter, BulkRun, BulkState, BulkVerb, Delay, JobState, QueueName, Role, RunId};
use reprieve::testing::TestRedis;
use reprieve::{Due, NewJob, Operator};

const JOBS: usize = 9;
/// Jobs of one step.
const STEP: u32 = 3;

/// A run that bob, an operator, has started, and of which a third is done.
async fn under_way(house: &House, verb: BulkVerb, operator: &Operator, only_in: &[QueueName]) -> RunId {
    let jobs = (0..JOBS).map(|number| {
        let mut job = NewJob::new("k".parse().unwrap(), "{}");
        job.id = Some(format!("j{number}").parse().unwrap());
        job.due = Due::In(Delay::hours(1));
        job
    });
    house.redis.engine().client().enqueue_batch(jobs.collect()).await.unwrap();
    let mut filter = BulkFilter::default();
    if verb == BulkVerb::Purge {
        filter.states = vec![JobState::Cancelled];
        for number in 0..JOBS {
            let id = format!("j{number}").parse().unwrap();
            house.redis.engine().operator("ann").cancel(&id).await.unwrap();
        }
    }
    let run = operator.bulk(verb).filter(filter).only_in(only_in).freeze().await.unwrap();
    assert_eq!(run.total, JOBS as u64);
    operator.start_bulk(&run.id, None, "not needed any more").await.unwrap();
    step(house, &run.id).await;
    run.id
}

async fn step(house: &House, run: &RunId) -> BulkRun {
    // No matter who takes it further: the rights that count are those of its starter.
    house.redis.engine().operator("somebody").step_bulk(run, STEP).await.unwrap();
    house.redis.engine().inspector().bulk_run(run).await.unwrap().unwrap()
}

async fn house_with_bob() -> (House, Operator) {
    let house = House::new().await;
    house.add("bob", Role::Operator).await;
    let operator = house.redis.engine().operator("bob").signed_in();
    (house, operator)
}

#[tokio::test]
async fn a_person_who_loses_the_right_loses_the_run_and_it_says_why() {
    let mail = ["mail".parse().unwrap()];
    for case in ["viewer", "queues", "disabled", "removed"] {
        let (house, operator) = house_with_bob().await;
        let run = under_way(&house, BulkVerb::Cancel, &operator, &[]).await;
        let (people, bob) = (house.people(), name("bob"));

        match case {
            "viewer" => people.set_role(&bob, Role::Viewer, &[], "ann", "").await.unwrap(),
            "queues" => people.set_role(&bob, Role::Operator, &mail, "ann", "").await.unwrap(),
            "disabled" => people.set_disabled(&bob, true, "ann", "").await.unwrap(),
            _ => people.remove(&bob, "ann", "").await.unwrap(),
        }
        let ended = step(&house, &run).await;

        assert_eq!(ended.state, BulkState::Aborted, "{case}");
        assert_eq!(
            (ended.changed, ended.pending),
            (3, 6),
            "{case}: what was done stays done, the rest is left alone"
        );
        assert_eq!(ended.ended_by, "bulk");
        let why = match case {
            "viewer" => "bob is now viewer and has lost the permission jobs.bulk",
            "queues" => "the rights of bob do not hold in all queues of the run",
            _ => "bob may not sign in any more",
        };
        assert_eq!(ended.ended_why, why);
        let audit = house.audit().await;
        assert_eq!(audit.last().unwrap(), &format!("bulk bulk_cancel {run}"), "{case}: {audit:?}");
        let page = house.redis.engine().inspector().audit(&Default::default(), None, 1).await.unwrap();
        assert_eq!(page.items[0].why, why);
        // And it is not begun anew by somebody who takes steps.
        assert_eq!(step(&house, &run).await.pending, 6);
        assert_eq!(house.redis.engine().inspector().counts(None).await.unwrap().of(JobState::Cancelled), 3);
    }
}

#[tokio::test]
async fn a_run_that_is_bound_to_queues_goes_on_as_long_as_those_are_its_starters() {
    let [here, mail]: [QueueName; 2] = ["default", "mail"].map(|queue| queue.parse().unwrap());
    for (queues, expected) in [
        (vec![here.clone()], BulkState::Running),
        (vec![mail.clone(), here.clone()], BulkState::Running),
        (vec![], BulkState::Running),
        (vec![mail.clone()], BulkState::Aborted),
    ] {
        let (house, operator) = house_with_bob().await;
        let run = under_way(&house, BulkVerb::Cancel, &operator, std::slice::from_ref(&here)).await;
        house.people().set_role(&name("bob"), Role::Operator, &queues, "ann", "").await.unwrap();
        let then = step(&house, &run).await;
        assert_eq!(then.state, expected, "{queues:?}: {}", then.ended_why);
        assert_eq!(then.only_in, std::slice::from_ref(&here));
    }
}

#[tokio::test]
async fn the_right_that_counts_is_that_of_the_verb() {
    for (verb, role, expected) in [
        (BulkVerb::Cancel, Role::Support, BulkState::Running),
        (BulkVerb::Hold, Role::Admin, BulkState::Running),
        (BulkVerb::Purge, Role::Support, BulkState::Aborted),
    ] {
        let (house, operator) = house_with_bob().await;
        let run = under_way(&house, verb, &operator, &[]).await;
        house.people().set_role(&name("bob"), role, &[], "ann", "").await.unwrap();
        let then = step(&house, &run).await;
        assert_eq!(then.state, expected, "{verb} as {role}: {}", then.ended_why);
        let changed = if expected == BulkState::Running { 6 } else { 3 };
        assert_eq!(then.changed, changed, "{verb} as {role}");
    }
}

#[tokio::test]
async fn a_run_of_a_program_or_of_the_person_who_took_it_over_is_not_theirs() {
    // A program of the same name has its rights from elsewhere.
    let (house, _) = house_with_bob().await;
    let run = under_way(&house, BulkVerb::Cancel, &house.redis.engine().operator("bob"), &[]).await;
    house.people().set_disabled(&name("bob"), true, "ann", "").await.unwrap();
    assert_eq!(step(&house, &run).await.state, BulkState::Running);

    // Made by bob and started by ann, it is ann's.
    let (house, operator) = house_with_bob().await;
    let mut job = NewJob::new("k".parse().unwrap(), "{}");
    job.due = Due::In(Delay::hours(1));
    house.redis.engine().client().enqueue_batch(vec![job]).await.unwrap();
    let run = operator.bulk(BulkVerb::Cancel).freeze().await.unwrap().id;
    house.redis.engine().operator("ann").signed_in().start_bulk(&run, None, "").await.unwrap();
    house.people().remove(&name("bob"), "ann", "").await.unwrap();
    let done = step(&house, &run).await;
    assert_eq!((done.state, done.changed), (BulkState::Done, 1));
}

#[tokio::test]
async fn a_starter_who_does_not_read_is_nobody_in_whose_name_to_act() {
    let (house, operator) = house_with_bob().await;
    let run = under_way(&house, BulkVerb::Cancel, &operator, &[]).await;
    let people = format!("{}people", house.redis.prefix());
    house.redis.command(&["HSET", &people, "bob", r#"{"role":"emperor"}"#]).await.unwrap();

    let tried = house.redis.engine().operator("somebody").step_bulk(&run, STEP).await;

    assert!(matches!(tried, Err(reprieve::Error::Codec { .. })), "{tried:?}");
    let then = house.redis.engine().inspector().bulk_run(&run).await.unwrap().unwrap();
    assert_eq!((then.state, then.changed), (BulkState::Running, 3), "nothing was done in the meantime");
}

#[tokio::test]
async fn the_parts_of_a_run_in_all_shards_end() {
    let house = House { redis: TestRedis::with_shards(3).await };
    house.people().found(&name("ann"), super::PASSWORD).await.unwrap();
    house.add("bob", Role::Operator).await;
    let operator = house.redis.engine().operator("bob").signed_in();
    let run = under_way(&house, BulkVerb::Cancel, &operator, &[]).await;
    house.people().set_role(&name("bob"), Role::Viewer, &[], "ann", "").await.unwrap();
    let before = house.redis.engine().inspector().bulk_run(&run).await.unwrap().unwrap();

    let after = step(&house, &run).await;

    assert!(after.state.is_over(), "{}", after.state);
    assert_eq!(after.changed, before.changed);
}
