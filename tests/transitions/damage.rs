//! Redis content that nobody should have made: hashes missing, keys of another type, fields that are no numbers.
//! A script either copes, setting aside and counting what it cannot use, or fails and leaves all as it was.

use super::expect::difference;
use super::seed::{DUE, Given, LEASE, Stage, WORKER, ann, full, id, mail, plain, subject};
use super::table::Verb;
use reprieve::model::{Attention, Delay, JobState, ListQuery, QueueName, StateGroup, Subject};
use reprieve::store::{FailWord, LeaseWord, ReleaseWord};
use reprieve::testing::Snapshot;
use reprieve::{Error, LatePolicy, Lateness, Result};
use std::time::Duration;

/// Every script in a state in which it has something to do.
const AT_WORK: [(Verb, JobState); 24] = [
    (Verb::Cancel, JobState::Delayed),
    (Verb::Cancel, JobState::Active),
    (Verb::CancelSubject, JobState::Delayed),
    (Verb::Reinstate, JobState::Cancelled),
    (Verb::RetryNow, JobState::Delayed),
    (Verb::RetryNow, JobState::Dead),
    (Verb::Reschedule, JobState::Delayed),
    (Verb::Hold, JobState::Delayed),
    (Verb::Unhold, JobState::Held),
    (Verb::Edit, JobState::Dead),
    (Verb::Enqueue, JobState::Delayed),
    (Verb::EnqueueAnother, JobState::Delayed),
    (Verb::Replace, JobState::Delayed),
    (Verb::Replace, JobState::Ready),
    (Verb::Forward, JobState::Delayed),
    (Verb::Claim, JobState::Ready),
    (Verb::Extend, JobState::Active),
    (Verb::Complete, JobState::Active),
    (Verb::Fail, JobState::Active),
    (Verb::FailForGood, JobState::Active),
    (Verb::Snooze, JobState::Active),
    (Verb::Release, JobState::Active),
    (Verb::Recover, JobState::Active),
    (Verb::Purge, JobState::Cancelled),
];

/// Longer than any script may take; one that loops is found by it.
const TIMEOUT: Duration = Duration::from_secs(60);

async fn given(stage: &Stage, verb: Verb, state: JobState) -> Given {
    let mut given = stage.given(state).await;
    if verb == Verb::Forward {
        given.now = DUE;
    }
    given
}

/// Empties the namespace, so that one connection serves many cases.
async fn clear(stage: &Stage) {
    for key in stage.snapshot().await.keys() {
        stage.command(&["DEL", &format!("*{key}")]).await;
    }
}

async fn act(stage: &Stage, verb: Verb, given: &Given) -> Result<String> {
    let acted = tokio::time::timeout(TIMEOUT, verb.act(stage, given)).await;
    acted.unwrap_or_else(|_| panic!("{verb:?} does not end"))
}

/// A failed script must say what it could not read, and must not have written anything.
fn assert_clean(case: &str, outcome: Result<String>, before: &Snapshot, after: &Snapshot) {
    let Err(error) = outcome else { return };
    assert!(matches!(error, Error::Codec { .. } | Error::NotFound { .. }), "{case}: {error:?}");
    assert_eq!(difference(before, after), Vec::<String>::new(), "{case} failed half-way: {error}");
}

#[tokio::test]
async fn a_key_of_the_wrong_type_stops_a_script_before_its_first_write() {
    let mut cases = 0;
    for (verb, state) in AT_WORK {
        let stage = Stage::new().await;
        let job = given(&stage, verb, state).await;
        act(&stage, verb, &job).await.unwrap();
        // What it touches is there afterwards; the rest it may look at is damaged too.
        let mut keys: Vec<String> = stage.snapshot().await.into_keys().collect();
        let others =
            ["quarantine", "q:mail:paused", "q:mail:ready", "q:mail:wake", "unique:expiry-4711", "expiring"];
        keys.extend(others.map(str::to_owned));
        for key in keys {
            clear(&stage).await;
            let job = given(&stage, verb, state).await;
            let damaged = format!("*{key}");
            stage.command(&["DEL", &damaged]).await;
            let is_text = ["sequence", "unique:", "job:"].iter().any(|text| key.starts_with(text));
            if is_text {
                stage.command(&["LPUSH", &damaged, "damage"]).await;
            } else {
                stage.command(&["SET", &damaged, "damage"]).await;
            }
            let before = stage.snapshot().await;
            let outcome = act(&stage, verb, &job).await;
            assert_clean(&format!("{verb:?} with {key} damaged"), outcome, &before, &stage.snapshot().await);
            cases += 1;
        }
    }
    println!("{cases} cases");
}

