//! Who did what, when, to what and why; and whether the list of it is as it was written.

use super::name::{QueueName, Subject};
use super::shard::Shard;
use super::time::Timestamp;
use serde::{Deserialize, Serialize};
use std::collections::BTreeMap;
use std::fmt;
use std::str::FromStr;

/// One act as it was written down by the script that carried it out.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[non_exhaustive]
pub struct AuditEntry {
    /// Where it stands.
    pub place: AuditPlace,
    /// When, by Redis's clock.
    #[serde(rename = "at_ms")]
    pub at: Timestamp,
    /// Who.
    pub by: String,
    /// What they were at the time, in the word of a role; empty for programs, and where nobody signs in.
    pub role: String,
    /// Where their request came from; empty where it came from none.
    pub address: String,
    /// The id of that request; empty for none.
    pub request: String,
    /// The verb, as the scripts are named: `cancel`, `pause`, `bulk_cancel`, `set_look` …
    pub verb: String,
    /// The id of the job, plan or run, or the name of what else it was done to.
    pub target: String,
    /// The queue it was about; `None` where it was about none, or was written down before queues were.
    pub queue: Option<QueueName>,
    /// Why, without the ticket; empty when nothing was said.
    #[serde(rename = "reason")]
    pub why: String,
    /// The number of the ticket that was given with the reason.
    pub ticket: Option<String>,
    /// What came of it, in the word of the script.
    pub outcome: String,
    /// What was before: a state, a value; empty for nothing.
    pub from: String,
    /// What was after.
    pub to: String,
    /// The due time before, where it changed.
    #[serde(rename = "due_from_ms")]
    pub due_from: Option<Timestamp>,
    /// The due time after.
    #[serde(rename = "due_to_ms")]
    pub due_to: Option<Timestamp>,
    /// The id under which a repeat of the act gets the first answer; empty for none.
    pub operation: String,
    /// The hash of all this and of the entry before it, 40 hexadecimal digits.
    pub hash: String,
    /// Who undid it since, by an act of its own; `None` where nobody did. No part of what was written down.
    pub undone: Option<Undone>,
}

/// An entry of the audit as it is kept, every field as text: one line of an archive.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[non_exhaustive]
pub struct ArchivedEntry {
    /// Where it stood: `<ms>-<sequence>`.
    pub id: String,
    /// In which shard of the namespace.
    pub shard: Shard,
    /// What it says, its hash and that of the entry before it.
    #[serde(flatten)]
    pub fields: BTreeMap<String, String>,
}

/// The audit of one shard: how large it is, or may become.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub struct AuditSize {
    /// How many entries; as a bound 0 is any number.
    pub entries: u64,
    /// How many bytes of Redis, to within a few percent; as a bound 0 is any number.
    pub bytes: u64,
}

impl AuditSize {
    /// Whether this is more than it may be.
    #[must_use]
    pub const fn exceeds(self, most: Self) -> bool {
        (most.entries > 0 && self.entries > most.entries) || (most.bytes > 0 && self.bytes > most.bytes)
    }
}

/// Who undid an act, and when.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[non_exhaustive]
pub struct Undone {
    /// When, by Redis's clock.
    #[serde(rename = "at_ms")]
    pub at: Timestamp,
    /// Who.
    pub by: String,
}

impl AuditEntry {
    /// For the engine and for tests of screens.
    #[must_use]
    pub fn new(place: AuditPlace, at: Timestamp, by: &str, verb: &str, target: &str) -> Self {
        Self {
            place,
            at,
            by: by.to_owned(),
            role: String::new(),
            address: String::new(),
            request: String::new(),
            verb: verb.to_owned(),
            target: target.to_owned(),
            queue: None,
            why: String::new(),
            ticket: None,
            outcome: String::new(),
            from: String::new(),
            to: String::new(),
            due_from: None,
            due_to: None,
            operation: String::new(),
            hash: String::new(),
            undone: None,
        }
    }

    /// The same with a reason as it was written down: `Customer asked: ticket 8812` or `Incident: pager (ticket 7)`.
    #[must_use]
    pub fn because(mut self, why: &str) -> Self {
        let (why, ticket) = without_ticket(why);
        self.why = why.to_owned();
        self.ticket = ticket.map(ToOwned::to_owned);
        self
    }

    /// Whether this act, a later one, undid that one.
    #[must_use]
    pub fn undoes(&self, act: &Self) -> bool {
        self.target == act.target
            && self.place > act.place
            && !self.is_denied()
            && UNDONE_BY.contains(&(act.verb.as_str(), self.verb.as_str()))
            // Of two times that were set after one another the second undoes the first where it is the one before.
            && (act.verb != "reschedule" || self.due_to.is_some() && self.due_to == act.due_from)
    }

