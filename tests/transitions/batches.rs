//! Batches: counted in the script that moves a job, completed once, whatever happens to their jobs.

use super::bulk::{run_on, undo};
use super::expect::{assert_expected, difference};
use super::halt::call;
use super::mending::round;
use super::seed::{DUE, Stage, ann, id, mail, plain, subject, t};
use rand::rngs::StdRng;
use rand::seq::IndexedRandom;
use rand::{Rng, SeedableRng};
use reprieve::model::{
    AuditFilter, BatchAnswer, BatchId, BatchRule, BatchWord, BulkVerb, Delay, Enqueued, JobBatch, JobId,
    JobState, Kind, QueueName, UniqueKey, Unmet,
};
use reprieve::testing::breaches;
use reprieve::{BatchClose, Client, Due, Error, NewBatch, NewJob, Spread, UniqueMode};

fn import() -> BatchId {
    BatchId::new("import-7").unwrap()
}

fn row(number: u32) -> JobId {
    id(&format!("import-7/{number}"))
}

fn completion() -> JobId {
    id("import-7/completion")
}

fn rows(count: usize) -> Vec<NewJob> {
    vec![plain(0); count]
}

fn of(count: usize) -> NewBatch {
    let mut report = NewJob::new(Kind::new("report").unwrap(), "{}");
    report.queue = mail();
    NewBatch::new(import(), report).jobs(rows(count))
}

fn client(stage: &Stage, ms: i64) -> Client {
    stage.redis.engine().at(t(ms)).client()
}

async fn made(batch: &NewBatch) -> Stage {
    let stage = Stage::new().await;
    let answer = client(&stage, 0).make_batch(batch).await.unwrap();
    assert_eq!(answer.outcome, BatchWord::Made);
    stage
}

async fn read(stage: &Stage) -> JobBatch {
    stage.redis.engine().inspector().batch(&import()).await.unwrap().unwrap()
}

/// Live, done, dead, cancelled.
async fn counts(stage: &Stage) -> [u64; 4] {
    let batch = read(stage).await;
    [batch.live, batch.done, batch.dead, batch.cancelled]
}

async fn completion_state(stage: &Stage) -> Option<JobState> {
    stage.state_of(completion().as_str()).await
}

/// Claims all that is ready, and lets the first so many end well, the others for good.
async fn run(stage: &Stage, ms: i64, well: usize) {
    let jobs = stage.claim(ms, 200).await;
    for (index, job) in jobs.iter().enumerate() {
        if index < well {
            stage.at(ms).complete(&[(job.id.clone(), job.token)]).await.unwrap();
        } else {
            stage.at(ms).fail(&job.id, job.token, "no such row", None).await.unwrap();
        }
    }
}

#[tokio::test]
async fn a_batch_writes_its_jobs_its_completion_and_its_record_in_one_step() {
    let stage = Stage::new().await;
    let before = stage.snapshot().await;

    let answer = client(&stage, 0).make_batch(&of(2)).await.unwrap();

    assert_eq!(
        (answer.outcome, answer.total, answer.live, answer.closed),
        (BatchWord::Made, 2, 2, Some(t(0)))
    );
    assert!(matches!(&answer.jobs[..], [Enqueued::Ready(first), Enqueued::Ready(_)] if first.id == row(1)));
    let after = stage.snapshot().await;
    assert_eq!(breaches(&after), Vec::<String>::new());
    assert_expected("batch_make", &difference(&before, &after).join("\n"));
}

