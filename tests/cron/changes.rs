//! Entries are made, changed, paused and removed.

use super::scene::{HOUR, MINUTE, Scene, entry, name, t};
use reprieve::Error;
use reprieve::model::{CronChanged, CronEntry, CronName, CronSource, Kind, Missed};

#[tokio::test]
async fn an_entry_is_created_changed_and_left_unchanged() {
    let scene = Scene::new().await;
    let put = async |schedule| scene.ann(0).put_cron(entry(schedule)).await.unwrap();
    assert_eq!(put("0 9 * * *").await, CronChanged::Created { version: 1 });
    assert_eq!(put("0 9 * * *").await, CronChanged::Unchanged { version: 1 });
    assert_eq!(put("0 10 * * *").await, CronChanged::Changed { version: 2 });
    let state = scene.state().await;
    assert_eq!(
        (state.next, state.by.as_str(), state.source),
        (Some(t(10 * HOUR)), "ann", CronSource::Operator)
    );
    assert_eq!(state.entry, entry("0 10 * * *"));
}

#[tokio::test]
async fn a_change_to_another_version_than_the_seen_one_is_refused() {
    let scene = Scene::with(entry("0 9 * * *")).await;
    let before = scene.redis.snapshot().await;
    let ann = scene.ann(0);
    let conflict = CronChanged::Conflict { version: 1 };
    assert_eq!(ann.put_cron(entry("0 8 * * *")).seen_if(Some(7)).await.unwrap(), conflict);
    assert_eq!(ann.put_cron(entry("0 8 * * *")).seen_if(Some(0)).await.unwrap(), conflict, "for a new one");
    assert_eq!(ann.pause_cron(&name()).seen_if(Some(7)).await.unwrap(), conflict);
    assert_eq!(ann.resume_cron(&name()).seen_if(Some(7)).await.unwrap(), conflict);
    assert_eq!(ann.remove_cron(&name()).seen_if(Some(7)).await.unwrap(), conflict);
    assert_eq!(scene.redis.snapshot().await, before);
}

#[tokio::test]
async fn a_change_of_anything_but_the_times_leaves_the_ticks_that_were_missed() {
    for declared in [false, true] {
        let mut hourly = entry("0 * * * *");
        hourly.missed = Missed::All;
        let scene = Scene::with(hourly.clone()).await;
        hourly.tags = vec!["eu".to_owned()];
        if declared {
            // By Redis's own clock, which is far from the scene's: what it says must not count.
            scene.redis.engine().client().declare_cron(&hourly, "billing").await.unwrap();
        } else {
            scene.ann(3 * HOUR + 30 * MINUTE).put_cron(hourly).await.unwrap();
        }
        assert_eq!(scene.state().await.version, 2, "declared: {declared}");

        scene.look(4 * HOUR).await;

        assert_eq!(scene.jobs().await, [HOUR, 2 * HOUR, 3 * HOUR, 4 * HOUR], "declared: {declared}");
    }
}

#[tokio::test]
async fn other_times_count_from_the_change_on() {
    let mut hourly = entry("0 * * * *");
    hourly.missed = Missed::All;
    let mut half_past = hourly.clone();
    half_past.schedule = "30 * * * *".to_owned();
    let mut elsewhere = hourly.clone();
    elsewhere.zone = "Asia/Kolkata".to_owned();
    for changed in [half_past, elsewhere] {
        let scene = Scene::with(hourly.clone()).await;
        scene.ann(3 * HOUR + MINUTE).put_cron(changed).await.unwrap();
        scene.look(4 * HOUR).await;
        assert_eq!(scene.jobs().await, [3 * HOUR + 30 * MINUTE]);
    }
}

#[tokio::test]
async fn what_is_run_by_hand_is_the_version_that_was_seen() {
    let scene = Scene::with(entry("0 9 * * *")).await;
    scene.ann(1).put_cron(entry("0 10 * * *")).await.unwrap();
    let before = scene.redis.snapshot().await;

    let stale = scene.ann(2).run_cron(&name(), Some(1), "", "op-1").await.unwrap();

    assert_eq!(stale.unwrap_err(), CronChanged::Conflict { version: 2 });
    assert_eq!(scene.redis.snapshot().await, before);
    let first = scene.ann(2).run_cron(&name(), Some(2), "", "op-2").await.unwrap().unwrap();
    scene.ann(3).put_cron(entry("0 11 * * *")).await.unwrap();
    let again = scene.ann(4).run_cron(&name(), Some(2), "", "op-2").await.unwrap().unwrap();
    assert_eq!(again, first, "a repeated operation gets its first answer");
}

