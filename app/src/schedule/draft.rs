//! A schedule as a form sends it: texts, read all at once so that every mistake is told at its field.

use reprieve::model::{
    CronEntry, CronName, CronSource, CronState, Kind, Missed, Overlap, QueueName, ScheduleFault, Subject,
};
use reprieve::{CronSchedule, PAYLOAD_BYTES_MAX};
use serde::{Deserialize, Serialize};

use super::{Fault, FormFault, FormField};
use crate::routes;

/// What a form sent.
#[derive(Debug, Clone, Default, Hash, Serialize, Deserialize)]
#[serde(default)]
pub struct Draft {
    /// See [`CronEntry::name`].
    pub name: String,
    /// See [`CronEntry::schedule`].
    pub schedule: String,
    /// See [`CronEntry::zone`].
    pub zone: String,
    /// See [`CronEntry::kind`].
    pub kind: String,
    /// Empty for the default one.
    pub queue: String,
    /// Empty for none.
    pub subject: String,
    /// JSON; empty for `null`. `None` leaves what was there: bytes that no form can show.
    pub payload: Option<String>,
    /// Empty for no limit.
    pub max_attempts: String,
    /// `skip`, `once` or `all`; anything else is `skip`.
    pub missed: String,
    /// `allow` or `skip`; anything else is `allow`.
    pub overlap: String,
}

/// The longest address of a form with what was typed into it, in bytes: a form may come back to one of 2,000.
const ADDRESS_BYTES_MAX: usize = 1_900;

impl Draft {
    /// The page of its form with what was typed, for where no script keeps it: the form of that version, zero for a new
    /// schedule. The version goes along, so that what somebody else saves meanwhile is not overwritten unseen. A payload is
    /// nothing for an address, and what would make the address too long is left out.
    pub(crate) fn form_address(&self, seen: u64, reason: &str) -> String {
        let before = self.parsed_name().filter(|_| seen > 0);
        let mut address =
            before.as_ref().map_or_else(|| routes::NEW_SCHEDULE.to_owned(), routes::edit_schedule);
        let seen = seen.to_string();
        // The page of a schedule there is has its name already.
        let first = if before.is_some() { ("seen", seen.as_str()) } else { ("name", self.name.as_str()) };
        let typed = [
            first,
            ("schedule", &self.schedule),
            ("zone", &self.zone),
            ("kind", &self.kind),
            ("queue", &self.queue),
            ("subject", &self.subject),
            ("max_attempts", &self.max_attempts),
            ("missed", &self.missed),
            ("overlap", &self.overlap),
            ("reason", reason),
        ];
        let mut separator = '?';
        for (field, text) in typed {
            let pair = format!("{separator}{field}={}", routes::encoded(text));
            if address.len() + pair.len() <= ADDRESS_BYTES_MAX {
                address.push_str(&pair);
                separator = '&';
            }
        }
        address
    }

    /// The name, if it fits.
    pub(crate) fn parsed_name(&self) -> Option<CronName> {
        CronName::new(self.name.trim()).ok()
    }

    /// The same without a payload where that is still what was shown, hidden parts and all: then it stays as it was. An
    /// empty one is `null`, whatever was there.
    pub(crate) fn unless_as_shown(mut self, shown: Option<&CronState>) -> Self {
        let same = |text: &String| {
            let text = text.trim();
            !text.is_empty() && shown.is_some_and(|shown| shown.entry.payload == text.as_bytes())
        };
        self.payload = self.payload.filter(|text| !same(text));
        self
    }

