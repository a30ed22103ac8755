//! Who did what, read again; and an edited entry, found.

use super::scene::{Scene, id, job, queue};
use redis::Value;
use reprieve::model::{
    AuditEntry, AuditFault, AuditFilter, AuditOnly, AuditPage, BulkVerb, Delay, Kind, Offset, PlanId, Role,
    RunId, StepName, Subject, Timestamp,
};
use reprieve::testing::TestRedis;
use reprieve::{Actor, Due, NewJob, NewPlan, NewStep, Undoings};
use reprieve_access::People;

/// Three jobs of two queues and what two people do to them.
async fn busy(redis: &TestRedis) {
    let client = redis.engine().client();
    let mut jobs: Vec<NewJob> = ["a", "b", "c"].map(|name| job(name, "notice")).into();
    for job in &mut jobs {
        job.due = Due::In(Delay::days(1));
    }
    jobs[1].queue = queue("mail");
    jobs[2].subject = Some(Subject::new("order:1").unwrap());
    client.enqueue_batch(jobs).await.unwrap();
    let (ann, ben) = (redis.engine().operator("Ann"), redis.engine().operator("ben"));
    ann.hold(&id("a")).because("Legal hold").await.unwrap();
    ann.unhold(&id("a")).await.unwrap();
    ben.reschedule(&id("b"), Due::In(Delay::days(2))).because("Incident: pager (ticket 7)").await.unwrap();
    ben.cancel(&id("c")).because("Customer asked: ticket 8812").await.unwrap();
    ben.pause(&queue("mail"), "").await.unwrap();
}

async fn verbs(redis: &TestRedis, filter: AuditFilter) -> Vec<String> {
    let page = redis.engine().inspector().audit(&filter, None, 50).await.unwrap();
    assert!(!page.cut && page.next.is_none());
    page.items.into_iter().map(|entry| entry.verb).collect()
}

#[tokio::test]
async fn acts_are_read_the_latest_first_with_all_that_was_written_down() {
    let redis = TestRedis::namespace().await;
    busy(&redis).await;

    let page = redis.engine().inspector().audit(&AuditFilter::default(), None, 50).await.unwrap();

    let verbs: Vec<&str> = page.items.iter().map(|entry| entry.verb.as_str()).collect();
    assert_eq!(verbs, ["pause", "cancel", "reschedule", "unhold", "hold"]);
    let (cancel, moved, held) = (&page.items[1], &page.items[2], &page.items[4]);
    assert_eq!(
        (cancel.by.as_str(), cancel.target.as_str(), cancel.outcome.as_str()),
        ("ben", "c", "cancelled")
    );
    assert_eq!((cancel.why.as_str(), cancel.ticket.as_deref()), ("Customer asked", Some("8812")));
    assert_eq!((held.from.as_str(), held.to.as_str(), held.due_from), ("delayed", "held", None));
    assert_eq!(moved.queue, Some(queue("mail")));
    let (before, after) = (moved.due_from.unwrap(), moved.due_to.unwrap());
    assert!(after.as_millis() - before.as_millis() > 86_000_000, "a day later: {before:?} {after:?}");
}

#[tokio::test]
async fn an_entry_says_what_is_known_of_the_person_who_acted_in_their_own_name() {
    let redis = TestRedis::namespace().await;
    redis.engine().client().enqueue_batch(vec![job("a", "notice")]).await.unwrap();
    let mut ann = Actor::from("ann");
    (ann.role, ann.address) = (Some(Role::Support), Some([192, 0, 2, 7].into()));
    ann.request = "7f3a".to_owned();
    redis.engine().operator(ann.clone()).pause(&queue("mail"), "").await.unwrap();
    redis.engine().operator("ben").resume(&queue("mail"), "").await.unwrap();
    // What stands in another name is not told of her.
    People::new(redis.engine()).called_by(&ann).denied("eve", "cancel", "a", "").await.unwrap();
    ann.name = "two\nlines".to_owned();
    redis.engine().operator(ann).pause(&queue("mail"), "").await.unwrap();

    let inspector = redis.engine().inspector();
    let page = inspector.audit(&AuditFilter::default(), None, 50).await.unwrap();

    let who = |entry: &AuditEntry| {
        let AuditEntry { by, role, address, request, .. } = entry;
        format!("{by}|{role}|{address}|{request}")
    };
    let told: Vec<_> = page.items.iter().map(who).collect();
    assert_eq!(told, ["two\nlines|||", "eve|||", "ben|||", "ann|support|192.0.2.7|7f3a"]);
    assert!(inspector.verify_audit(1_000, None).await.unwrap().is_sound());
    for change in ["role", "address", "request"] {
        rewrite(&redis, |kept| {
            let fields = &mut kept[0].1;
            let place = fields.iter().position(|name| name == change).unwrap();
            fields[place + 1].push('x');
        })
        .await;
        let broken = inspector.verify_audit(1_000, None).await.unwrap().broken;
        assert_eq!(broken.map(|broken| broken.how), Some(AuditFault::Altered), "{change}");
    }
}

