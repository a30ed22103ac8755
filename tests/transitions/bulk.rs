//! Bulk runs: what they find, what they do, and that their sums add up whatever happens in between.

use super::expect::difference;
use super::seed::{DUE, Stage, ann, id, mail, plain, subject, t};
use proptest::prelude::*;
use reprieve::model::filter::TERMS_MAX;
use reprieve::model::{
    BulkFilter, BulkRun, BulkState, BulkVerb, Delay, DiedOf, JobId, JobState, Kind, KindRule, OutcomePlace,
    QueueName, RunId, Shard, Shift, Subject,
};
use reprieve::{Engine, Operator, Sight};
use std::time::Duration;

fn engine(stage: &Stage, ms: i64) -> Engine {
    stage.redis.engine().at(t(ms))
}

fn operator(stage: &Stage, ms: i64) -> Operator {
    engine(stage, ms).operator("ann")
}

fn in_mail() -> BulkFilter {
    let mut filter = BulkFilter::default();
    filter.queue = Some(mail());
    filter
}

fn run_id(text: &str) -> RunId {
    RunId::new(text).unwrap()
}

/// Jobs j0, j1 … in queue mail, due after an hour and a second more each.
async fn seed(stage: &Stage, count: i64) {
    let jobs: Vec<_> = (0..count).map(|n| (id(&format!("j{n:03}")), plain(DUE + n * 1_000))).collect();
    for batch in jobs.chunks(100) {
        stage.at(0).enqueue("client", batch).await.unwrap();
    }
}

async fn run(stage: &Stage, run: &BulkRun) -> BulkRun {
    engine(stage, 2_000).inspector().bulk_run(&run.id).await.unwrap().unwrap()
}

fn assert_adds_up(run: &BulkRun) {
    assert_eq!(run.total, run.pending + run.changed + run.skipped + run.failed, "{run:?}");
    assert_eq!(run.words.values().sum::<u64>(), run.changed + run.skipped + run.failed, "{run:?}");
}

/// Takes steps at that time until the run does not go on; how it stands then.
async fn drive(stage: &Stage, of: &BulkRun, ms: i64, most: u32) -> BulkRun {
    while let Some(step) = operator(stage, ms).step_bulk(&of.id, most).await.unwrap() {
        assert_adds_up(&run(stage, of).await);
        if step.state != BulkState::Running || step.reached == 0 {
            break;
        }
    }
    run(stage, of).await
}

/// Does a verb to one job by a run of its own, all of it at that time.
pub(crate) async fn run_on(stage: &Stage, ms: i64, verb: BulkVerb, name: &JobId) -> BulkRun {
    run_on_all(stage, ms, verb, std::slice::from_ref(name)).await
}

/// The same to several jobs.
pub(crate) async fn run_on_all(stage: &Stage, ms: i64, verb: BulkVerb, names: &[JobId]) -> BulkRun {
    let mut picked = Vec::new();
    for name in names {
        let (job, ..) = stage.redis.store().job(name).await.unwrap().unwrap();
        picked.push((name.clone(), job.version));
    }
    let frozen = operator(stage, ms).bulk(verb).jobs(picked).freeze().await.unwrap();
    operator(stage, ms).start_bulk(&frozen.id, None, "").await.unwrap();
    drive(stage, &frozen, ms, 50).await
}

/// Undoes a run of one job; the outcome.
pub(crate) async fn undo(stage: &Stage, ms: i64, of: &BulkRun) -> String {
    let undo = operator(stage, ms).undo_bulk(&of.id, None, "").await.unwrap();
    operator(stage, ms).start_bulk(&undo.id, None, "").await.unwrap();
    drive(stage, &undo, ms, 50).await.words.into_keys().collect()
}

#[tokio::test]
async fn a_run_takes_back_as_many_jobs_as_their_subject_has_room_for() {
    let stage = Stage::new().await;
    let about = || {
        let mut job = plain(DUE);
        job.subject = Some(subject());
        job
    };
    let ended = ["c0", "c1", "c2"].map(id);
    for name in &ended {
        stage.enqueue(0, name.as_str(), about()).await;
        stage.at(0).cancel(name, &ann()).await.unwrap();
    }
    let live: Vec<_> = (0..999).map(|n| (id(&format!("j{n:03}")), about())).collect();
    for batch in live.chunks(100) {
        stage.at(0).enqueue("client", batch).await.unwrap();
    }

    for (verb, word, changed) in [(BulkVerb::Reinstate, "delayed", 1), (BulkVerb::RetryNow, "ready", 0)] {
        let (mut picked, store) = (vec![], stage.redis.store());
        for name in &ended {
            let (job, ..) = store.job(name).await.unwrap().unwrap();
            if job.state == JobState::Cancelled {
                picked.push((name.clone(), job.version));
            }
        }
        let frozen = operator(&stage, 1_000).bulk(verb).jobs(picked).freeze().await.unwrap();
        operator(&stage, 1_000).start_bulk(&frozen.id, None, "").await.unwrap();
        let done = drive(&stage, &frozen, 2_000, 50).await;

        assert_eq!((done.changed, done.skipped, done.failed), (changed, 2, 0), "{verb}");
        assert_eq!(done.words.get(word).copied().unwrap_or(0), changed, "{verb}");
        assert_eq!(done.words["subject_full"], 2, "{verb}");
    }
    stage.assert_sound().await;
}

#[tokio::test]
async fn freezing_counts_and_splits_and_changes_no_job() {
    let stage = Stage::new().await;
    seed(&stage, 7).await;
    let mut other = plain(DUE);
    (other.queue, other.kind) = (QueueName::new("sms").unwrap(), Kind::new("text").unwrap());
    other.subject = Some(subject());
    stage.enqueue(0, "s1", other).await;
    stage.at(1).hold(&id("j000"), &ann()).await.unwrap();
    let before = stage.snapshot().await;

    let frozen =
        operator(&stage, 1_000).bulk(BulkVerb::Cancel).because("cleaning up").freeze().await.unwrap();

    assert_eq!((frozen.state, frozen.total, frozen.pending, frozen.looked_at), (BulkState::Frozen, 8, 8, 8));
    let split: Vec<_> = frozen.split.iter().map(|(part, count)| format!("{part} {count}")).collect();
    assert_eq!(
        split,
        ["kind:notice 7", "kind:text 1", "queue:mail 7", "queue:sms 1", "state:delayed 7", "state:held 1"]
    );
    let about = |run: &BulkRun| (run.subjects, run.by_subject.clone().into_iter().collect::<Vec<_>>());
    assert_eq!(about(&frozen), (1, vec![(subject().to_string(), 1)]), "the others are about nobody");
    assert_eq!(frozen.due_ms, Some((t(DUE), t(DUE + 6_000))));
    assert_eq!((frozen.by.as_str(), frozen.why.as_str()), ("ann", "cleaning up"));
    let samples = engine(&stage, 1_000).inspector().bulk_samples(&frozen.id, 0).await.unwrap();
    assert_eq!(samples.len(), 8);
    let behind = engine(&stage, 1_000).inspector().bulk_samples(&frozen.id, 5).await.unwrap();
    assert_eq!(behind, samples[5..], "those behind the first five");
    let changed = difference(&before, &stage.snapshot().await);
    assert!(changed.iter().all(|line| line.starts_with("+ bulk")), "{changed:#?}");

    operator(&stage, 1_100).start_bulk(&frozen.id, None, "").await.unwrap();
    assert_eq!(about(&run(&stage, &frozen).await), (1, Vec::new()), "no names stay with it");

    let looked_at = operator(&stage, 1_200).bulk(BulkVerb::Cancel).freeze().await.unwrap();
    assert_eq!(about(&looked_at).1.len(), 1);
    let aborted = operator(&stage, 1_300).abort_bulk(&looked_at.id, "").await.unwrap();
    assert_eq!(about(&aborted), (1, Vec::new()), "nor with one that was never started");
}

#[tokio::test]
async fn snapshots_that_nobody_started_push_out_no_run_that_can_still_be_undone() {
    let stage = Stage::new().await;
    seed(&stage, 20).await;
    let mut done = Vec::new();
    for n in 0..20 {
        done.push(run_on(&stage, 1_000 + n, BulkVerb::Hold, &id(&format!("j{n:03}"))).await);
    }
    let mut elsewhere = BulkFilter::default();
    elsewhere.queue = Some(QueueName::new("sms").unwrap());
    for n in 0..800 {
        let bulk = operator(&stage, 2_000 + n).bulk(BulkVerb::Hold).filter(elsewhere.clone());
        let frozen = bulk.freeze().await.unwrap();
        // Past its ten minutes; and more than there is room for within them.
        if n < 300 {
            stage.command(&["DEL", &format!("*bulk:{}", frozen.id)]).await;
        }
    }
    assert_eq!(stage.snapshot().await["bulk"].len(), 500);
    assert_eq!(undo(&stage, 3_000, &done[0]).await, "delayed");
    assert_eq!(stage.state_of("j000").await, Some(JobState::Delayed));

    for n in 0..600 {
        let shown = format!("asked-{n}");
        let run = format!("*bulk:{shown}");
        stage.command(&["ZADD", "*bulk", &t(4_000 + n).as_millis().to_string(), &shown]).await;
        stage.command(&["HSET", &run, "state", "waiting"]).await;
    }
    operator(&stage, 5_000).bulk(BulkVerb::Hold).filter(elsewhere).freeze().await.unwrap();
    assert_eq!(engine(&stage, 5_000).inspector().bulk_run(&done[0].id).await.unwrap(), None, "the oldest go");
}

