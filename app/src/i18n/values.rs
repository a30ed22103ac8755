//! What is wrong with a value that somebody typed.

use reprieve::Error;
use reprieve::model::InvalidName;

use crate::t;

/// What is wrong with a name, to end a sentence with.
pub fn bad_name(wrong: &InvalidName) -> String {
    match wrong {
        InvalidName::Empty { .. } => t!("errors-name-empty"),
        InvalidName::TooLong { bytes_max, .. } => t!("errors-name-long", count = *bytes_max),
        InvalidName::Character { found, allowed, .. } => {
            t!("errors-name-character", found = found.to_string(), allowed = allowed.clone())
        }
        InvalidName::Dots { .. } => t!("errors-name-dots"),
        _ => wrong.to_string(),
    }
}

/// What to say to a time that cannot be read.
pub fn not_a_time() -> String {
    t!("errors-not-a-time")
}

/// What to say to what should be a whole number.
pub fn not_a_number(text: &str) -> String {
    t!("errors-not-a-number", text = text)
}

/// What to say to a payload that is over the limit.
pub(crate) fn too_large(bytes_max: usize) -> String {
    t!("errors-payload-large", size = crate::format::bytes(bytes_max as u64))
}

/// Which values that field takes of which the engine refused one. The engine says so in English; here is what forms can send
/// wrong. `None` for the rest.
pub(crate) fn bad_value(error: &Error) -> Option<String> {
    use reprieve::model::{AlertRule, Look, Settings, VIEW_NAME_CHARS_MAX};
    let Error::Invalid { field, why } = error else { return None };
    Some(match *field {
        "title" => t!("settings-title-long", count = Look::TITLE_CHARS_MAX),
        "environment" => t!("settings-environment-long", count = Look::ENVIRONMENT_CHARS_MAX),
        "reasons" => {
            let (most, chars) = (Settings::REASONS_MAX, Settings::REASON_CHARS_MAX);
            t!("settings-reasons-wrong", most = most, chars = chars)
        }
        "alerts" => t!("settings-alerts-most", most = Settings::ALERTS_MAX),
        "over" => t!("settings-alert-over-large", most = AlertRule::LATE_MS_BELOW),
        "redaction" => t!("settings-redaction-wrong", most = Settings::REDACTION_MAX),
        "settings" => t!("settings-too-large"),
        "done" | "dead" | "cancelled" | "delay_ms" => t!("errors-span-long"),
        "due" => t!("errors-due-far"),
        "bounds" => t!("forecast-too-far"),
        "view" => t!("filter-view-wrong", chars = VIEW_NAME_CHARS_MAX),
        "columns" => t!("filter-columns-many"),
        "mask" => t!("dead-mute-most", most = Settings::MUTED_MAX),
        "payload" => t!("errors-payload-hidden"),
        "reason" => t!("errors-reason-long"),
        "import" if why.contains("another Redis") => t!("import-name-elsewhere"),
        "import" => t!("import-name-taken"),
        "key" if why.contains("Reprieve's own") => t!("import-place-ours"),
        "key" | "topic" => t!("import-place-missing"),
        "queues" if why.contains("at least one queue") => t!("import-place-missing"),
        "id" | "subject" => t!("import-pointer-wrong"),
        _ => return None,
    })
}
