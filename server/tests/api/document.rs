//! The document of the API against the API.

use crate::caller::Caller;
use crate::house::ALL_DOORS;
use axum::body::Body;
use http::Request;
use reprieve::model::{Enqueued, JobId};
use reprieve::testing::TestRedis;
use reprieve_access::Principal;
use reprieve_server::reference::document;
use reprieve_server::sse::Live;
use reprieve_server::{Dashboard, router};
use serde_json::{Value, json};
use std::collections::{BTreeMap, BTreeSet};
use std::path::Path;
use tokio_util::sync::CancellationToken;
use tower::ServiceExt as _;

/// One operation: method, path, what the document says of it.
pub(crate) fn operations() -> Vec<(String, String, &'static Value)> {
    let mut all = Vec::new();
    for (path, item) in document()["paths"].as_object().unwrap() {
        for (method, operation) in item.as_object().unwrap() {
            all.push((method.to_uppercase(), path.clone(), operation));
        }
    }
    all
}

/// The path with the examples of its parameters in place of their names.
pub(crate) fn exemplary(path: &str, operation: &Value) -> String {
    let mut path = path.to_owned();
    let parameters = operation["parameters"].as_array().cloned().unwrap_or_default();
    let mut query = Vec::new();
    for parameter in &parameters {
        let name = parameter["name"].as_str().unwrap();
        let example = match &parameter["example"] {
            Value::String(text) => text.clone(),
            other => other.to_string(),
        };
        match parameter["in"].as_str().unwrap() {
            "path" => {
                assert!(!parameter["example"].is_null(), "{path}: no example of {name}");
                path = path.replace(&format!("{{{name}}}"), &example);
            }
            "query" if !parameter["example"].is_null() => query.push(format!("{name}={example}")),
            _ => {}
        }
    }
    if query.is_empty() { path } else { format!("{path}?{}", query.join("&")) }
}

/// Every example of a body; one without a body for a route that takes none or needs none.
pub(crate) fn bodies(operation: &Value) -> Vec<Option<Value>> {
    let body = &operation["requestBody"];
    if body.is_null() {
        return vec![None];
    }
    let content = &body["content"]["application/json"];
    let mut all: Vec<Value> = Vec::new();
    all.extend(
        content["examples"].as_object().into_iter().flatten().map(|(_, named)| named["value"].clone()),
    );
    all.extend(Some(content["example"].clone()).filter(|example| !example.is_null()));
    all.extend(of_shape(&content["schema"]));
    let mut bodies: Vec<_> = all.into_iter().map(Some).collect();
    assert!(!bodies.is_empty(), "no example of a body: {operation}");
    if body["required"] != true {
        bodies.push(None);
    }
    bodies
}

/// The example of a shape, found through its name.
fn of_shape(schema: &Value) -> Option<Value> {
    let choices = schema["oneOf"].as_array().into_iter().flatten().chain([schema]);
    for choice in choices {
        let named = choice["$ref"].as_str().and_then(|path| path.rsplit('/').next());
        let shape = named.map_or(choice, |name| &document()["components"]["schemas"][name]);
        if !shape["example"].is_null() {
            return Some(shape["example"].clone());
        }
    }
    None
}

/// The whole server, as programs meet it where no token is asked for.
fn whole(redis: TestRedis) -> Caller {
    let live = Live::start(redis.engine().clone(), "test", CancellationToken::new());
    let dashboard = Dashboard::new(redis.engine().clone());
    Caller::with(redis, router(&dashboard, live.router()))
}

async fn send(api: &Caller, method: &str, path: &str, body: Option<&Value>) -> crate::caller::Answer {
    let mut request = Request::builder().method(method).uri(path);
    if body.is_some() {
        request = request.header("content-type", "application/json");
    }
    api.send(request.body(body.map_or_else(Body::empty, |body| Body::from(body.to_string()))).unwrap()).await
}

