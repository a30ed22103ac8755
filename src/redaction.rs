//! Hides parts of payloads from readers: the one place, on the way from the store to every reader.
//!
//! Workers and sinks get payloads whole. A part that was hidden reads `•••• 4567 (hidden)`, and a payload that holds
//! such a mark is refused where jobs come in, so that a copy of what somebody saw never replaces what is there.

use crate::error::Error;
use crate::model::reveal::{DOTS, SAYS, holds_hidden};
use crate::model::{
    Attempt, CronEntry, HistoryEntry, Job, JobRow, Kind, PartPath, RedactedSample, RedactionRule,
};
use crate::tree::{Tree, read};
use serde_json::Value;
use std::collections::BTreeMap;

/// How deep a payload is looked into; what lies deeper is hidden whole where a rule asks for any depth.
const DEPTH_MAX: usize = 64;
/// Stands among the names of changed parts for one that is no plain name.
pub(crate) const UNNAMED_PART: &str = "*";

/// The rules of a namespace, ready to be applied.
#[derive(Debug, Clone, Default)]
pub struct Redaction {
    rules: Vec<Rule>,
    sight: Sight,
}

/// What somebody may see of jobs at all, beside what is hidden from everybody.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
#[non_exhaustive]
pub struct Sight {
    /// Payloads, and the first lines of errors.
    pub payloads: bool,
    /// Errors whole.
    pub errors: bool,
}

impl Sight {
    /// So much and no more.
    #[must_use]
    pub const fn new(payloads: bool, errors: bool) -> Self {
        Self { payloads, errors }
    }
}

impl Default for Sight {
    /// Everything.
    fn default() -> Self {
        Self::new(true, true)
    }
}

#[derive(Debug, Clone)]
struct Rule {
    kinds: String,
    path: Vec<String>,
    keep: usize,
}

impl Rule {
    /// Whether all of a payload is hidden, JSON or not.
    fn is_of_everything(&self) -> bool {
        matches!(self.path.as_slice(), [one] if one == "*" || one == "**")
    }
}

impl Redaction {
    /// Those that keep least come first: what is hidden stays as it is, so of two rules about one value the one that
    /// hides more holds, whichever was set first.
    pub(crate) fn new(rules: &[RedactionRule]) -> Self {
        let rule = |rule: &RedactionRule| Rule {
            kinds: rule.kinds.clone(),
            path: rule.path.split('.').map(ToOwned::to_owned).collect(),
            keep: rule.keep.min(RedactionRule::KEEP_MAX).into(),
        };
        let mut rules: Vec<Rule> = rules.iter().map(rule).collect();
        rules.sort_by_key(|rule| rule.keep);
        Self { rules, sight: Sight::default() }
    }

    /// The same for somebody who may see no more than that: without the right to payloads all of them are hidden.
    pub(crate) fn seen_with(&self, sight: Sight) -> Self {
        let mut rules = self.rules.clone();
        if !sight.payloads {
            rules.push(Rule { kinds: "*".to_owned(), path: vec!["*".to_owned()], keep: 0 });
        }
        Self { rules, sight }
    }

    /// Whether nothing of errors may be seen, not even by searching for what they say.
    pub(crate) const fn hides_errors(&self) -> bool {
        !self.sight.payloads
    }

    /// Leaves of an error what may be seen of it: that there is one is no secret.
    pub(crate) fn error(&self, error: &mut String) {
        if !self.sight.payloads {
            if !error.is_empty() {
                *error = format!("{DOTS} {SAYS}");
            }
        } else if !self.sight.errors
            && let Some(line) = error.find('\n')
        {
            error.truncate(line);
        }
    }

    /// Leaves of attempts what may be seen of them.
    pub(crate) fn attempts(&self, attempts: &mut [Attempt]) {
        attempts.iter_mut().for_each(|attempt| self.error(&mut attempt.error));
    }

