//! Workers that claim by calls of their own are among the workers, and can be made quiet.

use super::scene::{id, job, queue, within};
use reprieve::model::{
    Attention, Delay, QueueName, RunMode, WorkerInfo, WorkerOrder, WorkerOrdered, WorkerStanding,
};
use reprieve::testing::TestRedis;
use reprieve::{Due, Engine, NewJob};
use std::collections::BTreeSet;
use std::time::{Duration, Instant};

const LEASE: Delay = Delay::minutes(5);

/// A process that takes the claims of others, so many ms ago.
async fn process(redis: &TestRedis, ago: i64) -> Engine {
    redis.engine().at(redis.engine().now().await.unwrap() - Delay::millis(ago))
}

fn now_in(queue: &QueueName, name: &str) -> NewJob {
    let mut job = job(name, "k");
    (job.queue, job.due) = (queue.clone(), Due::Now);
    job
}

async fn standing(redis: &TestRedis) -> (WorkerStanding, u64) {
    let fleet = redis.engine().inspector().fleet().await.unwrap();
    let [worker] = &fleet.workers[..] else { panic!("{:?}", fleet.workers) };
    (worker.standing, worker.info.busy)
}

#[tokio::test]
async fn a_claimant_is_a_worker_of_the_queues_it_claims_from() {
    for redis in [TestRedis::namespace().await, TestRedis::with_shards(4).await] {
        let (mail, sms) = (queue("mail"), queue("sms"));
        let jobs = ["a", "b", "c"].map(|name| now_in(&mail, name)).to_vec();
        process(&redis, 1000).await.client().enqueue_batch(jobs).await.unwrap();
        let unserved = redis.engine().inspector().fleet().await.unwrap().unserved;
        assert_eq!(unserved, [(mail.clone(), 3)]);

        // Two processes take its claims in turn, as behind a load balancer.
        let taken = process(&redis, 990)
            .await
            .claimant("mailer")
            .claim(std::slice::from_ref(&mail), 2, LEASE)
            .await
            .unwrap();
        process(&redis, 980)
            .await
            .claimant("mailer")
            .claim(std::slice::from_ref(&sms), 2, LEASE)
            .await
            .unwrap();

        let inspector = redis.engine().inspector();
        let fleet = inspector.fleet().await.unwrap();
        let [worker] = &fleet.workers[..] else { panic!("{:?}", fleet.workers) };
        assert_eq!(fleet.unserved, []);
        assert_eq!((worker.standing, worker.info.claims, worker.info.busy), (WorkerStanding::Live, true, 2));
        assert_eq!(worker.info.queues, [mail.clone(), sms]);
        let mut held: Vec<_> = taken.iter().map(|job| job.id.clone()).collect();
        held.sort();
        let mut shown: Vec<_> = worker.jobs.iter().map(|row| row.id.clone()).collect();
        shown.sort();
        assert_eq!(shown, held);
        let overview = inspector.overview().await.unwrap();
        assert_eq!((overview.workers, overview.queues[0].workers), (1, 1));
        assert_eq!(overview.queues[0].modes, [RunMode::Claimed]);
        assert!(!overview.attention.iter().any(|it| matches!(it, Attention::NoWorkers { .. })));
        let detail = inspector.job(&held[0]).await.unwrap().unwrap();
        assert_eq!(detail.worker_seen, None, "nobody expects heartbeats of it");
    }
}

#[tokio::test]
async fn a_claimant_that_claims_no_more_is_counted_on_until_its_last_lease_ends() {
    let redis = TestRedis::namespace().await;
    let mail = queue("mail");
    process(&redis, 290_000).await.client().enqueue_batch(vec![now_in(&mail, "a")]).await.unwrap();
    let claimant = process(&redis, 290_000).await.claimant("mailer");
    let taken = claimant.claim(&[mail], 1, LEASE).await.unwrap();
    assert_eq!(standing(&redis).await, (WorkerStanding::Live, 1));

    // Whichever process is asked to extend it.
    let (id, token) = (&taken[0].id, taken[0].token);
    redis.engine().claimant("http").extend(id, token, LEASE).await.unwrap();
    let until = redis.engine().inspector().workers().await.unwrap()[0].lease_until.unwrap();
    assert!(until > redis.engine().now().await.unwrap() + Delay::minutes(4));
    redis.engine().claimant("http").complete(id, token).await.unwrap();
    assert_eq!(standing(&redis).await, (WorkerStanding::Gone, 0));
}

#[tokio::test]
async fn a_claimant_without_a_job_is_counted_on_for_a_minute() {
    for (ago, expected) in
        [(50_000, WorkerStanding::Live), (65_000, WorkerStanding::Silent), (125_000, WorkerStanding::Gone)]
    {
        let redis = TestRedis::namespace().await;
        process(&redis, ago).await.claimant("mailer").claim(&[queue("mail")], 1, LEASE).await.unwrap();
        assert_eq!(standing(&redis).await, (expected, 0), "{ago} ms ago");
    }
}

