//! Who may go through which door: said once more, by hand.
//!
//! The program says it in its own tables, and other tests go by those. What is written here was decided by people: a person
//! who changes who may do what changes it in both places.

use super::house::{House, asking, method_of, name, who};
use axum::body::{Body, to_bytes};
use http::StatusCode;
use reprieve::model::{BulkVerb, Role};
use reprieve_server::reference::document;
use reprieve_server::route_policy;
use std::collections::{BTreeMap, BTreeSet};
use std::time::{Duration, Instant};
use tower::ServiceExt as _;

/// Each door with the roles that it opens for. Those with `proof` ask again who it is where that was proved long ago.
const DOORS: &str = "
    /api/fn/abort_bulk                       support operator admin
    /api/fn/act_on_desk                      support operator admin
    /api/fn/add_alert                        admin
    /api/fn/add_redaction                    admin proof
    /api/fn/apply_filter                     viewer support operator admin
    /api/fn/cancel_job                       support operator admin
    /api/fn/cancel_subject                   support operator admin
    /api/fn/clear_halt                       operator admin proof
    /api/fn/collect_bulk                     support operator admin
    /api/fn/connect_source                   admin
    /api/fn/duplicate_job                    operator admin
    /api/fn/edit_job                         admin
    /api/fn/empty_list                       admin proof
    /api/fn/enqueue_job                      operator admin
    /api/fn/freeze_bulk                      support operator admin
    /api/fn/hold_job                         support operator admin
    /api/fn/limit_queue                      admin
    /api/fn/mute_failure                     operator admin
    /api/fn/order_worker                     operator admin
    /api/fn/pause_queue                      operator admin
    /api/fn/pause_schedule                   operator admin
    /api/fn/preview_redaction                viewer support operator admin
    /api/fn/purge_job                        operator admin
    /api/fn/put_schedule                     operator admin
    /api/fn/reinstate_job                    support operator admin
    /api/fn/remove_alert                     admin
    /api/fn/remove_redaction                 admin proof
    /api/fn/remove_schedule                  operator admin
    /api/fn/remove_view                      viewer support operator admin
    /api/fn/reschedule_job                   support operator admin
    /api/fn/resume_queue                     operator admin
    /api/fn/resume_schedule                  operator admin
    /api/fn/retry_failures                   support operator admin
    /api/fn/retry_job                        support operator admin
    /api/fn/reveal_part                      support operator admin
    /api/fn/roll_back_import                  admin
    /api/fn/run_schedule                     operator admin
    /api/fn/save_view                        viewer support operator admin
    /api/fn/set_appearance                   viewer support operator admin
    /api/fn/set_demo_role                    viewer support operator admin
    /api/fn/set_index_fields                 admin
    /api/fn/set_look                         admin
    /api/fn/set_reasons                      admin
    /api/fn/set_retention                    admin proof
    /api/fn/set_second_person                admin proof
    /api/fn/spread_peak                      support operator admin
    /api/fn/start_bulk                       support operator admin
    /api/fn/take_over_import                  admin
    /api/fn/test_alert                       admin
    /api/fn/undo_bulk                        support operator admin
    /api/fn/unhold_job                       support operator admin
    /api/fn/unmute_failure                   operator admin
    /api/fn/whoami                           viewer support operator admin
    /login                                   everybody
    /login/oidc                              everybody
    /login/oidc/callback                     everybody
    /welcome                                 everybody
    /first                                   everybody
    /healthz                                 everybody
    /readyz                                  everybody
    /metrics                                 operator admin
    /events                                  viewer support operator admin
    /export/audit.csv                        admin
    /export/audit.jsonl                      admin
    /export/forecast.csv                     viewer support operator admin
    /export/jobs.csv                         support operator admin
    /export/jobs.jsonl                       support operator admin
    /export/outcomes.csv                     viewer support operator admin
    /export/outcomes.jsonl                   viewer support operator admin
    /export/payloads.csv                     admin proof
    /export/payloads.jsonl                   admin proof
    /api/docs                                viewer support operator admin
    /reveal                                  support operator admin
    /logout                                  viewer support operator admin
    /account/prove                           viewer support operator admin
    /account/password                        viewer support operator admin
    /account/second-factor/begin             viewer support operator admin
    /account/second-factor/confirm           viewer support operator admin
    /account/second-factor/drop              viewer support operator admin
    /account/sessions/end                    viewer support operator admin
    /people/add                              admin proof
    /people/invite                           admin proof
    /people/role                             admin proof
    /people/disable                          admin proof
    /people/remove                           admin proof
    /people/sessions/end                     admin
    /people/tokens/add                       operator admin proof
    /people/tokens/revoke                    operator admin
