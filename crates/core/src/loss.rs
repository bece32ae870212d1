//! Losses of a margin m = y · score.

use crate::cost::CostUse;
use crate::params::Choice;
use crate::seen::{Seen, Target};

/// A convex loss of the margin.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Loss {
    /// max(0, 1 − m), the papers' loss.
    Hinge,
    /// max(0, 1 − m)² / 2.
    SquaredHinge,
    /// ln(1 + e^−m).
    Logistic,
    /// (1 − m)², which is (y − score)²: least squares.
    Squared,
}

impl Choice for Loss {
    const CHOICES: &'static [(&'static str, Self)] = &[
        ("hinge", Loss::Hinge),
        ("squared-hinge", Loss::SquaredHinge),
        ("logistic", Loss::Logistic),
        ("squared", Loss::Squared),
    ];
}

impl Loss {
    /// The loss at margin `m`.
    pub fn value(self, m: f64) -> f64 {
        match self {
            Loss::Hinge => hinge(m),
            Loss::SquaredHinge => hinge(m) * hinge(m) / 2.0,
            // ln(1 + e^−m) without overflow for m far below 0.
            Loss::Logistic => (-m.abs()).exp().ln_1p() + (-m).max(0.0),
            Loss::Squared => (1.0 - m) * (1.0 - m),
        }
    }

    /// How fast the loss falls as the margin grows: −d loss / d m. It is negative only where a loss rises again: least squares beyond a
    /// margin of 1.
    pub fn pull(self, m: f64) -> f64 {
        match self {
            Loss::Hinge => f64::from(u8::from(m < 1.0)),
            Loss::SquaredHinge => hinge(m),
            Loss::Logistic => 1.0 / (1.0 + m.exp()),
            Loss::Squared => 2.0 * (1.0 - m),
        }
    }
}

impl Loss {
    /// The signed step along x that lowers the loss: `rate` times the stake times the pull, towards y; none where the
    /// loss is flat.
    pub fn step(self, rate: f64, seen: &Seen, target: &Target) -> Option<f64> {
        let pull = self.pull(target.y * seen.score);
        (pull != 0.0).then(|| rate * target.stake() * pull * target.y)
    }
}

/// The two cost-sensitive hinge losses of Zhao et al. 2019: the cost as the margin (I) or as the slope (II).
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum CostSensitive {
    /// I, equation 2: max(0, c − m).
    Margin,
    /// II, equation 3: c max(0, 1 − m).
    Slope,
}

impl CostSensitive {
    /// What costs do.
    pub(crate) const fn costs(self) -> CostUse {
        match self {
            CostSensitive::Margin => CostUse::Margin,
            CostSensitive::Slope => CostUse::Slope,
        }
    }

    /// The loss.
    pub fn value(self, seen: &Seen, target: &Target) -> f64 {
        let m = target.y * seen.score;
        match self {
            CostSensitive::Margin => (target.cost - m).max(0.0),
            CostSensitive::Slope => target.cost * hinge(m),
        }
    }

    /// The signed step along x that lowers the loss; none where there is no loss.
    pub fn step(self, rate: f64, seen: &Seen, target: &Target) -> Option<f64> {
        let slope = match self {
            CostSensitive::Margin => 1.0,
            CostSensitive::Slope => target.cost,
        };
        (self.value(seen, target) > 0.0).then_some(rate * slope * target.importance * target.y)
    }
}

/// max(0, 1 − m).
pub fn hinge(m: f64) -> f64 {
    (1.0 - m).max(0.0)
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    proptest! {
        #[test]
        fn the_pull_is_minus_the_slope(m in -30.0..30.0f64) {
            let h = 1e-6;
            prop_assume!((m - 1.0).abs() > 2.0 * h); // the hinge's kink
            for &(name, loss) in Loss::CHOICES {
                let difference = (loss.value(m - h) - loss.value(m + h)) / (2.0 * h);
                prop_assert!((difference - loss.pull(m)).abs() < 1e-6, "{name} at {m}: {difference}");
            }
        }
    }

    #[test]
    fn no_margin_overflows_the_logistic_loss() {
        assert_eq!(Loss::Logistic.value(-1e6), 1e6);
        assert_eq!(Loss::Logistic.value(1e6), 0.0);
        assert_eq!((Loss::Logistic.pull(-1e6), Loss::Logistic.pull(1e6)), (1.0, 0.0));
    }
}
