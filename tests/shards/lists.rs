//! Lists merge, counts add up, acts on queues reach every shard.

use crate::shards::scene::{Scene, id, job};
use reprieve::model::filter::{FilteredQuery, Tally};
use reprieve::model::{
    AuditFilter, Delay, Direction, EventPlace, Filter, JobRow, ListQuery, QueueLimits, QueueName, Rate,
    StateGroup, Timestamp,
};
use reprieve::{Due, Error, Replay};
use std::time::Duration;

/// Forty jobs with ten due times, so that equal ones meet over the borders of shards.
async fn forty(scene: &Scene) -> Vec<String> {
    let jobs: Vec<_> = (0..40)
        .map(|number: i64| {
            let mut job = job(&format!("job{number:02}"));
            job.due = Due::At(Timestamp::from_millis(4_000_000_000_000 + number % 10).unwrap());
            job
        })
        .collect();
    let mut expected: Vec<_> = (0..40).map(|number: i64| (number % 10, format!("job{number:02}"))).collect();
    expected.sort();
    assert_eq!(scene.engine.client().enqueue_batch(jobs).await.unwrap().len(), 40);
    let used = scene.redis.shards().all();
    for store in used {
        assert!(store.survey(None).await.unwrap().queues.iter().any(|queue| queue.counts.delayed > 0));
    }
    expected.into_iter().map(|(_, name)| name).collect()
}

async fn forty_more(scene: &Scene) {
    let jobs = (0..40).map(|number| job(&format!("more{number:02}"))).collect();
    scene.engine.client().enqueue_batch(jobs).await.unwrap();
}

fn names(rows: &[JobRow]) -> Vec<String> {
    rows.iter().map(|row| row.id.to_string()).collect()
}

#[tokio::test]
async fn a_list_over_shards_is_the_list_there_would_be_without_them() {
    let scene = Scene::new().await;
    let expected = forty(&scene).await;
    for (direction, size) in [
        (Direction::Ascending, 7),
        (Direction::Descending, 7),
        (Direction::Ascending, 40),
        (Direction::Ascending, 1),
    ] {
        let mut want = expected.clone();
        if direction == Direction::Descending {
            want.reverse();
        }
        let (mut found, mut after) = (Vec::new(), None);
        loop {
            let query = ListQuery::group(StateGroup::Delay).direction(direction).size(size).after(after);
            let page = scene.engine.inspector().list(&query).await.unwrap();
            assert_eq!(page.total, 40);
            assert!(page.rows.len() <= usize::from(size));
            found.extend(names(&page.rows));
            after = page.next;
            if after.is_none() {
                break;
            }
        }
        assert_eq!(found, want);
    }
}

#[tokio::test]
async fn counts_minutes_and_spans_ahead_add_up() {
    let scene = Scene::new().await;
    forty(&scene).await;
    let mut soon = job("soon");
    soon.due = Due::In(Delay::seconds(90));
    scene.enqueue(soon).await;

    let inspector = scene.engine.inspector();
    assert_eq!(inspector.counts(None).await.unwrap().delayed, 41);
    let queues = inspector.queues().await.unwrap();
    assert_eq!((queues.len(), queues[0].counts.delayed), (1, 41));
    let minutes = inspector.stats(None, 5).await.unwrap();
    assert_eq!((minutes.len(), minutes.iter().map(|minute| minute.enqueued).sum::<u64>()), (5, 41));
    assert_eq!(inspector.due_ahead(None, Delay::minutes(1), 3).await.unwrap(), [0, 1, 0]);
    let rows = inspector.rows(&[id("job07"), id("nobody"), id("soon")]).await.unwrap();
    let ids: Vec<_> = rows.iter().map(|row| row.as_ref().map(|row| row.id.to_string())).collect();
    assert_eq!(ids, [Some("job07".to_owned()), None, Some("soon".to_owned())]);
}

