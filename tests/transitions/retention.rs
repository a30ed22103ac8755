//! How long ended jobs stay, and what is left of them afterwards.

use super::expect::difference;
use super::seed::{DUE, LEASE, Stage, WORKER, ann, full, id, mail, plain, subject, t};
use reprieve::model::retention::KEPT_MOST_MAX;
use reprieve::model::{
    AuditFilter, Delay, Erased, JobState, ListQuery, QueueName, RetentionRule, StateGroup,
};
use reprieve::store::Intent;
use reprieve::{EngineConfig, Error, Retention};

async fn kept_until(stage: &Stage) -> i64 {
    let job = stage.redis.store().job(&id("a1")).await.unwrap().unwrap().0;
    job.kept_until.unwrap().millis_since(t(0))
}

#[tokio::test]
async fn each_way_to_end_has_its_own_retention() {
    let day = Delay::days(1).as_millis();
    let ended = DUE + 2_000;
    for (state, expected) in [
        (JobState::Done, ended + 7 * day),
        (JobState::Dead, ended + 90 * day),
        (JobState::Cancelled, 1_000 + 30 * day),
    ] {
        let stage = Stage::new().await;
        stage.given(state).await;
        assert_eq!(kept_until(&stage).await, expected, "{state}");
        assert_eq!(stage.at(expected - 1).purge(9).await.unwrap(), 0, "{state}");
        assert_eq!(stage.at(expected).purge(9).await.unwrap(), 1, "{state}");
    }
}

#[tokio::test]
async fn a_start_sets_what_its_configuration_names_and_tells_the_audit_of_what_it_changes() {
    let stage = Stage::new().await;
    let engine = stage.redis.engine();
    let config = EngineConfig::new(stage.redis.url()).namespace(stage.redis.name().clone());
    let times = async || {
        let rule = engine.inspector().retention().await.unwrap().namespace;
        [rule.done, rule.dead, rule.cancelled].map(Option::unwrap)
    };
    let entries = async || engine.inspector().audit(&AuditFilter::default(), None, 50).await.unwrap().items;
    let (week, month, quarter, decade) =
        (Delay::days(7), Delay::days(30), Delay::days(90), Delay::days(3_650));
    assert_eq!(times().await, [week, quarter, month], "what counts where nobody has set any");
    let mut rule = RetentionRule::default();
    (rule.done, rule.dead) = (Some(Delay::days(1)), Some(decade));
    engine.operator("ann").set_retention(None, rule, "legal: ten years").await.unwrap();

    // Nothing is named.
    engine.beside(config.clone()).await.unwrap();
    assert_eq!(times().await, [Delay::days(1), decade, month]);
    assert_eq!(entries().await.len(), 1);

    // Two times are, and both are new; then neither is.
    let mut named = Retention::default();
    (named.done, named.undo_window) = (Some(Delay::days(2)), Some(Delay::hours(48)));
    let config = config.retention(named);
    for _ in 0..2 {
        engine.beside(config.clone()).await.unwrap();
        assert_eq!(times().await, [Delay::days(2), decade, month]);
        let entries = entries().await;
        assert_eq!(entries.len(), 2, "{entries:?}");
        assert_eq!((entries[0].by.as_str(), entries[0].verb.as_str()), ("configuration", "set_retention"));
        assert_eq!(entries[0].outcome, "done 172800000, undo_window 172800000");
        assert_eq!(entries[0].from, "done 86400000", "what nobody had set is not there");
        assert_eq!(entries[0].to, "done 172800000, undo_window 172800000");
    }
    stage.enqueue(0, "a1", plain(Delay::days(300).as_millis())).await;
    stage.at(1_000).cancel(&id("a1"), &ann()).await.unwrap();
    assert_eq!(kept_until(&stage).await, Delay::days(302).as_millis());

    // What another process has changed since is one change.
    engine.operator("ann").set_retention(None, rule, "again").await.unwrap();
    engine.beside(config).await.unwrap();
    assert_eq!(entries().await[0].outcome, "done 172800000");
}

#[tokio::test]
async fn a_cancelled_job_stays_until_it_could_have_run_and_a_day_longer() {
    let stage = Stage::new().await;
    let due = Delay::days(300).as_millis();
    stage.enqueue(0, "a1", plain(due)).await;
    stage.at(1_000).cancel(&id("a1"), &ann()).await.unwrap();
    assert_eq!(kept_until(&stage).await, due + Delay::days(1).as_millis());
}

