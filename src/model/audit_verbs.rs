//! What acts are called when they are written down.

/// What an act is done to. Each sort has its [verbs](AuditSort::verbs).
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
#[non_exhaustive]
pub enum AuditSort {
    /// One job.
    Jobs,
    /// Plans and batches.
    Plans,
    /// Many jobs at once.
    Bulk,
    /// Queues, kinds and the namespace.
    Queues,
    /// Schedules.
    Schedules,
    /// Workers.
    Workers,
    /// People and tokens.
    People,
    /// Settings.
    Settings,
    /// What goes out, comes in or is erased.
    Data,
}

impl AuditSort {
    /// All of them, as a filter offers them.
    pub const ALL: [Self; 9] = [
        Self::Jobs,
        Self::Plans,
        Self::Bulk,
        Self::Queues,
        Self::Schedules,
        Self::Workers,
        Self::People,
        Self::Settings,
        Self::Data,
    ];

    /// The verbs of all acts that are carried out. What was refused may have others: the right that is lacked, or the path
    /// that was asked for.
    #[must_use]
    pub const fn verbs(self) -> &'static [&'static str] {
        match self {
            Self::Jobs => &[
                "enqueue",
                "cancel",
                "reinstate",
                "retry_now",
                "reschedule",
                "hold",
                "unhold",
                "edit",
                "purge",
                "reveal",
            ],
            Self::Plans => &[
                "cancel_plan",
                "reinstate_plan",
                "reanchor",
                "hold_plan",
                "unhold_plan",
                "batch_close",
                "batch_cancel",
            ],
            Self::Bulk => &[
                "bulk_cancel",
                "bulk_reinstate",
                "bulk_retry_now",
                "bulk_reschedule",
                "bulk_hold",
                "bulk_unhold",
                "bulk_purge",
                "bulk_undo",
            ],
            Self::Queues => &["pause", "resume", "limit", "set_rule", "set_halt", "clear_halt"],
            Self::Schedules => &["cron_put", "cron_pause", "cron_resume", "cron_run", "cron_remove"],
            Self::Workers => &["quiet_worker", "resume_worker", "stop_worker"],
            Self::People => &[
                "sign_in",
                "add_person",
                "invite_person",
                "accept_invitation",
                "set_role",
                "disable_person",
                "enable_person",
                "remove_person",
                "end_sessions",
                "change_password",
                "begin_second_factor",
                "set_second_factor",
                "use_second_factor",
                "drop_second_factor",
                "choose_language",
                "add_token",
                "revoke_token",
            ],
            Self::Settings => &[
                "set_retention",
                "set_look",
                "set_redaction",
                "set_reasons",
                "set_index_fields",
                "set_second_person",
                "set_alerts",
                "set_muted",
                "remove_view",
            ],
            Self::Data => &[
                "export_jobs",
                "export_payloads",
                "export_audit",
                "export_outcomes",
                "erase_subject",
                "take_over",
                "roll_back",
            ],
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::model::bulk::BulkVerb;
    use crate::model::settings::Setting;
    use std::collections::BTreeSet;
    use std::fs;
    use std::path::Path;

    /// The text of every file under a folder whose name ends so.
    fn texts(folder: &Path, end: &str) -> Vec<String> {
        let entries = fs::read_dir(folder).unwrap().map(|entry| entry.unwrap().path());
        let read = |path: std::path::PathBuf| match path.is_dir() {
            true => texts(&path, end),
            false if path.to_string_lossy().ends_with(end) => vec![fs::read_to_string(path).unwrap()],
            false => Vec::new(),
        };
        entries.flat_map(read).collect()
    }

    /// The word in quotes right after each `start`, where it is not the first part of a verb.
    fn quoted(text: &str, start: &str) -> Vec<String> {
        let word = |call: &str| {
            let (word, after) = call.strip_prefix('"')?.split_once('"')?;
            (!after.trim_start().starts_with("..")).then(|| word.to_owned())
        };
        text.split(start).skip(1).filter_map(word).collect()
    }

    /// The word in quotes that ends each call of `change`.
    fn changes(text: &str) -> Vec<String> {
        let word = |call: &str| {
            let (call, _) = call.split(';').next()?.split_once("\")")?;
            call.rsplit_once('"').map(|(_, verb)| verb.to_owned())
        };
        text.split("change(").skip(1).filter_map(word).collect()
    }

    #[test]
    fn every_verb_that_is_written_down_is_listed_once() {
        let root = Path::new(env!("CARGO_MANIFEST_DIR"));
        let mut written = BTreeSet::new();
        for text in texts(&root.join("lua"), ".lua") {
            for start in ["audit.add(now, by, ", "audit.add(now, \"reprieve\", ", "audit.add(now, name, "] {
                written.extend(quoted(&text, start));
            }
            for start in ["operation.done(now, j, ", "act.alone(", "plan.act("] {
                written.extend(quoted(&text, start));
            }
        }
        let (lua, people) = (written.len(), texts(&root.join("crates/access/src/people"), ".rs"));
        assert!(lua > 30, "{written:?}");
        written.extend(people.iter().flat_map(|text| changes(text)));
        assert!(written.len() > lua + 5, "{written:?}");
        written.extend(BulkVerb::ALL.map(|verb| format!("bulk_{verb}")));
        written.extend(Setting::NAMES.map(|name| format!("set_{name}")));

        let listed: Vec<&str> = AuditSort::ALL.into_iter().flat_map(|sort| sort.verbs()).copied().collect();
        let once: BTreeSet<&str> = listed.iter().copied().collect();
        assert_eq!(listed.len(), once.len());
        let missing: Vec<&String> = written.iter().filter(|verb| !once.contains(verb.as_str())).collect();
        assert_eq!(missing, [""; 0]);
    }
}