#[tokio::test]
async fn of_however_many_kinds_a_run_is_its_states_are_told_apart() {
    let stage = Stage::new().await;
    let jobs: Vec<_> = (0..600)
        .map(|n| {
            let mut job = plain(DUE + n);
            job.kind = Kind::new(format!("kind-{n:03}")).unwrap();
            (id(&format!("j{n:03}")), job)
        })
        .collect();
    for batch in jobs.chunks(100) {
        stage.at(0).enqueue("client", batch).await.unwrap();
    }
    // Found after all the others, when there is no room for names any more.
    let mut last = plain(DUE);
    last.queue = QueueName::new("sms").unwrap();
    stage.enqueue(0, "last", last).await;
    stage.at(1).hold(&id("last"), &ann()).await.unwrap();

    let frozen = operator(&stage, 1_000).bulk(BulkVerb::Cancel).freeze().await.unwrap();

    assert_eq!((frozen.split["state:delayed"], frozen.split["state:held"]), (600, 1), "{:?}", frozen.split);
    assert!(frozen.split.contains_key("kind:*") && frozen.split.len() < 250, "{:?}", frozen.split);
}

#[tokio::test]
async fn a_run_that_is_not_started_does_nothing() {
    let stage = Stage::new().await;
    seed(&stage, 3).await;
    let frozen = operator(&stage, 1_000).bulk(BulkVerb::Cancel).freeze().await.unwrap();
    let step = operator(&stage, 1_100).step_bulk(&frozen.id, 10).await.unwrap().unwrap();
    assert_eq!((step.state, step.reached, step.left), (BulkState::Frozen, 0, 3));
    assert_eq!(stage.state_of("j000").await, Some(JobState::Delayed));
}

#[tokio::test]
async fn a_run_cancels_each_job_once_with_an_outcome_each_and_one_audit_entry_at_each_end() {
    let stage = Stage::new().await;
    seed(&stage, 25).await;
    let ann = operator(&stage, 1_000);
    let frozen = ann.bulk(BulkVerb::Cancel).filter(in_mail()).because("wrong import").freeze().await.unwrap();
    // Meanwhile one was called off by somebody else, one is gone, one was moved.
    stage.at(1_100).cancel(&id("j003"), &super::seed::ann()).await.unwrap();
    stage.at(1_100).reschedule(&id("j004"), &super::seed::ann(), reprieve::Due::At(t(DUE))).await.unwrap();
    ann.start_bulk(&frozen.id, None, "as agreed").await.unwrap();

    let done = drive(&stage, &frozen, 2_000, 10).await;

    assert_eq!((done.state, done.changed, done.skipped, done.failed), (BulkState::Done, 24, 1, 0));
    assert_eq!((done.words["cancelled"], done.words["already_finished"]), (24, 1));
    let inspector = engine(&stage, 2_000).inspector();
    let outcomes = inspector.bulk_outcomes(&done.id, &OutcomePlace::default(), 1_000).await.unwrap().items;
    let mut ids: Vec<_> = outcomes.iter().map(|outcome| outcome.id.clone()).collect();
    ids.sort();
    ids.dedup();
    assert_eq!(ids.len(), 25);
    let (job, ..) = stage.redis.store().job(&id("j004")).await.unwrap().unwrap();
    assert_eq!((job.state, job.by.as_str()), (JobState::Cancelled, "ann"));
    assert!(job.why.ends_with(": wrong import"), "{}", job.why);
    let audit = stage.snapshot().await["audit"].join("\n");
    assert_eq!(audit.matches("bulk_cancel").count(), 2, "{audit}");
    stage.assert_sound().await;
}

#[tokio::test]
async fn undoing_a_cancel_puts_back_what_is_still_as_it_was_left() {
    let stage = Stage::new().await;
    seed(&stage, 5).await;
    stage.at(1).hold(&id("j002"), &ann()).await.unwrap();
    let ann = operator(&stage, 1_000);
    let frozen = ann.bulk(BulkVerb::Cancel).freeze().await.unwrap();
    assert_eq!(
        ann.undo_bulk(&frozen.id, None, "").await.unwrap_err().code(),
        "bulk_conflict",
        "it has not ended"
    );
    ann.start_bulk(&frozen.id, None, "").await.unwrap();
    let done = drive(&stage, &frozen, 2_000, 2).await;
    assert_eq!(done.undoable, 5);
    // One was put back and called off again: no longer as the run left it.
    stage.at(2_100).reinstate(&id("j001"), &super::seed::ann(), None).await.unwrap();
    stage.at(2_200).cancel(&id("j001"), &super::seed::ann()).await.unwrap();

    let undo =
        operator(&stage, 2_500).undo_bulk(&frozen.id, Some(run_id("undo-1")), "a mistake").await.unwrap();
    assert_eq!((undo.state, undo.total, undo.undo_of.as_ref()), (BulkState::Frozen, 5, Some(&frozen.id)));
    ann.start_bulk(&undo.id, None, "").await.unwrap();
    let undone = drive(&stage, &undo, 3_000, 50).await;

    assert_eq!((undone.changed, undone.words["changed"], undone.words["held"]), (4, 1, 1));
    assert_eq!(stage.state_of("j000").await, Some(JobState::Delayed));
    assert_eq!(stage.state_of("j001").await, Some(JobState::Cancelled));
    assert_eq!(stage.state_of("j002").await, Some(JobState::Held));
    let (job, ..) = stage.redis.store().job(&id("j000")).await.unwrap().unwrap();
    assert_eq!(job.due, t(DUE), "with the original time");
    assert_eq!(run(&stage, &frozen).await.undone_by.as_ref(), Some(&undo.id));
    for of in [None, Some(run_id("undo-2"))] {
        let again = engine(&stage, 4_000).operator("bob").undo_bulk(&frozen.id, of, "").await.unwrap();
        assert_eq!(
            (&again.id, again.by.as_str(), again.state),
            (&undo.id, "ann", BulkState::Done),
            "once is all"
        );
    }
    assert_eq!(engine(&stage, 4_000).inspector().bulk_run(&run_id("undo-2")).await.unwrap(), None);
    stage.assert_sound().await;
}

#[tokio::test]
async fn a_reschedule_is_undone_to_the_times_that_jobs_had_and_that_again() {
    let stage = Stage::new().await;
    seed(&stage, 4).await;
    stage.at(1).reschedule(&id("j001"), &ann(), reprieve::Due::At(t(2_500))).await.unwrap();
    stage.at(1).hold(&id("j002"), &ann()).await.unwrap();
    let ann = operator(&stage, 1_000);
    let due = async |id: &str| {
        let (job, ..) = stage.redis.store().job(&JobId::new(id).unwrap()).await.unwrap().unwrap();
        job.due.millis_since(t(0))
    };
    let before = [due("j000").await, due("j001").await, due("j002").await];
    let frozen = ann
        .bulk(BulkVerb::Reschedule)
        .shift(Shift::To(t(DUE * 2)))
        .spread(Delay::millis(400))
        .freeze()
        .await
        .unwrap();
    ann.start_bulk(&frozen.id, None, "").await.unwrap();
    let done = drive(&stage, &frozen, 2_000, 3).await;
    assert_eq!((done.changed, done.undoable), (4, 4));
    let moved = [due("j000").await, due("j001").await, due("j002").await];
    assert!(moved.iter().all(|due| (DUE * 2..DUE * 2 + 400).contains(due)), "{moved:?}");
    // One is put off once more since: the undo leaves it alone.
    stage
        .at(2_100)
        .reschedule(&id("j003"), &super::seed::ann(), reprieve::Due::At(t(DUE * 3)))
        .await
        .unwrap();

    let undo = operator(&stage, 2_500).undo_bulk(&frozen.id, None, "a mistake").await.unwrap();
    assert_eq!((undo.verb, undo.total, undo.shift), (BulkVerb::Reschedule, 4, None));
    ann.start_bulk(&undo.id, None, "").await.unwrap();
    let undone = drive(&stage, &undo, 3_000, 50).await;
    // The time that the second had has passed by now: nobody expects it to run because of an undo.
    assert_eq!((undone.changed, undone.words["overdue"], undone.words["changed"]), (2, 1, 1));
    assert_eq!([due("j000").await, due("j001").await, due("j002").await], [before[0], moved[1], before[2]]);
    assert_eq!(due("j003").await, DUE * 3);
    assert_eq!(stage.state_of("j002").await, Some(JobState::Held));

    let again = ann.undo_bulk(&undo.id, None, "it was none").await.unwrap();
    assert_eq!(again.total, 2);
    ann.start_bulk(&again.id, None, "").await.unwrap();
    drive(&stage, &again, 4_000, 50).await;
    assert_eq!([due("j000").await, due("j001").await, due("j002").await], moved);
    stage.assert_sound().await;
}

