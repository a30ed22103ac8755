//! The transitions: each a Lua file, joined at compile time with what it shares.

use redis::Script;
use std::collections::HashMap;
use std::sync::{LazyLock, PoisonError, RwLock};

/// `script!(CLAIM, "claim", GROWS, ["clock", …])` is the script of `lua/claim.lua` behind its libraries.
macro_rules! script {
    ($name:ident, $file:literal, $flags:ident, [$($lib:tt),+]) => {
        pub(crate) static $name: LazyLock<Script> = LazyLock::new(|| {
            named($file, Script::new(concat!(
                script!(@flags $flags), "\n",
                $(script!(@lib $lib),)+
                include_str!(concat!("../../lua/", $file, ".lua")),
            )))
        });
    };
    // A job is more than one page of text.
    (@lib "job") => {
        concat!(
            script!(@file "record"), script!(@file "job"), script!(@file "history"), script!(@file "events"), script!(@file "lanes"), script!(@file "move"), script!(@file "routine"),
            script!(@file "strays"), script!(@file "limits"), script!(@file "terms")
        )
    };
    (@lib "intake") => { concat!(script!(@file "intake"), script!(@file "repeats")) };
    (@lib $lib:tt) => { script!(@file $lib) };
    (@file $lib:tt) => { concat!(include_str!(concat!("../../lua/lib/", $lib, ".lua")), "\n") };
    // Refused as a whole, before its first write, when Redis is full.
    (@flags GROWS) => { "#!lua" };
    // Runs on a full Redis too, or it could never be emptied and nothing could be called off.
    (@flags DRAINS) => { "#!lua flags=allow-oom" };
    // Only reads.
    (@flags READS) => { "#!lua flags=no-writes" };
}

/// The scripts this process has used so far, by the hash under which Redis knows them.
static NAMES: LazyLock<RwLock<HashMap<String, &'static str>>> = LazyLock::new(RwLock::default);

fn named(name: &'static str, script: Script) -> Script {
    NAMES.write().unwrap_or_else(PoisonError::into_inner).insert(script.get_hash().to_owned(), name);
    script
}

/// The name of a script by its hash; `None` for one that is not ours, or that this process has not used yet.
pub(crate) fn name_of(hash: &str) -> Option<&'static str> {
    NAMES.read().unwrap_or_else(PoisonError::into_inner).get(hash).copied()
}