    /// The entry it describes; what it cannot name is taken from the one `before`, of which that much was `shown`.
    ///
    /// # Errors
    /// All that is wrong, in the order of the form.
    pub(crate) fn entry(
        &self,
        before: Option<&CronState>,
        shown: Option<&CronState>,
    ) -> Result<CronEntry, Vec<FormFault>> {
        let mut faults = Faults(Vec::new());
        if before.is_some_and(|before| before.source == CronSource::Declared) {
            faults.add(FormField::Name, Fault::Declared);
        }
        let name = faults.name(FormField::Name, CronName::new(self.name.trim()));
        let schedule = self.schedule.trim().to_owned();
        let zone = self.zone.trim().to_owned();
        if let Err(fault) = CronSchedule::read(&schedule, &zone) {
            let field = if fault.is_of_the_zone() { FormField::Zone } else { FormField::Schedule };
            let empty = matches!(fault, ScheduleFault::Unreadable { .. }) && schedule.is_empty();
            let fault = if empty { Fault::Name(empty_name()) } else { Fault::Schedule(fault) };
            faults.add(field, fault);
        }
        let kind = faults.name(FormField::Kind, Kind::new(self.kind.trim()));
        let queue = match self.queue.trim() {
            "" => Some(QueueName::default()),
            text => faults.name(FormField::Queue, QueueName::new(text)),
        };
        let subject = match self.subject.trim() {
            "" => None,
            text => faults.name(FormField::Subject, Subject::new(text)),
        };
        let payload = faults.payload(self.payload.as_deref());
        // What is hidden is hidden by kind.
        let is_hidden = |before: &CronState| {
            shown.is_some_and(|shown| shown.entry.payload != before.entry.payload)
                && kind.as_ref().is_some_and(|kind| *kind != before.entry.kind)
        };
        if payload.is_none() && before.is_some_and(is_hidden) {
            faults.add(FormField::Payload, Fault::HiddenForKind);
        }
        let max_attempts = faults.attempts(self.max_attempts.trim());
        let (Some(name), Some(kind), Some(queue), []) = (name, kind, queue, faults.0.as_slice()) else {
            return Err(faults.0);
        };
        let mut entry =
            before.map_or_else(|| CronEntry::new(name, "", kind.clone()), |before| before.entry.clone());
        entry.schedule = schedule;
        entry.zone = zone;
        entry.kind = kind;
        entry.queue = queue;
        entry.subject = subject;
        entry.max_attempts = max_attempts;
        let of_new = || before.is_none().then(|| b"null".to_vec());
        if let Some(payload) = payload.or_else(of_new) {
            entry.payload = payload;
        }
        entry.missed = match self.missed.as_str() {
            "once" => Missed::Once,
            "all" => Missed::All,
            _ => Missed::Skip,
        };
        entry.overlap = if self.overlap == "skip" { Overlap::Skip } else { Overlap::Allow };
        Ok(entry)
    }
}

fn empty_name() -> reprieve::model::InvalidName {
    reprieve::model::InvalidName::Empty { what: "schedule".to_owned() }
}

/// What is wrong so far.
struct Faults(Vec<FormFault>);

impl Faults {
    fn add(&mut self, field: FormField, fault: Fault) {
        self.0.push(FormFault { field, fault });
    }

    fn name<T>(&mut self, field: FormField, read: Result<T, reprieve::model::InvalidName>) -> Option<T> {
        read.map_err(|why| self.add(field, Fault::Name(why))).ok()
    }

    /// `None` leaves the payload as it is. An empty one is `null`, as over HTTP: no bytes at all would be no JSON.
    fn payload(&mut self, text: Option<&str>) -> Option<Vec<u8>> {
        let text = match text?.trim() {
            "" => "null",
            text => text,
        };
        if text.len() > PAYLOAD_BYTES_MAX {
            self.add(FormField::Payload, Fault::TooLarge { bytes_max: PAYLOAD_BYTES_MAX as u64 });
        } else if let Err(error) = serde_json::from_str::<serde::de::IgnoredAny>(text) {
            self.add(FormField::Payload, Fault::NotJson { line: error.line() as u64 });
        }
        Some(text.as_bytes().to_vec())
    }