#[tokio::test]
async fn a_paused_entry_does_not_fire_and_makes_up_for_nothing() {
    let scene = Scene::with(entry("* * * * *")).await;
    let paused = scene.ann(0).pause_cron(&name()).because("month end").await.unwrap();
    assert_eq!(paused, CronChanged::Changed { version: 2 });
    assert_eq!(scene.ann(5).pause_cron(&name()).await.unwrap(), CronChanged::Unchanged { version: 2 });
    let state = scene.state().await;
    let pause = state.paused.unwrap();
    assert_eq!((pause.by.as_str(), pause.why.as_str(), pause.at), ("ann", "month end", t(0)));
    assert_eq!(state.next, None);

    // A paused entry stays so when it is changed.
    scene.ann(MINUTE).put_cron(entry("*/2 * * * *")).await.unwrap();
    scene.look(10 * MINUTE).await;
    assert_eq!(scene.jobs().await, Vec::<i64>::new());

    scene.ann(10 * MINUTE + 1).resume_cron(&name()).await.unwrap();
    assert_eq!(scene.state().await.paused, None);
    scene.look(12 * MINUTE).await;
    assert_eq!(scene.jobs().await, [12 * MINUTE]);
    let again = scene.ann(12 * MINUTE).resume_cron(&name()).await.unwrap();
    assert_eq!(again, CronChanged::Unchanged { version: 4 });
}

#[tokio::test]
async fn a_removed_entry_leaves_nothing_but_its_jobs() {
    let scene = Scene::with(entry("* * * * *")).await;
    scene.look(MINUTE).await;
    scene.ann(MINUTE).remove_cron(&name()).because("no longer needed").await.unwrap();
    scene.look(2 * MINUTE).await;
    assert_eq!(scene.inspector(0).cron().await.unwrap(), []);
    assert_eq!(scene.jobs().await, [MINUTE]);
    let keys = scene.redis.snapshot().await;
    assert!(!keys.keys().any(|key| key.starts_with("cron")), "{:?}", keys.keys());
    assert_eq!(scene.ann(0).remove_cron(&name()).await.unwrap(), CronChanged::Missing);
}

#[tokio::test]
async fn a_repeated_operation_gets_its_first_answer() {
    let scene = Scene::with(entry("0 9 * * *")).await;
    let pause = async || scene.ann(0).pause_cron(&name()).operation("op-1").await.unwrap();
    let first = pause().await;
    scene.ann(1).resume_cron(&name()).await.unwrap();
    assert_eq!(pause().await, first);
    assert_eq!(scene.state().await.paused, None, "and does nothing more");
}

#[tokio::test]
async fn an_operation_on_an_entry_that_is_gone_tells_nothing_of_the_one_that_has_its_name() {
    let scene = Scene::with(entry("0 9 * * *")).await;
    let pause = async || scene.ann(0).pause_cron(&name()).operation("pause").await.unwrap();
    let remove = async || scene.ann(1).remove_cron(&name()).operation("remove").await.unwrap();
    let make = async || scene.ann(2).put_cron(entry("0 9 * * *")).operation("make").await.unwrap();
    let resume = async || scene.ann(0).resume_cron(&name()).operation("resume").await.unwrap();
    let run = async || scene.ann(0).run_cron(&name(), None, "", "run").await.unwrap();
    pause().await;
    resume().await;
    let job = run().await.unwrap();
    assert_eq!(run().await.unwrap(), job, "one job");
    let gone = remove().await;
    assert_eq!(remove().await, gone, "nothing has its name yet");
    assert!(matches!(make().await, CronChanged::Created { .. }));
    scene.ann(3).remove_cron(&name()).await.unwrap();
    let made = scene.ann(4).put_cron(entry("0 9 * * *")).await.unwrap();
    let CronChanged::Created { version } = made else { panic!("{made:?}") };

    for answer in [pause().await, resume().await, remove().await, make().await] {
        assert_eq!(answer, CronChanged::Conflict { version });
    }
    assert_eq!(run().await, Err(CronChanged::Conflict { version }));
    assert_eq!(scene.state().await.paused, None, "and nothing was done");
}

#[tokio::test]
async fn every_change_is_in_the_audit_with_who_and_why() {
    let scene = Scene::with(entry("0 9 * * *")).await;
    scene.ann(1).pause_cron(&name()).because("month end").await.unwrap();
    scene.ann(2).resume_cron(&name()).await.unwrap();
    scene.ann(3).run_cron(&name(), None, "", "").await.unwrap().unwrap();
    scene.ann(4).remove_cron(&name()).await.unwrap();
    let audit = scene.redis.snapshot().await["audit"].join("\n");
    for verb in ["cron_put", "cron_pause", "cron_resume", "cron_run", "cron_remove"] {
        assert!(audit.contains(verb), "{verb} is missing in {audit}");
    }
    assert!(audit.contains("month end"));
}

#[tokio::test]
async fn a_job_that_somebody_started_by_hand_says_once_who_and_why() {
    let scene = Scene::with(entry("0 9 * * *")).await;

    scene.ann(1).run_cron(&name(), None, "the nine o'clock one failed", "").await.unwrap().unwrap();

    let keys = scene.redis.snapshot().await;
    let id = keys.keys().find_map(|key| key.strip_prefix("job:")).unwrap().parse().unwrap();
    let (_, _, history) = scene.redis.store().job(&id).await.unwrap().unwrap();
    let told: Vec<_> = history.iter().map(|line| (line.by.as_str(), line.why.as_str())).collect();
    assert_eq!(told, [("ann", "the nine o'clock one failed")]);
}

