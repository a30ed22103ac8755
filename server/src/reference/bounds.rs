//! What the document says of the values of bodies, parameters and addresses: from the constants of their checks, in one
//! place.
//!
//! Answers have all their fields, but for those of a list. A field of one name means the same in every body, so the bounds are by name; a table says where one differs. Every body
//! refuses fields that it does not know.

use crate::http_api::REASON_BYTES_MAX;
use reprieve::model::name::{ID_BYTES_MAX, NAME_BYTES_MAX};
use reprieve::model::retention::KEPT_MOST_MAX;
use reprieve::model::{PartPath, Timestamp};
use reprieve::{PLAN_STEPS_MAX, SPAN_MAX};
use serde_json::{Map, Value, json};
use std::collections::BTreeSet;

/// A part of a name that stands in addresses: not empty, and neither `.` nor `..`.
const NAME: &str = "([.]{0,2}[A-Za-z0-9_-]|[.]{3})[A-Za-z0-9._-]*";
/// The same of ids, which may have several parts with slashes between them.
const ID: &str = "(([.]{0,2}[A-Za-z0-9_:@-]|[.]{3})[A-Za-z0-9._:@-]*/)*\
                  ([.]{0,2}[A-Za-z0-9_:@-]|[.]{3})[A-Za-z0-9._:@-]*";
/// Keys, which stand in no address.
const KEY: &str = "[A-Za-z0-9._:/@-]+";
/// Subjects are any text without control characters.
const SUBJECT: &str = "[^\\u0000-\\u001f\\u007f-\\u009f]+";
/// A JSON pointer.
const POINTER: &str = "(/([^/~]|~[01])*)*";

/// Bounds by the name of a field, or of `Schema.field` where one differs.
fn of_field(schema: &str, field: &str) -> Option<Value> {
    let (span_max, instant_max) = (SPAN_MAX.as_millis(), Timestamp::MAX.as_millis());
    let text = |pattern: &str, max: usize| json!({ "minLength": 1, "maxLength": max, "pattern": format!("^{pattern}$") });
    let number = |min: i64, max: i64| json!({ "minimum": min, "maximum": max });
    let words = |all: &[&str]| json!({ "enum": all });
    let past = ["refuse", "run", "skip"];
    Some(match (schema, field) {
        ("ImportSource", "id" | "subject") => return None,
        (_, "subject") => text(SUBJECT, ID_BYTES_MAX),
        ("NewPlan" | "NewBatch", "id") => text(ID, NAME_BYTES_MAX),
        ("NewBulk", "id") => text(NAME, NAME_BYTES_MAX),
        ("NewStep", "name") => text(NAME, 48),
        (_, "id") => text(ID, ID_BYTES_MAX),
        (_, "kind" | "queue" | "name" | "worker" | "tag") => text(NAME, NAME_BYTES_MAX),
        ("Unique", "key") => text(KEY, ID_BYTES_MAX),
        (schema, "concurrency_key") if schema != "NewLimits" => text(KEY, ID_BYTES_MAX),
        ("NewRuleWindow", "spread_ms") => number(0, 86_400_000),
        (_, "due_ms" | "due_from_ms" | "due_before_ms") => number(0, instant_max),
        ("Unique", "ttl_ms") => number(1, span_max),
        (_, "timeout_ms") => number(10, span_max),
        (_, "delay_ms" | "retry_in_ms" | "retention_ms" | "spread_ms" | "max_wait_ms" | "most_ms") => {
            number(0, span_max)
        }
        (_, "priority") => number(0, 9),
        (_, "max_attempts") => number(1, u32::MAX.into()),
        ("NewLimits", "concurrency" | "concurrency_per_key") | ("Rate", "jobs") => number(1, 1_000_000),
        ("NewBulk" | "StartBulk", "rate") => number(1, 10_000),
        ("NewRetention", "done_most" | "dead_most") => number(1, KEPT_MOST_MAX.cast_signed()),
        ("Claim" | "Extension", "lease_ms") => number(1_000, 3_600_000),
        ("Reveal", "part") => json!({ "maxLength": PartPath::BYTES_MAX, "pattern": format!("^{POINTER}$") }),
        ("NewCronEntry", "schedule") => json!({ "minLength": 1 }),
        ("Reveal", "reason") => json!({ "minLength": 1, "maxLength": REASON_BYTES_MAX }),
        (_, "reason") => json!({ "maxLength": REASON_BYTES_MAX }),
        ("NewPlan", "steps") => json!({ "minItems": 1, "maxItems": PLAN_STEPS_MAX }),
        ("Unique", "by") => words(&["content"]),
        ("Unique", "mode") => words(&["while_live", "throttle", "debounce"]),
        ("Lateness", "then") => words(&["skip", "dead", "run"]),
        ("NewBatch", "rule") => words(&["ended", "done"]),
        ("NewBatch" | "NewStep", "unmet") => words(&["hold", "cancel"]),
        (_, "past") => words(&past),
        ("NewCronEntry", "overlap") => words(&["allow", "skip"]),
        ("NewCronEntry", "missed") => words(&["skip", "once", "all"]),
        ("NewBulk", "verb") => {
            words(&["cancel", "reinstate", "retry_now", "reschedule", "hold", "unhold", "purge"])
        }
        ("NewWorkerOrder", "order") => words(&["quiet", "resume", "stop"]),
        ("ImportSource", "format") => {
            words(&["zset", "delayq", "asynq", "bullmq", "sidekiq", "rq", "arq", "bee-queue", "celery"])
        }
        ("ImportSource", "unit") => words(&["auto", "s", "ms", "us"]),
        _ => return None,
    })
}

