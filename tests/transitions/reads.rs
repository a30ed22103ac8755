//! Lists, counts and charts.

use super::seed::{DUE, Stage, ann, id, mail, plain, subject, t};
use reprieve::Due;
use reprieve::model::{
    ConcurrencyKey, Delay, Direction, Held, JobState, ListQuery, MinuteStats, Page, PerMinute, Priority,
    QueueLimits, QueueName, StateGroup,
};
use reprieve::store::Intent;

/// Jobs over three queues, many of them due in the same millisecond.
async fn with_ties(stage: &Stage) -> Vec<(i64, String)> {
    let mut expected = Vec::new();
    for n in 0..60_i64 {
        let (due, name) = (DUE + n / 20, format!("j{:02}", (n * 37) % 60));
        let mut job = plain(due);
        job.queue = QueueName::new(["one", "two", "three"][usize::try_from(n % 3).unwrap()]).unwrap();
        stage.enqueue(0, &name, job).await;
        expected.push((due, name));
    }
    expected.sort();
    expected
}

fn names(page: &Page) -> Vec<String> {
    page.rows.iter().map(|row| row.id.as_str().to_owned()).collect()
}

async fn page_through(stage: &Stage, direction: Direction, size: u16) -> Vec<String> {
    let inspector = stage.redis.engine().inspector();
    let mut query = ListQuery::group(StateGroup::Delay).direction(direction).size(size);
    let mut all = Vec::new();
    for _ in 0..100 {
        let page = inspector.list(&query).await.unwrap();
        assert!(page.rows.len() <= usize::from(size));
        all.extend(names(&page));
        match page.next {
            Some(next) => query = query.after(Some(next)),
            None => return all,
        }
    }
    panic!("the pages never end: {all:?}");
}

#[tokio::test]
async fn pages_show_every_row_once_in_both_directions_over_ties_and_queues() {
    let stage = Stage::new().await;
    let mut expected: Vec<String> = with_ties(&stage).await.into_iter().map(|(_, name)| name).collect();
    for size in [1, 7, 20, 60, 200] {
        assert_eq!(page_through(&stage, Direction::Ascending, size).await, expected, "size {size}");
    }
    expected.reverse();
    for size in [1, 7, 20, 60, 200] {
        assert_eq!(page_through(&stage, Direction::Descending, size).await, expected, "size {size}");
    }
}

#[tokio::test]
async fn pages_stay_right_while_rows_vanish_even_the_one_the_cursor_names() {
    for direction in [Direction::Ascending, Direction::Descending] {
        let stage = Stage::new().await;
        let mut expected: Vec<String> = with_ties(&stage).await.into_iter().map(|(_, name)| name).collect();
        if direction == Direction::Descending {
            expected.reverse();
        }
        let inspector = stage.redis.engine().inspector();
        let query = ListQuery::group(StateGroup::Delay).direction(direction).size(10);
        let first = inspector.list(&query).await.unwrap();
        assert_eq!((names(&first), first.total), (expected[..10].to_vec(), 60));

        for gone in [9, 10, 12] {
            stage.at(1).cancel(&id(&expected[gone]), &ann()).await.unwrap();
        }
        let second = inspector.list(&query.after(first.next)).await.unwrap();

        let left: Vec<_> = [11].into_iter().chain(13..22).map(|n| expected[n].clone()).collect();
        assert_eq!((names(&second), second.total), (left, 57), "{direction:?}");
    }
}

#[tokio::test]
async fn a_list_begins_with_what_is_due_next_or_has_waited_longest_and_with_what_ended_last() {
    for (group, expected) in [
        (StateGroup::Delay, ["b", "a"]),
        (StateGroup::Ready, ["b", "a"]),
        (StateGroup::Dead, ["a", "b"]),
        (StateGroup::Done, ["a", "b"]),
    ] {
        let stage = Stage::new().await;
        // In time against the order of their names, which decides between equal times.
        for (ms, name) in [(10, "b"), (20, "a")] {
            let due = if group == StateGroup::Delay { DUE + ms } else { -1 };
            stage.enqueue(ms, name, plain(due)).await;
        }
        for ms in [30, 40] {
            let ended = stage.at(ms + 5);
            match group {
                StateGroup::Dead => {
                    let job = stage.claim(ms, 1).await.remove(0);
                    ended.fail(&job.id, job.token, "no such resource", None).await.map(drop).unwrap();
                }
                StateGroup::Done => {
                    let job = stage.claim(ms, 1).await.remove(0);
                    ended.complete(&[(job.id, job.token)]).await.map(drop).unwrap();
                }
                _ => {}
            }
        }
        let page = stage.redis.engine().inspector().list(&ListQuery::group(group)).await.unwrap();
        assert_eq!(names(&page), expected, "{group}");
    }
}