#[tokio::test]
async fn the_completion_runs_when_the_last_job_has_ended_and_only_once() {
    let stage = made(&of(3)).await;
    let jobs = stage.claim(1, 9).await;
    assert_eq!(jobs.len(), 3);
    for job in &jobs[..2] {
        stage.at(2).complete(&[(job.id.clone(), job.token)]).await.unwrap();
        assert_eq!(completion_state(&stage).await, Some(JobState::Held));
    }
    let before = stage.snapshot().await;

    stage.at(3).complete(&[(jobs[2].id.clone(), jobs[2].token)]).await.unwrap();

    assert_expected("batch_ends", &difference(&before, &stage.snapshot().await).join("\n"));
    let [last] = &stage.claim(4, 9).await[..] else { panic!("one job is ready") };
    assert_eq!((&last.id, last.headers["batch"].as_str()), (&completion(), "import-7"));
    stage.at(5).complete(&[(last.id.clone(), last.token)]).await.unwrap();
    assert_eq!(stage.claim(6, 9).await.len(), 0);
    assert_eq!(counts(&stage).await, [0, 3, 0, 0]);
    stage.assert_sound().await;
}

#[tokio::test]
async fn the_spread_of_a_completion_is_by_its_own_id() {
    let spread = Spread::ById(Delay::days(1));
    let mut batch = of(1);
    batch.completion.due = Due::At(t(DUE));
    batch.completion.spread = Some(spread);

    let stage = made(&batch).await;

    let later = spread.of(&completion()).as_millis();
    assert_eq!(read(&stage).await.completion_job.unwrap().due, t(DUE + later));
}

#[tokio::test]
async fn all_that_end_in_one_call_are_counted() {
    let stage = made(&of(90)).await;
    let leases: Vec<_> = stage.claim(1, 200).await.into_iter().map(|job| (job.id, job.token)).collect();
    stage.at(2).complete(&leases).await.unwrap();
    assert_eq!(counts(&stage).await, [0, 90, 0, 0]);
    assert_eq!(completion_state(&stage).await, Some(JobState::Ready));
}

#[tokio::test]
async fn a_rule_says_what_becomes_of_the_completion_when_some_were_not_done() {
    for (batch, state) in [
        (of(3), JobState::Ready),
        (of(3).only_if_done(Unmet::Hold), JobState::Held),
        (of(3).only_if_done(Unmet::Cancel), JobState::Cancelled),
    ] {
        let stage = made(&batch).await;
        stage.at(1).cancel(&row(3), &ann()).await.unwrap();
        run(&stage, 2, 1).await;
        assert_eq!(counts(&stage).await, [0, 1, 1, 1]);
        assert_eq!(completion_state(&stage).await, Some(state), "{:?}", batch.unmet);
        let batch = read(&stage).await;
        assert_eq!(batch.unmet_jobs, [row(2), row(3)]);
        if state != JobState::Ready {
            assert_eq!(batch.completion_job.unwrap().why, "of its batch 1 are dead and 1 cancelled");
        }
    }
}

#[tokio::test]
async fn a_completion_that_is_held_goes_when_what_failed_is_put_right() {
    let stage = made(&of(2).only_if_done(Unmet::Hold)).await;
    stage.at(1).cancel(&row(2), &ann()).await.unwrap();
    run(&stage, 2, 0).await;
    assert_eq!(counts(&stage).await, [0, 0, 1, 1]);

    stage.at(3).retry_now(&row(1), &ann()).await.unwrap();
    assert_eq!(read(&stage).await.completion_job.unwrap().why, "waits for its batch");
    stage.at(3).retry_now(&row(2), &ann()).await.unwrap();
    assert_eq!(counts(&stage).await, [2, 0, 0, 0]);
    run(&stage, 4, 2).await;

    assert_eq!(counts(&stage).await, [0, 2, 0, 0]);
    assert_eq!(completion_state(&stage).await, Some(JobState::Ready));
    stage.assert_sound().await;
}

#[tokio::test]
async fn a_job_that_comes_back_after_the_completion_went_does_not_run_it_again() {
    let stage = made(&of(1)).await;
    stage.at(1).cancel(&row(1), &ann()).await.unwrap();
    run(&stage, 2, 1).await;
    assert_eq!(completion_state(&stage).await, Some(JobState::Done));

    stage.at(3).retry_now(&row(1), &ann()).await.unwrap();
    assert_eq!(counts(&stage).await, [1, 0, 0, 0]);
    run(&stage, 4, 1).await;

    assert_eq!(counts(&stage).await, [0, 1, 0, 0]);
    assert_eq!((completion_state(&stage).await, stage.claim(5, 9).await.len()), (Some(JobState::Done), 0));
}

