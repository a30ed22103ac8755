//! A job has one home: the shard of its subject.

use crate::shards::scene::{Scene, about, id, job, subject_of};
use reprieve::model::{
    BatchId, Cancelled, Delay, Enqueued, JobState, Kind, Offset, PlanId, PlanWord, StepName, Subject,
    SubjectCancelled, UniqueKey,
};
use reprieve::{Error, NewBatch, NewJob, NewPlan, NewStep};

/// One that is to replace the job of that id.
fn replacing(subject: &Subject, name: &str) -> NewJob {
    let mut job = about(subject, name);
    job.replace = true;
    job
}

#[tokio::test]
async fn all_jobs_of_a_subject_are_called_off_in_one_step_in_their_shard() {
    let scene = Scene::new().await;
    let (renewed, other) = (subject_of(2), subject_of(3));
    for (subject, name) in [(&renewed, "a"), (&renewed, "b"), (&other, "c")] {
        scene.enqueue(about(subject, name)).await;
    }

    let outcome = scene.engine.client().cancel_subject(&renewed).await.unwrap();

    let SubjectCancelled::Cancelled { jobs } = outcome else { panic!("{outcome:?}") };
    assert_eq!(jobs.len(), 2);
    assert_eq!(scene.whereabouts("a").await, [(2, JobState::Cancelled)]);
    assert_eq!(scene.whereabouts("b").await, [(2, JobState::Cancelled)]);
    assert_eq!(scene.whereabouts("c").await, [(3, JobState::Delayed)]);
}

#[tokio::test]
async fn a_job_is_found_by_its_id_alone_wherever_it_is() {
    let scene = Scene::new().await;
    for shard in 0..4 {
        scene.enqueue(about(&subject_of(shard), &format!("job{shard}"))).await;
    }
    let operator = scene.engine.operator("ann");
    for shard in 0..4 {
        let id = id(&format!("job{shard}"));
        let found = scene.engine.inspector().job(&id).await.unwrap().unwrap();
        assert_eq!(found.job.subject, Some(subject_of(shard)));
        assert!(matches!(operator.cancel(&id).await.unwrap(), Cancelled::Now(_)));
        assert!(operator.reinstate(&id).seen(found.job.version).await.is_err(), "that version is over");
    }
    assert!(matches!(operator.cancel(&id("nobody")).await, Err(Error::NotFound { .. })));
    assert_eq!(scene.engine.inspector().job(&id("nobody")).await.unwrap(), None);
}

#[tokio::test]
async fn an_id_that_nobody_chose_names_the_shard_of_its_job() {
    let scene = Scene::new().await;
    for shard in 0..4 {
        let mut of_subject = about(&subject_of(shard), "any");
        of_subject.id = None;
        let enqueued = scene.enqueue(of_subject).await;

        let id = enqueued.id();
        assert!(id.as_str().ends_with(&format!("{shard:02x}")), "{id} in shard {shard}");
        let found = scene.engine.inspector().job(id).await.unwrap().unwrap();
        assert_eq!(found.job.subject, Some(subject_of(shard)));
    }
}

#[tokio::test]
async fn a_repeated_operation_gets_its_first_answer_even_when_the_job_is_gone() {
    let scene = Scene::new().await;
    let mut short = about(&subject_of(3), "a");
    short.retention = Some(Delay::millis(1));
    short.due = reprieve::Due::Now;
    scene.enqueue(short).await;
    let operator = scene.engine.operator("ann");
    let first = operator.cancel(&id("a")).operation("op1").await.unwrap();
    let key = format!("reprieve:{{{}.3}}:job:a", scene.redis.name());
    scene.redis.command(&["DEL", &key]).await.unwrap();

    assert_eq!(operator.cancel(&id("a")).operation("op1").await.unwrap(), first);
    assert!(matches!(operator.cancel(&id("a")).operation("op2").await, Err(Error::NotFound { .. })));
}

