//! Plans: made, moved, held, called off and put back as one thing; gates between their steps.

use super::bulk::{run_on, run_on_all, undo};
use super::expect::{assert_expected, difference};
use super::mending::round;
use super::seed::{DUE, LEASE, Stage, ann, id, plain, subject, t};
use reprieve::model::{
    BulkVerb, Delay, JobId, JobState, Offset, Past, PlanAnswer, PlanId, PlanWord, QueueName, StepName, Token,
    Unmet, Version,
};
use reprieve::store::{FailWord, PlanVerb, ReleaseWord, SnoozeWord};
use reprieve::testing::breaches;
use reprieve::{Anchor, Due, Error, NewPlan, NewStep, Spread};

/// A day stands for a thousand milliseconds, so that the snapshots can be read.
const DAY: i64 = 1_000;

fn expiry() -> PlanId {
    PlanId::new("expiry-4711").unwrap()
}

fn name(text: &str) -> StepName {
    StepName::new(text).unwrap()
}

fn step(text: &str, days: i64) -> NewStep {
    let mut job = plain(0);
    job.due = Due::Now;
    NewStep::new(name(text), Offset::millis(days * DAY), job)
}

/// Two steps, on D+1 and D+2; the second only if the first was done.
fn a_before_b() -> NewPlan {
    NewPlan::new(expiry(), subject())
        .from(Due::At(t(0)))
        .step(step("a", 1))
        .step(step("b", 2).only_after([name("a")]))
}

/// Notices on D+23, D+28 and D+29, the deletion on D+30 only if they went out.
fn resource_expiry(unmet: Unmet) -> NewPlan {
    let notices = ["notice-1", "notice-2", "notice-3"];
    NewPlan::new(expiry(), subject())
        .from(Due::At(t(0)))
        .step(step(notices[0], 23))
        .step(step(notices[1], 28))
        .step(step(notices[2], 29))
        .step(step("delete", 30).only_after(notices.map(name)).otherwise(unmet))
}

async fn planned(unmet: Unmet) -> Stage {
    let stage = Stage::new().await;
    let answer = stage.at(0).plan("client", &resource_expiry(unmet)).await.unwrap();
    assert_eq!(answer.outcome, PlanWord::Planned);
    stage
}

async fn act(stage: &Stage, ms: i64, verb: PlanVerb, past: Past) -> PlanAnswer {
    stage.at(ms).act_on_plan(&expiry(), verb, past, &ann()).await.unwrap()
}

fn words(answer: &PlanAnswer) -> Vec<String> {
    answer.steps.iter().map(|step| format!("{} {}", step.step, step.outcome)).collect()
}

/// The state of each step's job, in order.
async fn states(stage: &Stage) -> Vec<String> {
    let (plans, _) = stage.at(0).plans(&[expiry()]).await.unwrap();
    let steps = &plans.first().unwrap().steps;
    steps
        .iter()
        .map(|step| step.job.as_ref().map_or_else(|| "gone".to_owned(), |job| job.state.to_string()))
        .collect()
}

/// Whether each step is said to be held again when its cancel is taken back.
async fn held_again(stage: &Stage) -> Vec<bool> {
    let (plans, _) = stage.at(0).plans(&[expiry()]).await.unwrap();
    let steps = &plans.first().unwrap().steps;
    steps.iter().filter_map(|step| Some(step.job.as_ref()?.held_again)).collect()
}

/// Forwards, claims and completes what is due, at that time.
async fn run_due(stage: &Stage, ms: i64) {
    stage.at(ms).forward(100, 0).await.unwrap();
    let leases: Vec<_> = stage.claim(ms, 10).await.into_iter().map(|job| (job.id, job.token)).collect();
    stage.at(ms).complete(&leases).await.unwrap();
}

/// Forwards and claims what is due, at that time, and fails it for good.
async fn fail_due(stage: &Stage, ms: i64) {
    stage.at(ms).forward(100, 0).await.unwrap();
    for job in stage.claim(ms, 10).await {
        stage.at(ms).fail(&job.id, job.token, "no such number", None).await.unwrap();
    }
}

#[tokio::test]
async fn a_plan_writes_all_its_jobs_and_its_record_in_one_step() {
    let stage = Stage::new().await;
    let before = stage.snapshot().await;

    let answer = stage.at(0).plan("client", &resource_expiry(Unmet::Cancel)).await.unwrap();

    assert_eq!(
        words(&answer),
        ["notice-1 delayed", "notice-2 delayed", "notice-3 delayed", "delete delayed"]
    );
    assert_eq!(answer.steps[3].standing.as_ref().unwrap().due, t(30 * DAY));
    let after = stage.snapshot().await;
    assert_eq!(breaches(&after), Vec::<String>::new());
    assert_expected("plan", &difference(&before, &after).join("\n"));
}

#[tokio::test]
async fn a_plan_reads_back_with_where_each_step_stands() {
    let stage = planned(Unmet::Hold).await;
    run_due(&stage, 23 * DAY).await;

    let (plans, _) = stage.at(24 * DAY).plans(&[expiry()]).await.unwrap();

    let plan = &plans[0];
    assert_eq!((&plan.subject, plan.anchor, plan.version, &plan.held), (&subject(), t(0), Version(1), &None));
    assert_eq!(plan.steps[0].ended, Some(JobState::Done));
    assert_eq!(plan.steps[3].after, [name("notice-1"), name("notice-2"), name("notice-3")]);
    assert_eq!((plan.steps[3].unmet, plan.steps[3].ended), (Unmet::Hold, None));
    assert_eq!(plan.steps[3].job.as_ref().unwrap().due, t(30 * DAY));
    assert_eq!(stage.at(0).plans_of(&subject(), 9).await.unwrap(), [expiry()]);
    assert_eq!(states(&stage).await, ["done", "delayed", "delayed", "delayed"]);
}

#[tokio::test]
async fn the_spread_of_a_step_is_by_the_id_of_its_job_and_moves_with_the_anchor() {
    let stage = Stage::new().await;
    let spread = Spread::ById(Delay::days(1));
    let mut apart = step("a", 1);
    apart.job.spread = Some(spread);
    let plan = NewPlan::new(expiry(), subject()).from(Due::At(t(0))).step(apart);
    let later = spread.of(&id("expiry-4711/a")).as_millis();
    let due = |answer: &PlanAnswer| answer.steps[0].standing.as_ref().unwrap().due;

    let made = stage.at(0).plan("client", &plan).await.unwrap();
    assert_eq!(due(&made), t(DAY + later));
    let moved = act(&stage, 1, PlanVerb::Reanchor(Anchor::To(Due::At(t(5)))), Past::Refuse).await;
    assert_eq!(due(&moved), t(5 + DAY + later));
}