";

/// Each page with the roles that it shows what it is for. Others see why it does not.
const PAGES: &str = "
    /                                        viewer support operator admin
    /jobs/delay                              viewer support operator admin
    /jobs/delay?q=kind:k                     viewer support operator admin
    /job/waits                               viewer support operator admin
    /desk                                    viewer support operator admin
    /desk/s:1                                viewer support operator admin
    /dead                                    viewer support operator admin
    /queue/mail                              viewer support operator admin
    /search?find=waits                       viewer support operator admin
    /bulk                                    viewer support operator admin
    /import?from=here                        admin
    /import?from=here&format=zset&place=due&kind=k admin
    /redis                                   operator admin
    /settings                                viewer support operator admin
    /workers                                 viewer support operator admin
    /forecast                                viewer support operator admin
    /schedules                               viewer support operator admin
    /schedules/new?schedule=@daily&zone=UTC  viewer support operator admin
    /account                                 viewer support operator admin
    /people                                  operator admin
    /audit                                   support operator admin
    /audit?check=1                           support operator admin
";

/// Each route of the HTTP API with the rights that a token needs at least.
const ROUTES: &str = "
    GET  /api/v1/audit                                        audit.view
    GET  /api/v1/audit/check                                  audit.view
    GET  /api/v1/batches                                      view
    POST /api/v1/batches                                      jobs.enqueue
    GET  /api/v1/batches/{id}                                 view
    POST /api/v1/batches/{id}/cancel                          jobs.cancel
    POST /api/v1/batches/{id}/close                           jobs.enqueue
    POST /api/v1/batches/{id}/jobs                            jobs.enqueue
    GET  /api/v1/bulk                                         view
    POST /api/v1/bulk                                         jobs.bulk
    GET  /api/v1/bulk/{run}                                   view
    POST /api/v1/bulk/{run}/abort                             jobs.bulk
    GET  /api/v1/bulk/{run}/outcomes                          view
    POST /api/v1/bulk/{run}/start                             jobs.bulk
    POST /api/v1/bulk/{run}/undo                              jobs.bulk
    GET  /api/v1/cron                                         view
    POST /api/v1/cron                                         cron.manage
    GET  /api/v1/cron-preview                                 view
    GET  /api/v1/cron/{name}                                  view
    POST /api/v1/cron/{name}/delete                           cron.manage
    GET  /api/v1/cron/{name}/history                          view
    POST /api/v1/cron/{name}/pause                            cron.manage
    POST /api/v1/cron/{name}/resume                           cron.manage
    POST /api/v1/cron/{name}/run                              cron.manage
    GET  /api/v1/events                                       view
    POST /api/v1/imports/{import}/observe                       jobs.import
    POST /api/v1/imports/{import}/roll-back                     jobs.import
    POST /api/v1/imports/{import}/standing                      jobs.import
    POST /api/v1/imports/{import}/take-over                     jobs.import
    GET  /api/v1/jobs                                         view
    POST /api/v1/jobs                                         jobs.enqueue
    GET  /api/v1/jobs/{id}                                    view
    POST /api/v1/jobs/{id}/cancel                             jobs.cancel
    POST /api/v1/jobs/{id}/complete                           jobs.work
    POST /api/v1/jobs/{id}/edit                               jobs.edit
    POST /api/v1/jobs/{id}/extend                             jobs.work
    POST /api/v1/jobs/{id}/fail                               jobs.work
    POST /api/v1/jobs/{id}/hold                               jobs.hold
    GET  /api/v1/jobs/{id}/log                                view jobs.errors
    POST /api/v1/jobs/{id}/purge                              jobs.purge
    POST /api/v1/jobs/{id}/reinstate                          jobs.reinstate
    POST /api/v1/jobs/{id}/release                            jobs.work
    POST /api/v1/jobs/{id}/reschedule                         jobs.reschedule
    POST /api/v1/jobs/{id}/retry                              jobs.retry
    POST /api/v1/jobs/{id}/reveal                             jobs.reveal
    POST /api/v1/jobs/{id}/snooze                             jobs.work
    POST /api/v1/jobs/{id}/unhold                             jobs.hold
    GET  /api/v1/openapi.json                                 nobody
    POST /api/v1/plans                                        jobs.enqueue
    GET  /api/v1/plans/{id}                                   view
    POST /api/v1/plans/{id}/cancel                            jobs.cancel
    POST /api/v1/plans/{id}/hold                              jobs.hold
    POST /api/v1/plans/{id}/reanchor                          jobs.reschedule
    POST /api/v1/plans/{id}/reinstate                         jobs.reinstate
    POST /api/v1/plans/{id}/unhold                            jobs.hold
    GET  /api/v1/queues                                       view
    POST /api/v1/queues/{queue}/claim                         jobs.work
    POST /api/v1/queues/{queue}/limits                        queues.limit
    POST /api/v1/queues/{queue}/pause                         queues.pause
    POST /api/v1/queues/{queue}/resume                        queues.pause
    GET  /api/v1/retention                                    view
    POST /api/v1/retention                                    retention.set
    GET  /api/v1/rules                                        view
    POST /api/v1/rules/{kind}                                 queues.limit
    GET  /api/v1/search                                       view
    GET  /api/v1/settings                                     view
    POST /api/v1/settings/alerts/test                         settings.manage
    POST /api/v1/settings/{name}                              settings.manage
    GET  /api/v1/halt                                         view
    POST /api/v1/halt/clear                                   queues.pause
    GET  /api/v1/stats                                        view
    GET  /api/v1/subjects/{subject}                           view
    POST /api/v1/subjects/{subject}/cancel                    jobs.cancel
    POST /api/v1/subjects/{subject}/erase                     subjects.erase
    GET  /api/v1/subjects/{subject}/plans                     view
    GET  /api/v1/subjects/{subject}/receipts                  view
    GET  /api/v1/workers                                      view
    POST /api/v1/workers/{worker}/order                       workers.manage
