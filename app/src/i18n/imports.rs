//! What importers say of foreign queues, in words.

use std::sync::LazyLock;

use super::engine::Sentences;
use super::words;
use crate::t;

use reprieve_import::{
    ImportWarning, ImportWarningCode, KnownSet, RolledBack, SetContent, TakenOver, Unreadable,
};

/// What the engine says of an item, a place or a source that is looked at or taken over, in the language of the page; as it is
/// where nobody has words for it.
pub fn import_said(said: &str) -> String {
    let filled = |name: &str, value: &str| Some(filled(name, value).into());
    SENTENCES.said(said, filled).unwrap_or_else(|| said.to_owned())
}

/// What speaks against taking a source over.
pub fn import_warning(ImportWarning { code, items, set, detail, .. }: &ImportWarning) -> String {
    match (code, set) {
        (ImportWarningCode::KnownSet, Some(set)) => known_set(set),
        (ImportWarningCode::AllDue, _) => t!("import-warns-due", count = *items),
        (ImportWarningCode::FarFuture, _) => t!("import-warns-far", count = *items),
        (ImportWarningCode::BareIds, _) => t!("import-warns-ids", count = *items),
        _ => detail.clone(),
    }
}

/// What came of taking a source over of which so many items were announced. What is added to it meanwhile is taken as well.
/// Of what stays, the next look at the source says why.
pub fn taken_over(announced: u64, taken: &TakenOver) -> String {
    let summary = t!(
        "import-took",
        taken = taken.taken,
        replaced = taken.replaced,
        resumed = taken.resumed,
        left = taken.left_count
    );
    let more = taken.taken.saturating_sub(announced);
    let more = (more > 0).then(|| t!("import-took-more", count = more));
    let notes = taken.notes.iter().map(|note| import_said(note));
    std::iter::once(summary).chain(more).chain(notes).collect::<Vec<_>>().join(" ")
}

/// What came of putting back what was taken over, and what stays here for which reason.
pub fn rolled_back(RolledBack { restored, kept_count, kept, .. }: &RolledBack) -> String {
    let summary = t!("import-restored", restored = *restored, kept = *kept_count);
    let kept = kept
        .iter()
        .map(|Unreadable { name, place, reason, .. }| format!("{name} ({place}): {}", import_said(reason)));
    std::iter::once(summary).chain(kept).collect::<Vec<_>>().join(" ")
}

/// What a well-known system keeps in a sorted set.
pub fn known_set(KnownSet { system, holds }: &KnownSet) -> String {
    let system = system.as_str();
    match holds {
        SetContent::Jobs => t!("import-set-jobs", system = system),
        SetContent::Ids => t!("import-set-ids", system = system),
        SetContent::Ended => t!("import-set-ended", system = system),
        _ => t!("import-set-books", system = system),
    }
}

/// What the screens say otherwise: how to ask for it there.
const OTHERWISE: [(&str, &str); 7] = [
    ("import-said-stay-archived", "they have ended; ask for archived tasks to take them as dead jobs"),
    ("import-said-stay-failed", "they have ended; ask for failed jobs to take them as dead jobs"),
    ("import-said-stay-completed", "they have ended; ask for completed tasks to take them as done jobs"),
    (
        "import-said-stay-process",
        "its workers may be working on them; stop them and ask for these as well, or let them end",
    ),
    (
        "import-said-stay-received",
        "its workers hold them, those with a due time as well; stop them, and ask for these if they stay",
    ),
    ("import-said-bad-function", "its function cannot be read; `kind` names a kind for such jobs"),
    ("import-said-other-full", "the other redis has reached its memory limit"),
];

static SENTENCES: LazyLock<Sentences> = LazyLock::new(|| Sentences::new("import-said-", &OTHERWISE));

fn filled(name: &str, value: &str) -> String {
    match name {
        "why" => import_said(value),
        "state" => value.parse().map_or_else(|_| value.to_owned(), super::state),
        "found" | "wanted" => redis_type(value),
        _ => value.to_owned(),
    }
}

/// A type of Redis's in words; its name where nobody has words for it.
pub fn redis_type(name: &str) -> String {
    words::word("import-type", name)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::i18n::Language;
    use leptos::prelude::{Owner, provide_context};

    /// The sentences of a source file that begin like those which people read, without what is filled in.
    fn sentences(source: &str) -> Vec<String> {
        let code = source.split("#[cfg(test)]").next().unwrap_or_default();
        let said = code.split('"').skip(1).step_by(2);
        let begins = [
            "its ",
            "it ",
            "they ",
            "what it ",
            "groups ",
            "queue {",
            "paused queue ",
            "a roll back ",
            "another item ",
            "other ",
            "what it is ",
            "Reprieve has ",
            "{system} has ",
            "job {",
            "{working} ",
        ];
        let is_said = |said: &&str| said.contains(' ') && begins.iter().any(|begin| said.starts_with(begin));
        said.filter(is_said)
            // A long one goes on in the next line.
            .map(|said| said.split("\\\n").map(str::trim_start).collect::<String>())
            .map(|said| said.replace("{error}", "x").replace("{}", "x").replace("{what}", "x"))
            .collect()
    }

    #[test]
    fn whatever_a_way_in_says_is_said_in_chinese() {
        let owner = Owner::new();
        owner.set();
        provide_context(Language::Chinese);
        let root = std::path::Path::new(env!("CARGO_MANIFEST_DIR")).join("../crates/import/src");
        let mut seen = 0;
        for file in [
            "arq",
            "asynq",
            "bee_queue",
            "celery",
            "rq",
            "bullmq",
            "delayq",
            "door",
            "doubles",
            "lib",
            "roll_back",
            "sidekiq",
            "take_over",
            "translate",
            "zset",
        ] {
            let source = std::fs::read_to_string(root.join(format!("{file}.rs"))).unwrap();
            for said in sentences(&source) {
                assert_ne!(import_said(&said), said, "{file}.rs");
                seen += 1;
            }
        }
        assert!(seen > 30, "{seen}");
        for said in
            ["a holds a string, not a zset; it is kept in the journal", "a has more than 10000 members"]
        {
            let words = import_said(said);
            assert!(!words.contains("holds") && !words.contains("kept") && words != said, "{words}");
        }
        for name in ["string", "list", "set", "zset", "hash", "stream"] {
            assert_ne!(redis_type(name), name);
        }
    }

    #[test]
    fn names_and_numbers_stay_in_their_sentence() {
        let table = [
            "queue low is paused since 1700000000 (Unix seconds); so will ours be",
            "its score 1e300 lies beyond the year 9999",
            "it has no text or number at /order/id",
            "due holds a string, not a list; it is kept in the journal",
            "due holds a stream, not a hash; nothing was put back there",
            "delayq:process:sms has more than 10000 members",
            "nobody has words for this",
        ];
        for said in table {
            assert_eq!(import_said(said), said, "English shows what the engine says");
        }
        assert_eq!(import_said("job a-1 has ended here: it is done"), "job a-1 has ended here: it is Done");
    }
}