#[tokio::test]
async fn the_same_plan_again_exists_and_changes_nothing() {
    let stage = planned(Unmet::Cancel).await;
    let before = stage.snapshot().await;
    let answer = stage.at(5).plan("client", &resource_expiry(Unmet::Cancel)).await.unwrap();
    assert_eq!(answer.outcome, PlanWord::Exists);
    assert_eq!(answer.word_of("delete"), Some("delayed"));
    assert_eq!(difference(&before, &stage.snapshot().await), Vec::<String>::new());
}

#[tokio::test]
async fn reanchoring_moves_what_has_not_run_over_every_boundary_between_steps() {
    for (day, done) in [(22, 0), (23, 1), (27, 1), (28, 2), (29, 3)] {
        let stage = planned(Unmet::Cancel).await;
        for due in [23, 28, 29].into_iter().filter(|due| *due <= day) {
            run_due(&stage, due * DAY).await;
        }
        let renewed = day * DAY + 1;

        let answer =
            act(&stage, renewed, PlanVerb::Reanchor(Anchor::To(Due::At(t(renewed)))), Past::Refuse).await;

        assert_eq!(
            (answer.outcome, answer.version, answer.anchor),
            (PlanWord::Moved, Version(2), t(renewed))
        );
        for (index, offset) in [23, 28, 29, 30].into_iter().enumerate() {
            let told = &answer.steps[index];
            let due = told.standing.as_ref().unwrap().due;
            let stays = index < done;
            assert_eq!(told.outcome, if stays { "stays" } else { "moved" }, "step {index} on day {day}");
            assert_eq!(due, t(if stays { offset * DAY } else { renewed + offset * DAY }), "step {index}");
        }
        stage.assert_sound().await;
    }
}

#[tokio::test]
async fn a_step_that_was_moved_by_itself_moves_along_from_where_it_is() {
    let stage = planned(Unmet::Cancel).await;
    let moved = JobId::new("expiry-4711/notice-2").unwrap();
    stage.at(DAY).reschedule(&moved, &ann(), Due::At(t(33 * DAY))).await.unwrap();
    let due = |answer: &PlanAnswer| -> Vec<_> {
        answer.steps.iter().map(|step| step.standing.as_ref().unwrap().due).collect()
    };

    let by = PlanVerb::Reanchor(Anchor::By(Offset::millis(DAY)));
    let answer = act(&stage, 2 * DAY, by, Past::Refuse).await;
    assert_eq!(due(&answer), [24, 34, 30, 31].map(|day| t(day * DAY)), "never earlier than it was");

    let to = PlanVerb::Reanchor(Anchor::To(Due::At(t(10 * DAY))));
    let answer = act(&stage, 3 * DAY, to, Past::Refuse).await;
    assert_eq!(
        due(&answer),
        [33, 38, 39, 40].map(|day| t(day * DAY)),
        "to an instant all of them are placed anew"
    );
    stage.assert_sound().await;
}

#[tokio::test]
async fn a_plan_is_put_back_at_the_times_it_had_and_moved_along_where_its_anchor_was_moved_meanwhile() {
    let due = |answer: &PlanAnswer| -> Vec<_> {
        answer.steps.iter().map(|step| step.standing.as_ref().unwrap().due).collect()
    };
    let days = |days: [i64; 4]| days.map(|day| t(day * DAY));
    let stage = planned(Unmet::Cancel).await;
    let moved = id("expiry-4711/notice-2");
    stage.at(1).reschedule(&moved, &ann(), Due::At(t(33 * DAY))).await.unwrap();

    act(&stage, DAY, PlanVerb::Cancel, Past::Refuse).await;
    let back = act(&stage, 2 * DAY, PlanVerb::Reinstate, Past::Refuse).await;
    assert_eq!(due(&back), days([23, 33, 29, 30]));

    act(&stage, 3 * DAY, PlanVerb::Cancel, Past::Refuse).await;
    for by in [DAY, 4 * DAY, -2 * DAY] {
        act(&stage, 4 * DAY, PlanVerb::Reanchor(Anchor::By(Offset::millis(by))), Past::Refuse).await;
    }
    assert_eq!(states(&stage).await, ["cancelled"; 4]);
    let (plans, _) = stage.at(5 * DAY).plans(&[expiry()]).await.unwrap();
    let read: Vec<_> = plans[0].steps.iter().map(|step| step.job.as_ref().unwrap().due).collect();
    assert_eq!(read, days([26, 36, 32, 33]), "what is read is when it would be due");
    let back = act(&stage, 5 * DAY, PlanVerb::Reinstate, Past::Refuse).await;
    assert_eq!(due(&back), days([26, 36, 32, 33]));

    // What was moved while it was called off is forgotten once it is back.
    stage.at(6 * DAY).reschedule(&moved, &ann(), Due::At(t(40 * DAY))).await.unwrap();
    act(&stage, 7 * DAY, PlanVerb::Cancel, Past::Refuse).await;
    let back = act(&stage, 8 * DAY, PlanVerb::Reinstate, Past::Refuse).await;
    assert_eq!(due(&back), days([26, 40, 32, 33]));

    act(&stage, 9 * DAY, PlanVerb::Cancel, Past::Refuse).await;
    let to = PlanVerb::Reanchor(Anchor::To(Due::At(t(10 * DAY))));
    act(&stage, 9 * DAY, to, Past::Refuse).await;
    let back = act(&stage, 10 * DAY, PlanVerb::Reinstate, Past::Refuse).await;
    assert_eq!(due(&back), days([33, 38, 39, 40]), "to an instant all of them are placed anew");
    stage.assert_sound().await;
}

#[tokio::test]
async fn a_plan_that_is_called_off_and_moved_is_kept_until_it_would_be_due() {
    let stage = planned(Unmet::Cancel).await;
    act(&stage, DAY, PlanVerb::Cancel, Past::Refuse).await;
    let by = Offset::millis(Delay::days(365).as_millis());
    act(&stage, 2 * DAY, PlanVerb::Reanchor(Anchor::By(by)), Past::Refuse).await;
    stage.assert_sound().await;

    // Longer than what was called off is kept.
    let later = Delay::days(40).as_millis();
    assert_eq!(stage.at(later).purge(100).await.unwrap(), 0);
    let back = act(&stage, later, PlanVerb::Reinstate, Past::Refuse).await;

    assert_eq!((back.outcome, states(&stage).await), (PlanWord::Reinstated, vec!["delayed".to_owned(); 4]));
    stage.assert_sound().await;
}

#[tokio::test]
async fn steps_that_would_fall_into_the_past_ask_run_or_are_skipped() {
    let back = PlanVerb::Reanchor(Anchor::By(Offset::millis(-28 * DAY)));
    let stage = planned(Unmet::Cancel).await;
    let before = stage.snapshot().await;
    let asked = act(&stage, 10, back, Past::Refuse).await;
    assert_eq!(
        (asked.outcome, words(&asked)),
        (PlanWord::Past, vec!["notice-1 past".into(), "notice-2 past".into()])
    );
    assert_eq!(difference(&before, &stage.snapshot().await), Vec::<String>::new());

    let run = act(&stage, 10, back, Past::Run).await;
    assert_eq!(run.outcome, PlanWord::Moved);
    assert_eq!(stage.at(10).forward(9, 0).await.unwrap().moved, 2);

    let stage = planned(Unmet::Cancel).await;
    let skipped = act(&stage, 10, back, Past::Skip).await;
    assert_eq!(words(&skipped), ["notice-1 skipped", "notice-2 skipped", "notice-3 moved", "delete moved"]);
    assert_eq!(states(&stage).await, ["cancelled", "cancelled", "delayed", "delayed"]);
    stage.assert_sound().await;
}

