//! How it stood in each minute, and what happened in each hour.

use super::seed::{is_about, kept_for};
use reprieve::model::{Delay, JobId, Kind, QueueName, Timestamp};
use reprieve::testing::TestRedis;
use reprieve::{Due, NewJob};

const MINUTE: i64 = 60_000;
const HOUR: i64 = 60 * MINUTE;
/// A full hour of January 2027.
const START: i64 = 1_798_761_600_000;

fn t(ms: i64) -> Timestamp {
    Timestamp::from_millis(START + ms).unwrap()
}

async fn enqueue(redis: &TestRedis, id: &str, queue: &str, due: Timestamp) {
    let mut job = NewJob::new(Kind::new("notice").unwrap(), Vec::new());
    job.id = Some(JobId::new(id).unwrap());
    job.queue = QueueName::new(queue).unwrap();
    job.due = Due::At(due);
    redis.engine().client().enqueue_batch(vec![job]).await.unwrap();
}

#[tokio::test]
async fn a_minute_is_written_down_once_and_read_back_as_it_stood() {
    for shards in [1, 3] {
        let redis = TestRedis::with_shards(shards).await;
        for (id, queue, due) in [("a", "mail", 4_000_000_000_000), ("b", "mail", START), ("c", "sms", START)]
        {
            enqueue(&redis, id, queue, Timestamp::from_millis(due).unwrap()).await;
        }
        assert!(redis.record_at(t(10)).await.unwrap());
        assert!(!redis.record_at(t(59_999)).await.unwrap(), "the minute is written down already");

        enqueue(&redis, "late", "mail", t(0)).await;
        assert!(redis.record_at(t(MINUTE)).await.unwrap());

        let at = async |ms| redis.inspector_at(t(ms)).counts_at(t(ms)).await.unwrap().unwrap();
        let (first, second) = (at(30_000).await, at(MINUTE).await);
        let total = |counts: &reprieve::model::CountsAt| counts.total().delayed + counts.total().ready;
        assert_eq!((total(&first), total(&second)), (3, 4));
        assert_eq!(first.queues.iter().map(|(name, _)| name.as_str()).collect::<Vec<_>>(), ["mail", "sms"]);
        assert_eq!(
            first.due_within_hour + first.total().ready,
            2,
            "the one of the far future is not expected"
        );
    }
}

#[tokio::test]
async fn of_more_queues_than_are_written_down_it_is_known_how_many_there_were() {
    for (queues, in_all) in [(200, None), (201, Some(201))] {
        let redis = TestRedis::namespace().await;
        let jobs = (0..queues).map(|number| {
            let mut job = NewJob::new(Kind::new("notice").unwrap(), Vec::new());
            job.queue = QueueName::new(format!("q{number:03}")).unwrap();
            job.due = Due::At(Timestamp::from_millis(4_000_000_000_000).unwrap());
            job
        });
        redis.engine().client().enqueue_batch(jobs.collect()).await.unwrap();
        assert!(redis.record_at(t(0)).await.unwrap());

        let counts = redis.inspector_at(t(0)).counts_at(t(0)).await.unwrap().unwrap();

        assert_eq!((counts.queues.len(), counts.queues_in_all), (200, in_all));
        let mine = QueueName::new("q007").unwrap();
        let bound = redis.inspector_at(t(0)).only_in([mine]).counts_at(t(0)).await.unwrap().unwrap();
        assert_eq!(
            (bound.queues.len(), bound.queues_in_all),
            (1, in_all.map(|_| 0)),
            "not how many there are"
        );
    }
}

#[tokio::test]
async fn a_minute_that_nobody_wrote_down_is_that_of_ten_minutes_before_at_most() {
    let redis = TestRedis::namespace().await;
    assert!(redis.record_at(t(0)).await.unwrap());
    let known = async |ms| redis.inspector_at(t(ms)).counts_at(t(ms)).await.unwrap().map(|counts| counts.at);
    assert_eq!(known(10 * MINUTE + 59_999).await, Some(t(0)));
    assert_eq!(known(11 * MINUTE).await, None);
    assert_eq!(known(-1).await, None);
}

#[tokio::test]
async fn what_was_expected_of_an_hour_is_what_was_due_when_it_began() {
    let redis = TestRedis::namespace().await;
    enqueue(&redis, "soon", "mail", t(30 * MINUTE + 40 * 365 * 24 * HOUR)).await;
    assert!(redis.record_at(t(0)).await.unwrap());
    let expected = redis.inspector_at(t(2 * HOUR + 5)).expected_by_hour(3).await.unwrap();
    assert_eq!(expected, [(t(0), Some(0)), (t(HOUR), None), (t(2 * HOUR), None)]);
}