#[tokio::test]
async fn a_list_can_be_of_one_queue() {
    let stage = Stage::new().await;
    with_ties(&stage).await;
    let two = QueueName::new("two").unwrap();
    let query = ListQuery::group(StateGroup::Delay).queue(Some(two.clone())).size(200);
    let page = stage.redis.engine().inspector().list(&query).await.unwrap();
    assert_eq!((page.rows.len(), page.total, page.next), (20, 20, None));
    assert!(page.rows.iter().all(|row| row.queue == two));
}

#[tokio::test]
async fn every_group_lists_its_states() {
    for state in JobState::ALL {
        let stage = Stage::new().await;
        stage.given(state).await;
        for group in StateGroup::ALL {
            let page = stage.redis.engine().inspector().list(&ListQuery::group(group)).await.unwrap();
            let expected = if group == StateGroup::of(state) { vec!["a1"] } else { vec![] };
            assert_eq!(names(&page), expected, "{state} in {group}");
        }
    }
}

#[tokio::test]
async fn a_row_tells_who_holds_the_job_since_when_and_why() {
    let stage = Stage::new().await;
    for name in ["a", "b", "c"] {
        stage.enqueue(0, name, plain(DUE)).await;
    }
    stage.at(1).hold(&id("a"), &ann()).await.unwrap();
    stage.at(2).hold(&id("b"), &Intent::of("ann")).await.unwrap();
    // Put off while it is held, by somebody else: that does not make it theirs.
    stage.at(3).reschedule(&id("a"), &Intent::of("bob"), Due::At(t(DUE + 5))).await.unwrap();

    let page = stage.redis.engine().inspector().list(&ListQuery::group(StateGroup::Held)).await.unwrap();

    let mut held: Vec<_> = page.rows.iter().map(|row| (row.id.to_string(), row.held.clone())).collect();
    held.sort_by(|one, other| one.0.cmp(&other.0));
    let expected = |at, why: &str| Some(Held::new(t(at), "ann".to_owned(), why.to_owned()));
    assert_eq!(held, [("a".to_owned(), expected(1, &ann().why)), ("b".to_owned(), expected(2, ""))]);
    let page = stage.redis.engine().inspector().list(&ListQuery::group(StateGroup::Delay)).await.unwrap();
    assert_eq!(page.rows[0].held, None);
}

#[tokio::test]
async fn due_ahead_counts_each_span_and_puts_what_is_overdue_into_the_first() {
    let stage = Stage::new().await;
    // 0 to 999 is the first span, 1,000 the start of the second.
    for (name, due) in [("a", 1), ("b", 999), ("c", 1_000), ("d", 2_500), ("e", 9_000)] {
        stage.enqueue(0, name, plain(due)).await;
    }
    stage.at(0).hold(&id("d"), &ann()).await.unwrap();
    let store = stage.redis.store();
    let other = QueueName::new("other").unwrap();
    for (now, queue, expected) in [
        (0, None, [2, 1, 0]),
        (0, Some(mail()), [2, 1, 0]),
        (5_000, None, [3, 0, 0]),
        (0, Some(other), [0, 0, 0]),
    ] {
        let counts = store.at(t(now)).due_ahead(queue.as_ref(), Delay::seconds(1), 3).await.unwrap();
        assert_eq!(counts, expected, "{queue:?} at {now}");
    }
}

#[tokio::test]
async fn a_survey_counts_every_state_and_shows_heads_and_pauses() {
    let stage = Stage::new().await;
    for (name, due) in [("a", DUE), ("b", DUE + 1), ("c", -1), ("d", -1), ("e", DUE)] {
        stage.enqueue(0, name, plain(due)).await;
    }
    stage.at(1).hold(&id("a"), &ann()).await.unwrap();
    stage.at(2).cancel(&id("e"), &ann()).await.unwrap();
    stage.claim(3, 1).await;
    stage.at(4).pause(&mail(), &ann()).await.unwrap();

    let survey = stage.redis.store().survey(None).await.unwrap();

    let queue = &survey.queues[0];
    let counts = JobState::ALL.map(|state| queue.counts.of(state));
    assert_eq!(counts, [1, 1, 1, 1, 0, 0, 0, 1]);
    assert_eq!((queue.next_due, queue.oldest_ready), (Some(t(DUE + 1)), Some(t(0))));
    let paused = queue.paused.as_ref().unwrap();
    assert_eq!((paused.at, paused.by.as_str(), paused.why.as_str()), (t(4), "ann", "the customer called"));
}