#[tokio::test]
async fn a_missing_key_stops_a_script_before_its_first_write_or_not_at_all() {
    for (verb, state) in AT_WORK {
        let stage = Stage::new().await;
        given(&stage, verb, state).await;
        let keys: Vec<String> = stage.snapshot().await.into_keys().collect();
        for key in keys {
            clear(&stage).await;
            let job = given(&stage, verb, state).await;
            stage.command(&["DEL", &format!("*{key}")]).await;
            let before = stage.snapshot().await;
            let outcome = act(&stage, verb, &job).await;
            assert_clean(&format!("{verb:?} without {key}"), outcome, &before, &stage.snapshot().await);
        }
    }
}

#[tokio::test]
async fn a_field_that_is_no_number_never_stops_a_script_half_way() {
    const FIELDS: [&str; 20] = [
        "version",
        "priority",
        "attempt",
        "max_attempts",
        "stalls",
        "unheard",
        "heard",
        "due_ms",
        "created_ms",
        "ready_ms",
        "started_ms",
        "ended_ms",
        "kept_until_ms",
        "lease_until_ms",
        "sequence",
        "retention_ms",
        "unique_ttl_ms",
        "token",
        "spent_token",
        "cancel_ms",
    ];
    const VERBS: [Verb; 12] = [
        Verb::Forward,
        Verb::Claim,
        Verb::Complete,
        Verb::FailForGood,
        Verb::Release,
        Verb::Recover,
        Verb::RetryNow,
        Verb::Edit,
        Verb::Cancel,
        Verb::CancelSubject,
        Verb::Replace,
        Verb::Purge,
    ];
    let tasks = VERBS.map(|verb| {
        tokio::spawn(async move {
            let stage = Stage::new().await;
            for (_, state) in AT_WORK.into_iter().filter(|(at_work, _)| *at_work == verb) {
                for field in FIELDS {
                    for value in ["", "x", "nan", "inf", "1e300", "-1"] {
                        clear(&stage).await;
                        let job = given(&stage, verb, state).await;
                        stage.redis.damage("a1", field, value).await;
                        let before = stage.snapshot().await;
                        let outcome = act(&stage, verb, &job).await;
                        let case = format!("{verb:?} of a {state} job with {field} {value:?}");
                        assert_clean(&case, outcome, &before, &stage.snapshot().await);
                    }
                }
            }
        })
    });
    for task in tasks {
        task.await.unwrap();
    }
}

#[tokio::test]
async fn counters_that_are_no_numbers_stop_a_script_before_its_first_write() {
    for (verb, state) in AT_WORK {
        for (key, field) in
            [("sequence", ""), ("meta", "quarantined"), ("meta", "clock_ms"), ("meta", "undo_window_ms")]
        {
            let stage = Stage::new().await;
            let job = given(&stage, verb, state).await;
            match field {
                "" => stage.command(&["SET", &format!("*{key}"), "x"]).await,
                _ => stage.command(&["HSET", &format!("*{key}"), field, "x"]).await,
            }
            let before = stage.snapshot().await;
            let outcome = act(&stage, verb, &job).await;
            let case = format!("{verb:?} with {key} {field} damaged");
            assert_clean(&case, outcome, &before, &stage.snapshot().await);
        }
    }
}

#[tokio::test]
async fn an_id_without_a_hash_is_set_aside_and_counted_once_and_the_others_go_on() {
    let stage = Stage::new().await;
    for (set, score) in [("delayed", "5"), ("retrying", "5"), ("ready", "5"), ("active", "5")] {
        stage.command(&["ZADD", &format!("*q:mail:{set}"), score, &format!("ghost-{set}")]).await;
    }
    stage.enqueue(0, "sound", plain(10)).await;

    let tick = stage.at(100).forward(10, 0).await.unwrap();
    assert_eq!((tick.moved, tick.next_due), (1, None));
    assert_eq!(stage.claim(101, 10).await.len(), 1);
    assert_eq!(stage.at(102).recover(10, LEASE, 3).await.unwrap(), 0);

    let survey = stage.redis.store().survey(None).await.unwrap();
    assert_eq!((survey.quarantined, survey.queues[0].counts.active), (4, 1));
    let keys = stage.snapshot().await;
    assert!(keys["meta"].contains(&"quarantined = 4".to_owned()));
    let before = stage.snapshot().await;
    stage.at(103).recover(10, LEASE, 3).await.unwrap();
    assert!(stage.claim(103, 10).await.is_empty());
    assert_eq!(difference(&before, &stage.snapshot().await), Vec::<String>::new());
}

