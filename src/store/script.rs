//! The transitions: each a Lua file, a function of the one library that all of them make up.

use super::verb::{Flags, Verb};
use std::sync::OnceLock;

/// `CLAIM, "claim", GROWS;` below `"jobs"` is the function of `lua/functions/jobs/claim.lua`.
macro_rules! verbs {
    ($($folder:literal { $($verb:ident, $file:literal, $flags:ident;)+ })+) => {
        $($(pub(crate) static $verb: Verb = Verb {
            name: $file,
            file: concat!("functions/", $folder, "/", $file),
            flags: verbs!(@flags $flags),
            text: include_str!(concat!("../../lua/functions/", $folder, "/", $file, ".lua")),
            function: OnceLock::new(),
        };)+)+
        /// All of them.
        pub(super) static VERBS: &[&Verb] = &[$($(&$verb),+),+];
    };
    (@flags GROWS) => { Flags::Grows };
    (@flags DRAINS) => { Flags::Drains };
    (@flags READS) => { Flags::Reads };
}

verbs! {
    "jobs" {
        ENQUEUE, "enqueue", GROWS;
        BEGIN_ABOVE, "begin_above", GROWS;
        ADOPT, "adopt", GROWS;
        WITHDRAW, "withdraw", DRAINS;
        FORWARD, "forward", GROWS;
        CLAIM, "claim", GROWS;
        EXTEND, "extend", DRAINS;
        COMPLETE, "complete", DRAINS;
        COMPLETE_AND_CLAIM, "complete_and_claim", GROWS;
        NOTE, "note", GROWS;
        KEEP_RESULT, "keep_result", DRAINS;
        FAIL, "fail", DRAINS;
        SNOOZE, "snooze", DRAINS;
        RELEASE, "release", DRAINS;
        RECOVER, "recover", DRAINS;
        PURGE, "purge", DRAINS;
        MEND, "mend", GROWS;
        CANCEL, "cancel", DRAINS;
        CANCEL_SUBJECT, "cancel_subject", DRAINS;
        STOP_JOBS, "stop_jobs", DRAINS;
        MOVE_JOBS, "move_jobs", GROWS;
        HOLD, "hold", DRAINS;
        UNHOLD, "unhold", GROWS;
        REINSTATE, "reinstate", GROWS;
        RETRY_NOW, "retry_now", GROWS;
        RESCHEDULE, "reschedule", GROWS;
        EDIT, "edit", GROWS;
        ERASE_SUBJECT, "erase_subject", DRAINS;
        PURGE_JOB, "purge_job", DRAINS;
        REVEAL, "reveal", GROWS;
    }
    "sinks" {
        PUBLISH, "publish", GROWS;
        LOOK, "look", DRAINS;
    }
    "queues" {
        LIMIT, "limit", DRAINS;
        PAUSE, "pause", DRAINS;
        RESUME, "resume", GROWS;
        SET_RULE, "set_rule", GROWS;
        SET_SETTING, "set_setting", GROWS;
        SET_RETENTION, "set_retention", GROWS;
        RECORD, "record", GROWS;
    }
    "halt" {
        WATCH, "watch", DRAINS;
        SET_HALT, "set_halt", DRAINS;
        CLEAR_HALT, "clear_halt", DRAINS;
    }
    "cron" {
        CRON_PUT, "cron_put", GROWS;
        CRON_REMOVE, "cron_remove", DRAINS;
        CRON_PAUSE, "cron_pause", DRAINS;
        CRON_RESUME, "cron_resume", GROWS;
        CRON_FIRE, "cron_fire", GROWS;
        CRON_RUN, "cron_run", GROWS;
        CRON_DUE, "cron_due", READS;
    }
    "plans" {
        PLAN, "plan", GROWS;
        REANCHOR, "reanchor", GROWS;
        HOLD_PLAN, "hold_plan", DRAINS;
        UNHOLD_PLAN, "unhold_plan", GROWS;
        CANCEL_PLAN, "cancel_plan", DRAINS;
        REINSTATE_PLAN, "reinstate_plan", GROWS;
    }
    "batches" {
        BATCH_MAKE, "batch_make", GROWS;
        BATCH_ADD, "batch_add", GROWS;
        BATCH_CLOSE, "batch_close", GROWS;
        BATCH_CANCEL, "batch_cancel", DRAINS;
    }
    "bulk" {
        BULK_OPEN, "bulk_open", GROWS;
        BULK_TAKE, "bulk_take", GROWS;
        BULK_START, "bulk_start", GROWS;
        BULK_UNDO, "bulk_undo", GROWS;
        BULK_ABORT, "bulk_abort", DRAINS;
        BULK_STEP, "bulk_step", DRAINS;
    }
    "people" {
        ADD_TOKEN, "add_token", GROWS;
        REVOKE_TOKEN, "revoke_token", DRAINS;
        TOKEN, "token", READS;
        PUT_PERSON, "put_person", GROWS;
        REMOVE_PERSON, "remove_person", DRAINS;
        PERSON, "person", READS;
        OPEN_SESSION, "open_session", DRAINS;
        SESSION, "session", READS;
        TOUCH_SESSION, "touch_session", DRAINS;
        END_SESSIONS, "end_sessions", DRAINS;
        SESSIONS, "sessions", READS;
        GUESS, "guess", DRAINS;
        GUESSED, "guessed", DRAINS;
        SPEND, "spend", DRAINS;
        AUDIT_DENIED, "audit_denied", GROWS;
        AUDIT_ACT, "audit_act", GROWS;
        SAVE_VIEW, "save_view", GROWS;
        REMOVE_VIEW, "remove_view", DRAINS;
    }
    "workers" {
        HEARTBEAT, "heartbeat", DRAINS;
        ANNOUNCE, "announce", DRAINS;
        TICK, "tick", DRAINS;
        ORDER_WORKER, "order_worker", DRAINS;
    }
    "read" {
        BATCHES, "batches", READS;
        PLAN_STEPS, "plan_steps", READS;
        PLANS, "plans", READS;
        DETAIL, "detail", READS;
        SCAN, "scan", READS;
        INDEX_LOOK, "index_look", READS;
        INDEX_PUT, "index_put", GROWS;
        INDEX_BEGIN, "index_begin", DRAINS;
        INDEX_FIND, "index_find", READS;
        CANDIDATES, "candidates", READS;
        ROWS, "rows", READS;
        SUBJECT, "subject", READS;
        SURVEY, "survey", READS;
        FORECAST, "forecast", READS;
        DUE_AHEAD, "due_ahead", READS;
        WITHDRAWABLE, "withdrawable", READS;
    }
}