#[tokio::test]
async fn a_jobs_own_retention_counts_but_a_cancelled_one_can_still_be_put_back() {
    let stage = Stage::new().await;
    let mut job = plain(-1);
    job.retention = Some(Delay::millis(50));
    stage.enqueue(0, "a1", job).await;
    let token = stage.claim(0, 1).await[0].token;
    stage.at(10).complete(&[(id("a1"), token)]).await.unwrap();
    assert_eq!(kept_until(&stage).await, 60);

    let stage = Stage::new().await;
    let mut job = plain(DUE);
    job.retention = Some(Delay::millis(50));
    stage.enqueue(0, "a1", job).await;
    stage.at(10).cancel(&id("a1"), &ann()).await.unwrap();
    assert_eq!(kept_until(&stage).await, DUE + Delay::days(1).as_millis());
}

#[tokio::test]
async fn purge_leaves_nothing_of_a_job_but_its_events() {
    let stage = Stage::new().await;
    let empty = stage.snapshot().await;
    for state in [JobState::Done, JobState::Dead, JobState::Cancelled] {
        stage.given(state).await;
        stage.at(Delay::days(400).as_millis()).purge(9).await.unwrap();
        let left: Vec<_> = difference(&empty, &stage.snapshot().await)
            .into_iter()
            .filter(|line| {
                ![
                    "+ events",
                    "+ audit",
                    "+ receipt",
                    "+ stats:",
                    "+ sequence",
                    "+ queues",
                    "+ meta",
                    "+ q:mail:wake",
                    "+ due",
                ]
                .iter()
                .any(|key| line.starts_with(key))
            })
            .collect();
        assert_eq!(left, Vec::<String>::new(), "after a {state} job");
    }
    stage.assert_sound().await;
}

#[tokio::test]
async fn purge_stops_at_its_limit() {
    let stage = Stage::new().await;
    for n in 0..5 {
        stage.enqueue(0, &format!("j{n}"), plain(DUE)).await;
        stage.at(1).cancel(&id(&format!("j{n}")), &ann()).await.unwrap();
    }
    let late = stage.at(Delay::days(400).as_millis());
    assert_eq!(
        [late.purge(3).await.unwrap(), late.purge(3).await.unwrap(), late.purge(3).await.unwrap()],
        [3, 2, 0]
    );
}

#[tokio::test]
async fn a_job_that_came_back_to_life_is_not_purged() {
    let stage = Stage::new().await;
    stage.given(JobState::Dead).await;
    stage.at(2 * DUE).retry_now(&id("a1"), &ann()).await.unwrap();
    assert_eq!(stage.at(Delay::days(400).as_millis()).purge(9).await.unwrap(), 0);
    assert_eq!(stage.enqueue(2 * DUE, "again", full()).await.word(), "duplicate", "it holds its key again");
    stage.assert_sound().await;
}

#[tokio::test]
async fn a_queues_own_rule_comes_before_the_namespaces() {
    let stage = Stage::new().await;
    let engine = stage.redis.engine().at(t(0));
    let mut rule = RetentionRule::default();
    (rule.dead, rule.cancelled) = (Some(Delay::hours(1)), Some(Delay::days(400)));
    engine.operator("ann").set_retention(Some(&mail()), rule, "they are many").await.unwrap();

    let rules = engine.inspector().retention().await.unwrap();
    assert_eq!(rules.queues[&mail()], rule);
    assert_eq!(rules.namespace.done, Some(Delay::days(7)), "what the engine was connected with");
    stage.given(JobState::Dead).await;
    assert_eq!(kept_until(&stage).await, DUE + 2_000 + Delay::hours(1).as_millis());
    let mut other = plain(DUE);
    other.queue = QueueName::new("sms").unwrap();
    stage.enqueue(0, "b1", other).await;
    stage.at(1_000).cancel(&id("b1"), &ann()).await.unwrap();
    let job = stage.redis.store().job(&id("b1")).await.unwrap().unwrap().0;
    assert_eq!(job.kept_until, Some(t(1_000 + Delay::days(30).as_millis())));

    engine.operator("ann").set_retention(Some(&mail()), RetentionRule::default(), "").await.unwrap();
    assert!(engine.inspector().retention().await.unwrap().queues.is_empty());
    let audit = stage.snapshot().await["audit"].join("\n");
    assert!(audit.contains("set_retention") && audit.contains("they are many"), "{audit}");
    let entries = engine.inspector().audit(&AuditFilter::default(), None, 50).await.unwrap().items;
    let there = "dead 3600000, cancelled 34560000000";
    let set = entries.iter().filter(|entry| entry.verb == "set_retention");
    let told = set.map(|entry| (entry.from.as_str(), entry.to.as_str())).collect::<Vec<_>>();
    assert_eq!(told, [(there, ""), ("", there)], "the latest first");
}

