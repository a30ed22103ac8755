//! A run that waits for a second person: of a start and of taking it back one wins in every shard.

use crate::shards::scene::{SHARDS, Scene, about, subject_of};
use reprieve::Error;
use reprieve::model::{BulkFilter, BulkRun, BulkState, BulkVerb, JobState, RunId};

/// A deletion of a job in each shard, which nobody has asked for yet.
async fn frozen() -> (Scene, RunId) {
    let scene = Scene::new().await;
    for shard in 0..SHARDS {
        let name = format!("job{shard}");
        scene.enqueue(about(&subject_of(shard), &name)).await;
        scene.engine.operator("ann").cancel(&crate::shards::scene::id(&name)).await.unwrap();
    }
    assert!(scene.engine.operator("ann").set_second_person(true, "four eyes").await.unwrap());
    let mut cancelled = BulkFilter::default();
    cancelled.states = vec![JobState::Cancelled];
    let ann = scene.engine.operator("ann").signed_in();
    let run = ann.bulk(BulkVerb::Purge).filter(cancelled).freeze().await.unwrap().id;
    (scene, run)
}

/// The same, which ann has asked for.
async fn asked_for() -> (Scene, RunId) {
    let (scene, run) = frozen().await;
    let ann = scene.engine.operator("ann").signed_in();
    let asked = ann.start_bulk(&run, None, "the import was wrong").await.unwrap();
    assert_eq!((asked.state, asked.total), (BulkState::Waiting, u64::from(SHARDS)));
    (scene, run)
}

/// Somebody was faster in the first shard, which decides.
async fn first_shard_is(scene: &Scene, run: &RunId, state: BulkState) {
    first_shard_has(scene, run, &["state", state.as_str()]).await;
}

async fn first_shard_has(scene: &Scene, run: &RunId, fields: &[&str]) {
    let key = format!("{}bulk:{run}", scene.redis.prefix());
    scene.redis.command(&[&["HSET", &key], fields].concat()).await.unwrap();
}

/// The state of each shard's part.
async fn states(scene: &Scene, run: &RunId) -> Vec<String> {
    let mut states = Vec::new();
    for shard in 0..SHARDS {
        let prefix = scene.redis.prefix().replace(".0}", &format!(".{shard}}}"));
        let value = scene.redis.command(&["HGET", &format!("{prefix}bulk:{run}"), "state"]).await.unwrap();
        states.push(redis::from_redis_value(value).unwrap());
    }
    states
}

fn moved_on(answer: &Result<BulkRun, Error>, from: BulkState) {
    let is_refused = matches!(answer, Err(Error::BulkRunMoved { state, .. }) if *state == from);
    assert!(is_refused, "{answer:?}");
}

#[tokio::test]
async fn what_somebody_has_started_is_not_taken_back_in_any_shard() {
    let (scene, run) = asked_for().await;
    first_shard_is(&scene, &run, BulkState::Running).await;

    let taken_back = scene.engine.operator("ann").signed_in().take_back_bulk(&run, "it was right").await;

    moved_on(&taken_back, BulkState::Running);
    assert_eq!(states(&scene, &run).await, ["running", "waiting", "waiting", "waiting"]);
    // The caller that was cut off there goes on.
    let started = scene.engine.operator("bob").signed_in().start_bulk(&run, None, "").await.unwrap();
    assert_eq!(started.state, BulkState::Running);
    assert_eq!(states(&scene, &run).await, ["running"; 4]);
}

#[tokio::test]
async fn what_was_taken_back_does_not_start_in_any_shard() {
    let (scene, run) = asked_for().await;
    first_shard_is(&scene, &run, BulkState::Aborted).await;

    let started = scene.engine.operator("bob").signed_in().start_bulk(&run, None, "").await;

    moved_on(&started, BulkState::Aborted);
    assert_eq!(states(&scene, &run).await, ["aborted", "waiting", "waiting", "waiting"]);
    // The caller that was cut off there goes on.
    let ann = scene.engine.operator("ann").signed_in();
    let taken_back = ann.take_back_bulk(&run, "it was right").await.unwrap();
    assert_eq!(
        (taken_back.state, states(&scene, &run).await),
        (BulkState::Aborted, vec!["aborted".to_owned(); 4])
    );
}

#[tokio::test]
async fn a_caller_who_was_cut_off_while_they_asked_for_a_run_asks_for_it_in_the_other_shards_once_more() {
    let (scene, run) = frozen().await;
    first_shard_has(&scene, &run, &["state", "waiting", "asked_by", "ann"]).await;

    let by_a_program = scene.engine.operator("import").start_bulk(&run, None, "").await;
    assert!(matches!(by_a_program, Err(Error::SecondPerson)), "{by_a_program:?}");
    assert_eq!(states(&scene, &run).await, ["waiting", "frozen", "frozen", "frozen"]);

    let ann = scene.engine.operator("ann").signed_in();
    let asked = ann.start_bulk(&run, None, "the import was wrong").await.unwrap();
    assert_eq!(asked.state, BulkState::Waiting);
    assert_eq!(states(&scene, &run).await, ["waiting"; 4]);
}