#[tokio::test]
async fn a_completion_that_a_person_holds_is_not_let_go_when_its_batch_ends() {
    for in_bulk in [false, true] {
        let stage = made(&of(1)).await;
        let mut legal = ann();
        legal.why = "legal hold".to_owned();
        if in_bulk {
            run_on(&stage, 1, BulkVerb::Unhold, &completion()).await;
            run_on(&stage, 2, BulkVerb::Hold, &completion()).await;
        } else {
            stage.at(1).unhold(&completion(), &ann()).await.unwrap();
            stage.at(2).hold(&completion(), &legal).await.unwrap();
        }

        run(&stage, 3, 1).await;

        assert_eq!(
            (counts(&stage).await, completion_state(&stage).await),
            ([0, 1, 0, 0], Some(JobState::Held))
        );
        if !in_bulk {
            assert_eq!(read(&stage).await.completion_job.unwrap().why, "legal hold");
        }
        stage.assert_sound().await;
    }
}

#[tokio::test]
async fn a_completion_waits_again_for_its_batch_when_a_bulk_run_on_it_is_undone() {
    // Released in bulk: it is put back to where its batch finds it.
    let stage = made(&of(1)).await;
    let released = run_on(&stage, 1, BulkVerb::Unhold, &completion()).await;
    assert_eq!(undo(&stage, 2, &released).await, "held");
    run(&stage, 3, 1).await;
    assert_eq!(completion_state(&stage).await, Some(JobState::Ready));

    // Released in bulk, and its batch has ended meanwhile: nobody would let it go again.
    let stage = made(&of(1)).await;
    let released = run_on(&stage, 1, BulkVerb::Unhold, &completion()).await;
    run(&stage, 2, 1).await;
    assert_eq!(undo(&stage, 3, &released).await, "free");
    stage.at(4).forward(9, 0).await.unwrap();
    assert_eq!(completion_state(&stage).await, Some(JobState::Ready));
    stage.assert_sound().await;

    // Called off in bulk: it waits on, and once its batch has ended nobody sets it going unasked.
    for ends_first in [false, true] {
        let stage = made(&of(1)).await;
        let off = run_on(&stage, 1, BulkVerb::Cancel, &completion()).await;
        if ends_first {
            run(&stage, 2, 1).await;
        }
        assert_eq!(completion_state(&stage).await, Some(JobState::Cancelled));
        let undone = undo(&stage, 3, &off).await;
        stage.at(4).forward(9, 0).await.unwrap();
        if ends_first {
            assert_eq!(
                (undone.as_str(), completion_state(&stage).await),
                ("overdue", Some(JobState::Cancelled))
            );
        } else {
            assert_eq!((undone.as_str(), completion_state(&stage).await), ("delayed", Some(JobState::Held)));
            run(&stage, 5, 1).await;
            assert_eq!(completion_state(&stage).await, Some(JobState::Ready));
        }
        stage.assert_sound().await;
    }
}

#[tokio::test]
async fn a_batch_without_jobs_completes_when_it_is_closed() {
    let stage = made(&of(0)).await;
    assert_eq!(completion_state(&stage).await, Some(JobState::Ready));

    let stage = made(&of(0).open()).await;
    assert_eq!(completion_state(&stage).await, Some(JobState::Held));
    let answer = client(&stage, 1).batch(&import()).close().await.unwrap();
    assert_eq!((answer.outcome, answer.closed), (BatchWord::Closed, Some(t(1))));
    assert_eq!(completion_state(&stage).await, Some(JobState::Ready));
}