#[tokio::test]
async fn a_job_that_goes_the_general_way_beside_a_ghost_leaves_the_set_it_was_in() {
    let stage = Stage::new().await;
    stage.command(&["ZADD", "*q:mail:delayed", "5", "ghost"]).await;
    // With a unique key it is no plain job.
    stage.enqueue(0, "sound", full()).await;

    assert_eq!(stage.at(DUE).forward(10, 0).await.unwrap().moved, 1);

    let keys = stage.snapshot().await;
    assert_eq!((keys.contains_key("q:mail:delayed"), keys["q:mail:ready"].len()), (false, 1));
}

#[tokio::test]
async fn ghosts_at_the_head_of_a_queue_do_not_hide_the_jobs_behind_them() {
    let stage = Stage::new().await;
    for n in 0..30 {
        stage.command(&["ZADD", "*q:mail:ready", "1", &format!("ghost{n}")]).await;
    }
    stage.enqueue(0, "sound", plain(-1)).await;
    let mut claimed = Vec::new();
    for round in 0..5 {
        claimed.extend(stage.claim(round, 10).await);
    }
    assert_eq!(claimed.len(), 1);
}

#[tokio::test]
async fn a_job_in_the_wrong_set_goes_back_to_where_its_hash_says() {
    let stage = Stage::new().await;
    stage.enqueue(0, "a", plain(DUE)).await;
    let sound = stage.snapshot().await;
    for set in ["q:mail:ready", "q:mail:active", "q:mail:retrying"] {
        stage.command(&["ZADD", &format!("*{set}"), "1", "a"]).await;
    }
    stage.command(&["ZADD", "*due", "1", "mail"]).await;

    assert!(stage.claim(1, 9).await.is_empty(), "a delayed job is not run early");
    stage.at(2).recover(9, LEASE, 3).await.unwrap();
    assert_eq!(stage.at(3).forward(9, 0).await.unwrap().moved, 0);

    let left: Vec<_> = difference(&sound, &stage.snapshot().await)
        .into_iter()
        .filter(|line| !["forwarded_ms", "next_look_ms", "wake"].iter().any(|word| line.contains(word)))
        .collect();
    assert_eq!(left, Vec::<String>::new());
}

#[tokio::test]
async fn one_damaged_job_does_not_hold_up_the_others() {
    for damaged in ["history:bad", "attempts:bad", "subject:bad"] {
        let stage = Stage::new().await;
        for name in ["bad", "good"] {
            let mut job = plain(10);
            job.subject = Some(Subject::new(name).unwrap());
            stage.enqueue(0, name, job).await;
        }
        let key = format!("*{damaged}");
        stage.command(&["DEL", &key]).await;
        stage.command(&["SET", &key, "damage"]).await;

        stage.at(10).forward(9, 0).await.unwrap();
        let claimed = stage.claim(11, 9).await;
        let ids: Vec<_> = claimed.iter().map(|job| job.id.as_str()).collect();
        assert_eq!(ids, ["bad", "good"], "{damaged}");

        let jobs: Vec<_> = claimed.iter().map(|job| (job.id.clone(), job.token)).collect();
        let words = stage.at(12).complete(&jobs).await.unwrap();
        assert!(words.iter().all(|word| *word == ReleaseWord::Done), "{damaged}: {words:?}");
    }
}

#[tokio::test]
async fn one_damaged_job_is_given_back_and_fails_like_the_others() {
    for damaged in ["*history:bad", "*attempts:bad"] {
        let stage = Stage::new().await;
        for name in ["bad", "good"] {
            stage.enqueue(0, name, plain(-1)).await;
        }
        stage.command(&["SET", damaged, "damage"]).await;

        let jobs: Vec<_> = stage.claim(1, 9).await.into_iter().map(|job| (job.id, job.token)).collect();
        let words = stage.at(2).release("its worker stopped", &jobs).await.unwrap();
        assert_eq!(words, [ReleaseWord::Ready, ReleaseWord::Ready], "{damaged}");

        for job in stage.claim(3, 9).await {
            let word = stage.at(4).fail(&job.id, job.token, "no", Some(LEASE)).await.unwrap();
            assert_eq!(word, FailWord::Retrying, "{damaged}");
        }
    }
}