    fn attempts(&mut self, text: &str) -> Option<u32> {
        if text.is_empty() {
            return None;
        }
        let number = text.parse().ok().filter(|&number: &u32| number > 0);
        if number.is_none() {
            self.add(FormField::MaxAttempts, Fault::NotANumber);
        }
        number
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use reprieve::model::Timestamp;

    fn draft() -> Draft {
        Draft {
            name: "nightly".to_owned(),
            schedule: "30 2 * * *".to_owned(),
            zone: "Europe/Berlin".to_owned(),
            kind: "report".to_owned(),
            max_attempts: "3".to_owned(),
            ..Draft::default()
        }
    }

    #[test]
    fn a_form_becomes_an_entry() {
        let draft =
            Draft { missed: "once".to_owned(), payload: Some(" {\"full\": true} ".to_owned()), ..draft() };
        let entry = draft.entry(None, None).unwrap();
        assert_eq!(
            (entry.name.as_str(), entry.kind.as_str(), entry.queue.as_str()),
            ("nightly", "report", "default")
        );
        assert_eq!(
            (entry.missed, entry.overlap, entry.max_attempts),
            (Missed::Once, Overlap::Allow, Some(3))
        );
        assert_eq!(entry.payload, b"{\"full\": true}");
    }

    #[test]
    fn an_empty_payload_of_a_form_is_null_and_so_is_none_of_a_new_schedule() {
        assert_eq!(draft().entry(None, None).unwrap().payload, b"null");
        let empty = Draft { payload: Some(" ".to_owned()), ..draft() };
        assert_eq!(empty.entry(None, None).unwrap().payload, b"null");
        let mut entry = empty.entry(None, None).unwrap();
        entry.payload = Vec::new();
        let before = CronState::new(entry, 3, Timestamp::EPOCH);
        let after = empty.unless_as_shown(Some(&before)).entry(Some(&before), Some(&before)).unwrap();
        assert_eq!(after.payload, b"null", "also where there were no bytes");
    }

    #[test]
    fn a_form_comes_back_with_what_was_typed_but_for_the_payload() {
        let typed = Draft { queue: "a b".to_owned(), payload: Some("{\"pin\": 1}".to_owned()), ..draft() };
        assert_eq!(
            typed.form_address(0, "why not"),
            "/schedules/new?name=nightly&schedule=30+2+*+*+*&zone=Europe/Berlin&kind=report&queue=a+b\
             &subject=&max_attempts=3&missed=&overlap=&reason=why+not"
        );
        assert!(typed.form_address(7, "").starts_with("/schedule/nightly/edit?seen=7&schedule="));
        let long = Draft { subject: "x".repeat(5_000), ..draft() }.form_address(0, "");
        assert!(long.contains("&max_attempts=3") && !long.contains("xx"), "{long}");
    }

    #[test]
    fn every_mistake_is_told_at_its_field() {
        let bad = |change: fn(&mut Draft)| {
            let mut draft = draft();
            change(&mut draft);
            draft.entry(None, None).unwrap_err().into_iter().map(|fault| fault.field).collect::<Vec<_>>()
        };
        assert_eq!(bad(|d| d.name = "a b".to_owned()), [FormField::Name]);
        assert_eq!(bad(|d| d.schedule = "61 * * * *".to_owned()), [FormField::Schedule]);
        assert_eq!(bad(|d| d.schedule = String::new()), [FormField::Schedule]);
        assert_eq!(bad(|d| d.zone = "Mars/Olympus".to_owned()), [FormField::Zone]);
        assert_eq!(bad(|d| d.queue = "{x}".to_owned()), [FormField::Queue]);
        assert_eq!(bad(|d| d.subject = "a/../b".to_owned()), [FormField::Subject]);
        assert_eq!(bad(|d| d.payload = Some("{".to_owned())), [FormField::Payload]);
        assert_eq!(bad(|d| d.max_attempts = "0".to_owned()), [FormField::MaxAttempts]);
        assert_eq!(
            bad(|d| {
                d.name = String::new();
                d.kind = String::new();
                d.max_attempts = "many".to_owned();
            }),
            [FormField::Name, FormField::Kind, FormField::MaxAttempts]
        );
    }

    #[test]
    fn what_a_form_cannot_name_stays_as_it_was() {
        let mut entry = draft().entry(None, None).unwrap();
        entry.tags = vec!["eu".to_owned()];
        entry.payload = vec![0xff, 0xfe];
        let before = CronState::new(entry, 3, Timestamp::EPOCH);
        let after = Draft { schedule: "@daily".to_owned(), ..draft() }.entry(Some(&before), None).unwrap();
        assert_eq!(
            (after.schedule.as_str(), after.tags, after.payload),
            ("@daily", vec!["eu".to_owned()], vec![0xff, 0xfe])
        );
    }

    #[test]
    fn what_is_hidden_is_not_taken_along_to_another_kind() {
        let whole = Draft { payload: Some("{\"phone\": 4567}".to_owned()), ..draft() };
        let before = CronState::new(whole.entry(None, None).unwrap(), 3, Timestamp::EPOCH);
        let mut shown = before.clone();
        shown.entry.payload = b"{\"phone\": \"hidden\"}".to_vec();
        let sent = |kind: &str, payload: Option<&str>, shown: &CronState| {
            let draft = Draft { kind: kind.to_owned(), payload: payload.map(ToOwned::to_owned), ..draft() };
            draft.unless_as_shown(Some(shown)).entry(Some(&before), Some(shown))
        };
        let fault = [FormFault { field: FormField::Payload, fault: Fault::HiddenForKind }];
        for kept in [None, Some("{\"phone\": \"hidden\"}")] {
            assert_eq!(sent("other", kept, &shown).unwrap_err(), fault);
            assert_eq!(sent("report", kept, &shown).unwrap().payload, before.entry.payload);
        }
        assert_eq!(sent("other", Some("{}"), &shown).unwrap().payload, b"{}");
        assert!(sent("other", None, &before).is_ok(), "nothing of it is hidden");
    }

    #[test]
    fn what_a_program_declares_is_not_changed_by_a_form() {
        let mut before = CronState::new(draft().entry(None, None).unwrap(), 3, Timestamp::EPOCH);
        before.source = CronSource::Declared;
        let faults = draft().entry(Some(&before), None).unwrap_err();
        assert_eq!(faults, [FormFault { field: FormField::Name, fault: Fault::Declared }]);
    }
}