#[tokio::test]
async fn an_id_is_taken_in_every_shard() {
    let scene = Scene::new().await;
    scene.enqueue(about(&subject_of(1), "a")).await;

    for other in [about(&subject_of(2), "a"), job("a")] {
        let answer = scene.enqueue(other).await;
        assert!(matches!(&answer, Enqueued::Exists(standing) if standing.id == id("a")), "{answer:?}");
    }
    assert_eq!(scene.whereabouts("a").await, [(1, JobState::Delayed)]);
}

#[tokio::test]
async fn an_id_that_comes_twice_in_one_call_is_one_job() {
    let scene = Scene::new().await;
    let client = scene.engine.client();

    let both = vec![about(&subject_of(1), "a"), job("other"), about(&subject_of(2), "a")];
    let answers = client.enqueue_batch(both).await.unwrap();

    assert!(matches!(&answers[0], Enqueued::Delayed(standing) if standing.id == id("a")), "{answers:?}");
    assert!(matches!(&answers[1], Enqueued::Delayed(standing) if standing.id == id("other")), "{answers:?}");
    assert!(matches!(&answers[2], Enqueued::Exists(standing) if standing.id == id("a")), "{answers:?}");
    assert_eq!(scene.whereabouts("a").await, [(1, JobState::Delayed)]);

    // Each that replaces is answered as in a call of its own.
    let several = [2, 3, 3, 1].map(|shard| replacing(&subject_of(shard), "a"));
    let answers = client.enqueue_batch(several.to_vec()).await.unwrap();
    let words: Vec<&str> = answers.iter().map(Enqueued::word).collect();
    assert_eq!(words, ["id_conflict", "id_conflict", "id_conflict", "replaced"]);
    assert_eq!(scene.whereabouts("a").await, [(1, JobState::Delayed)]);
}

#[tokio::test]
async fn a_plan_and_a_batch_need_ids_that_no_shard_has() {
    let scene = Scene::new().await;
    let new = |kind: &str| NewJob::new(Kind::new(kind).unwrap(), "{}");
    for name in ["pl/notice", "im/completion"] {
        scene.enqueue(about(&subject_of(1), name)).await;
    }
    let client = scene.engine.client();

    let plan = NewPlan::new(PlanId::new("pl").unwrap(), subject_of(2)).step(NewStep::new(
        "notice".parse().unwrap(),
        Offset::millis(3_600_000),
        new("notice"),
    ));
    let refused = client.make_plan(&plan).await;
    assert!(matches!(refused, Err(Error::PlanRefused { word: "id_conflict", .. })), "{refused:?}");
    let mut report = new("report");
    report.subject = Some(subject_of(2));
    let batch = NewBatch::new(BatchId::new("im").unwrap(), report).jobs(vec![about(&subject_of(2), "row")]);
    let refused = client.make_batch(&batch).await;
    assert!(matches!(refused, Err(Error::Invalid { field: "id", .. })), "{refused:?}");

    for name in ["pl/notice", "im/completion"] {
        assert_eq!(scene.whereabouts(name).await, [(1, JobState::Delayed)], "{name}");
    }
    assert_eq!(scene.engine.inspector().plan(&plan.id).await.unwrap(), None);
    assert!(scene.whereabouts("row").await.is_empty());
}

#[tokio::test]
async fn a_job_is_not_replaced_from_another_shard_in_whatever_state() {
    let scene = Scene::new().await;
    let (home, elsewhere) = (subject_of(1), subject_of(2));
    let operator = scene.engine.operator("ann");
    for name in ["waits", "held", "cancelled"] {
        scene.enqueue(about(&home, name)).await;
    }
    operator.hold(&id("held")).because("court order").await.unwrap();
    operator.cancel(&id("cancelled")).await.unwrap();

    for (name, state, here) in [
        ("waits", JobState::Delayed, "replaced"),
        ("held", JobState::Held, "replaced"),
        ("cancelled", JobState::Cancelled, "exists"),
    ] {
        let before = scene.engine.inspector().job(&id(name)).await.unwrap().unwrap().job;
        let mut replacement = replacing(&elsewhere, name);
        replacement.payload = b"{\"new\":true}".to_vec();
        let refused = scene.enqueue(replacement).await;
        assert_eq!(refused, Enqueued::IdConflict { id: id(name) });
        assert_eq!(
            scene.engine.inspector().job(&id(name)).await.unwrap().unwrap().job,
            before,
            "nothing changed"
        );
        assert_eq!(scene.enqueue(replacing(&home, name)).await.word(), here, "{name}");
        assert_eq!(scene.whereabouts(name).await, [(1, state)]);
    }
}

