//! A job has one home, and moves when its subject does.

use crate::shards::scene::{Scene, about, id, job, subject_of};
use reprieve::model::{
    BatchId, Cancelled, Delay, Enqueued, JobState, Kind, Offset, PlanId, QueueName, Shard, SubjectCancelled,
    UniqueKey, Version,
};
use reprieve::store::Left;
use reprieve::{Error, NewBatch, NewJob, NewPlan, NewStep};

/// The first step of a move from shard 1 to shard 2.
async fn leave(scene: &Scene, name: &str, queue: &QueueName) {
    let left =
        scene.redis.shards().shard(Shard(1)).leave(&id(name), "client", queue, Shard(2)).await.unwrap();
    assert!(matches!(left, Left::Gone(_)), "{left:?}");
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
    let replacing = |mut job: NewJob| {
        job.replace = true;
        job
    };
    let client = scene.engine.client();

    let both = vec![about(&subject_of(1), "a"), job("other"), about(&subject_of(2), "a")];
    let answers = client.enqueue_batch(both).await.unwrap();

    assert!(matches!(&answers[0], Enqueued::Delayed(standing) if standing.id == id("a")), "{answers:?}");
    assert!(matches!(&answers[1], Enqueued::Delayed(standing) if standing.id == id("other")), "{answers:?}");
    assert!(matches!(&answers[2], Enqueued::Exists(standing) if standing.id == id("a")), "{answers:?}");
    assert_eq!(scene.whereabouts("a").await, [(1, JobState::Delayed)]);

    // One that replaces moves it, as it would in a call of its own; so does each of several.
    let moves = [2, 3, 3, 1].map(|shard| replacing(about(&subject_of(shard), "a")));
    let answers = client.enqueue_batch(moves.to_vec()).await.unwrap();
    assert!(answers.iter().all(|answer| matches!(answer, Enqueued::Replaced(_))), "{answers:?}");
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
async fn a_job_replaced_under_another_subject_moves_to_its_shard() {
    let scene = Scene::new().await;
    scene.enqueue(about(&subject_of(1), "a")).await;

    let mut replacement = about(&subject_of(2), "a");
    replacement.replace = true;
    replacement.payload = b"{\"new\":true}".to_vec();
    assert!(matches!(scene.enqueue(replacement.clone()).await, Enqueued::Replaced(_)));

    assert_eq!(scene.whereabouts("a").await, [(2, JobState::Delayed)]);
    let inspector = scene.engine.inspector();
    assert_eq!(inspector.job(&id("a")).await.unwrap().unwrap().job.payload, replacement.payload);
    assert_eq!(inspector.subject(&subject_of(1)).await.unwrap().jobs.len(), 0);
    assert_eq!(inspector.subject(&subject_of(2)).await.unwrap().jobs.len(), 1);
    assert_eq!(inspector.counts(None).await.unwrap().delayed, 1);
    assert_eq!(inspector.counts(None).await.unwrap().cancelled, 0);
}

#[tokio::test]
async fn what_was_seen_of_a_job_before_it_moved_does_not_fit_it_afterwards() {
    let scene = Scene::new().await;
    scene.enqueue(about(&subject_of(1), "a")).await;
    let (inspector, operator) = (scene.engine.inspector(), scene.engine.operator("ann"));
    let seen = inspector.job(&id("a")).await.unwrap().unwrap().job.version;
    let mut replacement = about(&subject_of(2), "a");
    replacement.replace = true;

    let Enqueued::Replaced(standing) = scene.enqueue(replacement).await else { panic!("it moves") };

    // The first version; that with which it left; the removal of its old self.
    assert_eq!(standing.version, Version(4));
    let found = inspector.job(&id("a")).await.unwrap().unwrap();
    assert_eq!(found.job.version, Version(4));
    let told: Vec<_> = found.history.iter().map(|entry| (entry.version, entry.from, entry.to)).collect();
    assert_eq!(told, [(Version(4), None, JobState::Delayed)]);
    assert!(found.history[0].why.contains("another shard"), "{}", found.history[0].why);
    assert!(matches!(operator.cancel(&id("a")).seen(seen).await, Err(Error::Conflict(_))));
    assert_eq!(operator.cancel(&id("a")).seen(standing.version).await.unwrap().word(), "cancelled");
    let found = inspector.job(&id("a")).await.unwrap().unwrap();
    assert_eq!((found.job.version, found.history.len()), (Version(5), 2));

    // Back again, and on: never the same twice.
    operator.reinstate(&id("a")).await.unwrap();
    let mut back = about(&subject_of(1), "a");
    back.replace = true;
    let Enqueued::Replaced(standing) = scene.enqueue(back).await else { panic!("it moves back") };
    assert_eq!(standing.version, Version(9));
}

#[tokio::test]
async fn a_move_that_was_cut_off_is_finished_by_repeating_it() {
    let scene = Scene::new().await;
    let (old, new) = (subject_of(1), subject_of(2));
    scene.enqueue(about(&old, "a")).await;
    let mut replacement = about(&new, "a");
    replacement.replace = true;

    // Cut off behind the first step: the old self is marked, the new one is not there yet.
    let queue = replacement.queue.clone();
    leave(&scene, "a", &queue).await;
    assert_eq!(scene.whereabouts("a").await, [(1, JobState::Cancelled)]);
    let found = scene.engine.inspector().job(&id("a")).await.unwrap().unwrap();
    assert!(found.job.why.contains("another shard"), "{}", found.job.why);
    assert!(matches!(scene.enqueue(replacement.clone()).await, Enqueued::Replaced(_)));
    assert_eq!(scene.whereabouts("a").await, [(2, JobState::Delayed)]);

    // Cut off behind the second: both are there, and the new self is the one that is found.
    scene.engine.client().cancel(&id("a")).await.unwrap();
    let back = {
        let mut back = about(&old, "b");
        back.replace = true;
        back
    };
    scene.enqueue(about(&old, "b")).await;
    leave(&scene, "b", &queue).await;
    scene.redis.shards().shard(Shard(2)).enqueue("client", &[(id("b"), about(&new, "b"))]).await.unwrap();
    assert_eq!(scene.whereabouts("b").await.len(), 2);
    let found = scene.engine.inspector().job(&id("b")).await.unwrap().unwrap();
    assert_eq!((found.job.subject.as_ref(), found.job.state), (Some(&new), JobState::Delayed));
    let mut again = about(&found.job.subject.clone().unwrap(), "b");
    again.replace = true;
    assert!(matches!(scene.enqueue(again).await, Enqueued::Replaced(_)));
    assert_eq!(scene.whereabouts("b").await, [(2, JobState::Delayed)]);

    // Cut off there again, and moved back by somebody else before the first caller repeats: still one.
    scene.redis.shards().shard(Shard(1)).enqueue("client", &[(id("b"), about(&old, "b"))]).await.unwrap();
    leave(&scene, "b", &queue).await;
    assert!(matches!(scene.enqueue(back).await, Enqueued::Replaced(_) | Enqueued::Delayed(_)));
    let live: Vec<_> =
        scene.whereabouts("b").await.into_iter().filter(|(_, state)| !state.is_final()).collect();
    assert_eq!(live, [(1, JobState::Delayed)]);
}

#[tokio::test]
async fn what_a_person_called_off_after_a_move_that_was_cut_off_is_not_set_going_again() {
    let scene = Scene::new().await;
    let operator = scene.engine.operator("ann");
    let queue = QueueName::default();
    for name in ["back", "run"].map(str::to_owned) {
        scene.enqueue(about(&subject_of(1), &name)).await;
        leave(&scene, &name, &queue).await;
        // A person lets it go on where it is, and thinks better of it.
        if name == "run" {
            operator.retry_now(&id(&name)).await.unwrap();
        } else {
            operator.reinstate(&id(&name)).await.unwrap();
        }
        operator.cancel(&id(&name)).because("the customer renewed").await.unwrap();

        for subject in [subject_of(1), subject_of(2)] {
            let mut replacement = about(&subject, &name);
            replacement.replace = true;
            let answer = scene.enqueue(replacement).await;
            assert!(matches!(&answer, Enqueued::Exists(standing) if standing.id == id(&name)), "{answer:?}");
        }
        assert_eq!(scene.whereabouts(&name).await, [(1, JobState::Cancelled)]);
    }
}

#[tokio::test]
async fn a_mark_that_a_move_left_on_a_waiting_job_means_nothing_once_a_person_calls_it_off() {
    let scene = Scene::new().await;
    scene.enqueue(about(&subject_of(1), "a")).await;
    // A version that left the mark behind when it put a job back.
    let key = format!("reprieve:{{{}.1}}:job:a", scene.redis.name());
    let text: String = redis::from_redis_value(scene.redis.command(&["GET", &key]).await.unwrap()).unwrap();
    let (first, rest) = text.split_once('\n').unwrap();
    let marked = format!("{first}\nmoves_to=2\n{rest}");
    scene.redis.command(&["SET", &key, &marked]).await.unwrap();
    let found = scene.engine.inspector().job(&id("a")).await.unwrap().unwrap();
    assert_eq!(found.job.state, JobState::Delayed);

    scene.engine.operator("ann").cancel(&id("a")).because("the customer renewed").await.unwrap();

    for subject in [subject_of(1), subject_of(2)] {
        let mut replacement = about(&subject, "a");
        replacement.replace = true;
        let answer = scene.enqueue(replacement).await;
        assert!(matches!(&answer, Enqueued::Exists(standing) if standing.id == id("a")), "{answer:?}");
    }
    assert_eq!(scene.whereabouts("a").await, [(1, JobState::Cancelled)]);
}

#[tokio::test]
async fn a_job_that_runs_is_not_replaced_and_one_refused_elsewhere_stays() {
    let scene = Scene::new().await;
    let (old, new) = (subject_of(1), subject_of(2));
    let unique = |mut job: NewJob| {
        job.unique = Some((UniqueKey::new("key").unwrap(), Delay::days(1)));
        job.replace = true;
        job
    };
    scene.enqueue(unique(about(&new, "holder"))).await;
    scene.enqueue(about(&old, "a")).await;

    let refused = scene.enqueue(unique(about(&new, "a"))).await;

    assert!(matches!(refused, Enqueued::Duplicate { .. }), "{refused:?}");
    assert_eq!(scene.whereabouts("a").await, [(1, JobState::Delayed)]);

    scene.engine.operator("ann").retry_now(&id("a")).await.unwrap();
    let queue = QueueName::default();
    let old_shard = scene.redis.shards().of_subject(&old);
    assert_eq!(old_shard.claim("w", Delay::seconds(9), 1, &[(queue, 1)]).await.unwrap().len(), 1);
    let mut late = about(&new, "a");
    late.replace = true;
    assert!(matches!(scene.enqueue(late).await, Enqueued::Exists(_)));
    assert_eq!(scene.whereabouts("a").await, [(1, JobState::Active)]);
}

#[tokio::test]
async fn what_is_held_stays_where_it_is() {
    let scene = Scene::new().await;
    scene.enqueue(about(&subject_of(1), "a")).await;
    scene.engine.operator("ann").hold(&id("a")).because("court order").await.unwrap();
    let mut elsewhere = about(&subject_of(2), "a");
    elsewhere.replace = true;
    let answer = scene.enqueue(elsewhere).await;
    assert!(matches!(answer, Enqueued::Exists(_)), "{answer:?}");
    assert_eq!(scene.whereabouts("a").await, [(1, JobState::Held)]);
    let mut here = about(&subject_of(1), "a");
    here.replace = true;
    assert!(matches!(scene.enqueue(here).await, Enqueued::Replaced(_)));
    assert_eq!(scene.whereabouts("a").await, [(1, JobState::Held)], "with what it is by now");
}

/// Shard 2 has its limit of queues. The key of all of them.
async fn fill_queues(scene: &Scene) -> String {
    let prefix = scene.redis.prefix().replace(".0}", ".2}");
    // Paused, so that none of them makes room.
    let fill = "for n = 1, 1000 do
        redis.call('SADD', KEYS[1] .. 'queues', 'q' .. n)
        redis.call('HSET', KEYS[1] .. 'q:q' .. n .. ':paused', 'by', 'ann')
    end";
    scene.redis.command(&["EVAL", fill, "1", &prefix]).await.unwrap();
    format!("{prefix}queues")
}

#[tokio::test]
async fn what_one_shard_refuses_is_told_with_all_that_the_others_took_in() {
    let scene = Scene::new().await;
    fill_queues(&scene).await;
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
async fn a_job_stays_when_there_is_no_room_for_its_replacement() {
    let scene = Scene::new().await;
    scene.enqueue(about(&subject_of(1), "a")).await;
    let mut elsewhere = about(&subject_of(2), "a");
    elsewhere.replace = true;
    let queues = fill_queues(&scene).await;
    let refused = scene.engine.client().enqueue_batch(vec![elsewhere.clone()]).await;
    assert!(matches!(refused, Err(Error::Invalid { field: "queue", .. })), "{refused:?}");
    assert_eq!(scene.whereabouts("a").await, [(1, JobState::Delayed)]);
    scene.redis.command(&["DEL", &queues]).await.unwrap();
    assert!(matches!(scene.enqueue(elsewhere).await, Enqueued::Replaced(_)));
    assert_eq!(scene.whereabouts("a").await, [(2, JobState::Delayed)]);
}

#[tokio::test]
async fn a_step_of_a_plan_and_a_job_of_a_batch_are_not_replaced_from_another_shard_either() {
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
        for subject in [&home, &elsewhere] {
            let mut replacement = about(subject, name);
            replacement.replace = true;
            let answer = scene.enqueue(replacement).await;
            assert!(matches!(&answer, Enqueued::Exists(standing) if standing.id == id(name)), "{answer:?}");
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
