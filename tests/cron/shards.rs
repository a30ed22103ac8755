//! Entries in a namespace of several shards.

use super::scene::{MINUTE, Scene, entry, name, t};
use reprieve::Error;
use reprieve::model::{CronChanged, CronEntry, CronName, JobState, Kind, Subject, SubjectCancelled};

#[tokio::test]
async fn the_jobs_of_an_entry_are_called_off_with_its_subject() {
    let scene = Scene::of_shards(5).await;
    for number in 0..20 {
        let subject = Subject::new(format!("resource:{number}")).unwrap();
        let name = CronName::new(format!("entry-{number}")).unwrap();
        let mut minutely = CronEntry::new(name, "* * * * *", Kind::new("report").unwrap());
        minutely.subject = Some(subject);
        scene.ann(0).put_cron(minutely).await.unwrap();
    }
    scene.look(MINUTE).await;
    for number in 0..20 {
        let subject = Subject::new(format!("resource:{number}")).unwrap();
        let outcome = scene.ann(MINUTE).cancel_subject(&subject).await.unwrap();
        let SubjectCancelled::Cancelled { jobs } = outcome else { panic!("{outcome:?}") };
        assert_eq!(jobs.len(), 1, "{subject}");
        let fire = scene.inspector(MINUTE);
        let lines = fire.cron_history(&CronName::new(format!("entry-{number}")).unwrap(), 5).await.unwrap();
        assert_eq!(lines[0].state, Some(JobState::Cancelled));
    }
}

#[tokio::test]
async fn entries_of_all_shards_are_listed_by_their_next_tick() {
    let scene = Scene::of_shards(5).await;
    for number in (0..20).rev() {
        let name = CronName::new(format!("entry-{number:02}")).unwrap();
        let daily = CronEntry::new(name, format!("{number} 1 * * *"), Kind::new("report").unwrap());
        scene.ann(0).put_cron(daily).await.unwrap();
    }
    let names: Vec<String> =
        scene.inspector(0).cron().await.unwrap().iter().map(|state| state.entry.name.to_string()).collect();
    let expected: Vec<String> = (0..20).map(|number| format!("entry-{number:02}")).collect();
    assert_eq!(names, expected);
}

#[tokio::test]
async fn an_entry_is_paused_run_and_removed_wherever_it_is() {
    let scene = Scene::of_shards(7).await;
    let mut daily = entry("@daily");
    daily.subject = Some(Subject::new("resource:4711").unwrap());
    scene.ann(0).put_cron(daily).await.unwrap();
    assert!(scene.ann(1).run_cron(&name(), None, "", "").await.unwrap().is_ok());
    assert_eq!(scene.ann(2).pause_cron(&name()).await.unwrap(), CronChanged::Changed { version: 2 });
    assert_eq!(scene.ann(3).resume_cron(&name()).await.unwrap(), CronChanged::Changed { version: 3 });
    let remove = async || scene.ann(4).remove_cron(&name()).operation("op-1").await.unwrap();
    assert_eq!(remove().await, CronChanged::Changed { version: 3 });
    assert_eq!(remove().await, CronChanged::Changed { version: 3 }, "a repeat gets the first answer");
    assert_eq!(scene.inspector(0).cron_entry(&name()).await.unwrap(), None);
}

#[tokio::test]
async fn an_entry_does_not_move_to_another_shard() {
    let scene = Scene::of_shards(16).await;
    let about = |number: u32| {
        let mut daily = entry("@daily");
        daily.subject = Some(Subject::new(format!("resource:{number}")).unwrap());
        daily
    };
    scene.ann(0).put_cron(about(0)).await.unwrap();
    let mut refused = 0;
    for number in 1..20 {
        match scene.ann(1).put_cron(about(number)).await {
            Ok(CronChanged::Changed { .. }) => {}
            Err(Error::Invalid { field: "subject", .. }) => refused += 1,
            other => panic!("{other:?}"),
        }
    }
    assert!(refused > 10, "of 19 other subjects only {refused} have another shard");
    assert_eq!(scene.inspector(0).cron().await.unwrap().len(), 1);
    assert!(scene.inspector(0).cron_entry(&name()).await.unwrap().unwrap().next >= Some(t(0)));
}

#[tokio::test]
async fn all_shards_together_hold_as_many_entries_as_one() {
    let scene = Scene::of_shards(3).await;
    for number in 0..1_000 {
        let name = CronName::new(format!("entry-{number}")).unwrap();
        let made = scene.ann(0).put_cron(CronEntry::new(name, "@daily", Kind::new("report").unwrap())).await;
        assert_eq!(made.unwrap(), CronChanged::Created { version: 1 }, "{number}");
    }
    let client = scene.redis.engine().client();

    assert_eq!(scene.ann(0).put_cron(entry("@daily")).await.unwrap(), CronChanged::Full);
    assert_eq!(client.declare_cron(&entry("@daily"), "reports").await.unwrap(), CronChanged::Full);

    let known = CronName::new("entry-7").unwrap();
    let hourly = CronEntry::new(known.clone(), "@hourly", Kind::new("report").unwrap());
    let changed = scene.ann(1).put_cron(hourly).await.unwrap();
    assert_eq!(changed, CronChanged::Changed { version: 2 }, "one that is there can be changed");
    scene.ann(2).remove_cron(&known).await.unwrap();
    assert_eq!(
        scene.ann(3).put_cron(entry("@daily")).await.unwrap(),
        CronChanged::Created { version: 1 },
        "there is room for another"
    );
}
