//! How the engine's types appear in the OpenAPI document: as strings and numbers. utoipa goes by the last segment of a
//! type's path.

use utoipa_config::Config;

const TEXTS: [&str; 26] = [
    "AttemptResult",
    "AuditPlace",
    "BatchId",
    "BulkState",
    "BulkVerb",
    "ConcurrencyKey",
    "CronName",
    "CronOutcome",
    "CronSource",
    "JobId",
    "Kind",
    "LogLevel",
    "Missed",
    "Overlap",
    "PartPath",
    "PlanId",
    "QueueName",
    "Reason",
    "RunId",
    "StepName",
    "Subject",
    "TickNote",
    "UniqueKey",
    "SinkKind",
    "Word",
    "WorkerName",
];

const OTHERS: [(&str, &str); 12] = [
    ("Delay", "i64"),
    ("JobState", "crate::http_api::shapes::StateName"),
    ("NonZeroU32", "u32"),
    ("Offset", "i64"),
    ("Payload", "crate::http_api::view::PayloadView"),
    ("Priority", "u8"),
    ("Progress", "serde_json::Value"),
    ("RawValue", "serde_json::Value"),
    ("Shard", "u16"),
    ("Timestamp", "i64"),
    ("Token", "u64"),
    ("Version", "u64"),
];

fn main() {
    println!("cargo::rerun-if-changed=build.rs");
    let texts = TEXTS.into_iter().map(|name| (name, "String"));
    let config = Config::new();
    texts.chain(OTHERS).fold(config, |config, (name, what)| config.alias_for(name, what)).write_to_file();
}