#[tokio::test]
async fn an_open_batch_grows_and_ends_only_when_it_is_closed() {
    let stage = made(&of(1).open()).await;
    run(&stage, 1, 1).await;
    assert_eq!(completion_state(&stage).await, Some(JobState::Held));

    let acts = client(&stage, 2).batch(&import());
    let mut late = plain(DUE);
    late.id = Some(id("late"));
    let added = acts.add(vec![late.clone()], BatchClose::Later).await.unwrap();
    assert_eq!((added.outcome, added.total, added.live), (BatchWord::Added, 2, 1));
    let again = acts.add(vec![late.clone()], BatchClose::Now).await.unwrap();
    assert!(matches!(&again.jobs[..], [Enqueued::Exists(_)]));
    assert_eq!((again.total, again.closed), (2, Some(t(2))));

    let refused = acts.add(rows(1), BatchClose::Now).await.unwrap();
    assert_eq!((refused.outcome, refused.total, refused.jobs), (BatchWord::Refused, 2, vec![]));
    assert_eq!(acts.add(vec![late], BatchClose::Now).await.unwrap().outcome, BatchWord::Added);
    assert_eq!(acts.close().await.unwrap().outcome, BatchWord::Unchanged);
    stage.at(3).cancel(&id("late"), &ann()).await.unwrap();
    assert_eq!(completion_state(&stage).await, Some(JobState::Ready));
}

#[tokio::test]
async fn making_it_again_after_every_step_it_could_be_cut_off_at_counts_each_job_once() {
    for cut_off_after in [0, 1, 2, 3] {
        let stage = Stage::new().await;
        // What a call leaves behind that was cut off: the batch is open, with the jobs of its first steps.
        if cut_off_after > 0 {
            let partial = of(100 * cut_off_after).open();
            client(&stage, 0).make_batch(&partial).await.unwrap();
            run(&stage, 1, 200).await;
            assert_eq!(completion_state(&stage).await, Some(JobState::Held), "an open batch does not end");
        }

        let answer = client(&stage, 2).make_batch(&of(300)).await.unwrap();

        assert_eq!((answer.total, answer.jobs.len()), (300, 300));
        assert_eq!(answer.closed, Some(t(2)));
        for _ in 0..3 {
            run(&stage, 3, 200).await;
        }
        assert_eq!(completion_state(&stage).await, Some(JobState::Done));
        assert_eq!(counts(&stage).await, [0, 300, 0, 0]);
        let again = client(&stage, 4).make_batch(&of(300)).await.unwrap();
        assert_eq!((again.outcome, again.total), (BatchWord::Exists, 300));
    }
}

#[tokio::test]
async fn ten_thousand_jobs_are_counted_to_the_last() {
    let stage = made(&of(10_000).only_if_done(Unmet::Cancel)).await;
    assert_eq!(counts(&stage).await, [10_000, 0, 0, 0]);
    loop {
        let leases: Vec<_> = stage.claim(1, 500).await.into_iter().map(|job| (job.id, job.token)).collect();
        assert!(!leases.is_empty(), "something is ready until the last has ended");
        if leases.iter().any(|(id, _)| *id == completion()) {
            assert_eq!(leases.len(), 1, "it waits for all others");
            break;
        }
        stage.at(1).complete(&leases).await.unwrap();
    }
    assert_eq!(counts(&stage).await, [0, 10_000, 0, 0]);
}

#[tokio::test]
async fn a_batch_is_called_off_in_steps_and_running_jobs_are_asked_to_stop() {
    let stage = made(&of(450).open()).await;
    let running = stage.claim(1, 250).await;
    assert_eq!(running.len(), 250);

    let answer: BatchAnswer =
        client(&stage, 2).batch(&import()).because("wrong file").cancel().await.unwrap();

    assert_eq!((answer.outcome, answer.closed), (BatchWord::Cancelled, Some(t(2))));
    assert_eq!((answer.live, answer.cancelled), (250, 200));
    assert_eq!(completion_state(&stage).await, Some(JobState::Held));
    for job in &running {
        stage.at(3).fail(&job.id, job.token, "stopped", None).await.unwrap();
    }
    assert_eq!(counts(&stage).await, [0, 0, 0, 450]);
    assert_eq!(completion_state(&stage).await, Some(JobState::Ready));
}