#[tokio::test]
async fn a_claimed_job_that_does_not_read_does_not_take_the_others_along() {
    let stage = Stage::new().await;
    for name in ["a", "b", "c"] {
        stage.enqueue(0, name, plain(-1)).await;
    }
    stage.redis.damage("b", "kind", "not*a*kind").await;
    let ids: Vec<_> = stage.claim(1, 9).await.iter().map(|job| job.id.as_str().to_owned()).collect();
    assert_eq!(ids, ["a", "c"]);
}

#[tokio::test]
async fn a_damaged_subject_does_not_spoil_the_reports_of_its_jobs() {
    let stage = Stage::new().await;
    for name in ["a", "b", "c"] {
        let mut job = plain(-1);
        job.subject = Some(Subject::new(name).unwrap());
        stage.enqueue(0, name, job).await;
    }
    let jobs: Vec<_> = stage.claim(0, 9).await.into_iter().map(|job| (job.id, job.token)).collect();
    stage.command(&["DEL", "*subject:b"]).await;
    stage.command(&["SET", "*subject:b", "damage"]).await;
    let words = stage.at(1).complete(&jobs).await.unwrap();
    assert_eq!(words, [ReleaseWord::Done; 3]);
    assert!(stage.snapshot().await["meta"].contains(&"damaged = 1".to_owned()), "the damage is counted");
}

#[tokio::test]
async fn a_call_that_ends_jobs_of_several_queues_writes_nothing_where_one_is_damaged() {
    let stage = Stage::new().await;
    let of = |queue: &str| {
        let mut job = plain(0);
        (job.queue, job.subject) = (QueueName::new(queue).unwrap(), Some(subject()));
        job
    };
    stage.enqueue(0, "a", of("mail")).await;
    stage.enqueue(0, "b", of("sms")).await;
    let queues = [(QueueName::new("mail").unwrap(), 1), (QueueName::new("sms").unwrap(), 1)];
    let claimed = stage.at(1).claim(WORKER, LEASE, 2, &queues).await.unwrap();
    let reports: Vec<_> = claimed.iter().map(|job| (job.id.clone(), job.token)).collect();
    assert_eq!(reports.len(), 2);
    stage.command(&["SET", "*q:sms:done", "damage"]).await;
    let before = stage.snapshot().await;

    for reports in [reports.clone(), reports.into_iter().rev().collect()] {
        let told = stage.at(2).complete(&reports).await;
        assert!(matches!(told, Err(Error::Codec { .. })), "{told:?}");
        assert_eq!(difference(&before, &stage.snapshot().await), Vec::<String>::new());
    }
}

#[tokio::test]
async fn a_damaged_job_is_an_error_to_its_reader_and_a_gap_in_its_list() {
    let stage = Stage::new().await;
    stage.enqueue(0, "a", plain(-1)).await;
    stage.enqueue(0, "b", plain(-1)).await;
    stage.redis.damage("a", "state", "nonsense").await;
    let inspector = stage.redis.engine().inspector();
    assert_eq!(inspector.job(&id("a")).await.unwrap_err().code(), "corrupt_data");
    let group = StateGroup::Ready;
    let page = inspector.list(&ListQuery::group(group)).await.unwrap();
    assert_eq!((page.rows.len(), page.total), (1, 2));

    for damage in [&["SET", "*job:a", "damage"][..], &["HSET", "*job:a", "state", "ready"]] {
        stage.command(&["DEL", "*job:a"]).await;
        stage.command(damage).await;
        assert_eq!(inspector.counts(Some(&mail())).await.unwrap().ready, 2, "the overview survives");
        assert_eq!(inspector.list(&ListQuery::group(group)).await.unwrap().rows.len(), 1);
        assert_eq!(inspector.job(&id("a")).await.unwrap_err().code(), "corrupt_data");
    }
}

