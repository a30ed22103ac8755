//! What running jobs say of themselves: who is heard, and how much of it is kept.

use super::expect::difference;
use super::seed::{DUE, Stage, full, id, t, written};
use reprieve::model::{Delay, JobState, LogLevel, Subject, Token};
use reprieve::store::{Note, NoteLine, NoteWord};
use reprieve::testing::{RedisServer, TestRedis, breaches};
use reprieve::{Due, NewJob};
use std::time::Duration;

fn note(token: Token) -> Note {
    let mut note = Note::new(id("a1"), token);
    note.progress = Some((40, "copying".to_owned()));
    note.result = Some(b"{\"copied\":7}".to_vec());
    note.lines = vec![
        NoteLine::new(Duration::from_millis(300), LogLevel::Info, "began".to_owned()),
        NoteLine::new(Duration::ZERO, LogLevel::Warn, "slow \u{1f40c} \"disk\"".to_owned()),
    ];
    note
}

#[tokio::test]
async fn the_holder_of_the_lease_is_heard_and_the_job_does_not_change() {
    let stage = Stage::new().await;
    let given = stage.given(JobState::Active).await;
    let before = written(&stage.snapshot().await);
    let now = stage.at(given.now);

    assert_eq!(now.note(&[note(given.token.unwrap())]).await.unwrap(), [NoteWord::Held]);

    let (job, ..) = stage.redis.store().job(&given.id).await.unwrap().unwrap();
    let progress = job.progress.unwrap();
    assert_eq!(
        (progress.percent, progress.text.as_str(), progress.at, progress.attempt),
        (40, "copying", t(given.now), 1)
    );
    assert_eq!(job.result, b"{\"copied\":7}");
    assert_eq!((job.version, job.state, job.log_lines), (given.version, JobState::Active, 2));
    let log = now.log(&given.id, 0, 10).await.unwrap().unwrap();
    let lines: Vec<_> =
        log.lines.iter().map(|line| (line.number, line.at, line.level, line.text.as_str())).collect();
    assert_eq!(
        lines,
        [
            (1, t(given.now - 300), LogLevel::Info, "began"),
            (2, t(given.now), LogLevel::Warn, "slow \u{1f40c} \"disk\""),
        ]
    );
    assert_eq!(written(&stage.snapshot().await), before, "no event, no audit");
    stage.assert_sound().await;
}

#[tokio::test]
async fn a_row_names_who_enqueued_the_job_and_how_far_the_present_attempt_is() {
    let stage = Stage::new().await;
    let given = stage.given(JobState::Active).await;
    let row =
        async || stage.redis.store().rows(std::slice::from_ref(&given.id)).await.unwrap().remove(0).unwrap();
    assert_eq!(row().await.percent, None, "it said nothing");

    stage.at(given.now).note(&[note(given.token.unwrap())]).await.unwrap();
    let told = row().await;
    assert_eq!((told.percent, told.created_by.as_str(), told.by.as_str()), (Some(40), "client", "worker:w1"));

    let wait = Some(Delay::millis(1));
    stage.at(given.now).fail(&given.id, given.token.unwrap(), "no answer", wait).await.unwrap();
    assert_eq!(row().await.percent, None, "what it said belongs to an attempt that is over");
}

#[tokio::test]
async fn without_the_lease_nobody_is_heard_in_any_state() {
    for state in JobState::ALL {
        let stage = Stage::new().await;
        let given = stage.given(state).await;
        let before = stage.snapshot().await;
        let stale = Token(given.token.map_or(77, |token| token.0 + 1));
        assert_eq!(stage.at(given.now).note(&[note(stale)]).await.unwrap(), [NoteWord::Lost], "{state}");
        assert_eq!(difference(&before, &stage.snapshot().await), Vec::<String>::new(), "{state}");
    }
    let stage = Stage::new().await;
    assert_eq!(stage.at(0).note(&[note(Token(1))]).await.unwrap(), [NoteWord::Missing]);
}

#[tokio::test]
async fn an_ended_attempts_token_is_not_heard() {
    let stage = Stage::new().await;
    let given = stage.given(JobState::Done).await;
    assert_eq!(stage.at(given.now).note(&[note(given.token.unwrap())]).await.unwrap(), [NoteWord::Lost]);
}

#[tokio::test]
async fn of_a_long_log_the_last_thousand_lines_stay_with_their_numbers() {
    let stage = Stage::new().await;
    let given = stage.given(JobState::Active).await;
    let now = stage.at(given.now);
    for round in 0..2 {
        let mut note = Note::new(given.id.clone(), given.token.unwrap());
        let line = |n| NoteLine::new(Duration::ZERO, LogLevel::Debug, format!("line {n}"));
        note.lines = (0..750).map(|n| line(round * 750 + n + 1)).collect();
        now.note(&[note]).await.unwrap();
    }
    let page = now.log(&given.id, 0, 300).await.unwrap().unwrap();
    assert_eq!((page.total, page.lines.len(), page.next), (1_500, 300, Some(800)));
    assert!(page.lines.iter().all(|line| line.text == format!("line {}", line.number)));
    let rest = now.log(&given.id, 800, 1_000).await.unwrap().unwrap();
    assert_eq!((rest.lines[0].number, rest.lines.len(), rest.next), (801, 700, None));
    assert_eq!(now.log(&id("nobody"), 0, 10).await.unwrap(), None);
}

