//! Each act of each role by a raw request: it is done or refused, and what stands in the audit says so, with who it was,
//! as what, from where and by which request.

use crate::house::{House, Reply, method_of};
use crate::rights::may;
use http::{Method, StatusCode};
use reprieve::model::{
    AuditEntry, AuditFilter, BulkVerb, Delay, JobId, RedactionRule, Role, RunId, WorkerInfo,
};
use reprieve::{Due, NewJob};
use reprieve_server::route_policy;
use std::collections::BTreeSet;
use std::time::{Duration, Instant};

/// Acts by their door, with what the form says, `{}` for the role, and the verb that the audit then has.
const ACTS: [(&str, &str, &str); 50] = [
    ("/api/fn/enqueue_job", "queue=q-{}&kind=k&preset=%2B900", "enqueue"),
    ("/api/fn/duplicate_job", "id={}-duplicate&preset=%2B900", "enqueue"),
    ("/api/fn/cancel_job", "id={}-cancel&reason=Duplicate", "cancel"),
    ("/api/fn/reinstate_job", "id={}-reinstate", "reinstate"),
    ("/api/fn/retry_job", "id={}-retry", "retry_now"),
    ("/api/fn/reschedule_job", "id={}-reschedule&preset=%2B900", "reschedule"),
    ("/api/fn/hold_job", "id={}-hold", "hold"),
    ("/api/fn/unhold_job", "id={}-unhold", "unhold"),
    ("/api/fn/edit_job", "id={}-edit&payload=%7B%7D", "edit"),
    ("/api/fn/purge_job", "id={}-purge&sure=true", "purge"),
    ("/api/fn/reveal_part", "id={}-reveal&part=%2Fa&reason=r", "reveal"),
    ("/reveal", "id={}-reveal&part=%2Fa&reason=r", "reveal"),
    ("/api/fn/start_bulk", "run=start-{}&reason=a+whole+reason", "bulk_hold"),
    ("/api/fn/abort_bulk", "run=abort-{}", "bulk_hold"),
    ("/api/fn/undo_bulk", "run=undo-{}", "bulk_undo"),
    ("/api/fn/pause_queue", "queue=q-{}", "pause"),
    ("/api/fn/resume_queue", "queue=q-{}", "resume"),
    (
        "/api/fn/limit_queue",
        "queue=q-{}&limits[concurrency]=3&limits[rate]=&limits[seconds]=&limits[concurrency_per_key]=&limits[ordered]=false",
        "limit",
    ),
    ("/api/fn/put_schedule", "name=tick-{}&seen=0&schedule=0+0+1+1+*&zone=UTC&kind=k", "cron_put"),
    ("/api/fn/pause_schedule", "name=tick-{}&seen=@", "cron_pause"),
    ("/api/fn/resume_schedule", "name=tick-{}&seen=@", "cron_resume"),
    ("/api/fn/run_schedule", "name=tick-{}&seen=@", "cron_run"),
    ("/api/fn/remove_schedule", "name=tick-{}&seen=@", "cron_remove"),
    ("/api/fn/set_retention", "queue=q-{}&done=3", "set_retention"),
    ("/api/fn/set_look", "colour=red&title=T", "set_look"),
    ("/api/fn/set_reasons", "reasons=Because", "set_reasons"),
    ("/api/fn/set_index_fields", "fields=order.id", "set_index_fields"),
    ("/api/fn/set_second_person", "needed=true", "set_second_person"),
    ("/api/fn/add_redaction", "kinds=sms&path=phone", "set_redaction"),
    ("/api/fn/remove_redaction", "kinds=sms&path=phone", "set_redaction"),
    ("/api/fn/add_alert", "what=dead&over=5", "set_alerts"),
    ("/api/fn/remove_alert", "what=dead&over=5", "set_alerts"),
    ("/api/fn/test_alert", "", "enqueue"),
    (
        "/api/fn/take_over_import",
        "wanted[format]=zset&wanted[place]=old-{}&wanted[kind]=k&wanted[name]=in-{}&announced=0&typed=0&reason=a+whole+reason",
        "take_over",
    ),
    (
        "/api/fn/roll_back_import",
        "wanted[format]=zset&wanted[place]=old-{}&wanted[kind]=k&wanted[name]=in-{}&reason=a+whole+reason",
        "roll_back",
    ),
    ("/api/fn/mute_failure", "mask=it+fails&hours=1&reason=Duplicate", "set_muted"),
    ("/api/fn/unmute_failure", "mask=it+fails", "set_muted"),
    ("/people/add", "name=new-{}&role=viewer", "add_person"),
    ("/people/invite", "name=viewer", "invite_person"),
    ("/people/tokens/add", "name=t-{}&days=1&may.view=1", "add_token"),
    ("/people/tokens/revoke", "name=t-{}", "revoke_token"),
    ("/people/sessions/end", "name=somebody", "end_sessions"),
    ("/people/role", "name=somebody&role=support", "set_role"),
    ("/people/disable", "name=somebody&disabled=1", "disable_person"),
    ("/people/remove", "name=somebody", "remove_person"),
    ("/api/fn/order_worker", "worker=w-{}&order=quiet&reason=deploy", "quiet_worker"),
    ("/api/fn/order_worker", "worker=w-{}&order=stop&reason=deploy", "stop_worker"),
    (HALT, "reason=looked+at", "clear_halt"),
    ("/api/fn/act_on_desk", "subject=d:{}&verb=call_off&jobs={}-desk%3D@&reason=Duplicate", "cancel"),
    ("/api/fn/cancel_subject", "subject=s:1&reason=Duplicate", "cancel"),
];