#[tokio::test]
async fn how_it_stood_is_known_of_a_minute_that_every_shard_wrote_down() {
    let scene = Scene::new().await;
    forty(&scene).await;
    // From the beginning of an hour on.
    let at = |minute: i64| Timestamp::from_millis(1_699_999_200_000 + minute * 60_000).unwrap();
    for minute in [0, 1] {
        assert!(scene.redis.record_at(at(minute)).await.unwrap());
    }
    let inspector = scene.redis.inspector_at(at(1));
    let stood = async || {
        let counts = inspector.counts_at(at(1)).await.unwrap();
        counts.map(|counts| (counts.at, counts.total().delayed))
    };
    let shard = scene.redis.prefix().replace(".0}", ".2}");
    let forget = async |minute| {
        let key = format!("{shard}counts:{}", at(minute).as_millis());
        scene.redis.command(&["DEL", &key]).await.unwrap();
    };
    assert_eq!(stood().await, Some((at(1), 40)));
    assert_eq!(inspector.expected_by_hour(1).await.unwrap(), [(at(0), Some(0))]);

    forget(1).await;
    assert_eq!(stood().await, Some((at(0), 40)), "the others alone are not how it stood");

    forget(0).await;
    assert_eq!(stood().await, None);
    assert_eq!(inspector.expected_by_hour(1).await.unwrap(), [(at(0), None)]);
}

#[tokio::test]
async fn pausing_a_queue_reaches_every_shard_and_can_be_repeated() {
    let scene = Scene::new().await;
    forty(&scene).await;
    let (queue, operator) = (QueueName::default(), scene.engine.operator("ann"));
    // Cut off half-way: one shard is paused already.
    let intent = reprieve::store::Intent::of("ann");
    assert!(scene.redis.shards().all()[2].pause(&queue, &intent).await.unwrap());
    assert!(scene.engine.inspector().queues().await.unwrap()[0].paused.is_some());

    assert!(operator.pause(&queue, "maintenance").await.unwrap(), "the other shards were not paused");
    assert!(!operator.pause(&queue, "maintenance").await.unwrap());
    for store in scene.redis.shards().all() {
        assert!(store.survey(None).await.unwrap().queues[0].paused.is_some());
    }
    assert!(operator.resume(&queue, "done").await.unwrap());
    assert!(scene.engine.inspector().queues().await.unwrap()[0].paused.is_none());
}

#[tokio::test]
async fn a_filter_looks_at_as_many_jobs_as_it_says_over_all_shards_together() {
    let scene = Scene::new().await;
    let jobs: Vec<_> = (0..8_000).map(|number| job(&format!("job{number:04}"))).collect();
    for some in jobs.chunks(1_000) {
        scene.engine.client().enqueue_batch(some.to_vec()).await.unwrap();
    }
    let filter: Filter = "payload.a:nothing".parse().unwrap();
    let mut query = FilteredQuery::new(filter, [StateGroup::Delay]);
    let mut looked_at = Vec::new();
    loop {
        let page = scene.engine.inspector().filtered(&query).await.unwrap();
        assert_eq!((page.rows.len(), page.among), (0, 8_000));
        looked_at.push(page.looked_at);
        query.after = page.next;
        if query.after.is_none() {
            break;
        }
    }

    assert!(looked_at.len() >= 2, "{looked_at:?}");
    // What one shard has shown behind the place that another one stopped at is looked at again, and counts there.
    assert!((2_000..5_100).contains(&looked_at[0]), "{looked_at:?}");
    assert_eq!(looked_at.iter().sum::<u64>(), 8_000, "each counts once, and none is left out: {looked_at:?}");
}

#[tokio::test]
async fn a_job_that_a_count_meets_in_two_shards_on_its_way_counts_once() {
    let scene = Scene::new().await;
    for shard in [1, 2] {
        let store = &scene.redis.shards().all()[shard];
        store.enqueue("client", &[(id("moves"), job("moves"))]).await.unwrap();
    }
    scene.enqueue(job("stays")).await;
    let (inspector, groups) = (scene.engine.inspector(), [StateGroup::Delay]);
    let filter: Filter = "kind:notice -tag:none".parse().unwrap();

    let counted = inspector.count_on(&FilteredQuery::new(filter.clone(), groups)).await.unwrap();
    let tally = inspector.tally(&filter, &groups, "").await.unwrap();

    assert_eq!((counted.found, counted.looked_at, counted.next), (2, 3, None));
    assert_eq!(tally, Tally::new(2, false));
}

