//! What importers say of foreign queues, in words.

use super::words;
use crate::t;

use reprieve_import::{
    ImportWarning, ImportWarningCode, KnownSet, RolledBack, SetContent, TakenOver, Unreadable,
};

/// What the engine says of an item, a place or a source that is looked at or taken over, in the language of the page; as it is
/// where nobody has words for it.
pub fn import_said(said: &str) -> String {
    whole(said).or_else(|| with_detail(said)).unwrap_or_else(|| said.to_owned())
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

fn whole(said: &str) -> Option<String> {
    Some(match said {
        "they have ended; ask for archived tasks to take them as dead jobs" => t!("import-stay-archived"),
        "they have ended; ask for failed jobs to take them as dead jobs" => t!("import-stay-failed"),
        "they have ended" => t!("import-stay-ended"),
        "they wait for other jobs of their flow; BullMQ starts them" => t!("import-stay-children"),
        "they are schedules; make cron jobs of them, and remove them there" => t!("import-stay-repeat"),
        "they have ended; ask for completed tasks to take them as done jobs" => t!("import-stay-completed"),
        "its workers have them" => t!("import-stay-active"),
        "groups wait to become one task; asynq joins them" => t!("import-stay-groups"),
        "groups are just becoming one task; asynq joins them" => t!("import-stay-joining"),
        "its workers may be working on them; stop them and ask for these as well, or let them end" => {
            t!("import-stay-process")
        }
        "a roll back began meanwhile; nothing more was taken" => t!("import-note-closed"),
        "the other redis has reached its memory limit" => t!("import-other-full"),
        "its hash has no message" => t!("import-bad-hash"),
        "its number of retries is negative" => t!("import-bad-retries"),
        "its number of retries made is negative" => t!("import-bad-retried"),
        "Reprieve has handed it out" => t!("import-bad-ours"),
        "its message says that it has another id" => t!("import-bad-id"),
        "its message says that it is of another queue" => t!("import-bad-queue"),
        "its message has no type" => t!("import-bad-type"),
        "it goes back to its group when it is due" => t!("import-bad-group"),
        "it has no job in the pool: called off after it was forwarded" => t!("import-bad-ghost"),
        "its job in the pool says that it has another id" => t!("import-bad-pool-id"),
        "its job in the pool says that it is of another topic" => t!("import-bad-topic"),
        "its RetryCount is no count" => t!("import-bad-count"),
        "its MaxRetry is neither a count nor -1" => t!("import-bad-most"),
        "its TTR is negative" => t!("import-bad-ttr"),
        "its hash is gone, or is none of a job" => t!("import-bad-job"),
        "its number of attempts is no count" => t!("import-bad-attempts"),
        "its number of attempts made is no count" => t!("import-bad-made"),
        "it is part of a flow: its parent waits for it" => t!("import-bad-child"),
        "it is part of a flow: what its children returned is kept beside it" => t!("import-bad-parent"),
        "it was made by a schedule, which goes on when it runs there" => t!("import-bad-schedule"),
        "it is of a queue that was not named" => t!("import-bad-other-queue"),
        "it has no id" => t!("import-bad-no-id"),
        "its job is gone" => t!("import-bad-gone"),
        "its job has run out there, or is gone" => t!("import-bad-ran-out"),
        "it was aborted there" => t!("import-bad-aborted"),
        "its workers have it" => t!("import-bad-working"),
        "its function cannot be read; `kind` names a kind for such jobs" => t!("import-bad-function"),
        "it is a message of another protocol than Celery's second" => t!("import-bad-protocol"),
        "it has no due time, and a worker may be working on it" => t!("import-bad-received"),
        "its eta is no time, or has no time zone" => t!("import-bad-eta"),
        "it expires and has no due time, so that nothing is left to plan" => t!("import-bad-expires"),
        "they wait for other jobs; RQ starts them" => t!("import-stay-deferred"),
        "its workers hold them, those with a due time as well; stop them, and ask for these if they stay" => {
            t!("import-stay-received")
        }
        "its score is no number" => t!("import-bad-score"),
        "another item here has the same id" => t!("import-bad-double"),
        "its id is that of another job here" => t!("import-bad-taken"),
        "its subject has 1,000 live jobs, and a subject holds no more" => t!("import-bad-subject-full"),
        "the source has an item of that name again; it is kept in the journal" => t!("import-kept-again"),
        _ => return None,
    })
}

/// Those that say a name, a number or what a parser said.
fn with_detail(said: &str) -> Option<String> {
    let within = |start: &str, end: &str| Some(said.strip_prefix(start)?.strip_suffix(end)?.to_owned());
    let two = |start: &str, middle: &str, end: &str| {
        let (first, second) = said.strip_prefix(start)?.strip_suffix(end)?.split_once(middle)?;
        Some((first.to_owned(), second.to_owned()))
    };
    if let Some((queue, since)) = two("queue ", " is paused since ", " (Unix seconds); so will ours be") {
        return Some(t!("import-note-paused", queue = queue, since = since));
    }
    if let Some((types, kind)) = two("types ", " become one kind: ", "") {
        return Some(t!("import-note-kinds", types = types, kind = kind));
    }
    if let Some((queues, queue)) = two("queues ", " become one queue: ", "") {
        return Some(t!("import-note-queues", queues = queues, queue = queue));
    }
    if let Some((queue, count)) = two("queue ", " has groups whose tasks stay: ", "") {
        return Some(t!("import-note-groups", queue = queue, count = count));
    }
    if let Some((queue, rest)) = two("paused queue ", ", as ", "")
        && let Some((there, system)) = rest.rsplit_once(" is in ")
    {
        return Some(t!("import-note-pauses", queue = queue, there = there, system = system));
    }
    if let Some(queue) = within("queue ", " is paused; so will ours be") {
        return Some(t!("import-note-is-paused", queue = queue));
    }
    if let Some((queue, version)) = two("queue ", " was last opened by ", "") {
        return Some(t!("import-note-opened", queue = queue, version = version));
    }
    if let Some(why) = within("", "; it is kept in the journal") {
        return Some(t!("import-in-journal", why = import_said(&why)));
    }
    if let Some(why) = within("", "; nothing was put back there") {
        return Some(t!("import-not-put-back", why = import_said(&why)));
    }
    if let Some((key, holds)) = said.rsplit_once(" holds a ")
        && let Some((found, wanted)) = holds.split_once(", not a ")
    {
        let (found, wanted) = (redis_type(found), redis_type(wanted));
        return Some(t!("import-bad-key", key = key, found = found, wanted = wanted));
    }
    if let Some((key, most)) = two("", " has more than ", " members") {
        return Some(t!("import-bad-many", key = key, most = most));
    }
    if let Some((id, state)) =
        two("somebody changed job ", " here, it is ", "; cancel it here, or let it run here")
    {
        return Some(t!("import-kept-changed", id = id, state = word(&state)));
    }
    if let Some((id, state)) = two("job ", " has ended here: it is ", "") {
        return Some(t!("import-kept-ended", id = id, state = word(&state)));
    }
    if let Some(count) = within(
        "ids in the set of what is worked on: ",
        "; delayq leaves those there that were called off too late or have used up their retries",
    ) {
        return Some(t!("import-note-worked-on", count = count));
    }
    if let Some(system) = within("", " has a job of that id again; the one it had before stays here") {
        return Some(t!("import-kept-there", system = system));
    }
    if let Some(id) = within("job ", " is running here") {
        return Some(t!("import-kept-running", id = id));
    }
    if let Some(id) = within("job ", " ran here and is no longer kept") {
        return Some(t!("import-kept-gone", id = id));
    }
    if let Some(why) = within("its message is no protobuf of asynq's: ", "") {
        return Some(t!("import-bad-protobuf", why = why));
    }
    if let Some((system, why)) = two("its job is no JSON of ", "'s: ", "") {
        return Some(t!("import-bad-json", system = system, why = why));
    }
    if let Some(system) = within("it is part of a batch, which only ", " can end") {
        return Some(t!("import-bad-batch", system = system));
    }
    if let Some(system) = within("it is due, and ", "'s scheduler may be moving it") {
        return Some(t!("import-bad-moving", system = system));
    }
    if let Some(system) = within("other jobs wait for it, which ", " starts") {
        return Some(t!("import-bad-awaited", system = system));
    }
    if let Some(system) = within("other tasks follow on it, which only ", " starts") {
        return Some(t!("import-bad-follows", system = system));
    }
    if let Some(system) = within("it has callbacks, which only ", " can call") {
        return Some(t!("import-bad-callbacks", system = system));
    }
    if let Some(system) = within("it repeats, which only ", " goes on with") {
        return Some(t!("import-bad-repeats", system = system));
    }
    if let Some(system) = within("its rate is limited, which only ", " counts") {
        return Some(t!("import-bad-rate", system = system));
    }
    if let Some(most) = within("what it is to do is more than ", " bytes") {
        return Some(t!("import-bad-big", most = most));
    }
    if let Some(why) = within("its options are no JSON of BullMQ's: ", "") {
        return Some(t!("import-bad-options", why = why));
    }
    if let Some(why) = within("its body is no base64: ", "") {
        return Some(t!("import-bad-base64", why = why));
    }
    if let Some(state) = within("its hash says that it is ", "") {
        return Some(t!("import-bad-state", state = state));
    }
    if let Some(score) = within("its score ", " lies beyond the year 9999") {
        return Some(t!("import-bad-late", score = score));
    }
    if let Some(path) = within("it has no text or number at ", "") {
        return Some(t!("import-bad-path", path = path));
    }
    if let Some(path) = within(
        "what it has at ",
        " cannot be a subject: it is empty or too long, or holds control characters, `.` or `..`",
    ) {
        return Some(t!("import-bad-subject", path = path));
    }
    within("its ", " is negative").map(|what| t!("import-bad-negative", what = what))
}

fn word(state: &str) -> String {
    state.parse().map_or_else(|_| state.to_owned(), super::state)
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