    /// Whether it is one that undoes others.
    #[must_use]
    pub fn is_undoing(&self) -> bool {
        !self.is_denied() && UNDONE_BY.iter().any(|(_, undoing)| *undoing == self.verb)
    }

    /// Whether it was done to many jobs at once.
    #[must_use]
    pub fn is_bulk(&self) -> bool {
        self.verb.starts_with("bulk_")
    }

    /// Whether it was refused for lack of a right, and nothing was done.
    #[must_use]
    pub fn is_denied(&self) -> bool {
        self.outcome == "denied"
    }
}

/// An act, and what undoes it on the same target.
const UNDONE_BY: [(&str, &str); 15] = [
    ("cancel", "reinstate"),
    ("cancel", "retry_now"),
    ("hold", "unhold"),
    ("reschedule", "reschedule"),
    ("pause", "resume"),
    ("cancel_plan", "reinstate_plan"),
    ("hold_plan", "unhold_plan"),
    ("cron_pause", "cron_resume"),
    ("quiet_worker", "resume_worker"),
    ("disable_person", "enable_person"),
    ("bulk_cancel", "bulk_undo"),
    ("bulk_reinstate", "bulk_undo"),
    ("bulk_hold", "bulk_undo"),
    ("bulk_unhold", "bulk_undo"),
    ("bulk_reschedule", "bulk_undo"),
];

/// A ticket number is no longer, in characters.
const TICKET_CHARS_MAX: usize = 60;

/// Why somebody acts, in one text: `Customer asked: called twice (ticket 8812)`. Each part may be empty; an entry of the
/// audit tells the [ticket](AuditEntry::ticket) from the rest again.
#[must_use]
pub fn why_of(reason: &str, note: &str, ticket: &str) -> String {
    let [reason, note, ticket] = [reason, note, ticket].map(str::trim);
    let ticket: String = ticket.chars().take(TICKET_CHARS_MAX).collect();
    let note = match (note, ticket.as_str()) {
        (note, "") => note.to_owned(),
        ("", ticket) if ticket.contains(' ') => format!("(ticket {ticket})"),
        ("", ticket) => format!("ticket {ticket}"),
        (note, ticket) => format!("{note} (ticket {ticket})"),
    };
    match (reason, note.as_str()) {
        (one, "") | ("", one) => one.to_owned(),
        (reason, note) if note.starts_with("(ticket ") => format!("{reason} {note}"),
        (reason, note) => format!("{reason}: {note}"),
    }
}

/// A reason and the ticket that was written with it.
fn without_ticket(why: &str) -> (&str, Option<&str>) {
    if let Some((reason, ticket)) = why.strip_suffix(')').and_then(|why| why.rsplit_once("(ticket ")) {
        return (reason.trim_end(), Some(ticket));
    }
    match why.rsplit_once(": ticket ") {
        Some((reason, ticket)) if !ticket.contains(' ') => (reason, Some(ticket)),
        _ => match why.strip_prefix("ticket ") {
            Some(ticket) if !ticket.contains(' ') => ("", Some(ticket)),
            _ => (why, None),
        },
    }
}

/// Where an entry stands: by the time it was written, then by its shard. Later entries are greater.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize)]
#[serde(into = "String", try_from = "String")]
pub struct AuditPlace {
    /// When it was written, Unix ms.
    pub ms: u64,
    /// Which one of that millisecond.
    pub sequence: u64,
    /// In which shard of the namespace.
    pub shard: u16,
    /// Which of the jobs that one entry names, from 0.
    pub part: u16,
}

impl fmt::Display for AuditPlace {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}-{}-{}", self.ms, self.sequence, self.shard)?;
        if self.part > 0 { write!(f, "-{}", self.part) } else { Ok(()) }
    }
}

as_text!(AuditPlace);

impl FromStr for AuditPlace {
    type Err = InvalidPlace;

    fn from_str(text: &str) -> Result<Self, InvalidPlace> {
        let mut parts = text.split('-');
        let mut part = || parts.next().filter(|part| part.bytes().all(|b| b.is_ascii_digit()));
        let (Some(ms), Some(sequence), Some(shard)) = (part(), part(), part()) else {
            return Err(InvalidPlace);
        };
        // The first has no number.
        let part = match parts.next() {
            None => 0,
            Some(part) => part.parse().ok().filter(|part| *part > 0).ok_or(InvalidPlace)?,
        };
        if parts.next().is_some() {
            return Err(InvalidPlace);
        }
        let number = |text: &str| text.parse().map_err(|_| InvalidPlace);
        Ok(Self {
            ms: number(ms)?,
            sequence: number(sequence)?,
            shard: shard.parse().map_err(|_| InvalidPlace)?,
            part,
        })
    }
}