#[tokio::test]
async fn an_act_that_was_undone_says_who_did_on_every_page() {
    let redis = TestRedis::namespace().await;
    busy(&redis).await;
    redis.engine().operator("eve").reinstate(&id("c")).await.unwrap();
    redis.engine().operator("eve").cancel(&id("c")).await.unwrap();
    let inspector = redis.engine().inspector();
    let undone = |page: &AuditPage| -> Vec<(String, Option<String>)> {
        let of = |entry: &AuditEntry| (entry.verb.clone(), entry.undone.as_ref().map(|by| by.by.clone()));
        page.items.iter().map(of).collect()
    };
    let said = |verb: &str, by: &str| (verb.to_owned(), Some(by.to_owned()).filter(|by| !by.is_empty()));
    let all = [
        said("cancel", ""),
        said("reinstate", ""),
        said("pause", ""),
        said("cancel", "eve"),
        said("reschedule", ""),
        said("unhold", ""),
        said("hold", "Ann"),
    ];

    let whole = inspector.audit(&AuditFilter::default(), None, 50).await.unwrap();
    assert_eq!(undone(&whole), all);
    let first = inspector.audit(&AuditFilter::default(), None, 3).await.unwrap();
    let rest = inspector.audit(&AuditFilter::default(), first.next, 50).await.unwrap();
    assert_eq!(undone(&rest), all[3..]);
    // What undid it need not fit the filter.
    let by_ben = AuditFilter { by: "ben".to_owned(), verb: "cancel".to_owned(), ..AuditFilter::default() };
    assert_eq!(undone(&inspector.audit(&by_ben, None, 50).await.unwrap()), [said("cancel", "eve")]);
}

#[tokio::test]
async fn a_reader_of_all_pages_learns_what_was_undone_however_much_was_done_since() {
    let redis = TestRedis::namespace().await;
    let key = format!("{}audit", redis.prefix());
    let script = "local function add(id, verb, target)
          redis.call('XADD', KEYS[1], id .. '-' .. 1, 'at', id, 'by', 'ann', 'verb', verb, 'target', target, 'hash', '')
        end
        add(100000, 'hold', 'a')
        add(200000, 'unhold', 'a')
        for n = 1, 20500 do add(200000 + n, 'pause', 'mail') end";
    redis.command(&["EVAL", script, "1", &key]).await.unwrap();
    let inspector = redis.engine().inspector();
    let filter = AuditFilter { to: Timestamp::from_millis(150_000), ..AuditFilter::default() };
    let undone = |page: AuditPage| page.items.iter().map(|entry| entry.undone.is_some()).collect::<Vec<_>>();

    let one_page = inspector.audit(&filter, None, 10).await.unwrap();
    assert_eq!(undone(one_page), [false], "a page does not look that far");
    let all = inspector.audit_on(&filter, None, 10, &mut Undoings::of_all()).await.unwrap();
    assert_eq!(undone(all), [true]);
}

#[tokio::test]
async fn a_filter_leaves_out_what_does_not_fit() {
    let redis = TestRedis::namespace().await;
    busy(&redis).await;
    let nothing = AuditFilter::default;
    let table = [
        (AuditFilter { by: "ann".to_owned(), ..nothing() }, vec!["unhold", "hold"]),
        (AuditFilter { verb: "cancel".to_owned(), ..nothing() }, vec!["cancel"]),
        (AuditFilter { queue: Some(queue("mail")), ..nothing() }, vec!["pause", "reschedule"]),
        (AuditFilter { subject: Some(Subject::new("order:1").unwrap()), ..nothing() }, vec!["cancel"]),
        (AuditFilter { subject: Some(Subject::new("order:2").unwrap()), ..nothing() }, vec![]),
        (AuditFilter { to: Timestamp::from_millis(1), ..nothing() }, vec![]),
        (AuditFilter { from: Some(Timestamp::saturating_from_millis(i64::MAX)), ..nothing() }, vec![]),
        (AuditFilter { only: Some(AuditOnly::Bulk), ..nothing() }, vec![]),
        (AuditFilter { only: Some(AuditOnly::Denied), ..nothing() }, vec![]),
    ];
    for (filter, wanted) in table {
        let said = format!("{filter:?}");
        assert_eq!(verbs(&redis, filter).await, wanted, "{said}");
    }
    let now = redis.engine().now().await.unwrap();
    let recent = Timestamp::saturating_from_millis(now.as_millis() - 60_000);
    assert_eq!(verbs(&redis, AuditFilter { from: Some(recent), to: Some(now), ..nothing() }).await.len(), 5);
}