/// The parts of addresses: where each stands, what it is, and an example.
const PARTS: [(&str, &str, &str); 11] = [
    ("/batches/{id}", "The batch's id; a slash in it is written `%2F`.", "import-7"),
    ("/bulk/{run}", "The run's id.", "nightly-1"),
    ("/cron/{name}", "The entry's name.", "nightly-report"),
    ("/imports/{import}", "The importer's name, the same for every step.", "legacy"),
    ("/jobs/{id}", "The job's id; a slash in it is written `%2F`.", "delete-4711"),
    ("/plans/{id}", "The plan's id; a slash in it is written `%2F`.", "expiry-4711"),
    ("/queues/{queue}", "The queue's name.", "default"),
    ("/rules/{kind}", "The kind.", "notice"),
    (
        "/settings/{name}",
        "`look`, `redaction`, `reasons`, `alerts`, `second_person` or `index_fields`.",
        "reasons",
    ),
    (
        "/subjects/{subject}",
        "The subject, as any text or as it is kept; a slash in it is written `%2F`.",
        "resource:4711",
    ),
    ("/workers/{worker}", "The worker's name.", "web-1-4711-0a1b2c"),
];

/// Whether an answer leaves a field out when there is nothing to say; else it is null then.
fn may_lack(schema: &str, field: &str) -> bool {
    matches!(
        (schema, field),
        ("Job", "publication")
            | ("Mistake", "parameter" | "pointer")
            | ("NotTaken", "holder")
            | ("BulkFilter", _)
            | ("Payload", "payload" | "payload_base64")
            | (
                "PlanStepAnswer",
                "id" | "state" | "version" | "due_ms" | "started_ms" | "ended_ms" | "worker" | "at_ms"
            )
            | ("Problem", "errors")
            | ("Reported", "cancel_requested")
            | ("RevealedPart", "value" | "value_base64")
            | ("Standing", "note")
    )
}

/// Puts into the document what its types do not say.
pub(super) fn put_into(document: &mut Value) {
    jobs_of_others(document);
    let bodies = bodies(document);
    parameters(document);
    let Some(schemas) = document["components"]["schemas"].as_object_mut() else { return };
    for (name, schema) in schemas.iter_mut() {
        if bodies.contains(name) {
            close(name, schema);
        } else {
            require(name, schema);
        }
    }
}