    /// Leaves of the changes of a job what may be seen of them: no part by its name where all of its payloads is hidden, and of
    /// what lies in a hidden part the name of that part.
    pub(crate) fn history(&self, kind: &Kind, history: &mut [HistoryEntry]) {
        let rules: Vec<&Rule> = self.of_kind(kind).collect();
        let hides_all = rules.iter().any(|rule| rule.is_of_everything());
        for change in history.iter_mut().filter(|change| !(rules.is_empty() || change.parts.is_empty())) {
            let mut seen: Vec<String> = Vec::new();
            for part in change.parts.split(", ").filter(|_| !hides_all) {
                let names: Vec<String> = part.split('.').map(ToOwned::to_owned).collect();
                let is_hidden =
                    |&length: &usize| rules.iter().any(|rule| may_lead_to(&rule.path, &names[..length]));
                let length = (1..names.len()).find(is_hidden).unwrap_or(names.len());
                seen.push(names[..length].join("."));
            }
            seen.dedup();
            change.parts = seen.join(", ");
        }
    }

    fn of_kind<'a>(&'a self, kind: &'a Kind) -> impl Iterator<Item = &'a Rule> {
        self.rules.iter().filter(|rule| fits(rule.kinds.as_bytes(), kind.as_str().as_bytes()))
    }

    /// Whether any rule is about payloads of that kind.
    pub fn is_about(&self, kind: &Kind) -> bool {
        self.of_kind(kind).next().is_some()
    }

    /// Whether there is no rule at all.
    pub const fn is_empty(&self) -> bool {
        self.rules.is_empty()
    }

    /// Hides what is to be hidden of a job. What it answered is of the same sort as what it was given.
    pub(crate) fn job(&self, job: &mut Job) {
        self.payload(&job.kind, &mut job.payload);
        if !job.result.is_empty() {
            self.payload(&job.kind, &mut job.result);
        }
        self.headers(&mut job.headers);
        self.error(&mut job.last_error);
        // What a handler writes is as telling as its errors.
        if let Some(progress) = &mut job.progress {
            self.error(&mut progress.text);
        }
    }

    /// Hides what is to be hidden of the job that a cron entry enqueues.
    pub(crate) fn cron(&self, entry: &mut CronEntry) {
        if !entry.payload.is_empty() {
            self.payload(&entry.kind, &mut entry.payload);
        }
        self.headers(&mut entry.headers);
    }

    /// Headers go with a payload. No rule is about them: a reader who may see payloads sees them.
    fn headers(&self, headers: &mut BTreeMap<String, String>) {
        if !self.sight.payloads {
            headers.values_mut().for_each(|value| *value = format!("{DOTS} {SAYS}"));
        }
    }

