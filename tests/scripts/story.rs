//! Each of Reprieve's functions called at least once, on data that gives it something to do.

use reprieve::model::{
    BatchId, BulkVerb, ConcurrencyKey, CronEntry, CronName, Delay, FilteredQuery, JobId, Kind, KindRule,
    ListQuery, LogLevel, Look, NewToken, Offset, Past, Permission, PlanId, QueueLimits, QueueName, Rate,
    RetentionRule, RunId, SavedView, StateGroup, StepName, Subject, Timestamp, Token, UniqueKey, Version,
    Window, WorkerOrder,
};
use reprieve::store::{Intent, JobsVerb, Note, NoteLine, PlanVerb, Store, Target};
use reprieve::testing::TestRedis;
use reprieve::{Anchor, BatchClose, Due, NewBatch, NewJob, NewPlan, NewStep};
use reprieve_access::Tokens;
use reprieve_import::{ImportName, ImportWarningCode, Layout, Source, ZsetSource};
use std::time::Duration;

/// The zero of the story's clock.
const START: i64 = 1_700_000_040_000;
const LEASE: Delay = Delay::seconds(12);
/// What every key of the story begins with.
pub(crate) const PREFIX: &str = "reprieve:{story}:";

fn t(ms: i64) -> Timestamp {
    Timestamp::from_millis(START + ms).unwrap()
}

fn id(text: &str) -> JobId {
    JobId::new(text).unwrap()
}

fn mail() -> QueueName {
    QueueName::new("mail").unwrap()
}

fn notice() -> Kind {
    Kind::new("notice").unwrap()
}

fn customer() -> Subject {
    Subject::new("customer:7").unwrap()
}

fn ann(operation: &str) -> Intent {
    let mut intent = Intent::of("ann");
    (intent.why, intent.operation) = ("the customer called".to_owned(), operation.to_owned());
    intent
}