#[tokio::test]
async fn a_batch_is_called_off_to_the_last_waiting_job_while_running_ones_end() {
    let stage = made(&of(450)).await;
    let running = stage.claim(1, 250).await;
    let time = t(2).as_millis().to_string();
    let mut in_order: Vec<JobId> = (1..=450).map(row).collect();
    in_order.sort_unstable();
    let (mut last, mut steps) = (String::new(), 0);
    loop {
        let step = [time.as_str(), "import-7", "client", "wrong file", last.as_str(), "200", "", ""];
        let reply = call(&stage.redis, "batch_cancel", &step).await.unwrap();
        steps += 1;
        if reply[9] != "200" {
            break;
        }
        last.clone_from(&reply[10]);
        if steps == 1 {
            // Those that it saw running end before the next step.
            let seen = running.iter().filter(|job| in_order[..200].contains(&job.id));
            let leases: Vec<_> = seen.map(|job| (job.id.clone(), job.token)).collect();
            assert!(!leases.is_empty());
            stage.at(3).complete(&leases).await.unwrap();
        }
    }

    assert_eq!(steps, 3);
    assert_eq!(stage.claim(4, 450).await.len(), 0, "nothing is left that waits");
    let [live, done, dead, cancelled] = counts(&stage).await;
    assert_eq!((live + done, dead, cancelled), (250, 0, 200));
    stage.assert_sound().await;
}

#[tokio::test]
async fn calling_a_closed_batch_off_is_in_the_audit_once_and_its_operation_is_done_once() {
    let stage = made(&of(450)).await;
    let running = stage.claim(1, 1).await;
    let acts = client(&stage, 2).batch(&import()).because("wrong file").operation("once");

    let answer = acts.cancel().await.unwrap();

    assert_eq!((answer.outcome, answer.live, answer.cancelled), (BatchWord::Cancelled, 1, 449));
    let once = vec![("cancelled".to_owned(), "wrong file".to_owned(), "once".to_owned())];
    assert_eq!(told(&stage).await, once);
    let back = [row(1), row(2)].into_iter().find(|id| running.iter().all(|job| job.id != *id)).unwrap();
    stage.at(3).reinstate(&back, &ann(), Some(t(9))).await.unwrap();
    assert_eq!(acts.cancel().await.unwrap().cancelled, 449, "a repeat gets the first answer");
    assert_eq!(counts(&stage).await, [2, 0, 0, 448], "and calls nothing off");
    client(&stage, 4).batch(&import()).operation("another").cancel().await.unwrap();
    client(&stage, 5).batch(&import()).operation("third").cancel().await.unwrap();
    assert_eq!(told(&stage).await.len(), 2, "where nothing was left to do, there is nothing to tell");
    stage.assert_sound().await;
}

#[tokio::test]
async fn an_operation_on_a_batch_that_is_gone_tells_nothing_of_the_one_that_has_its_id() {
    let stage = made(&of(2)).await;
    let acts = client(&stage, 2).batch(&import()).operation("once");
    assert_eq!(acts.cancel().await.unwrap().cancelled, 2);
    run(&stage, 3, 1).await;
    let later = 60 * 24 * DUE;
    stage.at(later).purge(100).await.unwrap();
    assert_eq!(stage.redis.engine().inspector().batch(&import()).await.unwrap(), None);
    let mut again = of(2);
    for job in &mut again.jobs {
        job.due = Due::At(t(later + DUE));
    }
    client(&stage, later).make_batch(&again).await.unwrap();

    let answer = acts.cancel().await;

    assert!(matches!(answer, Err(Error::NoBatch { .. })), "the one that was meant: {answer:?}");
    assert_eq!(counts(&stage).await, [2, 0, 0, 0], "the other one is as it was");
    stage.assert_sound().await;
}

