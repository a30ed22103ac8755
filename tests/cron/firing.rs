//! Ticks become jobs.

use super::scene::{HOUR, MINUTE, SECOND, Scene, entry, job_of, name, t};
use reprieve::model::{
    CronName, CronOutcome, Delay, Enqueued, JobState, Kind, Missed, Overlap, QueueName, Subject,
};
use reprieve::testing::breaches;
use reprieve::{Due, Error, NewJob};

#[tokio::test]
async fn a_tick_becomes_a_job_whose_due_time_is_the_tick() {
    let mut report = entry("30 9 * * *");
    report.payload = b"{\"full\":true}".to_vec();
    report.subject = Some(Subject::new("resource:4711").unwrap());
    report.tags = vec!["daily".to_owned()];
    let scene = Scene::with(report).await;

    scene.look(9 * HOUR + 30 * MINUTE - 1).await;
    assert_eq!(scene.jobs().await, Vec::<i64>::new(), "not a millisecond early");
    scene.look(9 * HOUR + 30 * MINUTE + 7).await;

    let tick = 9 * HOUR + 30 * MINUTE;
    let detail = scene.inspector(0).job(&job_of(tick)).await.unwrap().unwrap();
    assert_eq!((detail.job.due, detail.job.state), (t(tick), JobState::Ready));
    assert_eq!(detail.job.payload, b"{\"full\":true}");
    assert_eq!(detail.job.subject.unwrap().as_str(), "resource:4711");
    assert_eq!(detail.job.tags, ["daily"]);
    assert_eq!(detail.history.last().unwrap().by, "cron");
    let state = scene.state().await;
    assert_eq!((state.last, state.next), (Some(t(tick)), Some(t(tick + 24 * HOUR))));
    assert_eq!(state.last_job, Some(job_of(tick)));
    assert_eq!(scene.lines().await, [(tick, CronOutcome::Enqueued)]);
    assert_eq!(breaches(&scene.redis.snapshot().await), Vec::<String>::new());
}

#[tokio::test]
async fn an_entry_does_not_fire_for_the_time_before_it_was_made() {
    let scene = Scene::new().await;
    scene.ann(HOUR).put_cron(entry("* * * * *")).await.unwrap();
    scene.look(HOUR + 59 * SECOND).await;
    assert_eq!(scene.jobs().await, Vec::<i64>::new());
    scene.look(HOUR + MINUTE).await;
    assert_eq!(scene.jobs().await, [HOUR + MINUTE]);
}

#[tokio::test]
async fn missed_ticks_follow_the_rule_of_the_entry() {
    let table = [
        (Missed::Skip, vec![], vec![(HOUR, CronOutcome::Missed)]),
        (Missed::Once, vec![5 * HOUR], vec![(HOUR, CronOutcome::Missed), (5 * HOUR, CronOutcome::Enqueued)]),
        (Missed::All, vec![HOUR, 2 * HOUR, 3 * HOUR, 4 * HOUR, 5 * HOUR], vec![]),
    ];
    for (missed, jobs, lines) in table {
        let mut hourly = entry("0 * * * *");
        hourly.missed = missed;
        let scene = Scene::with(hourly).await;
        scene.look(5 * HOUR + 30 * MINUTE).await;
        assert_eq!(scene.jobs().await, jobs, "{missed:?}");
        if missed != Missed::All {
            assert_eq!(scene.lines().await, lines, "{missed:?}");
        }
        assert_eq!(scene.state().await.next, Some(t(6 * HOUR)), "{missed:?}");
    }
}

#[tokio::test]
async fn a_month_of_missed_seconds_is_made_up_for_by_a_thousand() {
    let mut second = entry("* * * * * *");
    second.missed = Missed::All;
    let scene = Scene::with(second).await;
    scene.look(30 * 24 * HOUR).await;
    // A thousand that were missed, and the minute that is on time.
    assert_eq!(scene.jobs().await.len(), 1_060);
}

#[tokio::test]
async fn a_tick_waits_for_no_earlier_job_unless_told_to() {
    for (overlap, jobs) in [(Overlap::Allow, vec![MINUTE, 2 * MINUTE]), (Overlap::Skip, vec![MINUTE])] {
        let mut minutely = entry("* * * * *");
        minutely.overlap = overlap;
        let scene = Scene::with(minutely).await;
        scene.look(MINUTE).await;
        scene.look(2 * MINUTE).await;
        assert_eq!(scene.jobs().await, jobs, "{overlap:?}");

        scene.ann(2 * MINUTE).cancel(&job_of(MINUTE)).await.unwrap();
        scene.look(3 * MINUTE).await;
        assert_eq!(scene.jobs().await.last(), Some(&(3 * MINUTE)), "{overlap:?}: the earlier one has ended");
    }
}