/// What the door lets pass and its job or run does not: a job that still waits is run before its time, and a run is that
/// of somebody else.
const BEYOND: [(&str, Role); 3] = [
    ("/api/fn/retry_job", Role::Support),
    ("/api/fn/reschedule_job", Role::Support),
    ("/api/fn/abort_bulk", Role::Support),
];

/// The door at which a namespace that stands still is let go on.
const HALT: &str = "/api/fn/clear_halt";

/// Forms that are sent to these doors leave no entry of their own: they only look, prepare a run that somebody starts,
/// keep what is somebody's own, or have tests of their own.
const ELSEWHERE: [&str; 15] = [
    "/account/password",
    "/account/second-factor/begin",
    "/account/second-factor/confirm",
    "/account/second-factor/drop",
    "/account/sessions/end",
    "/api/fn/apply_filter",
    "/api/fn/connect_source",
    "/api/fn/collect_bulk",
    "/api/fn/empty_list",
    "/api/fn/freeze_bulk",
    "/api/fn/preview_redaction",
    "/api/fn/remove_view",
    "/api/fn/retry_failures",
    "/api/fn/save_view",
    "/api/fn/spread_peak",
];

/// What the forms of a role are about.
async fn given(house: &House, role: Role) {
    let setup = house.redis.engine().operator("setup");
    let id = |what: &str| JobId::new(format!("{role}-{what}")).unwrap();
    for (door, form, _) in ACTS {
        if let Some(what) = form.strip_prefix("id={}-").and_then(|rest| rest.split('&').next()) {
            assert!(door.ends_with("_job") || what == "reveal");
            house.given(id(what).as_str(), "mail", 1).await;
        }
    }
    setup.cancel(&id("reinstate")).await.unwrap();
    setup.cancel(&id("purge")).await.unwrap();
    setup.hold(&id("unhold")).await.unwrap();
    for what in ["start", "abort", "undo"] {
        house.given(id(what).as_str(), "mail", 1).await;
        let run = RunId::new(format!("{what}-{role}")).unwrap();
        let seen = house.redis.engine().inspector().job(&id(what)).await.unwrap().unwrap().job.version;
        setup.bulk(BulkVerb::Hold).id(run).jobs(vec![(id(what), seen)]).freeze().await.unwrap();
    }
    let run = RunId::new(format!("undo-{role}")).unwrap();
    setup.start_bulk(&run, None, "to be undone").await.unwrap();
    setup.step_bulk(&run, 10).await.unwrap();

    let mut job = NewJob::new("k".parse().unwrap(), "{}");
    (job.id, job.subject) = (Some(id("desk")), Some(format!("d:{role}").parse().unwrap()));
    job.due = Due::In(Delay::hours(1));
    house.redis.engine().client().enqueue_batch(vec![job]).await.unwrap();
    let (worker, now) = (format!("w-{role}"), house.redis.engine().now().await.unwrap());
    let info = serde_json::to_string(&WorkerInfo::new(&worker, "host", 1, now)).unwrap();
    house.redis.store().heartbeat(&worker, &info).await.unwrap();
}

/// Has the namespace stand still, as a process does that finds older data than there was.
async fn set_halt(house: &House) {
    let meta = format!("{}meta", house.redis.prefix());
    let halt = "went_back 1 0 0";
    house.redis.command(&["HSET", &meta, "halts", "1", "halt", halt]).await.unwrap();
}