#[tokio::test]
async fn what_an_aborted_undo_did_not_come_to_can_be_undone_again_and_the_rest_not_twice() {
    let stage = Stage::new().await;
    seed(&stage, 5).await;
    let ann = operator(&stage, 1_000);
    let frozen = ann.bulk(BulkVerb::Reschedule).shift(Shift::To(t(DUE * 2))).freeze().await.unwrap();
    ann.start_bulk(&frozen.id, None, "").await.unwrap();
    drive(&stage, &frozen, 2_000, 50).await;

    // Looked at and discarded.
    let looked_at = ann.undo_bulk(&frozen.id, None, "a mistake?").await.unwrap();
    assert_eq!(run(&stage, &frozen).await.undone_by.as_ref(), Some(&looked_at.id));
    let discarded = ann.abort_bulk(&looked_at.id, "it was none").await.unwrap();
    assert_eq!((discarded.state, discarded.pending), (BulkState::Aborted, 5));
    assert_adds_up(&discarded);
    let open = run(&stage, &frozen).await;
    assert_eq!((open.undoable, open.undone_by), (5, None));
    let before = stage.snapshot().await;
    ann.abort_bulk(&looked_at.id, "once more").await.unwrap();
    assert_eq!(difference(&before, &stage.snapshot().await), Vec::<String>::new());

    // Aborted after two of the five.
    let first = ann.undo_bulk(&frozen.id, None, "a mistake").await.unwrap();
    assert_eq!((first.total, run(&stage, &frozen).await.undoable), (5, 0));
    ann.start_bulk(&first.id, None, "").await.unwrap();
    assert_eq!(operator(&stage, 2_500).step_bulk(&first.id, 2).await.unwrap().unwrap().reached, 2);
    let aborted = operator(&stage, 2_600).abort_bulk(&first.id, "wait").await.unwrap();
    assert_eq!((aborted.changed, aborted.pending, aborted.undoable), (2, 3, 2));
    assert_adds_up(&aborted);
    let open = run(&stage, &frozen).await;
    assert_eq!((open.undoable, open.undone_by), (3, None));

    let second = operator(&stage, 2_700).undo_bulk(&frozen.id, None, "go on").await.unwrap();
    assert_eq!(second.total, 3);
    ann.start_bulk(&second.id, None, "").await.unwrap();
    assert_eq!(drive(&stage, &second, 3_000, 50).await.changed, 3);
    assert_eq!(run(&stage, &frozen).await.undone_by.as_ref(), Some(&second.id));
    assert_eq!(ann.undo_bulk(&frozen.id, None, "").await.unwrap().id, second.id);
    for number in 0..5 {
        let job_id = id(&format!("j{number:03}"));
        let (job, ..) = stage.redis.store().job(&job_id).await.unwrap().unwrap();
        assert_eq!(job.due, t(DUE + number * 1_000), "{job_id}");
        assert_eq!(job.version, reprieve::model::Version(3), "{job_id} was moved and put back once");
    }
    stage.assert_sound().await;
}

#[tokio::test]
async fn each_verb_is_undone_by_its_opposite_and_those_without_one_by_none() {
    use BulkVerb::{Cancel, Hold, Purge, Reinstate, RetryNow, Unhold};
    // What a run does to three waiting jobs, and where its undo leaves them; after what was done before it.
    let cases = [
        (None, Hold, Some((Unhold, JobState::Delayed))),
        (Some(Hold), Unhold, Some((Hold, JobState::Held))),
        (Some(Cancel), Reinstate, Some((Cancel, JobState::Cancelled))),
        (None, RetryNow, None),
        (Some(Cancel), Purge, None),
    ];
    for (first, verb, expected) in cases {
        let stage = Stage::new().await;
        seed(&stage, 3).await;
        let ann = operator(&stage, 1_000);
        let states = if verb == RetryNow { vec![JobState::Delayed] } else { verb.states().to_vec() };
        let run_of = async |verb: BulkVerb, states: Vec<JobState>, at: i64| {
            let mut filter = BulkFilter::default();
            filter.states = states;
            let frozen = ann.bulk(verb).filter(filter).freeze().await.unwrap();
            ann.start_bulk(&frozen.id, None, "").await.unwrap();
            drive(&stage, &frozen, at, 50).await
        };
        if let Some(first) = first {
            run_of(first, first.states().to_vec(), 1_500).await;
        }
        let done = run_of(verb, states, 2_000).await;
        assert_eq!(done.changed, 3, "{verb}");
        let undo = ann.undo_bulk(&done.id, None, "").await;
        match expected {
            None => assert_eq!(undo.map_err(|error| error.code()).unwrap_err(), "bulk_conflict", "{verb}"),
            Some((by, state)) => {
                let undo = undo.unwrap();
                assert_eq!((undo.verb, undo.total), (by, 3), "{verb}");
                ann.start_bulk(&undo.id, None, "").await.unwrap();
                assert_eq!(drive(&stage, &undo, 3_000, 50).await.changed, 3, "{verb}");
                assert_eq!(stage.state_of("j001").await, Some(state), "{verb}");
            }
        }
        stage.assert_sound().await;
    }
}

#[tokio::test]
async fn what_was_held_and_is_overdue_by_now_does_not_run_because_the_hold_was_undone() {
    let stage = Stage::new().await;
    seed(&stage, 3).await;
    let ann = operator(&stage, 1_000);
    let frozen = ann.bulk(BulkVerb::Hold).freeze().await.unwrap();
    ann.start_bulk(&frozen.id, None, "").await.unwrap();
    drive(&stage, &frozen, 2_000, 50).await;

    let undo = operator(&stage, 3_000).undo_bulk(&frozen.id, None, "").await.unwrap();
    operator(&stage, 3_000).start_bulk(&undo.id, None, "").await.unwrap();
    let undone = drive(&stage, &undo, DUE + 1_000, 50).await;

    assert_eq!((undone.changed, undone.skipped, undone.words["overdue"]), (1, 2, 2));
    assert_eq!(stage.state_of("j001").await, Some(JobState::Held));
    assert_eq!(stage.state_of("j002").await, Some(JobState::Delayed));

    // To release them is an act of its own.
    let released = run_on(&stage, DUE + 2_000, BulkVerb::Unhold, &id("j001")).await;
    assert_eq!((released.changed, stage.state_of("j001").await), (1, Some(JobState::Delayed)));
    stage.assert_sound().await;
}

#[tokio::test]
async fn jobs_are_changed_in_the_name_of_the_person_who_started_the_run() {
    let stage = Stage::new().await;
    seed(&stage, 1).await;
    let frozen = operator(&stage, 1_000).bulk(BulkVerb::Cancel).freeze().await.unwrap();
    engine(&stage, 1_100).operator("bob").start_bulk(&frozen.id, None, "a wrong import").await.unwrap();

    let done = drive(&stage, &frozen, 2_000, 50).await;

    assert_eq!((done.by.as_str(), done.started_by.as_str(), done.ended_by.as_str()), ("ann", "bob", "bob"));
    let (job, _, history) = stage.redis.store().job(&id("j000")).await.unwrap().unwrap();
    assert_eq!((job.state, job.by.as_str()), (JobState::Cancelled, "bob"));
    assert!(job.why.ends_with(": a wrong import"), "{}", job.why);
    assert_eq!(history[0].by, "bob");
}

#[tokio::test]
async fn an_aborted_run_leaves_the_rest_alone_and_its_sums_still_add_up() {
    let stage = Stage::new().await;
    seed(&stage, 10).await;
    let ann = operator(&stage, 1_000);
    let frozen = ann.bulk(BulkVerb::Hold).freeze().await.unwrap();
    ann.start_bulk(&frozen.id, None, "").await.unwrap();
    ann.step_bulk(&frozen.id, 4).await.unwrap();
    let aborted = ann.abort_bulk(&frozen.id, "enough").await.unwrap();
    assert_adds_up(&aborted);
    assert_eq!((aborted.state, aborted.changed, aborted.pending), (BulkState::Aborted, 4, 6));
    assert_eq!(ann.step_bulk(&frozen.id, 4).await.unwrap().unwrap().reached, 0);
    assert_eq!(ann.start_bulk(&frozen.id, None, "").await.unwrap_err().code(), "bulk_conflict");
    assert_eq!(stage.state_of("j009").await, Some(JobState::Delayed));
}

#[tokio::test]
async fn a_rate_lets_that_many_through_each_second_however_often_steps_are_taken() {
    let stage = Stage::new().await;
    seed(&stage, 40).await;
    let ann = operator(&stage, 1_000);
    let frozen = ann.bulk(BulkVerb::Hold).rate(10).freeze().await.unwrap();
    ann.start_bulk(&frozen.id, None, "").await.unwrap();
    let mut reached = Vec::new();
    for ms in (1_000..=4_000).step_by(250) {
        for _ in 0..3 {
            operator(&stage, ms).step_bulk(&frozen.id, 50).await.unwrap();
        }
        if ms % 1_000 == 0 {
            reached.push(run(&stage, &frozen).await.changed);
        }
    }
    assert_eq!(reached, [0, 10, 20, 30]);
    // After a long silence at most a second's worth comes at once.
    operator(&stage, 60_000).step_bulk(&frozen.id, 50).await.unwrap();
    assert_eq!(run(&stage, &frozen).await.changed, 40);
}

#[tokio::test]
async fn a_rate_that_lets_more_through_than_a_step_has_room_for_is_reached_by_further_steps() {
    let stage = Stage::new().await;
    seed(&stage, 900).await;
    let ann = operator(&stage, 1_000);
    let frozen = ann.bulk(BulkVerb::Hold).rate(5_000).freeze().await.unwrap();
    ann.start_bulk(&frozen.id, None, "").await.unwrap();
    let mut reached = Vec::new();
    for ms in [1_000, 1_020, 1_100, 1_101] {
        for _ in 0..20 {
            operator(&stage, ms).step_bulk(&frozen.id, 50).await.unwrap();
        }
        reached.push(run(&stage, &frozen).await.changed);
    }
    assert_eq!(reached, [0, 100, 500, 505]);
}