#[tokio::test]
async fn a_plan_whose_first_steps_are_past_asks_before_it_is_made() {
    let late = |past| resource_expiry(Unmet::Cancel).from(Due::At(t(-29 * DAY))).past(past);
    let stage = Stage::new().await;
    let before = stage.snapshot().await;
    let asked = stage.at(1).plan("client", &late(Past::Refuse)).await.unwrap();
    assert_eq!(words(&asked), ["notice-1 past", "notice-2 past", "notice-3 past"]);
    assert_eq!(difference(&before, &stage.snapshot().await), Vec::<String>::new());

    let skipped = stage.at(1).plan("client", &late(Past::Skip)).await.unwrap();
    assert_eq!(
        words(&skipped),
        ["notice-1 skipped", "notice-2 skipped", "notice-3 skipped", "delete delayed"]
    );
    stage.assert_sound().await;

    let stage = Stage::new().await;
    let run = stage.at(1).plan("client", &late(Past::Run)).await.unwrap();
    assert_eq!(words(&run), ["notice-1 ready", "notice-2 ready", "notice-3 ready", "delete delayed"]);
    stage.assert_sound().await;
}

#[tokio::test]
async fn a_held_plan_runs_nothing_and_says_who_holds_it_and_why() {
    let stage = planned(Unmet::Cancel).await;
    let held = act(&stage, DAY, PlanVerb::Hold, Past::Refuse).await;
    assert_eq!((held.outcome, held.held), (PlanWord::Held, Some(t(DAY))));
    assert_eq!(states(&stage).await, ["held"; 4]);
    assert_eq!(stage.at(40 * DAY).forward(9, 0).await.unwrap().moved, 0);
    let (plans, _) = stage.at(0).plans(&[expiry()]).await.unwrap();
    let by = plans[0].held.clone().unwrap();
    assert_eq!((by.by.as_str(), by.why.as_str()), ("ann", "the customer called"));
    assert_eq!(act(&stage, DAY, PlanVerb::Hold, Past::Refuse).await.outcome, PlanWord::Unchanged);

    // Two steps would run at once: somebody has to choose.
    let before = stage.snapshot().await;
    let asked = act(&stage, 28 * DAY + 1, PlanVerb::Unhold, Past::Refuse).await;
    assert_eq!(words(&asked), ["notice-1 past", "notice-2 past"]);
    assert_eq!(difference(&before, &stage.snapshot().await), Vec::<String>::new());

    let free = act(&stage, 28 * DAY + 1, PlanVerb::Unhold, Past::Skip).await;
    assert_eq!(
        words(&free),
        ["notice-1 skipped", "notice-2 skipped", "notice-3 released", "delete released"]
    );
    stage.assert_sound().await;
}

#[tokio::test]
async fn what_somebody_held_by_itself_stays_held_when_the_plan_is_released() {
    let stage = planned(Unmet::Cancel).await;
    stage.at(1).hold(&id("expiry-4711/delete"), &ann()).await.unwrap();
    act(&stage, 2, PlanVerb::Hold, Past::Refuse).await;
    act(&stage, 3, PlanVerb::Unhold, Past::Refuse).await;
    assert_eq!(states(&stage).await, ["delayed", "delayed", "delayed", "held"]);
}

#[tokio::test]
async fn what_is_put_back_into_a_held_plan_is_held_with_it() {
    let stage = planned(Unmet::Cancel).await;
    act(&stage, DAY, PlanVerb::Hold, Past::Refuse).await;
    stage.at(2 * DAY).cancel_subject(&subject(), &ann(), 1_000).await.unwrap();
    assert_eq!(states(&stage).await, ["cancelled"; 4]);

    // Two of them are past by then: nobody is asked before the plan is released.
    let back = act(&stage, 28 * DAY + 1, PlanVerb::Reinstate, Past::Refuse).await;
    assert_eq!((back.outcome, back.held), (PlanWord::Reinstated, Some(t(DAY))));
    assert_eq!(states(&stage).await, ["held"; 4]);
    assert_eq!(stage.at(40 * DAY).forward(9, 0).await.unwrap().moved, 0);

    let asked = act(&stage, 28 * DAY + 1, PlanVerb::Unhold, Past::Refuse).await;
    assert_eq!(words(&asked), ["notice-1 past", "notice-2 past"]);
    act(&stage, 28 * DAY + 1, PlanVerb::Unhold, Past::Skip).await;
    assert_eq!(states(&stage).await, ["cancelled", "cancelled", "delayed", "delayed"]);
    stage.assert_sound().await;
}

#[tokio::test]
async fn a_step_that_is_put_back_alone_is_held_while_its_plan_is() {
    let stage = planned(Unmet::Cancel).await;
    let (first, second) = (id("expiry-4711/notice-1"), id("expiry-4711/notice-2"));
    // One that waited, and one that was held with its plan.
    stage.at(1).cancel(&first, &ann()).await.unwrap();
    act(&stage, 2, PlanVerb::Hold, Past::Refuse).await;
    stage.at(3).cancel(&second, &ann()).await.unwrap();
    for step in [&first, &second] {
        assert_eq!(stage.at(29 * DAY).reinstate(step, &ann(), None).await.unwrap().word(), "held");
    }
    assert_eq!(states(&stage).await, ["held"; 4]);
    act(&stage, 4, PlanVerb::Unhold, Past::Refuse).await;
    assert_eq!(states(&stage).await, ["delayed"; 4]);

    // Its plan was released while it was called off: nothing holds it any more.
    act(&stage, 5, PlanVerb::Hold, Past::Refuse).await;
    stage.at(6).cancel(&first, &ann()).await.unwrap();
    act(&stage, 7, PlanVerb::Unhold, Past::Refuse).await;
    assert_eq!(stage.at(23 * DAY).reinstate(&first, &ann(), None).await.unwrap().word(), "overdue");
    assert_eq!(stage.at(8).reinstate(&first, &ann(), None).await.unwrap().word(), "delayed");
    stage.assert_sound().await;
}