#[tokio::test]
async fn every_documented_example_is_accepted_and_answered_as_documented() {
    for (method, path, operation) in operations() {
        for body in bodies(operation) {
            // A namespace each: what one example does must not stand in the way of the next.
            let api = whole(TestRedis::beside(1, &ALL_DOORS).await);
            api.given(&json!({
                "id": "delete-4711", "kind": "delete_resource", "subject": "resource:4711", "delay_ms": 60_000
            }))
            .await;

            let answer = send(&api, &method, &exemplary(&path, operation), body.as_ref()).await;

            let what = format!("{method} {path} with {body:?}: {} {:?}", answer.status, answer.body);
            let needs_body = body.is_none() && !operation["requestBody"].is_null();
            let refused = matches!(answer.status, 400 | 401 | 403 | 405 | 413 | 415 | 500);
            assert!(!refused && (needs_body || answer.status != 422), "{what}");
            let documented = operation["responses"].get(answer.status.to_string()).is_some();
            assert!(documented || answer.status == 422, "this status is not documented: {what}");
            // A problem may have fields of its own sort beside those that all have.
            let content = &operation["responses"][answer.status.to_string()]["content"];
            let mut wrong = Vec::new();
            unlike(&content["application/json"]["schema"], &answer.body, "", &mut wrong);
            assert_eq!(wrong, Vec::<String>::new(), "{what}");
        }
    }
}