/// The names of all schemas that bodies are made of.
fn bodies(document: &Value) -> BTreeSet<String> {
    let mut found = BTreeSet::new();
    let operations = document["paths"].as_object().into_iter().flatten();
    let operations = operations.flat_map(|(_, item)| item.as_object().into_iter().flatten());
    for (_, operation) in operations {
        find(&operation["requestBody"], document, &mut found);
    }
    found
}

fn find(value: &Value, document: &Value, found: &mut BTreeSet<String>) {
    match value {
        Value::Object(members) => {
            let name = members.get("$ref").and_then(Value::as_str).and_then(|path| path.rsplit('/').next());
            if let Some(name) = name.filter(|name| found.insert((*name).to_owned())) {
                find(&document["components"]["schemas"][name], document, found);
            }
            members.values().for_each(|member| find(member, document, found));
        }
        Value::Array(items) => items.iter().for_each(|item| find(item, document, found)),
        _ => {}
    }
}

/// Lets answers have all their fields.
fn require(name: &str, schema: &mut Value) {
    for part in schema.get_mut("allOf").and_then(Value::as_array_mut).into_iter().flatten() {
        require(name, part);
    }
    let Some(fields) = schema.get("properties").and_then(Value::as_object) else { return };
    let always: Vec<Value> =
        fields.keys().filter(|field| !may_lack(name, field)).map(|field| field.as_str().into()).collect();
    if !always.is_empty() {
        schema["required"] = always.into();
    }
}

/// Bounds the fields of an object, and lets it have no others.
fn close(name: &str, schema: &mut Value) {
    let Some(fields) = schema.get_mut("properties").and_then(Value::as_object_mut) else { return };
    for (field, shape) in fields.iter_mut() {
        let Some(bounds) = of_field(name, field) else { continue };
        bind(shape, &bounds);
    }
    let has = |name: &str| fields.contains_key(name);
    let mut never: Vec<Value> = Vec::new();
    let pairs =
        [("payload", "payload_base64"), ("due_at", "due_ms"), ("due_at", "delay_ms"), ("due_ms", "delay_ms")];
    for (one, other) in pairs.into_iter().filter(|(one, other)| has(one) && has(other)) {
        never.push(given(&[one, other]));
    }
    schema["additionalProperties"] = false.into();
    if !never.is_empty() {
        schema["not"] = json!({ "anyOf": never });
    }
    match name {
        "Edit" => schema["anyOf"] = one_of(&["payload", "payload_base64"]),
        "NewTime" => schema["anyOf"] = one_of(&["due_at", "due_ms", "delay_ms"]),
        "Unique" => schema["anyOf"] = one_of(&["key", "by"]),
        "PlanReanchor" => schema["oneOf"] = one_of(&["anchor", "by_ms"]),
        _ => {}
    }
}

fn one_of(fields: &[&str]) -> Value {
    fields.iter().map(|field| given(&[field])).collect()
}

/// All of these are there. A field that is null is as good as absent, but for a payload, which may be null.
fn given(fields: &[&str]) -> Value {
    let bare = fields.iter().filter(|field| **field != "payload");
    let bare: Map<String, Value> =
        bare.map(|field| ((*field).to_owned(), json!({ "not": { "type": "null" } }))).collect();
    json!({ "required": fields, "properties": bare })
}

/// Puts bounds on a shape; one that may be null may still be.
fn bind(shape: &mut Value, bounds: &Value) {
    let may_be_null = shape["type"].as_array().is_some_and(|types| types.contains(&json!("null")));
    let (Some(shape), Some(bounds)) = (shape.as_object_mut(), bounds.as_object()) else { return };
    for (key, bound) in bounds {
        let mut bound = bound.clone();
        if let (Some(words), true) = (bound.as_array_mut().filter(|_| key == "enum"), may_be_null) {
            words.push(Value::Null);
        }
        shape.insert(key.clone(), bound);
    }
    // The format of the type in Rust would say another bound.
    if bounds.contains_key("maximum") {
        shape.insert("format".to_owned(), "int64".into());
    }
}

