//! The document of the API against the API.

use crate::caller::Caller;
use crate::house::ALL_DOORS;
use axum::body::Body;
use http::Request;
use reprieve::testing::TestRedis;
use reprieve_server::http_api::document;
use serde_json::{Value, json};
use std::collections::BTreeSet;
use std::path::Path;
use tower::ServiceExt as _;

/// One operation: method, path, what the document says of it.
fn operations() -> Vec<(String, String, &'static Value)> {
    let mut all = Vec::new();
    for (path, item) in document()["paths"].as_object().unwrap() {
        for (method, operation) in item.as_object().unwrap() {
            all.push((method.to_uppercase(), path.clone(), operation));
        }
    }
    all
}

/// The path with the examples of its parameters in place of their names.
fn exemplary(path: &str, operation: &Value) -> String {
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
fn bodies(operation: &Value) -> Vec<Option<Value>> {
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
            let api = Caller::on(TestRedis::beside(1, &ALL_DOORS).await);
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
        }
    }
}

#[tokio::test]
async fn the_document_is_served_and_names_every_route_the_router_has() {
    let api = Caller::new().await;

    let served = api.get("/api/v1/openapi.json").await;

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
    use app::access::Principal;
    use reprieve::model::Permission;
    let redis = TestRedis::namespace().await;
    let bare = reprieve_server::http_api::router(redis.engine().clone());
    for (method, path, operation) in operations() {
        let security =
            operation["security"].as_array().unwrap_or_else(|| panic!("{method} {path} declares none"));
        let open = security.iter().any(|way| way.as_object().is_some_and(serde_json::Map::is_empty));
        let declared = security[0]["token"][0].as_str();
        assert!(open != declared.is_some(), "{method} {path} declares no permission");
        let permission = declared.map(|name| {
            Permission::ALL.into_iter().find(|permission| permission.as_str() == name).unwrap_or_else(|| {
                panic!("{method} {path}: there is no permission {name}");
            })
        });
        let status = async |principal: Option<Principal>| {
            let mut request = Request::builder().method(method.as_str()).uri(exemplary(&path, operation));
            if let Some(principal) = principal {
                request = request.extension(principal);
            }
            bare.clone().oneshot(request.body(Body::empty()).unwrap()).await.unwrap().status().as_u16()
        };
        let others: Vec<_> = Permission::ALL.into_iter().filter(|other| Some(*other) != permission).collect();
        let only: Vec<_> = permission.into_iter().collect();
        assert_eq!(status(None).await == 403, !open, "{method} {path} as nobody");
        assert_eq!(
            status(Some(Principal::new("t", others))).await == 403,
            !open,
            "{method} {path} with the others"
        );
        assert_ne!(status(Some(Principal::new("t", only))).await, 403, "{method} {path} with its own");
    }
}