";

/// These end the sessions of the caller.
const ENDING: [&str; 2] = ["/logout", "/account/sessions/end"];

/// What stands in the table of doors.
struct Row {
    path: &'static str,
    /// `None` for everybody.
    roles: Option<Vec<Role>>,
    asks_for_proof: bool,
}

fn rows() -> Vec<Row> {
    let lines = DOORS.lines().map(str::trim).filter(|line| !line.is_empty());
    lines
        .map(|line| {
            let mut words = line.split_whitespace();
            let path = words.next().unwrap();
            let (mut roles, mut asks_for_proof, mut is_open) = (Vec::new(), false, false);
            for word in words {
                match word {
                    "everybody" => is_open = true,
                    "proof" => asks_for_proof = true,
                    role => roles.push(role.parse().unwrap()),
                }
            }
            Row { path, roles: (!is_open).then_some(roles), asks_for_proof }
        })
        .collect()
}

/// Whether that role may go through that door.
pub(crate) fn may(path: &str, role: Role) -> bool {
    let rows = rows();
    let row = rows.iter().find(|row| row.path == path).unwrap_or_else(|| panic!("{path} stands in no row"));
    row.roles.as_ref().is_none_or(|roles| roles.contains(&role))
}

#[test]
fn every_door_stands_in_the_table_once() {
    let there: Vec<String> = route_policy().into_iter().map(|door| door.path).collect();
    let listed: Vec<&str> = rows().iter().map(|row| row.path).collect();
    assert_eq!(there, listed);
}