/// Bytes that a server has sent.
async fn sent(stage: &Stage) -> u64 {
    let reply = stage.redis.command(&["INFO", "stats"]).await.unwrap();
    let text: String = redis::from_redis_value(reply).unwrap();
    let sent = text.lines().find_map(|line| line.strip_prefix("total_net_output_bytes:")).unwrap();
    sent.trim().parse().unwrap()
}

#[tokio::test]
async fn of_a_long_log_no_more_is_read_than_is_asked_for() {
    let server = RedisServer::start().unwrap();
    let stage = Stage { redis: TestRedis::on(server.url(), "alone".parse().unwrap()).await };
    let given = stage.given(JobState::Active).await;
    let now = stage.at(given.now);
    let write = async |count: usize| {
        let mut note = Note::new(given.id.clone(), given.token.unwrap());
        note.lines = vec![NoteLine::new(Duration::ZERO, LogLevel::Info, "x".repeat(1_000)); count];
        now.note(&[note]).await.unwrap();
    };
    // A log of which all lines are kept, and one of which the first are gone.
    for (written, total, kept) in [(900, 900, 1), (600, 1_500, 501)] {
        write(written).await;
        for (after, first, next) in [
            (0, kept, Some(kept + 19)),
            (total - 20, total - 19, None),
            (total - 21, total - 20, Some(total - 1)),
            (total - 5, total - 4, None),
        ] {
            let before = sent(&stage).await;
            let log = now.log(&given.id, after, 20).await.unwrap().unwrap();
            let bytes = sent(&stage).await - before;

            let numbers: Vec<u64> = log.lines.iter().map(|line| line.number).collect();
            let last = next.unwrap_or(total);
            assert_eq!(numbers, (first..=last).collect::<Vec<_>>(), "behind {after} of {total}");
            assert_eq!((log.total, log.next), (total, next), "behind {after} of {total}");
            // Twenty-one lines of a kilobyte, and what Redis says of itself.
            assert!(bytes < 60_000, "{bytes} bytes behind {after} of {total}");
        }
    }
    let none = now.log(&given.id, u64::MAX, 20).await.unwrap().unwrap();
    assert_eq!((none.lines.len(), none.total, none.next), (0, 1_500, None));
}

#[tokio::test]
async fn two_notes_of_one_job_in_a_call_count_on() {
    let stage = Stage::new().await;
    let given = stage.given(JobState::Active).await;
    let both = [note(given.token.unwrap()), note(given.token.unwrap())];
    assert_eq!(stage.at(given.now).note(&both).await.unwrap(), [NoteWord::Held, NoteWord::Held]);
    let log = stage.at(given.now).log(&given.id, 0, 10).await.unwrap().unwrap();
    assert_eq!((log.total, log.lines.len()), (4, 4));
}

#[tokio::test]
async fn a_log_of_another_type_stays_and_costs_the_note_its_lines_alone() {
    let stage = Stage::new().await;
    let given = stage.given(JobState::Active).await;
    stage.command(&["SET", "*log:a1", "not a list"]).await;
    let before = stage.snapshot().await;

    let words = stage.at(given.now).note(&[note(given.token.unwrap())]).await.unwrap();

    assert_eq!(words, [NoteWord::Held]);
    let (job, ..) = stage.redis.store().job(&given.id).await.unwrap().unwrap();
    assert_eq!((job.progress.unwrap().percent, job.log_lines), (40, 0));
    assert_eq!(job.result, b"{\"copied\":7}");
    let changed = difference(&before, &stage.snapshot().await);
    assert!(changed.iter().all(|line| !line.contains("log:a1")), "{changed:?}");
    assert!(changed.iter().any(|line| line.starts_with("+ meta") && line.contains("damaged")), "{changed:?}");
}

#[tokio::test]
async fn nothing_of_a_log_outlives_its_job() {
    let stage = Stage::new().await;
    stage.enqueue(0, "a1", full()).await;
    stage.at(DUE).forward(10, 0).await.unwrap();
    let token = stage.claim(DUE, 1).await[0].token;
    stage.at(DUE).note(&[note(token)]).await.unwrap();
    stage.at(DUE).complete(&[(id("a1"), token)]).await.unwrap();
    assert_eq!(stage.at(Delay::days(400).as_millis()).purge(9).await.unwrap(), 1);
    let left: Vec<_> = stage.snapshot().await.into_keys().filter(|key| key.ends_with(":a1")).collect();
    assert_eq!(left, Vec::<String>::new());
}

#[tokio::test]
async fn a_job_named_like_the_log_of_another_is_a_job_of_its_own() {
    let stage = Stage::new().await;
    let given = stage.given(JobState::Active).await;
    stage.at(given.now).note(&[note(given.token.unwrap())]).await.unwrap();
    for name in ["a1:log", "a1:history", "a1:attempts"] {
        stage.enqueue(given.now, name, full_of(name)).await;
        assert_eq!(stage.state_of(name).await, Some(JobState::Delayed), "{name}");
    }
    let log = stage.at(given.now).log(&given.id, 0, 10).await.unwrap().unwrap();
    assert_eq!(log.total, 2);
    assert_eq!(breaches(&stage.snapshot().await), Vec::<String>::new());
}

/// A job that shares nothing with the others.
fn full_of(name: &str) -> NewJob {
    let mut job = full();
    job.subject = Some(Subject::new(name).unwrap());
    job.unique = None;
    job.due = Due::At(t(2 * DUE));
    job
}