#[tokio::test]
async fn what_was_held_when_its_plan_was_called_off_is_held_again() {
    let stage = planned(Unmet::Cancel).await;
    stage.at(1).hold(&id("expiry-4711/delete"), &ann()).await.unwrap();
    act(&stage, 2, PlanVerb::Cancel, Past::Refuse).await;
    assert_eq!(held_again(&stage).await, [false, false, false, true]);
    act(&stage, 3, PlanVerb::Reinstate, Past::Refuse).await;
    assert_eq!(states(&stage).await, ["delayed", "delayed", "delayed", "held"]);
    assert_eq!(held_again(&stage).await, [false; 4]);

    act(&stage, 4, PlanVerb::Hold, Past::Refuse).await;
    act(&stage, 5, PlanVerb::Cancel, Past::Refuse).await;
    assert_eq!(held_again(&stage).await, [false, false, false, true], "what is held with its plan is not");
    act(&stage, 6, PlanVerb::Reinstate, Past::Refuse).await;
    assert_eq!(states(&stage).await, ["held"; 4]);
    act(&stage, 7, PlanVerb::Unhold, Past::Refuse).await;
    assert_eq!(states(&stage).await, ["delayed", "delayed", "delayed", "held"]);
    stage.assert_sound().await;
}

#[tokio::test]
async fn a_step_that_waited_for_others_waits_again_when_its_cancel_is_taken_back() {
    let stage = planned(Unmet::Hold).await;
    let delete = id("expiry-4711/delete");
    for day in [23, 28] {
        run_due(&stage, day * DAY).await;
    }
    stage.at(29 * DAY).hold(&id("expiry-4711/notice-3"), &ann()).await.unwrap();
    stage.at(30 * DAY).forward(9, 0).await.unwrap();
    assert_eq!(states(&stage).await, ["done", "done", "held", "held"]);
    stage.at(30 * DAY).cancel(&delete, &ann()).await.unwrap();
    assert_eq!(held_again(&stage).await, [false; 4], "nobody held it");

    // Its time has passed, but it is not to run yet.
    assert_eq!(stage.at(31 * DAY).reinstate(&delete, &ann(), None).await.unwrap().word(), "delayed");
    stage.at(31 * DAY).forward(9, 0).await.unwrap();
    assert_eq!(states(&stage).await, ["done", "done", "held", "held"]);

    // Nothing is in its way any more: somebody has to be asked.
    stage.at(31 * DAY).cancel(&delete, &ann()).await.unwrap();
    stage.at(31 * DAY).unhold(&id("expiry-4711/notice-3"), &ann()).await.unwrap();
    run_due(&stage, 31 * DAY).await;
    assert_eq!(stage.at(32 * DAY).reinstate(&delete, &ann(), None).await.unwrap().word(), "overdue");
    stage.assert_sound().await;
}

/// A plan that was held while its first step ran, and the token of that.
async fn held_while_it_runs() -> (Stage, JobId, Token) {
    let stage = planned(Unmet::Cancel).await;
    stage.at(23 * DAY).forward(9, 0).await.unwrap();
    let job = stage.claim(23 * DAY, 9).await.remove(0);
    act(&stage, 23 * DAY + 1, PlanVerb::Hold, Past::Refuse).await;
    assert_eq!(states(&stage).await, ["active", "held", "held", "held"]);
    (stage, job.id, job.token)
}

#[tokio::test]
async fn a_step_that_fails_while_its_plan_is_held_is_held_until_that_is_released() {
    for (released, due) in [(23 * DAY + 5, 23 * DAY + 32), (23 * DAY + 40, 23 * DAY + 32)] {
        let (stage, job, token) = held_while_it_runs().await;
        let fail = async || {
            stage.at(23 * DAY + 2).fail(&job, token, "timed out", Some(Delay::millis(30))).await.unwrap()
        };
        assert_eq!(fail().await, FailWord::PlanHeld);
        let before = stage.snapshot().await;
        assert_eq!(fail().await, FailWord::PlanHeld, "a repeat gets the first answer");
        assert_eq!(difference(&before, &stage.snapshot().await), Vec::<String>::new());
        assert_eq!(states(&stage).await, ["held"; 4]);
        assert_eq!(stage.at(24 * DAY).forward(9, 0).await.unwrap().moved, 0);

        act(&stage, released, PlanVerb::Unhold, Past::Run).await;
        assert_eq!(states(&stage).await, ["delayed"; 4]);
        if released < due {
            assert_eq!(stage.at(due - 1).forward(9, 0).await.unwrap().moved, 0);
        }
        stage.at(due.max(released)).forward(9, 0).await.unwrap();
        let again = stage.claim(due.max(released), 9).await.remove(0);
        assert_eq!((&again.id, again.attempt, again.due), (&job, 2, t(due)));
        stage.assert_sound().await;
    }
}

#[tokio::test]
async fn what_a_held_plan_does_not_keep_ends_as_it_would() {
    // Its attempt is not to be repeated; it was called off; it goes well.
    let (stage, job, token) = held_while_it_runs().await;
    assert_eq!(stage.at(23 * DAY + 2).fail(&job, token, "no", None).await.unwrap(), FailWord::Dead);

    let (stage, job, token) = held_while_it_runs().await;
    stage.at(23 * DAY + 2).cancel(&job, &ann()).await.unwrap();
    let word = stage.at(23 * DAY + 3).fail(&job, token, "stopped", Some(Delay::seconds(1))).await.unwrap();
    assert_eq!(word, FailWord::Cancelled);

    let (stage, job, token) = held_while_it_runs().await;
    stage.at(23 * DAY + 2).complete(&[(job, token)]).await.unwrap();
    assert_eq!(states(&stage).await, ["done", "held", "held", "held"]);
    assert_eq!(stage.at(40 * DAY).forward(9, 0).await.unwrap().moved, 0);
    stage.assert_sound().await;
}

#[tokio::test]
async fn a_step_that_comes_back_from_its_worker_while_its_plan_is_held_is_held() {
    let lost = 23 * DAY + LEASE.as_millis() + 1;
    for way in ["snooze", "release", "recover"] {
        let (stage, job, token) = held_while_it_runs().await;
        let due = match way {
            "snooze" => {
                let at = stage.at(23 * DAY + 2);
                let word = at.snooze(&job, token, Delay::millis(50), "not yet", false).await.unwrap();
                assert_eq!(word, SnoozeWord::PlanHeld);
                23 * DAY + 52
            }
            "release" => {
                let one = [(job.clone(), token)];
                for _ in 0..2 {
                    let words = stage.at(23 * DAY + 2).release("its worker stopped", &one).await.unwrap();
                    assert_eq!(words, [ReleaseWord::PlanHeld]);
                }
                23 * DAY
            }
            _ => {
                assert_eq!(stage.at(lost).recover(9, Delay::millis(70), 3).await.unwrap(), 1);
                lost + 70
            }
        };
        assert_eq!(states(&stage).await, ["held"; 4], "{way}");
        let (held, ..) = stage.at(lost).job(&job).await.unwrap().unwrap();
        assert_eq!((held.due, held.attempt), (t(due), 0), "{way}: it has not cost an attempt");
        assert!(held.why.ends_with("its plan is held"), "{way}: {}", held.why);
        stage.assert_sound().await;

        act(&stage, lost, PlanVerb::Unhold, Past::Run).await;
        assert_eq!(states(&stage).await, ["delayed"; 4], "{way}");
        stage.at(lost + 70).forward(9, 0).await.unwrap();
        let ids: Vec<_> = stage.claim(lost + 70, 9).await.into_iter().map(|job| job.id).collect();
        assert!(ids.contains(&job), "{way}: {ids:?}");
        stage.assert_sound().await;
    }
}