    /// Hides what is to be hidden of rows of a list.
    pub(crate) fn rows<'a>(&self, rows: impl IntoIterator<Item = &'a mut JobRow>) {
        if self.rules.is_empty() && self.sight == Sight::default() {
            return;
        }
        rows.into_iter().for_each(|row| self.row(row));
    }

    /// Hides what is to be hidden of a row. The beginning of a longer payload cannot be looked into, so it is hidden
    /// whole where any rule is about its kind.
    pub(crate) fn row(&self, row: &mut JobRow) {
        self.error(&mut row.error_line);
        if row.preview.is_empty() || !self.is_about(&row.kind) {
            return;
        }
        let mut payload = row.preview.clone().into_bytes();
        row.preview = match read(&payload) {
            Some(_) => {
                self.payload(&row.kind, &mut payload);
                String::from_utf8(payload).unwrap_or_default()
            }
            None => format!("{DOTS} {SAYS}"),
        };
    }

    /// Hides what is to be hidden of a payload; answers how many values that were. What no path can be followed in is
    /// hidden whole: its reader would find there what the rule is about.
    pub fn payload(&self, kind: &Kind, payload: &mut Vec<u8>) -> u64 {
        let rules: Vec<&Rule> = self.of_kind(kind).collect();
        if rules.is_empty() {
            return 0;
        }
        let everything = rules.iter().any(|rule| rule.is_of_everything());
        if payload.is_empty() && !everything {
            return 0;
        }
        let Some(mut value) = read(payload).filter(|_| !everything) else {
            *payload = format!("\"{DOTS} {SAYS}\"").into_bytes();
            return 1;
        };
        let hidden = rules.iter().map(|rule| hide_at(&mut value, &rule.path, rule.keep, 0, None)).sum();
        if hidden > 0
            && let Ok(text) = serde_json::to_vec(&value)
        {
            *payload = text;
        }
        hidden
    }

    /// One part of a payload, for somebody who may look at what is hidden there.
    ///
    /// What a rule hides by itself inside of that part stays hidden: it is another part.
    pub(crate) fn part(&self, kind: &Kind, payload: &[u8], part: &PartPath) -> Part {
        let rules: Vec<&Rule> = self.of_kind(kind).collect();
        let hides_all = rules.iter().any(|rule| rule.is_of_everything());
        let rules: Vec<&Rule> = rules.into_iter().filter(|rule| !rule.is_of_everything()).collect();
        let names = part.names();
        let Some(mut value) = read(payload) else {
            let hides_whole = hides_all || !(rules.is_empty() || payload.is_empty());
            return match (hides_whole, names.is_empty()) {
                (true, true) => Part::Hidden(payload.to_vec()),
                (true, false) => Part::Within(PartPath::default()),
                (false, true) => Part::Shown,
                (false, false) => Part::Nowhere,
            };
        };
        let hides = |names: &[String]| {
            (names.is_empty() && hides_all) || rules.iter().any(|rule| leads_to(&rule.path, names, 0))
        };
        let is_hidden = hides(names);
        if !is_hidden && let Some(around) = (0..names.len()).find(|&length| hides(&names[..length])) {
            return Part::Within(part.above(around));
        }
        let is_shown = match found(&mut value, names) {
            None => return Part::Nowhere,
            Some(Tree::Null) => !(names.is_empty() && hides_all),
            Some(Tree::Text(text)) if is_marked(text.as_bytes()) => true,
            Some(_) => !is_hidden,
        };
        if is_shown {
            return Part::Shown;
        }
        for rule in rules {
            hide_at(&mut value, &rule.path, rule.keep, 0, Some(names));
        }
        found(&mut value, names)
            .and_then(|part| serde_json::to_vec(part).ok())
            .map_or(Part::Nowhere, Part::Hidden)
    }

    /// What people would see of a sample.
    pub(crate) fn sample(&self, kind: &Kind, text: &str) -> RedactedSample {
        let mut payload = text.as_bytes().to_vec();
        let hidden = self.payload(kind, &mut payload);
        RedactedSample { shown: String::from_utf8(payload).unwrap_or_default(), hidden }
    }
}

/// What there is of one part of a payload.
#[derive(Clone, PartialEq, Eq)]
#[cfg_attr(test, derive(Debug))]
pub(crate) enum Part {
    /// It is hidden, and this is what stands there.
    Hidden(Vec<u8>),
    /// It is not hidden.
    Shown,
    /// It is hidden as a part of that one.
    Within(PartPath),
    /// There is no such part.
    Nowhere,
}

/// The value to which these names lead.
fn found<'a>(value: &'a mut Tree, names: &[String]) -> Option<&'a mut Tree> {
    names.iter().try_fold(value, |value, name| match value {
        Tree::Object(members) => members.get_mut(name),
        Tree::List(items) => {
            let index: usize = name.parse().ok()?;
            // One name for each: `01` is none.
            if index.to_string() == *name { items.get_mut(index) } else { None }
        }
        _ => None,
    })
}

/// Whether the path of a rule names the value to which these names lead, by the same steps as [`hide_at`].
fn leads_to(path: &[String], names: &[String], depth: usize) -> bool {
    leads(path, names, depth, &|step, name| step == name)
}