#[tokio::test]
async fn what_was_done_to_a_plan_belongs_to_its_subject() {
    let redis = TestRedis::namespace().await;
    let subject = Subject::new("resource:4711").unwrap();
    let step = NewStep::new(
        StepName::new("delete").unwrap(),
        Offset::after(Delay::days(2)),
        NewJob::new(Kind::new("delete").unwrap(), "{}"),
    );
    let plan = NewPlan::new(PlanId::new("expiry").unwrap(), subject.clone()).step(step);
    redis.engine().client().make_plan(&plan).await.unwrap();
    redis.engine().operator("ann").plan(&plan.id).cancel().because("renewed").await.unwrap();
    let filter = AuditFilter { subject: Some(subject), ..AuditFilter::default() };
    assert!(verbs(&redis, filter).await.contains(&"cancel_plan".to_owned()));
}

#[tokio::test]
async fn a_bulk_run_belongs_to_the_subjects_of_the_jobs_that_it_changed() {
    let redis = TestRedis::namespace().await;
    busy(&redis).await;
    let ann = redis.engine().operator("ann");
    let subject = Subject::new("order:7").unwrap();
    let mut one = job("d", "notice");
    (one.due, one.subject) = (Due::In(Delay::days(1)), Some(subject.clone()));
    redis.engine().client().enqueue_batch(vec![one]).await.unwrap();
    let mut runs = Vec::new();
    for ids in [["a", "d"], ["b", "b"]] {
        let jobs = ids.map(|job| (id(job), reprieve::model::Version(if job == "d" { 1 } else { 3 })));
        let run = ann.bulk(BulkVerb::Cancel).jobs(jobs.into()).freeze().await.unwrap();
        ann.start_bulk(&run.id, None, "Customer asked").await.unwrap();
        while ann.step_bulk(&run.id, 10).await.unwrap().is_some_and(|step| !step.state.is_over()) {}
        runs.push(run.id);
    }

    let filter = AuditFilter { subject: Some(subject), ..AuditFilter::default() };
    let page = redis.engine().inspector().audit(&filter, None, 50).await.unwrap();
    assert_eq!(page.items.len(), 2, "its start and its end: {page:?}");
    assert!(
        page.items.iter().all(|entry| entry.verb == "bulk_cancel" && entry.target == runs[0].as_str()),
        "{page:?}"
    );

    // What is done to the job later takes nothing away.
    ann.reinstate(&id("d")).await.unwrap();
    let page = redis.engine().inspector().audit(&filter, None, 50).await.unwrap();
    assert_eq!(page.items.len(), 3, "{page:?}");
}

#[tokio::test]
async fn pages_of_all_shards_hold_every_entry_once_in_order() {
    let redis = TestRedis::with_shards(3).await;
    let jobs: Vec<NewJob> = (0..30)
        .map(|n| {
            let mut job = job(&format!("j{n}"), "notice");
            job.due = Due::In(Delay::days(1));
            job
        })
        .collect();
    redis.engine().client().enqueue_batch(jobs).await.unwrap();
    let operator = redis.engine().operator("ann");
    for n in 0..30 {
        operator.hold(&id(&format!("j{n}"))).await.unwrap();
    }
    let (inspector, mut seen, mut before) = (redis.engine().inspector(), Vec::new(), None);
    loop {
        let page = inspector.audit(&AuditFilter::default(), before, 7).await.unwrap();
        assert!(page.items.len() <= 7);
        seen.extend(page.items);
        before = page.next;
        if before.is_none() {
            break;
        }
    }
    assert_eq!(seen.len(), 30);
    assert!(seen.windows(2).all(|pair| pair[0].place > pair[1].place));
    let check = inspector.verify_audit(1_000, None).await.unwrap();
    assert!(check.is_sound() && check.complete, "{check:?}");
    assert_eq!((check.checked, check.heads.len()), (30, 3));
}

/// An entry's id and its fields.
type Entry = (String, Vec<String>);

/// What somebody did to them.
type Change = fn(&mut Vec<Entry>);

/// All entries.
async fn entries(redis: &TestRedis, key: &str) -> Vec<Entry> {
    let reply: Value = redis.command(&["XRANGE", key, "-", "+"]).await.unwrap();
    redis::from_redis_value(reply).unwrap()
}