#[tokio::test]
async fn a_job_run_by_hand_is_in_the_way_of_a_tick_and_takes_no_tick_s_place() {
    let mut minutely = entry("* * * * *");
    minutely.overlap = Overlap::Skip;
    let scene = Scene::with(minutely).await;
    scene.look(MINUTE).await;
    let way = async |ms| {
        scene.look(ms).await;
        scene.inspector(0).cron_history(&name(), 1).await.unwrap().remove(0).job
    };
    let run = async |ms| scene.ann(ms).run_cron(&name(), None, "", "").await.unwrap().unwrap();

    let Enqueued::Duplicate { holder, .. } = run(MINUTE + 1).await else { panic!("two would be live") };
    assert_eq!(holder, job_of(MINUTE));
    let line = scene.inspector(0).cron_history(&name(), 1).await.unwrap().remove(0);
    assert_eq!((line.outcome, line.job), (CronOutcome::Overlapped, Some(job_of(MINUTE))));
    assert_eq!(way(2 * MINUTE).await, Some(job_of(MINUTE)), "the job of the tick is live still");
    scene.ann(2 * MINUTE).cancel(&job_of(MINUTE)).await.unwrap();
    let by_hand = run(2 * MINUTE + 1).await;
    let state = scene.state().await;
    assert_eq!((state.last, state.last_job), (Some(t(MINUTE)), Some(job_of(MINUTE))));
    assert_eq!(way(3 * MINUTE).await.as_ref(), Some(by_hand.id()), "the one run by hand is in the way");
    scene.ann(3 * MINUTE).cancel(by_hand.id()).await.unwrap();
    scene.look(4 * MINUTE).await;
    assert_eq!(scene.jobs().await, [MINUTE, 4 * MINUTE]);
}

/// An entry that allows no overlap, with the job of its first tick ended in this state, and that of its second live.
async fn one_ended_and_one_live(ended: JobState) -> Scene {
    let mut minutely = entry("* * * * *");
    minutely.overlap = Overlap::Skip;
    let scene = Scene::with(minutely).await;
    scene.look(MINUTE).await;
    if ended == JobState::Dead {
        let store = scene.redis.store().at(t(MINUTE));
        let claimed = store.claim("w", Delay::seconds(12), 1, &[(QueueName::default(), 1)]).await.unwrap();
        store.fail(&claimed[0].id, claimed[0].token, "no", None).await.unwrap();
    } else {
        scene.ann(MINUTE).cancel(&job_of(MINUTE)).await.unwrap();
    }
    scene.look(2 * MINUTE).await;
    assert_eq!(scene.jobs().await, [MINUTE, 2 * MINUTE]);
    scene
}

#[tokio::test]
async fn what_would_bring_an_ended_job_back_beside_a_live_one_is_refused_and_names_it() {
    let at = 2 * MINUTE + SECOND;
    for ended in [JobState::Dead, JobState::Cancelled] {
        let scene = one_ended_and_one_live(ended).await;
        let refused = scene.ann(at).retry_now(&job_of(MINUTE)).await.unwrap_err();
        assert!(
            matches!(&refused, Error::Duplicate { holder } if *holder == job_of(2 * MINUTE)),
            "{refused:?}"
        );
        if ended == JobState::Cancelled {
            let later = t(3 * MINUTE);
            let refused = scene.ann(at).reinstate(&job_of(MINUTE)).at(later).await.unwrap_err();
            assert!(
                matches!(&refused, Error::Duplicate { holder } if *holder == job_of(2 * MINUTE)),
                "{refused:?}"
            );
        }
        scene.look(3 * MINUTE).await;
        assert_eq!(scene.jobs().await, [MINUTE, 2 * MINUTE], "one live job is one too many for a third");
        assert_eq!(breaches(&scene.redis.snapshot().await), Vec::<String>::new());
    }
}

#[tokio::test]
async fn an_ended_job_that_is_back_is_in_the_way_of_the_next_tick_whichever_it_was() {
    let scene = one_ended_and_one_live(JobState::Dead).await;
    scene.ann(2 * MINUTE).cancel(&job_of(2 * MINUTE)).await.unwrap();
    // The earlier one, of which the entry itself remembers nothing.
    scene.ann(2 * MINUTE).retry_now(&job_of(MINUTE)).await.unwrap();

    scene.look(3 * MINUTE).await;

    assert_eq!(scene.jobs().await, [MINUTE, 2 * MINUTE]);
    let line = scene.inspector(0).cron_history(&name(), 1).await.unwrap().remove(0);
    assert_eq!((line.outcome, line.job), (CronOutcome::Overlapped, Some(job_of(MINUTE))));
}