#[tokio::test]
async fn a_done_job_of_a_queue_with_its_own_rule_goes_when_that_says() {
    let stage = Stage::new().await;
    let engine = stage.redis.engine().at(t(0));
    let mut rule = RetentionRule::default();
    rule.done = Some(Delay::minutes(1));
    engine.operator("ann").set_retention(Some(&mail()), rule, "").await.unwrap();
    stage.given(JobState::Done).await;
    let ended = DUE + 2_000;
    assert_eq!(stage.at(ended + 59_999).purge(9).await.unwrap(), 0);
    assert_eq!(stage.at(ended + 60_000).purge(9).await.unwrap(), 1);
}

/// Jobs of a queue that died or were done in that order.
async fn ended_in_turn(stage: &Stage, state: JobState, names: &[&str]) {
    for (at, name) in (1..).zip(names) {
        stage.enqueue(at, name, plain(-1)).await;
        let token = stage.claim(at, 1).await[0].token;
        match state {
            JobState::Done => stage.at(at).complete(&[(id(name), token)]).await.map(drop).unwrap(),
            _ => stage.at(at).fail(&id(name), token, "no such customer", None).await.map(drop).unwrap(),
        }
    }
}

async fn left(stage: &Stage, state: JobState) -> Vec<String> {
    let query = ListQuery::group(StateGroup::of(state));
    let page = stage.redis.engine().inspector().list(&query).await.unwrap();
    let mut ids: Vec<String> = page.rows.iter().map(|row| row.id.to_string()).collect();
    ids.sort();
    ids
}

#[tokio::test]
async fn of_what_a_queue_has_too_many_the_oldest_go_and_the_latest_stay() {
    for state in [JobState::Done, JobState::Dead] {
        let stage = Stage::new().await;
        ended_in_turn(&stage, state, &["a", "b", "c", "d", "e"]).await;
        let engine = stage.redis.engine().at(t(0));
        let mut rule = RetentionRule::default();
        (rule.done_most, rule.dead_most) = (Some(2), Some(2));
        engine.operator("ann").set_retention(None, rule, "").await.unwrap();
        assert_eq!(engine.inspector().retention().await.unwrap().namespace.dead_most, Some(2));
        let store = stage.at(100);

        let surplus = store.surplus().await.unwrap();
        assert_eq!(surplus.len(), 1, "{state}: {surplus:?}");
        assert_eq!(store.purge_surplus(&surplus[0], 2).await.unwrap(), 2, "no more than asked for");
        assert_eq!(left(&stage, state).await, ["c", "d", "e"], "{state}");
        assert_eq!(store.purge_surplus(&surplus[0], 9).await.unwrap(), 1);
        assert_eq!(left(&stage, state).await, ["d", "e"], "{state}");
        let kept = stage.snapshot().await["expiring"].len();
        assert_eq!(kept, 2, "{state}: what stood for those that are gone would fall due for nothing");
        assert_eq!(store.purge_surplus(&surplus[0], 9).await.unwrap(), 0);
        assert!(store.surplus().await.unwrap().is_empty());
        stage.assert_sound().await;

        // The queue's own number comes first, and time goes on to count.
        rule.done_most = Some(9);
        rule.dead_most = Some(9);
        engine.operator("ann").set_retention(Some(&mail()), rule, "").await.unwrap();
        ended_in_turn(&stage, state, &["f"]).await;
        assert!(store.surplus().await.unwrap().is_empty());
        assert_eq!(stage.at(Delay::days(400).as_millis()).purge(9).await.unwrap(), 3);
        stage.assert_sound().await;
    }
}

#[tokio::test]
async fn what_stands_for_several_jobs_goes_with_the_last_of_them() {
    let stage = Stage::new().await;
    for name in ["a", "b"] {
        stage.enqueue(1, name, plain(-1)).await;
    }
    let both: Vec<_> = stage.claim(1, 2).await.into_iter().map(|job| (job.id, job.token)).collect();
    stage.at(1).complete(&both).await.unwrap();
    let kept = async || stage.snapshot().await.get("expiring").map_or(0, Vec::len);
    assert_eq!(kept().await, 1, "both were done in one millisecond");
    stage.at(2).purge_job(&id("a"), &ann()).await.unwrap();
    assert_eq!(kept().await, 1);
    stage.at(2).purge_job(&id("b"), &ann()).await.unwrap();
    assert_eq!(kept().await, 0);
    stage.assert_sound().await;
}