/// The text is no place of the audit.
#[derive(Debug, Clone, Copy, PartialEq, Eq, thiserror::Error)]
#[error("not a place of the audit, which is <ms>-<sequence>-<shard>, or that and -<part>")]
pub struct InvalidPlace;

/// Which entries are wanted; the default is all of them.
#[derive(Debug, Clone, PartialEq, Eq, Default, Serialize, Deserialize)]
#[serde(default)]
pub struct AuditFilter {
    /// Part of the name of who did it, in any case; empty for anybody.
    pub by: String,
    /// The verb; empty for any.
    pub verb: String,
    /// The queue it was about.
    pub queue: Option<QueueName>,
    /// The subject whose jobs and plans it was done to, by themselves or with many others, as far as they are still known.
    pub subject: Option<Subject>,
    /// Not before.
    #[serde(rename = "from_ms")]
    pub from: Option<Timestamp>,
    /// Before, or at that instant.
    #[serde(rename = "to_ms")]
    pub to: Option<Timestamp>,
    /// Only what was done to many, or was denied.
    pub only: Option<AuditOnly>,
    /// Only what exactly this person did; empty for anybody. For those who may see no more.
    #[serde(skip)]
    pub own: String,
    /// Only what was about one of these queues; empty for everything. For those who may see no more.
    #[serde(skip)]
    pub queues: Vec<QueueName>,
}

impl AuditFilter {
    /// Whether nothing is left out.
    #[must_use]
    pub fn is_empty(&self) -> bool {
        *self == Self::default()
    }

    /// Whether those who may see no more see that entry, whatever is asked for.
    #[must_use]
    pub fn sees(&self, entry: &AuditEntry) -> bool {
        (self.own.is_empty() || entry.by == self.own)
            && (self.queues.is_empty()
                || entry.queue.as_ref().is_some_and(|queue| self.queues.contains(queue)))
    }
}

words! {
    /// One sort of entries.
    pub enum AuditOnly or "is one of " {
        /// What was done to many jobs at once.
        Bulk = "bulk",
        /// What somebody had no right to do.
        Denied = "denied",
    }
}

/// Entries that fit, the latest first.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[non_exhaustive]
pub struct AuditPage {
    /// The entries.
    pub items: Vec<AuditEntry>,
    /// Where to go on; `None` at the end.
    pub next: Option<AuditPlace>,
    /// How many were looked at.
    pub scanned: u64,
    /// Whether the search ended at its limit, so that there may be more that fit behind `next`.
    pub cut: bool,
}

/// Whether the entries are as they were written, each following on the one before it.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[non_exhaustive]
pub struct AuditCheck {
    /// How many were looked at.
    pub checked: u64,
    /// How many of an archive were looked at before these; `None` without one.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub archived: Option<u64>,
    /// Whether that was all of them, up to the first that is wrong.
    pub complete: bool,
    /// The first that is wrong; `None` when none is.
    pub broken: Option<AuditBreak>,
    /// The hash of the latest entry of each shard. Kept outside Redis, it shows later that nothing up to it was
    /// written anew.
    pub heads: Vec<String>,
    /// Whether an entry has the hash that was asked for; `None` when none was, and while it was not met among those
    /// looked at, which were not all.
    pub anchored: Option<bool>,
}

impl AuditCheck {
    /// A check that has found nothing yet.
    #[must_use]
    pub fn begun(anchor: Option<&str>) -> Self {
        Self {
            checked: 0,
            archived: None,
            complete: true,
            broken: None,
            heads: Vec::new(),
            anchored: anchor.map(|_| false),
        }
    }

    /// Whether everything asked for is as it should be.
    #[must_use]
    pub fn is_sound(&self) -> bool {
        self.broken.is_none() && self.anchored != Some(false)
    }
}

/// Where the audit is not as it was written.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[non_exhaustive]
pub struct AuditBreak {
    /// What is wrong.
    pub how: AuditFault,
    /// The entry it shows at; `None` when all entries are gone, and for those who may not see it.
    pub entry: Option<AuditEntry>,
    /// The shard it is in.
    pub shard: u16,
}

