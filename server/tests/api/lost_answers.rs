//! A Redis that takes changes and answers none of them: how each act of the API goes on then.

use crate::caller::{Answer, Caller};
use crate::document::{bodies, exemplary, operations};
use crate::forms::come_back;
use crate::house::House;
use axum::body::Body;
use futures_util::future::join_all;
use futures_util::stream::{self, StreamExt as _};
use http::Request;
use reprieve::model::{
    AuditFilter, BulkFilter, BulkVerb, CronEntry, Namespace, QueueName, RedactionRule, RunId, WorkerInfo,
};
use reprieve::testing::{RedisServer, TestRedis};
use serde_json::{Value, json};

/// Acts that only look, or look first in ways that count as changes: nothing was changed, and they say so. Not tried here.
const LOOKS: [&str; 3] = ["observe_import", "import_standing", "take_over_import"];

/// Acts that are prepared at once: more connections than these begin too slowly on a busy machine.
const AT_ONCE: usize = 8;
/// How often an act is sent again on a machine that is busy.
const TRIES: usize = 5;

/// One act of the document, in a namespace of its own.
struct Act {
    api: Caller,
    name: &'static str,
    path: String,
    body: Option<Value>,
    takes_key: bool,
    /// Entries of the audit before.
    told: usize,
}

impl Act {
    /// With what its example is about.
    async fn of(server: &RedisServer, path: &str, operation: &'static Value) -> Self {
        let name = operation["operationId"].as_str().unwrap();
        let namespace = Namespace::new(name).unwrap();
        let redis = TestRedis::on_beside(server.url(), namespace, &crate::house::ALL_DOORS).await;
        let api = Caller::on(redis);
        let payload = json!({ "customer": { "phone": "0151" } });
        api.given(&json!({
            "id": "delete-4711", "kind": "k", "subject": "resource:4711", "delay_ms": 60_000, "payload": payload
        }))
        .await;
        let engine = api.redis.engine();
        let setup = engine.operator("setup");
        let rule = RedactionRule { kinds: "*".to_owned(), path: "customer.phone".to_owned(), keep: 0 };
        setup.set_redaction(&[rule], "").await.unwrap();
        let mut filter = BulkFilter::default();
        filter.queue = Some(QueueName::default());
        let verb = if name == "undo_bulk" { BulkVerb::Cancel } else { BulkVerb::Hold };
        let run: RunId = "nightly-1".parse().unwrap();
        setup.bulk(verb).id(run.clone()).filter(filter).freeze().await.unwrap();
        let job = "delete-4711".parse().unwrap();
        match name {
            "reinstate" | "purge" => drop(setup.cancel(&job).await.unwrap()),
            "unhold" => drop(setup.hold(&job).await.unwrap()),
            _ => {}
        }
        if name.ends_with("_cron") && name != "put_cron" {
            let entry = CronEntry::new("nightly-report".parse().unwrap(), "@daily", "k".parse().unwrap());
            setup.put_cron(entry).await.unwrap();
        }
        if name == "undo_bulk" {
            setup.start_bulk(&run, None, "to be undone").await.unwrap();
            setup.step_bulk(&run, 10).await.unwrap();
        }
        let worker = "web-1-4711-0a1b2c";
        let info = WorkerInfo::new(worker, "host", 1, engine.now().await.unwrap());
        api.redis.store().heartbeat(worker, &serde_json::to_string(&info).unwrap()).await.unwrap();
        let parameters = operation["parameters"].as_array().cloned().unwrap_or_default();
        let takes_key = parameters.iter().any(|parameter| parameter["name"] == "Idempotency-Key");
        let body = bodies(operation).swap_remove(0);
        let path = exemplary(path, operation);
        let told = told(&api).await;
        Self { api, name, path, body, takes_key, told }
    }

    async fn send(&self, key: Option<&str>) -> Answer {
        let mut request = Request::post(&self.path).header("content-type", "application/json");
        if let Some(key) = key {
            request = request.header("idempotency-key", key);
        }
        let body = self.body.as_ref().map_or_else(Body::empty, |body| Body::from(body.to_string()));
        self.api.send(request.body(body).unwrap()).await
    }

