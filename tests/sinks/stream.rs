//! A consumer group of a stream: what it gets, and how each end flows back.

use super::scene::{LEASE, Scene, ann, id, job};
use redis::Value;
use reprieve::model::{Cancelled, Delay, JobState, SinkKind};
use reprieve::store::{FailWord, Over, PublishOutcome, ReleaseWord};
use reprieve::testing::breaches;
use std::collections::BTreeMap;
use std::time::Duration;

#[tokio::test]
async fn a_published_job_is_an_entry_and_the_job_says_so() {
    let scene = Scene::stream().await;
    let token = scene.given_published("a1").await;

    let entries = scene.read("carl").await;
    let fields: BTreeMap<_, _> = entries[0].1.iter().cloned().collect();
    assert_eq!(
        [&fields["id"], &fields["token"], &fields["queue"], &fields["kind"], &fields["attempt"]],
        ["a1", &token.to_string(), "mail", "notice", "1"]
    );
    assert_eq!((fields["payload"].as_str(), fields["headers"].as_str()), (r#"{"to":"ö@example.com"}"#, "{}"));

    let job = scene.job("a1").await;
    let publication = job.publication.unwrap();
    assert_eq!((job.state, job.worker.as_deref()), (JobState::Active, Some("sink:orders")));
    assert_eq!(
        (publication.kind, publication.entry, publication.token),
        (SinkKind::Stream, entries[0].0.clone(), token)
    );
    assert_eq!(
        (publication.taken_by, job.why),
        (None, format!("published to stream {}", scene.target.place))
    );
}

#[tokio::test]
async fn handing_out_again_changes_nothing() {
    let scene = Scene::stream().await;
    let token = scene.given_published("a1").await;
    let before = scene.redis.snapshot().await;

    let again = scene.at(5).publish(&scene.target, LEASE, &[(id("a1"), token, Vec::new())]).await.unwrap();

    assert_eq!(again, [PublishOutcome::Published]);
    assert_eq!((scene.redis.snapshot().await, scene.length().await), (before, Value::Int(1)));
}

#[tokio::test]
async fn a_job_shows_who_took_it_and_since_when() {
    let scene = Scene::stream().await;
    scene.given_published("a1").await;
    assert_eq!(scene.look(10).await.outstanding, 1);
    assert_eq!(scene.job("a1").await.publication.unwrap().taken_by, None, "nobody has read it");

    let entry = scene.read("carl").await.remove(0).0;
    scene.command(&format!("XCLAIM @ % carl 0 {entry} IDLE 4000 JUSTID")).await;
    assert!(scene.over(10_000).await.is_empty());

    let job = scene.job("a1").await;
    let publication = job.publication.unwrap();
    assert_eq!((job.worker.as_deref(), publication.taken_by.as_deref()), (Some("carl"), Some("carl")));
    assert!((0..=6_000).contains(&(publication.taken.unwrap().as_millis() - super::scene::START)));
    assert_eq!(job.why, "taken by carl");
    let version = job.version;
    scene.look(11_000).await;
    assert_eq!(scene.job("a1").await.version, version, "a second look changes nothing");
}

#[tokio::test]
async fn an_acknowledged_entry_makes_its_job_done_and_is_removed() {
    for acknowledge in ["XACK", "XDEL before XACK"] {
        let scene = Scene::stream().await;
        let token = scene.given_published("a1").await;
        let entry = scene.read("carl").await.remove(0).0;
        if acknowledge.starts_with("XDEL") {
            scene.command(&format!("XDEL @ {entry}")).await;
            assert!(scene.over(5).await.is_empty(), "a removed entry is still in carl's hands");
        }
        scene.ack(&entry).await;

        assert_eq!(scene.over(10).await, [(Over::Done, "a1".to_owned())], "{acknowledge}");
        assert_eq!(scene.at(11).complete(&[(id("a1"), token)]).await.unwrap(), [ReleaseWord::Done]);

        assert!(scene.over(12).await.is_empty());
        assert_eq!((scene.look(13).await.outstanding, scene.length().await), (0, Value::Int(0)));
        assert_eq!(
            scene.job("a1").await.publication.unwrap().entry,
            entry,
            "a done job still tells where it was"
        );
    }
}

#[tokio::test]
async fn an_entry_kept_too_long_is_taken_away_and_its_job_retried() {
    let scene = Scene::stream().await;
    let token = scene.given_published("a1").await;
    let entry = scene.read("carl").await.remove(0).0;
    scene.command(&format!("XCLAIM @ % carl 0 {entry} IDLE 29000 JUSTID")).await;
    assert!(scene.over(29_000).await.is_empty(), "29 of 30 s");
    scene.command(&format!("XCLAIM @ % carl 0 {entry} IDLE 30000 JUSTID")).await;

    let over = scene.look(30_000).await.over;
    assert_eq!(
        over.iter().map(|found| (found.over, found.attempt)).collect::<Vec<_>>(),
        [(Over::Expired, 1)]
    );
    let text = String::from_utf8(over[0].text.clone()).unwrap();
    assert_eq!(text, "carl did not acknowledge it within 30000 ms");
    assert_eq!(scene.length().await, Value::Int(0), "nobody else can claim it any more");
    assert_eq!(scene.over(30_001).await, [(Over::Expired, "a1".to_owned())], "until it is reported");

    let word = scene.at(30_002).fail(&id("a1"), token, &text, Some(Delay::seconds(1))).await.unwrap();
    assert_eq!(word, FailWord::Retrying);
    assert_eq!(scene.look(30_003).await.outstanding, 0, "tidied up after");

    scene.at(40_000).forward(9, 0).await.unwrap();
    let second = scene.publish(40_001).await.remove(0).1;
    let entries = scene.read("dora").await;
    assert_eq!((entries.len(), &entries[0].1[1].1), (1, &second.to_string()));
    assert_eq!(scene.job("a1").await.attempt, 2);
}

#[tokio::test]
async fn a_job_with_a_timeout_of_its_own_keeps_to_it() {
    let scene = Scene::stream().await;
    let mut slow = job();
    slow.timeout = Some(Delay::minutes(10));
    scene.at(0).enqueue("client", &[(id("slow"), slow)]).await.unwrap();
    scene.publish(0).await;
    let entry = scene.read("carl").await.remove(0).0;

    scene.command(&format!("XCLAIM @ % carl 0 {entry} IDLE 599000 JUSTID")).await;
    assert!(scene.over(599_000).await.is_empty());
    scene.command(&format!("XCLAIM @ % carl 0 {entry} IDLE 600000 JUSTID")).await;
    assert_eq!(scene.over(600_000).await, [(Over::Expired, "slow".to_owned())]);
}

#[tokio::test]
async fn nothing_that_is_done_to_the_place_loses_a_job_or_calls_it_done() {
    for damage in
        ["DEL @", "XGROUP DESTROY @ %", "XTRIM @ MAXLEN 0", "SET @ something", "XGROUP DELCONSUMER @ % carl"]
    {
        let scene = Scene::stream().await;
        scene.given_published("a1").await;
        if damage.contains("carl") {
            scene.read("carl").await;
            scene.look(1).await;
        }
        scene.command(damage).await;

        assert_eq!(scene.over(10).await, [(Over::Vanished, "a1".to_owned())], "{damage}");
        let token = scene.job("a1").await.publication.unwrap().token;
        scene.at(11).snooze(&id("a1"), token, Delay::seconds(1), "gone", false).await.unwrap();
        scene.look(12).await;

        assert_eq!(scene.state("a1").await, JobState::Delayed, "{damage}");
        assert_eq!(scene.job("a1").await.attempt, 0, "{damage} costs no attempt");
        scene.command("DEL @").await;
        scene.at(2_000).forward(9, 0).await.unwrap();
        scene.publish(2_001).await;
        assert_eq!(scene.read("carl").await.len(), 1, "{damage}");
    }
}

#[tokio::test]
async fn a_group_that_was_moved_past_its_entries_has_read_none_of_them() {
    // With and without a consumer that has come and gone before: it was given nothing since.
    for has_consumer in [false, true] {
        for moved in ["$", "18446744073709551615-0", "ENTRY"] {
            let scene = Scene::stream().await;
            if has_consumer {
                scene.given_published("first").await;
                let entry = scene.read("carl").await.remove(0).0;
                scene.ack(&entry).await;
                let token = scene.job("first").await.publication.unwrap().token;
                scene.at(0).complete(&[(id("first"), token)]).await.unwrap();
                // So that what comes now is younger than what he was given.
                tokio::time::sleep(Duration::from_millis(150)).await;
            }
            scene.enqueue(&["a1", "a2"]).await;
            scene.publish(1).await;
            let entry = scene.job("a2").await.publication.unwrap().entry;

            scene.command(&format!("XGROUP SETID @ % {}", moved.replace("ENTRY", &entry))).await;

            let over = scene.look(10).await.over;
            let mut found: Vec<_> = over.iter().map(|one| (one.over, one.id.as_str())).collect();
            found.sort_by_key(|one| one.1.to_owned());
            let none = [(Over::Vanished, "a1"), (Over::Vanished, "a2")];
            assert_eq!(found, none, "moved to {moved}, with a consumer: {has_consumer}");
            let why = String::from_utf8_lossy(&over[0].text);
            assert_eq!(why, "the group was moved past its entry, which nobody had read");
        }
    }
}

#[tokio::test]
async fn a_group_that_was_moved_while_consumers_read_is_told_by_what_it_has_read() {
    let scene = Scene::stream().await;
    scene.enqueue(&["a1", "a2", "a3"]).await;
    scene.publish(0).await;
    let entry = scene.command("XREADGROUP GROUP % carl COUNT 1 STREAMS @ >").await;
    let streams: Vec<(String, Vec<super::scene::Entry>)> = redis::from_redis_value(entry).unwrap();
    let (entry, fields) = &streams[0].1[0];
    let first = fields[0].1.clone();
    scene.ack(entry).await;

    scene.command("XGROUP SETID @ % $").await;

    let over = scene.over(10).await;
    let others = ["a1", "a2", "a3"].into_iter().filter(|name| *name != first);
    for name in others {
        assert!(over.contains(&(Over::Vanished, name.to_owned())), "{name} was read by nobody: {over:?}");
    }
}

#[tokio::test]
async fn a_consumer_that_reads_and_acknowledges_between_two_looks_has_done_its_job() {
    for take in
        ["XREADGROUP GROUP % carl COUNT 9 STREAMS @ >", "XREADGROUP GROUP % carl COUNT 9 NOACK STREAMS @ >"]
    {
        let scene = Scene::stream().await;
        // What is called off before it was read leaves a hole in the stream, of which the group has no count.
        scene.enqueue(&["a1", "a2", "a3"]).await;
        scene.publish(0).await;
        scene.at(1).cancel(&id("a2"), &ann()).await.unwrap();
        let taken = scene.command(take).await;
        let streams: Vec<(String, Vec<super::scene::Entry>)> = redis::from_redis_value(taken).unwrap();
        if !take.contains("NOACK") {
            for (entry, _) in &streams[0].1 {
                scene.ack(entry).await;
            }
        }
        let mut over = scene.over(10).await;
        over.sort_by_key(|one| one.1.clone());
        assert_eq!(over, [(Over::Done, "a1".to_owned()), (Over::Done, "a3".to_owned())], "{take}");
    }
}

#[tokio::test]
async fn a_consumer_that_waited_before_the_entry_came_has_read_it() {
    let scene = Scene::stream().await;
    scene.enqueue(&["a0"]).await;
    // The place is made ready before anybody comes.
    scene.at(0).publish(&scene.target, LEASE, &[]).await.unwrap();
    let (client, place, group) = (
        redis::Client::open(scene.redis.url()).unwrap(),
        scene.target.place.clone(),
        scene.target.group.clone(),
    );
    let reader = std::thread::spawn(move || {
        let mut connection = client.get_connection().unwrap();
        let mut read = redis::cmd("XREADGROUP");
        read.arg("GROUP")
            .arg(&group)
            .arg("carl")
            .arg("BLOCK")
            .arg(60_000)
            .arg("STREAMS")
            .arg(&place)
            .arg(">");
        let streams: Vec<(String, Vec<super::scene::Entry>)> = read.query(&mut connection).unwrap();
        let mut ack = redis::cmd("XACK");
        ack.arg(&place).arg(&group).arg(&streams[0].1[0].0).query::<i64>(&mut connection).unwrap();
    });
    // He waits for longer than his waiting counts for.
    tokio::time::sleep(Duration::from_millis(300)).await;
    scene.publish(1).await;
    reader.join().unwrap();
    assert_eq!(scene.over(10).await, [(Over::Done, "a0".to_owned())]);
}

#[tokio::test]
async fn a_group_made_anew_does_not_call_old_entries_acknowledged() {
    let scene = Scene::stream().await;
    scene.given_published("a1").await;
    scene.read("carl").await;
    scene.command("DEL @").await;
    scene.enqueue(&["a2"]).await;
    scene.publish(5).await;
    scene.read("dora").await;

    assert_eq!(scene.over(10).await, [(Over::Vanished, "a1".to_owned())]);
    assert_eq!(scene.job("a2").await.publication.unwrap().taken_by.as_deref(), Some("dora"));
}

#[tokio::test]
async fn what_lay_in_a_stream_before_is_not_handed_out_nor_removed() {
    let scene = Scene::stream().await;
    scene.command("XADD @ * note theirs").await;
    scene.given_published("a1").await;
    let entries = scene.read("carl").await;
    assert_eq!((entries.len(), entries[0].1[0].1.as_str()), (1, "a1"));
    scene.ack(&entries[0].0).await;
    let token = scene.job("a1").await.publication.unwrap().token;
    scene.at(1).complete(&[(id("a1"), token)]).await.unwrap();
    scene.look(2).await;
    assert_eq!(scene.length().await, Value::Int(1));
}

#[tokio::test]
async fn a_cancel_before_anybody_read_the_entry_cancels_and_after_that_only_asks() {
    let scene = Scene::stream().await;
    scene.given_published("a1").await;
    let cancelled = scene.at(5).cancel(&id("a1"), &ann()).await.unwrap();
    assert!(matches!(cancelled, Cancelled::Now(_)), "{cancelled:?}");
    assert!(scene.read("carl").await.is_empty(), "no consumer can take it");
    let job = scene.job("a1").await;
    assert_eq!((job.state, job.attempt, job.cancelled_from), (JobState::Cancelled, 0, Some(JobState::Ready)));
    scene.look(6).await;
    assert_eq!(scene.look(7).await.outstanding, 0);

    let token = scene.given_published("a2").await;
    let entry = scene.read("carl").await.remove(0).0;
    let asked = scene.at(8).cancel(&id("a2"), &ann()).await.unwrap();
    assert!(matches!(asked, Cancelled::Requested(_)), "{asked:?}");
    scene.ack(&entry).await;
    assert_eq!(
        scene.over(9).await,
        [(Over::Done, "a2".to_owned())],
        "it was done before it could be stopped"
    );
    scene.at(10).complete(&[(id("a2"), token)]).await.unwrap();
    assert_eq!(scene.state("a2").await, JobState::Done);
}

#[tokio::test]
async fn a_cancel_is_only_asked_for_when_another_group_has_read_the_entry() {
    let scene = Scene::stream().await;
    scene.command("XGROUP CREATE @ auditors $ MKSTREAM").await;
    scene.given_published("a1").await;
    scene.command("XREADGROUP GROUP auditors anna COUNT 9 STREAMS @ >").await;

    let asked = scene.at(5).cancel(&id("a1"), &ann()).await.unwrap();

    assert!(matches!(asked, Cancelled::Requested(_)), "{asked:?}");
}

#[tokio::test]
async fn a_sink_has_no_more_jobs_out_than_its_limit() {
    let mut scene = Scene::stream().await;
    scene.target.most = 2;
    scene.enqueue(&["a1", "a2", "a3"]).await;
    let jobs: Vec<_> = scene.claim(0).await.into_iter().map(|job| (job.id, job.token, Vec::new())).collect();

    let words = scene.at(0).publish(&scene.target, LEASE, &jobs).await.unwrap();

    assert_eq!(words, [PublishOutcome::Published, PublishOutcome::Published, PublishOutcome::Full]);
    assert_eq!(scene.length().await, Value::Int(2));
}

#[tokio::test]
async fn a_job_that_was_asked_to_stop_is_not_handed_out() {
    let scene = Scene::stream().await;
    scene.enqueue(&["a1"]).await;
    let job = scene.claim(0).await.remove(0);
    scene.at(1).cancel(&id("a1"), &ann()).await.unwrap();

    let words = scene.at(2).publish(&scene.target, LEASE, &[(job.id, job.token, Vec::new())]).await.unwrap();

    assert_eq!(
        (words, scene.redis.command(&["EXISTS", &scene.target.place]).await),
        (vec![PublishOutcome::Cancel], Ok(Value::Int(0)))
    );
}

#[tokio::test]
async fn a_place_that_is_no_stream_refuses_and_nothing_changes() {
    let scene = Scene::stream().await;
    scene.enqueue(&["a1"]).await;
    scene.command("SET @ something").await;
    let job = scene.claim(0).await.remove(0);
    let before = scene.redis.snapshot().await;

    let refused = scene.at(1).publish(&scene.target, LEASE, &[(job.id, job.token, Vec::new())]).await;

    assert!(refused.unwrap_err().to_string().contains("the key holds a string, not a stream"));
    assert_eq!(scene.redis.snapshot().await, before);
}

#[tokio::test]
async fn looking_keeps_the_lease_and_without_looks_the_job_comes_back_in_the_end() {
    let scene = Scene::stream().await;
    scene.given_published("a1").await;
    let hour = Delay::hours(1).as_millis();
    scene.look(hour - 1_000).await;
    assert_eq!(scene.at(hour + 1_000).recover(9, Delay::seconds(1), 3).await.unwrap(), 0);

    assert_eq!(scene.at(3 * hour).recover(9, Delay::seconds(1), 3).await.unwrap(), 1);

    assert_eq!(scene.state("a1").await, JobState::Retrying);
    assert_eq!(scene.length().await, Value::Int(0), "no consumer starts it beside the next one that gets it");
    assert_eq!(breaches(&scene.redis.snapshot().await), Vec::<String>::new());
    assert_eq!((scene.look(3 * hour).await.outstanding, scene.length().await), (0, Value::Int(0)));
}

#[tokio::test]
async fn a_relay_that_does_not_read_is_left_to_the_end_of_its_lease() {
    for damage in ["", "nonsense", "{}", r#"{"kind":"pigeon"}"#, r#"{"kind":"stream","token":[]}"#, "[1,2]"] {
        let scene = Scene::stream().await;
        scene.given_published("a1").await;
        scene.redis.damage("a1", "publication", damage).await;

        assert_eq!(scene.look(10).await.outstanding, 0, "{damage}");

        let lost = 2 * LEASE.as_millis();
        assert_eq!(scene.at(lost).recover(9, Delay::seconds(1), 3).await.unwrap(), 1, "{damage}");
        assert_eq!(
            (scene.state("a1").await, scene.job("a1").await.publication),
            (JobState::Retrying, None),
            "{damage}"
        );
    }
}

#[tokio::test]
async fn a_consumer_that_is_deleted_is_missed_however_many_there_are() {
    let scene = Scene::stream().await;
    scene.given_published("a1").await;
    scene.read("carl").await;
    scene.look(1).await;
    let make = "for n = 1, 1200 do redis.call('XGROUP', 'CREATECONSUMER', KEYS[1], ARGV[1], 'c' .. n) end";
    let (place, group) = (&scene.target.place, &scene.target.group);
    scene.redis.command(&["EVAL", make, "1", place, group]).await.unwrap();

    scene.command("XGROUP DELCONSUMER @ % carl").await;

    assert_eq!(scene.over(10).await, [(Over::Vanished, "a1".to_owned())]);
}