script!(ENQUEUE, "enqueue", GROWS, ["clock", "stats", "job", "intake"]);
script!(ADOPT, "adopt", GROWS, ["clock", "stats", "job", "intake"]);
script!(WITHDRAW, "withdraw", DRAINS, ["clock", "stats", "job"]);
script!(FORWARD, "forward", GROWS, ["clock", "stats", "job"]);
script!(CLAIM, "claim", GROWS, ["clock", "stats", "job"]);
script!(EXTEND, "extend", DRAINS, ["clock", "stats", "job"]);
script!(COMPLETE, "complete", DRAINS, ["clock", "stats", "job"]);
script!(NOTE, "note", GROWS, ["clock", "stats", "job"]);
script!(FAIL, "fail", DRAINS, ["clock", "stats", "job"]);
script!(SNOOZE, "snooze", DRAINS, ["clock", "stats", "job"]);
script!(RELEASE, "release", DRAINS, ["clock", "stats", "job"]);
script!(RECOVER, "recover", DRAINS, ["clock", "stats", "job"]);
script!(PURGE, "purge", DRAINS, ["clock", "stats", "job", "receipt"]);
script!(
    CANCEL,
    "cancel",
    DRAINS,
    [
        "clock",
        "stats",
        "job",
        "operation",
        "outlet",
        "outlet_stream",
        "outlet_list",
        "outlet_asynq",
        "cancel"
    ]
);
script!(
    CANCEL_SUBJECT,
    "cancel_subject",
    DRAINS,
    [
        "clock",
        "stats",
        "job",
        "operation",
        "outlet",
        "outlet_stream",
        "outlet_list",
        "outlet_asynq",
        "cancel"
    ]
);
script!(
    RELAY,
    "relay",
    GROWS,
    ["clock", "stats", "job", "outlet", "outlet_stream", "outlet_list", "outlet_asynq"]
);
script!(
    LOOK,
    "look",
    DRAINS,
    ["clock", "stats", "job", "outlet", "outlet_stream", "outlet_list", "outlet_asynq"]
);
script!(LEAVE, "leave", DRAINS, ["clock", "stats", "job", "operation"]);
script!(HOLD, "hold", DRAINS, ["clock", "stats", "job", "operation"]);
script!(UNHOLD, "unhold", GROWS, ["clock", "stats", "job", "operation"]);
script!(REINSTATE, "reinstate", GROWS, ["clock", "stats", "job", "operation"]);
script!(RETRY_NOW, "retry_now", GROWS, ["clock", "stats", "job", "operation"]);
script!(RESCHEDULE, "reschedule", GROWS, ["clock", "stats", "job", "operation"]);
script!(EDIT, "edit", GROWS, ["clock", "stats", "job", "operation"]);
script!(LIMIT, "limit", DRAINS, ["clock", "stats", "job", "operation"]);
script!(PAUSE, "pause", DRAINS, ["clock", "stats", "job", "operation"]);
script!(RESUME, "resume", GROWS, ["clock", "stats", "job", "operation"]);
script!(CRON_PUT, "cron_put", GROWS, ["clock", "stats", "job", "operation", "cron"]);
script!(CRON_REMOVE, "cron_remove", DRAINS, ["clock", "stats", "job", "operation", "cron"]);
script!(CRON_PAUSE, "cron_pause", DRAINS, ["clock", "stats", "job", "operation", "cron"]);
script!(CRON_RESUME, "cron_resume", GROWS, ["clock", "stats", "job", "operation", "cron"]);
script!(CRON_FIRE, "cron_fire", GROWS, ["clock", "stats", "job", "intake", "cron"]);
script!(CRON_RUN, "cron_run", GROWS, ["clock", "stats", "job", "operation", "intake", "cron"]);
script!(CRON_DUE, "cron_due", READS, ["clock", "stats", "job", "cron"]);
script!(SET_RULE, "set_rule", GROWS, ["clock", "stats", "job", "operation"]);
script!(PLAN, "plan", GROWS, ["clock", "stats", "job", "operation", "intake", "plan"]);
script!(REANCHOR, "reanchor", GROWS, ["clock", "stats", "job", "operation", "plan"]);
script!(HOLD_PLAN, "hold_plan", DRAINS, ["clock", "stats", "job", "operation", "plan"]);
script!(UNHOLD_PLAN, "unhold_plan", GROWS, ["clock", "stats", "job", "operation", "plan"]);
script!(
    CANCEL_PLAN,
    "cancel_plan",
    DRAINS,
    [
        "clock",
        "stats",
        "job",
        "operation",
        "outlet",
        "outlet_stream",
        "outlet_list",
        "outlet_asynq",
        "cancel",
        "plan"
    ]
);
script!(REINSTATE_PLAN, "reinstate_plan", GROWS, ["clock", "stats", "job", "operation", "plan"]);
script!(PLAN_STEPS, "plan_steps", READS, ["clock", "stats", "job", "row", "plan"]);
script!(PLANS, "plans", READS, ["clock"]);
script!(BATCH_MAKE, "batch_make", GROWS, ["clock", "stats", "job", "intake", "batch"]);
script!(BATCH_ADD, "batch_add", GROWS, ["clock", "stats", "job", "intake", "batch"]);
script!(BATCH_CLOSE, "batch_close", GROWS, ["clock", "stats", "job", "operation", "batch"]);
script!(
    BATCH_CANCEL,
    "batch_cancel",
    DRAINS,
    [
        "clock",
        "stats",
        "job",
        "operation",
        "outlet",
        "outlet_stream",
        "outlet_list",
        "outlet_asynq",
        "cancel",
        "batch"
    ]
);
script!(BATCHES, "batches", READS, ["clock", "stats", "job", "row"]);
script!(BULK_OPEN, "bulk_open", GROWS, ["clock", "stats", "job", "operation", "bulk"]);
script!(BULK_COLLECT, "bulk_collect", GROWS, ["clock", "stats", "job", "operation", "bulk"]);
script!(BULK_TAKE, "bulk_take", GROWS, ["clock", "stats", "job", "operation", "bulk"]);
script!(BULK_START, "bulk_start", GROWS, ["clock", "stats", "job", "operation", "bulk"]);
script!(BULK_UNDO, "bulk_undo", GROWS, ["clock", "stats", "job", "operation", "bulk"]);
script!(BULK_ABORT, "bulk_abort", DRAINS, ["clock", "stats", "job", "operation", "bulk"]);
script!(
    BULK_STEP,
    "bulk_step",
    DRAINS,
    [
        "clock",
        "stats",
        "job",
        "operation",
        "outlet",
        "outlet_stream",
        "outlet_list",
        "outlet_asynq",
        "cancel",
        "receipt",
        "bulk"
    ]
);
script!(SET_RETENTION, "set_retention", GROWS, ["clock", "stats", "job", "operation"]);
script!(ERASE_SUBJECT, "erase_subject", DRAINS, ["clock", "stats", "job", "operation", "receipt"]);
script!(PURGE_JOB, "purge_job", DRAINS, ["clock", "stats", "job", "operation"]);
script!(ADD_TOKEN, "add_token", GROWS, ["clock", "stats", "job", "operation"]);
script!(REVOKE_TOKEN, "revoke_token", DRAINS, ["clock", "stats", "job", "operation"]);
script!(TOKEN, "token", READS, ["clock"]);
script!(BEAT, "beat", DRAINS, ["clock", "stats", "job"]);
script!(TICK, "tick", DRAINS, ["clock", "stats", "job"]);
script!(ORDER_WORKER, "order_worker", DRAINS, ["clock", "stats", "job", "operation"]);
script!(DETAIL, "detail", READS, ["clock", "stats", "job", "row"]);
script!(LIST, "list", READS, ["clock", "stats", "job", "row", "keyset"]);
script!(SEARCH, "search", READS, ["clock", "stats", "job", "row", "keyset"]);
script!(SCAN, "scan", READS, ["clock", "stats", "job", "row", "keyset", "candidate"]);
script!(CANDIDATES, "candidates", READS, ["clock", "stats", "job", "row", "candidate"]);
script!(ROWS, "rows", READS, ["clock", "stats", "job", "row"]);
script!(SUBJECT, "subject", READS, ["clock", "stats", "job", "row"]);
script!(SURVEY, "survey", READS, ["clock", "stats", "job"]);
script!(FORECAST, "forecast", READS, ["clock", "stats", "job"]);
script!(RECORD, "record", GROWS, ["clock", "stats", "job"]);
script!(DUE_AHEAD, "due_ahead", READS, ["clock", "stats", "job"]);