fn job(due: i64) -> NewJob {
    let mut job = NewJob::new(notice(), r#"{"id":4711}"#);
    (job.queue, job.due, job.max_attempts) = (mail(), Due::At(t(due)), Some(3));
    (job.subject, job.concurrency_key) = (Some(customer()), Some(ConcurrencyKey::new("a").unwrap()));
    job
}

/// Tells all of it.
pub(crate) async fn tell(redis: &TestRedis) {
    rules(redis).await;
    redis.index().await.unwrap();
    work(redis).await;
    redis.index().await.unwrap();
    acts(redis).await;
    plans(redis).await;
    batches(redis).await;
    bulk(redis).await;
    cron(redis).await;
    elsewhere(redis).await;
    redis.index().await.unwrap();
    reads(redis).await;
    super::by_hand::tell(redis).await;
    farewell(redis).await;
}

async fn enqueue(store: &Store, jobs: &[(&str, NewJob)]) {
    let jobs: Vec<_> = jobs.iter().map(|(name, job)| (id(name), job.clone())).collect();
    store.enqueue("client", &jobs).await.unwrap();
}

async fn claim(store: &Store, most: u32) -> Vec<(JobId, Token)> {
    let claimed = store.claim("w1", LEASE, most, &[(mail(), most)]).await.unwrap();
    claimed.into_iter().map(|job| (job.id, job.token)).collect()
}

async fn rules(redis: &TestRedis) {
    let engine = redis.engine().at(t(0));
    let ann = engine.operator("ann");
    let limits = QueueLimits {
        concurrency: Some(50),
        rate: Some(Rate { jobs: 1_000, per: Delay::seconds(1) }),
        concurrency_per_key: Some(20),
        ..QueueLimits::default()
    };
    ann.limit(&mail(), limits, "they are many").await.unwrap();
    let office = Some(Window::daily("UTC", 480, 1_080));
    let hours = KindRule::new(Kind::new("report").unwrap(), office, None, Vec::new());
    ann.set_rule(&hours, "office").await.unwrap();
    let mut rule = RetentionRule::default();
    rule.done = Some(Delay::hours(1));
    ann.set_retention(Some(&mail()), rule, "they are many").await.unwrap();
    let look = Look { title: "Shop".to_owned(), ..Look::default() };
    ann.set_look(&look, "so that nobody errs").await.unwrap();
    ann.set_index_fields(&["id".parse().unwrap()], "support looks for it").await.unwrap();
    ann.save_view(SavedView::new("late", StateGroup::Dead, "kind:notice".parse().unwrap())).await.unwrap();
    let mut shared = SavedView::new("for all", StateGroup::Dead, "kind:notice".parse().unwrap());
    shared.shared = true;
    ann.save_view(shared).await.unwrap();
    let token = NewToken::new("ci".parse().unwrap(), [Permission::EnqueueJobs]).queues([mail()]);
    let text = Tokens::new(&engine).add(&token, "ann").await.unwrap();
    Tokens::new(&engine).check(&text).await.unwrap();
    redis.record_at(t(10)).await.unwrap();
}

async fn work(redis: &TestRedis) {
    let at = |ms: i64| redis.store().at(t(ms));
    let mut unique = job(50);
    unique.unique = Some((UniqueKey::new("expiry-1").unwrap(), Delay::days(1)));
    enqueue(&at(0), &[("a1", job(10)), ("a2", job(10)), ("a3", job(-1)), ("a4", unique)]).await;
    enqueue(&at(1), &[("a5", job(-1)), ("a6", job(-1)), ("a7", job(-1)), ("a8", job(-1))]).await;
    at(100).forward(10, 0).await.unwrap();
    let held = claim(&at(200), 6).await;
    at(300).extend(LEASE, &held).await.unwrap();
    let (first, token) = held[0].clone();
    let mut note = Note::new(first.clone(), token);
    note.progress = Some((40, "copying".to_owned()));
    note.lines = vec![NoteLine::new(Duration::from_millis(3), LogLevel::Info, "began".to_owned())];
    at(310).note(&[note]).await.unwrap();
    at(320).keep_result(&first, token, b"{}").await.unwrap();
    at(400).complete(&held[..1]).await.unwrap();
    at(410).complete(&held[..1]).await.unwrap();
    at(420).fail(&held[1].0, held[1].1, "timed out", Some(Delay::minutes(5))).await.unwrap();
    at(430).fail(&held[2].0, held[2].1, "no such customer", None).await.unwrap();
    at(440).snooze(&held[3].0, held[3].1, Delay::seconds(40), "not yet", false).await.unwrap();
    at(450).release("its worker stopped", &held[4..5]).await.unwrap();
    at(460).complete_and_claim("w1", LEASE, &held[5..6], 2, &[(mail(), 2)]).await.unwrap();
    at(60_000).recover(10, Delay::seconds(1), 3).await.unwrap();
    at(400_000).forward(10, 0).await.unwrap();
    at(400_001).heartbeat("w1", r#"{"host":"h1"}"#).await.unwrap();
    redis.engine().at(t(400_001)).claimant("w2").claim(&[mail()], 1, LEASE).await.unwrap();
    redis
        .engine()
        .at(t(400_002))
        .operator("ann")
        .order_worker("w1", WorkerOrder::Quiet, "deploy")
        .await
        .unwrap();
    at(400_003).purge(1).await.unwrap();
    let mut few = RetentionRule::default();
    (few.done_most, few.dead_most) = (Some(1), Some(1));
    redis.engine().at(t(400_003)).operator("ann").set_retention(Some(&mail()), few, "").await.unwrap();
    for surplus in at(400_003).surplus().await.unwrap() {
        at(400_003).purge_surplus(&surplus, 1).await.unwrap();
    }
    for step in 0..4 {
        at(400_004 + 50 * step).mend(10).await.unwrap();
    }
}

async fn acts(redis: &TestRedis) {
    let at = |ms: i64| redis.store().at(t(500_000 + ms));
    let later = 900_000;
    enqueue(&at(0), &[("b1", job(later)), ("b2", job(later)), ("b3", job(later)), ("b4", job(later))]).await;
    at(1).cancel(&id("b1"), &ann("op-1")).await.unwrap();
    at(2).cancel(&id("b1"), &ann("op-1")).await.unwrap();
    at(3).reinstate(&id("b1"), &ann("op-2"), None).await.unwrap();
    at(4).reschedule(&id("b2"), &ann("op-3"), Due::At(t(later + 5))).await.unwrap();
    at(5).hold(&id("b3"), &ann("op-4")).await.unwrap();
    at(6).unhold(&id("b3"), &ann("op-5")).await.unwrap();
    at(7).edit(&id("b4"), &ann("op-6"), b"{}", Some((Version(1), "amount"))).await.unwrap();
    at(7).reveal(&id("b4"), &ann(""), &"/id".parse().unwrap()).await.unwrap();
    at(8).retry_now(&id("b4"), &ann("op-7")).await.unwrap();
    let running = claim(&at(9), 1).await;
    at(10).cancel(&running[0].0, &ann("op-8")).await.unwrap();
    at(11).release("called off", &running).await.unwrap();
    at(12).cancel(&id("b2"), &ann("")).await.unwrap();
    at(13).purge_job(&id("b2"), &ann("op-9")).await.unwrap();
    at(14).pause(&mail(), &ann("")).await.unwrap();
    at(15).resume(&mail(), &ann("")).await.unwrap();
    at(16).cancel_subject(&customer(), &ann("op-10"), 1_000).await.unwrap();
    together(redis, later).await;
}

/// What is done to several jobs at once: those that are called off by then, and one that waits.
async fn together(redis: &TestRedis, due: i64) {
    let at = |ms: i64| redis.store().at(t(500_020 + ms));
    enqueue(&at(0), &[("b5", job(due))]).await;
    let acts = [
        JobsVerb::Postpone(Delay::seconds(5)),
        JobsVerb::Hold,
        JobsVerb::Unhold,
        JobsVerb::Cancel,
        JobsVerb::Reinstate,
        JobsVerb::Cancel,
    ];
    for (act, ms) in acts.into_iter().zip(1..) {
        let store = at(ms);
        let rows = store.rows(&["b1", "b3", "b5"].map(id)).await.unwrap();
        let jobs: Vec<_> = rows.into_iter().flatten().map(|row| (row.id, row.version)).collect();
        let intent = ann(&format!("op-together-{ms}"));
        store.act_on_jobs(&customer(), &jobs, act, Past::Run, &intent).await.unwrap();
    }
}

async fn plans(redis: &TestRedis) {
    let at = |ms: i64| redis.store().at(t(1_000_000 + ms));
    let step = |name: &str, days: i64| {
        NewStep::new(StepName::new(name).unwrap(), Offset::millis(days * 1_000), job(0))
    };
    let expiry = PlanId::new("expiry-1").unwrap();
    let delete = step("delete", 30).only_after([StepName::new("notice").unwrap()]);
    let plan = NewPlan::new(expiry.clone(), customer())
        .from(Due::At(t(1_000_000)))
        .step(step("notice", 23))
        .step(delete);
    at(0).plan("client", &plan).await.unwrap();
    let acts = [
        PlanVerb::Reanchor(Anchor::By(Offset::millis(500))),
        PlanVerb::Hold,
        PlanVerb::Unhold,
        PlanVerb::Cancel,
        PlanVerb::Reinstate,
    ];
    for (act, ms) in acts.into_iter().zip(1..) {
        at(ms).act_on_plan(&expiry, act, Past::Refuse, &ann("")).await.unwrap();
    }
    at(10).plans(&[expiry]).await.unwrap();
    at(11).plans_of(&customer(), 10).await.unwrap();
    let inspector = redis.engine().at(t(1_000_012)).inspector();
    inspector.about(&customer()).await.unwrap();
}

async fn batches(redis: &TestRedis) {
    let client = |ms: i64| redis.engine().at(t(1_100_000 + ms)).client();
    for name in ["import-1", "import-2"] {
        let batch = NewBatch::new(BatchId::new(name).unwrap(), job(0)).jobs([job(1_100_000), job(1_200_000)]);
        client(0).make_batch(&batch).await.unwrap();
    }
    let (first, second) = (BatchId::new("import-1").unwrap(), BatchId::new("import-2").unwrap());
    client(1).batch(&first).add(vec![job(1_100_500)], BatchClose::Later).await.ok();
    client(2).batch(&first).close().await.unwrap();
    client(3).batch(&second).because("wrong file").cancel().await.unwrap();
    redis.engine().inspector().batches(10).await.unwrap();
    redis.engine().inspector().batch(&first).await.unwrap();
}

async fn bulk(redis: &TestRedis) {
    let at = |ms: i64| redis.engine().at(t(1_300_000 + ms)).operator("ann");
    let jobs: Vec<_> = ["c1", "c2", "c3"].into_iter().map(|name| (name, job(1_900_000))).collect();
    enqueue(&redis.store().at(t(1_300_000)), &jobs).await;
    let frozen = at(1).bulk(BulkVerb::Cancel).because("cleaning up").freeze().await.unwrap();
    at(2).start_bulk(&frozen.id, None, "as agreed").await.unwrap();
    at(3).step_bulk(&frozen.id, 2).await.unwrap();
    at(4).step_bulk(&frozen.id, 1_000).await.unwrap();
    at(5).undo_bulk(&frozen.id, Some(RunId::new("undo-1").unwrap()), "a mistake").await.unwrap();
    at(6).start_bulk(&RunId::new("undo-1").unwrap(), None, "").await.unwrap();
    at(7).step_bulk(&RunId::new("undo-1").unwrap(), 1).await.unwrap();
    at(8).abort_bulk(&RunId::new("undo-1").unwrap(), "enough").await.unwrap();
    let named = vec![(id("c1"), Version(1))];
    at(9).bulk(BulkVerb::Cancel).jobs(named.clone()).freeze().await.unwrap();
    // In a queue that is not that of the job.
    let elsewhere = at(10).bulk(BulkVerb::Cancel).only_in(["other".parse().unwrap()]);
    elsewhere.jobs(named).freeze().await.unwrap();
}

async fn cron(redis: &TestRedis) {
    let at = |ms: i64| redis.engine().at(t(1_400_000 + ms)).operator("ann");
    let name = CronName::new("hourly").unwrap();
    at(0).put_cron(CronEntry::new(name.clone(), "* * * * *", notice())).await.unwrap();
    redis.fire_cron_at(t(1_400_000 + 130_000)).await.unwrap();
    at(130_001).pause_cron(&name).await.unwrap();
    at(130_002).resume_cron(&name).await.unwrap();
    at(130_003).run_cron(&name, None, "at once", "op-20").await.unwrap().unwrap();
    at(130_004).remove_cron(&name).await.unwrap();
}

async fn elsewhere(redis: &TestRedis) {
    let at = |ms: i64| redis.store().at(t(1_600_000 + ms));
    enqueue(&at(0), &[("d1", job(-1)), ("d2", job(-1)), ("d3", job(1_900_000))]).await;
    let target = Target::stream("orders", "story-work", "workers", 10);
    let claimed = at(1).claim("sink:orders", LEASE, 2, &[(mail(), 2)]).await.unwrap();
    let jobs: Vec<_> = claimed.into_iter().map(|job| (job.id, job.token, Vec::new())).collect();
    at(2).publish(&target, LEASE, &jobs).await.unwrap();
    at(60_000).look("orders", 10, LEASE, Delay::seconds(30)).await.unwrap();
    redis.command(&["ZADD", "story-foreign", "4000000000", "one", "4000000001", "two"]).await.unwrap();
    let source = Source::here(Layout::Zset(ZsetSource::new("story-foreign", notice())));
    let import =
        reprieve_import::Importer::new(redis.engine(), ImportName::new("legacy").unwrap(), source).unwrap();
    import.accepting(&ImportWarningCode::ALL).take_over(|_| ()).await.unwrap();
    import.standing().await.unwrap();
    import.roll_back(|_| ()).await.unwrap();
    at(60_010).begin_above(Version(9)).await.unwrap();
}

async fn reads(redis: &TestRedis) {
    let inspector = redis.engine().at(t(1_700_000)).inspector();
    inspector.job(&id("b1")).await.unwrap();
    inspector.list(&ListQuery::group(StateGroup::Dead)).await.unwrap();
    inspector.rows(&[id("b1"), id("gone")]).await.unwrap();
    inspector.subject(&customer()).await.unwrap();
    inspector.overview().await.unwrap();
    inspector.counts(Some(&mail())).await.unwrap();
    inspector.forecast(None, &[t(0), t(2_000_000), t(3_000_000)]).await.unwrap();
    inspector.due_ahead(None, Delay::seconds(10), 6).await.unwrap();
    for filter in ["kind:notice payload.id:4711", "kind:notice payload.other:4711"] {
        let filter = filter.parse().unwrap();
        inspector.filtered(&FilteredQuery::new(filter, [StateGroup::Delay])).await.unwrap();
    }
    inspector
        .filtered(&FilteredQuery::new("subject:customer:7".parse().unwrap(), [StateGroup::Done]))
        .await
        .unwrap();
}

async fn farewell(redis: &TestRedis) {
    let ann = redis.engine().at(t(1_800_000)).operator("ann");
    ann.erase_subject(&customer(), true, "request 77").await.unwrap();
    ann.remove_view("late").await.unwrap();
    redis.engine().at(t(1_800_000)).operator("bob").remove_shared_view("ann", "for all").await.unwrap();
    Tokens::new(redis.engine()).revoke(&"ci".parse().unwrap(), "ann", "").await.unwrap();
}