#[tokio::test]
async fn what_is_due_with_the_first_tick_of_an_hour_was_expected_of_it() {
    for shards in [1, 3] {
        let redis = TestRedis::with_shards(shards).await;
        for (id, due) in [("before", HOUR - 1), ("first", HOUR), ("last", 2 * HOUR - 1), ("after", 2 * HOUR)]
        {
            enqueue(&redis, id, "mail", t(due)).await;
        }
        assert!(redis.record_at(t(HOUR - 2 * MINUTE)).await.unwrap());
        enqueue(&redis, "late", "sms", t(HOUR)).await;
        assert!(redis.record_at(t(HOUR - 50_000)).await.unwrap());
        for store in redis.shards().at(t(HOUR)).all() {
            store.forward(100, 0).await.unwrap();
        }
        assert!(redis.record_at(t(HOUR + 5_000)).await.unwrap());

        let expected = redis.inspector_at(t(2 * HOUR - 1)).expected_by_hour(1).await.unwrap();

        assert_eq!(expected, [(t(HOUR), Some(3))]);
    }
}

#[tokio::test]
async fn of_more_queues_than_are_looked_at_it_is_not_known_what_was_expected() {
    // A minute before it, and by its first minute where nobody saw it coming.
    for recorded in [HOUR - MINUTE, HOUR] {
        for (queues, expected) in [(200, Some(200)), (201, None)] {
            let redis = TestRedis::namespace().await;
            let jobs = (0..queues).map(|number| {
                let mut job = NewJob::new(Kind::new("notice").unwrap(), Vec::new());
                job.queue = QueueName::new(format!("q{number:03}")).unwrap();
                job.due = Due::At(t(HOUR + MINUTE));
                job
            });
            redis.engine().client().enqueue_batch(jobs.collect()).await.unwrap();

            assert!(redis.record_at(t(recorded)).await.unwrap());

            let by_hour = redis.inspector_at(t(HOUR + MINUTE)).expected_by_hour(1).await.unwrap();
            assert_eq!(by_hour, [(t(HOUR), expected)], "{recorded}");
        }
    }
}

#[tokio::test]
async fn the_sums_of_an_hour_are_those_of_its_minutes_and_need_them_no_more() {
    let redis = TestRedis::namespace().await;
    for minute in [0, 7, 59] {
        let key = format!("{}stats:{}", redis.prefix(), START + minute * MINUTE);
        redis.command(&["HSET", &key, "q:mail:started", "5", "q:mail:run3", "2"]).await.unwrap();
    }
    let hourly = async || {
        let hours = redis.inspector_at(t(HOUR + 90_000)).hourly_stats(None, 2).await.unwrap();
        (hours[0].at, hours[0].started, hours[0].run.total(), hours[1].started)
    };
    let sums = (t(0), 15, 6, 0);
    assert_eq!(hourly().await, sums, "from the minutes");
    redis.sum_hours_at(t(HOUR + 1)).await.unwrap();
    for minute in [0, 7, 59] {
        let key = format!("{}stats:{}", redis.prefix(), START + minute * MINUTE);
        let left: i64 = redis::from_redis_value(redis.command(&["TTL", &key]).await.unwrap()).unwrap();
        assert!((1..=25 * 3_600).contains(&left), "kept for {left} s, longer than any chart of minutes");
        redis.command(&["DEL", &key]).await.unwrap();
    }
    assert_eq!(hourly().await, sums, "from the hour");
}

#[tokio::test]
async fn hours_that_nobody_added_up_are_told_from_their_minutes() {
    let redis = TestRedis::namespace().await;
    for hour in 0..4 {
        let key = format!("{}stats:{}", redis.prefix(), START + hour * HOUR + 7 * MINUTE);
        redis.command(&["HSET", &key, "q:mail:done", &(hour + 1).to_string()]).await.unwrap();
    }

    let hours = redis.inspector_at(t(4 * HOUR + 90_000)).hourly_stats(None, 168).await.unwrap();

    let done: Vec<u64> = hours.iter().skip(163).map(|hour| hour.done).collect();
    assert_eq!(done, [1, 2, 3, 4, 0]);
}

#[tokio::test]
async fn a_minute_is_kept_for_two_days_and_what_stands_for_an_hour_for_eight() {
    let redis = TestRedis::namespace().await;
    enqueue(&redis, "a", "mail", t(HOUR + 1)).await;
    for ms in [0, MINUTE, 55 * MINUTE] {
        assert!(redis.record_at(t(ms)).await.unwrap());
    }

    for (key, days) in [
        (format!("counts:{START}"), 8),
        (format!("counts:{}", START + MINUTE), 2),
        (format!("expected:{}", START + HOUR), 8),
    ] {
        let kept = kept_for(&redis, &key).await;
        assert!(is_about(kept, Delay::days(days)), "{key}: {kept:?}");
    }
}
