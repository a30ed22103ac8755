//! What a run found, as a text that can be kept: a figure a line, those with a limit judged.

use crate::rig::commit;
use anyhow::{Context, Result};
use std::fmt;
use std::fs;
use std::path::Path;

#[derive(Debug)]
pub(crate) struct Report {
    name: String,
    lines: Vec<(&'static str, String)>,
    missed: Vec<&'static str>,
}

impl Report {
    pub(super) fn new(name: String) -> Self {
        let load = fs::read_to_string("/proc/loadavg").unwrap_or_default();
        let load = load.split_whitespace().take(3).collect::<Vec<_>>().join(" ");
        let cores = std::thread::available_parallelism().map_or(1, usize::from);
        let mut report = Self { name: name.clone(), lines: Vec::new(), missed: Vec::new() };
        report.note("soak", name);
        report.note("commit", commit());
        report.note("machine", format!("{cores} cores, load {load} at the end"));
        report
    }

    /// A figure without a limit.
    pub(super) fn note(&mut self, name: &'static str, text: impl Into<String>) {
        self.lines.push((name, text.into()));
    }

    /// A figure that may be `most`.
    pub(super) fn judge(&mut self, name: &'static str, value: f64, most: f64, unit: &str) {
        let fits = value <= most;
        let word = if fits { "within" } else { "MISSED" };
        self.note(name, format!("{value:.1}, {word} {most} {unit}"));
        if !fits {
            self.missed.push(name);
        }
    }

    pub(crate) const fn passed(&self) -> bool {
        self.missed.is_empty()
    }

    /// Writes it as `soak-<name>.txt`.
    pub(super) fn keep(&self, folder: &Path) -> Result<()> {
        fs::create_dir_all(folder)?;
        let file = folder.join(format!("soak-{}.txt", self.name));
        fs::write(&file, self.to_string()).with_context(|| file.display().to_string())
    }
}

impl fmt::Display for Report {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        for (name, text) in &self.lines {
            writeln!(f, "{name:15}{text}")?;
        }
        match self.missed.as_slice() {
            [] => writeln!(f, "{:15}passed", "verdict"),
            missed => writeln!(f, "{:15}MISSED: {}", "verdict", missed.join(", ")),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_report_says_what_was_missed() {
        let mut report = Report::new("1min".to_owned());
        report.judge("start lag p99", 12.0, 1_000.0, "ms");
        assert!(report.passed());
        report.judge("handles left", 1.0, 0.0, "handles");
        let text = report.to_string();
        assert!(text.contains("start lag p99  12.0, within 1000 ms\n"), "{text}");
        assert!(text.ends_with("MISSED: handles left\n") && !report.passed(), "{text}");
    }
}
