//! Verbs on several jobs of a subject: all of them in one step, or none.

use super::expect::difference;
use super::seed::{DUE, Stage, ann, id, plain, subject, t};
use reprieve::Due;
use reprieve::model::{Delay, JobId, JobState, JobsAnswer, JobsWord, Past, Timestamp, Version};
use reprieve::store::{Intent, JobsVerb};

const LATER: JobsVerb = JobsVerb::Postpone(Delay::hours(1));
const VERBS: [JobsVerb; 5] = [JobsVerb::Cancel, JobsVerb::Reinstate, LATER, JobsVerb::Hold, JobsVerb::Unhold];

/// A delayed job for each name, due one after the other from `DUE` on.
async fn with_jobs(names: &[&str]) -> Stage {
    let stage = Stage::new().await;
    for (name, due) in names.iter().zip((DUE..).step_by(1_000)) {
        let mut job = plain(due);
        job.subject = Some(subject());
        stage.enqueue(0, name, job).await;
    }
    stage
}

async fn does(stage: &Stage, ms: i64, jobs: &[(&str, u64)], verb: JobsVerb, past: Past) -> JobsAnswer {
    under(stage, ms, jobs, verb, past, &ann()).await
}

async fn under(
    stage: &Stage,
    ms: i64,
    jobs: &[(&str, u64)],
    verb: JobsVerb,
    past: Past,
    intent: &Intent,
) -> JobsAnswer {
    let jobs: Vec<(JobId, Version)> = jobs.iter().map(|(name, seen)| (id(name), Version(*seen))).collect();
    stage.at(ms).act_on_jobs(&subject(), &jobs, verb, past, intent).await.unwrap()
}

fn words(answer: &JobsAnswer) -> Vec<(&str, &str)> {
    answer.jobs.iter().map(|job| (job.standing.id.as_str(), job.outcome.as_str())).collect()
}

async fn states(stage: &Stage, names: &[&str]) -> Vec<JobState> {
    let mut states = Vec::new();
    for name in names {
        states.push(stage.state_of(name).await.unwrap());
    }
    states
}

#[tokio::test]
async fn each_job_is_left_as_its_own_verb_would_leave_it() {
    for state in JobState::ALL {
        for verb in VERBS {
            let (alone, together) = (Stage::new().await, Stage::new().await);
            let given = alone.given(state).await;
            together.given(state).await;
            let (one, store) = (&given.id, alone.at(given.now));
            let is_changed = match verb {
                JobsVerb::Cancel => {
                    matches!(store.cancel(one, &ann()).await.unwrap().word(), "cancelled" | "requested")
                }
                JobsVerb::Reinstate => {
                    store.reinstate(one, &ann(), None).await.unwrap().word() != "wrong_state"
                }
                JobsVerb::Postpone(later) => {
                    let (job, ..) = store.job(one).await.unwrap().unwrap();
                    let due_ms = job.due.as_millis() + later.as_millis();
                    let due = Due::At(Timestamp::from_millis(due_ms).unwrap());
                    store.reschedule(one, &ann(), due).await.unwrap().word() != "wrong_state"
                }
                JobsVerb::Hold => store.hold(one, &ann()).await.unwrap().word() != "wrong_state",
                JobsVerb::Unhold => store.unhold(one, &ann()).await.unwrap().word() != "wrong_state",
            };

            let answer = does(&together, given.now, &[("a1", given.version.0)], verb, Past::Refuse).await;

            assert_eq!(answer.outcome, JobsWord::Done, "{verb:?} {state}");
            let word = answer.jobs[0].outcome.as_str();
            assert_eq!(!matches!(word, "stays" | "already_finished"), is_changed, "{verb:?} {state}: {word}");
            let mut differs = difference(&alone.snapshot().await, &together.snapshot().await);
            // They are two namespaces.
            differs.retain(|line| !line.contains("meta  namespace"));
            assert_eq!(differs, Vec::<String>::new(), "{verb:?} {state}");
        }
    }
}

#[tokio::test]
async fn several_jobs_are_called_off_and_put_back_each_time_in_one_step() {
    let names = ["a", "b", "c"];
    let stage = with_jobs(&names).await;
    let off = does(&stage, 1, &[("a", 1), ("b", 1), ("c", 1)], JobsVerb::Cancel, Past::Refuse).await;
    assert_eq!(words(&off), names.map(|name| (name, "cancelled")));
    assert!(off.jobs.iter().all(|job| job.standing.ended == Some(off.at)), "{off:?}");

    let back = does(&stage, 2, &[("a", 2), ("b", 2), ("c", 2)], JobsVerb::Reinstate, Past::Refuse).await;

    assert_eq!(words(&back), names.map(|name| (name, "delayed")));
    let dues: Vec<_> = back.jobs.iter().map(|job| job.standing.due).collect();
    assert_eq!(dues, [t(DUE), t(DUE + 1_000), t(DUE + 2_000)], "at their own times");
    let audit = stage.redis.engine().inspector().audit(&Default::default(), None, 10).await.unwrap();
    let written: Vec<_> = audit
        .items
        .iter()
        .rev()
        .map(|entry| (entry.verb.as_str(), entry.target.as_str(), entry.at))
        .collect();
    let of = |verb, at| names.map(|name| (verb, name, at));
    assert_eq!(
        written,
        [of("cancel", off.at), of("reinstate", back.at)].concat(),
        "an entry a job, at one time"
    );
    stage.assert_sound().await;
}