/// As if nobody had done anything lately: so many acts hold a person up, and so many refusals are not written down.
async fn forget_rate_limit(house: &House) {
    let forget = "for _, key in ipairs(redis.call('KEYS', ARGV[1])) do redis.call('DEL', key) end";
    for kept in ["denied:*", "spent:*"] {
        let keys = format!("{}{kept}", house.redis.prefix());
        house.redis.command(&["EVAL", forget, "0", &keys]).await.unwrap();
    }
}

/// What stands in the audit of a request; it may be written down beside the answer.
async fn noted(house: &House, role: Role, reply: &Reply) -> Vec<AuditEntry> {
    let request = reply.headers["x-request-id"].to_str().unwrap();
    let by = AuditFilter { by: role.to_string(), ..AuditFilter::default() };
    let began = Instant::now();
    loop {
        let page = house.redis.engine().inspector().audit(&by, None, 200).await.unwrap();
        let of_request: Vec<_> = page.items.into_iter().filter(|entry| entry.request == request).collect();
        if !of_request.is_empty() || began.elapsed() > Duration::from_secs(10) {
            return of_request;
        }
        tokio::task::yield_now().await;
    }
}

#[tokio::test]
async fn each_act_of_each_role_is_done_or_refused_and_stands_in_the_audit() {
    let house = House::new().await;
    let rule = RedactionRule { kinds: "*".to_owned(), path: "a".to_owned(), keep: 0 };
    house.redis.engine().operator("setup").set_redaction(&[rule], "").await.unwrap();
    house.add("somebody", Role::Viewer, &[]).await;
    house.session("somebody").await;
    let (mut wrong, mut done, mut refused) = (Vec::new(), BTreeSet::new(), 0);
    for role in Role::ALL {
        given(&house, role).await;
        for (number, (door, form, verb)) in ACTS.into_iter().enumerate() {
            if number % 25 == 0 {
                forget_rate_limit(&house).await;
            }
            if door == HALT {
                set_halt(&house).await;
            }
            let mut form = form.replace("{}", role.as_str());
            if form.contains("seen=@") {
                // The version that the schedule has by now; where it was refused there is none.
                let name = format!("tick-{role}").parse().unwrap();
                let entry = house.redis.engine().inspector().cron_entry(&name).await.unwrap();
                form = form.replace("seen=@", &format!("seen={}", entry.map_or(1, |entry| entry.version)));
            }
            if form.contains("%3D@") {
                let id = format!("{role}-desk").parse().unwrap();
                let version = house.redis.engine().inspector().job(&id).await.unwrap().unwrap().job.version;
                form = form.replace("%3D@", &format!("%3D{version}"));
            }
            let reply = house.send(house.of(role), &format!("POST {door}"), &form, "application/json").await;
            let said = noted(&house, role, &reply).await;
            let is_theirs = |entry: &AuditEntry| {
                (entry.by.as_str(), entry.role.as_str(), entry.address.as_str())
                    == (role.as_str(), role.as_str(), "127.0.0.1")
            };
            let is_right = match reply.status {
                StatusCode::FORBIDDEN => {
                    refused += 1;
                    said.iter().all(AuditEntry::is_denied)
                }
                StatusCode::OK | StatusCode::SEE_OTHER => {
                    done.insert((door, verb));
                    said.iter().all(|entry| entry.verb == verb && !entry.is_denied())
                }
                _ => false,
            };
            // Not by what the door says of itself.
            let expected = may(door, role) && !BEYOND.contains(&(door, role));
            let is_right = is_right && expected != (reply.status == StatusCode::FORBIDDEN);
            if !is_right || said.is_empty() || !said.iter().all(is_theirs) {
                wrong.push(format!("{role} {door}: {} {} {said:?}", reply.status, reply.text));
            }
            if door == HALT {
                // A role that may not end it leaves it as it is: the other acts are done while jobs may start.
                house.redis.engine().operator("setup").clear_halt("").await.unwrap();
            }
        }
    }
    assert!(wrong.is_empty(), "{wrong:#?}");
    assert_eq!(done.len(), ACTS.len(), "somebody may do each of them");
    println!("{} acts, of which {refused} were refused", ACTS.len() * Role::ALL.len());
}

#[test]
fn every_door_that_changes_something_is_among_the_acts_or_said_not_to_be() {
    let is_form = |path: &str| !path.starts_with("/export/") && method_of(path) == Method::POST;
    let asking =
        route_policy().into_iter().filter(|door| door.needs.as_ref().is_some_and(|needs| !needs.is_empty()));
    let there: BTreeSet<String> = asking.map(|door| door.path).filter(|path| is_form(path)).collect();
    let listed = ACTS.iter().map(|(door, ..)| *door).chain(ELSEWHERE).map(ToOwned::to_owned).collect();
    assert_eq!(there, listed);
}