/// Jobs that are dead, under fresh ids.
async fn seed_dead(stage: &Stage, count: u32) {
    for first in (0..count).step_by(100) {
        let range = first..count.min(first + 100);
        let jobs: Vec<_> = range.clone().map(|n| (id(&format!("d{n:04}")), plain(-1))).collect();
        stage.at(0).enqueue("client", &jobs).await.unwrap();
        for job in stage.claim(1, 100).await {
            stage.at(2).fail(&job.id, job.token, "the server said 500", None).await.unwrap();
        }
    }
}

/// Claims what is ready and lets it end so.
async fn work(stage: &Stage, ms: i64, well: bool) -> usize {
    let mut count = 0;
    loop {
        let jobs = stage.claim(ms, 100).await;
        if jobs.is_empty() {
            return count;
        }
        for job in jobs {
            count += 1;
            if well {
                stage.at(ms).complete(&[(job.id, job.token)]).await.unwrap();
            } else {
                stage.at(ms).fail(&job.id, job.token, "still 500", None).await.unwrap();
            }
        }
    }
}

#[tokio::test]
async fn a_run_of_a_failure_has_every_job_that_died_of_it_and_keeps_what_it_was_made_for() {
    let stage = Stage::new().await;
    seed(&stage, 1_100).await;
    let in_sms = {
        let mut job = plain(DUE);
        job.queue = "sms".parse().unwrap();
        job
    };
    stage.enqueue(0, "s0", in_sms).await;
    let died_ms = DUE + 3_600_000;
    while stage.at(died_ms).forward(500, 0).await.unwrap().moved > 0 {}
    let queues = [(mail(), 200), ("sms".parse().unwrap(), 1)];
    let (mut n, mut claimed) =
        (0, stage.at(died_ms).claim("w1", Delay::minutes(1), 200, &queues).await.unwrap());
    while !claimed.is_empty() {
        for job in claimed {
            let in_mail = job.queue == mail();
            n += i32::from(in_mail);
            // The last two of mail died of something else, and later than anybody has read.
            let (error, at) = match n {
                1_099 if in_mail => ("refused".to_owned(), died_ms),
                1_100 if in_mail => ("timeout after 9 s".to_owned(), died_ms + 1_000),
                _ => (format!("timeout after {n} s"), died_ms),
            };
            stage.at(at).fail(&job.id, job.token, &error, None).await.unwrap();
        }
        claimed = stage.at(died_ms).claim("w1", Delay::minutes(1), 200, &queues).await.unwrap();
    }
    let mut filter = BulkFilter::default();
    filter.died_of = Some(DiedOf { mask: "timeout after # s".to_owned(), until: t(died_ms) });
    filter.states = vec![JobState::Dead];
    let ann = operator(&stage, died_ms + 2_000);

    let all = ann.drip_dead().filter(filter.clone()).freeze().await.unwrap();
    filter.queue = Some("sms".parse().unwrap());
    let in_sms = ann.drip_dead().filter(filter.clone()).freeze().await.unwrap();

    assert_eq!((all.state, all.total), (BulkState::Frozen, 1_099));
    assert_eq!(in_sms.total, 1);
    assert_eq!(in_sms.filter, Some(filter));
}

#[tokio::test]
async fn a_drip_stops_itself_when_most_fail_again_and_can_be_let_go_on() {
    let stage = Stage::new().await;
    seed_dead(&stage, 300).await;
    let ann = operator(&stage, 1_000);
    let frozen = ann.drip_dead().rate(100).freeze().await.unwrap();
    assert_eq!((frozen.total, frozen.rate, frozen.stops_itself), (300, Some(100), true));
    ann.start_bulk(&frozen.id, None, "the server is back").await.unwrap();

    let mut rerun = 0;
    let mut stopped = None;
    for second in 2..60 {
        let step = operator(&stage, second * 1_000).step_bulk(&frozen.id, 50).await.unwrap().unwrap();
        if step.state == BulkState::Stopped {
            stopped = Some(second);
            break;
        }
        rerun += work(&stage, second * 1_000 + 500, false).await;
    }
    assert_eq!(stopped, Some(3), "the second step sees how the first went");
    assert!(rerun <= 100, "{rerun} were run again");
    let halted = run(&stage, &frozen).await;
    assert_adds_up(&halted);
    assert!(halted.ended_why.contains("failed again"), "{}", halted.ended_why);
    assert_eq!(halted.failed_again, 50);

    // Mended: it goes on, and this time they do well. Those that died again wait for another run.
    operator(&stage, 100_000).start_bulk(&frozen.id, Some(1_000), "mended").await.unwrap();
    for second in 101..200 {
        let step = operator(&stage, second * 1_000).step_bulk(&frozen.id, 50).await.unwrap().unwrap();
        work(&stage, second * 1_000 + 500, true).await;
        if step.state == BulkState::Done {
            break;
        }
    }
    let done = run(&stage, &frozen).await;
    assert_eq!((done.state, done.changed, done.pending), (BulkState::Done, 300, 0));
    stage.assert_sound().await;
}

#[tokio::test]
async fn a_drip_never_has_more_than_two_hundred_under_way() {
    let stage = Stage::new().await;
    seed_dead(&stage, 300).await;
    let ann = operator(&stage, 1_000);
    let frozen = ann.drip_dead().rate(10_000).freeze().await.unwrap();
    ann.start_bulk(&frozen.id, None, "").await.unwrap();
    for ms in 2..20 {
        operator(&stage, ms * 1_000).step_bulk(&frozen.id, 50).await.unwrap();
    }
    assert_eq!(run(&stage, &frozen).await.changed, 200, "nobody works, so nothing more is set going");
}

#[tokio::test]
async fn a_spread_reschedule_moves_jobs_evenly_over_its_span() {
    let stage = Stage::new().await;
    seed(&stage, 4).await;
    let ann = operator(&stage, 1_000);
    let bulk = ann.bulk(BulkVerb::Reschedule).shift(Shift::To(t(2 * DUE))).spread(Delay::seconds(40));
    let frozen = bulk.freeze().await.unwrap();
    ann.start_bulk(&frozen.id, None, "").await.unwrap();
    drive(&stage, &frozen, 2_000, 3).await;
    let mut dues = Vec::new();
    for n in 0..4 {
        dues.push(stage.redis.store().job(&id(&format!("j{n:03}"))).await.unwrap().unwrap().0.due);
    }
    assert_eq!(dues, [0, 10_000, 20_000, 30_000].map(|ms| t(2 * DUE + ms)));

    let later = ann.bulk(BulkVerb::Reschedule).shift(Shift::By(-1_000)).freeze().await.unwrap();
    ann.start_bulk(&later.id, None, "").await.unwrap();
    drive(&stage, &later, 3_000, 50).await;
    let (job, ..) = stage.redis.store().job(&id("j001")).await.unwrap().unwrap();
    assert_eq!(job.due, t(2 * DUE + 9_000));
    stage.assert_sound().await;
}

#[tokio::test]
async fn each_part_of_a_filter_counts() {
    let stage = Stage::new().await;
    let mut tagged = plain(DUE);
    (tagged.tags, tagged.subject) = (vec!["eu".to_owned(), "vip".to_owned()], Some(subject()));
    stage.enqueue(0, "a", tagged).await;
    stage.enqueue(0, "b", plain(2 * DUE)).await;
    stage.enqueue(0, "c", plain(-1)).await;
    let token = stage.claim(1, 1).await[0].token;
    stage.at(2).fail(&id("c"), token, "timed out: the server said 500", Some(Delay::hours(9))).await.unwrap();

    type Change = fn(&mut BulkFilter);
    let cases: [(&str, Change, &[&str]); 9] = [
        ("nothing", |_| {}, &["a", "b", "c"]),
        ("tag", |filter| filter.tag = Some("eu".to_owned()), &["a"]),
        ("part of a tag", |filter| filter.tag = Some("e".to_owned()), &[]),
        ("subject", |filter| filter.subject = Some(subject()), &["a"]),
        ("kind", |filter| filter.kind = Some(Kind::new("other").unwrap()), &[]),
        ("state", |filter| filter.states = vec![JobState::Retrying], &["c"]),
        ("due from", |filter| filter.due_from = Some(t(2 * DUE)), &["b", "c"]),
        ("due before", |filter| filter.due_before = Some(t(2 * DUE)), &["a"]),
        ("error", |filter| filter.error = Some("said 500".to_owned()), &["c"]),
    ];
    for (name, change, expected) in cases {
        let mut filter = BulkFilter::default();
        change(&mut filter);
        let frozen = operator(&stage, 10).bulk(BulkVerb::Cancel).filter(filter).freeze().await.unwrap();
        let samples = engine(&stage, 10).inspector().bulk_samples(&frozen.id, 0).await.unwrap();
        let mut ids: Vec<_> = samples.iter().map(|row| row.id.as_str().to_owned()).collect();
        ids.sort();
        assert_eq!(ids, expected, "{name}");
    }
}

#[tokio::test]
async fn collecting_in_many_steps_finds_each_of_many_jobs_of_the_same_millisecond_once() {
    let stage = Stage::new().await;
    let jobs: Vec<_> = (0..1_234).map(|n| (id(&format!("h{n:04}")), plain(DUE))).collect();
    for batch in jobs.chunks(100) {
        stage.at(0).enqueue("client", batch).await.unwrap();
    }
    let frozen = operator(&stage, 1).bulk(BulkVerb::Cancel).freeze().await.unwrap();
    assert_eq!((frozen.total, frozen.looked_at, frozen.cut), (1_234, 1_234, false));
}