#[tokio::test]
async fn every_door_opens_for_the_roles_of_its_row_and_for_nobody_else() {
    let house = House::new().await;
    let callers: Vec<Option<Role>> = house.sessions.keys().copied().collect();
    let mut wrong = Vec::new();
    // What ends the sessions of its caller goes last.
    let (last, first): (Vec<Row>, Vec<Row>) = rows().into_iter().partition(|row| ENDING.contains(&row.path));
    for row in first.into_iter().chain(last) {
        let Some(roles) = &row.roles else { continue };
        for &caller in &callers {
            let session = match caller {
                // These end the session that they come with.
                Some(role) if ENDING.contains(&row.path) => house.session(role.as_str()).await,
                _ => house.sessions[&caller].clone(),
            };
            let list = if row.path.starts_with("/export/") { "?list=delay&run=r" } else { "" };
            let request = format!("{} {}{list}", method_of(row.path), row.path);
            let reply = house.call(&session, &request, "").await;
            let expected = caller.is_some_and(|role| roles.contains(&role));
            if reply.is_denied() == expected {
                wrong.push(format!("{} {request}: {} {}", who(caller), reply.status, reply.text));
            }
        }
    }
    assert!(wrong.is_empty(), "{wrong:#?}");
}

#[tokio::test]
async fn a_page_shows_what_it_is_for_to_the_roles_of_its_row_and_to_nobody_else() {
    let house = House::new().await;
    house.given("waits", "mail", 1).await;
    let mut wrong = Vec::new();
    for line in PAGES.lines().map(str::trim).filter(|line| !line.is_empty()) {
        let (page, roles) = line.split_once(' ').unwrap();
        for (&caller, session) in &house.sessions {
            let reply = house.call(session, &format!("GET {page}"), "").await;
            let expected = caller.is_some_and(|role| roles.split(' ').any(|listed| listed == role.as_str()));
            if reply.is_denied() == expected {
                wrong.push(format!("{} {page}: {}", who(caller), reply.status));
            }
        }
    }
    assert!(wrong.is_empty(), "{wrong:#?}");
}

#[tokio::test]
async fn an_old_proof_is_asked_for_anew_at_the_doors_that_say_so_and_at_no_other() {
    let house = House::new().await;
    house.proofs_are_old().await;
    let mut wrong = Vec::new();
    for row in rows() {
        let Some(roles) = &row.roles else { continue };
        for &role in roles {
            let session = match row.path {
                path if ENDING.contains(&path) => continue,
                _ => house.of(role),
            };
            let list = if row.path.starts_with("/export/") { "?list=delay&run=r" } else { "" };
            let request = format!("{} {}{list}", method_of(row.path), row.path);
            let reply = house.call(session, &request, "").await;
            if reply.text.contains("prove_first") != row.asks_for_proof {
                wrong.push(format!("{role} {request}: {} {}", reply.status, reply.text));
            }
        }
    }
    assert!(wrong.is_empty(), "{wrong:#?}");
    let asking = rows().into_iter().filter(|row| row.asks_for_proof).count();
    assert_eq!(asking, 14);
}