/// The jobs of plans, batches and cron entries have less to say than others: what the thing itself decides.
fn jobs_of_others(document: &mut Value) {
    let times = ["due_at", "due_ms", "delay_ms"];
    for (owner, field, name, lacks) in [
        ("NewCronEntry", "job", "NewCronJob", [&["id", "unique", "replace"][..], &times[..]].concat()),
        ("NewStep", "job", "NewStepJob", [&["id", "subject", "unique", "replace"][..], &times[..]].concat()),
        ("NewBatch", "completion", "NewBatchJob", vec!["id", "unique", "replace"]),
    ] {
        let schemas = &mut document["components"]["schemas"];
        let mut job = schemas["NewJob"].clone();
        if let Some(fields) = job["properties"].as_object_mut() {
            fields.retain(|field, _| !lacks.contains(&field.as_str()));
        }
        job["example"] = json!({ "kind": "report", "payload": { "full": true } });
        schemas[name] = job;
        schemas[owner]["properties"][field]["$ref"] = format!("#/components/schemas/{name}").into();
    }
    // Another time has to be said; one to go back to need not.
    document["components"]["schemas"]["NewTime"] = document["components"]["schemas"]["ActAtTime"].clone();
    document["paths"]["/api/v1/jobs/{id}/reschedule"]["post"]["requestBody"] = json!({
        "required": true, "content": { "application/json": { "schema": { "$ref": "#/components/schemas/NewTime" } } },
    });
}

/// The parts of addresses, and the bounds of whatever parameter is a name.
fn parameters(document: &mut Value) {
    let operations = document["paths"].as_object_mut().into_iter().flatten();
    for (path, item) in operations {
        let path = path.clone();
        for operation in item.as_object_mut().into_iter().flatten().map(|(_, operation)| operation) {
            if let Some((place, what, example)) = PARTS.iter().find(|(place, ..)| path.contains(place)) {
                let parameter = json!({
                    "name": place.split(['{', '}']).nth(1), "in": "path", "description": what, "required": true,
                    "schema": { "type": "string" }, "example": example,
                });
                let others = operation["parameters"].as_array().cloned().unwrap_or_default();
                operation["parameters"] = std::iter::once(parameter).chain(others).collect();
            }
            let parameters = operation.get_mut("parameters").and_then(Value::as_array_mut);
            for parameter in parameters.into_iter().flatten() {
                let name = parameter["name"].as_str().unwrap_or_default().to_owned();
                let is_query = parameter["in"] == "query";
                let Some(bounds) = of_parameter(&path, &name) else { continue };
                let bounds = if is_query { or_empty(bounds) } else { bounds };
                if let Some(schema) = parameter.get_mut("schema") {
                    bind(schema, &bounds);
                }
            }
        }
    }
}

/// Bounds of a parameter, by its name and, where it differs, by where it stands.
fn of_parameter(path: &str, name: &str) -> Option<Value> {
    let schema = match (path, name) {
        (path, "id") if path.contains("/plans/") => "NewPlan",
        (path, "id") if path.contains("/batches/") => "NewBatch",
        (path, "name") if path.contains("/settings/") => return None,
        (path, _) if !path.starts_with("/api/v1/") => return None,
        ("/api/v1/workers/{worker}/order", "worker") => {
            return Some(json!({ "minLength": 1, "maxLength": ID_BYTES_MAX }));
        }
        _ => "",
    };
    let name = match name {
        "import" | "run" => "name",
        "Idempotency-Key" => return of_field("Unique", "key"),
        "id" | "kind" | "queue" | "subject" | "name" | "tag" => name,
        "due_from_ms" | "due_to_ms" | "from_ms" | "to_ms" => "due_ms",
        _ => return None,
    };
    of_field(schema, name)
}

/// In a query an empty text is as good as none.
fn or_empty(bounds: Value) -> Value {
    let Value::Object(mut bounds) = bounds else { return bounds };
    bounds.remove("minLength");
    if let Some(pattern) = bounds.get("pattern").and_then(Value::as_str).map(ToOwned::to_owned) {
        let inner = pattern.trim_start_matches('^').trim_end_matches('$');
        bounds.insert("pattern".to_owned(), format!("^({inner})?$").into());
    }
    Value::Object(Map::from_iter(bounds))
}