/// What the audit tells of batches that were called off: how it ended, why, under which operation.
async fn told(stage: &Stage) -> Vec<(String, String, String)> {
    let filter = AuditFilter::default();
    let page = stage.redis.engine().inspector().audit(&filter, None, 50).await.unwrap();
    let entries = page.items.into_iter().filter(|entry| entry.verb == "batch_cancel");
    entries.map(|entry| (entry.outcome, entry.why, entry.operation)).collect()
}

#[tokio::test]
async fn a_batch_whose_calling_off_was_cut_off_is_in_the_audit_once_when_the_operation_is_repeated() {
    let stage = made(&of(450)).await;
    let time = t(1).as_millis().to_string();
    // The first of its steps alone.
    let step = [time.as_str(), "import-7", "client", "wrong file", "", "200", "once", ""];
    call(&stage.redis, "batch_cancel", &step).await.unwrap();
    assert_eq!(counts(&stage).await, [250, 0, 0, 200]);
    assert_eq!(told(&stage).await.len(), 1);

    let acts = client(&stage, 2).batch(&import()).because("wrong file").operation("once");
    assert_eq!(acts.cancel().await.unwrap().cancelled, 450);

    assert_eq!(told(&stage).await.len(), 1);
    let record = format!("{}batch:import-7", stage.redis.prefix());
    let mark = stage.redis.command(&["HEXISTS", &record, "told_under"]).await.unwrap();
    assert_eq!(mark, redis::Value::Int(0), "what came to its end leaves no mark");
    stage.assert_sound().await;
}

#[tokio::test]
async fn what_does_not_get_in_is_not_counted() {
    let stage = Stage::new().await;
    let mut taken = plain(0);
    taken.id = Some(row(1));
    stage.enqueue(0, row(1).as_str(), taken).await;
    let answer = client(&stage, 0).make_batch(&of(2)).await.unwrap();
    assert!(matches!(&answer.jobs[..], [Enqueued::Exists(_), Enqueued::Ready(_)]));
    assert_eq!((answer.total, answer.live), (1, 1));

    let refused = [
        {
            let mut batch = of(1);
            batch.completion.id = Some(id("mine"));
            batch
        },
        {
            let mut batch = of(1);
            batch.jobs[0].replace = true;
            batch
        },
    ];
    let before = stage.snapshot().await;
    for batch in refused {
        assert!(matches!(client(&stage, 1).make_batch(&batch).await, Err(Error::Invalid { .. })));
    }
    let unknown = BatchId::new("nobody").unwrap();
    assert!(matches!(client(&stage, 1).batch(&unknown).close().await, Err(Error::NoBatch { .. })));
    assert_eq!(difference(&before, &stage.snapshot().await), Vec::<String>::new());
}

#[tokio::test]
async fn an_enqueue_with_replace_does_not_take_a_job_out_of_its_batch() {
    let stage = made(&of(1)).await;
    let mut other = plain(0);
    other.replace = true;
    for name in [row(1), completion()] {
        let answer = stage.enqueue(1, name.as_str(), other.clone()).await;
        assert!(matches!(answer, Enqueued::Exists(_)), "{answer:?}");
    }
}

#[tokio::test]
async fn a_debounce_does_not_make_another_job_of_one_of_a_batch() {
    let mut batch = of(1);
    let unique = Some((UniqueKey::new("mail-4711").unwrap(), Delay::seconds(60)));
    batch.jobs[0].unique.clone_from(&unique);
    let stage = made(&batch).await;
    let mut last = plain(DUE);
    (last.payload, last.unique) = (b"another".to_vec(), unique);
    last.unique_mode = UniqueMode::Debounce { max_wait: None };
    let before = stage.snapshot().await;

    let answer = stage.enqueue(1, "b", last.clone()).await;

    let Enqueued::Duplicate { holder, .. } = answer else { panic!("{answer:?}") };
    assert_eq!((holder, difference(&before, &stage.snapshot().await)), (row(1), Vec::new()));
    // One that runs is left alone as ever.
    stage.claim(2, 1).await;
    assert_eq!(stage.enqueue(3, "b", last).await.word(), "delayed");
    stage.assert_sound().await;
}

