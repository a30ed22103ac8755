//! Jobs that come again: by content, throttled, debounced.

use super::expect::difference;
use super::seed::{DUE, Stage, ann, id, plain, t};
use reprieve::model::{Delay, Enqueued, JobState, UniqueKey};
use reprieve::{Due, NewJob, UniqueMode, content_key};

fn keyed(payload: &str, due: i64, mode: UniqueMode) -> NewJob {
    let mut job = plain(due);
    job.payload = payload.into();
    job.unique = Some((UniqueKey::new("mail-4711").unwrap(), Delay::seconds(60)));
    job.unique_mode = mode;
    job
}

fn debounced(payload: &str, due: i64, max_wait: Option<Delay>) -> NewJob {
    keyed(payload, due, UniqueMode::Debounce { max_wait })
}

fn holder(answer: &Enqueued) -> &str {
    let Enqueued::Duplicate { holder, .. } = answer else { panic!("{answer:?}") };
    holder.as_str()
}

#[tokio::test]
async fn the_same_content_is_a_duplicate_until_it_has_ended() {
    let stage = Stage::new().await;
    let by_content = |payload: &str| {
        let mut job = plain(-1);
        job.payload = payload.into();
        job.unique = Some((content_key(&job.kind, &job.payload), Delay::days(1)));
        job
    };
    stage.enqueue(0, "a", by_content("{\"n\":1}")).await;
    assert_eq!(holder(&stage.enqueue(1, "b", by_content("{\"n\":1}")).await), "a");
    assert_eq!(stage.enqueue(1, "c", by_content("{\"n\":2}")).await.word(), "ready");

    let token = stage.claim(2, 1).await[0].token;
    stage.at(3).complete(&[(id("a"), token)]).await.unwrap();

    assert_eq!(stage.enqueue(4, "b", by_content("{\"n\":1}")).await.word(), "ready");
    stage.assert_sound().await;
}

#[tokio::test]
async fn the_first_of_a_window_wins_even_when_it_has_ended() {
    let stage = Stage::new().await;
    let first = |due| keyed("{}", due, UniqueMode::Throttle);
    assert_eq!(stage.enqueue(0, "a", first(-1)).await.word(), "ready");
    let token = stage.claim(1, 1).await[0].token;
    stage.at(2).complete(&[(id("a"), token)]).await.unwrap();

    let before = stage.snapshot().await;
    assert_eq!(holder(&stage.enqueue(59_999, "b", first(0)).await), "a");
    assert_eq!(difference(&before, &stage.snapshot().await), Vec::<String>::new());

    assert_eq!(stage.enqueue(60_000, "c", first(0)).await.word(), "ready");
    assert_eq!(holder(&stage.enqueue(60_001, "d", first(0)).await), "c");
    stage.assert_sound().await;
}

#[tokio::test]
async fn two_of_one_call_are_told_apart_as_two_of_two_calls() {
    let stage = Stage::new().await;
    let batch: Vec<_> = ["a", "b"].map(|name| (id(name), keyed("{}", DUE, UniqueMode::Throttle))).into();
    let answers = stage.at(0).enqueue("client", &batch).await.unwrap();
    assert_eq!(answers.iter().map(Enqueued::word).collect::<Vec<_>>(), ["delayed", "duplicate"]);
    let batch: Vec<_> = ["c", "d"].map(|name| (id(name), debounced(name, DUE, None))).into();
    let answers = stage.at(0).enqueue("client", &batch).await.unwrap();
    assert_eq!(answers.iter().map(Enqueued::word).collect::<Vec<_>>(), ["delayed", "debounced"]);
    assert_eq!(stage.redis.store().job(&id("c")).await.unwrap().unwrap().0.payload, b"d");
    stage.assert_sound().await;
}

#[tokio::test]
async fn the_last_of_a_key_wins_and_the_first_keeps_its_id() {
    let stage = Stage::new().await;
    stage.enqueue(0, "a", debounced("first", 1_000, None)).await;

    let answer = stage.enqueue(500, "b", debounced("second", 1_500, None)).await;

    let Enqueued::Debounced(standing) = &answer else { panic!("{answer:?}") };
    assert_eq!((standing.id.clone(), standing.state, standing.due), (id("a"), JobState::Delayed, t(1_500)));
    let (job, _, history) = stage.redis.store().job(&id("a")).await.unwrap().unwrap();
    assert_eq!((job.payload.as_slice(), history[0].why.as_str()), (&b"second"[..], "debounced"));
    assert_eq!(stage.state_of("b").await, None);
    assert_eq!(stage.at(1_000).forward(9, 0).await.unwrap().moved, 0);
    assert_eq!(stage.at(1_500).forward(9, 0).await.unwrap().moved, 1);
    stage.assert_sound().await;
}

#[tokio::test]
async fn a_maximum_wait_ends_the_putting_off() {
    let stage = Stage::new().await;
    let wait = Some(Delay::millis(2_000));
    stage.enqueue(0, "a", debounced("0", 1_000, wait)).await;
    for at in [900, 1_800] {
        stage.enqueue(at, "b", debounced("more", at + 1_000, wait)).await;
        stage.at(at + 1).forward(9, 0).await.unwrap();
    }
    let (job, ..) = stage.redis.store().job(&id("a")).await.unwrap().unwrap();
    assert_eq!((job.state, job.due), (JobState::Delayed, t(2_000)));
    // Beyond it, the payload is still replaced, and it is due at once.
    let answer = stage.enqueue(2_500, "b", debounced("last", 3_500, wait)).await;
    assert_eq!(answer.standing().unwrap().state, JobState::Ready);
    assert_eq!(stage.claim(2_501, 1).await[0].payload, b"last");
    stage.assert_sound().await;
}

