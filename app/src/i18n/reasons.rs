//! The usual reasons: kept in one language, shown in the reader's.

use std::sync::LazyLock;

use fluent_bundle::FluentValue;
use reprieve::desk::TIME_PASSED;
use reprieve::model::{JobState, Permission, Role, run_of_change, why_of};

use super::engine::Sentences;
use crate::format;
use crate::t;

/// What a reason is given for: each sort of act has its own.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub enum ReasonsFor {
    /// Calling off, holding and deleting.
    #[default]
    CallingOff,
    /// Running something, once more or before its time.
    Running,
    /// Changing something.
    Changing,
}

impl ReasonsFor {
    /// The usual reasons, as they are kept in histories.
    ///
    /// Kept in English in every language of the screens, so that one history can be searched and counted.
    pub const fn usual(self) -> &'static [&'static str] {
        match self {
            Self::CallingOff => &REASONS,
            Self::Running => &["Cause fixed", "Outage over", "Customer asked", INCIDENT],
            Self::Changing => &["Customer asked", "Wrong customer or resource", "Maintenance", INCIDENT],
        }
    }
}

/// The usual reasons to call something off. What a namespace sets instead stands for all sorts of acts.
pub const REASONS: [&str; 6] =
    ["Customer asked", "Renewed or paid", "Wrong customer or resource", "Legal hold", "Duplicate", INCIDENT];

/// Whether a kept reason is one of the usual ones, of whatever act.
fn is_usual(kept: &str) -> bool {
    let sorts = [ReasonsFor::CallingOff, ReasonsFor::Running, ReasonsFor::Changing];
    sorts.iter().any(|sort| sort.usual().contains(&kept))
}

/// What a form sends for a reason that is none of those it offers: what it is stands in the note.
pub const OTHER_REASON: &str = "other";
/// A note that is the only reason has at least as many characters: a word of two letters explains nothing to one who
/// reads the audit.
pub const OTHER_CHARS_MIN: usize = 10;

/// The usual reason that has a number of its own: that of the incident.
pub const INCIDENT: &str = "Incident";
/// The number of an incident is no longer, in characters.
pub const INCIDENT_CHARS_MAX: usize = 60;

/// Why somebody acts, in one text, from the fields of a form; `None` when *Other* was chosen and its note says too little.
///
/// The number of an incident stands behind that reason, `Incident 4711`, and is nothing beside any other.
pub fn chosen_why(reason: &str, note: &str, ticket: &str, incident: &str) -> Option<String> {
    if reason == INCIDENT {
        return Some(why_of(&numbered(incident), note, ticket));
    }
    if reason != OTHER_REASON {
        return Some(why_of(reason, note, ticket));
    }
    (note.trim().chars().count() >= OTHER_CHARS_MIN).then(|| why_of("", note, ticket))
}

/// The reason of an incident with its number, if it has one.
fn numbered(incident: &str) -> String {
    let number: String = incident.trim().chars().take(INCIDENT_CHARS_MAX).collect();
    if number.is_empty() { INCIDENT.to_owned() } else { format!("{INCIDENT} {number}") }
}

/// A kept reason in the language of this page; as it is if it is neither one of [`REASONS`] nor the engine's.
pub fn reason(kept: &str) -> String {
    match kept {
        "Customer asked" => t!("acts-reason-customer"),
        "Renewed or paid" => t!("acts-reason-renewed"),
        "Wrong customer or resource" => t!("acts-reason-wrong"),
        "Legal hold" => t!("acts-reason-legal"),
        "Duplicate" => t!("acts-reason-duplicate"),
        "Cause fixed" => t!("acts-reason-fixed"),
        "Outage over" => t!("acts-reason-outage-over"),
        "Maintenance" => t!("acts-reason-maintenance"),
        "Incident" => t!("acts-reason-incident"),
        TIME_PASSED => t!("support-time-passed"),
        other => match other.strip_prefix("Incident ") {
            Some(number) => t!("acts-reason-incident-number", number = number.to_owned()),
            None => other.to_owned(),
        },
    }
}

/// Why something was done, as kept, for a person: a usual reason and what the engine writes in the language of this page, and
/// what was added to it as it was written.
pub fn why(kept: &str) -> String {
    if let Some((run, why_of_run)) = run_of_change(kept) {
        return match why_of_run {
            "" => t!("acts-why-run", run = run.to_string()),
            said => t!("acts-why-run-because", run = run.to_string(), why = why(said)),
        };
    }
    match kept.split_once(": ") {
        Some((usual, added)) if is_usual(usual) || usual.starts_with("Incident ") => {
            t!("acts-reason-and-more", reason = reason(usual), more = added.to_owned())
        }
        _ => written(kept).unwrap_or_else(|| reason(kept)),
    }
}