#[tokio::test]
async fn what_is_no_record_of_ours_is_never_overwritten() {
    for damage in
        [&["SET", "*job:a", "foreign"][..], &["HSET", "*job:a", "state", "ready"], &["RPUSH", "*job:a", "x"]]
    {
        let stage = Stage::new().await;
        stage.command(damage).await;
        stage.command(&["ZADD", "*q:mail:ready", "1", "a"]).await;
        let before = stage.snapshot().await["job:a"].clone();
        let jobs = [(id("sound"), plain(-1)), (id("a"), plain(-1))];
        let error = stage.at(0).enqueue("client", &jobs).await.unwrap_err();
        assert!(matches!(&error, Error::Codec { what } if what.contains("job:a")), "{damage:?}: {error:?}");
        assert_eq!(stage.state_of("sound").await, None, "{damage:?}: nothing is taken in half-way");
        stage.enqueue(0, "sound", plain(-1)).await;
        assert_eq!(stage.claim(1, 9).await.len(), 1, "{damage:?}");
        assert_eq!(stage.snapshot().await["job:a"], before, "{damage:?}");
    }
}

#[tokio::test]
async fn pause_and_resume_write_nothing_when_they_fail() {
    for key in ["meta", "audit", "q:mail:wake", "q:mail:ready", "q:mail:paused"] {
        for resume in [false, true] {
            let stage = Stage::new().await;
            stage.enqueue(0, "a", plain(-1)).await;
            if resume {
                stage.at(1).pause(&mail(), &ann()).await.unwrap();
            }
            let damaged = format!("*{key}");
            stage.command(&["DEL", &damaged]).await;
            stage.command(&["SET", &damaged, "damage"]).await;
            let before = stage.snapshot().await;
            let outcome = if resume {
                stage.at(2).resume(&mail(), &ann()).await
            } else {
                stage.at(2).pause(&mail(), &ann()).await
            };
            let outcome = outcome.map(|changed| changed.to_string());
            assert_clean(
                &format!("{key} damaged, resume {resume}"),
                outcome,
                &before,
                &stage.snapshot().await,
            );
        }
    }
}

#[tokio::test]
async fn an_error_names_the_damaged_key_whatever_words_are_in_it() {
    let stage = Stage::new().await;
    let mut job = plain(DUE);
    job.subject = Some(Subject::new("ROOM:READONLY:BUSY").unwrap());
    stage.command(&["SET", "*subject:ROOM:READONLY:BUSY", "damage"]).await;
    let error = stage.at(0).enqueue("client", &[(id("a"), job)]).await.unwrap_err();
    assert!(matches!(&error, Error::Codec { what } if what.contains("subject:ROOM")), "{error:?}");
    assert_eq!(stage.redis.engine().outage(), None);
}

#[tokio::test]
async fn events_and_waits_survive_a_damaged_clock() {
    let stage = Stage::new().await;
    stage.command(&["HSET", "*meta", "clock_ms", "nan"]).await;
    // Redis's own time, not the given one: it is what reads the clock.
    let store = stage.redis.store();
    let mut job = plain(0);
    job.due = reprieve::Due::In(Delay::seconds(5));
    let answer = store.enqueue("client", &[(id("a"), job)]).await.unwrap().remove(0);
    let due = answer.standing().unwrap().due;
    assert!(due > super::seed::t(DUE), "{due}");
}

/// A job in each of these queues, due then.
async fn in_queues(stage: &Stage, names: &[&str], due: i64) {
    for name in names {
        let mut job = plain(due);
        job.queue = QueueName::new(*name).unwrap();
        stage.enqueue(0, &format!("in-{name}"), job).await;
    }
}

#[tokio::test]
async fn a_damaged_queue_does_not_hold_up_what_is_due_in_others() {
    for set in ["delayed", "retrying", "ready"] {
        let stage = Stage::new().await;
        in_queues(&stage, &["bad", "good"], DUE).await;
        let key = format!("*q:bad:{set}");
        stage.command(&["DEL", &key]).await;
        stage.command(&["SET", &key, "damage"]).await;

        for turn in 0..3 {
            let tick = stage.at(DUE + i64::from(turn)).forward(10, turn).await.unwrap();
            assert_eq!((tick.moved, tick.next_due), (u64::from(turn == 0), None), "{set}");
            let damage = tick.damage.unwrap();
            assert!(damage.contains(&format!("q:bad:{set} holds a string")), "{damage}");
        }
        let wanted = ["bad", "good"].map(|name| (QueueName::new(name).unwrap(), 5));
        let claimed = stage.at(DUE + 9).claim("w", LEASE, 10, &wanted).await.unwrap();
        let ids: Vec<_> = claimed.iter().map(|job| job.id.as_str()).collect();
        assert_eq!(ids, ["in-good"], "{set}");

        let survey = stage.redis.store().survey(None).await.unwrap();
        assert_eq!(survey.damaged_keys, 1, "{set}");
        assert!(survey.damaged_sample.unwrap().ends_with(&key[1..]), "{set}");
    }
}