#[tokio::test]
async fn of_a_due_range_no_job_outside_is_looked_at_in_however_many_queues() {
    // More sets than a step looks at, each with jobs beyond the range, and all of the range in the last queues.
    let stage = Stage::new().await;
    let jobs: Vec<_> = (0..600)
        .flat_map(|n| [(n, "x", 5 * DUE), (n, "y", 6 * DUE)])
        .chain((0..1_100).map(|n| (598 + n % 2, "z", 2 * DUE + n / 4)))
        .enumerate()
        .map(|(count, (queue, name, due))| {
            let mut job = plain(due);
            job.queue = QueueName::new(format!("q{queue:03}")).unwrap();
            (id(&format!("{name}{count:04}")), job)
        })
        .collect();
    for batch in jobs.chunks(100) {
        stage.at(0).enqueue("client", batch).await.unwrap();
    }
    for (from, before, expected) in
        [(0, DUE, 0), (0, 2 * DUE + 275, 1_100), (2 * DUE + 5, 2 * DUE + 270, 1_060), (DUE, 5 * DUE, 1_100)]
    {
        let mut filter = BulkFilter::default();
        (filter.due_from, filter.due_before) = (Some(t(from)), Some(t(before)));
        let frozen = operator(&stage, 1).bulk(BulkVerb::Cancel).filter(filter).freeze().await.unwrap();
        assert_eq!((frozen.total, frozen.looked_at), (expected, expected), "{from} to {before}");
    }
}

#[tokio::test]
async fn jobs_of_a_protected_kind_are_left_alone_by_runs_and_put_back_by_their_undo() {
    let stage = Stage::new().await;
    seed(&stage, 3).await;
    let mut other = plain(DUE);
    other.kind = Kind::new("text").unwrap();
    let rule = |kind: Kind| KindRule::new(kind, None, None, Vec::new());
    let (text, notice) = (rule(other.kind.clone()), rule(plain(0).kind));
    stage.enqueue(0, "s1", other).await;
    let ann = operator(&stage, 1_000);
    let frozen = ann.bulk(BulkVerb::Cancel).filter(in_mail()).freeze().await.unwrap();

    assert!(ann.set_rule(&text.clone().protected(true), "paid for").await.unwrap());
    assert!(!ann.set_rule(&text.protected(true), "").await.unwrap(), "it was so already");
    ann.start_bulk(&frozen.id, None, "").await.unwrap();
    let ended = drive(&stage, &frozen, 2_000, 2).await;

    assert_eq!((ended.state, ended.changed, ended.skipped), (BulkState::Done, 3, 1));
    assert_eq!(ended.words["protected"], 1);
    assert_eq!(stage.state_of("s1").await, Some(JobState::Delayed));

    ann.set_rule(&notice.clone().protected(true), "").await.unwrap();
    let undo = operator(&stage, 2_500).undo_bulk(&frozen.id, None, "").await.unwrap();
    ann.start_bulk(&undo.id, None, "").await.unwrap();
    assert_eq!(drive(&stage, &undo, 3_000, 9).await.changed, 3, "what was changed before goes back");

    stage.at(3_000).cancel(&id("s1"), &super::seed::ann()).await.unwrap();
    assert_eq!(stage.state_of("s1").await, Some(JobState::Cancelled), "one by itself is nobody's run");
    assert!(ann.set_rule(&notice, "").await.unwrap());
    assert_eq!(
        engine(&stage, 2_000).inspector().rules().await.unwrap().len(),
        1,
        "a rule that says nothing goes"
    );
    stage.assert_sound().await;
}

#[tokio::test]
async fn purging_removes_ended_jobs_and_leaves_their_receipts() {
    let stage = Stage::new().await;
    stage.given(JobState::Dead).await;
    let ann = operator(&stage, 2 * DUE);
    let frozen = ann.bulk(BulkVerb::Purge).because("cleaned by hand").freeze().await.unwrap();
    ann.start_bulk(&frozen.id, None, "").await.unwrap();
    let done = drive(&stage, &frozen, 2 * DUE, 10).await;
    assert_eq!((done.changed, done.words["purged"]), (1, 1));
    assert_eq!(stage.state_of("a1").await, None);
    assert_eq!(stage.snapshot().await["receipts:resource:4711"].len(), 1);
    stage.assert_sound().await;
}

#[tokio::test]
async fn the_same_id_again_is_the_same_run() {
    let stage = Stage::new().await;
    seed(&stage, 2).await;
    let ann = operator(&stage, 1_000);
    let first = ann.bulk(BulkVerb::Cancel).id(run_id("nightly")).freeze().await.unwrap();
    seed(&stage, 9).await;
    let again = ann.bulk(BulkVerb::Hold).id(run_id("nightly")).freeze().await.unwrap();
    assert_eq!((again.verb, again.total), (first.verb, 2));
    assert_eq!(engine(&stage, 1).inspector().bulk_runs(10).await.unwrap().len(), 1);
}

#[tokio::test]
async fn a_run_nobody_knows_is_refused_by_every_verb() {
    let stage = Stage::new().await;
    let ann = operator(&stage, 1_000);
    let nobody = run_id("nobody");
    let before = stage.snapshot().await;
    assert_eq!(ann.start_bulk(&nobody, None, "").await.unwrap_err().code(), "not_found");
    assert_eq!(ann.abort_bulk(&nobody, "").await.unwrap_err().code(), "not_found");
    assert_eq!(ann.undo_bulk(&nobody, None, "").await.unwrap_err().code(), "not_found");
    assert_eq!(ann.step_bulk(&nobody, 9).await.unwrap(), None);
    assert_eq!(engine(&stage, 1).inspector().bulk_run(&nobody).await.unwrap(), None);
    assert_eq!(difference(&before, &stage.snapshot().await), Vec::<String>::new());
}

#[tokio::test]
async fn bad_descriptions_are_refused_before_anything_is_written() {
    let stage = Stage::new().await;
    let ann = operator(&stage, 1_000);
    let before = stage.snapshot().await;
    let with = |change: fn(&mut BulkFilter)| {
        let mut filter = BulkFilter::default();
        change(&mut filter);
        filter
    };
    let bad = [
        ann.bulk(BulkVerb::Cancel).filter(with(|filter| filter.states = vec![JobState::Done])),
        ann.bulk(BulkVerb::Cancel).filter(with(|filter| filter.tag = Some("a\"b".to_owned()))),
        ann.bulk(BulkVerb::Cancel).filter(with(|filter| filter.error = Some(String::new()))),
        ann.bulk(BulkVerb::Cancel).filter(with(|filter| filter.error = Some("x".repeat(201)))),
        ann.bulk(BulkVerb::Cancel).filter(with(|filter| {
            (filter.due_from, filter.due_before) = (Some(t(9)), Some(t(9)));
        })),
        ann.bulk(BulkVerb::Cancel).rate(0),
        ann.bulk(BulkVerb::Cancel).rate(10_001),
        ann.bulk(BulkVerb::Cancel).stop_when_most_fail(),
        ann.bulk(BulkVerb::Cancel).shift(Shift::By(5)),
        ann.bulk(BulkVerb::Reschedule),
        ann.bulk(BulkVerb::Reschedule).shift(Shift::By(i64::MAX)),
        ann.bulk(BulkVerb::Reschedule).shift(Shift::To(t(0))).spread(Delay::days(400)),
        ann.bulk(BulkVerb::Cancel).because("x".repeat(1_025)),
    ];
    for bulk in bad {
        let shown = format!("{bulk:?}");
        assert_eq!(bulk.freeze().await.map_err(|error| error.code()), Err("invalid"), "{shown}");
    }
    assert_eq!(difference(&before, &stage.snapshot().await), Vec::<String>::new());
}

#[tokio::test]
async fn a_damaged_key_of_a_run_stops_its_steps_and_changes_nothing() {
    for key in ["todo", "outcomes", "undoable", "dues_before", "dues", "watched"] {
        let stage = Stage::new().await;
        seed(&stage, 2).await;
        let ann = operator(&stage, 1_000);
        let frozen = ann.bulk(BulkVerb::Cancel).id(run_id("r")).freeze().await.unwrap();
        ann.start_bulk(&frozen.id, None, "").await.unwrap();
        stage.command(&["DEL", &format!("*bulk:r:{key}")]).await;
        stage.command(&["SET", &format!("*bulk:r:{key}"), "damage"]).await;
        let before = stage.snapshot().await;
        assert_eq!(
            ann.step_bulk(&frozen.id, 9).await.map_err(|error| error.code()),
            Err("corrupt_data"),
            "{key}"
        );
        assert_eq!(difference(&before, &stage.snapshot().await), Vec::<String>::new(), "{key}");
    }
}

#[tokio::test]
async fn a_damaged_queue_does_not_hold_up_the_jobs_of_others_in_a_run() {
    let stage = Stage::new().await;
    for name in ["bad", "good"] {
        let mut job = plain(DUE);
        job.queue = QueueName::new(name).unwrap();
        stage.enqueue(0, name, job).await;
    }
    stage.command(&["SET", "*q:bad:done", "damage"]).await;

    let done = run_on_all(&stage, 1_000, BulkVerb::Cancel, &["bad", "good"].map(id)).await;

    assert_eq!((done.state, done.changed, done.failed), (BulkState::Done, 1, 1));
    assert_eq!((done.words["damaged"], done.words["cancelled"]), (1, 1));
    assert_eq!(stage.state_of("good").await, Some(JobState::Cancelled));
    assert_eq!(stage.state_of("bad").await, Some(JobState::Delayed));
}