#[tokio::test]
async fn how_many_are_kept_is_refused_where_it_is_no_number_of_jobs() {
    let stage = Stage::new().await;
    let operator = stage.redis.engine().at(t(0)).operator("ann");
    for (done_most, dead_most) in [(Some(0), None), (None, Some(0)), (Some(KEPT_MOST_MAX + 1), None)] {
        let mut rule = RetentionRule::default();
        (rule.done_most, rule.dead_most) = (done_most, dead_most);
        let refused = operator.set_retention(None, rule, "").await;
        assert!(matches!(refused, Err(Error::Invalid { .. })), "{refused:?}");
    }
    assert!(!stage.redis.engine().inspector().retention().await.unwrap().namespace.has_most());
}

#[tokio::test]
async fn a_receipt_tells_what_became_of_a_job_that_is_gone() {
    for by_hand in [false, true] {
        let stage = Stage::new().await;
        stage.given(JobState::Cancelled).await;
        let inspector = stage.redis.engine().inspector();
        assert_eq!(inspector.receipts(&subject()).await.unwrap(), []);
        let purged = Delay::days(if by_hand { 1 } else { 100 }).as_millis();
        if by_hand {
            stage.at(purged).purge_job(&id("a1"), &Intent::of("bob")).await.unwrap();
        } else {
            stage.at(purged).purge(9).await.unwrap();
        }

        let receipts = inspector.receipts(&subject()).await.unwrap();
        assert_eq!(receipts.len(), 1, "by hand: {by_hand}");
        let receipt = &receipts[0];
        assert_eq!(
            (receipt.id.as_str(), receipt.kind.as_str(), receipt.queue.as_str()),
            ("a1", "notice", "mail")
        );
        assert_eq!((receipt.state, receipt.at, receipt.purged), (JobState::Cancelled, t(1_000), t(purged)));
        assert_eq!(inspector.receipt(&id("a1")).await.unwrap().as_ref(), Some(&(subject(), receipt.clone())));
        assert_eq!(inspector.receipt(&id("a2")).await.unwrap(), None);
        // Who ended it; who deleted it stands in the audit.
        assert_eq!((receipt.by.as_str(), receipt.why.as_str()), ("ann", "the customer called"));
    }
}

#[tokio::test]
async fn receipts_are_bounded_and_end_after_their_time() {
    let stage = Stage::new().await;
    let day = Delay::days(1).as_millis();
    for round in 0..23 {
        for n in 0..10 {
            let mut job = plain(DUE);
            job.subject = Some(subject());
            let name = format!("r{round}-{n}");
            stage.enqueue(round * day, &name, job).await;
            stage.at(round * day + n).cancel(&id(&name), &ann()).await.unwrap();
        }
        stage.at(round * day + 40 * day).purge(50).await.unwrap();
    }
    let receipts = stage.redis.engine().inspector().receipts(&subject()).await.unwrap();
    assert_eq!((receipts.len(), receipts[0].id.as_str()), (200, "r22-9"));
    let inspector = stage.redis.engine().inspector();
    assert!(inspector.receipt(&id("r22-9")).await.unwrap().is_some());
    assert_eq!(stage.redis.snapshot().await["receipt_subjects"].len(), 200, "ids go with their receipts");

    // Much later one more: those before it are over, and go.
    stage.enqueue(0, "last", full()).await;
    stage.at(500 * day).cancel(&id("last"), &ann()).await.unwrap();
    for n in 0..22 {
        let mut job = full();
        job.unique = None;
        stage.enqueue(0, &format!("later{n}"), job).await;
        stage.at(500 * day).cancel(&id(&format!("later{n}")), &ann()).await.unwrap();
    }
    stage.at(600 * day).purge(50).await.unwrap();
    let left = stage.redis.engine().inspector().receipts(&subject()).await.unwrap();
    assert!(left.iter().all(|receipt| receipt.at >= t(500 * day)), "{left:#?}");
    assert_eq!(left.len(), 23);
}