#[tokio::test]
async fn a_closed_batch_that_is_made_again_exists_whatever_is_missing_of_it() {
    for count in [3, 150] {
        // One did not get in, and one is gone.
        let mut batch = of(count);
        batch.jobs[count - 1].unique = Some((UniqueKey::new("mail-4711").unwrap(), Delay::days(60)));
        let mut holds = batch.jobs[count - 1].clone();
        holds.due = Due::At(t(DUE));
        let stage = Stage::new().await;
        stage.enqueue(0, "holder", holds).await;
        client(&stage, 0).make_batch(&batch).await.unwrap();
        let first = &stage.claim(1, 1).await[0];
        stage.at(2).complete(&[(first.id.clone(), first.token)]).await.unwrap();
        stage.redis.engine().at(t(3)).operator("ann").purge(&first.id).await.unwrap();
        let before = stage.snapshot().await;

        let again = client(&stage, 4).make_batch(&batch).await.unwrap();

        let rest = u64::try_from(count).unwrap() - 1;
        assert_eq!((again.outcome, again.total, again.closed), (BatchWord::Exists, rest, Some(t(0))));
        assert_eq!(again.jobs.len(), count - 2);
        assert!(again.jobs.iter().all(|job| matches!(job, Enqueued::Exists(_))), "{:?}", again.jobs);
        assert_eq!(difference(&before, &stage.snapshot().await), Vec::<String>::new());
        let added = client(&stage, 5).batch(&import()).add(rows(1), BatchClose::Now).await.unwrap();
        assert_eq!(added.outcome, BatchWord::Refused, "the caller who adds is told");
    }
}

#[tokio::test]
async fn the_record_goes_with_the_last_of_its_jobs() {
    let mut batch = of(2);
    batch.completion.subject = Some(subject());
    let stage = made(&batch).await;
    run(&stage, 1, 2).await;
    run(&stage, 2, 1).await;
    let listed = stage.redis.engine().inspector().batches(10).await.unwrap();
    assert_eq!(listed.iter().map(|batch| &batch.id).collect::<Vec<_>>(), [&import()]);

    stage.at(8 * 24 * DUE).purge(100).await.unwrap();

    assert_eq!(stage.redis.engine().inspector().batch(&import()).await.unwrap(), None);
    let left: Vec<_> = stage.snapshot().await.into_keys().filter(|key| key.contains("batch")).collect();
    assert_eq!(left, Vec::<String>::new());
}

#[tokio::test]
async fn a_damaged_record_starts_nothing_and_stops_no_job() {
    let stage = made(&of(1)).await;
    let key = format!("{}batch:{}", stage.redis.prefix(), import());
    stage.command(&["SET", &key, "x"]).await;
    run(&stage, 1, 1).await;
    assert_eq!(stage.state_of(row(1).as_str()).await, Some(JobState::Done));
    assert_eq!(completion_state(&stage).await, Some(JobState::Held));
    assert!(matches!(client(&stage, 2).make_batch(&of(1)).await, Err(Error::Codec { .. })));
}

#[tokio::test]
async fn a_completion_whose_queue_was_damaged_when_its_batch_ended_runs_when_that_is_mended() {
    let mut batch = of(1);
    batch.completion.queue = QueueName::new("bad").unwrap();
    let stage = made(&batch).await;
    stage.command(&["SET", "*q:bad:done", "damage"]).await;
    run(&stage, 1, 1).await;
    assert_eq!(completion_state(&stage).await, Some(JobState::Held));

    stage.command(&["DEL", "*q:bad:done"]).await;
    assert_eq!(round(&stage, 2, 100).await.0, 1);

    assert_eq!(completion_state(&stage).await, Some(JobState::Ready));
    stage.assert_sound().await;
}