#[tokio::test]
async fn a_held_plan_can_be_moved_and_runs_by_its_new_anchor() {
    let stage = planned(Unmet::Cancel).await;
    act(&stage, DAY, PlanVerb::Hold, Past::Refuse).await;
    let moved =
        act(&stage, 40 * DAY, PlanVerb::Reanchor(Anchor::To(Due::At(t(40 * DAY)))), Past::Refuse).await;
    assert_eq!(moved.outcome, PlanWord::Moved);
    assert_eq!(states(&stage).await, ["held"; 4]);
    let free = act(&stage, 41 * DAY, PlanVerb::Unhold, Past::Refuse).await;
    assert_eq!(
        (free.outcome, free.steps[0].standing.as_ref().unwrap().due),
        (PlanWord::Released, t(63 * DAY))
    );
}

#[tokio::test]
async fn calling_a_plan_off_calls_off_its_live_jobs_and_undo_puts_them_back_to_the_millisecond() {
    let stage = planned(Unmet::Cancel).await;
    run_due(&stage, 23 * DAY).await;
    let off = act(&stage, 24 * DAY, PlanVerb::Cancel, Past::Refuse).await;
    assert_eq!(
        words(&off),
        ["notice-1 already_finished", "notice-2 cancelled", "notice-3 cancelled", "delete cancelled"]
    );
    assert_eq!(states(&stage).await, ["done", "cancelled", "cancelled", "cancelled"]);
    stage.assert_sound().await;

    let back = act(&stage, 25 * DAY, PlanVerb::Reinstate, Past::Refuse).await;
    assert_eq!(
        words(&back),
        ["notice-1 stays", "notice-2 reinstated", "notice-3 reinstated", "delete reinstated"]
    );
    let dues: Vec<_> = back.steps.iter().map(|step| step.standing.as_ref().unwrap().due).collect();
    assert_eq!(dues, [23, 28, 29, 30].map(|day| t(day * DAY)));
    stage.assert_sound().await;
}

#[tokio::test]
async fn a_step_that_was_called_off_before_its_plan_stays_so_when_that_is_put_back() {
    let stage = planned(Unmet::Cancel).await;
    let first = id("expiry-4711/notice-1");
    stage.at(1).cancel(&first, &ann()).await.unwrap();
    for ms in [2, 3] {
        act(&stage, ms, PlanVerb::Cancel, Past::Refuse).await;
        assert_eq!(states(&stage).await, ["cancelled"; 4]);
    }

    // One of the others is late and is put back only when that is wanted.
    let skipped = act(&stage, 28 * DAY + 1, PlanVerb::Reinstate, Past::Skip).await;
    assert_eq!(
        words(&skipped),
        ["notice-1 stays", "notice-2 past", "notice-3 reinstated", "delete reinstated"]
    );
    for ms in [2, 3] {
        act(&stage, 28 * DAY + ms, PlanVerb::Reinstate, Past::Run).await;
        assert_eq!(states(&stage).await, ["cancelled", "delayed", "delayed", "delayed"]);
    }

    // Its own undo remains; what the plan calls off from then on comes back with it.
    stage.at(4).reinstate(&first, &ann(), None).await.unwrap();
    act(&stage, 5, PlanVerb::Cancel, Past::Refuse).await;
    act(&stage, 6, PlanVerb::Reinstate, Past::Refuse).await;
    assert_eq!(states(&stage).await, ["delayed"; 4]);
    stage.assert_sound().await;
}

#[tokio::test]
async fn a_step_that_was_called_off_after_its_plan_had_been_stays_so_too() {
    let delete = id("expiry-4711/delete");
    // What was known of an earlier calling off says nothing of it.
    let stage = planned(Unmet::Cancel).await;
    act(&stage, 1, PlanVerb::Cancel, Past::Refuse).await;
    for step in ["notice-1", "notice-2", "notice-3", "delete"] {
        stage.at(2).reinstate(&id(&format!("expiry-4711/{step}")), &ann(), None).await.unwrap();
    }
    stage.at(3).cancel(&delete, &ann()).await.unwrap();
    act(&stage, 4, PlanVerb::Cancel, Past::Refuse).await;
    act(&stage, 5, PlanVerb::Reinstate, Past::Refuse).await;
    assert_eq!(states(&stage).await, ["delayed", "delayed", "delayed", "cancelled"]);

    // Nor does what was left of it because its time had passed.
    let stage = planned(Unmet::Cancel).await;
    act(&stage, 1, PlanVerb::Cancel, Past::Refuse).await;
    act(&stage, 28 * DAY + 1, PlanVerb::Reinstate, Past::Skip).await;
    stage.at(28 * DAY + 2).cancel(&delete, &ann()).await.unwrap();
    act(&stage, 28 * DAY + 3, PlanVerb::Reinstate, Past::Run).await;
    assert_eq!(states(&stage).await, ["delayed", "delayed", "delayed", "cancelled"]);
    stage.assert_sound().await;
}

/// A plan of which the first step has just started, and that step's token.
async fn begun() -> (Stage, Token) {
    let stage = planned(Unmet::Cancel).await;
    stage.at(23 * DAY).forward(100, 0).await.unwrap();
    let token = stage.claim(23 * DAY, 10).await.remove(0).token;
    (stage, token)
}

#[tokio::test]
async fn a_step_that_was_asked_to_stop_before_its_plan_was_called_off_stays_called_off() {
    let first = id("expiry-4711/notice-1");
    for is_put_back_meanwhile in [false, true] {
        let (stage, token) = begun().await;
        stage.at(23 * DAY + 1).cancel(&first, &ann()).await.unwrap();
        act(&stage, 23 * DAY + 2, PlanVerb::Cancel, Past::Refuse).await;
        if is_put_back_meanwhile {
            act(&stage, 23 * DAY + 3, PlanVerb::Reinstate, Past::Refuse).await;
        }
        stage.at(23 * DAY + 4).fail(&first, token, "stopped", None).await.unwrap();

        act(&stage, 23 * DAY + 5, PlanVerb::Reinstate, Past::Run).await;

        assert_eq!(states(&stage).await, ["cancelled", "delayed", "delayed", "delayed"]);
        stage.assert_sound().await;
    }
}

