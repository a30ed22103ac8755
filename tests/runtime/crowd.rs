//! Many who look for what is not there, beside the one who works.

use super::scene::{Scene, job, within};
use reprieve::model::{Delay, Filter, FilteredQuery, QueueName, StateGroup};
use reprieve::{Due, NewJob};
use tokio::task::JoinSet;

/// Who looks, and at how many jobs each: all of them, in two steps.
const CROWD: usize = 8;
const JOBS: usize = 1_000;

#[tokio::test]
async fn a_crowd_that_looks_through_everything_holds_up_neither_claims_nor_pages() {
    let scene = Scene::new().await;
    for from in (0..JOBS).step_by(500) {
        let later = |n: usize| {
            let mut later = job(&format!("j{n}"), "k");
            later.due = Due::In(Delay::hours(1));
            later
        };
        scene.enqueue((from..from + 500).map(later).collect::<Vec<NewJob>>()).await;
    }
    let mut query = FilteredQuery::new("payload.a:nothing".parse::<Filter>().unwrap(), [StateGroup::Delay]);
    query.size = 200;
    let mut looking = JoinSet::new();
    for _ in 0..CROWD {
        let (inspector, query) = (scene.engine.inspector(), query.clone());
        looking.spawn(async move { inspector.filtered(&query).await.unwrap().looked_at });
    }
    within("the first to be done", looking.join_next()).await.unwrap().unwrap();

    scene.enqueue(vec![job("now", "k")]).await;
    let (queues, lease) = ([QueueName::default()], Delay::minutes(1));
    let claimed = scene.engine.claimant("w").claim(&queues, 10, lease).await.unwrap();
    let counts = scene.engine.inspector().counts(None).await.unwrap();

    let jobs = u64::try_from(JOBS).unwrap();
    assert_eq!((claimed.len(), counts.active, counts.delayed), (1, 1, jobs));
    let mut behind = 0;
    while let Some(looked_at) = within("the others", looking.join_next()).await {
        assert_eq!(looked_at.unwrap(), jobs, "each is served, in its turn");
        behind += 1;
    }
    assert_eq!(behind, CROWD - 1);
}