/// A schema itself, found through its name where it has one.
fn resolved(schema: &'static Value) -> &'static Value {
    let name = schema["$ref"].as_str().and_then(|path| path.rsplit('/').next());
    name.map_or(schema, |name| &document()["components"]["schemas"][name])
}

/// The fields of an object that is made of one or several parts, and the names of those that are always there.
fn fields(schema: &'static Value) -> (BTreeMap<&'static str, &'static Value>, BTreeSet<&'static str>) {
    let schema = resolved(schema);
    let parts = schema["allOf"].as_array().into_iter().flatten().map(fields);
    let (mut all, mut always) = parts.fold((BTreeMap::new(), BTreeSet::new()), |mut sum, part| {
        sum.0.extend(part.0);
        sum.1.extend(part.1);
        sum
    });
    all.extend(schema["properties"].as_object().into_iter().flatten().map(|(name, of)| (name.as_str(), of)));
    always.extend(schema["required"].as_array().into_iter().flatten().filter_map(Value::as_str));
    (all, always)
}

/// Where a value is not as its schema says.
fn unlike(schema: &'static Value, value: &Value, place: &str, wrong: &mut Vec<String>) {
    let schema = resolved(schema);
    if let Some(choices) = schema["oneOf"].as_array() {
        let fits = |choice| {
            let mut wrong = Vec::new();
            unlike(choice, value, place, &mut wrong);
            wrong.is_empty()
        };
        if !choices.iter().any(fits) {
            wrong.push(format!("{place}: {value} fits none of {choices:?}"));
        }
        return;
    }
    let types: Vec<&str> = match &schema["type"] {
        Value::String(one) => vec![one],
        several => several.as_array().into_iter().flatten().filter_map(Value::as_str).collect(),
    };
    let is = match value {
        Value::Null => "null",
        Value::Bool(_) => "boolean",
        Value::Number(number) if number.is_f64() => "number",
        Value::Number(_) => "integer",
        Value::String(_) => "string",
        Value::Array(_) => "array",
        Value::Object(_) => "object",
    };
    let is_typed = types.is_empty() || types.contains(&is) || is == "integer" && types.contains(&"number");
    if !is_typed {
        wrong.push(format!("{place}: {value} is no {types:?}"));
    }
    for item in value.as_array().into_iter().flatten() {
        unlike(&schema["items"], item, &format!("{place}/*"), wrong);
    }
    let (told, always) = fields(schema);
    let Some(given) = value.as_object().filter(|_| !told.is_empty()) else { return };
    wrong.extend(
        always.iter().filter(|name| !given.contains_key(**name)).map(|name| format!("{place}/{name} lacks")),
    );
    for (name, value) in given {
        match told.get(name.as_str()) {
            Some(schema) => unlike(schema, value, &format!("{place}/{name}"), wrong),
            None => wrong.push(format!("{place}/{name} is not told of")),
        }
    }
}

#[tokio::test]
async fn the_rows_of_every_list_are_as_documented() {
    let api = whole(TestRedis::beside(1, &ALL_DOORS).await);
    let step = json!({ "name": "delete", "offset_ms": 86_400_000, "job": { "kind": "delete" } });
    let plan =
        json!({ "id": "expiry", "subject": "resource:1", "anchor": { "delay_ms": 0 }, "steps": [step] });
    let gone = json!({ "id": "gone", "kind": "notice", "subject": "resource:1", "delay_ms": 60_000 });
    let run = json!({ "id": "run", "verb": "hold", "kind": "notice", "reason": "wrong import" });
    for (path, body) in [
        ("/api/v1/plans", Some(&plan)),
        ("/api/v1/plans/expiry/hold", None),
        ("/api/v1/jobs", Some(&gone)),
        ("/api/v1/bulk", Some(&run)),
        ("/api/v1/bulk/run/start", None),
        ("/api/v1/jobs/gone/cancel", None),
    ] {
        let answer = send(&api, "POST", path, body).await;
        assert!(answer.status < 300, "{path}: {answer:?}");
    }
    api.redis.engine().operator("ann").step_bulk(&"run".parse().unwrap(), 10).await.unwrap();
    api.redis.engine().operator("ann").purge(&"gone".parse().unwrap()).await.unwrap();
    for path in [
        "/api/v1/bulk",
        "/api/v1/bulk/{run}",
        "/api/v1/bulk/{run}/outcomes",
        "/api/v1/events",
        "/api/v1/audit",
        "/api/v1/subjects/{subject}/receipts",
        "/api/v1/plans/{id}",
    ] {
        let address =
            path.replace("{run}", "run").replace("{subject}", "resource:1").replace("{id}", "expiry");
        let answer = send(&api, "GET", &address, None).await;
        assert_eq!(answer.status, 200, "{path}: {answer:?}");
        let items = answer.body["items"].as_array();
        assert!(items.is_none_or(|items| !items.is_empty()), "{path} has rows: {answer:?}");
        let schema =
            &document()["paths"][path]["get"]["responses"]["200"]["content"]["application/json"]["schema"];
        let mut wrong = Vec::new();
        unlike(schema, &answer.body, "", &mut wrong);
        assert_eq!(wrong, Vec::<String>::new(), "{path}");
    }
}

#[test]
fn every_list_says_what_its_rows_are() {
    fn find(at: &str, value: &Value, found: &mut Vec<String>) {
        if value["type"] == "array" && value["items"].as_object().is_none_or(serde_json::Map::is_empty) {
            found.push(at.to_owned());
        }
        for (name, value) in value.as_object().into_iter().flatten() {
            find(&format!("{at}/{name}"), value, found);
        }
    }
    let mut found = Vec::new();
    find("", &document()["components"]["schemas"], &mut found);
    assert_eq!(found, Vec::<String>::new());
}

#[tokio::test]
async fn the_document_is_served_and_names_every_route_the_router_has() {
    let api = whole(TestRedis::namespace().await);

    let served = send(&api, "GET", "/api/v1/openapi.json", None).await;

    assert_eq!((served.status, &served.body), (200, document()));
    for (method, path, operation) in operations() {
        let answer = send(&api, &method, &exemplary(&path, operation), None).await;
        assert_ne!((answer.status, &answer.body["code"]), (404, &json!("no_such_route")), "{method} {path}");
        assert_ne!(answer.status, 405, "{method} {path}");
        for text in ["summary", "operationId"] {
            assert!(operation[text].is_string(), "{method} {path} has no {text}");
        }
        assert!(!operation["tags"][0].is_null(), "{method} {path} stands under no tag");
    }
}

/// Reads every file of a folder and of those in it.
fn each_file(folder: &Path, read: &mut impl FnMut(&Path, &str)) {
    for entry in std::fs::read_dir(folder).unwrap() {
        let path = entry.unwrap().path();
        if path.is_dir() {
            each_file(&path, read);
        } else {
            read(&path, &std::fs::read_to_string(&path).unwrap());
        }
    }
}

/// Routes come into the router with their description only: nothing else mounts a handler.
#[test]
fn no_route_of_the_api_is_mounted_without_its_description() {
    each_file(&Path::new(env!("CARGO_MANIFEST_DIR")).join("src/http_api"), &mut |file, text| {
        assert!(!text.contains(".route("), "{} mounts a route that no document knows", file.display());
    });
}

#[test]
fn operations_have_names_of_their_own() {
    let mut seen = BTreeSet::new();
    for (method, path, operation) in operations() {
        let id = operation["operationId"].as_str().unwrap();
        assert!(seen.insert(id), "{method} {path}: {id} is the name of another operation as well");
    }
}

/// Every route says which permission it needs, and asks for exactly that one.
#[tokio::test]
async fn every_route_needs_the_permission_it_declares_and_no_other() {
    use reprieve::model::Permission;
    let redis = TestRedis::namespace().await;
    let bare = reprieve_server::reference::api(redis.engine().clone());
    // What stands beside is behind the gate of the whole server: the test of its doors knows it.
    for (method, path, operation) in
        operations().into_iter().filter(|(_, path, _)| path.starts_with("/api/v1/"))
    {
        let security =
            operation["security"].as_array().unwrap_or_else(|| panic!("{method} {path} declares none"));
        let open = security.iter().any(|way| way.as_object().is_some_and(serde_json::Map::is_empty));
        let declared = security[0]["token"].as_array().into_iter().flatten();
        let permissions: Vec<Permission> =
            declared.map(|name| name.as_str().unwrap().parse().unwrap()).collect();
        assert!(open == permissions.is_empty(), "{method} {path} declares no permission");
        let status = async |principal: Option<Principal>| {
            let mut request = Request::builder().method(method.as_str()).uri(exemplary(&path, operation));
            if let Some(principal) = principal {
                request = request.extension(principal);
            }
            bare.clone().oneshot(request.body(Body::empty()).unwrap()).await.unwrap().status().as_u16()
        };
        assert_eq!(status(None).await == 403, !open, "{method} {path} as nobody");
        for lacks in &permissions {
            let others: Vec<_> = Permission::ALL.into_iter().filter(|other| other != lacks).collect();
            let refused = status(Some(Principal::new("t", others))).await;
            assert_eq!(refused, 403, "{method} {path} without {lacks}");
        }
        assert_ne!(status(Some(Principal::new("t", permissions))).await, 403, "{method} {path} with its own");
    }
}

/// The shape of the body of an operation, if that is one object.
fn body_of(operation: &Value) -> Option<&'static Value> {
    let schema = &operation["requestBody"]["content"]["application/json"]["schema"];
    let choices = schema["oneOf"].as_array().into_iter().flatten().chain([schema]);
    let named = choices.filter_map(|choice| choice["$ref"].as_str()?.rsplit('/').next());
    let shapes = named.map(|name| &document()["components"]["schemas"][name]);
    shapes.into_iter().find(|shape| shape["properties"].is_object())
}