#[tokio::test]
async fn a_step_that_was_asked_to_stop_with_its_plan_comes_back_with_it_however_often_that_was_called_off() {
    let (stage, token) = begun().await;
    let day = 23 * DAY;
    for ms in [1, 3] {
        act(&stage, day + ms, PlanVerb::Cancel, Past::Refuse).await;
        act(&stage, day + ms + 1, PlanVerb::Reinstate, Past::Refuse).await;
    }
    act(&stage, day + 5, PlanVerb::Cancel, Past::Refuse).await;
    let first = id("expiry-4711/notice-1");
    stage.at(day + 6).fail(&first, token, "stopped", None).await.unwrap();

    act(&stage, day + 7, PlanVerb::Reinstate, Past::Run).await;

    assert_eq!(states(&stage).await, ["delayed"; 4]);
    stage.assert_sound().await;
}

#[tokio::test]
async fn a_repeated_operation_on_a_plan_gets_the_first_answer() {
    let stage = planned(Unmet::Cancel).await;
    let mut op = ann();
    op.operation = "click-7".to_owned();
    let first = stage.at(1).act_on_plan(&expiry(), PlanVerb::Cancel, Past::Refuse, &op).await.unwrap();
    act(&stage, 2, PlanVerb::Reinstate, Past::Refuse).await;
    let before = stage.snapshot().await;
    let again = stage.at(3).act_on_plan(&expiry(), PlanVerb::Cancel, Past::Refuse, &op).await.unwrap();
    assert_eq!(again, first);
    assert_eq!(difference(&before, &stage.snapshot().await), Vec::<String>::new());
}

#[tokio::test]
async fn a_version_that_is_no_longer_true_changes_nothing_of_a_plan() {
    let stage = planned(Unmet::Cancel).await;
    let mut stale = ann();
    stale.seen = Some(Version(7));
    let before = stage.snapshot().await;
    for verb in [
        PlanVerb::Reanchor(Anchor::By(Offset::millis(5))),
        PlanVerb::Hold,
        PlanVerb::Unhold,
        PlanVerb::Cancel,
        PlanVerb::Reinstate,
    ] {
        let answer = stage.at(1).act_on_plan(&expiry(), verb, Past::Run, &stale).await.unwrap();
        assert_eq!((answer.outcome, answer.version), (PlanWord::Conflict, Version(1)));
        let nobody = PlanId::new("nobody").unwrap();
        let error = stage.at(1).act_on_plan(&nobody, verb, Past::Run, &ann()).await.unwrap_err();
        assert_eq!(error, Error::NoPlan { id: nobody });
    }
    assert_eq!(difference(&before, &stage.snapshot().await), Vec::<String>::new());
}

// Gates

#[tokio::test]
async fn a_gated_step_runs_at_its_time_when_the_others_were_done() {
    let stage = planned(Unmet::Cancel).await;
    for day in [23, 28, 29] {
        run_due(&stage, day * DAY).await;
    }
    assert_eq!(stage.at(30 * DAY).forward(9, 0).await.unwrap().moved, 1);
    assert_eq!(states(&stage).await, ["done", "done", "done", "ready"]);
    stage.assert_sound().await;
}

#[tokio::test]
async fn a_gated_step_waits_beyond_its_time_while_one_of_the_others_is_live_and_goes_with_its_end() {
    let stage = planned(Unmet::Cancel).await;
    for day in [23, 28] {
        run_due(&stage, day * DAY).await;
    }
    stage.at(29 * DAY).forward(9, 0).await.unwrap();
    let slow = stage.claim(29 * DAY, 1).await.remove(0);

    stage.at(30 * DAY).forward(9, 0).await.unwrap();
    assert_eq!(states(&stage).await[3], "held");
    // Nothing is left to forward: nobody asks again and again.
    let tick = stage.at(30 * DAY + 1).forward(9, 0).await.unwrap();
    assert_eq!((tick.moved, tick.next_due), (0, None));
    stage.assert_sound().await;

    let before = stage.snapshot().await;
    stage.at(31 * DAY).complete(&[(slow.id, slow.token)]).await.unwrap();

    assert_eq!(states(&stage).await[3], "ready");
    let after = stage.snapshot().await;
    assert_eq!(breaches(&after), Vec::<String>::new());
    assert_expected("plan_gate", &difference(&before, &after).join("\n"));
    assert_eq!(stage.claim(31 * DAY, 1).await[0].id, id("expiry-4711/delete"));
}

#[tokio::test]
async fn a_gated_step_is_called_off_when_one_of_the_others_did_not_end_well() {
    let stage = planned(Unmet::Cancel).await;
    run_due(&stage, 23 * DAY).await;
    fail_due(&stage, 28 * DAY).await;
    run_due(&stage, 29 * DAY).await;
    // Before its time it may still turn out well: somebody may retry the notice.
    assert_eq!(states(&stage).await, ["done", "dead", "done", "delayed"]);

    stage.at(30 * DAY).forward(9, 0).await.unwrap();

    assert_eq!(states(&stage).await[3], "cancelled");
    let (plans, _) = stage.at(0).plans(&[expiry()]).await.unwrap();
    assert_eq!(plans[0].steps[3].job.as_ref().unwrap().why, "notice-2 is dead");
    stage.assert_sound().await;
}

#[tokio::test]
async fn a_gated_step_is_held_for_a_person_and_goes_when_the_other_is_put_right() {
    let stage = planned(Unmet::Hold).await;
    run_due(&stage, 23 * DAY).await;
    fail_due(&stage, 28 * DAY).await;
    run_due(&stage, 29 * DAY).await;
    stage.at(30 * DAY).forward(9, 0).await.unwrap();
    assert_eq!(states(&stage).await, ["done", "dead", "done", "held"]);
    let (plans, _) = stage.at(0).plans(&[expiry()]).await.unwrap();
    assert_eq!(plans[0].steps[3].job.as_ref().unwrap().why, "notice-2 is dead");

    stage.at(31 * DAY).retry_now(&id("expiry-4711/notice-2"), &ann()).await.unwrap();
    assert_eq!(states(&stage).await, ["done", "ready", "done", "held"]);
    run_due(&stage, 31 * DAY).await;

    assert_eq!(states(&stage).await, ["done", "done", "done", "ready"]);
    stage.assert_sound().await;
}

#[tokio::test]
async fn a_person_can_run_a_gated_step_without_its_gate() {
    let stage = planned(Unmet::Hold).await;
    stage.at(23 * DAY).hold(&id("expiry-4711/notice-1"), &ann()).await.unwrap();
    stage.at(30 * DAY).forward(9, 0).await.unwrap();
    assert_eq!(states(&stage).await, ["held", "ready", "ready", "held"]);
    stage.at(30 * DAY).retry_now(&id("expiry-4711/delete"), &ann()).await.unwrap();
    assert_eq!(states(&stage).await[3], "ready");
    run_due(&stage, 30 * DAY).await;
    assert_eq!(states(&stage).await, ["held", "done", "done", "done"]);
    stage.assert_sound().await;
}

