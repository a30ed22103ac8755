//! A plain sorted set.

use crate::imports::scene::Scene;
use proptest::prelude::*;
use reprieve::Error;
use reprieve::model::{
    AuditEntry, AuditFilter, Erased, FilteredQuery, JobId, JobState, Kind, RedactionRule, StateGroup,
    Subject, Timestamp,
};
use reprieve_import::{DelayqSource, Layout, ScoreUnit, Source, ZsetSource};

const LATER_S: i64 = 4_000_000_000;

fn source(key: &str) -> ZsetSource {
    ZsetSource::new(key, Kind::new("mail").unwrap())
}

fn here(zset: ZsetSource) -> Source {
    Source::here(Layout::Zset(zset))
}

/// Members with scores in seconds, `count` of them.
fn fill(scene: &Scene, key: &str, count: usize) -> Vec<Vec<u8>> {
    let mut command = redis::cmd("ZADD");
    command.arg(key);
    let members: Vec<Vec<u8>> =
        (0..count).map(|n| format!("{{\"order\":{{\"id\":\"o-{n}\"}}}}").into_bytes()).collect();
    for (n, member) in members.iter().enumerate() {
        command.arg(LATER_S + i64::try_from(n).unwrap()).arg(member.as_slice());
    }
    command.query::<redis::Value>(&mut scene.connection()).unwrap();
    let mut members = members;
    members.sort();
    members
}

#[tokio::test]
async fn observing_counts_samples_and_names_what_cannot_be_read_and_changes_nothing() {
    let scene = Scene::new().await;
    let key = scene.foreign("due");
    fill(&scene, &key, 250);
    scene.send(&[b"ZADD", key.as_bytes(), b"inf", b"never", b"-3", b"long ago"]);
    let before = scene.keyspace(&key);

    let mut zset = source(&key);
    zset.unit = ScoreUnit::S;
    let seen = scene.import(here(zset)).observe().await.unwrap();

    assert_eq!(scene.keyspace(&key), before);
    assert_eq!((seen.places[0].count, seen.looked_at, seen.takeable, seen.overdue), (252, 252, 251, 1));
    assert!(seen.complete);
    assert_eq!(seen.earliest_due, Some(Timestamp::EPOCH));
    assert_eq!(seen.latest_due, Timestamp::from_millis((LATER_S + 249) * 1_000));
    assert_eq!(seen.unreadable_count, 1);
    assert_eq!(seen.unreadable[0].name, "never");
    assert_eq!(seen.unreadable[0].reason, "its score inf lies beyond the year 9999");
    assert_eq!(seen.samples[1].preview, "{\"order\":{\"id\":\"o-0\"}}");
}