#[tokio::test]
async fn a_survey_adds_up_over_more_queues_than_one_call_looks_at() {
    let stage = Stage::new().await;
    let jobs: Vec<_> = (0..470)
        .map(|n| {
            let mut job = plain(DUE + n);
            job.queue = QueueName::new(format!("q{:03}", n % 330)).unwrap();
            (id(&format!("j{n}")), job)
        })
        .collect();
    stage.at(0).enqueue("client", &jobs).await.unwrap();
    let unused = QueueName::new("unused").unwrap();
    stage.at(1).pause(&unused, &ann()).await.unwrap();
    for queue in ["q310", "q007"] {
        stage.command(&["SET", &format!("*q:{queue}:done"), "text"]).await;
    }

    let survey = stage.redis.store().survey(None).await.unwrap();

    let mut expected: Vec<_> =
        (0..330).map(|n| (format!("q{n:03}"), if n < 140 { 2 } else { 1 }, Some(t(DUE + n)))).collect();
    expected.push((unused.to_string(), 0, None));
    let glances = survey.queues.iter();
    let found: Vec<_> =
        glances.map(|queue| (queue.name.to_string(), queue.counts.delayed, queue.next_due)).collect();
    assert_eq!(found, expected);
    assert!(survey.queues[330].paused.is_some());
    let sample = format!("{}q:q007:done", stage.redis.prefix());
    assert_eq!((survey.damaged_keys, survey.damaged_sample), (2, Some(sample)));
}

#[tokio::test]
async fn how_long_ago_due_jobs_were_looked_for_is_told_without_a_look_at_the_queues() {
    let stage = Stage::new().await;
    let age = async || stage.redis.engine().at(t(2_500)).inspector().forwarder_age().await.unwrap();
    assert_eq!(age().await, None);

    stage.at(0).forward(10, 0).await.unwrap();
    stage.command(&["SET", "*queues", "text"]).await;

    assert!(stage.redis.store().survey(None).await.is_err());
    assert_eq!(age().await, Some(Delay::millis(2_500)));
}

#[tokio::test]
async fn the_glance_at_many_queues_tells_of_each_what_its_own_minutes_tell() {
    const MINUTE: i64 = 60_000;
    let stage = Stage::new().await;
    let queue = |n: i64| QueueName::new(format!("q{n:03}")).unwrap();
    // In each queue another number of jobs, minutes apart, all of them late and some done.
    for minute in 0..4 {
        let jobs: Vec<_> = (0..300)
            .filter(|n| n % 4 >= minute)
            .map(|n| {
                let mut job = plain(minute * MINUTE + 99 - n % 99);
                job.queue = queue(n);
                (id(&format!("j{minute}-{n}")), job)
            })
            .collect();
        stage.at(minute * MINUTE).enqueue("client", &jobs).await.unwrap();
        let store = stage.at(minute * MINUTE + 100);
        while store.forward(100, 0).await.unwrap().moved > 0 {}
        for n in 0..9 {
            let claimed = store.claim("w", Delay::seconds(1), 1, &[(queue(n), 1)]).await.unwrap();
            let done: Vec<_> = claimed.into_iter().map(|job| (job.id, job.token)).collect();
            store.complete(&done).await.unwrap();
        }
    }
    let engine = stage.redis.engine().at(t(5 * MINUTE));
    let inspector = engine.inspector();

    let queues = inspector.queues().await.unwrap();

    assert_eq!(queues.len(), 300);
    for n in [0, 1, 2, 3, 7, 8, 9, 150, 299] {
        let found = &queues[usize::try_from(n).unwrap()];
        assert_eq!(found.name, queue(n));
        let minutes = inspector.stats(Some(&queue(n)), 60).await.unwrap();
        let recent = &minutes[54..59];
        let tenths =
            |count: fn(&MinuteStats) -> u64| PerMinute { tenths: recent.iter().map(count).sum::<u64>() * 2 };
        let rates = (tenths(|minute| minute.enqueued), tenths(|minute| minute.done));
        assert_eq!((found.in_per_minute, found.out_per_minute), rates, "queue {n}");
        assert!(found.in_per_minute.tenths > 0);
        let mut late = minutes[45].late.clone();
        minutes[46..].iter().for_each(|minute| late.add(&minute.late));
        assert_eq!(found.late_ms_p99, late.percentile_ms(99), "queue {n}");
    }
    assert!(queues[8].late_ms_p99.is_some());
}