#[tokio::test]
async fn any_verb_on_jobs_in_any_state_adds_up_and_stays_sound() {
    // A random walk of a few dozen runs; the seed is printed by proptest when it fails.
    let mut runner =
        proptest::test_runner::TestRunner::new(ProptestConfig { cases: 12, ..ProptestConfig::default() });
    let stages = tokio::runtime::Handle::current();
    let strategy = (proptest::collection::vec(0_usize..6, 12), 0_usize..7, 1_u32..7);
    tokio::task::spawn_blocking(move || {
        runner
            .run(&strategy, |(acts, verb, most)| {
                stages.block_on(async {
                    let stage = Stage::new().await;
                    seed(&stage, 12).await;
                    for (n, act) in acts.iter().enumerate() {
                        let job = id(&format!("j{n:03}"));
                        match act {
                            0 => drop(stage.at(5).hold(&job, &ann()).await.unwrap()),
                            1 => drop(stage.at(5).cancel(&job, &ann()).await.unwrap()),
                            2 => drop(stage.at(5).retry_now(&job, &ann()).await.unwrap()),
                            3 => {
                                stage.at(5).retry_now(&job, &ann()).await.unwrap();
                                stage.claim(6, 1).await;
                            }
                            4 => stage.command(&["DEL", &format!("*job:{job}")]).await,
                            _ => {}
                        }
                    }
                    let verb = BulkVerb::ALL[verb];
                    let mut bulk = operator(&stage, 1_000).bulk(verb);
                    if verb == BulkVerb::Reschedule {
                        bulk = bulk.shift(Shift::By(1));
                    }
                    let mut filter = in_mail();
                    filter.states = verb.states().to_vec();
                    let frozen = bulk.filter(filter).freeze().await.unwrap();
                    operator(&stage, 1_000).start_bulk(&frozen.id, None, "").await.unwrap();
                    let ended = drive(&stage, &frozen, 2_000, most).await;
                    assert_adds_up(&ended);
                    assert_eq!((ended.state, ended.pending), (BulkState::Done, 0));
                });
                Ok(())
            })
            .unwrap();
    })
    .await
    .unwrap();
}

/// Sixty jobs that wait, `c00` to `c59`, wherever their ids lead them.
async fn sixty_over_shards(redis: &reprieve::testing::TestRedis) -> Engine {
    let engine = redis.engine().at(t(0));
    let jobs = (0..60).map(|n| {
        let mut job = plain(DUE + n);
        job.id = Some(id(&format!("c{n:02}")));
        job
    });
    engine.client().enqueue_batch(jobs.collect()).await.unwrap();
    engine
}

#[tokio::test]
async fn a_run_over_many_shards_is_one_run_with_one_sum() {
    let redis = reprieve::testing::TestRedis::with_shards(5).await;
    let engine = sixty_over_shards(&redis).await;
    let ann = engine.at(t(1_000)).operator("ann");
    let frozen = ann.bulk(BulkVerb::Cancel).freeze().await.unwrap();
    assert_eq!(
        (frozen.state, frozen.total, frozen.due_ms),
        (BulkState::Frozen, 60, Some((t(DUE), t(DUE + 59))))
    );
    ann.start_bulk(&frozen.id, None, "").await.unwrap();
    let later = engine.at(t(9_000));
    let (mut steps, mut seen, mut place) = (0, Vec::new(), OutcomePlace::default());
    while later.operator("ann").step_bulk(&frozen.id, 5).await.unwrap().unwrap().state == BulkState::Running {
        assert_adds_up(&later.inspector().bulk_run(&frozen.id).await.unwrap().unwrap());
        // Read while it goes on, and every shard has more to tell.
        let page = later.inspector().bulk_outcomes(&frozen.id, &place, 7).await.unwrap();
        seen.extend(page.items.into_iter().map(|outcome| outcome.id));
        place = page.next.unwrap_or(place);
        steps += 1;
    }
    assert!(steps > 1, "five jobs a step and shard");
    let done = later.inspector().bulk_run(&frozen.id).await.unwrap().unwrap();
    assert_eq!((done.state, done.changed, done.undoable), (BulkState::Done, 60, 60));
    let inspector = later.inspector();
    loop {
        let page = inspector.bulk_outcomes(&frozen.id, &place, 7).await.unwrap();
        seen.extend(page.items.into_iter().map(|outcome| outcome.id));
        let Some(next) = page.next else { break };
        place = next;
    }
    assert_eq!(seen.len(), 60, "none is told twice");
    seen.sort();
    seen.dedup();
    assert_eq!(seen.len(), 60, "and none is left out");
    assert_eq!(inspector.bulk_runs(10).await.unwrap(), [done]);
}

#[tokio::test]
async fn a_run_over_many_shards_has_as_many_jobs_as_one_at_most() {
    let redis = reprieve::testing::TestRedis::with_shards(4).await;
    let engine = redis.engine().at(t(0));
    let in_second = |name: &String| Shard::home(Some(name), None, "", 4) == Shard(1);
    let subject = Subject::new((0..).map(|n| format!("s{n}")).find(in_second).unwrap()).unwrap();
    let jobs = (0..600).map(|n| {
        let mut job = plain(DUE + n);
        job.subject = Some(subject.clone());
        job
    });
    engine.client().enqueue_batch(jobs.collect()).await.unwrap();
    let ann = engine.at(t(1_000)).operator("ann");
    // Cut off behind the first look of each shard, of 500 jobs.
    let begun = ann.bulk(BulkVerb::Cancel).within(Duration::ZERO).freeze().await.unwrap();
    assert_eq!((begun.state, begun.cut), (BulkState::Collecting, false));
    // A quarter of 100,000, but for one.
    let run = format!("{}bulk:{}", redis.prefix().replace(".0}", ".1}"), begun.id);
    redis.command(&["HSET", &run, "total", "24999"]).await.unwrap();

    let frozen = ann.collect_bulk(&begun.id, Duration::from_secs(60)).await.unwrap();

    assert_eq!((frozen.state, frozen.total, frozen.cut), (BulkState::Frozen, 25_000, true));
}

#[tokio::test]
async fn a_run_that_undoes_another_is_told_wherever_its_jobs_are() {
    let redis = reprieve::testing::TestRedis::with_shards(5).await;
    let engine = redis.engine().at(t(0));
    let in_last = |name: &String| Shard::home(Some(name), None, "", 5) == Shard(4);
    let subject = Subject::new((0..).map(|n| format!("s{n}")).find(in_last).unwrap()).unwrap();
    let jobs = (0..3).map(|n| {
        let mut job = plain(DUE + n);
        job.subject = Some(subject.clone());
        job
    });
    engine.client().enqueue_batch(jobs.collect()).await.unwrap();
    let ann = engine.at(t(1_000)).operator("ann");
    let frozen = ann.bulk(BulkVerb::Cancel).freeze().await.unwrap();
    ann.start_bulk(&frozen.id, None, "").await.unwrap();
    while ann.step_bulk(&frozen.id, 5).await.unwrap().unwrap().state == BulkState::Running {}
    let later = engine.at(t(2_000));
    let undo = later.operator("ann").undo_bulk(&frozen.id, None, "a mistake").await.unwrap();

    let runs = later.inspector().bulk_runs(10).await.unwrap();
    let ids: Vec<_> = runs.iter().map(|run| &run.id).collect();
    assert_eq!(ids, [&undo.id, &frozen.id]);
    assert_eq!((runs[0].total, runs[1].total), (3, 3));
    assert_eq!(later.inspector().bulk_runs(1).await.unwrap()[0].id, undo.id);
}

#[tokio::test]
async fn an_undo_that_reached_some_shards_only_is_made_whole_by_a_repeat() {
    let redis = reprieve::testing::TestRedis::with_shards(3).await;
    let engine = sixty_over_shards(&redis).await;
    let ann = engine.at(t(1_000)).operator("ann");
    let frozen = ann.bulk(BulkVerb::Hold).freeze().await.unwrap();
    ann.start_bulk(&frozen.id, None, "").await.unwrap();
    while ann.step_bulk(&frozen.id, 50).await.unwrap().unwrap().state == BulkState::Running {}
    // The second shard is away when the undo is made: there it stays as it was.
    let of = |shard: &str, key: &str| {
        format!("{}bulk:{}{key}", redis.prefix().replace(".0}", &format!(".{shard}}}")), frozen.id)
    };
    redis.command(&["RENAME", &of("1", ""), &of("1", ":away")]).await.unwrap();
    let first = ann.undo_bulk(&frozen.id, None, "a mistake").await.unwrap();
    assert!((1..60).contains(&first.total), "{first:?}");
    redis.command(&["RENAME", &of("1", ":away"), &of("1", "")]).await.unwrap();

    let again = ann.undo_bulk(&frozen.id, None, "a mistake").await.unwrap();

    assert_eq!((&again.id, again.total), (&first.id, 60));
}