/// What is wrong with a body, by the document of it: a value for each bound of a field, whether it is within, and the field.
fn at_the_bounds(shape: &Value) -> Vec<(String, Value, bool)> {
    let mut all = Vec::new();
    for (field, of) in shape["properties"].as_object().unwrap() {
        let mut add = |value: Value, is_within: bool| all.push((field.clone(), value, is_within));
        if let Some(max) = of["maximum"].as_i64() {
            add(json!(max), true);
            add(json!(max + 1), false);
        }
        if let Some(min) = of["minimum"].as_i64() {
            add(json!(min), true);
            add(json!(min - 1), false);
        }
        if let Some(max) = of["maxLength"].as_u64().filter(|_| field != "schedule") {
            // A pointer begins with its slash.
            let text = |length: u64| json!(format!("/{}", "a".repeat(usize::try_from(length - 1).unwrap())));
            let text = |length: u64| match field.as_str() {
                "part" => text(length),
                _ => json!("a".repeat(usize::try_from(length).unwrap())),
            };
            add(text(max), true);
            add(text(max + 1), false);
        }
        if of["pattern"].is_string() && field != "part" {
            add(json!(".."), false);
            add(json!(""), false);
        }
        for word in of["enum"].as_array().into_iter().flatten() {
            add(word.clone(), true);
        }
        if of["enum"].is_array() {
            add(json!("nonsense"), false);
            add(json!(""), false);
        }
    }
    all
}