#[tokio::test]
async fn limits_are_shared_among_the_shards_and_told_once_as_a_whole() {
    let scene = Scene::new().await;
    forty(&scene).await;
    let (queue, operator) = (QueueName::default(), scene.engine.operator("ann"));
    let rate = Rate { jobs: 7, per: Delay::seconds(1) };
    let first = QueueLimits {
        concurrency: Some(10),
        rate: Some(rate),
        concurrency_per_key: Some(1),
        ..QueueLimits::default()
    };

    assert!(operator.limit(&queue, first, "the provider asked").await.unwrap());
    assert!(!operator.limit(&queue, first, "the provider asked").await.unwrap(), "it has them already");
    let second = QueueLimits { concurrency: Some(20), ..QueueLimits::default() };
    assert!(operator.limit(&queue, second, "more").await.unwrap());

    let mut shares = Vec::new();
    for store in scene.redis.shards().all() {
        let limits = store.survey(None).await.unwrap().queues[0].limits.clone().unwrap();
        shares.push(limits.limits.concurrency.unwrap());
    }
    assert_eq!(shares, [5, 5, 5, 5]);
    let filter = AuditFilter::default();
    let entries = scene.engine.inspector().audit(&filter, None, 10).await.unwrap().items;
    let told: Vec<_> =
        entries.iter().map(|entry| (entry.verb.as_str(), entry.from.as_str(), entry.to.as_str())).collect();
    let whole = "concurrency 10, rate 7, period_ms 1000, concurrency_per_key 1";
    assert_eq!(told, [("limit", whole, "concurrency 20"), ("limit", "", whole)]);
}

#[tokio::test]
async fn what_changes_a_limit_is_told_from_the_whole_before_also_where_a_share_stayed_the_same() {
    let scene = Scene::new().await;
    let (queue, operator) = (QueueName::default(), scene.engine.operator("ann"));
    for most in [10, 9, 5] {
        // Entries of one millisecond in different shards have no order.
        tokio::time::sleep(Duration::from_millis(2)).await;
        let limits = QueueLimits { concurrency: Some(most), ..QueueLimits::default() };
        assert!(operator.limit(&queue, limits, "").await.unwrap());
    }

    let entries = scene.engine.inspector().audit(&AuditFilter::default(), None, 10).await.unwrap().items;
    let told: Vec<_> = entries.iter().map(|entry| (entry.from.as_str(), entry.to.as_str())).collect();
    let [five, nine, ten] = ["concurrency 5", "concurrency 9", "concurrency 10"];
    assert_eq!(told, [(nine, five), (ten, nine), ("", ten)]);
}

#[tokio::test]
async fn a_caller_who_has_seen_a_limit_smaller_than_the_shards_are_many_may_change_it() {
    let scene = Scene::new().await;
    let (queue, operator) = (QueueName::default(), scene.engine.operator("ann"));
    let limit = |most| QueueLimits { concurrency: Some(most), ..QueueLimits::default() };
    let [three, five, six] = [3, 5, 6].map(limit);
    assert!(operator.limit(&queue, three, "").await.unwrap());

    assert!(!operator.limit_having_seen(&queue, three, three, "").await.unwrap(), "it has them already");
    assert!(operator.limit_having_seen(&queue, five, three, "").await.unwrap());
    let late = operator.limit_having_seen(&queue, six, three, "").await;

    assert!(matches!(late, Err(Error::SettingChanged { .. })), "{late:?}");
    assert!(operator.limit_having_seen(&queue, six, five, "").await.unwrap());
}

#[tokio::test]
async fn events_of_all_shards_arrive_and_are_replayed_from_a_place_in_each() {
    let scene = Scene::new().await;
    let tail = scene.engine.events();
    let mut live = tail.subscribe();
    tail.ready().await;
    forty(&scene).await;
    forty_more(&scene).await;
    let mut seen = Vec::new();
    while seen.len() < 80 {
        seen.push(tokio::time::timeout(Duration::from_secs(60), live.recv()).await.unwrap().unwrap());
    }

    // An entry of a stream holds the events of a batch: the place of a listener lies behind whole entries.
    let mut place = EventPlace::beginning(4);
    for event in seen.iter().filter(|event| event.job.as_str().starts_with("job")) {
        place.pass(event);
    }
    let place: EventPlace = place.to_string().parse().unwrap();
    let Replay::Events(missed) = tail.replay(&place).await.unwrap() else { panic!("a gap") };

    let mut names: Vec<_> = missed.iter().map(|event| event.job.to_string()).collect();
    names.sort();
    assert_eq!(names, (0..40).map(|number| format!("more{number:02}")).collect::<Vec<_>>());
    assert!(missed.iter().all(|event| !place.includes(event)));
    assert_eq!(
        tail.replay(&EventPlace::beginning(1)).await.unwrap(),
        Replay::Gap,
        "the place of other shards"
    );
}
