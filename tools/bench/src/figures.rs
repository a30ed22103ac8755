//! What was measured.

use serde::Serialize;

/// Everything one run found.
#[derive(Debug, Default, Serialize)]
pub(crate) struct Figures {
    pub(crate) figures: Vec<Figure>,
    pub(crate) remarks: Vec<Remark>,
}

/// One number of one competitor, measured as often as the run repeats.
#[derive(Debug, Clone, Serialize)]
pub(crate) struct Figure {
    pub(crate) measure: String,
    pub(crate) competitor: String,
    /// With its unit at the end.
    pub(crate) metric: String,
    pub(crate) samples: Vec<f64>,
}

/// Why a number is missing, or what it does not tell.
#[derive(Debug, Clone, Serialize, PartialEq, Eq)]
pub(crate) struct Remark {
    pub(crate) measure: String,
    pub(crate) competitor: String,
    pub(crate) text: String,
}

impl Figure {
    /// The middle one of the samples.
    pub(crate) fn median(&self) -> f64 {
        percentile(&self.samples, 50.0)
    }

    /// The least and the most of the samples.
    pub(crate) fn spread(&self) -> (f64, f64) {
        (percentile(&self.samples, 0.0), percentile(&self.samples, 100.0))
    }
}

impl Figures {
    pub(crate) fn add(&mut self, measure: &str, competitor: &str, metric: &str, value: f64) {
        let known = self.figures.iter_mut().find(|figure| figure.is(measure, competitor, metric));
        match known {
            Some(figure) => figure.samples.push(value),
            None => self.figures.push(Figure {
                measure: measure.to_owned(),
                competitor: competitor.to_owned(),
                metric: metric.to_owned(),
                samples: vec![value],
            }),
        }
    }

    pub(crate) fn remark(&mut self, measure: &str, competitor: &str, text: impl Into<String>) {
        let remark =
            Remark { measure: measure.to_owned(), competitor: competitor.to_owned(), text: text.into() };
        if !self.remarks.contains(&remark) {
            self.remarks.push(remark);
        }
    }

    pub(crate) fn find(&self, measure: &str, competitor: &str, metric: &str) -> Option<&Figure> {
        self.figures.iter().find(|figure| figure.is(measure, competitor, metric))
    }
}

impl Figure {
    fn is(&self, measure: &str, competitor: &str, metric: &str) -> bool {
        self.measure == measure && self.competitor == competitor && self.metric == metric
    }
}

/// The sample below which so many percent of them lie; of an even number the lower one in the middle.
pub(crate) fn percentile(samples: &[f64], percent: f64) -> f64 {
    let mut sorted = samples.to_vec();
    sorted.sort_by(f64::total_cmp);
    let rank = (sorted.len().saturating_sub(1) as f64 * percent / 100.0).floor();
    // A rank below the length of a list, without a fraction.
    #[expect(clippy::cast_possible_truncation, clippy::cast_sign_loss, reason = "0 ≤ rank < length")]
    let rank = rank as usize;
    sorted.get(rank).copied().unwrap_or(f64::NAN)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn percentiles_are_samples() {
        let samples = [5.0, 1.0, 3.0, 2.0, 4.0];
        assert_eq!(percentile(&samples, 0.0), 1.0);
        assert_eq!(percentile(&samples, 50.0), 3.0);
        assert_eq!(percentile(&samples, 99.0), 4.0);
        assert_eq!(percentile(&samples, 100.0), 5.0);
        assert!(percentile(&[], 50.0).is_nan());
    }
}