#[tokio::test]
async fn what_one_shard_refuses_is_told_with_all_that_the_others_took_in() {
    let scene = Scene::new().await;
    // Shard 2 has its limit of queues: paused, so that none of them makes room.
    let prefix = scene.redis.prefix().replace(".0}", ".2}");
    let fill = "for n = 1, 1000 do
        redis.call('SADD', KEYS[1] .. 'queues', 'q' .. n)
        redis.call('HSET', KEYS[1] .. 'q:q' .. n .. ':paused', 'by', 'ann')
    end";
    scene.redis.command(&["EVAL", fill, "1", &prefix]).await.unwrap();
    let jobs = [(1, "a"), (2, "b"), (3, "c")].map(|(shard, name)| about(&subject_of(shard), name));

    let broken = scene.engine.client().enqueue_batch_in_part(jobs.to_vec()).await.unwrap_err();

    assert!(matches!(broken.error, Error::Invalid { field: "queue", .. }), "{broken:?}");
    let mut told: Vec<&str> = broken.told.iter().map(|answer| answer.id().as_str()).collect();
    told.sort_unstable();
    assert_eq!(told, ["a", "c"]);
    assert_eq!(scene.whereabouts("c").await, [(3, JobState::Delayed)]);
    assert!(scene.whereabouts("b").await.is_empty());
}

#[tokio::test]
async fn a_step_of_a_plan_and_a_job_of_a_batch_are_not_replaced_from_any_shard() {
    let scene = Scene::new().await;
    let (home, elsewhere) = (subject_of(1), subject_of(2));
    let new = |kind: &str| NewJob::new(Kind::new(kind).unwrap(), "{}");
    let plan = NewPlan::new(PlanId::new("pl").unwrap(), home.clone()).step(NewStep::new(
        "a".parse().unwrap(),
        Offset::millis(3_600_000),
        new("notice"),
    ));
    scene.engine.client().make_plan(&plan).await.unwrap();
    let mut report = new("report");
    report.subject = Some(home.clone());
    let batch = NewBatch::new(BatchId::new("im").unwrap(), report).jobs(vec![about(&home, "row")]);
    scene.engine.client().make_batch(&batch).await.unwrap();

    for (name, state) in
        [("pl/a", JobState::Delayed), ("row", JobState::Delayed), ("im/completion", JobState::Held)]
    {
        for (subject, word) in [(&home, "exists"), (&elsewhere, "id_conflict")] {
            assert_eq!(scene.enqueue(replacing(subject, name)).await.word(), word);
        }
        assert_eq!(scene.whereabouts(name).await, [(1, state)], "{name}");
    }
    let plan = scene.engine.inspector().plan(&plan.id).await.unwrap().unwrap();
    assert_eq!(plan.steps[0].ended, None);
}

#[tokio::test]
async fn a_unique_key_without_a_subject_is_unique_in_the_whole_namespace() {
    let scene = Scene::new().await;
    let mut answers = Vec::new();
    for name in ["a", "b", "c", "d", "e", "f"] {
        let mut job = job(name);
        job.unique = Some((UniqueKey::new("reindex:42").unwrap(), Delay::days(1)));
        answers.push(scene.enqueue(job).await);
    }
    let taken = answers.iter().filter(|answer| matches!(answer, Enqueued::Delayed(_))).count();
    assert_eq!(taken, 1, "{answers:?}");
}

