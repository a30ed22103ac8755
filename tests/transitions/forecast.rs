//! What becomes due when: counts that are exact, kinds from a sample that says so.

use reprieve::model::{Forecast, JobId, Kind, QueueName, Subject, Timestamp};
use reprieve::testing::TestRedis;
use reprieve::{Due, Error, NewJob};

const HOUR: i64 = 3_600_000;
const DAY: i64 = 24 * HOUR;

/// The redis, and a midnight that is more than a day ahead: the next one may come while a test runs.
async fn scene() -> (TestRedis, i64) {
    scene_of(1).await
}

async fn scene_of(shards: u16) -> (TestRedis, i64) {
    let redis = TestRedis::with_shards(shards).await;
    let now = redis.engine().now().await.unwrap().as_millis();
    (redis, now - now.rem_euclid(DAY) + 2 * DAY)
}

fn at(ms: i64) -> Timestamp {
    Timestamp::from_millis(ms).unwrap()
}

fn job(id: &str, queue: &str, kind: &str, due_ms: i64) -> NewJob {
    let mut job = NewJob::new(Kind::new(kind).unwrap(), Vec::new());
    job.id = Some(JobId::new(id).unwrap());
    job.queue = QueueName::new(queue).unwrap();
    job.due = Due::At(at(due_ms));
    job
}

fn days(from: i64, count: i64) -> Vec<Timestamp> {
    (0..=count).map(|day| at(from + day * DAY)).collect()
}

fn due(forecast: &Forecast) -> Vec<u64> {
    forecast.spans.iter().map(|span| span.due).collect()
}

#[tokio::test]
async fn each_job_is_in_the_span_that_holds_its_due_time() {
    for shards in [1, 3] {
        let (redis, day) = scene_of(shards).await;
        let jobs = vec![
            job("before", "mail", "notice", day - 1),
            job("first-ms", "mail", "notice", day),
            job("last-ms", "sms", "notice", day + DAY - 1),
            job("next-day", "sms", "delete", day + DAY),
            job("behind", "mail", "notice", day + 3 * DAY),
        ];
        redis.engine().client().enqueue_batch(jobs).await.unwrap();
        let inspector = redis.engine().inspector();

        let forecast = inspector.forecast(None, &days(day, 3)).await.unwrap();

        assert_eq!((forecast.before, due(&forecast), forecast.total()), (1, vec![2, 1, 0], 3));
        assert_eq!(forecast.next, Some(at(day + 3 * DAY)));
        assert!(forecast.is_exact_by_kind());
        let (mail, sms) = (QueueName::new("mail").unwrap(), QueueName::new("sms").unwrap());
        assert_eq!(forecast.spans[0].queues, [(mail, 1), (sms.clone(), 1)]);
        assert_eq!(forecast.spans[1].kinds, [(Kind::new("delete").unwrap(), 1)]);
        let of_sms = inspector.forecast(Some(&sms), &days(day, 3)).await.unwrap();
        assert_eq!(due(&of_sms), [1, 1, 0]);
    }
}

#[tokio::test]
async fn of_one_subject_only_what_waits_for_it_is_counted() {
    for shards in [1, 3] {
        let (redis, day) = scene_of(shards).await;
        let customer = Subject::new("customer:4711").unwrap();
        let of = |id: &str, queue: &str, due_ms: i64| {
            let mut job = job(id, queue, "notice", due_ms);
            job.subject = Some(customer.clone());
            job
        };
        let jobs = vec![
            of("before", "mail", day - 1),
            of("first-ms", "mail", day),
            of("sms", "sms", day + DAY - 1),
            of("next-day", "mail", day + DAY),
            of("called-off", "mail", day + DAY),
            of("behind", "mail", day + 3 * DAY),
            job("somebody-else", "mail", "notice", day),
        ];
        redis.engine().client().enqueue_batch(jobs).await.unwrap();
        let off = JobId::new("called-off").unwrap();
        redis.engine().operator("ann").cancel(&off).await.unwrap();
        let inspector = redis.engine().inspector();

        let forecast = inspector.forecast_of(&customer, None, &days(day, 3)).await.unwrap();

        assert_eq!((forecast.before, due(&forecast)), (1, vec![2, 1, 0]));
        assert_eq!(forecast.next, Some(at(day + 3 * DAY)));
        assert!(forecast.is_exact_by_kind());
        let mail = QueueName::new("mail").unwrap();
        let of_mail = inspector.forecast_of(&customer, Some(&mail), &days(day, 3)).await.unwrap();
        assert_eq!(due(&of_mail), [1, 1, 0]);
        let nobody = Subject::new("customer:1").unwrap();
        assert_eq!(inspector.forecast_of(&nobody, None, &days(day, 3)).await.unwrap().total(), 0);
        let refused = inspector.forecast_of(&customer, None, &[]).await;
        assert!(matches!(refused, Err(Error::Invalid { .. })), "{refused:?}");
    }
}

