//! Dead jobs by their error, and where a typed word leads.

use super::seed::{DUE, LEASE, Stage, ann, id, mail, plain, subject, t};
use reprieve::model::{AlertKind, AlertRule, Alike, Attention, Delay};

/// Jobs that died a second after one another, each of its error; the last one a second after the one before.
async fn dead(stage: &Stage, errors: &[&str]) {
    for (n, _) in errors.iter().enumerate() {
        stage.enqueue(0, &format!("d{n}"), plain(DUE)).await;
    }
    stage.at(DUE).forward(100, 0).await.unwrap();
    let most = u32::try_from(errors.len()).unwrap();
    let mut claimed = stage.claim(DUE, most).await;
    claimed.sort_by(|a, b| a.id.cmp(&b.id));
    for ((n, error), job) in errors.iter().enumerate().zip(claimed) {
        let at = DUE + 1_000 * i64::try_from(n + 1).unwrap();
        stage.at(at).fail(&job.id, job.token, error, None).await.unwrap();
    }
}

#[tokio::test]
async fn dead_jobs_are_grouped_by_their_error_without_its_details() {
    let stage = Stage::new().await;
    // One is coloured for a terminal.
    let coloured = "\u{1b}[31mtimeout\u{1b}[0m after 40 s";
    dead(&stage, &["timeout after 3 s", coloured, "no user \"ann\"", "timeout after 7 s"]).await;

    let failures = stage.redis.inspector_at(t(DUE + 5_000)).failures(None).await.unwrap();

    assert_eq!((failures.scanned, failures.total), (4, 4));
    let told: Vec<_> = failures.groups.iter().map(|group| (group.mask.as_str(), group.count)).collect();
    assert_eq!(told, [("timeout after # s", 3), ("no user \"#\"", 1)]);
    let first = &failures.groups[0];
    assert_eq!((first.first, first.last, &first.example), (t(DUE + 1_000), t(DUE + 4_000), &id("d3")));
    assert_eq!(first.queues, [(mail(), 3)]);
    assert_eq!(first.hours.iter().sum::<u32>(), 3);
    let elsewhere =
        stage.redis.inspector_at(t(DUE + 5_000)).failures(Some(&"sms".parse().unwrap())).await.unwrap();
    assert!(elsewhere.groups.is_empty(), "{elsewhere:?}");
}

#[tokio::test]
async fn the_most_frequent_kinds_and_queues_of_a_failure_are_named_and_the_others_counted() {
    let stage = Stage::new().await;
    for (n, times) in [1, 1, 1, 1, 1, 1, 1, 1, 2].into_iter().enumerate() {
        for copy in 0..times {
            let mut job = plain(DUE);
            (job.kind, job.queue) = (format!("k{n}").parse().unwrap(), format!("q{n}").parse().unwrap());
            stage.enqueue(0, &format!("d{n}{copy}"), job).await;
        }
    }
    stage.at(DUE).forward(100, 0).await.unwrap();
    for n in (0..9).rev() {
        let queue = format!("q{n}").parse().unwrap();
        for job in stage.at(DUE).claim("w1", LEASE, 9, &[(queue, 9)]).await.unwrap() {
            // Rows come latest first, those of the most frequent one last of all.
            stage.at(DUE + 1_000 - n).fail(&job.id, job.token, "gone", None).await.unwrap();
        }
    }
    let operator = stage.redis.engine().operator("ann");
    let group =
        async || stage.redis.inspector_at(t(DUE + 5_000)).failures(None).await.unwrap().groups.remove(0);

    let found = group().await;

    assert_eq!((found.kinds.len(), found.of_other_kinds), (8, 1));
    assert_eq!((found.queues.len(), found.in_other_queues), (8, 1));
    assert_eq!(found.kinds[0], ("k8".parse().unwrap(), 2));
    for (queue, _) in &found.queues {
        operator.mute("gone", Some(queue), Delay::hours(1), "").await.unwrap();
        assert_eq!(group().await.muted, None, "it is told in other queues");
    }
    operator.mute("gone", None, Delay::hours(1), "").await.unwrap();
    assert!(group().await.muted.is_some());
}