#[tokio::test]
async fn a_claimant_that_is_to_be_quiet_is_given_nothing_until_it_may_again() {
    let redis = TestRedis::namespace().await;
    let mail = [queue("mail")];
    let at = async |ago| process(&redis, ago).await.claimant("mailer");
    at(1_000).await.claim(&mail, 1, LEASE).await.unwrap();
    process(&redis, 1000).await.client().enqueue_batch(vec![now_in(&mail[0], "a")]).await.unwrap();
    let tell =
        async |order| redis.engine().operator("ann").order_worker("mailer", order, "deploy").await.unwrap();

    assert_eq!(tell(WorkerOrder::Quiet).await, WorkerOrdered::Ordered);
    let claimant = at(900).await;
    assert_eq!(claimant.claim(&mail, 1, LEASE).await.unwrap(), []);
    assert_eq!(claimant.order(), WorkerOrder::Quiet);
    assert_eq!(standing(&redis).await, (WorkerStanding::Quiet, 0));

    assert_eq!(
        tell(WorkerOrder::Stop).await,
        WorkerOrdered::Claims,
        "it would never be given anything again"
    );
    assert_eq!(tell(WorkerOrder::Resume).await, WorkerOrdered::Ordered);
    assert_eq!(at(800).await.claim(&mail, 1, LEASE).await.unwrap()[0].id, id("a"));
    assert_eq!(standing(&redis).await, (WorkerStanding::Live, 1));
}

#[tokio::test]
async fn claims_are_announced_every_four_seconds_and_not_each() {
    let redis = TestRedis::namespace().await;
    let (began, mut announced) = (Instant::now(), BTreeSet::new());
    for _ in 0..20 {
        redis.engine().claimant("mailer").claim(&[queue("mail")], 1, LEASE).await.unwrap();
        announced.insert(redis.engine().inspector().workers().await.unwrap()[0].seen);
    }
    // The first, and on a busy machine one more for every four seconds that all of this took.
    let most = 1 + began.elapsed().as_secs() / 4;
    assert!(announced.len() as u64 <= most, "{announced:?}");

    within("it to be announced once more", async {
        let before = *announced.last().unwrap();
        while redis.engine().inspector().workers().await.unwrap()[0].seen == before {
            redis.engine().claimant("mailer").claim(&[queue("mail")], 1, LEASE).await.unwrap();
            tokio::time::sleep(Duration::from_millis(100)).await; // as a worker that finds nothing
        }
    })
    .await;
}

#[tokio::test]
async fn a_claimant_does_not_pass_for_a_worker_of_another_sort() {
    let redis = TestRedis::namespace().await;
    let worker = redis.engine().worker().queue(queue("mail"), 1).handler("k", |_| async { Ok(()) });
    let worker = worker.start().await.unwrap();
    let before = redis.engine().inspector().workers().await.unwrap();

    redis.engine().claimant(worker.id()).claim(&[queue("sms")], 1, LEASE).await.unwrap();

    let after = redis.engine().inspector().workers().await.unwrap();
    assert_eq!((after.len(), &after[0].host, after[0].claims), (1, &before[0].host, false));
    assert_eq!(after[0].queues, [queue("mail")]);
    worker.shutdown().await;
}

#[tokio::test]
async fn made_up_names_do_not_crowd_the_workers_out() {
    let redis = TestRedis::namespace().await;
    let engine = redis.engine();
    for n in 0..1_003 {
        engine.claimant(format!("w{n}")).claim(&[queue("mail")], 1, LEASE).await.unwrap();
    }
    assert_eq!(engine.inspector().workers().await.unwrap().len(), 1_000);
}

#[tokio::test]
async fn what_workers_can_run_is_that_of_the_queues_asked_for_and_not_known_of_a_claimant() {
    let redis = TestRedis::namespace().await;
    let (mail, sms) = (queue("mail"), queue("sms"));
    let now = redis.engine().now().await.unwrap();
    let minute = now.as_millis() - now.as_millis().rem_euclid(60_000);
    let stats = format!("{}stats:{minute}", redis.prefix());
    redis.command(&["HSET", &stats, "q:mail:run3", "2", "q:sms:run9", "2"]).await.unwrap();
    for (name, of, slots) in [("mailer", &mail, 4), ("texter", &sms, 6)] {
        let mut info = WorkerInfo::new(name, "h", 1, now);
        (info.queues, info.slots) = (vec![of.clone()], slots);
        redis.store().heartbeat(name, &serde_json::to_string(&info).unwrap()).await.unwrap();
    }
    let inspector = redis.engine().inspector();
    let (of_mail, of_sms) = (inspector.clone().only_in([mail]), inspector.clone().only_in([sms.clone()]));

    let (all, mails) = (inspector.capacity().await.unwrap(), of_mail.capacity().await.unwrap());
    let (all, mails) = (all.unwrap(), mails.unwrap());
    assert_eq!((all.slots, mails.slots), (10, 4));
    assert!(mails.run_ms < all.run_ms, "{} {}", mails.run_ms, all.run_ms);

    process(&redis, 10).await.claimant("other").claim(&[sms], 1, LEASE).await.unwrap();

    for (asked, known) in [(&inspector, false), (&of_sms, false), (&of_mail, true)] {
        let capacity = asked.capacity().await.unwrap();
        assert_eq!((capacity.is_some(), asked.has_claimants().await.unwrap()), (known, !known));
    }
}
