//! Sparse confidence-weighted learning, SBCW-L1 and SBCW-L2.

use crate::batched::{
    Auto, Block, Estimate, Examples, GroupFactors, Groups, Solver, Square, SvmLoss, covariances,
};
use crate::cost::CostUse;
use crate::merge::Merging;
use crate::params::{Choice, Version, non_negative, positive_finite, repeatable};
use crate::rule::{About, Family};
use crate::{params, version};

/// What becomes of a batch's covariance in the next.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Combine {
    /// It is where the next begins; features are chosen anew.
    Carry,
    /// Nothing: every batch begins at the beginning.
    Restart,
    /// It is where the next begins, and the groups stay chosen.
    Active,
}

impl Choice for Combine {
    const CHOICES: &'static [(&'static str, Self)] =
        &[("carry", Combine::Carry), ("restart", Combine::Restart), ("active", Combine::Active)];
}

/// How far a dual variable steps.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Step {
    /// As Algorithm 3 has it, which forgets σ: with several groups it may go too far.
    Printed,
    /// 1/σ, the smoothness of ∇Ω*: no step lowers the dual objective.
    Proximal,
}

impl Choice for Step {
    const CHOICES: &'static [(&'static str, Self)] =
        &[("printed", Step::Printed), ("proximal", Step::Proximal)];
}

params! {
    /// Sparse batch confidence-weighted learning.
    pub(crate) struct Sbcw<V: SbcwVersion> {
        /// C: the most that an example moves the weights; larger trusts every example more.
        c: f64 = 10.0, positive_finite;
        /// r: the constant of the covariances; auto is C, as the paper prints it.
        r: Auto<f64> = Auto::Of(0.1);
        /// σ: larger keeps more groups at work. (The paper has it much smaller than 1, which often leaves one group.)
        sigma: f64 = 1.0, positive_finite;
        /// How many features are chosen at a time; auto is features / iterations, or 10.
        group: Auto = Auto::Auto;
        /// The most features to choose; auto is group · iterations.
        features: Auto = Auto::Auto;
        /// The most groups to choose in a batch, up to 1000000.
        iterations: u64 = 15, repeatable;
        /// Stop when a group changes the dual objective by no more than this share (0: never).
        stop: f64 = 0.0, non_negative;
        /// How often the batch is gone through for every new group, up to 1000000. (The paper: once.)
        passes: u64 = 5, repeatable;
        /// How far a dual variable steps: as printed, or with the 1/σ of proximal dual ascent.
        step: Step = Step::Proximal;
        /// What becomes of the covariance in the next batch.
        combine: Combine = Combine::Restart;
        /// How many examples make a batch; auto is all of the data.
        batch: Auto = Auto::Auto;
    }
}

/// SBCW-L1 or SBCW-L2.
pub(crate) trait SbcwVersion: Version {
    /// The loss whose step is taken.
    const LOSS: SvmLoss;
}

version! {
    /// Sparse batch confidence-weighted learning with the hinge loss: features are chosen group by group, and each group
    /// has a covariance of its own.
    ///
    /// ```text
    /// F = the features with the largest (Σ α y x)²          not chosen yet; α = 1 for the first group (equation 14)
    /// Σ_k = (Σ[F, F]⁻¹ + r X_k'X_k)⁻¹                       the new group's covariance
    /// α = 0, z = 0, then over the batch (Algorithm 3; z_k and w_k in the metric Σ_k):
    ///   w_k = max(0, |z_k| − S)/σ · z_k/|z_k|               S so that S = Σ |w_k|: few groups stay at work
    ///   α' = clip(α + (1 − y w·x)/(C Σ_k x'Σ_k x), 0, 1)    α' = α if that is 0 and y w·x ≥ 1
    ///   z ← z + C (α' − α) y x, α ← α'
    /// ```
    ///
    /// In the paper's one pass α is 0 before every step, so α' = min(max(0, 1 − y w·x)/(C Σ_k x'Σ_k x), 1). With step=proximal
    /// Σ_k x'Σ_k x is divided by σ: then no step lowers the dual objective, and more passes come closer to its maximum. As
    /// for BCW, r is the paper's second constant, which it requires but does not use. The paper as printed is
    /// r=auto,passes=1,step=printed,combine=restart. docs/design/2026-11-16-batches.md has the evidence for the defaults.
    ///
    /// The model is that of the last batch; with combine=carry and combine=active it begins with the covariance of those before.
    pub(crate) struct Hinge = "sbcw1", "a model with a given number of features, chosen from millions";
}

impl SbcwVersion for Hinge {
    const LOSS: SvmLoss = SvmLoss::Hinge;
}

version! {
    /// Sparse batch confidence-weighted learning with the squared hinge loss: as SBCW-I, with another step.
    ///
    /// ```text
    /// α' = max(0, α + (1 − y w·x − α/2)/(C Σ_k x'Σ_k x + 1/2))
    /// ```
    pub(crate) struct Squared = "sbcw2", "as sbcw1, with a softer step";
}