#[tokio::test]
async fn failures_that_there_is_no_room_for_are_counted() {
    let stage = Stage::new().await;
    for n in 0..201 {
        stage.enqueue(0, &format!("d{n}"), plain(DUE)).await;
    }
    stage.at(DUE).forward(1_000, 0).await.unwrap();
    let mut died = 0_u32;
    loop {
        let claimed = stage.claim(DUE, 50).await;
        if claimed.is_empty() {
            break;
        }
        for job in claimed {
            // Digits would be masked.
            let error = format!("gone {}", char::from_u32(0x4e00 + died).unwrap());
            stage.at(DUE + 1_000).fail(&job.id, job.token, &error, None).await.unwrap();
            died += 1;
        }
    }

    let failures = stage.redis.inspector_at(t(DUE + 900_000)).failures(None).await.unwrap();

    assert_eq!((failures.groups.len(), failures.rarer, failures.total), (200, 1, 201));
}

#[tokio::test]
async fn a_muted_failure_raises_neither_attention_nor_an_alert_until_it_is_unmuted() {
    let stage = Stage::new().await;
    dead(&stage, &["timeout after 3 s", "timeout after 40 s", "no user \"ann\"", "timeout after 7 s"]).await;
    let operator = stage.redis.engine().operator("ann");
    let over = |over| AlertRule { what: AlertKind::Dead, queue: None, over };
    operator.set_alerts(&[over(0), over(1)], "").await.unwrap();
    let told = async || {
        let inspector = stage.redis.inspector_at(t(DUE + 5_000));
        let dying: Vec<_> =
            inspector.overview().await.unwrap().attention.into_iter().filter_map(dying).collect();
        let alerts: Vec<_> =
            inspector.alerts().await.unwrap().iter().map(|alert| (alert.now, alert.over)).collect();
        (dying, alerts)
    };
    let (mask, user) = ("timeout after # s", "no user \"#\"");
    let loud = vec![(mask.to_owned(), 3), (user.to_owned(), 1)];
    assert_eq!(told().await, (loud.clone(), vec![(4, 0), (4, 1)]));
    let attention = stage.redis.inspector_at(t(DUE + 5_000)).overview().await.unwrap().attention;
    let examples: Vec<_> = attention.iter().filter_map(example).collect();
    assert_eq!(examples, ["timeout after 7 s", "no user \"ann\""], "of each the latest");

    assert!(operator.mute(mask, Some(&mail()), Delay::hours(1), "known").await.unwrap());

    assert_eq!(told().await, (vec![(user.to_owned(), 1)], vec![(1, 0)]));
    let groups = stage.redis.inspector_at(t(DUE + 5_000)).failures(None).await.unwrap().groups;
    let muted = groups[0].muted.as_ref().unwrap();
    assert_eq!((muted.by.as_str(), &muted.queue, &groups[1].muted), ("ann", &Some(mail()), &None));
    let later = stage.redis.inspector_at(muted.until).failures(None).await.unwrap().groups;
    assert_eq!(later[0].muted, None, "its time is over");

    assert!(!operator.unmute(mask, None, "").await.unwrap(), "it is muted in its queue alone");
    assert!(operator.unmute(mask, Some(&mail()), "mended").await.unwrap());

    assert_eq!(told().await, (loud, vec![(4, 0), (4, 1)]));
    let audit = format!(
        "{:?}",
        stage.redis.command(&["XRANGE", &format!("{}audit", stage.redis.prefix()), "-", "+"]).await
    );
    assert!(audit.contains("set_muted") && audit.contains("known") && audit.contains("mended"), "{audit}");
}

#[tokio::test]
async fn a_muted_failure_raises_no_alert_when_its_jobs_are_dead_no_more() {
    let stage = Stage::new().await;
    dead(&stage, &["timeout after 3 s", "timeout after 40 s", "timeout after 5 s", "timeout after 7 s"])
        .await;
    let operator = stage.redis.engine().operator("ann");
    let rule = AlertRule { what: AlertKind::Dead, queue: None, over: 0 };
    operator.set_alerts(&[rule], "").await.unwrap();
    let told = async || {
        let alerts = stage.redis.inspector_at(t(DUE + 5_000)).alerts().await.unwrap();
        alerts.iter().map(|alert| alert.now).collect::<Vec<_>>()
    };
    let (mask, sms) = ("timeout after # s", "sms".parse().unwrap());
    assert!(operator.mute(mask, Some(&sms), Delay::hours(1), "").await.unwrap());
    assert_eq!(told().await, [4], "it is muted elsewhere");
    assert!(operator.mute(mask, Some(&mail()), Delay::hours(1), "").await.unwrap());
    assert!(told().await.is_empty());

    for n in 0..4 {
        stage.at(DUE + 5_000).retry_now(&id(&format!("d{n}")), &ann()).await.unwrap();
        assert_eq!(told().await, [0_u64; 0], "{} are dead still", 3 - n);
    }

    assert!(operator.unmute(mask, Some(&mail()), "").await.unwrap());
    assert_eq!(told().await, [4], "they died, whatever became of them");
}