/// Whether nothing of a kept reason was typed: it is a usual one, or the engine's.
pub(super) fn is_known_why(kept: &str) -> bool {
    if let Some((_, why_of_run)) = run_of_change(kept) {
        return why_of_run.is_empty() || is_known_why(why_of_run);
    }
    kept == TIME_PASSED || is_usual(kept) || written(kept).is_some()
}

/// What scripts write as the reason of a change that nobody asked for, in words; `None` for anything else.
fn written(kept: &str) -> Option<String> {
    let steps = || kept.split(", ").map(ended_step).collect::<Option<Vec<_>>>().map(format::list);
    WRITTEN.said(kept, filled).or_else(steps)
}

static WRITTEN: LazyLock<Sentences> = LazyLock::new(|| {
    let of_several_lines = [
        ("acts-why-attempts", "all { $count } attempts used"),
        ("acts-why-batch-failed", "of its batch { $dead } are dead and { $cancelled } cancelled"),
    ];
    Sentences::new("acts-why-", &of_several_lines)
});

/// What is filled in; `None` where no script writes it. A name has no space in it: `waits for the lawyer` is what somebody typed.
fn filled(name: &str, value: &str) -> Option<FluentValue<'static>> {
    let is_name = |said: &str| !said.is_empty() && !said.contains(char::is_whitespace);
    let number = value.parse::<u64>().ok();
    let text = match name {
        "count" | "dead" | "cancelled" | "failed" | "last" => return number.map(FluentValue::from),
        "late" | "most" | "since" => number?.to_string(),
        "worker" | "who" if is_name(value) => value.to_owned(),
        "steps" if value.split(", ").all(is_name) => value.to_owned(),
        "place" if value.split(' ').count() <= 2 => value.to_owned(),
        "role" => value.parse::<Role>().ok()?.to_string(),
        "right" => value.parse::<Permission>().ok()?.to_string(),
        "why" => why(value),
        _ => return None,
    };
    Some(text.into())
}

