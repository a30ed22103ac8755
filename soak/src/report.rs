//! What a run found, as a text that can be kept: a figure a line, those with a limit judged.

use anyhow::{Context as _, Result};
use std::fmt;
use std::fs;
use std::path::Path;
use std::process::Command;

/// A run's figures in their order.
#[derive(Debug)]
pub(crate) struct Report {
    kind: &'static str,
    name: String,
    lines: Vec<(String, String)>,
    missed: Vec<String>,
}

impl Report {
    /// The report of such a run, kept as `<kind>-<name>.txt`.
    pub(crate) fn new(kind: &'static str, name: impl Into<String>) -> Self {
        let mut report = Self { kind, name: name.into(), lines: Vec::new(), missed: Vec::new() };
        let cores = std::thread::available_parallelism().map_or(1, usize::from);
        report.note("commit", output("git", &["rev-parse", "--short", "HEAD"]));
        report.note("machine", format!("{cores} cores, load {} at the end", load()));
        report
    }

    /// A figure without a limit.
    pub(crate) fn note(&mut self, name: &str, text: impl Into<String>) {
        self.lines.push((name.to_owned(), text.into()));
    }

    /// A figure that may be so much and no more.
    pub(crate) fn judge(&mut self, name: &str, value: f64, most: f64, unit: &str) {
        let fits = value <= most;
        let word = if fits { "within" } else { "MISSED" };
        self.note(name, format!("{value:.1} {unit}, {word} {most} {unit}"));
        if !fits {
            self.missed.push(name.to_owned());
        }
    }

    /// Something that must be.
    pub(crate) fn require(&mut self, name: &str, holds: bool, text: impl Into<String>) {
        self.note(name, text);
        if !holds {
            self.missed.push(name.to_owned());
        }
    }

    pub(crate) const fn passed(&self) -> bool {
        self.missed.is_empty()
    }

    /// Keeps it in a folder.
    pub(crate) fn keep(&self, folder: &Path) -> Result<()> {
        fs::create_dir_all(folder)?;
        let file = folder.join(format!("{}-{}.txt", self.kind, self.name));
        fs::write(&file, self.to_string()).with_context(|| file.display().to_string())
    }
}

impl fmt::Display for Report {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let width = self.lines.iter().map(|(name, _)| name.len()).max().unwrap_or_default() + 2;
        writeln!(f, "{:width$}{}", self.kind, self.name)?;
        for (name, text) in &self.lines {
            writeln!(f, "{name:width$}{text}")?;
        }
        match self.missed.as_slice() {
            [] => writeln!(f, "{:width$}passed", "verdict"),
            missed => writeln!(f, "{:width$}MISSED: {}", "verdict", missed.join(", ")),
        }
    }
}

fn output(program: &str, arguments: &[&str]) -> String {
    let output = Command::new(program).args(arguments).output();
    output.map(|output| String::from_utf8_lossy(&output.stdout).trim().to_owned()).unwrap_or_default()
}

fn load() -> String {
    let text = fs::read_to_string("/proc/loadavg").unwrap_or_default();
    text.split_whitespace().take(3).collect::<Vec<_>>().join(" ")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_report_says_what_was_missed() {
        let mut report = Report::new("soak", "test");
        report.judge("start lag p99", 12.0, 1_000.0, "ms");
        assert!(report.passed());
        report.judge("handles left", 1.0, 0.0, "");
        report.require("tabs", true, "all of them");
        let text = report.to_string();
        assert!(text.contains("start lag p99  12.0 ms, within 1000 ms\n"), "{text}");
        assert!(text.ends_with("MISSED: handles left\n") && !report.passed(), "{text}");
    }
}
