//! A job that has the id of one that was removed is another job: nothing that is remembered of the first fits it.

use super::bulk::{run_on, undo};
use super::expect::difference;
use super::seed::{DUE, Given, LEASE, Stage, ann, full, id, mail, plain, subject, t};
use reprieve::model::{
    BulkVerb, Delay, Enqueued, Job, JobState, Kind, Offset, Past, PlanId, SubjectCancelled, Token, Version,
};
use reprieve::store::{FailWord, Intent, LeaseWord, NoteWord, PlanVerb, ReleaseWord, SnoozeWord};
use reprieve::{Due, Error, NewJob, NewPlan, NewStep};

fn under(operation: &str) -> Intent {
    let mut intent = ann();
    operation.clone_into(&mut intent.operation);
    intent
}

/// A job that ran and was removed, and whose id another has that was called in at `given.now`.
async fn reborn(stage: &Stage, again: NewJob) -> Given {
    let given = stage.given(JobState::Done).await;
    stage.at(given.now).purge_job(&given.id, &ann()).await.unwrap();
    let answer = stage.enqueue(given.now, "a1", again).await;
    assert!(matches!(answer.word(), "delayed" | "ready"), "{answer:?}");
    given
}

async fn job_of(stage: &Stage) -> Job {
    stage.redis.store().job(&id("a1")).await.unwrap().unwrap().0
}

#[tokio::test]
async fn it_begins_above_every_version_of_the_first_whatever_it_has() {
    for again in [plain(2 * DUE), full(), plain(-1)] {
        let stage = Stage::new().await;
        let given = reborn(&stage, again).await;
        let job = job_of(&stage).await;
        assert!(job.version.0 > given.version.0, "{:?} after {:?}", job.version, given.version);
        stage.assert_sound().await;
    }
}

#[tokio::test]
async fn the_answer_names_the_version_that_it_begins_with() {
    for again in [plain(2 * DUE), full(), plain(-1)] {
        let stage = Stage::new().await;
        let given = stage.given(JobState::Done).await;
        stage.at(given.now).purge_job(&given.id, &ann()).await.unwrap();
        let answer = stage.enqueue(given.now, "a1", again).await;
        let standing = match answer {
            Enqueued::Delayed(standing) | Enqueued::Ready(standing) => standing,
            other => panic!("{other:?}"),
        };
        assert_eq!(standing.version, job_of(&stage).await.version);
    }
}

#[tokio::test]
async fn its_history_begins_with_itself() {
    let stage = Stage::new().await;
    let given = reborn(&stage, plain(0)).await;
    let claimed = stage.claim(given.now + 1, 1).await;
    stage.at(given.now + 2).complete(&[(id("a1"), claimed[0].token)]).await.unwrap();

    let found = stage.redis.engine().inspector().job(&id("a1")).await.unwrap().unwrap();

    let steps: Vec<_> = found.history.iter().map(|it| (it.from, it.to)).collect();
    assert_eq!(
        steps,
        [
            (Some(JobState::Active), JobState::Done),
            (Some(JobState::Ready), JobState::Active),
            (None, JobState::Ready)
        ]
    );
}

#[tokio::test]
async fn no_report_about_the_first_reaches_it_in_whatever_state_it_is() {
    for runs in [false, true] {
        for name in ["plain", "full"] {
            let stage = Stage::new().await;
            let mut again = if name == "plain" { plain(0) } else { full() };
            again.due = Due::Now;
            let given = reborn(&stage, again).await;
            let now = given.now + 1;
            if runs {
                let claimed = stage.claim(now, 1).await;
                assert_ne!(Some(claimed[0].token), given.token);
            }
            // Whatever a late worker may hold: each version that the first ever had.
            for token in (1..=given.version.0 + 1).map(Token) {
                let before = stage.snapshot().await;
                let (a, late) = (id("a1"), stage.at(now + 1));
                let one = [(a.clone(), token)];
                assert_eq!(late.extend(LEASE, &one).await.unwrap(), [LeaseWord::Lost]);
                assert_eq!(late.complete(&one).await.unwrap(), [ReleaseWord::Lost]);
                assert_eq!(late.fail(&a, token, "late", None).await.unwrap(), FailWord::Lost);
                assert_eq!(late.release("late", &one).await.unwrap(), [ReleaseWord::Lost]);
                let snoozed = late.snooze(&a, token, Delay::minutes(1), "late", false).await.unwrap();
                assert_eq!(snoozed, SnoozeWord::Lost);
                assert_eq!(late.keep_result(&a, token, b"late").await.unwrap(), NoteWord::Lost);
                assert_eq!(difference(&before, &stage.snapshot().await), Vec::<String>::new(), "{token:?}");
            }
        }
    }
}