/// A step of a plan that ended otherwise than done: `charge is dead`.
fn ended_step(said: &str) -> Option<String> {
    let (step, state) = said.split_once(" is ")?;
    let state: JobState = state.parse().ok()?;
    (state.is_final() && !step.contains(' '))
        .then(|| t!("acts-why-step", step = step.to_owned(), state = super::state(state)))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn other_says_what_it_is_in_ten_characters() {
        let table = [
            (("other", "called twice", ""), Some("called twice")),
            (("other", " too short ", "8812"), None),
            (("other", "", "8812"), None),
            (("other", "因为客户今天打来电话说", "7"), Some("因为客户今天打来电话说 (ticket 7)")),
            (("Incident", "", "7"), Some("Incident: ticket 7")),
            // What sends no reason was not asked for one: an act that is taken back at once.
            (("", "", ""), Some("")),
        ];
        for ((reason, note, ticket), why) in table {
            assert_eq!(chosen_why(reason, note, ticket, "").as_deref(), why, "{reason} {note} {ticket}");
        }
    }

    #[test]
    fn an_incident_is_named_by_its_number() {
        let table = [
            (("Incident", "pager", "7", " 4711 "), "Incident 4711: pager (ticket 7)"),
            (("Incident", "", "", "INC-12"), "Incident INC-12"),
            (("Incident", "", "", " "), "Incident"),
            // Typed before another reason was chosen.
            (("Duplicate", "", "", "4711"), "Duplicate"),
        ];
        for ((reason, note, ticket, incident), why) in table {
            assert_eq!(
                chosen_why(reason, note, ticket, incident).as_deref(),
                Some(why),
                "{reason} {incident}"
            );
        }
        let owner = leptos::prelude::Owner::new();
        owner.set();
        leptos::prelude::provide_context(crate::i18n::Language::Chinese);
        assert_eq!(why("Incident 4711: pager (ticket 7)"), "事故 4711：pager (ticket 7)");
        assert_eq!(why("Incident INC-12"), "事故 INC-12");
        assert_eq!(why(TIME_PASSED), "其时间已过");
    }

    #[test]
    fn every_usual_reason_is_said_in_words_of_its_own() {
        for sort in [ReasonsFor::CallingOff, ReasonsFor::Running, ReasonsFor::Changing] {
            for kept in sort.usual() {
                assert_eq!(reason(kept), *kept, "English shows what is kept");
            }
        }
        assert_eq!(why(TIME_PASSED), TIME_PASSED);
        assert_eq!(why("Incident: 4711"), "Incident: 4711");
        assert_eq!(why("because: I say so"), "because: I say so");
    }

    /// Reasons that scripts write, and what they are in Chinese.
    const SENTENCES: [(&str, &str); 34] = [
        ("bulk run r7", "批量操作 r7"),
        ("bulk run r7: Customer asked", "批量操作 r7：客户要求"),
        ("bulk run r7: Incident 4711: pager", "批量操作 r7：事故 4711：pager"),
        ("stopped when asked", "应要求停止"),
        ("failed for good", "已确定失败，不再重试"),
        ("its worker stopped", "其工作进程已停止"),
        ("what it waited for is done", "所等待的已完成"),
        ("waits for its batch", "等待其批次"),
        ("its batch is open", "其批次尚未关闭"),
        ("its batch cannot be read", "其批次无法读取"),
        ("rolled back", "已放回原队列"),
        ("as it was where it comes from", "沿用来源处的状态"),
        ("all 3 attempts used", "3 次尝试已用完"),
        ("killed its worker 5 times", "5 次使其工作进程崩溃"),
        ("worker w1 lost its lease", "工作进程 w1 失去租约"),
        ("was handed to w1 and never heard of again", "交给 w1 后再无消息"),
        ("lost 5 times: was handed to w1 and never heard of again", "丢失 5 次：交给 w1 后再无消息"),
        ("waits for delete, sms-2", "等待 delete, sms-2"),
        ("published to list mail", "已转发到 list mail"),
        ("replaced", "已被替换"),
        ("debounced", "已与重复的请求合并"),
        ("outside the window of its kind", "不在其类型的投递时段内"),
        ("the windows of its kind are not known at present", "其类型的投递时段目前未知"),
        ("it could not be published", "未能交出"),
        ("its plan is held", "其计划已挂起"),
        ("worker w1 lost its lease; its plan is held", "工作进程 w1 失去租约；其计划已挂起"),
        ("expired: 5000 ms late, at most 1000 are allowed", "已过期：晚了 5000 毫秒，最多允许 1000 毫秒"),
        ("of its batch 2 are dead and 1 cancelled", "其批次中有 2 个成为死信、1 个已撤销"),
        (
            "120 of the last 200 failed again; find out why before the rest",
            "最近 200 个中有 120 个再次失败；请先查明原因，再处理其余任务",
        ),
        ("ann may not sign in any more", "ann 已不能登录"),
        ("it is not known what ann would have to be allowed to do", "不清楚 ann 需要什么权限"),
        ("the rights of ann do not hold in all queues of the run", "ann 的权限未覆盖此批量操作的所有队列"),
        ("ann is now support and has lost the permission jobs.purge", "ann 现为客服，已失去权限 jobs.purge"),
        ("paused in asynq since 1700000000 (Unix seconds)", "自 1700000000（Unix 秒）起在 asynq 中暂停"),
    ];

    #[test]
    fn what_scripts_write_is_said_in_the_language_of_the_page() {
        for (kept, _) in SENTENCES {
            assert_eq!(why(kept), kept, "English shows what is kept");
        }
        let owner = leptos::prelude::Owner::new();
        owner.set();
        leptos::prelude::provide_context(crate::i18n::Language::Chinese);
        for (kept, said) in SENTENCES {
            assert_eq!(why(kept), said);
        }
        let (dead, cancelled) = (crate::i18n::state(JobState::Dead), crate::i18n::state(JobState::Cancelled));
        assert_eq!(why("charge is dead"), format!("charge：{dead}"));
        assert_eq!(why("charge is dead, mail is cancelled"), format!("charge：{dead}、mail：{cancelled}"));
        for typed in [
            "all of it",
            "waits for the customer's lawyer",
            "taken by Bob from sales",
            "the customer is dead",
        ] {
            assert_eq!(why(typed), typed, "what somebody typed is theirs");
        }
        assert_eq!(why("bulk run"), "bulk run");
    }

    /// The texts that scripts give as the reason of a move, whole ones only.
    #[test]
    fn no_script_writes_a_reason_that_has_no_words() {
        let lua = std::path::Path::new(env!("CARGO_MANIFEST_DIR")).join("../lua");
        let inside = |folder: std::path::PathBuf| {
            std::fs::read_dir(folder).unwrap().map(|entry| entry.unwrap().path()).collect::<Vec<_>>()
        };
        let functions = inside(lua.join("functions")).into_iter().flat_map(inside);
        let texts = functions.chain(inside(lua.join("core"))).map(std::fs::read_to_string);
        let mut reasons = Vec::new();
        for text in texts {
            let text = text.unwrap();
            let writes =
                ["job.move(now,", "\"wait\", ", "\"shut\", ", "why = \"", "new.why or \"", ".. \"its "];
            let moves = text.lines().filter(|line| writes.iter().any(|word| line.contains(word)));
            for quoted in moves.flat_map(|line| line.split('"').skip(1).step_by(2)) {
                let is_sentence = quoted.contains(' ') && quoted.trim() == quoted && !quoted.starts_with(';');
                reasons.extend(is_sentence.then(|| quoted.to_owned()));
            }
        }
        assert!(reasons.len() > 6, "{reasons:?}");
        for reason in reasons {
            assert!(why_is_known(&reason), "{reason}");
        }
    }

    fn why_is_known(kept: &str) -> bool {
        kept == TIME_PASSED || written(kept).is_some()
    }
}