    /// Sends it until it is more than a moment in which Redis was too slow: then nothing was sent, or it is to be repeated.
    async fn send_past(&self, key: Option<&str>, moment: fn(&Answer) -> bool) -> Answer {
        let mut answer = self.send(key).await;
        for _ in 0..TRIES {
            if !moment(&answer) {
                break;
            }
            answer = self.send(key).await;
        }
        answer
    }
}

async fn told(api: &Caller) -> usize {
    let audit = api.redis.engine().inspector().audit(&AuditFilter::default(), None, 200).await.unwrap();
    audit.items.len()
}

#[tokio::test]
async fn an_act_whose_answer_does_not_come_says_how_it_is_repeated_and_is_done_once() {
    let server = RedisServer::start().unwrap();
    let posts = operations().into_iter().filter(|(method, ..)| method == "POST");
    let acts = posts.map(async |(_, path, operation)| Act::of(&server, &path, operation).await);
    let acts: Vec<_> = stream::iter(acts).buffered(AT_ONCE).collect().await;
    let acts: Vec<_> = acts.into_iter().filter(|act| !LOOKS.contains(&act.name)).collect();
    // By a connection of its own: those of the acts wait.
    let admin = redis::Client::open(server.url()).unwrap();
    let mut admin = admin.get_multiplexed_async_connection().await.unwrap();
    // What looks is answered, what changes something waits.
    let pause = redis::cmd("CLIENT").arg(&["PAUSE", "600000", "WRITE"]).to_owned();
    pause.exec_async(&mut admin).await.unwrap();

    let is_too_slow = |answer: &Answer| answer.body["code"] == "unavailable";
    let first = join_all(acts.iter().map(|act| act.send_past(None, is_too_slow))).await;

    redis::cmd("CLIENT").arg("UNPAUSE").exec_async(&mut admin).await.unwrap();
    let mut wrong = Vec::new();
    for (act, first) in acts.iter().zip(first) {
        let key = first.body["idempotency_key"].as_str();
        let is_told = match key {
            Some(key) => first.body["detail"].as_str().unwrap().contains(key),
            None => first.body["repeat"] == "same_request",
        };
        if first.body["code"] != "outcome_unknown" || !is_told || key.is_some() != act.takes_key {
            wrong.push(format!("{}: {} {}", act.name, first.status, first.body));
            continue;
        }
        let again = act.send_past(key, |answer| answer.status == 503).await;
        let once_more = act.send(key).await;
        let is_once = (again.status, &again.body) == (once_more.status, &once_more.body)
            && told(&act.api).await <= act.told + 1;
        if again.status == 503 || (act.takes_key && !is_once) {
            wrong.push(format!("{}: {} {}, then {}", act.name, again.status, again.body, once_more.body));
        }
    }
    assert!(wrong.is_empty(), "{wrong:#?}");
}

#[tokio::test]
async fn a_form_whose_answer_does_not_come_says_that_it_is_not_known_and_how_to_go_on() {
    let (_server, house) = House::open_on_its_own_server().await;
    house.given("a", "mail", 1).await;
    house.redis.command(&["CLIENT", "PAUSE", "600000", "WRITE"]).await.unwrap();
    let once = "it is done once, however often you ask";
    let look = "do it once more only if it was not done";
    // An act with an operation, one without, and what has none at all.
    let forms = [
        ("/api/fn/hold_job", "id=a&operation=o1&back=%2Fjob%2Fa", once),
        ("/api/fn/hold_job", "id=a&back=%2Fjob%2Fa", look),
        ("/api/fn/pause_queue", "queue=mail&back=%2Fqueue%2Fmail", look),
        ("/api/fn/enqueue_job", "queue=mail&kind=k&preset=%2B900&back=%2Fqueue%2Fmail", look),
    ];

    let sent =
        forms.map(async |(door, form, _)| house.send("", &format!("POST {door}"), form, "text/html").await);
    let replies = join_all(sent).await;

    for ((door, form, how), reply) in forms.into_iter().zip(replies) {
        assert!(reply.location().unwrap().ends_with("said=error.outcome_unknown"), "{door} {form}");
        let page = come_back(&house, "", &reply).await.text;
        assert!(
            page.contains("It is not known whether this was done") && page.contains(how),
            "{door} {form}"
        );
    }
}