#[tokio::test]
async fn a_worker_that_hung_completes_nobody_elses_job() {
    let stage = Stage::new().await;
    stage.enqueue(0, "a1", plain(0)).await;
    let hung = stage.claim(1, 1).await[0].token;
    stage.at(60_000).recover(9, Delay::ZERO, 3).await.unwrap();
    stage.at(60_001).forward(9, 0).await.unwrap();
    let second = stage.claim(60_002, 1).await[0].token;
    stage.at(60_003).complete(&[(id("a1"), second)]).await.unwrap();
    let far = Delay::days(400).as_millis();
    assert_eq!(stage.at(far).purge(9).await.unwrap(), 1);
    stage.enqueue(far, "a1", plain(0)).await;
    let present = stage.claim(far + 1, 1).await[0].token;

    for old in [hung, second] {
        assert_ne!(old, present);
        assert_eq!(stage.at(far + 2).complete(&[(id("a1"), old)]).await.unwrap(), [ReleaseWord::Lost]);
    }
    assert_eq!(stage.at(far + 3).complete(&[(id("a1"), present)]).await.unwrap(), [ReleaseWord::Done]);
}

/// What every verb on one job answers with that intent.
async fn every_verb(stage: &Stage, ms: i64, intent: &Intent) -> Vec<(&'static str, Error)> {
    let (store, a) = (stage.at(ms), id("a1"));
    vec![
        ("cancel", store.cancel(&a, intent).await.unwrap_err()),
        ("reinstate", store.reinstate(&a, intent, None).await.unwrap_err()),
        ("retry_now", store.retry_now(&a, intent).await.unwrap_err()),
        ("reschedule", store.reschedule(&a, intent, Due::At(t(DUE))).await.unwrap_err()),
        ("hold", store.hold(&a, intent).await.unwrap_err()),
        ("unhold", store.unhold(&a, intent).await.unwrap_err()),
        ("edit", store.edit(&a, intent, b"[]", None).await.unwrap_err()),
        ("purge", store.purge_job(&a, intent).await.unwrap_err()),
    ]
}

#[tokio::test]
async fn a_version_that_was_seen_of_the_first_is_a_conflict_for_every_verb() {
    let stage = Stage::new().await;
    let given = reborn(&stage, full()).await;
    let before = stage.snapshot().await;
    for seen in (1..=given.version.0 + 1).map(Version) {
        let mut stale = ann();
        stale.seen = Some(seen);
        for (verb, error) in every_verb(&stage, given.now + 1, &stale).await {
            assert!(matches!(error, Error::Conflict(_)), "{verb} of {seen:?}: {error:?}");
        }
    }
    assert_eq!(difference(&before, &stage.snapshot().await), Vec::<String>::new());
}

#[tokio::test]
async fn an_operation_of_the_first_that_is_repeated_is_a_conflict_and_changes_nothing() {
    let stage = Stage::new().await;
    let (a, op) = (id("a1"), under("o42"));
    stage.enqueue(0, "a1", plain(DUE)).await;
    stage.at(1).hold(&a, &op).await.unwrap();
    stage.at(2).unhold(&a, &op).await.unwrap();
    stage.at(3).reschedule(&a, &op, Due::At(t(DUE))).await.unwrap();
    stage.at(4).edit(&a, &op, b"[]", None).await.unwrap();
    stage.at(5).cancel(&a, &op).await.unwrap();
    stage.at(6).reinstate(&a, &op, None).await.unwrap();
    stage.at(7).retry_now(&a, &op).await.unwrap();
    stage.at(8).cancel(&a, &ann()).await.unwrap();
    let gone = stage.at(9).purge_job(&a, &op).await.unwrap();
    assert_eq!(stage.at(10).purge_job(&a, &op).await.unwrap(), gone, "as long as nobody has the id");
    stage.enqueue(20, "a1", plain(DUE)).await;

    let before = stage.snapshot().await;
    for (verb, error) in every_verb(&stage, 21, &op).await {
        let Error::Conflict(standing) = error else { panic!("{verb}: {error:?}") };
        assert_eq!(standing.state, JobState::Delayed);
    }
    assert_eq!(difference(&before, &stage.snapshot().await), Vec::<String>::new());
    // Under an operation id of its own it goes.
    assert_eq!(stage.at(22).cancel(&a, &under("o43")).await.unwrap().word(), "cancelled");
}

#[tokio::test]
async fn a_repeated_cancel_of_a_subject_neither_calls_it_off_nor_says_so() {
    let stage = Stage::new().await;
    let of_subject = || {
        let mut job = plain(DUE);
        job.subject = Some(subject());
        job
    };
    stage.enqueue(0, "a1", of_subject()).await;
    stage.enqueue(0, "b", of_subject()).await;
    stage.at(1).cancel_subject(&subject(), &under("s1"), 1_000).await.unwrap();
    stage.at(2).purge_job(&id("a1"), &ann()).await.unwrap();
    stage.enqueue(3, "a1", of_subject()).await;

    let again = stage.at(4).cancel_subject(&subject(), &under("s1"), 1_000).await.unwrap();

    let SubjectCancelled::Cancelled { jobs } = again else { panic!("{again:?}") };
    let told: Vec<_> = jobs.iter().map(|job| job.cancelled.standing().id.clone()).collect();
    assert_eq!(told, [id("b")]);
    assert_eq!(stage.state_of("a1").await, Some(JobState::Delayed));
}