impl SbcwVersion for Squared {
    const LOSS: SvmLoss = SvmLoss::Squared;
}

impl<V: SbcwVersion> About for Sbcw<V> {
    const NAME: &'static str = V::NAME;
    const FAMILY: Family = Family::Batch;
    const PAPER: &'static str = "Tan, Yan, Wang, van den Hengel, Tsang, Shi, Learning sparse confidence-weighted classifier on very high dimensional data (AAAI 2016), Algorithms 2 and 3";
    const WHEN: &'static str = V::WHEN;
    const COSTS: CostUse = CostUse::Strength;
    const MERGING: Merging = Merging::NOT_BATCHES;
}

impl<V: SbcwVersion> Solver for Sbcw<V> {
    fn keeps_features(&self) -> bool {
        self.combine == Combine::Active
    }

    fn batch(&self) -> Auto {
        self.batch
    }

    fn covariances(&self, features: usize) -> u64 {
        covariances(self.group, self.features, self.iterations, features)
    }

    fn solve(&self, examples: &Examples, known: &Estimate, _number: u64) -> Option<Estimate> {
        let known = if self.combine == Combine::Restart { &Estimate::default() } else { known };
        let groups = Groups::new(examples, self.group, self.features, self.iterations);
        let mut choice = GroupChoice::new(examples, groups, known, V::LOSS, Constants::of(self));
        if self.combine == Combine::Active {
            choice.keep_choices()?;
        }
        choice.choose(self.iterations, self.stop)?;
        Some(choice.estimate())
    }
}

/// One group at work. In the metric of Σ, z = Σ^½ u: its length is √(u'Σu), and no root of Σ is needed.
struct Part {
    sigma: Square,
    u: Vec<f64>,
    /// Σu.
    v: Vec<f64>,
}

/// The constants of the dual problem and of its ascent.
#[derive(Clone, Copy)]
struct Constants {
    c: f64,
    /// r, of the covariances.
    r: f64,
    /// σ.
    smoothing: f64,
    /// What x'Σx is multiplied with in a step.
    modulus: f64,
    passes: u64,
}

impl Constants {
    fn of<V: SbcwVersion>(knobs: &Sbcw<V>) -> Self {
        let modulus = match knobs.step {
            Step::Printed => 1.0,
            Step::Proximal => 1.0 / knobs.sigma,
        };
        let r = knobs.r.given().unwrap_or(knobs.c);
        Self { c: knobs.c, r, smoothing: knobs.sigma, modulus, passes: knobs.passes }
    }
}

/// The choice of groups in one batch.
struct GroupChoice<'a> {
    examples: &'a Examples,
    groups: Groups<'a>,
    known: &'a Estimate,
    loss: SvmLoss,
    constants: Constants,
    parts: Vec<Part>,
    /// |z_k|.
    lengths: Vec<f64>,
    shrinkage: GroupFactors,
    alpha: Vec<f64>,
    /// Σ_k x'Σ_k x of every example.
    norms: Vec<f64>,
}

impl<'a> GroupChoice<'a> {
    fn new(
        examples: &'a Examples,
        groups: Groups<'a>,
        known: &'a Estimate,
        loss: SvmLoss,
        constants: Constants,
    ) -> Self {
        Self {
            examples,
            groups,
            known,
            loss,
            constants,
            parts: Vec::new(),
            lengths: Vec::new(),
            shrinkage: GroupFactors::default(),
            alpha: vec![1.0; examples.len()],
            norms: vec![0.0; examples.len()],
        }
    }

    /// Begins with the groups of the batch before.
    fn keep_choices(&mut self) -> Option<()> {
        for block in &self.known.blocks {
            let columns = block
                .features
                .iter()
                .filter_map(|feature| self.examples.features.binary_search(feature).ok());
            let columns: Vec<u32> = columns.map(|column| column as u32).collect();
            if !columns.is_empty() {
                let score = |column: &u32| {
                    let feature = self.examples.features[*column as usize];
                    self.known.chosen.iter().find(|c| c.feature == feature).map_or(0.0, |c| c.score)
                };
                let scores: Vec<f64> = columns.iter().map(score).collect();
                self.groups.add(columns, &scores);
                self.add_part()?;
            }
        }
        if !self.parts.is_empty() {
            self.ascend();
        }
        Some(())
    }

    /// Algorithm 2.
    fn choose(&mut self, iterations: u64, stop: f64) -> Option<()> {
        let mut before = f64::NAN;
        for _ in 0..iterations {
            let alpha = &self.alpha;
            if !self.groups.choose(|i| alpha[i]) {
                break;
            }
            self.add_part()?;
            self.ascend();
            let now = self.dual();
            if stop > 0.0 && (now - before).abs() <= stop * now.abs() {
                break;
            }
            before = now;
        }
        Some(())
    }