#[tokio::test]
async fn the_bounds_of_every_field_are_those_of_its_check() {
    let mut wrong = Vec::new();
    let mut tried = 0;
    for (method, path, operation) in operations().into_iter().filter(|(method, ..)| method == "POST") {
        let Some(shape) = body_of(operation) else { continue };
        let example = bodies(operation).into_iter().flatten().find(Value::is_object).unwrap();
        for (field, value, is_within) in at_the_bounds(shape) {
            let api = Caller::on(TestRedis::beside(1, &ALL_DOORS).await);
            api.given(&json!({
                "id": "delete-4711", "kind": "delete_resource", "subject": "resource:4711", "delay_ms": 60_000
            }))
            .await;
            let mut body = example.clone();
            let times = ["due_at", "due_ms", "delay_ms"];
            if times.contains(&field.as_str()) {
                body.as_object_mut().unwrap().retain(|name, _| !times.contains(&name.as_str()));
            }
            body[&field] = value.clone();
            let answer = send(&api, &method, &exemplary(&path, operation), Some(&body)).await;
            let pointer = format!("/{field}");
            let detail = answer.body["detail"].as_str().unwrap_or_default();
            let mut words = detail.split(|c: char| !c.is_ascii_alphanumeric() && c != '_');
            let is_told = answer.mistakes().iter().any(|(place, _)| *place == pointer)
                || answer.status == 422 && words.any(|word| word == field);
            tried += 1;
            // What is out of bounds may be told of at another place: where a field is for some other value of another.
            let is_as_told = if is_within { !is_told } else { matches!(answer.status, 404 | 422) };
            if !is_as_told {
                let shown: String = value.to_string().chars().take(60).collect();
                wrong.push(format!(
                    "{method} {path} {field} = {shown}: {} {:.300}",
                    answer.status, answer.body
                ));
            }
        }
    }
    println!("{tried} values");
    assert!(wrong.is_empty(), "{} of {tried}: {wrong:#?}", wrong.len());
}

#[tokio::test]
async fn every_body_has_the_fields_of_its_document_and_no_others() {
    let api = Caller::on(TestRedis::beside(1, &ALL_DOORS).await);
    for (method, path, operation) in operations().into_iter().filter(|(method, ..)| method == "POST") {
        let Some(shape) = body_of(operation) else { continue };
        assert_eq!(shape["additionalProperties"], false, "{path}");
        let body = json!({ "no_such_field": 1 });
        let answer = send(&api, &method, &exemplary(&path, operation), Some(&body)).await;
        assert!(answer.status == 422 || answer.status == 404, "{path}: {answer:?}");
        let errors = answer.body["errors"].as_array().cloned().unwrap_or_default();
        let unknown = errors.iter().find(|error| error["code"] == "unknown_field");
        let Some(there) = unknown.and_then(|error| error["detail"].as_str()?.split("there are ").nth(1))
        else {
            continue;
        };
        let there: BTreeSet<&str> = there.split(", ").collect();
        let told: BTreeSet<&str> =
            shape["properties"].as_object().unwrap().keys().map(String::as_str).collect();
        assert_eq!(there, told, "{path}");
    }
}

#[test]
fn the_document_has_the_words_for_a_job_that_was_not_accepted() {
    let id = || JobId::new("a").unwrap();
    let refused = [
        Enqueued::Duplicate { id: id(), holder: id() },
        Enqueued::SubjectFull { id: id() },
        Enqueued::IdConflict { id: id() },
    ];
    let words = refused.map(|outcome| outcome.word());
    assert_eq!(document()["components"]["schemas"]["NotTakenWord"]["enum"], json!(words));
}
