//! Dual coordinate descent for support vector machines.

use crate::batched::{Auto, Estimate, Examples, Solver, SvmLoss};
use crate::cost::CostUse;
use crate::merge::Merging;
use crate::params;
use crate::params::{non_negative, positive_finite, repeatable};
use crate::random::Shuffler;
use crate::rule::{About, Family};

params! {
    /// Dual coordinate descent for the linear support vector machine (LIBLINEAR's -s 3 and -s 1).
    ///
    /// ```text
    /// min ½|w|² + C Σ ξ                    loss=hinge;  C Σ ξ² for loss=squared;  ξ = max(0, 1 − y w·x)
    /// G = y w·x − 1 + D α                  for every example, in a random order; D = 0, or 1/2C if squared
    /// α ← clip(α − G / (|x|² + D), 0, U)   U = C, or ∞ if squared
    /// w ← w + (α − α_before) y x
    /// ```
    ///
    /// Examples that seem settled are left out until the others are (shrinking). Every batch is solved for itself: the
    /// model is that of the last one.
    pub(crate) struct Dcd {
        /// C: larger tolerates fewer errors.
        c: f64 = 1.0, positive_finite;
        /// What a lack of margin costs: hinge or squared.
        loss: SvmLoss = SvmLoss::Hinge;
        /// The largest slope of the dual at which it may stop.
        tolerance: f64 = 1e-8, non_negative;
        /// The most sweeps over the batch, up to 1000000.
        sweeps: u64 = 10_000, repeatable;
        /// The seed of the random orders.
        seed: u64 = 0;
        /// How many examples make a batch; auto is all of the data.
        batch: Auto = Auto::Auto;
    }
}

impl About for Dcd {
    const NAME: &'static str = "dcd";
    const FAMILY: Family = Family::Batch;
    const PAPER: &'static str = "Hsieh, Chang, Lin, Keerthi, Sundararajan, A dual coordinate descent method for large-scale linear SVM (ICML 2008); Tan et al. 2016, Table 2";
    const WHEN: &'static str = "the batch solution to compare with, when the data fits into memory";
    const COSTS: CostUse = CostUse::Strength;
    const MERGING: Merging = Merging::NOT_BATCHES;
}

/// Slopes smaller than this do not move anything.
const FLAT: f64 = 1e-14;

impl Solver for Dcd {
    fn batch(&self) -> Auto {
        self.batch
    }

    fn solve(&self, examples: &Examples, _known: &Estimate, number: u64) -> Option<Estimate> {
        let bounds: Vec<(f64, f64)> =
            examples.stake.iter().map(|stake| self.bounds(self.c * stake)).collect();
        let norms: Vec<f64> = examples.rows.iter().map(|x| x.norm2()).collect();
        let mut alpha = vec![0.0; examples.len()];
        let mut w = vec![0.0; examples.width()];
        let mut shuffler = Shuffler::new(self.seed.wrapping_add(number));
        let mut active: Vec<usize> = (0..examples.len()).filter(|&i| norms[i] + bounds[i].0 > 0.0).collect();
        let everything = active.clone();
        // The extreme slopes of the last sweep: an example at a bound that is pushed harder than these is left out.
        let (mut lowest, mut highest) = (f64::NEG_INFINITY, f64::INFINITY);
        for _ in 0..self.sweeps {
            shuffler.shuffle(&mut active);
            let (mut least, mut most) = (f64::INFINITY, f64::NEG_INFINITY);
            active.retain(|&i| {
                let (x, y, (ridge, bound)) = (examples.rows.row(i), examples.y[i], bounds[i]);
                let slope = y * x.dot(&w) - 1.0 + ridge * alpha[i];
                let settled = (alpha[i] == 0.0 && slope > highest) || (alpha[i] == bound && slope < lowest);
                if settled {
                    return false;
                }
                let free = if alpha[i] == 0.0 {
                    slope.min(0.0)
                } else if alpha[i] == bound {
                    slope.max(0.0)
                } else {
                    slope
                };
                (least, most) = (least.min(free), most.max(free));
                if free.abs() > FLAT {
                    let before = alpha[i];
                    alpha[i] = (before - slope / (norms[i] + ridge)).clamp(0.0, bound);
                    x.add_to(&mut w, (alpha[i] - before) * y);
                }
                true
            });
            if active.is_empty() || (most <= self.tolerance && -least <= self.tolerance) {
                if active.len() == everything.len() {
                    break;
                }
                active.clone_from(&everything);
                (lowest, highest) = (f64::NEG_INFINITY, f64::INFINITY);
            } else {
                lowest = if least < 0.0 { least } else { f64::NEG_INFINITY };
                highest = if most > 0.0 { most } else { f64::INFINITY };
            }
        }
        Some(Estimate::of_weights(&examples.features, &w))
    }
}

impl Dcd {
    /// D and U for an example whose lack of margin costs so much.
    fn bounds(&self, c: f64) -> (f64, f64) {
        match self.loss {
            SvmLoss::Hinge => (0.0, c),
            SvmLoss::Squared => (0.5 / c, f64::INFINITY),
        }
    }
}