#[tokio::test]
async fn a_bulk_run_and_its_undo_leave_it_alone() {
    for verb in [BulkVerb::Cancel, BulkVerb::Hold] {
        let stage = Stage::new().await;
        stage.enqueue(0, "a1", plain(DUE)).await;
        let run = run_on(&stage, 1_000, verb, &id("a1")).await;
        assert_eq!(run.changed, 1);
        stage.at(2_000).cancel(&id("a1"), &ann()).await.unwrap();
        stage.at(2_000).purge_job(&id("a1"), &ann()).await.unwrap();
        stage.enqueue(3_000, "a1", plain(DUE)).await;
        let called_off = stage.at(4_000).cancel(&id("a1"), &ann()).await.unwrap();

        assert_eq!(undo(&stage, 5_000, &run).await, "changed", "{verb:?}");
        let job = job_of(&stage).await;
        assert_eq!((job.state, job.version), (JobState::Cancelled, called_off.standing().version));
    }
}

#[tokio::test]
async fn a_run_that_was_frozen_over_the_first_does_not_reach_it_even_if_it_takes_what_changed() {
    for takes_changed in [false, true] {
        let stage = Stage::new().await;
        stage.enqueue(0, "a1", plain(DUE)).await;
        let operator = stage.redis.engine().at(t(1_000)).operator("ann");
        let bulk =
            operator.bulk(BulkVerb::Cancel).jobs(vec![(id("a1"), Version(1))]).act_on_changed(takes_changed);
        let frozen = bulk.freeze().await.unwrap();
        stage.at(2_000).cancel(&id("a1"), &ann()).await.unwrap();
        stage.at(2_000).purge_job(&id("a1"), &ann()).await.unwrap();
        stage.enqueue(3_000, "a1", plain(DUE)).await;

        operator.start_bulk(&frozen.id, None, "").await.unwrap();
        let late = stage.redis.engine().at(t(4_000)).operator("ann");
        late.step_bulk(&frozen.id, 10).await.unwrap();

        let run = stage.redis.engine().inspector().bulk_run(&frozen.id).await.unwrap().unwrap();
        assert_eq!((run.changed, run.words["changed"]), (0, 1));
        assert_eq!(stage.state_of("a1").await, Some(JobState::Delayed));
    }
}

fn a_plan() -> NewPlan {
    let step = |name: &str, offset: i64| {
        let mut job = NewJob::new(Kind::new(name).unwrap(), "{}");
        job.queue = mail();
        NewStep::new(name.parse().unwrap(), Offset::millis(offset), job)
    };
    let mut plan = NewPlan::new(PlanId::new("p").unwrap(), subject());
    plan.anchor = Due::At(t(DUE));
    plan.step(step("notice", -1_000)).step(step("deletion", 0))
}

#[tokio::test]
async fn a_plan_that_is_made_again_is_another_plan() {
    let stage = Stage::new().await;
    let first = stage.at(0).plan("client", &a_plan()).await.unwrap();
    let p = PlanId::new("p").unwrap();
    let op = under("o42");
    let held = stage.at(1).act_on_plan(&p, PlanVerb::Hold, Past::Run, &op).await.unwrap();
    stage.at(2).act_on_plan(&p, PlanVerb::Cancel, Past::Run, &ann()).await.unwrap();
    let far = Delay::days(800).as_millis();
    assert_eq!(stage.at(far).purge(9).await.unwrap(), 2);
    let mut again = a_plan();
    again.anchor = Due::At(t(far + DUE));
    let again = stage.at(far).plan("client", &again).await.unwrap();
    assert!(again.version.0 > held.version.0, "{:?} after {:?}", again.version, held.version);

    let before = stage.snapshot().await;
    for seen in [first.version, held.version] {
        let mut stale = ann();
        stale.seen = Some(seen);
        let answer = stage.at(far + 1).act_on_plan(&p, PlanVerb::Cancel, Past::Run, &stale).await.unwrap();
        assert_eq!(answer.outcome.as_str(), "conflict");
    }
    // The answers of operations are over by then; what has kept one is told the same.
    assert_eq!(difference(&before, &stage.snapshot().await), Vec::<String>::new());
    stage.assert_sound().await;
}

#[tokio::test]
async fn a_plan_leaves_a_job_alone_that_has_the_id_of_a_step_whose_own_was_removed() {
    let stage = Stage::new().await;
    stage.at(0).plan("client", &a_plan()).await.unwrap();
    stage.at(1).cancel(&id("p/notice"), &ann()).await.unwrap();
    stage.at(2).purge_job(&id("p/notice"), &ann()).await.unwrap();
    stage.enqueue(3, "p/notice", plain(DUE)).await;

    let p = PlanId::new("p").unwrap();
    let answer = stage.at(4).act_on_plan(&p, PlanVerb::Cancel, Past::Run, &ann()).await.unwrap();

    let words: Vec<_> = answer.steps.iter().map(|step| step.outcome.as_str()).collect();
    assert_eq!(words, ["gone", "cancelled"]);
    assert_eq!(stage.state_of("p/notice").await, Some(JobState::Delayed));
    stage.assert_sound().await;
}
