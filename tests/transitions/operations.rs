//! What verbs of people share: the version they saw, the operation id, the audit entry.

use super::expect::difference;
use super::seed::{DUE, Stage, ann, full, id, is_about, mail, plain, subject, t};
use reprieve::model::{
    Delay, JobState, KindRule, LatePolicy, Lateness, QueueLimits, RetentionRule, Setting, Settings, Version,
};
use reprieve::store::Intent;
use reprieve::testing::TestRedis;
use reprieve::{Due, Error, Operator, Sight};

fn under(operation: &str) -> Intent {
    let mut intent = ann();
    operation.clone_into(&mut intent.operation);
    intent
}

#[tokio::test]
async fn a_version_that_is_no_longer_true_is_a_conflict_and_changes_nothing() {
    for state in JobState::ALL {
        let stage = Stage::new().await;
        let given = stage.given(state).await;
        let store = stage.at(given.now);
        let mut stale = ann();
        stale.seen = Some(Version(given.version.0 + 1));
        let before = stage.snapshot().await;
        let (id, due) = (&given.id, Due::At(t(DUE)));

        let errors = [
            store.cancel(id, &stale).await.unwrap_err(),
            store.reinstate(id, &stale, None).await.unwrap_err(),
            store.retry_now(id, &stale).await.unwrap_err(),
            store.reschedule(id, &stale, due).await.unwrap_err(),
            store.hold(id, &stale).await.unwrap_err(),
            store.unhold(id, &stale).await.unwrap_err(),
            store.edit(id, &stale, b"{}", None).await.unwrap_err(),
        ];

        for error in errors {
            let Error::Conflict(standing) = error else { panic!("{error:?}") };
            assert_eq!((standing.state, standing.version), (state, given.version));
        }
        assert_eq!(difference(&before, &stage.snapshot().await), Vec::<String>::new());
    }
}

#[tokio::test]
async fn the_version_that_is_true_lets_the_verb_through() {
    let stage = Stage::new().await;
    let given = stage.given(JobState::Retrying).await;
    let mut seen = ann();
    seen.seen = Some(given.version);
    let cancelled = stage.at(given.now).cancel(&given.id, &seen).await.unwrap();
    assert_eq!(cancelled.standing().version, Version(given.version.0 + 1));
}

#[tokio::test]
async fn a_repeated_operation_gets_the_first_answer_and_makes_no_second_change() {
    let stage = Stage::new().await;
    stage.enqueue(0, "a", full()).await;
    let a = id("a");
    let op = under("9f3c");

    let first = stage.at(1).cancel(&a, &op).await.unwrap();
    let before = stage.snapshot().await;
    assert_eq!(stage.at(500).cancel(&a, &op).await.unwrap(), first);
    assert_eq!(difference(&before, &stage.snapshot().await), Vec::<String>::new());

    // The job is back; the old click still must not call it off again.
    let back = stage.at(600).reinstate(&a, &op, None).await.unwrap();
    let before = stage.snapshot().await;
    assert_eq!(stage.at(700).cancel(&a, &op).await.unwrap(), first);
    assert_eq!(stage.at(700).reinstate(&a, &op, None).await.unwrap(), back);
    assert_eq!(difference(&before, &stage.snapshot().await), Vec::<String>::new());

    let held = stage.at(800).hold(&a, &op).await.unwrap();
    let moved = stage.at(810).reschedule(&a, &op, Due::At(t(2 * DUE))).await.unwrap();
    let edited = stage.at(820).edit(&a, &op, b"[]", None).await.unwrap();
    let free = stage.at(830).unhold(&a, &op).await.unwrap();
    let ready = stage.at(840).retry_now(&a, &op).await.unwrap();
    let before = stage.snapshot().await;
    let store = stage.at(900);
    assert_eq!(store.hold(&a, &op).await.unwrap(), held);
    assert_eq!(store.reschedule(&a, &op, Due::Now).await.unwrap(), moved);
    assert_eq!(store.edit(&a, &op, b"{}", None).await.unwrap(), edited);
    assert_eq!(store.unhold(&a, &op).await.unwrap(), free);
    assert_eq!(store.retry_now(&a, &op).await.unwrap(), ready);
    assert_eq!(difference(&before, &stage.snapshot().await), Vec::<String>::new());
    stage.assert_sound().await;
}