/// Writes the stream anew with what `change` makes of its entries.
async fn rewrite(redis: &TestRedis, change: impl FnOnce(&mut Vec<Entry>)) {
    let key = format!("{}audit", redis.prefix());
    let mut kept = entries(redis, &key).await;
    change(&mut kept);
    redis.command(&["DEL", &key]).await.unwrap();
    for (id, fields) in &kept {
        let mut words = vec!["XADD", key.as_str(), id.as_str()];
        words.extend(fields.iter().map(String::as_str));
        redis.command(&words).await.unwrap();
    }
}

#[tokio::test]
async fn one_edited_entry_is_found_and_named() {
    for field in ["by", "verb", "target", "why", "outcome", "from", "to", "at", "queue", "due_to", "hash"] {
        let redis = TestRedis::namespace().await;
        busy(&redis).await;
        let inspector = redis.engine().inspector();
        assert!(inspector.verify_audit(1_000, None).await.unwrap().is_sound());

        // The third entry is the rescheduling of b.
        rewrite(&redis, |kept| {
            let fields = &mut kept[2].1;
            let place = fields.iter().position(|name| name == field).unwrap() + 1;
            let changed = if fields[place].starts_with('9') { "8" } else { "9" };
            let first = fields[place].len().min(1);
            fields[place].replace_range(0..first, changed);
        })
        .await;

        let check = inspector.verify_audit(1_000, None).await.unwrap();
        let broken = check.broken.clone().unwrap_or_else(|| panic!("{field} was changed unseen"));
        assert_eq!((broken.how, check.checked), (AuditFault::Altered, 3), "{field}");
        assert_eq!(broken.entry.unwrap().operation, "", "{field}");
        assert!(!check.is_sound());
    }
}

#[tokio::test]
async fn an_entry_that_was_removed_or_put_in_is_found() {
    let table: [(Change, AuditFault); 4] = [
        (|kept| drop(kept.remove(2)), AuditFault::Unlinked),
        (|kept| drop(kept.pop()), AuditFault::Shortened),
        (Vec::clear, AuditFault::Shortened),
        (
            |kept| {
                let mut copy = kept[1].clone();
                // Before the first: two entries of the same millisecond have no room between them.
                let first_ms: u64 = kept[0].0.split_once('-').unwrap().0.parse().unwrap();
                copy.0 = format!("{}-0", first_ms - 1);
                kept.insert(0, copy);
            },
            AuditFault::Unlinked,
        ),
    ];
    for (change, how) in table {
        let redis = TestRedis::namespace().await;
        busy(&redis).await;
        rewrite(&redis, change).await;
        let check = redis.engine().inspector().verify_audit(1_000, None).await.unwrap();
        assert_eq!(check.broken.map(|broken| broken.how), Some(how));
    }
}

#[tokio::test]
async fn entries_that_went_with_their_age_break_nothing_and_an_anchor_shows_what_was_written_anew() {
    let redis = TestRedis::namespace().await;
    busy(&redis).await;
    let inspector = redis.engine().inspector();
    let head = inspector.verify_audit(1_000, None).await.unwrap().heads.remove(0);
    rewrite(&redis, |kept| drop(kept.drain(..2))).await;
    redis.engine().operator("ann").resume(&queue("mail"), "").await.unwrap();

    let check = inspector.verify_audit(1_000, Some(&head)).await.unwrap();
    assert_eq!((check.is_sound(), check.anchored, check.checked), (true, Some(true), 4));
    let elsewhere = inspector.verify_audit(1_000, Some("no such hash")).await.unwrap();
    assert!(elsewhere.broken.is_none() && !elsewhere.is_sound());
    let part = inspector.verify_audit(2, None).await.unwrap();
    assert_eq!((part.complete, part.checked), (false, 2));
    let newest = inspector.verify_audit(1_000, None).await.unwrap().heads.remove(0);
    let part = inspector.verify_audit(1, Some(&newest)).await.unwrap();
    assert_eq!((part.is_sound(), part.complete, part.anchored), (true, false, None), "nobody knows yet");
}

