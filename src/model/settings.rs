//! What people set for a namespace: how it looks, what is hidden, why things are done, when somebody is told.

use super::failure::Mute;
use super::filter::PayloadPath;
use super::name::QueueName;
use serde::{Deserialize, Serialize};

/// All settings of a namespace. Those nobody set have their defaults.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize)]
#[non_exhaustive]
pub struct Settings {
    /// How the namespace looks.
    pub look: Look,
    /// What of payloads nobody sees on a screen, in a list or over HTTP.
    pub redaction: Vec<RedactionRule>,
    /// The reasons that dialogs offer; empty for the usual ones.
    pub reasons: Vec<String>,
    /// When somebody is told.
    pub alerts: Vec<AlertRule>,
    /// Whether deleting jobs by hand needs two people.
    #[serde(default)]
    pub second_person: bool,
    /// The fields of payloads that filters find jobs by at once.
    #[serde(default)]
    pub index_fields: Vec<PayloadPath>,
    /// The failures that nobody is told of. Not sent along with the rest, which everybody may read: they quote errors.
    #[serde(skip)]
    pub muted: Vec<Mute>,
}

impl Settings {
    /// Rules of redaction: each is tried on every payload that is shown.
    pub const REDACTION_MAX: usize = 50;
    /// Reasons: what a person reads before they choose.
    pub const REASONS_MAX: usize = 20;
    /// Characters of a reason.
    pub const REASON_CHARS_MAX: usize = 80;
    /// Alerts: each is judged every few seconds.
    pub const ALERTS_MAX: usize = 50;
    /// Fields of payloads in the index: each costs memory for every job that has it.
    pub const INDEX_FIELDS_MAX: usize = 8;
    /// Bytes of the path of such a field.
    pub const INDEX_FIELD_BYTES_MAX: usize = 128;
    /// Failures muted at a time: more is a namespace that nobody looks at.
    pub const MUTED_MAX: usize = 50;
}

/// One setting with its value, by name: `{"name": "reasons", "value": ["Moved house"]}`.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(tag = "name", content = "value", rename_all = "snake_case")]
#[non_exhaustive]
pub enum Setting {
    /// How the namespace looks.
    Look(Look),
    /// What of payloads nobody sees.
    Redaction(Vec<RedactionRule>),
    /// The reasons that dialogs offer.
    Reasons(Vec<String>),
    /// When somebody is told.
    Alerts(Vec<AlertRule>),
    /// Whether deleting jobs by hand needs two people.
    SecondPerson(bool),
    /// The fields of payloads that filters find jobs by at once.
    IndexFields(Vec<PayloadPath>),
}

impl Setting {
    /// The names there are.
    pub const NAMES: [&'static str; 6] =
        ["look", "redaction", "reasons", "alerts", "second_person", "index_fields"];

    /// Its name.
    #[must_use]
    pub const fn name(&self) -> &'static str {
        match self {
            Self::Look(_) => "look",
            Self::Redaction(_) => "redaction",
            Self::Reasons(_) => "reasons",
            Self::Alerts(_) => "alerts",
            Self::SecondPerson(_) => "second_person",
            Self::IndexFields(_) => "index_fields",
        }
    }

    /// The names in its value, or in each item of it; none where those are plain.
    #[must_use]
    pub const fn members(&self) -> &'static [&'static str] {
        match self {
            Self::Look(_) => &["title", "colour", "environment", "zone"],
            Self::Redaction(_) => &["kinds", "path", "keep"],
            Self::Alerts(_) => &["what", "queue", "over"],
            Self::Reasons(_) | Self::SecondPerson(_) | Self::IndexFields(_) => &[],
        }
    }
}

impl From<Setting> for Settings {
    /// Settings in which only this one is set.
    fn from(setting: Setting) -> Self {
        let mut settings = Self::default();
        match setting {
            Setting::Look(look) => settings.look = look,
            Setting::Redaction(rules) => settings.redaction = rules,
            Setting::Reasons(reasons) => settings.reasons = reasons,
            Setting::Alerts(rules) => settings.alerts = rules,
            Setting::SecondPerson(needed) => settings.second_person = needed,
            Setting::IndexFields(fields) => settings.index_fields = fields,
        }
        settings
    }
}

/// How far the index of fields of payloads is.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize)]
#[non_exhaustive]
pub struct IndexState {
    /// The fields it is about; none while nobody asked for any.
    pub fields: Vec<PayloadPath>,
    /// Jobs that are in it: those that have one of the fields. Zero for a reader who is bound to some queues.
    pub jobs: u64,
    /// Whether every job has been looked at, so that filters are answered by it.
    pub complete: bool,
}