#[tokio::test]
async fn an_act_on_more_than_a_hundred_jobs_asks_for_a_fresh_proof() {
    let house = House::new().await;
    for number in 0..101 {
        house.given(&format!("j{number}"), "mail", 1).await;
    }
    let setup = house.redis.engine().operator("setup");
    let inspector = house.redis.engine().inspector();
    let mut jobs = Vec::new();
    for number in 0..101 {
        let id = format!("j{number}").parse().unwrap();
        let version = inspector.job(&id).await.unwrap().unwrap().job.version;
        jobs.push((id, version));
    }
    for (run, count) in [("many", 101), ("few", 100)] {
        let chosen = jobs.iter().take(count).cloned().collect();
        setup.bulk(BulkVerb::Hold).id(run.parse().unwrap()).jobs(chosen).freeze().await.unwrap();
    }
    let operator = house.of(Role::Operator);
    let start = |run: &str, count: u32| format!("run={run}&count={count}&reason=a+whole+reason");
    house.proofs_are_old().await;
    let refused = house.call(operator, "POST /api/fn/start_bulk", &start("many", 101)).await;
    assert_eq!(refused.status, StatusCode::FORBIDDEN, "{}", refused.text);
    assert!(refused.text.contains("prove_first"), "{}", refused.text);
    assert_eq!(inspector.bulk_run(&"many".parse().unwrap()).await.unwrap().unwrap().changed, 0);
    let started = house.call(operator, "POST /api/fn/start_bulk", &start("few", 100)).await;
    assert_eq!(started.status, StatusCode::OK, "{}", started.text);
    let fresh = house.session("operator").await;
    let started = house.call(&fresh, "POST /api/fn/start_bulk", &start("many", 101)).await;
    assert_eq!(started.status, StatusCode::OK, "{}", started.text);
}

#[test]
fn every_route_of_the_api_asks_for_the_rights_of_its_row() {
    let lines = ROUTES.lines().map(str::trim).filter(|line| !line.is_empty());
    let listed: BTreeMap<(String, String), BTreeSet<String>> = lines
        .map(|line| {
            let words: Vec<String> = line.split_whitespace().map(ToOwned::to_owned).collect();
            let rights = words[2..].iter().filter(|right| *right != "nobody").cloned().collect();
            ((words[0].clone(), words[1].clone()), rights)
        })
        .collect();
    let mut there = BTreeMap::new();
    let paths = document()["paths"].as_object().unwrap().iter();
    for (path, item) in paths.filter(|(path, _)| path.starts_with("/api/v1/")) {
        for (method, operation) in item.as_object().unwrap() {
            let rights = operation["security"][0]["token"].as_array().into_iter().flatten();
            let rights = rights.map(|right| right.as_str().unwrap().to_owned()).collect();
            there.insert((method.to_uppercase(), path.clone()), rights);
        }
    }
    assert_eq!(there, listed);
}

/// How long the stream of somebody lasts who is demoted; that of another goes on.
async fn lasts_after_a_demotion(house: &House, number: u32) -> Duration {
    let demoted = format!("demoted{number}");
    house.add(&demoted, Role::Operator, &[]).await;
    house.forget_guesses().await;
    let session = house.session(&demoted).await;
    let open = async |session: &str| {
        let request = asking(session, "GET /events", "text/event-stream").body(Body::empty()).unwrap();
        let response: http::Response<Body> = house.router.clone().oneshot(request).await.unwrap();
        assert_eq!(response.status(), StatusCode::OK);
        response.into_body()
    };
    let ends = tokio::spawn(to_bytes(open(&session).await, 1 << 24));
    let stays = tokio::spawn(to_bytes(open(house.of(Role::Operator)).await, 1 << 24));
    house.people().set_role(&name(&demoted), Role::Viewer, &[], "admin", "").await.unwrap();
    let began = Instant::now();
    tokio::time::timeout(Duration::from_secs(20), ends).await.expect("it goes on").unwrap().unwrap();
    let lasted = began.elapsed();
    assert!(!stays.is_finished(), "nothing was taken from the reader of that one");
    stays.abort();
    lasted
}

#[tokio::test]
async fn a_stream_ends_within_two_seconds_of_a_demotion_beside_one_that_stays() {
    let house = House::new().await;
    // The best of three: what a busy machine adds is none of the promise.
    let mut shortest = Duration::MAX;
    for number in 0..3 {
        shortest = shortest.min(lasts_after_a_demotion(&house, number).await);
        if shortest <= Duration::from_secs(2) {
            return;
        }
    }
    panic!("the stream lasted {shortest:?}");
}