#[tokio::test]
async fn a_job_from_when_overlaps_were_allowed_is_in_the_way_as_well() {
    let scene = Scene::with(entry("* * * * *")).await;
    scene.look(MINUTE).await;
    let mut alone = entry("* * * * *");
    alone.overlap = Overlap::Skip;
    scene.ann(MINUTE).put_cron(alone).await.unwrap();
    scene.look(2 * MINUTE).await;
    assert_eq!(scene.jobs().await, [MINUTE]);
}

#[tokio::test]
async fn a_job_that_has_the_id_of_a_removed_one_of_the_entry_is_not_in_the_way() {
    for by_hand in [false, true] {
        let mut minutely = entry("* * * * *");
        minutely.overlap = Overlap::Skip;
        let scene = Scene::with(minutely).await;
        let mut removed = job_of(MINUTE);
        if by_hand {
            removed = scene.ann(0).run_cron(&name(), None, "", "").await.unwrap().unwrap().id().clone();
        } else {
            scene.look(MINUTE).await;
        }
        scene.ann(MINUTE).cancel(&removed).await.unwrap();
        scene.ann(MINUTE).purge(&removed).await.unwrap();
        let mut other = NewJob::new(Kind::new("notice").unwrap(), "{}");
        other.due = Due::At(t(400 * MINUTE));
        scene.redis.store().at(t(MINUTE)).enqueue("client", &[(removed, other)]).await.unwrap();

        scene.look(2 * MINUTE).await;

        assert_eq!(scene.jobs().await.last(), Some(&(2 * MINUTE)), "run by hand: {by_hand}");
    }
}

#[tokio::test]
async fn a_passed_over_tick_names_the_job_in_its_way_and_where_that_stands() {
    let mut minutely = entry("* * * * *");
    minutely.overlap = Overlap::Skip;
    let scene = Scene::with(minutely).await;
    scene.look(MINUTE).await;
    scene.look(2 * MINUTE).await;
    let lines = scene.inspector(0).cron_history(&name(), 10).await.unwrap();
    assert_eq!(lines[0].outcome, CronOutcome::Overlapped);
    assert_eq!((lines[0].job.clone(), lines[0].state), (Some(job_of(MINUTE)), Some(JobState::Ready)));
}

#[tokio::test]
async fn a_subject_without_room_refuses_the_tick_and_the_entry_goes_on() {
    let mut minutely = entry("* * * * *");
    minutely.subject = Some(Subject::new("resource:4711").unwrap());
    let scene = Scene::with(minutely).await;
    let mut job = NewJob::new(Kind::new("notice").unwrap(), "");
    job.subject = Some(Subject::new("resource:4711").unwrap());
    scene.redis.engine().client().enqueue_batch(vec![job; 1_000]).await.unwrap();

    scene.look(MINUTE).await;

    assert_eq!(scene.lines().await, [(MINUTE, CronOutcome::Refused)]);
    assert_eq!(scene.state().await.next, Some(t(2 * MINUTE)));
}

#[tokio::test]
async fn a_person_runs_an_entry_out_of_turn_once_an_operation() {
    let scene = Scene::with(entry("0 9 * * *")).await;
    let first =
        scene.ann(HOUR).run_cron(&name(), None, "asked for by finance", "op-1").await.unwrap().unwrap();
    let again =
        scene.ann(HOUR + 5).run_cron(&name(), None, "asked for by finance", "op-1").await.unwrap().unwrap();
    assert_eq!(first, again);
    let lines = scene.inspector(0).cron_history(&name(), 10).await.unwrap();
    assert_eq!(lines.len(), 1);
    assert_eq!((lines[0].outcome, lines[0].by.as_str()), (CronOutcome::RunNow, "ann"));
    assert_eq!(scene.state().await.next, Some(t(9 * HOUR)), "its ticks stay as they are");
    let detail = scene.inspector(0).job(lines[0].job.as_ref().unwrap()).await.unwrap().unwrap();
    let created = detail.history.last().unwrap();
    assert_eq!((created.by.as_str(), created.why.as_str()), ("ann", "asked for by finance"));
}

#[tokio::test]
async fn entries_that_share_a_tick_all_fire_at_one_look() {
    let scene = Scene::new().await;
    for number in 0..120 {
        let mut shared = entry("* * * * *");
        shared.name = CronName::new(format!("shared{number}")).unwrap();
        scene.ann(0).put_cron(shared).await.unwrap();
    }
    // An entry with more ticks than one call fires has the others go first, and the rest at once.
    scene.ann(0).put_cron(entry("* * * * * *")).await.unwrap();

    let again = scene.redis.fire_cron_at(t(MINUTE)).await.unwrap();

    let ready = scene.inspector(MINUTE).counts(None).await.unwrap().ready;
    assert_eq!((ready, scene.jobs().await.len()), (120 + 50, 50), "one look fires all that share the tick");
    assert!(again, "the entry of every second has ticks left");
    scene.look(MINUTE).await;
    assert_eq!(scene.jobs().await.len(), 60);
}