#[tokio::test]
async fn erasing_leaves_a_skeleton_and_nothing_that_names_the_subject() {
    let stage = Stage::new().await;
    // A receipt, an ended job with an error, and a job of somebody else.
    stage.given(JobState::Cancelled).await;
    stage.at(Delay::days(100).as_millis()).purge(9).await.unwrap();
    let mut job = full();
    job.payload = b"{\"name\":\"Jane Roe\"}".to_vec();
    stage.enqueue(0, "a2", job).await;
    stage.at(DUE).forward(10, 0).await.unwrap();
    let token = stage.at(DUE).claim(WORKER, LEASE, 1, &[(mail(), 1)]).await.unwrap()[0].token;
    stage.at(DUE + 1).fail(&id("a2"), token, "no mailbox for Jane Roe", None).await.unwrap();
    stage.enqueue(0, "other", plain(DUE)).await;

    let ann = stage.redis.engine().at(t(2 * DUE)).operator("ann");
    let erased = ann.erase_subject(&subject(), false, "request 77").await.unwrap();

    let Erased::Erased { jobs, receipts, token } = erased else { panic!("{erased:?}") };
    assert_eq!((jobs, receipts), (1, 1));
    let left = stage.snapshot().await;
    assert_eq!(left[&format!("erased:{token}")].len(), 2);
    for (key, lines) in &left {
        // The stream forgets by itself, and the audit keeps what was done before.
        if key != "events" && key != "audit" {
            let text = format!("{key} {lines:?}");
            assert!(!text.contains("Jane Roe") && !text.contains("4711"), "{text}");
        }
    }
    let entry = left["audit"].last().unwrap();
    assert!(entry.contains(&format!("erased:{token}")) && entry.contains("request 77"), "{entry}");
    assert_eq!(stage.state_of("other").await, Some(JobState::Delayed));
    stage.assert_sound().await;
    // The same subject has the same token, and nothing more to erase.
    let again = ann.erase_subject(&subject(), false, "").await.unwrap();
    assert_eq!(again, Erased::Erased { jobs: 0, receipts: 0, token });
}

#[tokio::test]
async fn erasing_is_refused_while_jobs_live_unless_they_are_called_off_first() {
    let stage = Stage::new().await;
    stage.given(JobState::Delayed).await;
    let before = stage.snapshot().await;
    let ann = stage.redis.engine().at(t(2_000)).operator("ann");
    assert_eq!(ann.erase_subject(&subject(), false, "").await.unwrap(), Erased::Live { live: 1, jobs: 0 });
    assert_eq!(difference(&before, &stage.snapshot().await), Vec::<String>::new());
    let erased = ann.erase_subject(&subject(), true, "").await.unwrap();
    assert!(matches!(erased, Erased::Erased { jobs: 1, .. }), "{erased:?}");
    assert_eq!(stage.state_of("a1").await, None);

    let stage = Stage::new().await;
    stage.given(JobState::Active).await;
    let ann = stage.redis.engine().at(t(DUE + 2_000)).operator("ann");
    assert_eq!(
        ann.erase_subject(&subject(), true, "").await.unwrap(),
        Erased::Live { live: 1, jobs: 0 },
        "it runs"
    );
}

#[tokio::test]
async fn erasing_that_meets_a_new_job_says_how_much_is_gone() {
    let stage = Stage::new().await;
    let of_subject = || {
        let mut job = plain(2 * DUE);
        job.subject = Some(subject());
        job
    };
    for n in 0..900 {
        let name = format!("e{n}");
        stage.enqueue(0, &name, of_subject()).await;
        stage.at(n).cancel(&id(&name), &ann()).await.unwrap();
    }
    let ann = stage.redis.engine().at(t(DUE)).operator("ann");
    let key = format!("{}subject:{}", stage.redis.prefix(), subject());
    let meanwhile = async {
        let left = async || -> u64 {
            redis::from_redis_value(stage.redis.command(&["ZCARD", &key]).await.unwrap()).unwrap()
        };
        // Until the first of nine batches is gone.
        for _ in 0..100_000 {
            if left().await < 900 {
                break;
            }
        }
        stage.enqueue(DUE, "late", of_subject()).await;
    };
    let whose = subject();
    let (erased, ()) = tokio::join!(ann.erase_subject(&whose, false, ""), meanwhile);

    let Erased::Live { live: 1, jobs } = erased.unwrap() else { panic!("the late one was not seen") };
    assert!(jobs > 0 && jobs % 100 == 0, "{jobs}");
    assert_eq!(stage.state_of("late").await, Some(JobState::Delayed));
    stage.assert_sound().await;
    let entries = async || {
        let audit = stage.snapshot().await.remove("audit").unwrap();
        audit.iter().filter(|entry| entry.contains("erase_subject")).count()
    };
    assert_eq!(entries().await, 1, "what is gone is in the audit");
    // All others go in several steps, which are one act.
    let Erased::Erased { jobs: rest, .. } = ann.erase_subject(&whose, true, "").await.unwrap() else {
        panic!("one lives")
    };
    assert_eq!((jobs + rest, entries().await), (901, 2));
}