#[tokio::test]
async fn the_oldest_ready_job_is_the_one_that_waits_longest_whatever_its_priority() {
    let stage = Stage::new().await;
    for (at, name, priority) in [(5, "old", 9), (20, "middle", 5), (30, "urgent", 0), (40, "late", 9)] {
        let mut job = plain(-1);
        job.priority = Priority::new(priority).unwrap();
        stage.enqueue(at, name, job).await;
    }

    let survey = stage.redis.store().survey(None).await.unwrap();

    assert_eq!(survey.queues[0].oldest_ready, Some(t(5)));
}

#[tokio::test]
async fn a_job_that_waits_for_its_full_concurrency_key_may_be_the_oldest_ready_one() {
    let stage = Stage::new().await;
    let limits = QueueLimits { concurrency_per_key: Some(1), ..QueueLimits::default() };
    stage.at(0).limit(&mail(), &ann(), &limits).await.unwrap();
    for (at, name) in [(1, "runs"), (5, "waits")] {
        let mut job = plain(-1);
        job.concurrency_key = Some(ConcurrencyKey::new("a").unwrap());
        stage.enqueue(at, name, job).await;
    }
    assert_eq!(stage.claim(10, 9).await.len(), 1);
    stage.enqueue(30, "free", plain(-1)).await;

    let survey = stage.redis.store().survey(None).await.unwrap();

    assert_eq!(survey.queues[0].oldest_ready, Some(t(5)));
}

#[tokio::test]
async fn a_subject_shows_live_and_ended_jobs() {
    let stage = Stage::new().await;
    for name in ["a", "b"] {
        let mut job = plain(DUE);
        job.subject = Some(subject());
        stage.enqueue(0, name, job).await;
    }
    stage.at(1).cancel(&id("a"), &ann()).await.unwrap();
    let jobs = stage.redis.engine().inspector().subject(&subject()).await.unwrap().jobs;
    let states: Vec<_> = jobs.iter().map(|row| (row.id.as_str().to_owned(), row.state)).collect();
    let expected = [("a".to_owned(), JobState::Cancelled), ("b".to_owned(), JobState::Delayed)];
    assert_eq!(states, expected);
}

#[tokio::test]
async fn a_subject_with_all_the_jobs_it_may_have_shows_each_of_them() {
    let stage = Stage::new().await;
    let (mut ended, mut live) = (Vec::new(), Vec::new());
    for (round, expected) in [(0, &mut ended), (1, &mut live)] {
        let jobs: Vec<_> = (0..1_000)
            .map(|n| {
                let mut job = plain(DUE + n / 7);
                job.subject = Some(subject());
                (id(&format!("j{round}-{:03}", (n * 77) % 1_000)), job)
            })
            .collect();
        for batch in jobs.chunks(500) {
            stage.at(0).enqueue("client", batch).await.unwrap();
        }
        if round == 0 {
            for (n, (job, _)) in (0_i64..).zip(&jobs).step_by(250) {
                stage.at(n + 1).cancel(job, &ann()).await.unwrap();
            }
            stage.at(2_000).cancel_subject(&subject(), &ann(), 1_000).await.unwrap();
        }
        expected.extend(jobs.into_iter().map(|(id, _)| id));
    }

    let (rows, ..) = stage.redis.store().subject(&subject(), 1_000).await.unwrap();

    let found: Vec<_> = rows.iter().map(|row| (row.id.clone(), row.state)).collect();
    // Live ones by their ids; those that were called off last, and of them the last by its id, before the others.
    live.sort();
    let mut early: Vec<_> = ended.iter().step_by(250).cloned().collect();
    early.reverse();
    let mut late: Vec<_> = ended.into_iter().filter(|id| !early.contains(id)).collect();
    late.sort();
    late.reverse();
    let live = live.into_iter().map(|id| (id, JobState::Delayed));
    let ended = late.into_iter().chain(early).map(|id| (id, JobState::Cancelled));
    assert_eq!(found, live.chain(ended).collect::<Vec<_>>());

    let few = stage.redis.store().subject(&subject(), 150).await.unwrap().0;
    assert_eq!(few.len(), 300);
    assert_eq!(few[..150], rows[..150]);
    assert_eq!(few[150..], rows[1_000..1_150]);
    let page = stage.redis.engine().inspector().subject(&subject()).await.unwrap().jobs;
    assert_eq!(page.len(), 2_000);
    assert!(page.is_sorted_by_key(|row| (row.due, row.id.clone())));
}