/// The same of the names that a change is told by: one that is no plain name stands there as `*`, and may be any.
fn may_lead_to(path: &[String], names: &[String]) -> bool {
    leads(path, names, 0, &|step, name| step == name || name == UNNAMED_PART)
}

fn leads(path: &[String], names: &[String], depth: usize, is_same: &impl Fn(&str, &str) -> bool) -> bool {
    let Some((first, rest)) = path.split_first() else { return names.is_empty() };
    let any_depth = first == "**";
    if depth >= DEPTH_MAX || (any_depth && rest.is_empty()) {
        return names.is_empty();
    }
    if any_depth && leads(rest, names, depth + 1, is_same) {
        return true;
    }
    let Some((name, below)) = names.split_first() else { return false };
    (any_depth || first == "*" || is_same(first, name))
        && leads(if any_depth { path } else { rest }, below, depth + 1, is_same)
}

/// Whether a payload holds the mark of something hidden: it was copied from a screen. Some programs write letters beyond
/// ASCII as `\u2022`.
fn is_marked(payload: &[u8]) -> bool {
    let holds = |needle: &str| payload.windows(needle.len()).any(|window| window == needle.as_bytes());
    let escaped = || serde_json::from_slice::<Value>(payload).is_ok_and(|value| holds_mark(&value));
    (holds(DOTS) && holds(SAYS)) || (holds("\\u") && escaped())
}

/// Whether a text in it, or a name, is marked.
fn holds_mark(value: &Value) -> bool {
    match value {
        Value::String(text) => holds_hidden(text),
        Value::Array(items) => items.iter().any(holds_mark),
        Value::Object(members) => members.iter().any(|(name, value)| holds_hidden(name) || holds_mark(value)),
        _ => false,
    }
}

/// Refuses a payload that was copied from where parts of it are hidden: it would put the mark in place of the value.
///
/// # Errors
/// [`Error::Invalid`].
pub(crate) fn refuse_marked(payload: &[u8]) -> crate::error::Result<()> {
    if is_marked(payload) {
        return Err(Error::invalid("payload", "holds a part that was hidden where it was copied from"));
    }
    Ok(())
}

/// Hides what lies at a path below a value; answers how many values that were. Where `spared` leads stays, with all
/// that is on the way there: `None` spares nothing.
fn hide_at(value: &mut Tree, path: &[String], keep: usize, depth: usize, spared: Option<&[String]>) -> u64 {
    let hide = |value: &mut Tree, keep| if spared.is_some() { 0 } else { hide(value, keep) };
    let Some((first, rest)) = path.split_first() else { return hide(value, keep) };
    if depth >= DEPTH_MAX {
        return hide(value, 0);
    }
    let any_depth = first == "**";
    if any_depth && rest.is_empty() {
        return hide(value, keep);
    }
    // Here, or further down.
    let mut hidden = if any_depth { hide_at(value, rest, keep, depth + 1, spared) } else { 0 };
    let path_below = if any_depth { path } else { rest };
    let spared_below = |name: &str| {
        let (spared, below) = spared?.split_first()?;
        (spared == name).then_some(below)
    };
    match value {
        Tree::Object(members) => {
            for (name, member) in members.iter_mut() {
                if any_depth || first == "*" || name == first {
                    hidden += hide_at(member, path_below, keep, depth + 1, spared_below(name));
                }
            }
        }
        Tree::List(items) => {
            for (index, item) in items.iter_mut().enumerate() {
                let name = index.to_string();
                if any_depth || first == "*" || name == *first {
                    hidden += hide_at(item, path_below, keep, depth + 1, spared_below(&name));
                }
            }
        }
        _ => {}
    }
    hidden
}