#[tokio::test]
async fn the_audit_and_the_history_of_an_edit_say_which_parts_it_changed_and_no_value() {
    let stage = Stage::new().await;
    stage.enqueue(0, "a", plain(DUE)).await;
    let engine = stage.redis.engine();
    let operator = engine.operator("ann");
    let last = async || engine.inspector().audit(&Default::default(), None, 1).await.unwrap().items.remove(0);
    operator.edit(&id("a"), r#"{"amount":12,"customer":{"email":"ann@example.com"}}"#).await.unwrap();
    assert_eq!((last().await.from.as_str(), last().await.to.as_str()), ("", "amount, customer"));

    operator.edit(&id("a"), r#"{"amount":99,"customer":{"email":"bob@example.com"}}"#).await.unwrap();

    let entry = last().await;
    assert_eq!((entry.from.as_str(), entry.to.as_str()), ("", "amount, customer.email"));
    assert_eq!(entry.outcome, "delayed");
    let history = engine.inspector().job(&id("a")).await.unwrap().unwrap().history;
    let parts: Vec<_> = history.iter().map(|change| (change.edited, change.parts.as_str())).collect();
    assert_eq!(parts, [(true, "amount, customer.email"), (true, "amount, customer"), (false, "")]);
    let blind = engine.inspector().seen_with(Sight::new(false, false)).job(&id("a")).await.unwrap().unwrap();
    assert!(blind.history.iter().all(|change| change.parts.is_empty()), "{:?}", blind.history);
    let written = format!("{entry:?} {history:?}");
    assert!(!written.contains("example.com"), "{written}");

    // What was found of another version is no matter of this one.
    let stale = Some((Version(1), "amount"));
    stage.redis.store().edit(&id("a"), &ann(), b"{}", stale).await.unwrap();
    let entry = last().await;
    assert_eq!((entry.from.as_str(), entry.to.as_str()), ("delayed", "delayed"));
    let history = engine.inspector().job(&id("a")).await.unwrap().unwrap().history;
    assert_eq!((history[0].edited, history[0].parts.as_str()), (true, ""));
    assert!(engine.inspector().verify_audit(1_000, None).await.unwrap().is_sound());
}

#[tokio::test]
async fn an_answer_holds_for_a_job_that_was_replaced_since() {
    let stage = Stage::new().await;
    let (a, op) = (id("a"), under("o42"));
    stage.enqueue(0, "a", plain(DUE)).await;
    let first = stage.at(1).reschedule(&a, &op, Due::At(t(DUE + 1))).await.unwrap();
    let mut again = plain(DUE);
    again.replace = true;
    stage.enqueue(2, "a", again).await;

    assert_eq!(stage.at(3).reschedule(&a, &op, Due::At(t(DUE + 1))).await.unwrap(), first);
    assert_eq!(stage.state_of("a").await, Some(JobState::Delayed));
}

#[tokio::test]
async fn an_answer_is_that_of_its_own_job_whatever_colons_there_are() {
    let stage = Stage::new().await;
    stage.enqueue(0, "order:7", plain(DUE)).await;
    stage.enqueue(0, "order", plain(DUE)).await;
    stage.at(1).cancel(&id("order:7"), &under("cancel-1")).await.unwrap();

    let other = stage.at(2).cancel(&id("order"), &under("7:cancel-1")).await.unwrap();

    assert_eq!(other.standing().id, id("order"));
    assert_eq!(stage.state_of("order").await, Some(JobState::Cancelled));
}

#[tokio::test]
async fn no_answer_about_a_subject_outlives_its_erasure() {
    let stage = Stage::new().await;
    let mut job = plain(DUE);
    job.subject = Some(subject());
    stage.enqueue(0, "a", job).await;
    stage.at(1).cancel_subject(&subject(), &under("s1"), 1_000).await.unwrap();
    let answers = |keys: &reprieve::testing::Snapshot| {
        keys.keys().filter(|key| key.starts_with("operation")).cloned().collect::<Vec<_>>()
    };
    let before = answers(&stage.snapshot().await);
    assert_eq!(before.len(), 2);
    assert!(before.iter().any(|key| key.starts_with("operation:") && !key.contains(subject().as_str())));

    stage.redis.engine().at(t(2)).operator("ann").erase_subject(&subject(), false, "asked to").await.unwrap();

    assert_eq!(answers(&stage.snapshot().await), Vec::<String>::new());
}

#[tokio::test]
async fn a_late_cancel_is_told_so_again_even_when_the_job_has_come_back_to_life() {
    let stage = Stage::new().await;
    let given = stage.given(JobState::Dead).await;
    let op = under("click-1");
    let first = stage.at(given.now).cancel(&given.id, &op).await.unwrap();
    assert_eq!(first.word(), "already_finished");

    stage.at(given.now + 1).retry_now(&given.id, &ann()).await.unwrap();

    assert_eq!(stage.at(given.now + 2).cancel(&given.id, &op).await.unwrap(), first);
    assert_eq!(stage.state_of("a1").await, Some(JobState::Ready));
}

#[tokio::test]
async fn a_repeated_cancel_of_a_subject_gets_the_first_answer() {
    let stage = Stage::new().await;
    for name in ["a", "b"] {
        let mut job = plain(DUE);
        job.subject = Some(subject());
        stage.enqueue(0, name, job).await;
    }
    let op = under("s1");
    let first = stage.at(1).cancel_subject(&subject(), &op, 1_000).await.unwrap();
    let mut job = plain(DUE);
    job.subject = Some(subject());
    stage.enqueue(2, "c", job).await;
    let before = stage.snapshot().await;
    assert_eq!(stage.at(3).cancel_subject(&subject(), &op, 1_000).await.unwrap(), first);
    assert_eq!(difference(&before, &stage.snapshot().await), Vec::<String>::new());
}

#[tokio::test]
async fn cancel_subject_calls_off_four_jobs_at_once_by_due_time() {
    let stage = Stage::new().await;
    for (name, due) in [("delete", 400), ("notice-3", 300), ("notice-1", 100), ("notice-2", 200)] {
        let mut job = plain(due);
        job.subject = Some(subject());
        stage.enqueue(0, name, job).await;
    }
    stage.enqueue(0, "another", plain(100)).await;

    let answer = stage.at(1).cancel_subject(&subject(), &ann(), 1_000).await.unwrap();

    let reprieve::model::SubjectCancelled::Cancelled { jobs } = answer else { panic!("{answer:?}") };
    let order: Vec<_> = jobs.iter().map(|job| job.cancelled.standing().id.as_str().to_owned()).collect();
    assert_eq!(order, ["notice-1", "notice-2", "notice-3", "delete"]);
    assert_eq!(stage.state_of("another").await, Some(JobState::Delayed));
    stage.assert_sound().await;
}

#[tokio::test]
async fn cancel_subject_leaves_alone_what_its_index_names_wrongly() {
    let stage = Stage::new().await;
    for (name, of) in [("a", subject()), ("ended", subject()), ("other", "resource:9".parse().unwrap())] {
        let mut job = plain(DUE);
        job.subject = Some(of);
        stage.enqueue(0, name, job).await;
    }
    stage.at(1).cancel(&id("ended"), &ann()).await.unwrap();
    let index = format!("*subject:{}", subject());
    stage.command(&["ZADD", &index, "0", "ended", "0", "other", "0", "ghost"]).await;

    let answer = stage.at(2).cancel_subject(&subject(), &ann(), 1_000).await.unwrap();

    let reprieve::model::SubjectCancelled::Cancelled { jobs } = answer else { panic!("{answer:?}") };
    let ids: Vec<_> = jobs.iter().map(|job| job.cancelled.standing().id.as_str().to_owned()).collect();
    assert_eq!(ids, ["a"]);
    assert_eq!(stage.state_of("other").await, Some(JobState::Delayed));
}

#[tokio::test]
async fn a_second_request_to_stop_changes_nothing() {
    let stage = Stage::new().await;
    let given = stage.given(JobState::Active).await;
    stage.at(given.now).cancel(&given.id, &ann()).await.unwrap();
    let before = stage.snapshot().await;
    assert_eq!(stage.at(given.now + 1).cancel(&given.id, &ann()).await.unwrap().word(), "requested");
    stage.at(given.now + 2).cancel_subject(&subject(), &ann(), 1_000).await.unwrap();
    assert_eq!(difference(&before, &stage.snapshot().await), Vec::<String>::new());
}

#[tokio::test]
async fn an_overdue_job_is_reinstated_only_at_a_new_time() {
    let stage = Stage::new().await;
    stage.given(JobState::Cancelled).await;
    let before = stage.snapshot().await;
    let late = stage.at(DUE);
    assert_eq!(late.reinstate(&id("a1"), &ann(), None).await.unwrap().word(), "overdue");
    assert_eq!(difference(&before, &stage.snapshot().await), Vec::<String>::new());

    let back = late.reinstate(&id("a1"), &ann(), Some(t(DUE + 5))).await.unwrap();
    assert_eq!((back.word(), back.standing().due), ("delayed", t(DUE + 5)));
}

#[tokio::test]
async fn undo_restores_the_due_time_to_the_millisecond() {
    let stage = Stage::new().await;
    let mut job = full();
    job.due = Due::At(t(DUE + 1));
    stage.enqueue(0, "a", job).await;
    stage.at(1).cancel(&id("a"), &ann()).await.unwrap();
    let back = stage.at(DUE).reinstate(&id("a"), &ann(), None).await.unwrap();
    assert_eq!(back.standing().due, t(DUE + 1));
    assert_eq!(stage.at(DUE).forward(9, 0).await.unwrap().moved, 0);
    assert_eq!(stage.at(DUE + 1).forward(9, 0).await.unwrap().moved, 1);
}

#[tokio::test]
async fn retry_now_adds_an_attempt_when_all_are_used_up() {
    let stage = Stage::new().await;
    let mut job = plain(-1);
    job.max_attempts = Some(1);
    stage.enqueue(0, "a", job).await;
    let token = stage.claim(1, 1).await[0].token;
    stage.at(2).fail(&id("a"), token, "no", Some(Delay::seconds(1))).await.unwrap();
    assert_eq!(stage.state_of("a").await, Some(JobState::Dead));

    stage.at(3).retry_now(&id("a"), &ann()).await.unwrap();

    let again = stage.claim(4, 1).await.remove(0);
    assert_eq!((again.attempt, again.max_attempts), (2, Some(2)));
    assert!(again.token > token);
}

#[tokio::test]
async fn a_job_stopped_in_its_last_attempt_gets_another_when_it_is_put_back() {
    let stage = Stage::new().await;
    let mut job = plain(-1);
    job.max_attempts = Some(1);
    stage.enqueue(0, "a", job).await;
    let token = stage.claim(1, 1).await[0].token;
    stage.at(2).cancel(&id("a"), &ann()).await.unwrap();
    stage.at(3).fail(&id("a"), token, "stopped", None).await.unwrap();

    stage.at(4).reinstate(&id("a"), &ann(), Some(t(5))).await.unwrap();

    stage.at(5).forward(9, 0).await.unwrap();
    let again = stage.claim(6, 1).await.remove(0);
    assert_eq!((again.attempt, again.max_attempts), (2, Some(2)));
}

/// What people do to something else than jobs: each by its verb, and what may be set after it.
async fn change(operator: &Operator, verb: &str, most: u32) -> bool {
    let kind = || "k".parse().unwrap();
    match verb {
        "pause" | "resume" if (verb == "pause") == (most == 1) => operator.pause(&mail(), "").await.unwrap(),
        "pause" | "resume" => operator.resume(&mail(), "").await.unwrap(),
        "limit" => {
            let limits = QueueLimits { concurrency: Some(4 * most), ..QueueLimits::default() };
            operator.limit(&mail(), limits, "").await.unwrap()
        }
        "set_rule" => {
            let lateness = Lateness { most: Delay::hours(most.into()), policy: LatePolicy::Run };
            operator.set_rule(&KindRule::new(kind(), None, Some(lateness), Vec::new()), "").await.unwrap()
        }
        "set_retention" => {
            let mut rule = RetentionRule::default();
            rule.done_most = Some(most.into());
            operator.set_retention(None, rule, "").await.unwrap();
            true
        }
        "set_reasons" => {
            operator.set_setting(&Setting::Reasons(vec![format!("reason {most}")]), "").await.unwrap()
        }
        unknown => panic!("{unknown}"),
    }
}

#[tokio::test]
async fn a_change_that_is_repeated_under_its_operation_gets_its_first_answer_and_undoes_nothing() {
    for verb in ["pause", "resume", "limit", "set_rule", "set_retention", "set_reasons"] {
        let redis = TestRedis::with_shards(2).await;
        let ben = redis.engine().operator("ben");
        if verb == "resume" {
            ben.pause(&mail(), "").await.unwrap();
        }
        // The reasons are set by somebody who has seen that there are none.
        let ann = redis.engine().operator("ann").operation("o1").having_seen(Settings::default());
        assert!(change(&ann, verb, 1).await, "{verb}");
        assert!(change(&ben, verb, 2).await, "{verb}");
        let before = redis.snapshot().await;

        let again = change(&ann, verb, 1).await;

        assert!(again, "{verb}: as the first time");
        assert_eq!(difference(&before, &redis.snapshot().await), Vec::<String>::new(), "{verb}");
        let audit = redis.engine().inspector().audit(&Default::default(), None, 99).await.unwrap().items;
        let of_ann: Vec<_> = audit.iter().filter(|entry| entry.by == "ann").collect();
        assert!(
            !of_ann.is_empty() && of_ann.iter().all(|entry| entry.operation == "o1"),
            "{verb}: {of_ann:?}"
        );
    }
}

#[tokio::test]
async fn an_end_of_a_halt_that_is_repeated_under_its_operation_does_not_end_a_later_one() {
    let redis = TestRedis::namespace().await;
    let ann = redis.engine().operator("ann").operation("o1");
    let meta = format!("{}meta", redis.prefix());
    let halt = async |number: &str| {
        redis.command(&["HSET", &meta, "halts", number, "halt", "went_back 1 0 0"]).await.unwrap();
    };
    halt("1").await;
    assert!(ann.clear_halt("looked").await.unwrap());
    halt("2").await;

    let again = ann.clear_halt("looked").await.unwrap();

    assert!(again, "as the first time");
    assert!(redis.engine().inspector().halt().await.unwrap().is_some(), "the later one stands");
}

#[tokio::test]
async fn the_audit_chains_its_entries_by_hash() {
    let stage = Stage::new().await;
    stage.enqueue(0, "a", plain(DUE)).await;
    stage.at(1).hold(&id("a"), &ann()).await.unwrap();
    stage.at(2).unhold(&id("a"), &ann()).await.unwrap();
    stage.at(3).pause(&mail(), &ann()).await.unwrap();
    stage.at(4).resume(&mail(), &ann()).await.unwrap();

    let keys = stage.snapshot().await;
    let entries: Vec<std::collections::BTreeMap<String, String>> =
        keys["audit"].iter().map(|line| serde_json::from_str(line).unwrap()).collect();
    let verbs: Vec<_> = entries.iter().map(|entry| entry["verb"].as_str()).collect();
    assert_eq!(verbs, ["hold", "unhold", "pause", "resume"]);
    let mut hashes: Vec<_> = entries.iter().map(|entry| entry["hash"].clone()).collect();
    let last = format!("audit_hash = {}", hashes.last().unwrap());
    assert!(keys["meta"].contains(&last));
    hashes.dedup();
    assert_eq!(hashes.len(), 4);
}

#[tokio::test]
async fn what_somebody_held_is_held_again_when_its_cancel_is_taken_back() {
    // Before its time, after it, and at another.
    for (ms, due) in [(3, None), (DUE + 1, None), (3, Some(t(DUE + 5)))] {
        let stage = Stage::new().await;
        let mut job = full();
        job.due = Due::At(t(DUE));
        stage.enqueue(0, "a", job).await;
        stage.at(1).hold(&id("a"), &ann()).await.unwrap();
        stage.at(2).cancel(&id("a"), &ann()).await.unwrap();

        let back = stage.at(ms).reinstate(&id("a"), &ann(), due).await.unwrap();

        assert_eq!((back.word(), back.standing().due), ("held", due.unwrap_or(t(DUE))));
        assert_eq!(stage.at(DUE + 9).forward(9, 0).await.unwrap().moved, 0);
        assert_eq!(stage.at(DUE + 9).unhold(&id("a"), &ann()).await.unwrap().word(), "delayed");
        stage.assert_sound().await;
    }
}

#[tokio::test]
async fn what_was_released_before_it_was_called_off_waits_for_its_time_again() {
    let stage = Stage::new().await;
    stage.enqueue(0, "a", plain(DUE)).await;
    stage.at(1).hold(&id("a"), &ann()).await.unwrap();
    stage.at(2).unhold(&id("a"), &ann()).await.unwrap();
    stage.at(3).cancel(&id("a"), &ann()).await.unwrap();
    assert_eq!(stage.at(4).reinstate(&id("a"), &ann(), None).await.unwrap().word(), "delayed");
}

#[tokio::test]
async fn an_answer_is_kept_for_a_day() {
    let stage = Stage::new().await;
    stage.enqueue(0, "a", full()).await;
    stage.at(1).hold(&id("a"), &under("held")).await.unwrap();
    stage.at(2).cancel_subject(&subject(), &under("all"), 1_000).await.unwrap();

    let keys = stage.snapshot().await;
    let answers: Vec<&String> = keys.keys().filter(|key| key.starts_with("operation")).collect();
    assert_eq!(answers.len(), 3, "one of each act, and which there are about the subject: {answers:?}");
    for answer in answers {
        let kept = stage.kept_for(answer).await;
        assert!(is_about(kept, Delay::days(1)), "{answer}: {kept:?}");
    }
}

#[tokio::test]
async fn of_a_subject_the_latest_hundred_answers_go_with_it() {
    let stage = Stage::new().await;
    stage.enqueue(0, "a", full()).await;
    for number in 0..101 {
        stage.at(1).cancel_subject(&subject(), &under(&format!("op-{number}")), 1_000).await.unwrap();
    }
    let answers =
        async || stage.snapshot().await.into_keys().filter(|key| key.starts_with("operation:")).count();
    assert_eq!(
        (stage.snapshot().await[&format!("operations:{}", subject())].len(), answers().await),
        (100, 101)
    );

    let operator = stage.redis.operator_at(t(2), "ann");
    operator.erase_subject(&subject(), false, "request 77").await.unwrap();

    // The first of them is over within its day.
    assert_eq!(answers().await, 1);
}