#[tokio::test]
async fn a_job_whose_id_was_that_of_a_removed_one_begins_above_it_in_whichever_shard() {
    let scene = Scene::new().await;
    let (operator, client) = (scene.engine.operator("ann"), scene.engine.client());
    let remove = async |name: &str| {
        for _ in 0..3 {
            operator.hold(&id(name)).await.unwrap();
            operator.unhold(&id(name)).await.unwrap();
        }
        operator.cancel(&id(name)).await.unwrap();
        operator.purge(&id(name)).await.unwrap()
    };
    let version_of =
        async |name: &str| scene.engine.inspector().job(&id(name)).await.unwrap().unwrap().job.version;
    scene.enqueue(about(&subject_of(1), "a")).await;
    let mut gone = remove("a").await.standing().version;
    for shard in [2, 0, 3, 1] {
        scene.enqueue(about(&subject_of(shard), "a")).await;
        assert_eq!(scene.whereabouts("a").await, [(shard, JobState::Delayed)]);
        let born = version_of("a").await;
        assert!(born > gone, "{born:?} in shard {shard} after {gone:?}");
        gone = remove("a").await.standing().version;
        assert!(gone > born);
    }

    // As a step of a plan, and as a job of a batch.
    scene.enqueue(about(&subject_of(1), "pl/notice")).await;
    let gone = remove("pl/notice").await.standing().version;
    let new = |kind: &str| NewJob::new(Kind::new(kind).unwrap(), "{}");
    let step = NewStep::new("notice".parse().unwrap(), Offset::millis(3_600_000), new("notice"));
    let plan = NewPlan::new(PlanId::new("pl").unwrap(), subject_of(2)).step(step);
    client.make_plan(&plan).await.unwrap();
    assert!(version_of("pl/notice").await > gone);

    scene.enqueue(about(&subject_of(2), "member")).await;
    let gone = remove("member").await.standing().version;
    let batch = NewBatch::new(BatchId::new("im").unwrap(), new("report")).jobs([job("member")]);
    client.make_batch(&batch).await.unwrap();
    assert!(version_of("member").await > gone);
}

#[tokio::test]
async fn an_operation_on_a_removed_job_is_none_on_another_job_of_its_id_in_another_shard() {
    let scene = Scene::new().await;
    let operator = scene.engine.operator("ann");
    scene.enqueue(about(&subject_of(1), "a")).await;
    let first = operator.retry_now(&id("a")).operation("K").await.unwrap();
    assert_eq!(first, operator.retry_now(&id("a")).operation("K").await.unwrap(), "a repeat");
    operator.cancel(&id("a")).await.unwrap();
    operator.purge(&id("a")).await.unwrap();
    assert_eq!(first, operator.retry_now(&id("a")).operation("K").await.unwrap(), "gone, and known still");

    scene.enqueue(about(&subject_of(2), "a")).await;

    let again = operator.retry_now(&id("a")).operation("K").await;
    let Err(Error::Conflict(now)) = again else { panic!("{again:?}") };
    assert_eq!(now.state, JobState::Delayed);
    assert_eq!(scene.whereabouts("a").await, [(2, JobState::Delayed)]);
    let other = operator.retry_now(&id("a")).operation("L").await.unwrap();
    assert_eq!(other.standing().state, JobState::Ready);
}

#[tokio::test]
async fn an_operation_on_a_removed_plan_is_none_on_another_plan_of_its_id_in_another_shard() {
    let scene = Scene::new().await;
    let operator = scene.engine.operator("ann");
    let plan_of = |shard: u16| {
        let step = NewStep::new(
            StepName::new("only").unwrap(),
            Offset::millis(3_600_000),
            NewJob::new(Kind::new("k").unwrap(), "{}"),
        );
        NewPlan::new(PlanId::new("p").unwrap(), subject_of(shard)).step(step)
    };
    scene.engine.client().make_plan(&plan_of(1)).await.unwrap();
    let first = operator.plan(&PlanId::new("p").unwrap()).cancel().operation("K").await.unwrap();
    assert_eq!(first.word_of("only"), Some("cancelled"));
    operator.purge(&id("p/only")).await.unwrap();

    scene.engine.client().make_plan(&plan_of(2)).await.unwrap();

    let again = operator.plan(&PlanId::new("p").unwrap()).cancel().operation("K").await.unwrap();
    assert_eq!(again.outcome, PlanWord::Conflict);
    assert_eq!(scene.whereabouts("p/only").await, [(2, JobState::Delayed)]);
}