#[tokio::test]
async fn what_an_aborted_undo_did_not_come_to_can_be_undone_again_where_a_shard_had_ended_its_part() {
    let redis = reprieve::testing::TestRedis::with_shards(2).await;
    let engine = redis.engine().at(t(0));
    let subject_in = |shard: Shard| {
        let is_there = |name: &String| Shard::home(Some(name), None, "", 2) == shard;
        Subject::new((0..).map(|n| format!("s{n}")).find(is_there).unwrap()).unwrap()
    };
    // One job in the first shard, five in the second.
    let jobs = (0..6).map(|n| {
        let mut job = plain(DUE + n);
        job.subject = Some(subject_in(if n == 0 { Shard(0) } else { Shard(1) }));
        job
    });
    engine.client().enqueue_batch(jobs.collect()).await.unwrap();
    let ann = engine.at(t(1_000)).operator("ann");
    let to_its_end = async |run: &RunId| {
        ann.start_bulk(run, None, "").await.unwrap();
        while ann.step_bulk(run, 50).await.unwrap().unwrap().state == BulkState::Running {}
    };
    let read = async |run: &RunId| engine.inspector().bulk_run(run).await.unwrap().unwrap();
    let frozen = ann.bulk(BulkVerb::Hold).freeze().await.unwrap();
    to_its_end(&frozen.id).await;
    let first = ann.undo_bulk(&frozen.id, None, "a mistake").await.unwrap();
    ann.start_bulk(&first.id, None, "").await.unwrap();
    assert_eq!(ann.step_bulk(&first.id, 1).await.unwrap().unwrap().left, 4, "one of each shard");
    ann.abort_bulk(&first.id, "wait").await.unwrap();
    assert_eq!(read(&frozen.id).await.undoable, 4);

    let second = ann.undo_bulk(&frozen.id, None, "go on").await.unwrap();

    assert_eq!((second.id == first.id, second.state, second.total), (false, BulkState::Frozen, 4));
    assert_eq!(read(&frozen.id).await.undone_by.as_ref(), Some(&second.id), "not the aborted one");
    to_its_end(&second.id).await;
    assert_eq!((read(&second.id).await.changed, read(&frozen.id).await.undoable), (4, 0));
    assert_eq!(ann.undo_bulk(&frozen.id, None, "").await.unwrap().id, second.id);
}

#[tokio::test]
async fn a_run_takes_the_jobs_that_fit_a_line_and_none_that_came_later() {
    let stage = Stage::new().await;
    seed(&stage, 1_203).await;
    for n in 0..3 {
        let mut other = plain(DUE + n);
        other.payload = format!("{{\"amount\":{n}}}").into_bytes();
        stage.enqueue(0, &format!("p{n}"), other).await;
    }
    let ann = operator(&stage, 1_000);
    let matching = |text: &str, states: &[JobState]| {
        let mut filter = BulkFilter::default();
        filter.matching = Some(text.parse().unwrap());
        filter.states = states.to_vec();
        filter
    };
    for (line, states, total) in [
        ("due:<2h", &[JobState::Delayed][..], 1_206),
        ("payload.amount:>0", &[JobState::Delayed, JobState::Held], 2),
        ("-payload.amount:* by:client", &[], 1_203),
        ("state:dead", &[JobState::Delayed], 0),
        ("queue:nowhere", &[], 0),
        ("subject:resource:4711", &[], 0),
    ] {
        let frozen = ann.bulk(BulkVerb::Hold).filter(matching(line, states)).freeze().await.unwrap();
        assert_eq!((frozen.state, frozen.total, frozen.cut), (BulkState::Frozen, total, false), "{line}");
    }
    let frozen = ann.bulk(BulkVerb::Hold).filter(matching("payload.amount:>0", &[])).freeze().await.unwrap();
    let mut late = plain(DUE);
    late.payload = b"{\"amount\":7}".to_vec();
    stage.enqueue(1_100, "late", late).await;
    ann.start_bulk(&frozen.id, None, "").await.unwrap();
    let done = drive(&stage, &frozen, 2_000, 50).await;
    assert_eq!((done.state, done.changed, done.skipped), (BulkState::Done, 2, 0));
    assert_eq!(done.filter.unwrap().matching.unwrap().to_string(), "payload.amount:>0");
    assert_eq!(stage.state_of("late").await, Some(JobState::Delayed));
    assert_eq!(stage.state_of("p1").await, Some(JobState::Held));
    stage.assert_sound().await;
}

#[tokio::test]
async fn a_run_finds_jobs_by_no_more_of_their_errors_than_its_maker_may_see() {
    let stage = Stage::new().await;
    seed(&stage, 2).await;
    stage.redis.damage("j000", "last_error", "no charge\nat line 7").await;
    for (sight, line, trace) in
        [(Sight::default(), 1, 1), (Sight::new(true, false), 1, 0), (Sight::new(false, false), 0, 0)]
    {
        let ann = operator(&stage, 1_000).seen_with(sight);
        for (text, total) in [("charge", line), ("line 7", trace)] {
            let mut named = in_mail();
            named.error = Some(text.to_owned());
            let mut matching = BulkFilter::default();
            matching.matching = Some(format!("error:\"{text}\"").parse().unwrap());
            for filter in [named, matching] {
                let frozen = ann.bulk(BulkVerb::Hold).filter(filter).freeze().await.unwrap();
                assert_eq!((frozen.state, frozen.total), (BulkState::Frozen, total), "{sight:?} {text}");
            }
        }
    }
}

#[tokio::test]
async fn a_run_takes_what_an_index_names_without_looking_through_lists() {
    for shards in [1, 3] {
        let redis = reprieve::testing::TestRedis::with_shards(shards).await;
        let engine = redis.engine().at(t(0));
        let jobs = (0..60).map(|n| {
            let mut job = plain(DUE + n);
            job.id = Some(id(&format!("c{n:02}")));
            job.subject = (n < 3).then(subject);
            job
        });
        engine.client().enqueue_batch(jobs.collect()).await.unwrap();
        let ann = engine.at(t(1_000)).operator("ann");
        ann.hold(&id("c02")).await.unwrap();
        for (line, states, total, looked_at) in [
            ("subject:resource:4711", &[JobState::Delayed][..], 2, 3),
            ("subject:resource:4711", &[JobState::Delayed, JobState::Held], 3, 3),
            ("subject:resource:4711 -id:c00", &[JobState::Delayed], 1, 3),
            ("id:c07", &[JobState::Delayed], 1, 1),
            ("id:nowhere", &[JobState::Delayed], 0, 0),
        ] {
            let mut filter = BulkFilter::default();
            (filter.matching, filter.states) = (Some(line.parse().unwrap()), states.to_vec());
            let frozen = ann.bulk(BulkVerb::Cancel).filter(filter).freeze().await.unwrap();
            let found = (frozen.state, frozen.total, frozen.looked_at);
            assert_eq!(found, (BulkState::Frozen, total, looked_at), "{line} in {shards} shards");
        }
        let elsewhere = [QueueName::new("sms").unwrap()];
        let mut filter = BulkFilter::default();
        filter.matching = Some("subject:resource:4711".parse().unwrap());
        let bound = ann.bulk(BulkVerb::Cancel).filter(filter).only_in(elsewhere).freeze().await.unwrap();
        assert_eq!((bound.state, bound.total, bound.looked_at), (BulkState::Frozen, 0, 0));
    }
}

#[tokio::test]
async fn a_person_who_is_bound_to_queues_finds_their_runs_behind_those_of_others() {
    let stage = Stage::new().await;
    seed(&stage, 1).await;
    let freeze = async |ms: i64, queue: QueueName| {
        let mut filter = BulkFilter::default();
        filter.queue = Some(queue);
        operator(&stage, ms).bulk(BulkVerb::Cancel).filter(filter).freeze().await.unwrap().id
    };
    let own = freeze(1_000, mail()).await;
    for n in 0..120 {
        freeze(1_001 + n, QueueName::new("sms").unwrap()).await;
    }
    let inspector = engine(&stage, 2_000).inspector();
    assert_eq!(inspector.bulk_runs(100).await.unwrap().len(), 100);
    let theirs = inspector.only_in([mail()]).bulk_runs(100).await.unwrap();
    assert_eq!(theirs.iter().map(|run| &run.id).collect::<Vec<_>>(), [&own]);
}

#[tokio::test]
async fn all_runs_are_listed_page_by_page_each_once_whatever_the_clocks_of_shards_say() {
    for shards in [1, 3] {
        let redis = reprieve::testing::TestRedis::with_shards(shards).await;
        let mut made = Vec::new();
        for n in 0..23 {
            let frozen = redis.engine().at(t(1_000 + n / 5)).operator("ann").bulk(BulkVerb::Hold);
            made.push(frozen.freeze().await.unwrap().id);
        }
        if shards > 1 {
            // Here it was made later than elsewhere, by the clock of this shard.
            let list = format!("{}bulk", redis.prefix().replace(".0}", ".1}"));
            redis.command(&["ZADD", &list, "1004", made[3].as_str()]).await.unwrap();
        }
        let inspector = redis.engine().at(t(2_000)).inspector();
        let (mut seen, mut after, mut sizes) = (Vec::new(), None, Vec::new());
        loop {
            let page = inspector.bulk_runs_behind(after.as_ref(), 10).await.unwrap();
            sizes.push(page.items.len());
            seen.extend(page.items.into_iter().map(|run| run.id));
            after = page.next;
            if after.is_none() {
                break;
            }
        }
        assert_eq!(sizes, [10, 10, 3], "{shards} shards");
        seen.sort();
        made.sort();
        assert_eq!(seen, made, "{shards} shards");
        assert_eq!(inspector.bulk_runs_behind(None, 23).await.unwrap().next, None, "there are no more");
    }
}

/// A filter that no index answers.
fn delayed_and_no_vip() -> BulkFilter {
    let mut filter = BulkFilter::default();
    (filter.matching, filter.states) = (Some("-tag:vip".parse().unwrap()), vec![JobState::Delayed]);
    filter
}

