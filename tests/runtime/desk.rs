//! What a support desk reads: everything about a subject, and what was written down about an act.

use super::scene::{Scene, id, job};
use reprieve::model::{Delay, JobState, Kind, Offset, PlanId, StepName, Subject, Timestamp};
use reprieve::{Due, NewJob, NewPlan, NewStep};

fn subject() -> Subject {
    Subject::new("resource:4711").unwrap()
}

fn work(kind: &str) -> NewJob {
    NewJob::new(Kind::new(kind).unwrap(), "{}")
}

#[tokio::test]
async fn a_subject_is_read_with_its_plans_and_its_other_jobs() {
    let scene = Scene::new().await;
    let name = |text| StepName::new(text).unwrap();
    let plan = NewPlan::new(PlanId::new("expiry").unwrap(), subject())
        .step(NewStep::new(name("notice"), Offset::after(Delay::days(1)), work("notice")))
        .step(NewStep::new(name("delete"), Offset::after(Delay::days(2)), work("delete")));
    scene.engine.client().make_plan(&plan).await.unwrap();
    let mut other = job("other", "backup");
    other.subject = Some(subject());
    scene.enqueue(vec![other]).await;

    let about = scene.engine.inspector().about(&subject()).await.unwrap();

    assert_eq!(about.plans.len(), 1);
    let kinds: Vec<&str> = about.jobs.iter().map(|row| row.kind.as_str()).collect();
    assert_eq!(kinds, ["backup", "notice", "delete"], "all of them, by their times");
    assert!(!about.is_empty());
    let nothing = scene.engine.inspector().about(&Subject::new("resource:4712").unwrap()).await.unwrap();
    assert!(nothing.is_empty());
}

#[tokio::test]
async fn what_was_called_off_is_found_by_its_time_in_the_audit() {
    let scene = Scene::new().await;
    let mut waiting = job("a", "delete");
    waiting.due = Due::In(Delay::days(1));
    waiting.subject = Some(subject());
    scene.enqueue(vec![waiting]).await;
    let called_off =
        scene.engine.operator("ann").cancel(&id("a")).because("Customer asked: ticket 8812").await.unwrap();
    let at = called_off.standing().ended.unwrap();
    let inspector = scene.engine.inspector();

    let acts = inspector.noted(&subject(), at, Delay::seconds(1)).await.unwrap();

    let [act] = acts.as_slice() else { panic!("{acts:?}") };
    assert_eq!((act.at, act.by.as_str(), act.verb.as_str(), act.target.as_str()), (at, "ann", "cancel", "a"));
    assert_eq!((act.why.as_str(), act.outcome.as_str()), ("Customer asked: ticket 8812", "cancelled"));
    assert_eq!(scene.job("a").await.state, JobState::Cancelled);
    let before = Timestamp::saturating_from_millis(at.as_millis() - 5_000);
    assert!(inspector.noted(&subject(), before, Delay::seconds(1)).await.unwrap().is_empty());
}