words! {
    /// What can be wrong with the chain of entries.
    #[non_exhaustive]
    pub enum AuditFault {
        /// The entry does not say what it said when it was written.
        Altered = "altered",
        /// The entry does not follow on the one before it: some were removed, or put in.
        Unlinked = "unlinked",
        /// The entry is not the last that was written: later ones were removed.
        Shortened = "shortened",
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_ticket_stands_with_the_reason_and_is_told_from_it_again() {
        let table = [
            (("Customer asked", "", " 8812 "), "Customer asked: ticket 8812", "Customer asked"),
            (("Customer asked", "", "AB 12"), "Customer asked (ticket AB 12)", "Customer asked"),
            (("Incident", "pager", "7"), "Incident: pager (ticket 7)", "Incident: pager"),
            (("", "pager", "7"), "pager (ticket 7)", "pager"),
            (("", " ", "9"), "ticket 9", ""),
            (("", "", "AB 12"), "(ticket AB 12)", ""),
            (("Incident", " 4711 ", ""), "Incident: 4711", "Incident: 4711"),
            (("Duplicate", " ", " "), "Duplicate", "Duplicate"),
            (("", "as asked", ""), "as asked", "as asked"),
            (("", "", ""), "", ""),
        ];
        for ((reason, note, ticket), why, rest) in table {
            assert_eq!(why_of(reason, note, ticket), why);
            let ticket = Some(ticket.trim()).filter(|ticket| !ticket.is_empty());
            assert_eq!(without_ticket(why), (rest, ticket), "{why}");
        }
        let long = why_of("", "", &"7".repeat(90));
        assert_eq!(long, format!("ticket {}", "7".repeat(60)));
    }

    #[test]
    fn a_ticket_is_told_from_the_reason() {
        let table = [
            ("Customer asked: ticket 8812", "Customer asked", Some("8812")),
            ("Incident: pager (ticket 7)", "Incident: pager", Some("7")),
            ("ticket 9", "", Some("9")),
            ("Incident: ticket was lost", "Incident: ticket was lost", None),
            ("ticket of the month", "ticket of the month", None),
            ("", "", None),
        ];
        for (why, reason, ticket) in table {
            assert_eq!(without_ticket(why), (reason, ticket), "{why}");
        }
    }

    #[test]
    fn an_act_is_undone_by_a_later_one_on_the_same_target() {
        let entry = |sequence, verb: &str, due: Option<(i64, i64)>| {
            let place = AuditPlace { ms: 1, sequence, shard: 0, part: 0 };
            let mut entry = AuditEntry::new(place, Timestamp::from_millis(1).unwrap(), "ann", verb, "a");
            entry.due_from = due.and_then(|(from, _)| Timestamp::from_millis(from));
            entry.due_to = due.and_then(|(_, to)| Timestamp::from_millis(to));
            entry
        };
        let held = entry(1, "hold", None);
        assert!(entry(2, "unhold", None).undoes(&held));
        assert!(!entry(0, "unhold", None).undoes(&held) && !entry(2, "cancel", None).undoes(&held));
        let moved = entry(1, "reschedule", Some((5, 9)));
        assert!(entry(2, "reschedule", Some((9, 5))).undoes(&moved));
        assert!(!entry(2, "reschedule", Some((9, 7))).undoes(&moved));
        let mut elsewhere = entry(2, "unhold", None);
        elsewhere.target = "b".to_owned();
        let mut denied = entry(2, "unhold", None);
        denied.outcome = "denied".to_owned();
        assert!(!elsewhere.undoes(&held) && !denied.undoes(&held) && !denied.is_undoing());
    }

    #[test]
    fn a_place_reads_back_and_nothing_else_does() {
        for (part, text) in [(0, "1763690000000-2-0"), (7, "1763690000000-2-0-7")] {
            let place = AuditPlace { ms: 1_763_690_000_000, sequence: 2, shard: 0, part };
            assert_eq!((place.to_string().as_str(), text.parse()), (text, Ok(place)));
        }
        for text in ["", "1", "1-2", "1-2-3-0", "1-2-3-4-5", "a-2-3", "-1-2-3", "+1-2-3", "1-2-70000", "1--3"]
        {
            assert_eq!(text.parse::<AuditPlace>(), Err(InvalidPlace), "{text}");
        }
    }

    #[test]
    fn later_entries_are_greater() {
        let place = |text: &str| text.parse::<AuditPlace>().unwrap();
        let rising = ["1-0-9", "1-1-0", "1-1-0-1", "1-1-0-10", "1-1-1", "1-9-9", "2-0-0"].map(place);
        assert!(rising.is_sorted());
    }
}
