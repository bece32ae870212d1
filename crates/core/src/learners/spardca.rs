//! Dual coordinate ascent for sparse support vector machines.

use crate::batched::{Auto, Estimate, Examples, Solver, SvmLoss};
use crate::cost::CostUse;
use crate::merge::Merging;
use crate::params;
use crate::params::{non_negative, positive_finite, repeatable};
use crate::rule::{About, Family};
use crate::shrink::soft_threshold;

params! {
    /// Sparse support vector machine by proximal dual coordinate ascent.
    ///
    /// ```text
    /// min λ|w|₁ + σ/2 |w|² + C Σ ξ         ξ = max(0, 1 − y w·x); C Σ ξ² for loss=squared
    /// w = soft(z, λ) / σ                   z = C Σ α y x
    /// α ← clip(α + (1 − y w·x) / (C |x|² / σ), 0, 1)      in the order of the batch (squared: with 0.5 as in Algorithm 3)
    /// ```
    ///
    /// Every batch is solved for itself: the model is that of the last one.
    pub(crate) struct Spardca {
        /// Penalty λ on every weight: larger keeps fewer.
        lambda: f64 = 1.0, non_negative;
        /// σ: how much of a squared penalty helps the ascent. Small is close to a plain λ|w|₁, and slow.
        sigma: f64 = 0.1, positive_finite;
        /// C: larger tolerates fewer errors.
        c: f64 = 1.0, positive_finite;
        /// What a lack of margin costs: hinge or squared.
        loss: SvmLoss = SvmLoss::Hinge;
        /// How often to go through the batch, at most 1000000 times.
        passes: u64 = 20, repeatable;
        /// How many examples make a batch; auto is all of the data.
        batch: Auto = Auto::Auto;
    }
}

impl About for Spardca {
    const NAME: &'static str = "spardca";
    const FAMILY: Family = Family::Batch;
    const PAPER: &'static str = "Shalev-Shwartz, Zhang, Proximal stochastic dual coordinate ascent (2012); Tan et al. 2016, section 5";
    const WHEN: &'static str = "a sparse batch solution in a fixed number of passes";
    const COSTS: CostUse = CostUse::Strength;
    const MERGING: Merging = Merging::NOT_BATCHES;
}

impl Solver for Spardca {
    fn batch(&self) -> Auto {
        self.batch
    }

    fn solve(&self, examples: &Examples, _known: &Estimate, _number: u64) -> Option<Estimate> {
        let weight = |z: f64| soft_threshold(z, self.lambda) / self.sigma;
        let norms: Vec<f64> = examples.rows.iter().map(|x| x.norm2() / self.sigma).collect();
        let mut alpha = vec![0.0; examples.len()];
        let mut z = vec![0.0; examples.width()];
        for _ in 0..self.passes {
            for (i, x) in examples.rows.iter().enumerate() {
                let (y, c, before) = (examples.y[i], self.c * examples.stake[i], alpha[i]);
                if norms[i] > 0.0 {
                    let gap = 1.0 - y * x.iter().fold(0.0, |sum, (column, x)| sum + weight(z[column]) * x);
                    alpha[i] = self.loss.climb(before, gap, c, norms[i]);
                    x.add_to(&mut z, c * (alpha[i] - before) * y);
                }
            }
        }
        let w: Vec<f64> = z.into_iter().map(weight).collect();
        Some(Estimate::of_weights(&examples.features, &w))
    }
}