#[tokio::test]
async fn a_damaged_queue_does_not_hold_up_the_rescue_of_others() {
    let stage = Stage::new().await;
    in_queues(&stage, &["bad", "good"], -1).await;
    let wanted = ["bad", "good"].map(|name| (QueueName::new(name).unwrap(), 5));
    assert_eq!(stage.at(0).claim("w", LEASE, 10, &wanted).await.unwrap().len(), 2);
    stage.command(&["SET", "*q:bad:done", "damage"]).await;

    let late = LEASE.as_millis() + 1;
    assert_eq!(stage.at(late).recover(10, LEASE, 3).await.unwrap(), 1);
    assert_eq!(stage.at(late).recover(10, LEASE, 3).await.unwrap(), 0);

    stage.command(&["DEL", "*q:bad:done"]).await;
    assert_eq!(stage.at(late).recover(10, LEASE, 3).await.unwrap(), 1);
    stage.assert_sound().await;
}

#[tokio::test]
async fn a_damaged_queue_costs_a_worker_no_lease_of_others() {
    let stage = Stage::new().await;
    in_queues(&stage, &["bad", "good"], -1).await;
    let wanted = ["bad", "good"].map(|name| (QueueName::new(name).unwrap(), 5));
    let claimed = stage.at(0).claim("w", LEASE, 10, &wanted).await.unwrap();
    let leases: Vec<_> = claimed.into_iter().map(|job| (job.id, job.token)).collect();
    stage.command(&["DEL", "*q:bad:active"]).await;
    stage.command(&["SET", "*q:bad:active", "damage"]).await;

    let words = stage.at(4_000).extend(LEASE, &leases).await.unwrap();

    assert_eq!(words, [LeaseWord::Held, LeaseWord::Held]);
    let late = LEASE.as_millis() + 1;
    assert_eq!(stage.at(late).recover(10, LEASE, 3).await.unwrap(), 0, "both go on");

    stage.command(&["DEL", "*q:bad:active"]).await;
    stage.at(late).extend(LEASE, &leases).await.unwrap();
    stage.assert_sound().await;
}

#[tokio::test]
async fn a_job_whose_constraints_may_send_it_into_a_damaged_set_stays_and_others_go_on() {
    let stage = Stage::new().await;
    in_queues(&stage, &["bad", "good"], DUE).await;
    let mut job = plain(DUE);
    job.queue = QueueName::new("bad").unwrap();
    job.lateness = Some(Lateness { most: Delay::hours(1), policy: LatePolicy::Dead });
    stage.enqueue(0, "with-constraints", job).await;
    stage.command(&["SET", "*q:bad:dead", "damage"]).await;

    let tick = stage.at(DUE).forward(10, 0).await.unwrap();
    assert_eq!((tick.moved, tick.next_due), (2, None));
    assert!(tick.damage.unwrap().contains("q:bad:dead"));

    stage.command(&["DEL", "*q:bad:dead"]).await;
    assert_eq!(stage.at(DUE + 1).forward(10, 0).await.unwrap().moved, 1);
    stage.assert_sound().await;
}