#[tokio::test]
async fn a_job_whose_time_passed_while_it_was_held_is_late_from_when_it_was_let_go() {
    let stage = Stage::new().await;
    stage.enqueue(0, "a", plain(DUE)).await;
    stage.at(1).hold(&id("a"), &ann()).await.unwrap();
    stage.at(DUE + 60_000).unhold(&id("a"), &ann()).await.unwrap();

    stage.at(DUE + 60_002).forward(9, 0).await.unwrap();

    let late = &stage.at(DUE + 60_002).stats(Some(&mail()), 1).await.unwrap()[0].late;
    assert_eq!((late.counts[1], late.total()), (1, 1), "{late:?}");
    stage.assert_sound().await;
}

#[tokio::test]
async fn lateness_falls_into_the_bucket_of_its_bound() {
    let stage = Stage::new().await;
    // Late by 0, 1, 2, 3 and 400,000 ms: buckets 0, 0, 1, 2 and the one beyond all bounds.
    for late in [0, 1, 2, 3, 400_000] {
        stage.enqueue(0, &format!("j{late}"), plain(DUE - late)).await;
    }
    stage.at(DUE).forward(9, 0).await.unwrap();
    // Another one that is due at once is no part of them.
    stage.enqueue(DUE, "at-once", plain(0)).await;
    assert_eq!(stage.claim(DUE + 20_000, 9).await.len(), 6);

    let minutes = stage.at(DUE + 20_000).stats(Some(&mail()), 1).await.unwrap();
    let (late, wait) = (&minutes[0].late, &minutes[0].wait);
    assert_eq!((&late.counts[..4], late.counts[16], late.total()), (&[2, 1, 1, 0][..], 1, 5));
    assert_eq!((wait.counts[13], wait.total()), (6, 6), "the time until a worker came is the wait");
}

#[tokio::test]
async fn pages_are_right_where_one_queue_has_most_of_what_comes_first() {
    let stage = Stage::new().await;
    let (mut jobs, mut expected) = (Vec::new(), Vec::new());
    for n in 0..200_i64 {
        let queue = if n % 5 == 0 { format!("q{}", n % 25) } else { "most".to_owned() };
        let (due, name) = (DUE + n / 7, format!("j{:03}", (n * 77) % 200));
        let mut job = plain(due);
        job.queue = QueueName::new(queue).unwrap();
        jobs.push((id(&name), job));
        expected.push((due, name));
    }
    stage.at(0).enqueue("client", &jobs).await.unwrap();
    expected.sort();
    let mut expected: Vec<String> = expected.into_iter().map(|(_, name)| name).collect();
    for size in [3, 33, 100] {
        assert_eq!(page_through(&stage, Direction::Ascending, size).await, expected, "size {size}");
    }
    expected.reverse();
    for size in [3, 33, 100] {
        assert_eq!(page_through(&stage, Direction::Descending, size).await, expected, "size {size}");
    }
}

#[tokio::test]
async fn due_ahead_adds_up_over_more_queues_than_one_call_looks_at() {
    const SPANS: u16 = 100;
    let stage = Stage::new().await;
    let (mut jobs, mut expected) = (Vec::new(), vec![0_u64; usize::from(SPANS)]);
    // More jobs than spans in each of these, so that each span is counted: 60 times 100 counts.
    for n in 0..7_200_i64 {
        let second = n / 60;
        let mut job = plain(second * 1_000 + 5);
        job.queue = QueueName::new(format!("q{}", n % 60)).unwrap();
        jobs.push((id(&format!("j{n}")), job));
        if let Some(count) = expected.get_mut(usize::try_from(second).unwrap()) {
            *count += 1;
        }
    }
    for chunk in jobs.chunks(500) {
        stage.at(0).enqueue("client", chunk).await.unwrap();
    }
    assert_eq!(stage.at(0).due_ahead(None, Delay::seconds(1), SPANS).await.unwrap(), expected);
}

#[tokio::test]
async fn the_stream_has_some_twenty_thousand_entries_of_two_hundred_jobs_at_most() {
    let stage = Stage::new().await;
    let jobs: Vec<_> = (0..450).map(|number| (id(&format!("j{number}")), plain(DUE))).collect();
    stage.at(0).enqueue("client", &jobs).await.unwrap();
    let events = format!("{}events", stage.redis.prefix());
    let length = async || -> u64 {
        redis::from_redis_value(stage.redis.command(&["XLEN", &events]).await.unwrap()).unwrap()
    };
    assert_eq!(length().await, 3);

    let fill = "for n = 1, 25000 do redis.call('XADD', KEYS[1], '*', 'at', n) end";
    stage.redis.command(&["EVAL", fill, "1", &events]).await.unwrap();
    stage.enqueue(1, "last", plain(DUE)).await;

    // Whole nodes of the stream go.
    assert!((20_000..20_200).contains(&length().await), "{}", length().await);
}