/// How a namespace looks in the frame of every page.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct Look {
    /// What people call it; empty for its name. At most 40 characters.
    #[serde(default)]
    pub title: String,
    /// The colour of its mark.
    #[serde(default)]
    pub colour: Colour,
    /// `production`, `staging` …; empty for what the server was started with. At most 20 characters.
    #[serde(default)]
    pub environment: String,
    /// The name of the zone in which a person who chose none reads times, such as `Asia/Shanghai`; empty for that of each
    /// browser.
    #[serde(default, skip_serializing_if = "String::is_empty")]
    pub zone: String,
}

impl Look {
    /// Characters of a title.
    pub const TITLE_CHARS_MAX: usize = 40;
    /// Characters of an environment.
    pub const ENVIRONMENT_CHARS_MAX: usize = 20;
}

words! {
    /// A colour that is told apart from the others in normal, deuteranope and protanope vision.
    #[derive(Default)]
    pub enum Colour {
        /// None in particular.
        #[default]
        Grey = "grey",
        /// Indigo.
        Indigo = "indigo",
        /// Amber.
        Amber = "amber",
        /// Cyan.
        Cyan = "cyan",
        /// Green.
        Green = "green",
        /// Dark red.
        Red = "red",
    }
}

/// What of some payloads is hidden.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct RedactionRule {
    /// Which kinds: a name, with `*` for any characters. `*` alone is every kind.
    pub kinds: String,
    /// Where in a JSON payload: `customer.phone`, `items.*.card`, `**.token` at any depth; `*` alone is all of it, of a
    /// payload that is no JSON too.
    pub path: String,
    /// How many characters at the end stay visible, 0 to 4, of texts at least twice as long.
    #[serde(default)]
    pub keep: u8,
}

impl RedactionRule {
    /// Characters that may stay visible.
    pub const KEEP_MAX: u8 = 4;
    /// Bytes of a path, and of a pattern of kinds.
    pub const TEXT_BYTES_MAX: usize = 128;
}

/// When somebody is told that a queue is not well.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct AlertRule {
    /// What is watched.
    pub what: AlertKind,
    /// Which queue; `None` is each of them.
    #[serde(default)]
    pub queue: Option<QueueName>,
    /// More than this is an alert: ms of lateness or of waiting, jobs dead within an hour, ready jobs that nobody works on.
    pub over: u64,
}

impl AlertRule {
    /// A limit of lateness is below that many ms: it is how far lateness is counted, and nothing could be over it.
    pub const LATE_MS_BELOW: u64 = 300_000;
}

words! {
    /// What an alert watches.
    pub enum AlertKind {
        /// 99 of 100 jobs of the last quarter of an hour were ready within that many ms of their due time, or more.
        Late = "late",
        /// That many jobs died within the last hour.
        Dead = "dead",
        /// That many jobs are ready and no worker serves their queue.
        Unserved = "unserved",
        /// The first ready job has waited that many ms for a worker.
        Waiting = "waiting",
    }
}

/// One queue that is over the limit of a rule.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct Alert {
    /// What is watched.
    pub what: AlertKind,
    /// Which queue.
    pub queue: QueueName,
    /// How much it is now, in the unit of the rule.
    pub now: u64,
    /// The limit of the rule.
    pub over: u64,
}

/// A payload as a rule would show it, for a preview.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct RedactedSample {
    /// What is shown.
    pub shown: String,
    /// How many values the rules hide in it.
    pub hidden: u64,
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_names_in_a_setting_are_those_it_is_written_with() {
        let look = Look { zone: "Asia/Shanghai".to_owned(), ..Look::default() };
        let hidden = RedactionRule { kinds: "*".to_owned(), path: "card".to_owned(), keep: 0 };
        let alert = AlertRule { what: AlertKind::Dead, queue: None, over: 1 };
        for (setting, one) in [
            (Setting::Look(look.clone()), serde_json::to_value(look).unwrap()),
            (Setting::Redaction(vec![hidden.clone()]), serde_json::to_value(hidden).unwrap()),
            (Setting::Alerts(vec![alert.clone()]), serde_json::to_value(alert).unwrap()),
        ] {
            let mut named = setting.members().to_vec();
            named.sort_unstable();
            let mut written: Vec<_> = one.as_object().unwrap().keys().map(String::as_str).collect();
            written.sort_unstable();
            assert_eq!(named, written, "{}", setting.name());
        }
    }
}