fn example(item: &Attention) -> Option<&str> {
    match item {
        Attention::Dying { example, .. } => Some(example),
        _ => None,
    }
}

fn dying(item: Attention) -> Option<(String, u64)> {
    match item {
        Attention::Dying { error, last_hour, .. } => Some((error, last_hour)),
        _ => None,
    }
}

#[tokio::test]
async fn only_a_mask_is_muted_and_for_a_month_at_most() {
    let stage = Stage::new().await;
    let operator = stage.redis.engine().operator("ann");
    let before = stage.redis.snapshot().await;
    for (mask, span) in [("a # b", Delay::days(31)), ("a # b", Delay::ZERO), ("a 1 b", Delay::hours(1))] {
        assert_eq!(
            operator.mute(mask, None, span, "").await.unwrap_err().code(),
            "invalid",
            "{mask} {span:?}"
        );
    }
    assert_eq!(stage.redis.snapshot().await, before);
}

#[tokio::test]
async fn a_job_knows_how_many_others_have_its_error() {
    let stage = Stage::new().await;
    dead(&stage, &["timeout after 3 s", "timeout after 40 s", "timeout after all", "404"]).await;
    let inspector = stage.redis.inspector_at(t(DUE + 9_000));

    let alike = |mask: &str, others| Some(Alike::new(mask.to_owned(), others, false));
    assert_eq!(inspector.same_error(&id("d0")).await.unwrap(), alike("timeout after # s", 1));
    assert_eq!(inspector.same_error(&id("d2")).await.unwrap(), alike("timeout after all", 0));
    assert_eq!(inspector.same_error(&id("d3")).await.unwrap(), None, "nothing to search by");
    assert_eq!(inspector.same_error(&id("gone")).await.unwrap(), None);
}

#[tokio::test]
async fn others_with_the_same_error_are_counted_by_whether_they_are_tried_again() {
    let stage = Stage::new().await;
    dead(&stage, &["timeout after 3 s", "timeout after 40 s"]).await;
    for name in ["r0", "r1"] {
        stage.enqueue(DUE, name, plain(DUE)).await;
    }
    stage.at(DUE).forward(100, 0).await.unwrap();
    for job in stage.claim(DUE, 2).await {
        let again = Some(Delay::hours(1));
        stage.at(DUE + 4_000).fail(&job.id, job.token, "timeout after 5 s", again).await.unwrap();
    }
    let inspector = stage.redis.inspector_at(t(DUE + 9_000));

    let of_dead = inspector.same_error(&id("d0")).await.unwrap().unwrap();
    let of_retrying = inspector.same_error(&id("r0")).await.unwrap().unwrap();

    assert_eq!((of_dead.others, of_dead.retrying), (1, 2));
    assert_eq!((of_retrying.others, of_retrying.retrying), (2, 1));
}

#[tokio::test]
async fn a_typed_word_leads_to_what_has_that_name() {
    let stage = Stage::new().await;
    let mut job = plain(DUE);
    job.subject = Some(subject());
    let kind = job.kind.clone();
    stage.enqueue(0, "a1", job).await;
    let inspector = stage.redis.inspector_at(t(1_000));
    let hits = async |text: &str| inspector.hits(text).await.unwrap();

    assert_eq!(hits(" a1 ").await.job.map(|row| row.id), Some(id("a1")));
    let (found, rows) = hits(subject().as_str()).await.subject.unwrap();
    assert_eq!((found, rows.len()), (subject(), 1));
    assert_eq!(hits(&mail().as_str()[1..].to_uppercase()).await.queues, [mail()]);
    let (part, of_subject) = (&kind.as_str()[1..], &subject().as_str()[1..].to_uppercase());
    assert_eq!(hits(kind.as_str()).await.kinds, std::slice::from_ref(&kind));
    let found = hits(&part.to_uppercase()).await;
    assert_eq!(found.kinds, std::slice::from_ref(&kind), "by a part of its name");
    let found = hits(of_subject).await;
    assert_eq!((found.subject, found.subjects), (None, vec![subject()]), "by a part of its name");
    assert_eq!(hits(subject().as_str()).await.subjects, [], "it is there whole already");
    for nothing in ["", "   ", "nothing of that name", "a\u{0}b", &"x".repeat(10_000)] {
        assert!(hits(nothing).await.is_empty(), "{nothing:?}");
    }
}
