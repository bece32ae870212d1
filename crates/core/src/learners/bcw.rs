//! Online-batch confidence-weighted learning, BCW-L1 and BCW-L2.

use pulp::{Arch, NullaryFnOnce};

use crate::batched::{Auto, Block, Estimate, Examples, Solver, Square, SvmLoss};
use crate::cost::CostUse;
use crate::merge::Merging;
use crate::params::{Version, positive_finite};
use crate::rule::{About, Family};
use crate::{params, version};

params! {
    /// Batch confidence-weighted learning.
    pub(crate) struct Bcw<V: BcwVersion> {
        /// C: the most that an example moves the weights; larger trusts every example more.
        c: f64 = 1.0, positive_finite;
        /// r: the constant of the covariance; auto is C. (The paper requires r and C, but prints C in both places.)
        r: Auto<f64> = Auto::Auto;
        /// How many examples make a batch; auto is all of the data.
        batch: Auto = Auto::Auto;
    }
}

/// BCW-L1 or BCW-L2.
pub(crate) trait BcwVersion: Version {
    /// The loss whose step is taken.
    const LOSS: SvmLoss;
}

version! {
    /// Batch confidence-weighted learning with the hinge loss: the covariance of a whole batch at once, then one pass
    /// over its examples.
    ///
    /// ```text
    /// Σ ← (Σ⁻¹ + r X'X)⁻¹                  once per batch (equation 6; r = C unless it is set)
    /// ξ = max(0, 1 − y μ·x)                then for every example of it
    /// α = min(ξ / x'Σx, C)
    /// μ ← μ + α y Σx
    /// ```
    ///
    /// The paper whitens the batch, x̂ = Σ^½ x, and learns w = Σ^−½ μ: with x̂·x̂ = x'Σx that is the same, and no root
    /// need be taken. Algorithm 1 requires two constants, r and C, and then has C in equation 6 too: r=auto is what is
    /// printed, and an r of its own is the other reading. With it (c=10,r=0.1) BCW-L1 has less error than BCW-L2 on
    /// covtype, as in Table 2; with r=auto it has more. Costs scale the C that bounds α, not the r in Σ, which describes
    /// the examples and not their price. O(d³) per batch and O(s d) per example that lacks margin.
    pub(crate) struct Hinge = "bcw1", "up to a few thousand features: as good as a full covariance, in a fraction of the time";
}

impl BcwVersion for Hinge {
    const LOSS: SvmLoss = SvmLoss::Hinge;
}

version! {
    /// Batch confidence-weighted learning with the squared hinge loss: as BCW-I, with another step.
    ///
    /// ```text
    /// α = ξ / (x'Σx + 1 / 2C)
    /// μ ← μ + α y Σx
    /// ```
    pub(crate) struct Squared = "bcw2", "as bcw1, with a softer step";
}

impl BcwVersion for Squared {
    const LOSS: SvmLoss = SvmLoss::Squared;
}

impl<V: BcwVersion> About for Bcw<V> {
    const NAME: &'static str = V::NAME;
    const FAMILY: Family = Family::Batch;
    const PAPER: &'static str = "Tan, Yan, Wang, van den Hengel, Tsang, Shi, Learning sparse confidence-weighted classifier on very high dimensional data (AAAI 2016), Algorithm 1";
    const WHEN: &'static str = V::WHEN;
    const COSTS: CostUse = CostUse::Strength;
    const MERGING: Merging = Merging::NOT_BATCHES;
}

impl<V: BcwVersion> Solver for Bcw<V> {
    const WHOLE: bool = true;

    fn batch(&self) -> Auto {
        self.batch
    }

    fn covariances(&self, features: usize) -> u64 {
        Square::bytes(features)
    }

    fn solve(&self, examples: &Examples, known: &Estimate, _number: u64) -> Option<Estimate> {
        let (mut mu, before) = widened(examples, known);
        let sigma = before.tightened(&examples.rows, self.r.given().unwrap_or(self.c))?;
        Arch::new().dispatch(OnePass { loss: V::LOSS, c: self.c, examples, sigma: &sigma, mu: &mut mu });
        let features = examples.features.clone();
        let blocks = vec![Block { features: features.clone(), sigma }];
        Some(Estimate { features, weights: mu, blocks, chosen: Vec::new() })
    }
}

/// The inner loop of Algorithm 1, with the vector instructions that there are.
struct OnePass<'a> {
    loss: SvmLoss,
    c: f64,
    examples: &'a Examples,
    sigma: &'a Square,
    mu: &'a mut [f64],
}

impl NullaryFnOnce for OnePass<'_> {
    type Output = ();

    #[inline(always)]
    fn call(self) {
        let Self { loss, c, examples, sigma, mu } = self;
        let mut z = vec![0.0; examples.width()];
        for (i, x) in examples.rows.iter().enumerate() {
            let y = examples.y[i];
            let gap = 1.0 - y * x.dot(mu);
            if gap > 0.0 {
                sigma.multiply(x, &mut z);
                let c = c * examples.stake[i];
                let along = y * c * loss.climb(0.0, gap, c, x.dot(&z));
                mu.iter_mut().zip(&z).for_each(|(mu, z)| *mu += along * z);
            }
        }
    }
}

/// The mean and the covariance from before, with room for the features that are new.
fn widened(examples: &Examples, known: &Estimate) -> (Vec<f64>, Square) {
    let place: Vec<Option<usize>> =
        examples.features.iter().map(|feature| known.features.binary_search(feature).ok()).collect();
    let mu = place.iter().map(|place| place.map_or(0.0, |at| known.weights[at])).collect();
    let sigma = match known.blocks.first().filter(|block| block.features == known.features) {
        None => Square::identity(examples.width()),
        Some(block) if known.features == examples.features => block.sigma.clone(),
        Some(block) => Square::of(examples.width(), |i, j| match (place[i], place[j]) {
            (Some(i), Some(j)) => block.sigma.at(i, j),
            _ => f64::from(u8::from(i == j)),
        }),
    };
    (mu, sigma)
}