#[tokio::test]
async fn a_ready_job_whose_constraints_may_send_it_into_a_damaged_set_stays_and_others_start() {
    let stage = Stage::new().await;
    let mut job = plain(-1);
    job.queue = QueueName::new("bad").unwrap();
    job.lateness = Some(Lateness { most: Delay::hours(1), policy: LatePolicy::Dead });
    stage.enqueue(0, "with-constraints", job).await;
    in_queues(&stage, &["bad", "good"], -1).await;
    stage.command(&["SET", "*q:bad:dead", "damage"]).await;
    let wanted = ["bad", "good"].map(|name| (QueueName::new(name).unwrap(), 5));
    let claim = async |ms| {
        let claimed = stage.at(ms).claim("w", LEASE, 10, &wanted).await.unwrap();
        claimed.into_iter().map(|job| job.id.as_str().to_owned()).collect::<Vec<_>>()
    };

    for queue in ["bad", "good"] {
        stage.command(&["DEL", &format!("*q:{queue}:wake")]).await;
    }
    assert_eq!(claim(1).await, ["in-bad", "in-good"]);
    assert_eq!(claim(2).await, Vec::<String>::new());
    assert!(!stage.snapshot().await.contains_key("q:bad:wake"), "nobody is called for what stays");

    stage.command(&["DEL", "*q:bad:dead"]).await;
    assert_eq!(claim(3).await, ["with-constraints"]);
    stage.assert_sound().await;
}

#[tokio::test]
async fn a_damaged_queue_does_not_hold_up_the_purge_of_others() {
    let stage = Stage::new().await;
    in_queues(&stage, &["bad", "good"], -1).await;
    let wanted = ["bad", "good"].map(|name| (QueueName::new(name).unwrap(), 5));
    let claimed = stage.at(0).claim("w", LEASE, 10, &wanted).await.unwrap();
    let leases: Vec<_> = claimed.into_iter().map(|job| (job.id, job.token)).collect();
    stage.at(1).complete(&leases).await.unwrap();
    // These have entries of their own among what is kept.
    for name in ["bad", "good"] {
        let mut job = plain(DUE);
        job.queue = QueueName::new(name).unwrap();
        stage.enqueue(2, &format!("off-{name}"), job).await;
        stage.at(3).cancel(&id(&format!("off-{name}")), &ann()).await.unwrap();
    }
    stage.command(&["SET", "*q:bad:held", "damage"]).await;

    // One at a time: what is passed over does not come first again.
    let late = Delay::days(200).as_millis();
    let mut purged = 0;
    for _ in 0..6 {
        purged += stage.at(late).purge(1).await.unwrap();
    }
    assert_eq!(purged, 2);
    let left = stage.snapshot().await;
    assert!(left.contains_key("job:in-bad") && left.contains_key("job:off-bad"));

    stage.command(&["DEL", "*q:bad:held"]).await;
    assert_eq!(stage.at(late + 600_000).purge(9).await.unwrap(), 2);
    stage.assert_sound().await;
}

#[tokio::test]
async fn what_reads_over_all_queues_shows_the_others_of_a_damaged_one() {
    let stage = Stage::new().await;
    in_queues(&stage, &["bad", "good"], DUE).await;
    stage.command(&["DEL", "*q:bad:delayed"]).await;
    stage.command(&["SET", "*q:bad:delayed", "damage"]).await;

    let inspector = stage.redis.engine().inspector();
    let page = inspector.list(&ListQuery::group(StateGroup::Delay)).await.unwrap();
    assert_eq!((page.rows.len(), page.total), (1, 1));
    let ahead = stage.at(0).due_ahead(None, Delay::millis(2 * DUE), 1).await.unwrap();
    assert_eq!(ahead, [1]);
    let attention = inspector.overview().await.unwrap().attention;
    let is_told = |one: &Attention| matches!(one, Attention::DamagedKeys { keys: 1, key } if key.ends_with(":q:bad:delayed"));
    assert!(attention.iter().any(is_told), "{attention:?}");
}

#[tokio::test]
async fn of_what_is_set_aside_the_latest_thousand_stay_and_all_are_counted() {
    let stage = Stage::new().await;
    let ghosts: Vec<String> = (0..1_001).map(|n| format!("ghost-{n:04}")).collect();
    let places = ghosts.iter().flat_map(|ghost| ["5", ghost.as_str()]);
    stage.enqueue(0, "sound", plain(DUE)).await;
    stage.command(&["ZADD", "*q:mail:delayed"].into_iter().chain(places).collect::<Vec<_>>()).await;
    stage.command(&["ZADD", "*due", "5", "mail"]).await;

    for ms in 100..103 {
        stage.at(ms).forward(500, 0).await.unwrap();
    }

    let keys = stage.snapshot().await;
    let aside = &keys["quarantine"];
    assert!(keys["meta"].contains(&"quarantined = 1001".to_owned()));
    assert_eq!((aside.len(), aside[0].ends_with(" ghost-0001")), (1_000, true), "{}", aside[0]);
}