#[tokio::test]
async fn a_look_that_takes_too_long_is_gone_on_with_from_where_it_was() {
    let stage = Stage::new().await;
    seed(&stage, 1_203).await;
    let ann = operator(&stage, 1_000);
    for (n, filter) in [in_mail(), delayed_and_no_vip()].into_iter().enumerate() {
        let of = run_id(&format!("slow-{n}"));
        let freeze = || ann.bulk(BulkVerb::Hold).id(of.clone()).within(Duration::ZERO);
        let first = freeze().filter(filter.clone()).freeze().await.unwrap();
        assert_eq!((first.state, first.total, first.looked_at), (BulkState::Collecting, 500, 500));
        assert_eq!(ann.start_bulk(&of, None, "").await.unwrap_err().code(), "bulk_conflict");

        let mut other = in_mail();
        other.kind = Some(Kind::new("none").unwrap());
        assert_eq!(freeze().filter(other).freeze().await.unwrap(), first, "that is the first one");
        let second = freeze().filter(filter).freeze().await.unwrap();
        assert_eq!((second.state, second.total), (BulkState::Collecting, 1_000));
        let mut last = ann.collect_bulk(&of, Duration::ZERO).await.unwrap();
        for _ in 0..9 {
            last = ann.collect_bulk(&of, Duration::ZERO).await.unwrap();
        }
        assert_eq!((last.state, last.total, last.cut), (BulkState::Frozen, 1_203, false));
    }
    assert_eq!(ann.collect_bulk(&run_id("none"), Duration::ZERO).await.unwrap_err().code(), "not_found");
}

#[tokio::test]
async fn the_longest_line_leaves_a_run_in_its_queue() {
    let stage = Stage::new().await;
    for queue in ["mail", "other"] {
        let mut job = plain(DUE);
        job.queue = QueueName::new(queue).unwrap();
        stage.at(0).enqueue("client", &[(id(queue), job)]).await.unwrap();
    }
    let mut filter = in_mail();
    let line: Vec<String> = (0..TERMS_MAX).map(|n| format!("-tag:t{n}")).collect();
    filter.matching = Some(line.join(" ").parse().unwrap());

    let run = operator(&stage, 1_000).bulk(BulkVerb::Cancel).filter(filter).freeze().await.unwrap();

    assert_eq!((run.total, run.split["queue:mail"]), (1, 1));
}

#[tokio::test]
async fn a_look_goes_on_behind_the_queue_where_it_was_when_that_is_gone_by_now() {
    let stage = Stage::new().await;
    for (queue, count, due) in [("a", 10, DUE), ("b", 600, DUE), ("c", 7, DUE + 1_000)] {
        let jobs: Vec<_> = (0..count)
            .map(|n| {
                let mut job = plain(due + n);
                job.queue = QueueName::new(queue).unwrap();
                (id(&format!("{queue}{n:03}")), job)
            })
            .collect();
        for batch in jobs.chunks(100) {
            stage.at(0).enqueue("client", batch).await.unwrap();
        }
    }
    let of = run_id("steps");
    let ann = operator(&stage, 1_000);
    let first = ann.bulk(BulkVerb::Cancel).id(of.clone()).within(Duration::ZERO).freeze().await.unwrap();
    assert_eq!(first.state, BulkState::Collecting);
    stage.command(&["SREM", "*queues", "b"]).await;

    let last = ann.collect_bulk(&of, Duration::from_secs(60)).await.unwrap();

    assert_eq!((last.state, last.total), (BulkState::Frozen, first.total + 7));
    assert_eq!(last.split["queue:c"], 7);
}

#[tokio::test]
async fn the_jobs_of_a_subject_are_found_at_once_by_its_index() {
    let stage = Stage::new().await;
    for (round, count) in [("gone", 700), ("live", 700)] {
        let jobs: Vec<_> = (0..count)
            .map(|n| {
                let mut job = plain(DUE);
                job.subject = Some(subject());
                (id(&format!("{round}-{n:03}")), job)
            })
            .collect();
        for batch in jobs.chunks(100) {
            stage.at(0).enqueue("client", batch).await.unwrap();
        }
        if round == "gone" {
            stage.at(1).cancel_subject(&subject(), &ann(), 1_000).await.unwrap();
        }
    }
    let ann = operator(&stage, 1_000);
    let mut filter = BulkFilter::default();
    filter.subject = Some(subject());
    filter.states = vec![JobState::Delayed];
    stage.enqueue(2, "of-another", plain(DUE)).await;

    let found = ann.bulk(BulkVerb::Hold).within(Duration::ZERO).filter(filter).freeze().await.unwrap();

    assert_eq!((found.state, found.total, found.looked_at), (BulkState::Frozen, 700, 1_400));
}

#[tokio::test]
async fn however_many_look_for_the_jobs_of_a_run_each_counts_once() {
    let stage = Stage::new().await;
    seed(&stage, 2_603).await;
    let ann = operator(&stage, 1_000);
    let matching = delayed_and_no_vip();
    let of = run_id("twice");
    ann.bulk(BulkVerb::Hold).id(of.clone()).within(Duration::ZERO).filter(matching).freeze().await.unwrap();

    // A step each from the same place, of which one counts.
    let collect = |most| ann.collect_bulk(&of, most);
    let (one, other) = tokio::join!(collect(Duration::ZERO), collect(Duration::ZERO));
    for run in [one.unwrap(), other.unwrap()] {
        assert_eq!(run.state, BulkState::Collecting);
    }
    let (one, other) = tokio::join!(collect(Duration::from_secs(60)), collect(Duration::from_secs(60)));

    for run in [one.unwrap(), other.unwrap()] {
        let found = (run.state, run.total, run.looked_at, run.cut);
        assert_eq!(found, (BulkState::Frozen, 2_603, 2_603, false));
    }
}

#[tokio::test]
async fn of_a_subject_with_more_ended_jobs_than_its_page_shows_a_run_takes_all() {
    let stage = Stage::new().await;
    stage.given_many_called_off().await;
    let mut live = plain(DUE);
    live.subject = Some(subject());
    stage.enqueue(4, "live", live).await;
    let ann = operator(&stage, 1_000);
    let mut named = BulkFilter::default();
    named.subject = Some(subject());
    let mut matching = BulkFilter::default();
    matching.matching = Some("subject:resource:4711".parse().unwrap());
    matching.states = vec![JobState::Cancelled];
    let mut named_ended = named.clone();
    named_ended.states = vec![JobState::Cancelled];
    let mut waiting = matching.clone();
    waiting.states = vec![JobState::Delayed];
    let elsewhere = [QueueName::new("sms").unwrap()];
    let bound = ann.bulk(BulkVerb::Purge).filter(matching.clone()).only_in(elsewhere).freeze().await.unwrap();
    assert_eq!(
        (bound.state, bound.total, bound.cut),
        (BulkState::Frozen, 3, false),
        "behind those of others"
    );

    for (verb, filter, total) in [
        (BulkVerb::Purge, matching, 1_005),
        (BulkVerb::Purge, named_ended, 1_005),
        (BulkVerb::Cancel, waiting, 1),
        (BulkVerb::Cancel, named, 1),
    ] {
        let frozen = ann.bulk(verb).filter(filter).freeze().await.unwrap();
        assert_eq!((frozen.state, frozen.total, frozen.cut), (BulkState::Frozen, total, false), "{verb}");
    }
}

#[tokio::test]
async fn picked_jobs_are_taken_at_the_version_that_was_seen() {
    let stage = Stage::new().await;
    seed(&stage, 4).await;
    let seen = |name: &str| (id(name), reprieve::model::Version(1));
    stage.at(500).hold(&id("j001"), &ann()).await.unwrap();
    let ann = operator(&stage, 1_000);
    let picked = vec![seen("j000"), seen("j001"), seen("gone")];
    let frozen = ann.bulk(BulkVerb::Reschedule).shift(Shift::By(1_000)).jobs(picked).freeze().await.unwrap();
    assert_eq!((frozen.state, frozen.total), (BulkState::Frozen, 2));
    assert_eq!((frozen.split["state:delayed"], frozen.split["state:held"]), (1, 1));
    ann.start_bulk(&frozen.id, None, "").await.unwrap();
    let done = drive(&stage, &frozen, 2_000, 50).await;
    assert_eq!((done.changed, done.skipped, done.words["changed"]), (1, 1, 1));
    assert!(ann.bulk(BulkVerb::Hold).jobs(Vec::new()).freeze().await.is_err());
    let many = (0..1_001).map(|n| seen(&format!("j{n}"))).collect();
    assert!(ann.bulk(BulkVerb::Hold).jobs(many).freeze().await.is_err());
}

#[tokio::test]
async fn a_cancel_that_spares_what_started_leaves_it_running_and_calls_off_what_only_became_ready() {
    let stage = Stage::new().await;
    seed(&stage, 3).await;
    let ann = operator(&stage, 1_000);
    let frozen = ann.bulk(BulkVerb::Cancel).spare_started().filter(in_mail()).freeze().await.unwrap();
    assert!(frozen.spares_started);
    stage.at(DUE + 1_000).forward(10, 0).await.unwrap();
    assert_eq!(stage.claim(DUE + 1_000, 1).await[0].id, id("j000"));
    ann.start_bulk(&frozen.id, None, "").await.unwrap();
    let done = drive(&stage, &frozen, DUE + 2_000, 50).await;
    assert_eq!((done.words["started"], done.words["cancelled"]), (1, 2));
    assert_eq!(stage.state_of("j000").await, Some(JobState::Active));
    stage.assert_sound().await;
}