#[tokio::test]
async fn the_undo_of_a_bulk_cancel_lets_a_step_wait_again_and_sets_none_going_that_waits_for_nothing() {
    for others_end_first in [false, true] {
        let stage = Stage::new().await;
        let plan = a_before_b();
        stage.at(0).plan("client", &plan).await.unwrap();
        stage.at(DAY).forward(9, 0).await.unwrap();
        let a = stage.claim(DAY, 1).await.remove(0);
        stage.at(2 * DAY).forward(9, 0).await.unwrap();
        assert_eq!(states(&stage).await, ["active", "held"]);
        let off = run_on(&stage, 3 * DAY, BulkVerb::Cancel, &id("expiry-4711/b")).await;
        assert_eq!(states(&stage).await, ["active", "cancelled"]);
        if others_end_first {
            stage.at(4 * DAY).complete(&[(a.id.clone(), a.token)]).await.unwrap();
        }

        let undone = undo(&stage, 5 * DAY, &off).await;
        stage.at(5 * DAY).forward(9, 0).await.unwrap();

        if others_end_first {
            assert_eq!(
                (undone.as_str(), states(&stage).await),
                ("overdue", vec!["done".to_owned(), "cancelled".to_owned()])
            );
        } else {
            assert_eq!(
                (undone.as_str(), states(&stage).await),
                ("delayed", vec!["active".to_owned(), "held".to_owned()])
            );
            stage.at(6 * DAY).complete(&[(a.id, a.token)]).await.unwrap();
            assert_eq!(states(&stage).await, ["done", "ready"]);
        }
        stage.assert_sound().await;
    }
}

#[tokio::test]
async fn the_undo_of_a_bulk_release_holds_a_step_only_as_long_as_it_waits_for_others() {
    let b = id("expiry-4711/b");
    for all_end in [false, true] {
        let stage = Stage::new().await;
        let plan = NewPlan::new(expiry(), subject())
            .from(Due::At(t(0)))
            .step(step("a", 1))
            .step(step("c", 1))
            .step(step("b", 2).only_after([name("a"), name("c")]));
        stage.at(0).plan("client", &plan).await.unwrap();
        stage.at(DAY).forward(9, 0).await.unwrap();
        let others = stage.claim(DAY, 2).await;
        let ends =
            async |ms, at: usize| stage.at(ms).complete(&[(others[at].id.clone(), others[at].token)]).await;
        stage.at(2 * DAY).forward(9, 0).await.unwrap();
        assert_eq!(states(&stage).await, ["active", "active", "held"]);
        let released = run_on(&stage, 3 * DAY, BulkVerb::Unhold, &b).await;
        ends(4 * DAY, 0).await.unwrap();
        if all_end {
            ends(4 * DAY, 1).await.unwrap();
        }

        let undone = undo(&stage, 5 * DAY, &released).await;

        if all_end {
            assert_eq!(undone, "free");
            stage.at(6 * DAY).forward(9, 0).await.unwrap();
        } else {
            assert_eq!((undone.as_str(), stage.state_of(b.as_str()).await), ("held", Some(JobState::Held)));
            ends(6 * DAY, 1).await.unwrap();
        }
        assert_eq!(states(&stage).await, ["done", "done", "ready"], "all end first: {all_end}");
        stage.assert_sound().await;
    }
}

#[tokio::test]
async fn the_undo_of_a_bulk_cancel_puts_back_a_step_before_those_that_it_waits_for() {
    let stage = Stage::new().await;
    let plan = a_before_b();
    stage.at(0).plan("client", &plan).await.unwrap();
    stage.at(2 * DAY).forward(9, 0).await.unwrap();
    let a = stage.claim(2 * DAY, 1).await.remove(0);
    // It will be tried again after a while; `b` is late and waits for it.
    stage.at(2 * DAY).fail(&a.id, a.token, "not now", Some(Delay::millis(9 * DAY))).await.unwrap();
    assert_eq!(states(&stage).await, ["retrying", "held"]);
    let off =
        run_on_all(&stage, 3 * DAY, BulkVerb::Cancel, &["expiry-4711/a", "expiry-4711/b"].map(id)).await;
    assert_eq!(states(&stage).await, ["cancelled"; 2]);

    undo(&stage, 4 * DAY, &off).await;

    stage.at(4 * DAY).forward(9, 0).await.unwrap();
    assert_eq!(states(&stage).await, ["delayed", "held"]);
    stage.assert_sound().await;
}

#[tokio::test]
async fn a_step_that_is_put_back_alone_or_by_a_run_has_moved_along_with_its_plan() {
    for in_bulk in [false, true] {
        let stage = planned(Unmet::Cancel).await;
        let delete = id("expiry-4711/delete");
        let off = run_on(&stage, DAY, BulkVerb::Cancel, &delete).await;
        let later = PlanVerb::Reanchor(Anchor::By(Offset::millis(5 * DAY)));
        act(&stage, 2 * DAY, later, Past::Refuse).await;
        // Late by the time it had, and not by that of its plan.
        let now = 32 * DAY;
        if in_bulk {
            assert_eq!(undo(&stage, now, &off).await, "delayed");
        } else {
            assert_eq!(stage.at(now).reinstate(&delete, &ann(), None).await.unwrap().word(), "delayed");
        }
        let (plans, _) = stage.at(now).plans(&[expiry()]).await.unwrap();
        assert_eq!(plans[0].steps[3].job.as_ref().unwrap().due, t(35 * DAY), "in bulk: {in_bulk}");
        let again = PlanVerb::Reanchor(Anchor::By(Offset::millis(DAY)));
        let answer = act(&stage, now, again, Past::Run).await;
        assert_eq!(answer.steps[3].standing.as_ref().unwrap().due, t(36 * DAY), "in bulk: {in_bulk}");
        stage.assert_sound().await;
    }
}

#[tokio::test]
async fn what_somebody_released_from_a_held_plan_and_held_is_not_released_with_the_plan() {
    let delete = id("expiry-4711/delete");
    for in_bulk in [false, true] {
        let stage = planned(Unmet::Cancel).await;
        act(&stage, 1, PlanVerb::Hold, Past::Refuse).await;
        if in_bulk {
            run_on(&stage, 2, BulkVerb::Unhold, &delete).await;
            run_on(&stage, 3, BulkVerb::Hold, &delete).await;
        } else {
            stage.at(2).unhold(&delete, &ann()).await.unwrap();
            stage.at(3).hold(&delete, &ann()).await.unwrap();
        }
        act(&stage, 4, PlanVerb::Unhold, Past::Refuse).await;
        assert_eq!(states(&stage).await, ["delayed", "delayed", "delayed", "held"]);
        stage.assert_sound().await;
    }
    // What the undo of a run has put back on hold is held with its plan, as before.
    let stage = planned(Unmet::Cancel).await;
    act(&stage, 1, PlanVerb::Hold, Past::Refuse).await;
    let released = run_on(&stage, 2, BulkVerb::Unhold, &delete).await;
    assert_eq!(undo(&stage, 3, &released).await, "held");
    act(&stage, 4, PlanVerb::Unhold, Past::Refuse).await;
    assert_eq!(states(&stage).await, ["delayed"; 4]);
    // Of a plan that is held no more nobody would let it go.
    let stage = planned(Unmet::Cancel).await;
    act(&stage, 1, PlanVerb::Hold, Past::Refuse).await;
    let released = run_on(&stage, 2, BulkVerb::Unhold, &delete).await;
    act(&stage, 3, PlanVerb::Unhold, Past::Refuse).await;
    assert_eq!(undo(&stage, 4, &released).await, "free");
    assert_eq!(states(&stage).await, ["delayed"; 4]);
}