#[tokio::test]
async fn a_day_is_the_sum_of_its_hours_and_of_its_queues() {
    let (redis, day) = scene().await;
    let jobs = (0..500_i64).map(|n| {
        let queue = ["mail", "sms", "deletions"][usize::try_from(n % 3).unwrap()];
        job(&format!("j{n}"), queue, "notice", day + n * n * 7_919 % (2 * DAY))
    });
    redis.engine().client().enqueue_batch(jobs.collect()).await.unwrap();
    let inspector = redis.engine().inspector();

    let days_of = inspector.forecast(None, &days(day, 2)).await.unwrap();
    let hours: Vec<_> = (0..=48).map(|hour| at(day + hour * HOUR)).collect();
    let hours_of = inspector.forecast(None, &hours).await.unwrap();

    assert_eq!(days_of.total(), 500);
    for (day, hours) in days_of.spans.iter().zip(hours_of.spans.chunks(24)) {
        assert_eq!(day.due, hours.iter().map(|hour| hour.due).sum::<u64>());
    }
    for span in days_of.spans.iter().chain(&hours_of.spans) {
        assert_eq!(span.due, span.queues.iter().map(|(_, count)| count).sum::<u64>());
        assert_eq!(span.due, span.kinds.iter().map(|(_, count)| count).sum::<u64>());
    }
}

#[tokio::test]
async fn kinds_of_more_jobs_than_are_looked_up_are_a_share_that_says_so() {
    let (redis, day) = scene().await;
    let jobs = (0..2_000_i64).map(|n| {
        let kind = if n % 4 == 0 { "delete" } else { "notice" };
        job(&format!("j{n:04}"), "mail", kind, day + n)
    });
    redis.engine().client().enqueue_batch(jobs.collect()).await.unwrap();

    let forecast = redis.engine().inspector().forecast(None, &days(day, 2)).await.unwrap();

    let span = &forecast.spans[0];
    assert!(!forecast.is_exact_by_kind());
    assert_eq!((span.due, span.looked), (2_000, 400));
    let deletions = span.kinds.iter().find(|(kind, _)| kind.as_str() == "delete").unwrap().1;
    assert!((300..700).contains(&deletions), "about a quarter: {deletions}");
    assert_eq!(span.kinds.iter().map(|(_, count)| count).sum::<u64>(), 2_000);
}

#[tokio::test]
async fn every_span_tells_its_kinds_whatever_number_of_shards_share_its_jobs() {
    let (redis, day) = scene_of(3).await;
    let jobs = (0..800_i64).map(|n| {
        let kind = if n % 4 == 0 { "delete" } else { "notice" };
        job(&format!("j{n:04}"), "mail", kind, day + n % 400 * DAY + n)
    });
    redis.engine().client().enqueue_batch(jobs.collect()).await.unwrap();

    let forecast = redis.engine().inspector().forecast(None, &days(day, 400)).await.unwrap();

    assert_eq!(forecast.total(), 800);
    for span in &forecast.spans {
        assert_eq!(span.kinds.iter().map(|(_, count)| count).sum::<u64>(), span.due, "{span:?}");
    }
}

#[tokio::test]
async fn jobs_on_hold_and_jobs_called_off_are_not_expected() {
    let (redis, day) = scene().await;
    let jobs = ["stays", "held", "off"].map(|id| job(id, "mail", "notice", day)).to_vec();
    redis.engine().client().enqueue_batch(jobs).await.unwrap();
    let ann = redis.engine().operator("ann");
    ann.hold(&JobId::new("held").unwrap()).await.unwrap();
    ann.cancel(&JobId::new("off").unwrap()).await.unwrap();
    let forecast = redis.engine().inspector().forecast(None, &days(day, 1)).await.unwrap();
    assert_eq!(due(&forecast), [1]);
}

#[tokio::test]
async fn bounds_that_make_no_spans_are_refused() {
    let (redis, day) = scene().await;
    let inspector = redis.engine().inspector();
    let many: Vec<_> = (0..=401).map(|minute| at(day + minute * 60_000)).collect();
    for bad in [
        vec![],
        vec![at(day)],
        vec![at(day), at(day)],
        vec![at(day + 1), at(day)],
        vec![at(day), at(day + 500 * DAY)],
        vec![Timestamp::EPOCH, at(day)],
        many,
    ] {
        let refused = inspector.forecast(None, &bad).await;
        assert!(matches!(refused, Err(Error::Invalid { .. })), "{bad:?}");
    }
    assert_eq!(inspector.forecast(None, &days(day, 400)).await.unwrap().spans.len(), 400);
    // A delay of nothing at all is due before every day to come.
    redis
        .engine()
        .client()
        .enqueue_batch(vec![job("now", "mail", "notice", day - 2 * DAY - 1)])
        .await
        .unwrap();
    assert_eq!(inspector.forecast(None, &days(day, 1)).await.unwrap().total(), 0);
}
