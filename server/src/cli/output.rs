//! What a verb prints: tables and sentences for people, JSON for programs.

use app::format::{distance, number, rfc3339};
use comfy_table::presets::NOTHING;
use comfy_table::{ContentArrangement, Table};
use indicatif::{ProgressBar, ProgressDrawTarget, ProgressStyle};
use reprieve::model::{JobState, Timestamp, Verdict, without_escapes};
use serde::Serialize;
use std::io::{IsTerminal, Write};

/// Columns of a table where standard output is no terminal: wide enough never to cut anything a program looks for.
const WIDTH_PIPED: u16 = 4_096;

/// The colours of ours, and the end of one, as a terminal is told of them.
const COLOURS: [&str; 7] = ["0", "2", "31", "32", "33", "34", "36"];

/// `1 item is`, `1,204 items are`: a number, and what goes with it.
pub(super) fn counted(n: impl TryInto<u64>, one: &str, many: &str) -> String {
    let n = n.try_into().unwrap_or(u64::MAX);
    format!("{} {}", number(n), if n == 1 { one } else { many })
}

/// Where a verb's words go.
///
/// Much of what is printed was written by others: payloads, errors, reasons, lines of logs. A terminal obeys what it is
/// sent, so people get it without control characters; the values for programs have it as it is.
#[derive(Debug, Clone)]
pub(crate) struct Output {
    /// One JSON value a line instead of tables and sentences.
    pub(crate) json: bool,
    colour: bool,
    terminal: bool,
}

impl Output {
    /// Colours only where somebody sees them, and not where they asked for none.
    pub(crate) fn new(json: bool) -> Self {
        let terminal = std::io::stdout().is_terminal();
        let wanted = std::env::var_os("NO_COLOR").is_none_or(|value| value.is_empty());
        Self { json, colour: terminal && wanted && !json, terminal }
    }

    /// One JSON value on a line of its own.
    pub(crate) fn value(&self, value: &impl Serialize) {
        if let Ok(text) = serde_json::to_string(value) {
            print(&text);
        }
    }

    /// A sentence for people. Programs read values.
    pub(crate) fn say(&self, text: impl AsRef<str>) {
        if !self.json {
            print(&self.harmless(text.as_ref()));
        }
    }

    /// For programs, what they should know beside the values: one JSON value on standard error.
    pub(crate) fn note(&self, value: &impl Serialize) {
        if self.json
            && let Ok(text) = serde_json::to_string(value)
        {
            complain(&text);
        }
    }

    /// The value for programs, the sentence for people.
    pub(crate) fn answer(&self, value: &impl Serialize, sentence: impl AsRef<str>) {
        if self.json { self.value(value) } else { print(&self.harmless(sentence.as_ref())) }
    }

    /// The value for programs of what ends a command as a failure, which tells people.
    pub(crate) fn refused(&self, value: &impl Serialize) {
        if self.json {
            self.value(value);
        }
    }

    /// A table for people, each shard on one line. Without rows, the sentence. Programs read values.
    pub(crate) fn table(&self, head: &[&str], rows: Vec<Vec<String>>, without_rows: &str) {
        if self.json {
            return;
        }
        if rows.is_empty() {
            return print(without_rows);
        }
        let mut table = Table::new();
        table.load_preset(NOTHING).set_content_arrangement(ContentArrangement::Disabled);
        if !self.terminal {
            table.set_width(WIDTH_PIPED);
        }
        table.set_header(head.iter().map(|title| self.dim(title)));
        for row in rows {
            table.add_row(row.iter().map(|shard| in_one_line(&self.harmless(shard))));
        }
        for column in table.column_iter_mut() {
            column.set_padding((0, 2));
        }
        let lines: Vec<String> = table.lines().map(|line| line.trim_end().to_owned()).collect();
        print(&lines.join("\n"));
    }

    /// A list: one JSON value a line for programs, a table for people.
    pub(crate) fn list<T, V: Serialize>(
        &self,
        items: Vec<T>,
        value: impl Fn(T) -> V,
        head: &[&str],
        row: impl Fn(&T) -> Vec<String>,
        without_rows: &str,
    ) {
        if self.json {
            return items.into_iter().map(value).for_each(|value| self.value(&value));
        }
        self.table(head, items.iter().map(row).collect(), without_rows);
    }

    /// A state in its colour.
    pub(crate) fn state(&self, state: JobState) -> String {
        let colour = match state {
            JobState::Delayed => "34",
            JobState::Ready => "36",
            JobState::Active => "32",
            JobState::Retrying => "33",
            JobState::Dead => "31",
            JobState::Held | JobState::Done | JobState::Cancelled => "2",
        };
        self.paint(state.as_str(), colour)
    }