/// Puts the mark in place of a value. The end of a text or number stays where the rule allows it, and where at least as
/// much is hidden as is shown.
fn hide(value: &mut Tree, keep: usize) -> u64 {
    let text = match &*value {
        Tree::Text(text) if is_marked(text.as_bytes()) => return 0,
        Tree::Text(text) => text.clone(),
        Tree::Number(number) => number.as_str().to_owned(),
        Tree::Null => return 0,
        _ => String::new(),
    };
    let length = text.chars().count();
    let end: String = if keep > 0 && length >= keep * 2 {
        text.chars().skip(length - keep).collect()
    } else {
        String::new()
    };
    let shown = if end.is_empty() { format!("{DOTS} {SAYS}") } else { format!("{DOTS} {end} {SAYS}") };
    *value = Tree::Text(shown);
    1
}

/// Whether a name fits a pattern in which `*` stands for any characters. Linear in both: it remembers the last star.
fn fits(pattern: &[u8], name: &[u8]) -> bool {
    let (mut at, mut place) = (0, 0);
    let mut star: Option<(usize, usize)> = None;
    while place < name.len() {
        if pattern.get(at) == Some(&b'*') {
            star = Some((at, place));
            at += 1;
        } else if pattern.get(at) == Some(&name[place]) {
            (at, place) = (at + 1, place + 1);
        } else if let Some((star_at, from)) = star {
            (at, place) = (star_at + 1, from + 1);
            star = Some((star_at, from + 1));
        } else {
            return false;
        }
    }
    pattern[at..].iter().all(|byte| *byte == b'*')
}

#[cfg(test)]
mod tests {
    use super::*;

    fn shown(kinds: &str, path: &str, keep: u8, text: &str) -> String {
        let rules = [RedactionRule { kinds: kinds.to_owned(), path: path.to_owned(), keep }];
        Redaction::new(&rules).sample(&Kind::new("send_sms").unwrap(), text).shown
    }