#[tokio::test]
async fn what_a_rule_hides_is_hidden_before_it_is_a_job_as_well() {
    let scene = Scene::new().await;
    let key = scene.foreign("due");
    let secret = br#"{"phone":"4915112345678","n":1}"#;
    scene.send(&[b"ZADD", key.as_bytes(), b"4000000000", secret, b"inf", b"secret never"]);
    let open = scene.import(here(source(&key))).observe().await.unwrap();
    assert!(open.samples[0].name.contains("4915112345678"), "no rule is about it");
    let rule = RedactionRule { kinds: "mail".to_owned(), path: "phone".to_owned(), keep: 0 };
    scene.redis.engine().operator("ann").set_redaction(&[rule], "").await.unwrap();
    let import = scene.import(here(source(&key)));

    let seen = import.observe().await.unwrap();
    let taken = import.take_over(|_| ()).await.unwrap();

    let sample = &seen.samples[0];
    assert_eq!(sample.preview, r#"{"n":1,"phone":"•••• (hidden)"}"#);
    assert_eq!((&sample.name, sample.payload_bytes), (&sample.id, 31), "the member is the payload");
    assert!(!format!("{seen:?}{taken:?}").contains("secret never"), "nor where it stays");
    assert_eq!((seen.unreadable_count, taken.left_count, taken.taken), (1, 1, 1));
    scene.redis.engine().operator("ann").set_redaction(&[], "").await.unwrap();
    assert!(scene.payloads().await.contains(&secret.to_vec()), "the job has it whole");
}

#[tokio::test]
async fn who_takes_over_and_who_puts_back_stands_in_the_audit_with_why_from_where_and_what_came_of_it() {
    let scene = Scene::new().await;
    let key = scene.foreign("due");
    fill(&scene, &key, 250);
    let import = scene.import(here(source(&key)));
    import.by("ann").because("the old shop closes").take_over(|_| ()).await.unwrap();
    import.by("ben").roll_back(|_| ()).await.unwrap();
    // Nobody's act: a program that follows by itself.
    import.take_over(|_| ()).await.unwrap();

    let page = scene.redis.engine().inspector().audit(&AuditFilter::default(), None, 9).await.unwrap();
    let told =
        |act: &AuditEntry| [&act.by, &act.verb, &act.target, &act.outcome, &act.why].map(String::clone);
    let acts: Vec<_> = page.items.iter().map(told).collect();
    let place = format!("zset {key}");
    let why = format!("the old shop closes: {place}");
    let expected = [
        ["ben", "roll_back", "legacy", "ended", "put back 250, kept 0"],
        ["ben", "roll_back", "legacy", "begun", &place],
        ["ann", "take_over", "legacy", "ended", "taken 250, replaced 0, resumed 0, left 0"],
        ["ann", "take_over", "legacy", "begun", &why],
    ];
    assert_eq!(acts, expected.map(|act| act.map(str::to_owned)));
}

#[tokio::test]
async fn nothing_is_taken_over_or_put_back_for_a_reason_that_is_too_long() {
    let scene = Scene::new().await;
    let key = scene.foreign("due");
    fill(&scene, &key, 3);
    let before = scene.keyspace(&key);
    let import = scene.import(here(source(&key))).by("ann").because("y".repeat(1_025));

    let taken = import.take_over(|_| ()).await;
    let restored = import.roll_back(|_| ()).await;

    assert!(matches!(taken, Err(Error::Invalid { .. })), "{taken:?}");
    assert!(matches!(restored, Err(Error::Invalid { .. })), "{restored:?}");
    assert_eq!(scene.keyspace(&key), before);
    let page = scene.redis.engine().inspector().audit(&AuditFilter::default(), None, 9).await.unwrap();
    assert!(page.items.is_empty(), "{:?}", page.items);
}

#[tokio::test]
async fn members_become_jobs_at_their_time_and_go_back_as_they_were() {
    let scene = Scene::new().await;
    let key = scene.foreign("due");
    let members = fill(&scene, &key, 230);
    scene.send(&[b"ZADD", key.as_bytes(), b"4000000000.25", b"{\"order\":{\"id\":7}}"]);
    let before = scene.keyspace(&key);
    let mut zset = source(&key);
    (zset.id, zset.subject) = (Some("/order/id".to_owned()), Some("/order/id".to_owned()));
    let import = scene.import(here(zset));

    let taken = import.take_over(|_| ()).await.unwrap();

    assert_eq!((taken.taken, taken.left_count), (231, 0));
    assert!(scene.keyspace(&key).is_empty());
    assert_eq!(scene.payloads().await.len(), members.len() + 1);
    let job = scene.redis.engine().inspector().job(&JobId::new("7").unwrap()).await.unwrap();
    let job = job.unwrap().job;
    assert_eq!((job.state, job.due.as_millis()), (JobState::Delayed, 4_000_000_000_250));
    assert_eq!((job.subject.unwrap().as_str(), job.by.as_str()), ("7", "import:legacy"));
    let standing = import.standing().await.unwrap();
    assert_eq!((standing.parked, standing.moved, standing.closed), (0, 231, false));
    scene.assert_sound().await;

    let back = import.roll_back(|_| ()).await.unwrap();

    assert_eq!((back.restored, back.kept_count), (231, 0));
    assert_eq!(scene.keyspace(&key), before);
    assert_eq!(scene.payloads().await, Vec::<Vec<u8>>::new());
    scene.assert_no_journal();
    scene.assert_sound().await;
}

#[tokio::test]
async fn what_ran_or_was_changed_here_stays_here_and_is_named() {
    let scene = Scene::new().await;
    let key = scene.foreign("due");
    scene.send(&[b"ZADD", key.as_bytes(), b"1", b"a", b"2", b"b", b"4000000000", b"c", b"4000000001", b"d"]);
    let mut zset = source(&key);
    zset.unit = ScoreUnit::S;
    let import = scene.import(here(zset));
    import.take_over(|_| ()).await.unwrap();
    let store = scene.redis.store();
    let claimed =
        store.claim("w", reprieve::model::Delay::seconds(30), 1, &[("default".parse().unwrap(), 1)]).await;
    assert_eq!(claimed.unwrap().len(), 1);
    let observed: Vec<String> =
        scene.payloads().await.iter().map(|p| String::from_utf8_lossy(p).into_owned()).collect();
    assert_eq!(observed, ["a", "b", "c", "d"]);
    let client = scene.redis.engine().client();
    let page = scene.redis.snapshot().await;
    let id = page
        .iter()
        .find(|(name, lines)| name.starts_with("job:") && lines.iter().any(|line| line == "payload = d"))
        .map(|(name, _)| JobId::new(&name["job:".len()..]).unwrap())
        .unwrap();
    client.reschedule(&id, reprieve::Due::At(Timestamp::MAX)).await.unwrap();

    let back = import.roll_back(|_| ()).await.unwrap();

    assert_eq!((back.restored, back.kept_count), (2, 2));
    let names: Vec<(&str, bool)> =
        back.kept.iter().map(|kept| (kept.name.as_str(), kept.reason.contains("is running here"))).collect();
    assert_eq!(names, [("d", false), ("a", true)]);
    let left: Vec<Vec<u8>> = scene.ask(&[b"ZRANGE", key.as_bytes(), b"0", b"-1"]);
    assert_eq!(left, [b"b".to_vec(), b"c".to_vec()]);
    scene.assert_sound().await;
}

/// The id that a member has here: a whole member is the payload of its job.
async fn job_of(scene: &Scene, member: &str) -> JobId {
    let payload = format!("payload = {member}");
    let snapshot = scene.redis.snapshot().await;
    let mut jobs = snapshot.iter().filter_map(|(name, lines)| Some((name.strip_prefix("job:")?, lines)));
    JobId::new(jobs.find(|(_, lines)| lines.contains(&payload)).unwrap().0).unwrap()
}

#[tokio::test]
async fn how_far_an_import_is_says_what_would_go_back_and_why_the_rest_would_stay() {
    let scene = Scene::new().await;
    let key = scene.foreign("due");
    for (score, member) in
        ["1", "4000000001", "4000000002", "4000000003", "4000000004"].iter().zip(["a", "b", "c", "d", "e"])
    {
        scene.send(&[b"ZADD", key.as_bytes(), score.as_bytes(), member.as_bytes()]);
    }
    let mut zset = source(&key);
    zset.unit = ScoreUnit::S;
    let import = scene.import(here(zset));
    import.take_over(|_| ()).await.unwrap();
    let said = async || {
        let standing = import.standing().await.unwrap();
        let stay = standing.staying;
        (standing.returnable, [stay.cancelled, stay.changed, stay.active, stay.ended, stay.gone])
    };
    assert_eq!(said().await, (5, [0; 5]));

    let queue = [("default".parse().unwrap(), 1)];
    let claimed =
        scene.redis.store().claim("w", reprieve::model::Delay::seconds(30), 1, &queue).await.unwrap();
    assert_eq!(claimed.len(), 1, "a is due");
    let ann = scene.redis.engine().operator("ann");
    ann.cancel(&job_of(&scene, "b").await).await.unwrap();
    ann.hold(&job_of(&scene, "c").await).await.unwrap();
    ann.reschedule(&job_of(&scene, "d").await, reprieve::Due::At(Timestamp::MAX)).await.unwrap();
    assert_eq!(said().await, (1, [1, 2, 1, 0, 0]));

    let back = import.roll_back(|_| ()).await.unwrap();

    assert_eq!((back.restored, back.kept_count), (1, 4));
    assert_eq!(said().await, (0, [1, 2, 1, 0, 0]), "as it was said before");
    ann.purge(&job_of(&scene, "b").await).await.unwrap();
    assert_eq!(said().await, (0, [0, 2, 1, 0, 1]));
    scene.assert_sound().await;
}

#[tokio::test]
async fn what_was_called_off_or_held_and_put_back_as_it_was_goes_back() {
    let scene = Scene::new().await;
    let key = scene.foreign("due");
    for (score, member) in [("4000000001", "1"), ("4000000002", "2"), ("4000000003", "3")] {
        scene.send(&[b"ZADD", key.as_bytes(), score.as_bytes(), member.as_bytes()]);
    }
    let before = scene.keyspace(&key);
    let import = scene.import(here(source(&key)));
    import.take_over(|_| ()).await.unwrap();
    let ann = scene.redis.engine().operator("ann");
    let (first, second, third) =
        (job_of(&scene, "1").await, job_of(&scene, "2").await, job_of(&scene, "3").await);
    for _ in 0..2 {
        ann.cancel(&first).await.unwrap();
        ann.reinstate(&first).await.unwrap();
        ann.hold(&second).await.unwrap();
        ann.unhold(&second).await.unwrap();
    }
    // What was changed in between is changed.
    ann.hold(&third).await.unwrap();
    ann.edit(&third, "4").await.unwrap();
    ann.unhold(&third).await.unwrap();
    let standing = import.standing().await.unwrap();
    assert_eq!((standing.returnable, standing.staying.changed), (2, 1));

    let back = import.roll_back(|_| ()).await.unwrap();

    assert_eq!((back.restored, back.kept_count, back.kept[0].name.as_str()), (2, 1, "3"));
    scene.send(&[b"ZADD", key.as_bytes(), b"4000000003", b"3"]);
    assert_eq!(scene.keyspace(&key), before);
    scene.assert_sound().await;
}

#[tokio::test]
async fn a_member_that_is_added_again_reschedules_its_job() {
    let scene = Scene::new().await;
    let key = scene.foreign("due");
    scene.send(&[b"ZADD", key.as_bytes(), b"4000000000", b"a"]);
    let import = scene.import(here(source(&key)));
    import.take_over(|_| ()).await.unwrap();

    scene.send(&[b"ZADD", key.as_bytes(), b"4000000005", b"a"]);
    let taken = import.take_over(|_| ()).await.unwrap();

    assert_eq!((taken.taken, taken.replaced), (1, 1));
    assert_eq!(scene.payloads().await.len(), 1);
    import.roll_back(|_| ()).await.unwrap();
    let back: Vec<String> = scene.ask(&[b"ZRANGE", key.as_bytes(), b"0", b"-1", b"WITHSCORES"]);
    assert_eq!(back, ["a", "4000000005"]);
    scene.assert_no_journal();
}

#[tokio::test]
async fn a_member_that_is_added_again_after_its_job_has_ended_has_one_waiting_job() {
    let scene = Scene::new().await;
    let key = scene.foreign("due");
    let import = scene.import(here(source(&key)));
    let again = async |score: &str| {
        scene.send(&[b"ZADD", key.as_bytes(), score.as_bytes(), b"a"]);
        import.take_over(|_| ()).await.unwrap();
        let queues = scene.redis.engine().inspector().queues().await.unwrap();
        queues.iter().map(|queue| queue.counts.delayed).sum::<u64>()
    };
    let known = async |end: &str| {
        let keys = scene.redis.snapshot().await.into_keys();
        keys.filter(|key| key.ends_with(end)).count()
    };
    assert_eq!(again("4000000000").await, 1);
    let ids: Vec<String> = scene.redis.snapshot().await.into_keys().collect();
    let id = JobId::new(ids.iter().find_map(|name| name.strip_prefix("job:")).unwrap()).unwrap();
    scene.redis.engine().client().cancel(&id).await.unwrap();

    for score in ["4000000001", "4000000002", "4000000003"] {
        assert_eq!(again(score).await, 1, "{score}");
    }
    scene.redis.engine().operator("ann").purge(&id).await.unwrap();
    assert_eq!(again("4000000004").await, 1, "its own id is free, and the job under the other waits");

    scene.some_minutes_later();
    assert_eq!(again("4000000005").await, 1, "what is forgotten are records before the latest");
    assert_eq!(known(":again").await, 1);
    let back = import.roll_back(|_| ()).await.unwrap();
    assert_eq!((back.restored, back.kept_count), (1, 1), "the first was called off here");
    let score: String = scene.ask(&[b"ZSCORE", key.as_bytes(), b"a"]);
    assert_eq!(score, "4000000005");
    scene.some_minutes_later();
    import.finish().await.unwrap();
    assert_eq!((known(":again").await, known(":taken").await), (0, 0));
    scene.assert_sound().await;
}

#[tokio::test]
async fn what_was_taken_from_one_format_is_not_put_back_into_another() {
    let scene = Scene::new().await;
    let name = scene.foreign("mail");
    let topic = scene.import(Source::here(Layout::Delayq(DelayqSource::new(&name))));
    let set = scene.import(here(source(&name)));
    scene.send(&[b"ZADD", name.as_bytes(), b"4000000000", b"a"]);
    set.take_over(|_| ()).await.unwrap();

    let said = [topic.take_over(|_| ()).await.map(drop), topic.roll_back(|_| ()).await.map(drop)];

    for said in said {
        let said = said.unwrap_err().to_string();
        assert_eq!(said, "import legacy has what was taken from zset; choose another name");
    }
    set.roll_back(|_| ()).await.unwrap();
    topic.take_over(|_| ()).await.unwrap();
}

fn with_ids(key: &str) -> ZsetSource {
    let mut zset = source(key);
    zset.id = Some("/id".to_owned());
    zset
}

#[tokio::test]
async fn of_two_members_of_one_id_the_second_stays() {
    let scene = Scene::new().await;
    let key = scene.foreign("due");
    let members: [&[u8]; 2] = [br#"{"id":7,"do":"a"}"#, br#"{"id":7,"do":"b"}"#];
    for (score, member) in ["4000000000", "4000000001"].iter().zip(members) {
        scene.send(&[b"ZADD", key.as_bytes(), score.as_bytes(), member]);
    }
    let before = scene.keyspace(&key);
    let import = scene.import(here(with_ids(&key)));

    let seen = import.observe().await.unwrap();
    let taken = import.take_over(|_| ()).await.unwrap();

    assert_eq!((seen.takeable, seen.unreadable_count), (1, 1));
    assert_eq!(seen.unreadable[0].reason, "another item here has the same id");
    assert_eq!((taken.taken, taken.replaced, taken.left_count), (1, 0, 1));
    assert_eq!(taken.left[0].reason, "another item here has the same id");
    assert_eq!(scene.payloads().await, [members[0].to_vec()]);
    // The next to come does not meet the first, and leaves the second as well.
    for later in [&import, &scene.import(here(with_ids(&key)))] {
        let taken = later.take_over(|_| ()).await.unwrap();
        assert_eq!((taken.taken, taken.left_count), (0, 1));
        assert_eq!(taken.left[0].reason, "another item here has the same id");
        assert_eq!(scene.payloads().await, [members[0].to_vec()]);
    }
    assert_eq!(import.roll_back(|_| ()).await.unwrap().restored, 1);
    assert_eq!(scene.keyspace(&key), before);
    // Back at the source the first went its way there, and the second is the only one of its id.
    scene.send(&[b"ZREM", key.as_bytes(), members[0]]);
    assert_eq!(import.take_over(|_| ()).await.unwrap().taken, 1);
    assert_eq!(scene.payloads().await, [members[1].to_vec()]);
}

#[tokio::test]
async fn a_member_that_stayed_behind_another_and_comes_again_alone_replaces_its_job() {
    let scene = Scene::new().await;
    let key = scene.foreign("due");
    let members: [&[u8]; 2] = [br#"{"id":7,"do":"a"}"#, br#"{"id":7,"do":"b"}"#];
    for (score, member) in ["4000000000", "4000000001"].iter().zip(members) {
        scene.send(&[b"ZADD", key.as_bytes(), score.as_bytes(), member]);
    }
    scene.import(here(with_ids(&key))).take_over(|_| ()).await.unwrap();

    scene.send(&[b"ZREM", key.as_bytes(), members[1]]);
    scene.import(here(with_ids(&key))).take_over(|_| ()).await.unwrap();
    scene.send(&[b"ZADD", key.as_bytes(), b"4000000001", members[1]]);
    let taken = scene.import(here(with_ids(&key))).take_over(|_| ()).await.unwrap();

    assert_eq!((taken.taken, taken.replaced, taken.left_count), (1, 1, 0));
    assert_eq!(scene.payloads().await, [members[1].to_vec()]);
}

#[tokio::test]
async fn what_stays_behind_another_stays_also_when_a_round_passed_it_over() {
    let scene = Scene::new().await;
    let key = scene.foreign("due");
    let members: Vec<Vec<u8>> = (0..251).map(|n| format!(r#"{{"id":7,"do":{n}}}"#).into_bytes()).collect();
    let mut add = redis::cmd("ZADD");
    add.arg(&key);
    for (score, member) in (LATER_S..).zip(&members) {
        add.arg(score).arg(member.as_slice());
    }
    add.query::<redis::Value>(&mut scene.connection()).unwrap();
    let first = scene.import(here(with_ids(&key))).take_over(|_| ()).await.unwrap();
    assert_eq!((first.taken, first.left_count), (1, 250));

    // One of their workers takes a member of the first page, and a producer has the last one due before it.
    let mut is_gone = false;
    let import = scene.import(here(with_ids(&key)));
    let second = import.take_over(|_| {
        if !std::mem::replace(&mut is_gone, true) {
            scene.send(&[b"ZREM", key.as_bytes(), &members[1]]);
            scene.send(&[b"ZADD", key.as_bytes(), b"3000000000", &members[250]]);
        }
    });
    assert_eq!(second.await.unwrap().left_count, 249, "one was met before it left, another passed over");

    for _ in 0..2 {
        let third = scene.import(here(with_ids(&key))).take_over(|_| ()).await.unwrap();
        assert_eq!((third.taken, third.left_count), (0, 249));
    }
    assert_eq!(scene.payloads().await, [members[0].clone()]);
    assert_eq!(scene.doubles(), 249, "what has gone is forgotten");
}

#[tokio::test]
async fn what_moves_up_while_the_first_round_reads_stays_behind_another_as_well() {
    let members: Vec<Vec<u8>> = (0..251).map(|n| format!(r#"{{"id":7,"do":{n}}}"#).into_bytes()).collect();
    // The one that is gone stood before the last of its page, or was that.
    for gone in [1, 99] {
        let scene = Scene::new().await;
        let key = scene.foreign("due");
        let mut add = redis::cmd("ZADD");
        add.arg(&key);
        for (score, member) in (LATER_S..).zip(&members) {
            add.arg(score).arg(member.as_slice());
        }
        add.query::<redis::Value>(&mut scene.connection()).unwrap();

        // One of their workers takes a member of the first page, and those of the next move up.
        let mut is_gone = false;
        let import = scene.import(here(with_ids(&key)));
        let taken = import.take_over(|_| {
            if !std::mem::replace(&mut is_gone, true) {
                scene.send(&[b"ZREM", key.as_bytes(), &members[gone]]);
            }
        });
        let taken = taken.await.unwrap();

        assert_eq!((taken.taken, taken.replaced), (1, 0), "without member {gone}");
        assert_eq!(scene.payloads().await, [members[0].clone()]);
        assert_eq!(scene.ask::<u64>(&[b"ZCARD", key.as_bytes()]), 249);
    }
}

#[tokio::test]
async fn what_an_item_has_become_within_one_round_replaces_its_job() {
    let scene = Scene::new().await;
    let key = scene.foreign("due");
    let (first, change): (&[u8], &[u8]) = (br#"{"id":7,"do":"a"}"#, br#"{"id":7,"do":"b"}"#);
    scene.send(&[b"ZADD", key.as_bytes(), b"4000000000", first]);
    let import = scene.import(here(with_ids(&key)));
    let mut is_changed = false;

    let taken = import.take_over(|_| {
        if !std::mem::replace(&mut is_changed, true) {
            scene.send(&[b"ZADD", key.as_bytes(), b"4000000001", change]);
        }
    });
    let taken = taken.await.unwrap();

    assert_eq!((taken.taken, taken.replaced, taken.left_count), (2, 1, 0));
    assert_eq!(scene.payloads().await, [change.to_vec()]);
}

#[tokio::test]
async fn a_job_that_came_another_way_is_not_replaced() {
    let scene = Scene::new().await;
    let (key, other) = (scene.foreign("due"), scene.foreign("other"));
    let id = JobId::new("7").unwrap();
    scene.send(&[b"ZADD", other.as_bytes(), b"4000000000", br#"{"id":7,"of":"other"}"#]);
    let mut reports = with_ids(&other);
    reports.kind = Kind::new("report").unwrap();
    scene.import(here(reports)).take_over(|_| ()).await.unwrap();
    scene.send(&[b"ZADD", key.as_bytes(), b"4000000000", br#"{"id":7}"#]);
    let import = scene.import(here(with_ids(&key)));

    let taken = import.take_over(|_| ()).await.unwrap();

    assert_eq!((taken.taken, taken.replaced, scene.payloads().await.len()), (1, 0, 2));
    // Its own job is under another id, and is what a later change replaces.
    scene.send(&[b"ZADD", key.as_bytes(), b"4000000009", br#"{"id":7}"#]);
    assert_eq!(import.take_over(|_| ()).await.unwrap().replaced, 1);
    let kept = scene.redis.engine().inspector().job(&id).await.unwrap().unwrap().job;
    assert_eq!((kept.kind.as_str(), scene.payloads().await.len()), ("report", 2));
    import.roll_back(|_| ()).await.unwrap();
    assert!(scene.redis.engine().inspector().job(&id).await.unwrap().is_some());
}

#[tokio::test]
async fn what_a_person_holds_stays_when_its_member_came_again() {
    let scene = Scene::new().await;
    let key = scene.foreign("due");
    scene.send(&[b"ZADD", key.as_bytes(), b"4000000000", br#"{"id":7}"#]);
    let import = scene.import(here(with_ids(&key)));
    import.take_over(|_| ()).await.unwrap();
    let id = JobId::new("7").unwrap();
    scene.redis.engine().operator("ann").hold(&id).await.unwrap();
    scene.send(&[b"ZADD", key.as_bytes(), b"4000000009", br#"{"id":7}"#]);
    import.take_over(|_| ()).await.unwrap();

    let back = import.roll_back(|_| ()).await.unwrap();

    assert_eq!((back.restored, back.kept_count), (0, 1));
    let job = scene.redis.engine().inspector().job(&id).await.unwrap().unwrap().job;
    assert_eq!((job.state, scene.ask::<u64>(&[b"EXISTS", key.as_bytes()])), (JobState::Held, 0));
}

#[tokio::test]
async fn a_key_of_another_type_is_named_and_left_alone() {
    let scene = Scene::new().await;
    let key = scene.foreign("due");
    scene.send(&[b"SET", key.as_bytes(), b"x"]);
    let import = scene.import(here(source(&key)));

    let seen = import.observe().await.unwrap();
    let taken = import.take_over(|_| ()).await.unwrap();

    assert_eq!(seen.places[0].why, format!("{key} holds a string, not a zset"));
    assert_eq!((seen.places[0].holds.as_deref(), seen.complete), (Some("string"), true));
    assert_eq!((taken.taken, taken.left_count), (0, 1));
    assert_eq!(scene.ask::<String>(&[b"GET", key.as_bytes()]), "x");
}

#[tokio::test]
async fn a_roll_back_takes_nothing_out_that_has_no_place_to_go_to() {
    let scene = Scene::new().await;
    let key = scene.foreign("due");
    let members = fill(&scene, &key, 130);
    let import = scene.import(here(source(&key)));
    import.take_over(|_| ()).await.unwrap();
    // Given: the set is empty, and somebody has put something else under its key.
    scene.send(&[b"SET", key.as_bytes(), b"x"]);

    let refused = import.roll_back(|_| ()).await.unwrap_err();

    let said = format!("{key} holds a string, not a zset; nothing was put back there");
    assert_eq!(refused.to_string(), said);
    assert_eq!(scene.payloads().await, members, "the jobs are still here");
    assert_eq!(import.standing().await.unwrap().parked, 0, "none is on its way");
    scene.send(&[b"DEL", key.as_bytes()]);
    assert_eq!(import.roll_back(|_| ()).await.unwrap().restored, 130);
}

#[tokio::test]
async fn a_full_subject_sends_its_member_back() {
    let scene = Scene::new().await;
    let key = scene.foreign("due");
    let mut command = redis::cmd("ZADD");
    command.arg(&key);
    for n in 0..1_001 {
        command.arg(LATER_S).arg(format!("{{\"n\":{n},\"of\":\"one\"}}"));
    }
    command.query::<redis::Value>(&mut scene.connection()).unwrap();
    let mut zset = source(&key);
    zset.subject = Some("/of".to_owned());

    let taken = scene.import(here(zset)).take_over(|_| ()).await.unwrap();

    assert_eq!((taken.taken, taken.left_count), (1_000, 1));
    assert_eq!(taken.left[0].reason, "its subject has 1,000 live jobs, and a subject holds no more");
    assert_eq!(scene.ask::<u64>(&[b"ZCARD", key.as_bytes()]), 1);
}

#[tokio::test]
async fn a_following_importer_takes_what_comes_until_a_roll_back_closes_it() {
    let scene = Scene::new().await;
    let key = scene.foreign("due");
    let import = scene.import(here(source(&key)));
    let stop = tokio_util::sync::CancellationToken::new();
    // Two processes follow the same source.
    let followers: Vec<_> = (0..2)
        .map(|_| {
            let (import, stop) = (import.clone(), stop.clone());
            tokio::spawn(async move { import.follow(reprieve::model::Delay::days(7), stop).await })
        })
        .collect();
    let members = fill(&scene, &key, 300);
    let arrived = async {
        while import.standing().await.unwrap().moved < 300 {
            // Until the followers' next round.
            tokio::time::sleep(std::time::Duration::from_millis(20)).await;
        }
    };
    tokio::time::timeout(std::time::Duration::from_secs(60), arrived).await.unwrap();
    assert_eq!(scene.payloads().await, members);

    let back = import.roll_back(|_| ()).await.unwrap();

    assert_eq!(back.restored, 300);
    // Longer than a round: nobody takes them again.
    tokio::time::sleep(std::time::Duration::from_millis(500)).await;
    assert_eq!(scene.ask::<u64>(&[b"ZCARD", key.as_bytes()]), 300);
    stop.cancel();
    for follower in followers {
        follower.await.unwrap();
    }
}

#[tokio::test]
async fn a_shadow_tells_what_they_do_from_what_we_would_do() {
    let scene = Scene::new().await;
    let key = scene.foreign("due");
    scene.send(&[b"ZADD", key.as_bytes(), b"1000000000", b"late", b"1000000000", b"later"]);
    scene.send(&[b"ZADD", key.as_bytes(), b"4000000000", b"off", b"4000000000", b"moved"]);
    let mut shadow = scene.import(here(source(&key))).shadow();
    shadow.look().await.unwrap();

    scene.send(&[b"ZREM", key.as_bytes(), b"late", b"off"]);
    scene.send(&[b"ZADD", key.as_bytes(), b"4000000009", b"moved"]);
    let said = shadow.look().await.unwrap();

    assert_eq!((said.seen, said.ours_by_now, said.theirs_by_now), (4, 2, 1));
    assert_eq!((said.early, said.overdue, said.rescheduled), (1, 1, 1));
    assert_eq!(said.differences.len(), 2);
    assert_eq!(scene.payloads().await, Vec::<Vec<u8>>::new());
}

#[tokio::test]
async fn finishing_gives_up_the_way_back_and_nothing_else() {
    let scene = Scene::new().await;
    let key = scene.foreign("due");
    fill(&scene, &key, 120);
    let import = scene.import(here(source(&key)));
    import.take_over(|_| ()).await.unwrap();

    assert_eq!(import.finish().await.unwrap(), 120);

    scene.assert_no_journal();
    assert_eq!(scene.payloads().await.len(), 120);
    assert_eq!(import.roll_back(|_| ()).await.unwrap().restored, 0);
}

#[tokio::test]
async fn of_an_item_that_was_replaced_nothing_is_left_when_the_way_back_is_given_up() {
    let scene = Scene::new().await;
    let key = scene.foreign("due");
    let import = scene.import(here(source(&key)));
    for due in 0..5 {
        scene.send(&[b"ZADD", key.as_bytes(), format!("400000000{due}").as_bytes(), b"a"]);
        import.take_over(|_| ()).await.unwrap();
    }
    let taken =
        || async { scene.redis.snapshot().await.into_keys().filter(|key| key.ends_with(":taken")).count() };
    assert_eq!(taken().await, 1);
    scene.some_minutes_later();

    assert_eq!(import.finish().await.unwrap(), 1);

    assert_eq!(taken().await, 0, "the engine still knows records that are gone");
    scene.assert_no_journal();
    assert_eq!(scene.payloads().await.len(), 1);
}

#[tokio::test]
async fn what_is_not_handed_over_yet_keeps_nothing_but_itself() {
    let scene = Scene::new().await;
    let key = scene.foreign("due");
    fill(&scene, &key, 220);
    let import = scene.import(here(source(&key)));
    import.take_over(|_| ()).await.unwrap();
    let all: Vec<String> =
        scene.ask(&[b"KEYS", format!("reprieve-import:{}:*:all", scene.redis.name()).as_bytes()]);
    let parked = all[0].replace(":all", ":parked");
    let first: Vec<String> = scene.ask(&[b"ZRANGE", all[0].as_bytes(), b"0", b"0"]);
    // As when a process had ended before it noted that this one has arrived.
    scene.send(&[b"ZADD", parked.as_bytes(), first[0].as_bytes(), first[0].as_bytes()]);

    assert_eq!(import.finish().await.unwrap(), 219);

    let left: Vec<String> = scene.ask(&[b"ZRANGE", all[0].as_bytes(), b"0", b"-1"]);
    assert_eq!(left, first);
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(24))]

    /// Any members with any scores: what is readable becomes a job, the rest stays, and all of it comes back.
    #[test]
    fn hostile_sets_lose_nothing(
        members in proptest::collection::btree_map(
            proptest::collection::vec(any::<u8>(), 0..40), any::<f64>().prop_filter("a score", |s| !s.is_nan()), 0..30)
    ) {
        tokio::runtime::Runtime::new().unwrap().block_on(async {
            let scene = Scene::new().await;
            let key = scene.foreign("due");
            for (member, score) in &members {
                scene.send(&[b"ZADD", key.as_bytes(), score.to_string().as_bytes(), member]);
            }
            let before = scene.keyspace(&key);
            let import = scene.import(here(source(&key)));
            let seen = import.observe().await.unwrap();
            let taken = import.take_over(|_| ()).await.unwrap();
            let count = u64::try_from(members.len()).unwrap();
            assert_eq!(taken.taken + taken.left_count, count);
            assert_eq!(taken.taken, seen.takeable);
            assert_eq!(u64::try_from(scene.payloads().await.len()).unwrap(), taken.taken);
            scene.assert_sound().await;
            let back = import.roll_back(|_| ()).await.unwrap();
            assert_eq!(back.restored, taken.taken);
            assert_eq!(scene.keyspace(&key), before);
        });
    }
}

#[tokio::test]
async fn ids_and_subjects_have_every_digit_of_a_number() {
    let scene = Scene::new().await;
    let key = scene.foreign("due");
    for number in ["100000000000000000001", "100000000000000000002", "7.50"] {
        let member = format!(r#"{{"id":{number}}}"#);
        scene.send(&[b"ZADD", key.as_bytes(), b"4000000000", member.as_bytes()]);
    }
    let mut zset = with_ids(&key);
    zset.subject = Some("/id".to_owned());

    let taken = scene.import(here(zset)).take_over(|_| ()).await.unwrap();

    assert_eq!((taken.taken, taken.left_count), (3, 0));
    let inspector = scene.redis.engine().inspector();
    for number in ["100000000000000000001", "100000000000000000002", "7.50"] {
        let job = inspector.job(&JobId::new(number).unwrap()).await.unwrap().unwrap().job;
        assert_eq!(job.subject.unwrap().as_str(), number);
    }
}

/// Clients and proxies fold such parts of an address.
#[tokio::test]
async fn foreign_ids_and_subjects_are_escaped_as_every_door_reads_them() {
    let scene = Scene::new().await;
    let key = scene.foreign("due");
    for (id, subject) in [
        ("x/../../subjects/a", "ann+test@example.com"),
        ("s3://b/", "https://example.com/a"),
        ("c", "a/../b"),
    ] {
        let member = format!(r#"{{"id":"{id}","about":"{subject}"}}"#);
        scene.send(&[b"ZADD", key.as_bytes(), b"4000000000", member.as_bytes()]);
    }
    let mut zset = with_ids(&key);
    zset.subject = Some("/about".to_owned());

    let taken = scene.import(here(zset)).take_over(|_| ()).await.unwrap();

    assert_eq!((taken.taken, taken.left_count), (2, 1));
    assert!(
        taken.left[0].reason.starts_with("what it has at /about cannot be a subject"),
        "{:?}",
        taken.left
    );
    let engine = scene.redis.engine();
    for (typed, id) in
        [("ann+test@example.com", "x/@2E@2E/@2E@2E/subjects/a"), ("https://example.com/a", "s3:@2F@2Fb@2F")]
    {
        let subject = Subject::new(typed).unwrap();
        let found = engine.inspector().subject(&subject).await.unwrap();
        assert_eq!(found.jobs.len(), 1, "{typed}");
        assert_eq!(found.jobs[0].id.as_str(), id);
        assert!(engine.inspector().hits(typed).await.unwrap().subject.is_some(), "{typed}");
        for filter in
            [format!("subject:{typed}"), format!("subject:{}*", &typed[..9]), format!("\"{typed}\"")]
        {
            let query = FilteredQuery::new(filter.parse().unwrap(), [StateGroup::Delay]);
            let page = engine.inspector().filtered(&query).await.unwrap();
            let ids: Vec<&str> = page.rows.iter().map(|found| found.row.id.as_str()).collect();
            assert_eq!(ids, [id], "{filter}");
        }
        let erased = engine.operator("ann").erase_subject(&subject, true, "asked for").await.unwrap();
        assert!(matches!(erased, Erased::Erased { jobs: 1, .. }), "{erased:?}");
    }
}
