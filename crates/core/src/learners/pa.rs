//! Passive-aggressive learning: PA, PA-I and PA-II.

use crate::cell::Plain;
use crate::cost::CostUse;
use crate::merge::Merging;
use crate::params;
use crate::rule::{About, Decider, Family};
use crate::seen::{Length, Seen, Target};
use crate::step_size::{StepSize, any_step};

const PAPER: &str =
    "Crammer, Dekel, Keshet, Shalev-Shwartz, Singer, Online passive-aggressive algorithms (JMLR 2006)";

params! {
    /// Passive-aggressive: the smallest change of w that gives this example a margin of 1.
    ///
    /// ```text
    /// loss = max(0, 1 − y w·x)
    /// w ← w + τ y x                        if loss > 0
    /// τ = loss / |x|²
    /// ```
    ///
    /// Every example is fitted exactly, so one wrong label can undo much; PA-I and PA-II soften that.
    pub(crate) struct Pa {}
}

impl About for Pa {
    const NAME: &'static str = "pa";
    const PAPER: &'static str = PAPER;
    const WHEN: &'static str = "streams without label noise; otherwise pa1 or pa2";
    const COSTS: CostUse =
        CostUse::Refused("it fits every example exactly, whatever it costs; pa1 and pa2 take costs");
    const MERGING: Merging = Merging::Means;
    const FAMILY: Family = Family::Margin;
}

impl Decider for Pa {
    type Cell = Plain;

    fn decide(&self, seen: &Seen, target: &Target, loss: f64) -> Option<f64> {
        (loss > 0.0 && seen.norm2 > 0.0).then(|| target.y * loss / seen.norm2)
    }
}

params! {
    /// Passive-aggressive I: as PA, but no step is longer than C.
    ///
    /// ```text
    /// loss = max(0, 1 − y w·x)
    /// w ← w + τ y x                        if loss > 0
    /// τ = min(c·C, loss / |x|²)            c is the cost of this error, 1 unless declared
    /// ```
    pub(crate) struct Pa1 {
        /// The longest step, C: small for noisy labels; auto is 1 divided by the greatest cost.
        c: StepSize<1> = StepSize::Auto, any_step;
        /// What counts in |x|: whole (all features and the bias, as in the paper) or features (all but the bias, as in scikit-learn).
        length: Length = Length::Whole;
    }
}

impl About for Pa1 {
    const NAME: &'static str = "pa1";
    const PAPER: &'static str = PAPER;
    const WHEN: &'static str = "a quick first-order learner that tolerates some label noise (small c)";
    const COSTS: CostUse = CostUse::Strength;
    const MERGING: Merging = Merging::Means;
    const FAMILY: Family = Family::Margin;
}

impl Decider for Pa1 {
    type Cell = Plain;

    #[inline]
    fn length(&self) -> Length {
        self.length
    }

    fn decide(&self, seen: &Seen, target: &Target, loss: f64) -> Option<f64> {
        (loss > 0.0 && seen.norm2 > 0.0)
            .then(|| target.y * (self.c.under_greatest(target) * target.stake()).min(loss / seen.norm2))
    }
}

params! {
    /// Passive-aggressive II: as PA, with steps shortened smoothly.
    ///
    /// ```text
    /// loss = max(0, 1 − y w·x)
    /// w ← w + τ y x                        if loss > 0
    /// τ = loss / (|x|² + 1/(2 c·C))        c is the cost of this error, 1 unless declared
    /// ```
    pub(crate) struct Pa2 {
        /// Aggressiveness C: small for noisy labels; auto is 1 divided by the greatest cost.
        c: StepSize<1> = StepSize::Auto, any_step;
        /// What counts in |x|: whole (all features and the bias, as in the paper) or features (all but the bias, as in scikit-learn).
        length: Length = Length::Whole;
    }
}

impl About for Pa2 {
    const NAME: &'static str = "pa2";
    const PAPER: &'static str = PAPER;
    const WHEN: &'static str = "as pa1, when large losses should still move the weights further";
    const COSTS: CostUse = CostUse::Strength;
    const MERGING: Merging = Merging::Means;
    const FAMILY: Family = Family::Margin;
}

impl Decider for Pa2 {
    type Cell = Plain;

    #[inline]
    fn length(&self) -> Length {
        self.length
    }

    fn decide(&self, seen: &Seen, target: &Target, loss: f64) -> Option<f64> {
        let softened = seen.norm2 + 1.0 / (2.0 * self.c.under_greatest(target) * target.stake());
        (loss > 0.0 && seen.norm2 > 0.0).then(|| target.y * loss / softened)
    }
}

#[cfg(test)]
mod tests {
    use crate::batch::BIAS;
    use crate::learner::Setup;
    use crate::learners::build;
    use crate::{Batch, Outcomes};

    /// The weight of the bias after one example of length 2, and 5 with the bias.
    fn bias_after(learner: &str) -> f64 {
        let mut batch = Batch::default();
        batch.push([(3, 2.0), (BIAS, 1.0)], Some(1)).unwrap();
        let mut learner = build(learner, &Setup::default()).unwrap();
        learner.learn(&batch, &mut Outcomes::default()).unwrap();
        learner.weights().iter().find(|weight| weight.feature == BIAS).unwrap().value
    }

    #[test]
    fn the_bias_counts_in_the_length_of_an_example_or_does_not() {
        for (learner, expected) in [
            ("pa1:c=9", 1.0 / 5.0),
            ("pa1:c=9,length=features", 1.0 / 4.0),
            ("pa2:c=0.5", 1.0 / 6.0),
            ("pa2:c=0.5,length=features", 1.0 / 5.0),
        ] {
            assert!((bias_after(learner) - expected).abs() < 1e-7, "{learner}");
        }
    }
}