#[tokio::test]
async fn one_act_on_many_jobs_is_one_entry_that_is_read_job_by_job() {
    const JOBS: usize = 60;
    let redis = TestRedis::namespace().await;
    // Ids so long that one entry does not hold them all.
    let ids: Vec<String> = (0..JOBS).map(|number| format!("{number:02}-{}", "x".repeat(60))).collect();
    let order = Subject::new("order:1").unwrap();
    let jobs = ids.iter().map(|id| {
        let mut job = job(id, "notice");
        (job.subject, job.due) = (Some(order.clone()), Due::In(Delay::days(1)));
        job
    });
    redis.engine().client().enqueue_batch(jobs.collect()).await.unwrap();
    let ann = redis.engine().operator("ann");
    ann.cancel_subject(&order).because("Customer asked").await.unwrap();
    ann.pause(&queue("mail"), "").await.unwrap();
    let inspector = redis.engine().inspector();

    let filter = AuditFilter { subject: Some(order), ..AuditFilter::default() };
    let (mut told, mut places, mut before) = (Vec::new(), Vec::new(), None);
    loop {
        let page = inspector.audit(&filter, before, 7).await.unwrap();
        told.extend(page.items.iter().map(|entry| entry.target.clone()));
        places.extend(page.items.iter().map(|entry| entry.place));
        assert!(page.items.iter().all(|entry| entry.verb == "cancel" && entry.why == "Customer asked"));
        before = page.next;
        if before.is_none() {
            break;
        }
    }
    told.sort();
    assert_eq!(told, ids);
    assert!(places.is_sorted_by(|later, earlier| later > earlier), "{places:?}");

    let check = inspector.verify_audit(1_000, None).await.unwrap();
    assert!(check.is_sound() && (3..6).contains(&check.checked), "{check:?}");
    for (what, change) in [
        ("another job", (|fields| fields[7].replace_range(..2, "99")) as fn(&mut Vec<String>)),
        ("another name", |fields| fields[6] = "target".to_owned()),
        ("a job less", |fields| fields[7].truncate(63)),
    ] {
        let mut whole = Vec::new();
        rewrite(&redis, |kept| {
            whole = kept[0].1.clone();
            change(&mut kept[0].1);
        })
        .await;
        let broken = inspector.verify_audit(1_000, None).await.unwrap().broken;
        assert_eq!(broken.map(|broken| broken.how), Some(AuditFault::Altered), "{what}");
        rewrite(&redis, |kept| kept[0].1 = whole).await;
        assert!(inspector.verify_audit(1_000, None).await.unwrap().is_sound());
    }
}

#[tokio::test]
async fn a_bulk_run_is_found_among_what_was_done_to_many() {
    let scene = Scene::new().await;
    let mut waiting = job("a", "notice");
    waiting.due = Due::In(Delay::days(1));
    scene.enqueue(vec![waiting]).await;
    let operator = scene.engine.operator("ann");
    let frozen =
        operator.bulk(BulkVerb::Hold).jobs(vec![(id("a"), reprieve::model::Version(1))]).freeze().await;
    let run = frozen.unwrap();
    operator.start_bulk(&run.id, None, "a test").await.unwrap();
    let filter = AuditFilter { only: Some(AuditOnly::Bulk), ..AuditFilter::default() };
    let page = scene.engine.inspector().audit(&filter, None, 10).await.unwrap();
    assert!(page.items.iter().all(|entry| entry.target == run.id.as_str() && entry.is_bulk()));
    assert!(!page.items.is_empty());
}

#[tokio::test]
async fn a_bulk_run_is_undone_once_the_run_that_undoes_it_has_done_so_and_not_before() {
    let redis = TestRedis::namespace().await;
    busy(&redis).await;
    let ann = redis.engine().operator("ann");
    let done = async |run: &RunId| {
        ann.start_bulk(run, None, "a test").await.unwrap();
        while ann.step_bulk(run, 10).await.unwrap().is_some_and(|step| !step.state.is_over()) {}
    };
    let is_undone = async |run: &RunId| {
        let filter = AuditFilter { only: Some(AuditOnly::Bulk), ..AuditFilter::default() };
        let page = redis.engine().inspector().audit(&filter, None, 50).await.unwrap();
        page.items.iter().any(|entry| entry.target == run.as_str() && entry.undone.is_some())
    };
    let run = ann.bulk(BulkVerb::Hold).freeze().await.unwrap().id;
    done(&run).await;

    let first = ann.undo_bulk(&run, None, "").await.unwrap().id;
    assert!(!is_undone(&run).await, "nothing has changed yet");
    ann.start_bulk(&first, None, "").await.unwrap();
    ann.abort_bulk(&first, "the wrong run").await.unwrap();
    assert!(!is_undone(&run).await, "the undo was aborted");

    let second = ann.undo_bulk(&run, None, "").await.unwrap().id;
    done(&second).await;
    assert!(is_undone(&run).await);
    let third = ann.undo_bulk(&second, None, "").await.unwrap().id;
    done(&third).await;
    assert!(is_undone(&second).await && !is_undone(&run).await, "it is as it was left again");
}
