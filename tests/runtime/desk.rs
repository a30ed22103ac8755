//! What a support desk reads: everything about a subject, and what was written down about an act.

use super::scene::{Scene, id, job};
use reprieve::model::{Delay, JobState, Kind, Offset, Plan, PlanId, QueueName, StepName, Subject, Timestamp};
use reprieve::{Anchor, Due, NewJob, NewPlan, NewStep};

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
async fn who_sees_a_part_of_a_plan_reads_what_is_called_off_of_it_with_the_time_at_which_it_would_be_put_back()
 {
    let scene = Scene::new().await;
    let (plan, mail) = (PlanId::new("expiry").unwrap(), QueueName::new("mail").unwrap());
    let step = |name, days, queue: &QueueName| {
        let mut job = work(name);
        job.queue = queue.clone();
        NewStep::new(StepName::new(name).unwrap(), Offset::after(Delay::days(days)), job)
    };
    let new = NewPlan::new(plan.clone(), subject()).step(step("first", 1, &mail)).step(step(
        "delete",
        3,
        &QueueName::default(),
    ));
    scene.engine.client().make_plan(&new).await.unwrap();
    let acts = scene.engine.client().plan(&plan);
    let before = acts.cancel().await.unwrap().steps.remove(0).standing.unwrap().due;
    acts.reanchor(Anchor::By(Offset::after(Delay::days(4)))).await.unwrap();
    let inspector = scene.engine.inspector();

    let part = inspector.clone().only_in([mail]).about(&subject()).await.unwrap();

    let read: Vec<_> = part.jobs.iter().map(|row| (row.kind.as_str(), row.due)).collect();
    assert_eq!((part.plans.len(), read), (0, vec![("first", before + Delay::days(4))]));
    let whole = inspector.about(&subject()).await.unwrap();
    assert_eq!(whole.plans[0].steps[0].job.as_ref().unwrap().due, part.jobs[0].due);
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

#[tokio::test]
async fn an_act_is_found_however_much_programs_do_at_that_moment() {
    let scene = Scene::new().await;
    let at = Timestamp::from_millis(1_786_525_200_000).unwrap();
    let audit = format!("{}audit", scene.redis.prefix());
    let write = "
        local at = tonumber(ARGV[1])
        local function add(ms, sequence, by, verb, target)
          redis.call('XADD', KEYS[1], string.format('%d-%d', ms, sequence), 'at', string.format('%d', ms), 'by', by,
            'verb', verb, 'target', target, 'why', '', 'outcome', 'cancelled')
        end
        for n = 1, 1000 do add(at - 500, n, 'api', 'cancel', 'before') end
        for n = 1, 1000 do add(at, n, 'api', 'cancel', 'beside') end
        add(at, 1001, 'ann', 'cancel', 'a')";
    scene.redis.command(&["EVAL", write, "1", &audit, &at.as_millis().to_string()]).await.unwrap();

    let acts = scene.engine.inspector().noted(&subject(), at, Delay::seconds(10)).await.unwrap();

    let targets: Vec<&str> = acts.iter().map(|act| act.target.as_str()).collect();
    assert!(!targets.contains(&"before"));
    assert_eq!((targets.len(), targets.last()), (1_001, Some(&"a")));
}

#[tokio::test]
async fn all_plans_of_a_subject_are_read_with_it_however_old() {
    let scene = Scene::new().await;
    let step =
        || NewStep::new(StepName::new("delete").unwrap(), Offset::after(Delay::days(2)), work("delete"));
    for number in 0..21 {
        let id = PlanId::new(format!("expiry-{number}")).unwrap();
        scene.engine.client().make_plan(&NewPlan::new(id, subject()).step(step())).await.unwrap();
    }
    let mut other = job("other", "backup");
    other.subject = Some(subject());
    scene.enqueue(vec![other]).await;

    let about = scene.engine.inspector().about(&subject()).await.unwrap();

    assert_eq!((about.plans.len(), about.jobs.len()), (21, 22));
    let of_none = about.jobs.iter().filter(|row| {
        let is_its = |plan: &Plan| plan.steps.iter().any(|step| step.id == row.id);
        !about.plans.iter().any(is_its)
    });
    assert_eq!(of_none.map(|row| row.id.as_str()).collect::<Vec<_>>(), ["other"]);
}