#[tokio::test]
async fn a_declaration_changes_an_entry_only_when_it_differs_from_the_last_one() {
    let scene = Scene::new().await;
    let client = scene.redis.engine().client();
    let declare = async |schedule| client.declare_cron(&entry(schedule), "configuration").await.unwrap();
    assert_eq!(declare("0 9 * * *").await, CronChanged::Created { version: 1 });
    assert_eq!(declare("0 9 * * *").await, CronChanged::Unchanged { version: 1 });
    assert_eq!(scene.state().await.source, CronSource::Declared);

    scene.ann(0).put_cron(entry("0 11 * * *")).await.unwrap();
    assert_eq!(declare("0 9 * * *").await, CronChanged::Unchanged { version: 2 }, "a person's change stays");
    assert_eq!(scene.state().await.entry.schedule, "0 11 * * *");

    assert_eq!(
        declare("0 12 * * *").await,
        CronChanged::Changed { version: 3 },
        "a new declaration is meant"
    );
    assert_eq!(scene.state().await.entry.schedule, "0 12 * * *");
}

#[tokio::test]
async fn entries_come_by_their_next_tick() {
    let scene = Scene::new().await;
    for (entry_name, schedule) in [("late", "0 20 * * *"), ("early", "0 5 * * *"), ("paused", "0 1 * * *")] {
        let kind = Kind::new("report").unwrap();
        let entry = CronEntry::new(CronName::new(entry_name).unwrap(), schedule, kind);
        scene.ann(0).put_cron(entry).await.unwrap();
    }
    scene.ann(0).pause_cron(&CronName::new("paused").unwrap()).await.unwrap();
    let names: Vec<String> =
        scene.inspector(0).cron().await.unwrap().iter().map(|state| state.entry.name.to_string()).collect();
    assert_eq!(names, ["early", "late", "paused"]);
}

#[tokio::test]
async fn an_entry_and_its_kind_are_found_by_a_part_of_their_names() {
    let scene = Scene::with(entry("0 9 * * *")).await;
    let hits = async |text: &str| scene.inspector(0).hits(text).await.unwrap();
    assert_eq!(hits("NIGHT").await.schedules, [name()]);
    assert_eq!(hits("repo").await.kinds, [Kind::new("report").unwrap()]);
    assert!(hits("daily").await.is_empty());
}

#[tokio::test]
async fn what_cannot_be_is_refused_and_nothing_changes() {
    let scene = Scene::new().await;
    let before = scene.redis.snapshot().await;
    let mut zone = entry("0 9 * * *");
    zone.zone = "Mars/Olympus".to_owned();
    let mut attempts = entry("0 9 * * *");
    attempts.max_attempts = Some(0);
    let mut payload = entry("0 9 * * *");
    payload.payload = vec![0; 300_000];
    for bad in [entry("0 0 30 2 *"), entry("every day"), zone, attempts, payload] {
        let error = scene.ann(0).put_cron(bad).await.unwrap_err();
        assert!(matches!(error, Error::Invalid { .. } | Error::PayloadTooLarge { .. }), "{error}");
    }
    assert_eq!(scene.redis.snapshot().await, before);
}

#[tokio::test]
async fn a_namespace_holds_a_thousand_entries() {
    let scene = Scene::new().await;
    for number in 0..1_000 {
        let name = CronName::new(format!("entry-{number}")).unwrap();
        scene.ann(0).put_cron(CronEntry::new(name, "@daily", Kind::new("report").unwrap())).await.unwrap();
    }
    assert_eq!(scene.ann(0).put_cron(entry("@daily")).await.unwrap(), CronChanged::Full);
    assert_eq!(scene.inspector(0).cron().await.unwrap().len(), 1_000);
}

#[tokio::test]
async fn an_entry_that_is_made_again_is_another_to_a_caller_who_saw_the_first() {
    let scene = Scene::with(entry("0 9 * * *")).await;
    scene.ann(1).pause_cron(&name()).await.unwrap();
    let removed = scene.ann(2).remove_cron(&name()).await.unwrap();
    let CronChanged::Changed { version: gone } = removed else { panic!("{removed:?}") };
    let made = scene.ann(3).put_cron(entry("0 9 * * *")).await.unwrap();
    let CronChanged::Created { version } = made else { panic!("{made:?}") };
    assert!(version > gone, "{version} after {gone}");

    for seen in 1..=gone {
        let answer = scene.ann(4).pause_cron(&name()).seen_if(Some(seen)).await.unwrap();
        assert!(matches!(answer, CronChanged::Conflict { .. }), "{answer:?} of {seen}");
    }
}