    /// The covariance of the newest group.
    fn add_part(&mut self) -> Option<()> {
        let newest = self.groups.all.len() - 1;
        let features = self.groups.features(newest);
        let rows = &self.groups.all[newest].rows;
        let sigma = covariance(self.known, &features).tightened(rows, self.constants.r)?;
        self.norms.iter_mut().zip(rows.iter()).for_each(|(norm, x)| *norm += sigma.quadratic(x));
        let zeros = vec![0.0; features.len()];
        self.parts.push(Part { sigma, u: zeros.clone(), v: zeros });
        Some(())
    }

    /// Algorithm 3: passes over the batch, from nothing.
    fn ascend(&mut self) {
        let Constants { smoothing, passes, .. } = self.constants;
        self.parts.iter_mut().for_each(|part| {
            part.u.fill(0.0);
            part.v.fill(0.0);
        });
        self.alpha.fill(0.0);
        self.lengths.clear();
        self.lengths.resize(self.parts.len(), 0.0);
        self.shrinkage.update(&self.lengths, smoothing);
        let mut z = vec![0.0; self.parts.iter().map(|part| part.u.len()).max().unwrap_or_default()];
        for _ in 0..passes {
            (0..self.examples.len()).for_each(|i| self.step(i, &mut z));
        }
    }

    /// One example's step, with room for a product.
    fn step(&mut self, i: usize, z: &mut [f64]) {
        let Self { examples, groups, parts, lengths, shrinkage, alpha, norms, .. } = self;
        let Constants { c, smoothing, modulus, .. } = self.constants;
        let rows = || groups.all.iter().map(|group| group.rows.row(i)).enumerate();
        let score = rows().fold(0.0, |sum, (k, x)| sum + shrinkage.factors[k] * x.dot(&parts[k].v));
        let (y, c) = (examples.y[i], c * examples.stake[i]);
        let before = alpha[i];
        alpha[i] = self.loss.climb(before, 1.0 - y * score, c, modulus * norms[i]);
        if alpha[i] == before {
            return;
        }
        let along = c * (alpha[i] - before) * y;
        for (k, x) in rows().filter(|(_, x)| !x.columns.is_empty()) {
            let Part { sigma, u, v } = &mut parts[k];
            let z = &mut z[..u.len()];
            x.add_to(u, along);
            sigma.multiply(x, z);
            v.iter_mut().zip(z.iter()).for_each(|(v, z)| *v += along * z);
            let length2 = u.iter().zip(v.iter()).fold(0.0, |sum, (u, v)| sum + u * v);
            lengths[k] = length2.max(0.0).sqrt();
        }
        shrinkage.update(lengths, smoothing);
    }

    /// min_k f(α, η_k) (equation 13).
    fn dual(&self) -> f64 {
        let stakes = self.examples.stake.iter().map(|stake| self.constants.c * stake);
        let gain = self.alpha.iter().zip(stakes).fold(0.0, |sum, (alpha, c)| sum + self.loss.dual(*alpha, c));
        let longest = self.lengths.iter().fold(0.0, |most: f64, length| most.max(*length));
        gain - 0.5 * longest * longest
    }

    /// μ_k = Σ_k^½ w_k, the new blocks, and what is left of the old ones.
    fn estimate(self) -> Estimate {
        let means: Vec<Vec<f64>> = self
            .parts
            .iter()
            .zip(&self.shrinkage.factors)
            .map(|(part, factor)| part.v.iter().map(|v| factor * v).collect())
            .collect();
        let (features, weights) = self.groups.weights(means.iter().map(Vec::as_slice));
        let mut blocks: Vec<Block> =
            self.known.blocks.iter().filter_map(|block| without(block, &features)).collect();
        for (group, part) in self.parts.into_iter().enumerate() {
            blocks.push(Block { features: self.groups.features(group), sigma: part.sigma });
        }
        Estimate { features, weights, blocks, chosen: self.groups.chosen }
    }
}

/// The covariance of some features, as far as it is known.
fn covariance(known: &Estimate, features: &[u32]) -> Square {
    let home = |feature: &u32| {
        known
            .blocks
            .iter()
            .enumerate()
            .find_map(|(b, block)| Some((b, block.features.binary_search(feature).ok()?)))
    };
    let homes: Vec<Option<(usize, usize)>> = features.iter().map(home).collect();
    Square::of(features.len(), |i, j| match (homes[i], homes[j]) {
        (Some((block, i)), Some((other, j))) if block == other => known.blocks[block].sigma.at(i, j),
        (Some(_), Some(_)) => 0.0,
        _ => f64::from(u8::from(i == j)),
    })
}

/// A block without some features; nothing if none is left.
fn without(block: &Block, features: &[u32]) -> Option<Block> {
    let kept: Vec<usize> = (0..block.features.len())
        .filter(|&at| features.binary_search(&block.features[at]).is_err())
        .collect();
    let sigma = Square::of(kept.len(), |i, j| block.sigma.at(kept[i], kept[j]));
    let features = kept.iter().map(|&at| block.features[at]).collect();
    (!kept.is_empty()).then_some(Block { features, sigma })
}
