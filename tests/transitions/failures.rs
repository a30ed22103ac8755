//! Dead jobs by their error, and where a typed word leads.

use super::seed::{DUE, Stage, id, mail, plain, subject, t};

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
    dead(&stage, &["timeout after 3 s", "timeout after 40 s", "no user \"ann\"", "timeout after 7 s"]).await;

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
async fn a_job_knows_how_many_others_have_its_error() {
    let stage = Stage::new().await;
    dead(&stage, &["timeout after 3 s", "timeout after 40 s", "timeout after all", "404"]).await;
    let inspector = stage.redis.inspector_at(t(DUE + 9_000));

    assert_eq!(inspector.same_error(&id("d0")).await.unwrap(), Some((1, false)));
    assert_eq!(inspector.same_error(&id("d2")).await.unwrap(), Some((0, false)));
    assert_eq!(inspector.same_error(&id("d3")).await.unwrap(), None, "nothing to search by");
    assert_eq!(inspector.same_error(&id("gone")).await.unwrap(), None);
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
    assert_eq!(hits(kind.as_str()).await.kinds, [kind]);
    for nothing in ["", "   ", "nothing of that name", "a\u{0}b", &"x".repeat(10_000)] {
        assert!(hits(nothing).await.is_empty(), "{nothing:?}");
    }
}
