//! How values become heights, and which of them get a line.

use super::HEIGHT;

/// From a value to its height in the drawing.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) enum Scale {
    /// Equal steps.
    Linear {
        /// The value at the top.
        max: u64,
    },
    /// Equal factors of ten, from 1: for durations.
    Decades {
        /// The value at the top is ten to this.
        decades: u32,
    },
}

impl Scale {
    /// The smallest round top that holds `max`, in four equal steps.
    pub(crate) fn linear(max: u64) -> Self {
        let mut step = 1_u64;
        loop {
            for factor in [1, 2, 5] {
                let top = step.saturating_mul(factor).saturating_mul(4);
                if top >= max {
                    return Self::Linear { max: top };
                }
            }
            step = step.saturating_mul(10);
        }
    }

    /// The same lines for values that are written in fractions; decades stay as they are.
    pub(crate) fn times(self, factor: u64) -> Self {
        match self {
            Self::Linear { max } => Self::Linear { max: max.saturating_mul(factor) },
            decades @ Self::Decades { .. } => decades,
        }
    }

    /// As many decades as `max` needs, two at least.
    pub(crate) fn decades(max: u64) -> Self {
        let mut decades = 2;
        while 10_u64.saturating_pow(decades) < max {
            decades += 1;
        }
        Self::Decades { decades }
    }

    /// The values with a line, lowest first; equally far apart in the drawing.
    pub(crate) fn ticks(&self) -> Vec<u64> {
        match *self {
            Self::Linear { max } => (0..=4).map(|step| max / 4 * step).collect(),
            Self::Decades { decades } => (0..=decades).map(|decade| 10_u64.saturating_pow(decade)).collect(),
        }
    }

    /// Where a value stands, from the top.
    #[expect(clippy::cast_precision_loss, reason = "a drawing has a thousand steps, not 2^53")]
    pub(crate) fn y(&self, value: u64) -> f64 {
        let part = match *self {
            Self::Linear { max } => value as f64 / max.max(1) as f64,
            Self::Decades { decades } => (value.max(1) as f64).log10() / f64::from(decades.max(1)),
        };
        HEIGHT * (1.0 - part.clamp(0.0, 1.0))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_linear_scale_ends_at_a_round_number() {
        let tops: Vec<_> = [0, 3, 4, 5, 21, 41, 128_402].map(Scale::linear).into_iter().collect();
        let wanted = [4, 4, 4, 8, 40, 80, 200_000].map(|max| Scale::Linear { max });
        assert_eq!(tops, wanted);
        assert_eq!(Scale::linear(21).ticks(), [0, 10, 20, 30, 40]);
    }

    #[test]
    fn decades_are_equally_far_apart() {
        let scale = Scale::decades(300_000);
        assert_eq!(scale, Scale::Decades { decades: 6 });
        assert!((scale.y(1) - HEIGHT).abs() < 1e-9);
        assert!((scale.y(1_000) - HEIGHT / 2.0).abs() < 1e-9);
        assert!((scale.y(0) - HEIGHT).abs() < 1e-9, "nothing is below the first decade");
    }
}