    #[test]
    fn what_a_path_names_is_hidden_and_nothing_else() {
        for (path, keep, text, expected) in [
            ("phone", 4, r#"{"phone":"+4915112344567","n":1}"#, r#"{"n":1,"phone":"•••• 4567 (hidden)"}"#),
            ("phone", 0, r#"{"phone":"1"}"#, r#"{"phone":"•••• (hidden)"}"#),
            // Showing four of five would hide nothing.
            ("phone", 4, r#"{"phone":"12345"}"#, r#"{"phone":"•••• (hidden)"}"#),
            ("a.b", 0, r#"{"a":{"b":{"c":1}},"b":2}"#, r#"{"a":{"b":"•••• (hidden)"},"b":2}"#),
            (
                "items.*.card",
                0,
                r#"{"items":[{"card":1},{"card":"2"},3]}"#,
                r#"{"items":[{"card":"•••• (hidden)"},{"card":"•••• (hidden)"},3]}"#,
            ),
            ("items.1", 0, r#"{"items":["a","b"]}"#, r#"{"items":["a","•••• (hidden)"]}"#),
            (
                "**.token",
                0,
                r#"{"token":1,"a":[{"b":{"token":"x"}}]}"#,
                r#"{"a":[{"b":{"token":"•••• (hidden)"}}],"token":"•••• (hidden)"}"#,
            ),
            ("phone", 0, r#"{"n":1}"#, r#"{"n":1}"#),
            ("phone", 0, "", ""),
            ("*", 0, "no json", r#""•••• (hidden)""#),
            ("x", 0, r#"{"x":null}"#, r#"{"x":null}"#),
            // Numbers are shown as they are written, and as much of one as is asked for.
            (
                "card",
                4,
                r#"{"card":"4111111111111111","big":123456789012345678901234567890,"\"":"-2","list":[-1.50,1E+2]}"#,
                r#"{"\"":"-2","big":123456789012345678901234567890,"card":"•••• 1111 (hidden)","list":[-1.50,1E+2]}"#,
            ),
            (
                "big",
                4,
                r#"{"big":123456789012345678901234567890,"n":0.1}"#,
                r#"{"big":"•••• 7890 (hidden)","n":0.1}"#,
            ),
        ] {
            assert_eq!(shown("*", path, keep, text), expected, "{path} in {text}");
        }
    }

    #[test]
    fn a_rule_is_about_the_kinds_it_names() {
        for (kinds, fits) in [
            ("*", true),
            ("send_*", true),
            ("send_sms", true),
            ("*_sms", true),
            ("s*d*s", true),
            ("send", false),
            ("*mail", false),
            ("", false),
            ("send_sms*x", false),
        ] {
            assert_eq!(shown(kinds, "a", 0, r#"{"a":1}"#) != r#"{"a":1}"#, fits, "{kinds}");
        }
    }

    #[test]
    fn changes_name_no_part_of_what_is_hidden() {
        let line = r#"{"at":1,"from":"held","to":"held","version":2,"due":2,"by":"ann","reason":"","edited":true,"parts":""}"#;
        let told_of = |parts: &str, path: &str, sight: Sight| {
            let mut change: HistoryEntry = serde_json::from_str(line).unwrap();
            change.parts = parts.to_owned();
            let rule = RedactionRule { kinds: "send_*".to_owned(), path: path.to_owned(), keep: 0 };
            let mut history = [change];
            Redaction::new(&[rule]).seen_with(sight).history(&Kind::new("send_sms").unwrap(), &mut history);
            let [change] = history;
            change.parts
        };
        let told =
            |path, sight| told_of("amount, customer.email, customer.name.first, lines.1, …", path, sight);
        for (path, expected) in [
            ("phone", "amount, customer.email, customer.name.first, lines.1, …"),
            ("customer", "amount, customer, lines.1, …"),
            ("customer.*", "amount, customer.email, customer.name, lines.1, …"),
            ("**.name", "amount, customer.email, customer.name, lines.1, …"),
            ("*", ""),
        ] {
            assert_eq!(told(path, Sight::default()), expected, "{path}");
        }
        assert_eq!(told("phone", Sight::new(false, false)), "");
        // What is no plain name may be the one that is hidden.
        for (path, expected) in [("客户", "*"), ("客户.phone", "*.email"), ("客户.email", "*.email")] {
            assert_eq!(told_of("*.email", path, Sight::default()), expected, "{path}");
        }
    }

    #[test]
    fn of_two_rules_about_one_value_the_one_that_hides_more_holds() {
        let rule = |kinds: &str, path: &str, keep| RedactionRule {
            kinds: kinds.to_owned(),
            path: path.to_owned(),
            keep,
        };
        for (tight, loose) in [
            (rule("*", "phone", 0), rule("*", "phone", 4)),
            (rule("send_sms", "phone", 0), rule("*", "phone", 4)),
            (rule("*", "**.phone", 0), rule("*", "phone", 2)),
        ] {
            for rules in [[tight.clone(), loose.clone()], [loose, tight]] {
                let redaction = Redaction::new(&rules);
                let sample =
                    redaction.sample(&Kind::new("send_sms").unwrap(), r#"{"phone":"+4915112344567"}"#);
                assert_eq!(
                    (sample.shown.as_str(), sample.hidden),
                    (r#"{"phone":"•••• (hidden)"}"#, 1),
                    "{rules:?}"
                );
            }
        }
    }

    fn part(rules: &[&str], text: &str, part: &str) -> Part {
        let rule = |path: &&str| RedactionRule { kinds: "*".to_owned(), path: (*path).to_owned(), keep: 4 };
        let redaction = Redaction::new(&rules.iter().map(rule).collect::<Vec<_>>());
        redaction.part(&Kind::new("k").unwrap(), text.as_bytes(), &part.parse().unwrap())
    }

    #[test]
    fn one_hidden_part_is_found_and_nothing_beside_it() {
        let hidden = |text: &str| Part::Hidden(text.as_bytes().to_vec());
        let within = |text: &str| Part::Within(text.parse().unwrap());
        let order =
            r#"{"customer":{"card":"4111","name":"Ann"},"items":[{"card":1},{"n":2}],"note":null,"a.b":"x"}"#;
        for (rules, at, expected) in [
            (&["customer.name"] as &[&str], "/customer/name", hidden("\"Ann\"")),
            (&["customer.name"], "/customer/card", Part::Shown),
            (&["customer.name"], "/customer", Part::Shown),
            (&["customer.name"], "", Part::Shown),
            (&["customer.name"], "/customer/phone", Part::Nowhere),
            (&["customer.name"], "/items/0/card/x", Part::Nowhere),
            (&["customer.phone"], "/customer/phone", Part::Nowhere),
            (&["note"], "/note", Part::Shown),
            (&["*.card", "items.*.card"], "/items/0/card", hidden("1")),
            (&["items.*.card"], "/items/00/card", Part::Nowhere),
            (&["items.1"], "/items/1", hidden(r#"{"n":2}"#)),
            (&["**.card"], "/customer/card", hidden("\"4111\"")),
            (&["a.b"], "/a.b", Part::Shown),
            (&["customer"], "/customer", hidden(r#"{"card":"4111","name":"Ann"}"#)),
            (&["customer"], "/customer/name", within("/customer")),
            (&["customer"], "/customer/whatever", within("/customer")),
            // What is hidden by itself is a part by itself.
            (&["customer", "**.card"], "/customer", hidden(r#"{"card":"•••• (hidden)","name":"Ann"}"#)),
            (&["customer", "**.card"], "/customer/card", hidden("\"4111\"")),
            (&["*", "customer.card"], "/customer/card", hidden("\"4111\"")),
            (&["*", "customer"], "/customer/card", within("")),
            (&["*"], "/note", within("")),
            (&[], "", Part::Shown),
        ] {
            assert_eq!(part(rules, order, at), expected, "{rules:?} {at}");
        }
        let Part::Hidden(all) = part(&["*", "customer", "**.card"], order, "") else {
            panic!("it is not hidden")
        };
        let all = String::from_utf8(all).unwrap();
        assert!(all.contains("\"a.b\":\"x\"") && !all.contains("4111") && !all.contains("Ann"), "{all}");
    }

    #[test]
    fn a_payload_that_is_no_json_is_one_part() {
        for text in ["no json", "", "{"] {
            assert_eq!(part(&["*"], text, ""), Part::Hidden(text.as_bytes().to_vec()));
            assert_eq!(part(&["*"], text, "/a"), Part::Within(PartPath::default()));
            assert_eq!(part(&[], text, ""), Part::Shown);
            assert_eq!(part(&[], text, "/a"), Part::Nowhere);
        }
        // There is nothing in it to hide.
        assert_eq!(part(&["a"], "", ""), Part::Shown);
        assert_eq!(part(&["a"], "", "/a"), Part::Nowhere);
    }

    #[test]
    fn a_payload_in_which_no_path_can_be_followed_is_hidden_whole() {
        let deep = format!(r#"{}{{"phone":"X"}}{}"#, "[".repeat(130), "]".repeat(130));
        for text in [
            "phone X",
            r#"{"phone":"X""#,
            // What is shown as JSON all the same.
            r#"{"phone":"X","said":"\ud800"}"#,
            &deep,
            // One of two of the same name.
            r#"{"a":{"phone":"X"},"a":1}"#,
            r#"{"a":1,"\u0061":{"phone":"X"}}"#,
            r#"[{"a":[{"phone":"X","n":1,"n":2}]}]"#,
        ] {
            assert_eq!(shown("*", "a.phone", 4, text), r#""•••• (hidden)""#, "{text}");
            assert_eq!(shown("other", "a.phone", 4, text), text);
            assert_eq!(part(&["a.phone"], text, ""), Part::Hidden(text.as_bytes().to_vec()), "{text}");
            assert_eq!(part(&["a.phone"], text, "/a"), Part::Within(PartPath::default()), "{text}");
        }
        assert_eq!(
            shown("*", "a.phone", 0, r#"[{"n":1},{"n":-1.5,"m":true}]"#),
            r#"[{"n":1},{"n":-1.5,"m":true}]"#
        );
        // A number that no double holds is one as any other.
        assert_eq!(
            shown("*", "phone", 0, r#"{"n":1e400,"phone":"X"}"#),
            r#"{"n":1e400,"phone":"•••• (hidden)"}"#
        );
    }

    #[test]
    fn what_was_copied_from_a_screen_is_known_by_its_mark() {
        assert!(is_marked(shown("*", "a", 4, r#"{"a":"12345678"}"#).as_bytes()));
        assert!(!is_marked("{\"a\":\"•••• no\"}".as_bytes()));
        assert!(!is_marked(b""));
        let escaped = r#"{"a":["1 \u2022\u2022\u2022\u2022 0123 (hidden)"],"b":"\u00e4"}"#;
        assert!(is_marked(escaped.as_bytes()), "as programs write it");
        assert!(is_marked(escaped.replace("\\u2022", "\\U2022").to_lowercase().as_bytes()));
        assert!(!is_marked(r#"{"a":"\u2022 (hidden)"}"#.as_bytes()));
    }

    proptest::proptest! {
        #[test]
        fn a_hidden_secret_is_nowhere_in_what_is_shown(
            secret in "[a-z]{12,20}",
            depth in 0_usize..20,
            around in "[0-9]{0,5}",
        ) {
            let mut text = format!(r#"{{"secret":"{secret}","n":"{around}"}}"#);
            for _ in 0..depth {
                text = format!(r#"[{{"in":{text}}}]"#);
            }
            let seen = shown("*", "**.secret", 4, &text);
            proptest::prop_assert!(!seen.contains(&secret), "{}", seen);
        }

        #[test]
        fn every_mark_that_is_shown_can_be_looked_behind_and_nothing_else(
            paths in proptest::collection::vec("(\\*|\\*\\*|[abc0])(\\.(\\*|\\*\\*|[abc0])){0,2}", 1..4),
        ) {
            let text = r#"{"a":{"a":"x","b":["y",{"c":"z"}]},"b":["u",{"b":1}],"c":"v"}"#;
            let rule = |path: &String| RedactionRule { kinds: "*".to_owned(), path: path.clone(), keep: 0 };
            let rules: Vec<_> = paths.iter().map(rule).collect();
            let shown = Redaction::new(&rules).sample(&Kind::new("k").unwrap(), text).shown;
            let (shown, whole) = (shown.parse::<Value>().unwrap(), text.parse::<Value>().unwrap());
            let named: Vec<&str> = paths.iter().map(String::as_str).collect();
            let mut open = vec![PartPath::default()];
            while let Some(at) = open.pop() {
                let pointer = at.to_string();
                let (seen, there) = (shown.pointer(&pointer), whole.pointer(&pointer));
                let looked = part(&named, text, &pointer);
                let is_mark = seen.and_then(Value::as_str).is_some_and(crate::model::is_hidden);
                if is_mark {
                    proptest::prop_assert!(matches!(looked, Part::Hidden(_)), "{} {:?}", pointer, looked);
                } else if seen.is_some() {
                    proptest::prop_assert_eq!(looked, Part::Shown, "{}", pointer);
                }
                match there {
                    Some(Value::Object(members)) => open.extend(members.keys().map(|name| at.below(name))),
                    Some(Value::Array(items)) => open.extend((0..items.len()).map(|n| at.below(&n.to_string()))),
                    _ => {}
                }
            }
        }

        #[test]
        fn no_pattern_takes_long_or_breaks(pattern in "[a*]{0,40}", name in "[ab]{1,60}") {
            let _ = fits(pattern.as_bytes(), name.as_bytes());
        }
    }
}