    /// Good, to be looked at, or bad.
    pub(crate) fn verdict(&self, word: &str, verdict: Verdict) -> String {
        self.paint(
            word,
            match verdict {
                Verdict::Good => "32",
                Verdict::Look => "33",
                Verdict::Wrong => "31",
            },
        )
    }

    /// Text that stands back.
    pub(crate) fn dim(&self, text: &str) -> String {
        self.paint(text, "2")
    }

    fn paint(&self, text: &str, code: &str) -> String {
        if self.colour { format!("\x1b[{code}m{text}\x1b[0m") } else { text.to_owned() }
    }

    /// A text as a terminal may get it: of what it obeys, only colours of ours are left.
    fn harmless(&self, text: &str) -> String {
        let (mut shown, mut rest) = (String::with_capacity(text.len()), text);
        while let Some((before, colour, behind)) = next_colour(rest).filter(|_| self.colour) {
            shown.push_str(&of_others(before));
            shown.push_str(colour);
            rest = behind;
        }
        shown.push_str(&of_others(rest));
        shown
    }

    /// An instant, and how far that is from `now`.
    pub(crate) fn time(&self, at: Timestamp, now: Timestamp) -> String {
        format!("{} {}", rfc3339(at), self.dim(&format!("({})", distance(at, now.as_millis()))))
    }

    /// A bar for long work, on standard error; invisible where nobody looks.
    pub(crate) fn progress(&self, steps: u64, what: &'static str) -> ProgressBar {
        let hidden = self.json || !std::io::stderr().is_terminal();
        let target = if hidden { ProgressDrawTarget::hidden() } else { ProgressDrawTarget::stderr() };
        let style = ProgressStyle::with_template("{msg} {wide_bar} {human_pos}/{human_len} {per_sec} {eta}");
        let bar = ProgressBar::with_draw_target(Some(steps), target).with_message(what);
        match style {
            Ok(style) => bar.with_style(style),
            Err(_) => bar,
        }
    }
}

/// The first colour of ours in a text, with what is before and behind it.
fn next_colour(text: &str) -> Option<(&str, &str, &str)> {
    text.match_indices("\x1b[").find_map(|(at, _)| {
        let (before, rest) = text.split_at(at);
        let (colour, behind) = rest.split_at(rest.find('m')? + 1);
        let code = colour.strip_prefix("\x1b[")?.strip_suffix('m')?;
        COLOURS.contains(&code).then_some((before, colour, behind))
    })
}

/// A text without escapes, and without what moves a terminal's cursor but ends of lines and tabs.
pub(super) fn of_others(text: &str) -> String {
    let harmless = |sign: char| if sign.is_control() && !matches!(sign, '\n' | '\t') { ' ' } else { sign };
    without_escapes(text).chars().map(harmless).collect()
}

/// A text that takes no second line, in a table or a list.
pub(super) fn in_one_line(text: &str) -> String {
    text.replace(['\n', '\t'], " ")
}

/// Writes a line; nobody reading any more (`| head`) is no reason to fail.
fn print(text: &str) {
    let mut out = std::io::stdout().lock();
    let _ = out.write_all(text.as_bytes()).and_then(|()| out.write_all(b"\n"));
}

/// The same on standard error.
pub(crate) fn complain(text: &str) {
    let _ = writeln!(std::io::stderr().lock(), "{text}");
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn without_a_terminal_there_are_no_colours() {
        let output = Output { json: false, colour: false, terminal: false };
        assert_eq!(output.state(JobState::Dead), "dead");
        let output = Output { colour: true, ..output };
        assert_eq!(output.state(JobState::Dead), "\u{1b}[31mdead\u{1b}[0m");
    }

    #[test]
    fn what_others_wrote_moves_no_terminal_and_what_we_colour_stays_so() {
        let plain = Output { json: false, colour: false, terminal: false };
        let coloured = Output { json: false, colour: true, terminal: false };
        let theirs = "\u{1b}]0;title\u{7}a\u{1b}[2Jb\rc\u{9b}1Ad\n\te\u{8}";
        for output in [&plain, &coloured] {
            assert_eq!(output.harmless(theirs), "ab cd\n\te");
        }
        let state = coloured.state(JobState::Dead);
        let said = format!("{theirs} {state} {theirs}");
        assert_eq!(coloured.harmless(&said), format!("ab cd\n\te {state} ab cd\n\te"));
        assert_eq!(plain.harmless(&said), "ab cd\n\te dead ab cd\n\te", "where nobody wants colours");
        // An escape of theirs does not swallow what is ours behind it, nor end in it.
        assert_eq!(coloured.harmless(&format!("a\u{1b}]0;{state}")), format!("a{state}"));
        assert_eq!(in_one_line("a\n\tb"), "a  b");
    }
}
