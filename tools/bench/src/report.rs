//! Tables for people, JSON for programs.

use crate::aims::Aim;
use crate::figures::Figures;
use crate::measure::Measure;
use serde::Serialize;

/// A whole run.
#[derive(Debug, Serialize)]
pub(crate) struct Report {
    pub(crate) machine: Machine,
    #[serde(flatten)]
    pub(crate) found: Figures,
    pub(crate) aims: Vec<Aim>,
}

/// What it ran on.
#[derive(Debug, Serialize)]
pub(crate) struct Machine {
    pub(crate) cores: usize,
    pub(crate) processor: String,
    pub(crate) redis: String,
    /// Load average over one minute when the run began: what neighbours do.
    pub(crate) load: String,
}

impl Machine {
    pub(crate) fn look(redis: String) -> Self {
        let read = |path: &str| std::fs::read_to_string(path).unwrap_or_default();
        let processor = read("/proc/cpuinfo");
        let model = processor.lines().find_map(|line| line.strip_prefix("model name")?.split_once(": "));
        Self {
            cores: std::thread::available_parallelism().map_or(0, std::num::NonZero::get),
            processor: model.map_or("unknown", |(_, name)| name).to_owned(),
            redis,
            load: read("/proc/loadavg").split(' ').next().unwrap_or_default().to_owned(),
        }
    }
}

impl Report {
    /// Everything in Markdown.
    pub(crate) fn markdown(&self) -> String {
        let Machine { cores, processor, redis, load } = &self.machine;
        let mut text = format!("{cores} cores ({processor}), redis {redis}, load {load} at the start.\n");
        for measure in Measure::ALL {
            text.push_str(&self.table(measure.name()));
        }
        text.push_str("\n### Aims\n\n| Aim | Measured | |\n|---|---:|---|\n");
        for aim in &self.aims {
            let measured = aim.measured.map_or("–".to_owned(), number);
            let word = match aim.reached {
                Some(true) => "reached",
                Some(false) => "**missed**",
                None => "not measured",
            };
            line(&mut text, &[&aim.text, &measured, word]);
        }
        text
    }

    /// One measurement: a row a competitor, a column a metric.
    fn table(&self, measure: &str) -> String {
        let figures = || self.found.figures.iter().filter(|figure| figure.measure == measure);
        let (mut metrics, mut who): (Vec<&str>, Vec<&str>) = (Vec::new(), Vec::new());
        for figure in figures() {
            if !metrics.contains(&figure.metric.as_str()) {
                metrics.push(&figure.metric);
            }
            if !who.contains(&figure.competitor.as_str()) {
                who.push(&figure.competitor);
            }
        }
        let mut text = String::new();
        if !who.is_empty() {
            text = format!(
                "\n### {measure}\n\n| | {} |\n|---|{}\n",
                metrics.join(" | "),
                "---:|".repeat(metrics.len())
            );
        }
        for competitor in who {
            let shards: Vec<String> = metrics
                .iter()
                .map(|metric| match self.found.find(measure, competitor, metric) {
                    Some(figure) if figure.samples.len() > 1 => {
                        let (least, most) = figure.spread();
                        format!("{} ({}–{})", number(figure.median()), number(least), number(most))
                    }
                    Some(figure) => number(figure.median()),
                    None => "–".to_owned(),
                })
                .collect();
            let mut row = vec![competitor];
            row.extend(shards.iter().map(String::as_str));
            line(&mut text, &row);
        }
        for remark in self.found.remarks.iter().filter(|remark| remark.measure == measure) {
            text.push_str(&format!("\n{}: {}.\n", remark.competitor, remark.text));
        }
        text
    }
}

fn line(text: &mut String, shards: &[&str]) {
    text.push_str(&format!("| {} |\n", shards.join(" | ")));
}

/// Three digits that matter: `0.25`, `7.31`, `58.2`, `930`, `62,400`.
pub(crate) fn number(value: f64) -> String {
    let size = value.abs();
    if size >= 1_000.0 {
        let digits =
            format!("{:.0}", if size >= 100_000.0 { (value / 100.0).round() * 100.0 } else { value });
        let from_end = digits.chars().rev().enumerate();
        let grouped: Vec<String> = from_end
            .map(|(n, digit)| if n > 0 && n % 3 == 0 { format!("{digit},") } else { digit.to_string() })
            .collect();
        return grouped.into_iter().rev().collect();
    }
    match size {
        _ if size >= 100.0 => format!("{value:.0}"),
        _ if size >= 10.0 => format!("{value:.1}"),
        _ if value.fract() == 0.0 => format!("{value:.0}"),
        _ => format!("{value:.2}"),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn numbers_are_as_exact_as_they_matter() {
        let shown: Vec<String> = [0.254, 2.0, 58.21, 930.4, 62_400.0, 1_234_567.0].map(number).into();
        assert_eq!(shown, ["0.25", "2", "58.2", "930", "62,400", "1,234,600"]);
    }
}