#[tokio::test]
async fn where_one_has_changed_since_nothing_happens_to_any_unless_they_are_called_off() {
    let stage = with_jobs(&["a", "b"]).await;
    stage.at(1).reschedule(&id("b"), &ann(), Due::At(t(2 * DUE))).await.unwrap();
    for verb in [LATER, JobsVerb::Hold] {
        let before = stage.snapshot().await;
        let answer = does(&stage, 2, &[("a", 1), ("b", 1)], verb, Past::Refuse).await;
        assert_eq!((answer.outcome, answer.jobs.len()), (JobsWord::Conflict, 0));
        assert_eq!(difference(&before, &stage.snapshot().await), Vec::<String>::new());
    }
    // What it is not about may have become anything.
    let release = does(&stage, 2, &[("a", 1), ("b", 1)], JobsVerb::Unhold, Past::Refuse).await;
    assert_eq!(words(&release), [("a", "stays"), ("b", "stays")]);

    let off = does(&stage, 3, &[("a", 1), ("b", 1)], JobsVerb::Cancel, Past::Refuse).await;

    assert_eq!(words(&off), [("a", "cancelled"), ("b", "cancelled")]);
    stage.assert_sound().await;
}

#[tokio::test]
async fn another_job_or_one_of_another_subject_is_left_alone() {
    let stage = with_jobs(&["a", "b"]).await;
    stage.enqueue(0, "stranger", plain(DUE)).await;
    // Another job has the id since.
    stage.at(1).cancel(&id("b"), &ann()).await.unwrap();
    stage.at(2).purge_job(&id("b"), &ann()).await.unwrap();
    let mut other = plain(DUE);
    other.subject = Some(subject());
    stage.enqueue(3, "b", other).await;

    let jobs = [("a", 1), ("b", 1), ("stranger", 1), ("nobody", 1)];
    let answer = does(&stage, 4, &jobs, JobsVerb::Cancel, Past::Refuse).await;

    assert_eq!(words(&answer), [("a", "cancelled")]);
    assert_eq!(states(&stage, &["b", "stranger"]).await, [JobState::Delayed, JobState::Delayed]);
    stage.assert_sound().await;
}

#[tokio::test]
async fn a_job_that_is_named_twice_is_changed_once() {
    for verb in [LATER, JobsVerb::Hold, JobsVerb::Cancel] {
        let stage = with_jobs(&["a"]).await;
        let answer = does(&stage, 1, &[("a", 1), ("a", 1)], verb, Past::Refuse).await;
        assert_eq!((answer.jobs.len(), answer.jobs[0].standing.version), (1, Version(2)), "{verb:?}");
        stage.assert_sound().await;
    }
}

#[tokio::test]
async fn what_becomes_of_those_whose_time_has_passed_is_as_the_caller_says() {
    let between = DUE + 500;
    for (past, expected) in [
        (Past::Refuse, ["cancelled", "cancelled"]),
        (Past::Skip, ["cancelled", "delayed"]),
        (Past::Run, ["ready", "delayed"]),
    ] {
        let stage = with_jobs(&["a", "b"]).await;
        does(&stage, 1, &[("a", 1), ("b", 1)], JobsVerb::Cancel, Past::Refuse).await;
        let before = stage.snapshot().await;

        let answer = does(&stage, between, &[("a", 2), ("b", 2)], JobsVerb::Reinstate, past).await;

        let became = states(&stage, &["a", "b"]).await.into_iter().map(JobState::as_str).collect::<Vec<_>>();
        assert_eq!(became, expected, "{past:?}");
        match past {
            Past::Refuse => {
                assert_eq!((answer.outcome, words(&answer)), (JobsWord::Past, vec![("a", "past")]));
                assert_eq!(difference(&before, &stage.snapshot().await), Vec::<String>::new());
            }
            Past::Skip => assert_eq!(words(&answer), [("a", "past"), ("b", "delayed")]),
            Past::Run => assert_eq!(words(&answer), [("a", "ready"), ("b", "delayed")]),
        }
        stage.assert_sound().await;
    }
}

#[tokio::test]
async fn what_is_held_past_its_time_is_released_only_as_the_caller_says_and_postponed_without_a_question() {
    let stage = with_jobs(&["a", "b"]).await;
    does(&stage, 1, &[("a", 1), ("b", 1)], JobsVerb::Hold, Past::Refuse).await;
    let late = DUE + 500;

    let asked = does(&stage, late, &[("a", 2), ("b", 2)], JobsVerb::Unhold, Past::Refuse).await;
    assert_eq!((asked.outcome, words(&asked)), (JobsWord::Past, vec![("a", "past")]));
    let later = JobsVerb::Postpone(Delay::millis(100));
    let moved = does(&stage, late, &[("a", 2), ("b", 2)], later, Past::Refuse).await;
    assert_eq!(words(&moved), [("a", "held"), ("b", "held")], "what is held runs at no time");
    let free = does(&stage, late, &[("a", 3), ("b", 3)], JobsVerb::Unhold, Past::Run).await;

    assert_eq!(words(&free), [("a", "delayed"), ("b", "delayed")]);
    stage.assert_sound().await;
}

#[tokio::test]
async fn a_repeat_under_the_same_operation_gets_the_first_answer() {
    let stage = with_jobs(&["a", "b"]).await;
    let mut op = ann();
    op.operation = "9f3c".to_owned();
    let jobs = [("a", 1), ("b", 1)];
    let first = under(&stage, 1, &jobs, JobsVerb::Cancel, Past::Refuse, &op).await;
    stage.at(2).reinstate(&id("a"), &ann(), None).await.unwrap();
    let before = stage.snapshot().await;

    assert_eq!(under(&stage, 3, &jobs, JobsVerb::Cancel, Past::Refuse, &op).await, first);

    assert_eq!(difference(&before, &stage.snapshot().await), Vec::<String>::new());
    stage.assert_sound().await;
}