#[tokio::test]
async fn whatever_happens_to_its_jobs_the_counts_are_those_of_their_states() {
    let seed: u64 =
        std::env::var("REPRIEVE_SEED").ok().and_then(|text| text.parse().ok()).unwrap_or_else(rand::random);
    println!("REPRIEVE_SEED={seed}");
    let mut random = StdRng::seed_from_u64(seed);
    let stage = made(&of(12).only_if_done(Unmet::Hold)).await;
    let mut ran = 0;
    for ms in 1..250 {
        let job = row(random.random_range(1..=12));
        match ["cancel", "reinstate", "retry", "hold", "unhold", "run", "fail", "recover"].choose(&mut random)
        {
            Some(&"cancel") => drop(stage.at(ms).cancel(&job, &ann()).await),
            Some(&"reinstate") => drop(stage.at(ms).reinstate(&job, &ann(), Some(t(ms + 1))).await),
            Some(&"retry") => drop(stage.at(ms).retry_now(&job, &ann()).await),
            Some(&"hold") => drop(stage.at(ms).hold(&job, &ann()).await),
            Some(&"unhold") => drop(stage.at(ms).unhold(&job, &ann()).await),
            Some(&"recover") => drop(stage.at(ms + 60_000).recover(100, Delay::ZERO, 3).await),
            word => {
                stage.at(ms).forward(100, 0).await.unwrap();
                for claimed in stage.claim(ms, 2).await {
                    ran += u32::from(claimed.id == completion());
                    if word == Some(&"run") {
                        stage.at(ms).complete(&[(claimed.id, claimed.token)]).await.unwrap();
                    } else if claimed.id != completion() {
                        drop(stage.at(ms).fail(&claimed.id, claimed.token, "no", None).await);
                    }
                }
            }
        }
        let mut expected = [0_u64; 4];
        for number in 1..=12 {
            let place = match stage.state_of(row(number).as_str()).await {
                Some(JobState::Done) => 1,
                Some(JobState::Dead) => 2,
                Some(JobState::Cancelled) => 3,
                _ => 0,
            };
            expected[place] += 1;
        }
        assert_eq!(counts(&stage).await, expected, "after {ms} steps with seed {seed}");
        let batch = read(&stage).await;
        let named =
            [batch.live_jobs.len(), batch.unmet_jobs.len()].map(|count| u64::try_from(count).unwrap());
        assert_eq!(named, [expected[0], expected[2] + expected[3]]);
        assert!(ran <= 1, "it runs once; seed {seed}");
    }
    stage.assert_sound().await;
}

#[tokio::test]
async fn a_batch_reads_back_as_it_was_made() {
    let mut batch = of(1).only_if_done(Unmet::Cancel);
    batch.name = Some(Kind::new("import").unwrap());
    let stage = made(&batch).await;
    let read = read(&stage).await;
    assert_eq!((read.name, read.rule, read.created), (batch.name, BatchRule::Done, t(0)));
    assert_eq!(
        (read.completion, read.created_by.as_str(), read.live_jobs),
        (completion(), "client", vec![row(1)])
    );
}

#[tokio::test]
async fn a_completion_has_its_place_in_a_full_subject_from_the_beginning_or_is_refused_there() {
    let of_a_subject = |name: &str| {
        let mut batch = NewBatch::new(BatchId::new(name).unwrap(), of(0).completion).jobs(rows(1));
        batch.completion.subject = Some(subject());
        batch
    };
    let stage = made(&of_a_subject("import-7")).await;
    let others: Vec<_> = (0..999)
        .map(|n| {
            let mut job = plain(DUE);
            job.subject = Some(subject());
            (id(&format!("other-{n}")), job)
        })
        .collect();
    for jobs in others.chunks(100) {
        stage.at(0).enqueue("client", jobs).await.unwrap();
    }

    let refused = client(&stage, 0).make_batch(&of_a_subject("import-8")).await;
    client(&stage, 1).cancel(&row(1)).await.unwrap();

    assert!(matches!(refused, Err(Error::Invalid { field: "completion", .. })), "{refused:?}");
    assert_eq!(stage.state_of("import-7/completion").await, Some(JobState::Ready));
    stage.assert_sound().await;
}