#[tokio::test]
async fn what_is_held_or_retrying_stays_so_with_the_new_payload() {
    let stage = Stage::new().await;
    stage.enqueue(0, "a", debounced("0", 1_000, None)).await;
    stage.at(1).hold(&id("a"), &ann()).await.unwrap();
    stage.enqueue(2, "b", debounced("1", 2_000, None)).await;
    assert_eq!(stage.state_of("a").await, Some(JobState::Held));
    stage.at(3).retry_now(&id("a"), &ann()).await.unwrap();
    let token = stage.claim(4, 1).await[0].token;
    stage.at(5).fail(&id("a"), token, "no", Some(Delay::seconds(9))).await.unwrap();
    stage.enqueue(6, "b", debounced("2", 3_000, None)).await;
    let (job, ..) = stage.redis.store().job(&id("a")).await.unwrap().unwrap();
    assert_eq!((job.state, job.due, job.payload.as_slice()), (JobState::Retrying, t(3_000), &b"2"[..]));
    stage.assert_sound().await;
}

#[tokio::test]
async fn one_that_runs_is_left_alone_and_the_next_takes_the_key_over() {
    let stage = Stage::new().await;
    stage.enqueue(0, "a", debounced("0", -1, None)).await;
    let token = stage.claim(1, 1).await[0].token;
    assert_eq!(stage.enqueue(2, "b", debounced("1", 1_000, None)).await.word(), "delayed");
    stage.assert_sound().await;
    // The end of the first does not free what it no longer holds.
    stage.at(3).complete(&[(id("a"), token)]).await.unwrap();
    let again = stage.enqueue(4, "c", debounced("2", 1_000, None)).await;
    assert_eq!(again.standing().unwrap().id, id("b"));
    stage.assert_sound().await;
}

#[tokio::test]
async fn a_job_of_another_queue_or_subject_is_a_duplicate_not_a_debounce() {
    let stage = Stage::new().await;
    stage.enqueue(0, "a", debounced("0", DUE, None)).await;
    let mut other = debounced("1", DUE, None);
    other.queue = "sms".parse().unwrap();
    let mut about = debounced("1", DUE, None);
    about.subject = Some("s".parse().unwrap());
    for job in [other, about] {
        let before = stage.snapshot().await;
        assert_eq!(holder(&stage.enqueue(1, "b", job).await), "a");
        assert_eq!(difference(&before, &stage.snapshot().await), Vec::<String>::new());
    }
}

#[tokio::test]
async fn a_job_whose_key_another_holds_does_not_come_back_to_life() {
    let stage = Stage::new().await;
    let held = |due| keyed("{}", due, UniqueMode::WhileLive);
    stage.enqueue(0, "a", held(DUE)).await;
    stage.at(1).cancel(&id("a"), &ann()).await.unwrap();
    stage.enqueue(2, "b", held(DUE)).await;
    let before = stage.snapshot().await;
    for error in [
        stage.at(3).reinstate(&id("a"), &ann(), None).await.unwrap_err(),
        stage.at(3).retry_now(&id("a"), &ann()).await.unwrap_err(),
    ] {
        assert_eq!(error, reprieve::Error::Duplicate { holder: id("b") });
    }
    assert_eq!(difference(&before, &stage.snapshot().await), Vec::<String>::new());
}

#[tokio::test]
async fn a_key_ends_with_its_time_even_when_its_holder_lives_on() {
    let stage = Stage::new().await;
    stage.enqueue(0, "a", keyed("{}", DUE, UniqueMode::WhileLive)).await;
    stage.command(&["DEL", "*unique:mail-4711"]).await;
    assert_eq!(stage.enqueue(1, "b", keyed("{}", DUE, UniqueMode::WhileLive)).await.word(), "delayed");
    // The first ends without freeing the key of the second.
    stage.at(2).cancel(&id("a"), &ann()).await.unwrap();
    assert_eq!(holder(&stage.enqueue(3, "c", keyed("{}", DUE, UniqueMode::WhileLive)).await), "b");
    stage.assert_sound().await;
}

#[test]
fn what_makes_no_sense_together_is_refused_before_anything_is_sent() {
    let mut no_key = plain(0);
    no_key.unique_mode = UniqueMode::Throttle;
    assert_eq!(no_key.check().unwrap_err().to_string(), "unique names no key to throttle or debounce by");
    let mut both = debounced("", 0, None);
    both.replace = true;
    assert_eq!(both.check().unwrap_err().to_string(), "replace and throttle or debounce exclude each other");
    let far = debounced("", 0, Some(Delay::millis(i64::MAX)));
    assert_eq!(far.check().unwrap_err().to_string(), "unique.max_wait_ms is at most a thousand years");
    assert_eq!(plain(0).due, Due::At(t(0)));
}