#[tokio::test]
async fn a_step_whose_queue_was_damaged_while_others_ended_goes_when_that_is_mended() {
    for all_end in [false, true] {
        let stage = Stage::new().await;
        let mut b = step("b", 2).only_after([name("a"), name("c")]);
        b.job.queue = QueueName::new("bad").unwrap();
        let plan = NewPlan::new(expiry(), subject())
            .from(Due::At(t(0)))
            .step(step("a", 1))
            .step(step("c", 1))
            .step(b);
        stage.at(0).plan("client", &plan).await.unwrap();
        stage.at(DAY).forward(9, 0).await.unwrap();
        let leases: Vec<_> = stage.claim(DAY, 2).await.into_iter().map(|job| (job.id, job.token)).collect();
        stage.at(2 * DAY).forward(9, 0).await.unwrap();
        assert_eq!(states(&stage).await, ["active", "active", "held"]);

        stage.command(&["SET", "*q:bad:done", "damage"]).await;
        let (early, late) = leases.split_at(if all_end { 2 } else { 1 });
        stage.at(3 * DAY).complete(early).await.unwrap();
        assert_eq!(stage.state_of("expiry-4711/b").await, Some(JobState::Held));
        stage.command(&["DEL", "*q:bad:done"]).await;
        if all_end {
            assert_eq!(round(&stage, 4 * DAY, 100).await.0, 1);
        } else {
            stage.at(4 * DAY).complete(late).await.unwrap();
        }

        assert_eq!(states(&stage).await, ["done", "done", "ready"], "all end meanwhile: {all_end}");
        stage.assert_sound().await;
    }
}

#[tokio::test]
async fn a_chain_of_gates_falls_like_dominoes() {
    let stage = Stage::new().await;
    let plan = a_before_b()
        .step(step("c", 2).only_after([name("b")]))
        .step(step("d", 2).only_after([name("c")]).otherwise(Unmet::Hold));
    stage.at(0).plan("client", &plan).await.unwrap();
    stage.at(DAY).forward(9, 0).await.unwrap();
    let a = stage.claim(DAY, 1).await.remove(0);
    stage.at(2 * DAY).forward(9, 0).await.unwrap();
    assert_eq!(states(&stage).await, ["active", "held", "held", "held"]);
    stage.at(3 * DAY).fail(&a.id, a.token, "no", None).await.unwrap();
    assert_eq!(states(&stage).await, ["dead", "cancelled", "cancelled", "held"]);
    stage.assert_sound().await;
}

#[tokio::test]
async fn the_end_of_a_step_is_known_longer_than_its_job_and_the_record_goes_with_the_last() {
    let stage = planned(Unmet::Cancel).await;
    for day in [23, 28, 29] {
        run_due(&stage, day * DAY).await;
    }
    // The notices are purged before the deletion is due.
    let far = Delay::days(8).as_millis();
    act(&stage, 29 * DAY, PlanVerb::Reanchor(Anchor::By(Offset::millis(far))), Past::Refuse).await;
    assert_eq!(stage.at(far / 2).purge(10).await.unwrap(), 0);
    assert_eq!(stage.at(far).purge(10).await.unwrap(), 3);
    assert_eq!(states(&stage).await, ["gone", "gone", "gone", "delayed"]);
    assert_eq!(stage.at(far + 30 * DAY).forward(9, 0).await.unwrap().moved, 1);
    assert_eq!(states(&stage).await[3], "ready");
    run_due(&stage, far + 31 * DAY).await;
    assert_eq!(stage.at(3 * far).purge(10).await.unwrap(), 1);
    let keys = stage.snapshot().await;
    assert!(keys.keys().all(|key| !key.starts_with("plan")), "{:?}", keys.keys());
}

// Bad input

#[tokio::test]
async fn a_plan_that_makes_no_sense_is_refused_before_anything_is_sent() {
    let due = {
        let mut job = plain(0);
        job.due = Due::At(t(DUE));
        NewStep::new(name("late"), Offset::default(), job)
    };
    let mut unique = step("u", 1);
    unique.job.unique = Some(("k".parse().unwrap(), Delay::days(1)));
    let plan = || NewPlan::new(expiry(), subject());
    let full = (0..33).fold(plan(), |plan, number| plan.step(step(&format!("s{number}"), 1)));
    for (bad, why) in [
        (plan(), "steps has 0; a plan has 1 to 32 steps"),
        (full, "steps has 33; a plan has 1 to 32 steps"),
        (plan().step(step("a", 1)).step(step("a", 2)), "steps have the name a twice"),
        (
            plan().step(step("a", 1).only_after([name("b")])).step(step("b", 1)),
            "after of step a names b, which is not an earlier step of the plan",
        ),
        (plan().step(due), "due of a step follows from the anchor and its offset"),
        (plan().step(unique), "unique is not for steps of a plan: the plan's id is unique"),
        (
            plan().step(NewStep::new(name("far"), Offset::millis(i64::MIN), step("x", 0).job)),
            "offset_ms is at most a thousand years",
        ),
        (plan().from(Due::In(Delay::millis(i64::MAX))), "anchor is at most a thousand years away"),
    ] {
        assert_eq!(bad.check().unwrap_err().to_string(), why);
    }
}

#[tokio::test]
async fn a_plan_takes_no_id_of_another_job_and_fits_its_subject_as_a_whole_or_not_at_all() {
    let stage = Stage::new().await;
    stage.enqueue(0, "expiry-4711/notice-2", plain(DUE)).await;
    let before = stage.snapshot().await;
    let error = stage.at(0).plan("client", &resource_expiry(Unmet::Cancel)).await.unwrap_err();
    assert_eq!(
        error.to_string(),
        "plan \"expiry-4711\" would need the id \"expiry-4711/notice-2\", which is that of a job that exists"
    );
    assert_eq!(difference(&before, &stage.snapshot().await), Vec::<String>::new());

    let stage = Stage::new().await;
    let mut job = plain(DUE);
    job.subject = Some(subject());
    let batch: Vec<_> = (0..997).map(|number| (id(&format!("j{number}")), job.clone())).collect();
    for some in batch.chunks(100) {
        stage.at(0).enqueue("client", some).await.unwrap();
    }
    let error = stage.at(0).plan("client", &resource_expiry(Unmet::Cancel)).await.unwrap_err();
    assert_eq!(
        error.to_string(),
        "plan \"expiry-4711\" has no room: its subject has 997 live jobs, at most 1,000 are allowed"
    );
    assert_eq!(error.code(), "subject_full");
}
